//! The default format: tiles and element size of a type, and how they are put together.

use super::chip::Chip;
use super::order::minor_and_second_minor;
use crate::error::Error;
use crate::xla::{Layout, Tile, invalid};
use crate::{ArrayShape, ElementType, Permutation};

/// The columns of every tile: the words in a row of a register.
pub(super) const COLUMNS: i64 = 128;

/// The rows of a register.
const REGISTER_ROWS: i64 = 8;

/// The bytes before an array with dynamic sizes, in which the device keeps them.
pub(super) const DYNAMIC_SIZES_BYTES: i64 = 1024;

/// The array in the format that this generation's compiler gives a parameter of the type and dims.
/// A layout that `shape` has is left out of account.
///
/// A bounded dimension counts as its bound. An array without elements is not tiled.
///
/// ```
/// use tilewright::ArrayShape;
/// use tilewright::formats::tpu::{Chip, default_shape};
/// let on_device = |text: &str, chip| {
///     let shape: ArrayShape = text.parse().unwrap();
///     default_shape(&shape, chip).unwrap().to_string()
/// };
/// assert_eq!(on_device("f32[1000,3]", Chip::V5e), "f32[1000,3]{0,1:T(4,128)}");
/// assert_eq!(on_device("s8[64,512]", Chip::V5e), "s8[64,512]{1,0:T(32,128)(4,1)}");
/// assert_eq!(on_device("s8[64,512]", Chip::V3), "s8[64,512]{1,0:T(8,128)(4,1)}");
/// assert_eq!(on_device("s4[1000]", Chip::V7x), "s4[1000]{0:T(1024)(128)(8,1)E(4)}");
/// ```
///
/// # Errors
/// If a dimension is unbounded, or the elements are of 6 bits, which no TPU compiler takes.
pub fn default_shape(shape: &ArrayShape, chip: Chip) -> Result<ArrayShape, Error> {
    let rule = TileRule::of(shape.element_type(), chip)?;
    let sizes = shape.sizes()?;
    let layout = match sizes[..] {
        _ if shape.is_empty() => rule.packed(untiled(shape)?),
        [] => rule.scalar()?,
        [size] => rule.linear(rule.linear_rows(size))?,
        _ => {
            let [minor, second_minor] = minor_and_second_minor(&sizes, &rule)?;
            let others: Vec<usize> = (0..sizes.len()).rev().collect();
            rule.tiled([minor, second_minor], &others, rule.rows(sizes[second_minor]))?
        }
    };
    shape.clone().without_layout().with_layout(layout)
}

/// The layout of an array without elements. Where it has dynamic sizes, the compiler says so.
fn untiled(shape: &ArrayShape) -> Result<Layout, Error> {
    let is_dynamic = shape.dims().iter().any(|dim| dim.is_dynamic());
    let prefix = if is_dynamic { DYNAMIC_SIZES_BYTES } else { 0 };
    Layout::descending(shape.rank()).with_dynamic_shape_metadata_prefix_bytes(prefix)
}

/// How a generation tiles arrays of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileRule {
    /// `E(n)` of the layout; 0 for none.
    packed_bits: u32,
    /// How many stored elements share a word.
    elements_per_word: i64,
    /// The rows that are read at once.
    least_linear_rows: i64,
    least_rows: i64,
    most_rows: i64,
    /// The rows of the largest tiles, of whole registers of words.
    large_rows: i64,
    /// Whether the default is large tiles, where they divide the array.
    prefers_large: bool,
}

impl TileRule {
    pub(super) fn of(element_type: ElementType, chip: Chip) -> Result<Self, Error> {
        let bits = match element_type {
            ElementType::Pred => 8,
            _ => element_type.bits().min(32),
        };
        if 32 % bits != 0 {
            return invalid(format!("no TPU compiler takes arrays of {element_type}"));
        }
        let stored = if chip.is_before_v4() { bits.max(8) } else { bits };
        let elements_per_word = i64::from(32 / stored);
        let least_linear_rows = chip.least_word_rows() * elements_per_word;
        let least_rows = least_linear_rows.max(i64::from(32 / bits));
        Ok(TileRule {
            packed_bits: if stored < 8 { stored } else { 0 },
            elements_per_word,
            least_linear_rows,
            least_rows,
            most_rows: least_rows.max(REGISTER_ROWS),
            large_rows: REGISTER_ROWS * i64::from(32 / bits),
            prefers_large: bits <= 8 && !chip.is_before_v4(),
        })
    }

    /// The rows of the default tile over this many rows of an array.
    pub(super) fn rows(&self, second_minor: i64) -> i64 {
        if self.prefers_large && second_minor % self.large_rows == 0 {
            return self.large_rows;
        }
        power_of_two_between(second_minor, self.least_rows, self.most_rows)
    }

    /// As [`rows`](Self::rows), as far as the order of dimensions takes them into account.
    pub(super) fn weighed_rows(&self, second_minor: i64) -> i64 {
        self.rows(second_minor).min(REGISTER_ROWS)
    }

    /// Every number of rows that a tile can have.
    pub(super) fn all_rows(&self) -> impl Iterator<Item = i64> + use<> {
        doublings(self.least_rows, self.large_rows)
    }

    /// Every number of rows' elements that a tile of rank 1 can have.
    pub(super) fn all_linear_rows(&self) -> impl Iterator<Item = i64> + use<> {
        doublings(self.least_linear_rows, self.most_rows)
    }

    fn scalar(&self) -> Result<Layout, Error> {
        let tile = Tile::of(&[self.least_linear_rows * COLUMNS])?;
        Ok(self.packed(Layout::descending(0).with_tiles([tile])))
    }

    /// The rows of the default tile of an array of rank 1.
    fn linear_rows(&self, size: i64) -> i64 {
        let rows = size / COLUMNS + i64::from(size % COLUMNS != 0);
        power_of_two_between(rows, self.least_linear_rows, self.most_rows)
    }

    /// The layout of an array of rank 1 whose tile has so many rows' elements.
    pub(super) fn linear(&self, rows: i64) -> Result<Layout, Error> {
        let mut tiles = vec![Tile::of(&[rows * COLUMNS])?];
        if self.elements_per_word > 1 {
            tiles.extend([Tile::of(&[COLUMNS])?, self.word()?]);
        }
        Ok(self.packed(Layout::descending(1).with_tiles(tiles)))
    }

    /// The layout of tiles of so many rows with these dimensions minor and second-minor, the others
    /// in the order that they have in `order`.
    pub(super) fn tiled(
        &self,
        [minor, second_minor]: [usize; 2],
        order: &[usize],
        rows: i64,
    ) -> Result<Layout, Error> {
        let others = order.iter().copied().filter(|&dim| dim != minor && dim != second_minor);
        let order: Vec<usize> = [minor, second_minor].into_iter().chain(others).collect();
        let mut tiles = vec![Tile::of(&[rows, COLUMNS])?];
        if self.elements_per_word > 1 {
            tiles.push(self.word()?);
        }
        Ok(self.packed(Layout::new(Permutation::new(order)?).with_tiles(tiles)))
    }

    /// The elements that share a word.
    fn word(&self) -> Result<Tile, Error> {
        Tile::of(&[self.elements_per_word, 1])
    }

    fn packed(&self, layout: Layout) -> Layout {
        layout.with_element_size_in_bits(self.packed_bits)
    }
}

/// `least`, twice that, and so on up to `most`.
fn doublings(least: i64, most: i64) -> impl Iterator<Item = i64> {
    std::iter::successors(Some(least), |rows| rows.checked_mul(2))
        .take_while(move |&rows| rows <= most)
}

/// The least power of two that is not below `n`, or the limit that it is beyond. The limits are
/// powers of two.
fn power_of_two_between(n: i64, least: i64, most: i64) -> i64 {
    doublings(least, most).find(|&power| power >= n).unwrap_or(most)
}
