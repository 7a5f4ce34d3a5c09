//! Tiles: a window of a layout, as a layout.
//!
//! A tile keeps the strides and changes the shape. In a nested mode only the last, outermost part
//! changes: a window of 2 rows in fractals of 4 is one fractal, of which 2 rows count.
//!
//! TLA has had two of these. [`make_layout_tile`] is the first, `MakeLayoutTile(layout, shape)` of
//! 2025; [`tile_at`] the second, `GetTileLayout(layout, shape, coord)` of 2026, which knows where
//! the tile is and leaves out what lies beyond the array. What the first calls `orgShape` and
//! `crd2idx`, the second calls `originShape` and `crd2offset`.
//!
//! Source: CATLASS, *TLA Tensor: Layouts*.

use super::{Int, IntTuple, Layout, Nested, crd2int};
use crate::error::{Error, invalid};

/// The window of this shape at the origin, one integer per mode, in elements. It is also the
/// original shape, and may be larger than the layout's.
///
/// ```
/// use tilewright::tla::{Layout, make_layout_tile};
/// let layout: Layout = "((_4,_2),(_4,_3)):((_4,_16),(_1,_32))".parse()?;
/// let tile = make_layout_tile(&layout, &"(2,2)".parse()?)?;
/// assert_eq!(tile.to_string(), "((_4,1),(_4,1)):((_4,_16),(_1,_32)):(2,2)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the shape has not one integer per mode, one is negative, or a mode cannot be cut because
/// the parts inside have no elements.
pub fn make_layout_tile(layout: &Layout, shape: &IntTuple) -> Result<Layout, Error> {
    let sizes = sizes_per_mode(layout, shape)?;
    let modes = layout.shape().elements().iter().zip(&sizes);
    let modes = modes.map(|(mode, &size)| resized(mode, size)).collect::<Result<Vec<_>, _>>()?;
    Layout::new(like(layout.shape(), modes), layout.stride().clone())?.with_org_shape(shape.clone())
}

/// The window of this shape at a coordinate: its original shape is what the layout's original
/// shape has left from there, at most the tile.
///
/// Only the shape is of the tile; for the offsets, which begin at the coordinate, see
/// [`Tensor`](super::Tensor).
///
/// ```
/// use tilewright::tla::{Layout, tile_at};
/// let layout: Layout = "(8,16):(16,_1)".parse()?;
/// let tile = tile_at(&layout, &"(4,8)".parse()?, &"(6,10)".parse()?)?;
/// assert_eq!(tile.to_string(), "(4,8):(16,_1):(2,6)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`make_layout_tile`]; or if the coordinate does not fit the shape or a part is negative.
pub fn tile_at(layout: &Layout, shape: &IntTuple, coord: &IntTuple) -> Result<Layout, Error> {
    let sizes = sizes_per_mode(layout, shape)?;
    let starts = coord_per_mode(layout, coord)?;
    let org_shape = layout.org_shape()?;
    let modes = org_shape.leaves().zip(sizes).zip(starts).enumerate();
    let cropped = modes.map(|(mode, ((&org, size), start))| cropped(mode, org, size, start));
    let cropped = cropped.collect::<Result<Vec<_>, _>>()?;
    make_layout_tile(layout, shape)?.with_org_shape(like(shape, cropped))
}

/// What of `size` elements from `start` on lies among the first `org`.
fn cropped(mode: usize, org: Int, size: Int, start: Int) -> Result<IntTuple, Error> {
    if start.value() < 0 {
        return invalid(format!("the coordinate {start} of mode {mode} is negative"));
    }
    let left = org.value().saturating_sub(start.value()).max(0);
    Ok(Nested::Leaf(Int::dynamic(left.min(size.value()))))
}

/// The mode with as many of its last part as cover `size` elements.
fn resized(mode: &IntTuple, size: Int) -> Result<IntTuple, Error> {
    let Nested::Tuple(parts) = mode else { return Ok(Nested::Leaf(size)) };
    let Some((last, inside)) = parts.split_last() else {
        return invalid("a mode of no parts cannot be cut".to_owned());
    };
    let inner =
        inside.iter().try_fold(Int::fixed(1), |product, part| product.times(part.product()?))?;
    let last = resized(last, size.ceil_div(inner)?)?;
    Ok(Nested::Tuple(inside.iter().cloned().chain([last]).collect()))
}

/// The tile's size in each mode.
fn sizes_per_mode(layout: &Layout, shape: &IntTuple) -> Result<Vec<Int>, Error> {
    if shape.rank() != layout.rank() || shape.depth() > 1 {
        return invalid(format!(
            "the tile {shape} needs one integer for each of the {} modes",
            layout.rank()
        ));
    }
    match shape.leaves().find(|size| size.value() < 0) {
        Some(size) => invalid(format!("the size {size} of a tile is negative")),
        None => Ok(shape.leaves().copied().collect()),
    }
}

/// A coordinate as one integer per mode; an integer for all counts colexicographically.
pub(super) fn coord_per_mode(layout: &Layout, coord: &IntTuple) -> Result<Vec<Int>, Error> {
    let modes = layout.shape().elements();
    match coord {
        Nested::Leaf(index) => {
            let whole = super::idx2crd(*index, &layout.shape().product_each()?)?;
            Ok(whole.leaves().copied().collect())
        }
        Nested::Tuple(parts) if parts.len() == modes.len() => {
            parts.iter().zip(modes).map(|(part, mode)| crd2int(part, mode)).collect()
        }
        Nested::Tuple(_) => {
            invalid(format!("the coordinate {coord} does not fit the shape {}", layout.shape()))
        }
    }
}

/// These modes; a value if the shape is one.
fn like(shape: &IntTuple, modes: Vec<IntTuple>) -> IntTuple {
    match (shape, <[IntTuple; 1]>::try_from(modes)) {
        (Nested::Leaf(_), Ok([mode])) => mode,
        (_, Ok([mode])) => Nested::Tuple(vec![mode]),
        (_, Err(modes)) => Nested::Tuple(modes),
    }
}
