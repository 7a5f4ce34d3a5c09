//! A layout seen from a coordinate.

use std::fmt;

use super::tile::coord_per_mode;
use super::{Int, IntTuple, Layout, Nested, Stride, Tag, crd2idx, tile_at};
use crate::element::ElementType;
use crate::error::{Error, invalid};

/// A layout, and the coordinate in it where this view begins. It addresses; it holds no data.
///
/// The coordinate is kept, not turned into an offset, because in a layout of blocks offsets do not
/// add: in `((4,2),(4,3)):((4,16),(1,32))`, element (0, 3) is at 3 and (0, 1) at 1, but (0, 4)
/// begins the next block and is at 32.
///
/// ```
/// use tilewright::ElementType;
/// use tilewright::tla::{Layout, Tag, Tensor};
/// let matrix = Tensor::new(Layout::from_tag(Tag::Zn, ElementType::F16, 100, 100)?);
/// let tile = matrix.tile(&"(80,64)".parse()?, &"(32,48)".parse()?)?;
/// assert_eq!(tile.to_string(), "((_16,2),(_16,3)):((_16,_256),(_1,1792)):(20,36) at (80,64)");
/// assert_eq!(tile.offset(&"(3,5)".parse()?)?, matrix.offset(&"(83,69)".parse()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Coordinates are in elements. One may be an integer, one integer per mode, or nested as the
/// shape, as for [`Layout::at`]; an integer counts through the view's own shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tensor {
    layout: Layout,
    coord: Vec<Int>,
    base: Stride,
}

impl Tensor {
    /// The view of a whole layout, from its origin.
    pub fn new(layout: Layout) -> Self {
        let coord = vec![Int::fixed(0); layout.rank()];
        Tensor { layout, coord, base: Stride::from(Int::fixed(0)) }
    }

    /// A view of another layout for an array of this original shape: TLA's `MakeTensorLike`.
    ///
    /// ```
    /// use tilewright::ElementType;
    /// use tilewright::tla::{Layout, Tag, Tensor};
    /// let matrix = Tensor::new("(28,40):(40,1)".parse::<Layout>()?);
    /// let fractals = matrix.like(Tag::L0C, ElementType::F32)?;
    /// assert_eq!(fractals.layout().org_shape()?, matrix.layout().org_shape()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Layout::from_tag_sizes`].
    pub fn like(&self, tag: Tag, element_type: ElementType) -> Result<Self, Error> {
        let sizes: Vec<Int> = self.layout.org_shape()?.leaves().copied().collect();
        Layout::from_tag_sizes(tag, element_type, &sizes).map(Tensor::new)
    }

    /// The layout: of a tile, its shape, its cropped original shape and the strides of the whole.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Where the view begins, one integer per mode.
    pub fn coord(&self) -> IntTuple {
        Nested::Tuple(self.coord.iter().copied().map(Nested::Leaf).collect())
    }

    /// Where the modes that were sliced away lead; 0 if none were.
    pub fn base(&self) -> &Stride {
        &self.base
    }

    /// Where a coordinate of this view leads: the base and the layout at the two coordinates' sum.
    ///
    /// # Errors
    /// If the coordinate does not fit the shape, or a number does not fit 64 bits.
    pub fn at(&self, coord: &IntTuple) -> Result<Stride, Error> {
        let coord: Vec<_> = self.moved(coord)?.into_iter().map(Nested::Leaf).collect();
        self.sum(coord.iter().zip(self.layout.modes()))
    }

    /// [`at`](Self::at) as a number of elements.
    ///
    /// # Errors
    /// As `at`, and if the layout's strides count no elements.
    pub fn offset(&self, coord: &IntTuple) -> Result<i64, Error> {
        Ok(self.at(coord)?.elements()?.value())
    }

    /// Whether the element at a coordinate of this view is one of the array, and not padding or
    /// beyond the end.
    ///
    /// # Errors
    /// If the coordinate does not fit the shape, or a number does not fit 64 bits.
    pub fn contains(&self, coord: &IntTuple) -> Result<bool, Error> {
        let org_shape = self.layout.org_shape()?;
        let coord = coord_per_mode(&self.layout, coord)?;
        Ok(coord
            .iter()
            .zip(org_shape.leaves())
            .all(|(c, org)| (0..org.value()).contains(&c.value())))
    }

    /// The tile of this shape that begins at a coordinate of this view: TLA's `GetTile`. What is
    /// left of the original shape from there is the tile's, and the coordinates add up.
    ///
    /// # Errors
    /// As [`tile_at`].
    pub fn tile(&self, coord: &IntTuple, shape: &IntTuple) -> Result<Self, Error> {
        let layout = tile_at(&self.layout, shape, coord)?;
        Ok(Tensor { layout, coord: self.moved(coord)?, base: self.base.clone() })
    }

    /// The tile at a coordinate counted in tiles of its shape: TLA's `TileView`.
    ///
    /// ```
    /// use tilewright::tla::{Layout, Tensor};
    /// let matrix = Tensor::new("(8,16):(16,1)".parse::<Layout>()?);
    /// let tile = matrix.tile_view(&"(1,2)".parse()?, &"(4,6)".parse()?)?;
    /// assert_eq!(tile.coord().to_string(), "(4,12)");
    /// assert_eq!(tile.layout().to_string(), "(4,6):(16,1):(4,4)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`tile_at`]; and if the tile's coordinate has not one integer per mode.
    pub fn tile_view(&self, tile_coord: &IntTuple, shape: &IntTuple) -> Result<Self, Error> {
        if !tile_coord.is_congruent(shape) {
            return invalid(format!("the tile {shape} has no coordinate {tile_coord}"));
        }
        let starts = tile_coord.leaves().zip(shape.leaves());
        let starts = starts.map(|(place, size)| place.times(*size).map(Nested::Leaf));
        let starts = starts.collect::<Result<Vec<_>, _>>()?;
        self.tile(&Nested::Tuple(starts), shape)
    }

    /// The view with some modes fixed and the others, `None`, kept: TLA's `tensor(i, _)`.
    ///
    /// The fixed ones become the [`base`](Self::base). The kept ones keep their coordinate, so
    /// that the view addresses what the whole does with the fixed coordinates put back, inside a
    /// block too. (TLA begins them at 0 again, which is the same at the edges of blocks alone.)
    ///
    /// ```
    /// use tilewright::tla::{Int, Layout, Tensor};
    /// let matrix = Tensor::new("((4,2),(4,3)):((4,16),(1,32)):(6,10)".parse::<Layout>()?);
    /// let row = matrix.slice(&[Some(Int::dynamic(5)), None])?;
    /// assert_eq!(row.to_string(), "((4,3)):((1,32)):(10) at (_0) + 20");
    /// assert_eq!(row.offset(&"(9)".parse()?)?, matrix.offset(&"(5,9)".parse()?)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is not one entry per mode, or a number does not fit 64 bits.
    pub fn slice(&self, modes: &[Option<Int>]) -> Result<Self, Error> {
        if modes.len() != self.layout.rank() {
            let rank = self.layout.rank();
            return invalid(format!("a slice of {} modes of a tensor of {rank}", modes.len()));
        }
        let kept = |mode: &usize| modes.get(*mode).is_some_and(Option::is_none);
        let kept: Vec<usize> = (0..modes.len()).filter(kept).collect();
        let coord = kept.iter().filter_map(|&mode| self.coord.get(mode).copied()).collect();
        Ok(Tensor { layout: self.layout_of(&kept)?, coord, base: self.fixed(modes)? })
    }

    /// The base, and where the fixed modes lead.
    fn fixed(&self, modes: &[Option<Int>]) -> Result<Stride, Error> {
        let mut fixed = Vec::new();
        for ((index, &start), mode) in modes.iter().zip(&self.coord).zip(self.layout.modes()) {
            if let Some(index) = index {
                fixed.push((Nested::Leaf(start.plus(*index)?), mode));
            }
        }
        self.sum(fixed.iter().map(|(coord, mode)| (coord, mode.clone())))
    }

    /// The base and the sum of modes, each at a coordinate.
    fn sum<'a>(
        &self,
        modes: impl IntoIterator<Item = (&'a IntTuple, Layout)>,
    ) -> Result<Stride, Error> {
        let base = std::iter::once(Ok(self.base.clone()));
        let parts = modes.into_iter();
        Stride::sum(
            base.chain(parts.map(|(coord, mode)| crd2idx(coord, mode.shape(), mode.stride()))),
        )
    }

    /// Some modes of the layout.
    fn layout_of(&self, kept: &[usize]) -> Result<Layout, Error> {
        let modes = self.layout.modes();
        let modes: Vec<Layout> = kept.iter().filter_map(|&mode| modes.get(mode).cloned()).collect();
        let layout = Layout::from_modes(&modes);
        let Some(org_shape) = self.layout.given_org_shape() else { return Ok(layout) };
        let org_shape = org_shape.elements();
        let kept = kept.iter().filter_map(|&mode| org_shape.get(mode).cloned());
        layout.with_org_shape(Nested::Tuple(kept.collect()))
    }

    /// A coordinate of this view as one of the layout.
    fn moved(&self, coord: &IntTuple) -> Result<Vec<Int>, Error> {
        let coord = coord_per_mode(&self.layout, coord)?;
        self.coord.iter().zip(coord).map(|(start, index)| start.plus(index)).collect()
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.layout, self.coord())?;
        if self.base.is_zero() { Ok(()) } else { write!(f, " + {}", self.base) }
    }
}
