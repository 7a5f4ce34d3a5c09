//! Lowering an XLA layout to a map.

use crate::error::{Error, Kind};
use crate::map::IndexMap;
use crate::map::build::{Coordinate, MapBuilder};
use crate::shape::{ArrayShape, Shape};
use crate::xla::{Layout, Tile, TileDim};

impl IndexMap {
    /// The map of an array with these dimensions under an XLA layout.
    ///
    /// Padding (`PAD`) widens the dimensions first, `minor_to_major` puts them in physical order,
    /// then each tile acts on the most minor coordinates that the tile before it left: `*` merges
    /// a coordinate into the next more minor one, and each remaining one is split into a tile
    /// number and a place in the tile. All tile numbers come before all places. A tile longer
    /// than what is there acts on 1s put before it. The tail (`L`) rounds the allocation up.
    ///
    /// Where XLA's own `LayoutUtil::LinearIndex` and `ShapeUtil::ArraySize` look at the first tile
    /// only and cannot compute `*`, this follows the documented meaning of every level.
    ///
    /// Source: XLA, *Tiled layout*; `LayoutUtil::LinearIndexForNestedTiling`.
    ///
    /// # Errors
    /// If the rank differs from the layout's, or a size does not fit 64 bits.
    pub fn from_layout(dims: &[i64], layout: &Layout) -> Result<Self, Error> {
        if dims.len() != layout.rank() {
            return Err(Error::new(Kind::RankMismatch {
                what: "the shape",
                expected: layout.rank(),
                found: dims.len(),
            }));
        }
        let mut builder = MapBuilder::new(dims)?;
        let mut coordinates = physical_coordinates(&builder, layout);
        for tile in layout.tiles() {
            coordinates = tiled(&mut builder, coordinates, tile)?;
        }
        builder.finish(&coordinates, layout.tail_padding_alignment_in_elements())
    }
}

impl ArrayShape {
    /// Where each element lies: the layout (or the default one) as a function.
    ///
    /// # Errors
    /// If a dimension is unbounded or a size overflows.
    pub fn index_map(&self) -> Result<IndexMap, Error> {
        IndexMap::from_layout(&self.sizes()?, &self.layout_or_default())
    }
}

impl Shape {
    /// The [index map](IndexMap) of an array shape with its layout.
    ///
    /// # Errors
    /// If this is not an array, a dimension is unbounded, or a size overflows.
    pub fn index_map(&self) -> Result<IndexMap, Error> {
        self.as_array()?.index_map()
    }
}

/// The indices in physical order, most major first, with padded bounds.
fn physical_coordinates(builder: &MapBuilder, layout: &Layout) -> Vec<Coordinate> {
    let width = |dim: usize| layout.padding().and_then(|p| p.dimensions().get(dim)).copied();
    let coordinate = |&dim: &usize| {
        let input = builder.input(dim);
        let bound = width(dim).unwrap_or(input.bound());
        builder.pad(input, bound)
    };
    layout.major_to_minor().iter().map(coordinate).collect()
}

/// One level of tiling applied to coordinates in physical order.
fn tiled(
    builder: &mut MapBuilder,
    mut coordinates: Vec<Coordinate>,
    tile: &Tile,
) -> Result<Vec<Coordinate>, Error> {
    let missing = tile.dims().len().saturating_sub(coordinates.len());
    coordinates.splice(0..0, std::iter::repeat_n(Coordinate::zero(1), missing));
    let under_tile = coordinates.split_off(coordinates.len() - tile.dims().len());
    let (combined, sizes) = combined(builder, under_tile, tile)?;
    let mut inner = Vec::new();
    for (coordinate, size) in combined.into_iter().zip(sizes) {
        let (number, place) = builder.split(&coordinate, size)?;
        coordinates.push(number);
        inner.push(place);
    }
    coordinates.append(&mut inner);
    Ok(coordinates)
}

/// The coordinates with each `*` of the tile merged into the next more minor one, and the sizes
/// that are left of the tile.
fn combined(
    builder: &MapBuilder,
    coordinates: Vec<Coordinate>,
    tile: &Tile,
) -> Result<(Vec<Coordinate>, Vec<i64>), Error> {
    let mut kept = Vec::new();
    let mut sizes = Vec::new();
    let mut pending: Option<Coordinate> = None;
    for (coordinate, dim) in coordinates.into_iter().zip(tile.dims()) {
        let coordinate = match pending.take() {
            Some(major) => builder.merge(&major, &coordinate)?,
            None => coordinate,
        };
        match dim {
            TileDim::Combine => pending = Some(coordinate),
            TileDim::Size(size) => {
                kept.push(coordinate);
                sizes.push(*size);
            }
        }
    }
    Ok((kept, sizes))
}
