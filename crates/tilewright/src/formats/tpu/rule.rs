//! Tiles and element size of a type, and how they are put together.

use super::chip::Chip;
use crate::error::{Error, invalid};
use crate::xla::{Layout, Tile};
use crate::{ElementType, Permutation};

/// The columns of every tile: the words in a row of a register.
pub(super) const COLUMNS: i64 = 128;

/// The rows of a register.
const REGISTER_ROWS: i64 = 8;

/// The bytes before an array with dynamic sizes, in which the device keeps them.
pub(super) const DYNAMIC_SIZES_BYTES: i64 = 1024;

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

    pub(super) fn scalar(&self) -> Result<Layout, Error> {
        let tile = Tile::of(&[self.least_linear_rows * COLUMNS])?;
        Ok(self.packed(Layout::descending(0).with_tiles([tile])))
    }

    /// The rows of the default tile of an array of rank 1.
    pub(super) fn linear_rows(&self, size: i64) -> i64 {
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

    pub(super) fn packed(&self, layout: Layout) -> Layout {
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
