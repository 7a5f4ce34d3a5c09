//! One level of tiling.

use std::fmt;

use crate::error::{Error, checked, invalid};

/// One entry of a [`Tile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileDim {
    /// Cut the dimension into pieces of this many elements.
    Size(i64),
    /// `*`: merge the dimension into the next more minor one before anything is cut.
    Combine,
}

impl TileDim {
    /// XLA's `Tile::kCombineDimension`, which stands for `*` where a plain number must.
    pub const COMBINE_SENTINEL: i64 = i64::MIN;
}

impl fmt::Display for TileDim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TileDim::Size(size) => write!(f, "{size}"),
            TileDim::Combine => f.write_str("*"),
        }
    }
}

/// One level of tiling: how the most minor dimensions are cut, most major first.
///
/// A tile has at least one entry, sizes are 1 or more, and the last entry is not
/// [`Combine`](TileDim::Combine), since nothing more minor is left to merge into.
///
/// ```
/// use tilewright::xla::{Tile, TileDim};
/// let tile = Tile::of(&[8, 128])?;
/// assert_eq!((tile.to_string().as_str(), tile.elements()?), ("(8,128)", 1024));
/// assert!(Tile::of(&[0, 2]).is_err());
/// assert!(Tile::new([TileDim::Size(2), TileDim::Combine]).is_err());
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Tile(Vec<TileDim>);

impl Tile {
    /// The tile with these entries.
    ///
    /// # Errors
    /// If there is none, a size is below 1, or the last is `*`.
    pub fn new(dims: impl Into<Vec<TileDim>>) -> Result<Self, Error> {
        let dims = dims.into();
        if let Some(size) = dims.iter().find_map(|dim| match dim {
            TileDim::Size(size) if *size < 1 => Some(*size),
            _ => None,
        }) {
            return invalid(format!("tile dimension {size} must be 1 or more, or `*`"));
        }
        match dims.last() {
            None => invalid("a tile needs at least one dimension".to_owned()),
            Some(TileDim::Combine) => invalid(
                "the last `*` of a tile has no more minor dimension to merge into".to_owned(),
            ),
            Some(TileDim::Size(_)) => Ok(Tile(dims)),
        }
    }

    /// The tile with these sizes and no `*`.
    ///
    /// # Errors
    /// If there is none, or one is below 1.
    pub fn of(sizes: &[i64]) -> Result<Self, Error> {
        Self::new(sizes.iter().map(|&size| TileDim::Size(size)).collect::<Vec<_>>())
    }

    /// The entries, most major first.
    pub fn dims(&self) -> &[TileDim] {
        &self.0
    }

    /// The number of elements in one tile; `*` counts as 1.
    ///
    /// # Errors
    /// If the product does not fit 64 bits.
    pub fn elements(&self) -> Result<i64, Error> {
        let sizes = self.0.iter().filter_map(|dim| match dim {
            TileDim::Size(size) => Some(*size),
            TileDim::Combine => None,
        });
        checked(sizes.into_iter().try_fold(1i64, i64::checked_mul), "the tile's element count")
    }

    /// Whether an entry merges dimensions.
    pub fn combines(&self) -> bool {
        self.0.contains(&TileDim::Combine)
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, dim) in self.0.iter().enumerate() {
            f.write_str(if position == 0 { "(" } else { "," })?;
            dim.fmt(f)?;
        }
        f.write_str(")")
    }
}

impl fmt::Debug for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tile{self}")
    }
}
