//! Digits: the terms of a map, and what they are taken of.

use crate::error::{Error, checked};

/// What a digit is taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The index along this logical dimension.
    Dim(usize),
    /// The merged coordinate of this number, see [`IndexMap::merged`](super::IndexMap::merged).
    Merged(usize),
}

/// One term of an index map: `((source div divisor) mod modulus) * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digit {
    /// What is divided.
    pub source: Source,
    /// 1 or more.
    pub divisor: i64,
    /// The number of values before it wraps, or `None` where it never does.
    pub modulus: Option<i64>,
    /// How far apart in elements the places of consecutive values are.
    pub stride: i64,
}

impl Digit {
    /// The digit's value, without the stride, for a value of its source.
    pub fn value(&self, source: i64) -> i64 {
        let quotient = source / self.divisor;
        self.modulus.map_or(quotient, |modulus| quotient % modulus)
    }

    /// The dimension that it is taken of, if it is one.
    pub(crate) fn dim(&self) -> Option<usize> {
        match self.source {
            Source::Dim(dim) => Some(dim),
            Source::Merged(_) => None,
        }
    }

    /// Where along its source the digit begins to count, and where it wraps.
    pub(super) fn ends(&self) -> impl Iterator<Item = i64> + use<> {
        [self.divisor].into_iter().chain(self.end())
    }

    /// Where along its source the digit wraps, if it does.
    pub(super) fn end(&self) -> Option<i64> {
        self.modulus.and_then(|modulus| modulus.checked_mul(self.divisor))
    }

    /// Whether the digit is what this source is from `place` on: it begins there, or at a part of it
    /// that `place` is whole steps of, and goes beyond.
    pub(super) fn covers(&self, source: Source, place: i64) -> bool {
        self.source == source
            && place % self.divisor == 0
            && self.end().is_none_or(|end| end > place && end % place == 0)
    }

    /// How many values the digit takes when its source runs over `0..source_extent`.
    pub fn extent(&self, source_extent: i64) -> i64 {
        let quotients = source_extent / self.divisor + i64::from(source_extent % self.divisor != 0);
        self.modulus.map_or(quotients, |modulus| modulus.min(quotients))
    }
}

/// A coordinate made of several dimensions, which a tile cuts where no dimension ends.
///
/// Its value is its base and the sum of its digits, never below 0. Digits refer to dimensions and
/// to merged coordinates of lower number only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Merged {
    pub(super) digits: Vec<Digit>,
    pub(super) base: i64,
    pub(super) extent: i64,
}

impl Merged {
    /// The terms of the sum, largest stride first.
    pub fn digits(&self) -> &[Digit] {
        &self.digits
    }

    /// The value where all digits are 0: the offset of a composed layout.
    pub fn base(&self) -> i64 {
        self.base
    }

    /// One more than the largest value.
    pub fn extent(&self) -> i64 {
        self.extent
    }
}

/// How many values a source takes.
pub(super) fn source_extent(dims: &[i64], merged: &[Merged], source: Source) -> i64 {
    match source {
        Source::Dim(dim) => dims[dim],
        Source::Merged(number) => merged[number].extent,
    }
}

/// The digit without its modulus where the quotient never reaches it.
pub(super) fn without_idle_modulus(dims: &[i64], merged: &[Merged], digit: Digit) -> Digit {
    let free = Digit { modulus: None, ..digit };
    let reached = free.extent(source_extent(dims, merged, digit.source));
    if digit.modulus.is_some_and(|modulus| reached <= modulus) { free } else { digit }
}

/// The digits with each stride `factor` times as long.
pub(super) fn scaled(digits: &[Digit], factor: i64) -> Result<Vec<Digit>, Error> {
    let longer = |digit: &Digit| {
        let stride = checked(digit.stride.checked_mul(factor), "a stride")?;
        Ok(Digit { stride, ..*digit })
    };
    digits.iter().map(longer).collect()
}
