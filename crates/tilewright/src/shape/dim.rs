//! One dimension of an array: its size, its number, its letter.

use std::fmt;

use crate::error::{Error, Kind};

/// The size of one dimension, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    /// Always this many, 0 or more.
    Static(i64),
    /// Up to this many, decided when the program runs: `<=N`.
    Bounded(i64),
    /// Any number, decided when the program runs: `?`.
    Unbounded,
}

impl Dim {
    /// The most elements there can be, or `None` when unbounded.
    pub fn bound(self) -> Option<i64> {
        match self {
            Dim::Static(size) | Dim::Bounded(size) => Some(size),
            Dim::Unbounded => None,
        }
    }

    /// Whether the size is decided when the program runs.
    pub fn is_dynamic(self) -> bool {
        !matches!(self, Dim::Static(_))
    }
}

impl From<i64> for Dim {
    fn from(size: i64) -> Self {
        Dim::Static(size)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Static(size) => write!(f, "{size}"),
            Dim::Bounded(size) => write!(f, "<={size}"),
            Dim::Unbounded => f.write_str("?"),
        }
    }
}

/// The dimension that `number` names in an array of `rank` dimensions; negative numbers count
/// from the end.
///
/// ```
/// use tilewright::shape::resolve_dimension;
/// assert_eq!(resolve_dimension(-1, 3)?, 2);
/// assert!(resolve_dimension(3, 3).is_err());
/// # Ok::<(), tilewright::Error>(())
/// ```
///
/// # Errors
/// If there is no such dimension.
pub fn resolve_dimension(number: i64, rank: usize) -> Result<usize, Error> {
    let from_start = if number < 0 {
        rank.checked_sub(usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX))
    } else {
        usize::try_from(number).ok()
    };
    from_start
        .filter(|&dimension| dimension < rank)
        .ok_or_else(|| Error::new(Kind::DimensionOutOfRange { dimension: number, rank }))
}

/// The conventional letters of an array's dimensions, dimension 0 first, for ranks 2, 3 and 4.
///
/// ```
/// use tilewright::shape::dimension_letters;
/// assert_eq!(dimension_letters(3), Some(&['z', 'y', 'x'][..]));
/// assert_eq!(dimension_letters(5), None);
/// ```
pub fn dimension_letters(rank: usize) -> Option<&'static [char]> {
    const LETTERS: &[char] = &['p', 'z', 'y', 'x'];
    (2..=4).contains(&rank).then(|| &LETTERS[4 - rank..])
}
