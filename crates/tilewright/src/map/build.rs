//! Building a map by the two moves, merge and split.

use super::canonical::without_idle_modulus;
use super::{Digit, IndexMap, Merged, Source, source_extent};
use crate::algebra::gcd;
use crate::error::{Error, checked};
use crate::shape::checked_product;

/// A coordinate under construction: a value below its bound, as a sum of digits.
///
/// The digits are sorted by stride, and each stride exceeds what all smaller digits add up to.
#[derive(Clone, Debug)]
pub(crate) struct Coordinate {
    digits: Vec<Digit>,
    bound: i64,
}

impl Coordinate {
    /// One more than the largest value, padding included.
    pub(super) fn bound(&self) -> i64 {
        self.bound
    }

    /// The sum of these digits, sorted by stride, below `bound`.
    pub(super) fn of_digits(digits: Vec<Digit>, bound: i64) -> Self {
        Coordinate { digits, bound }
    }

    /// The digits, each stride `factor` times as long.
    pub(super) fn scaled(&self, factor: i64) -> Result<Vec<Digit>, Error> {
        scaled(&self.digits, factor)
    }

    /// The coordinate that is always 0, below `bound`.
    pub(super) fn zero(bound: i64) -> Self {
        Coordinate { digits: Vec::new(), bound }
    }
}

/// Builds an [`IndexMap`] from the array's dimensions by merging and splitting coordinates.
///
/// Each coordinate is to be used once: then every index has a place of its own, which is what
/// taking an offset apart relies on.
#[derive(Clone, Debug)]
pub(crate) struct MapBuilder {
    dims: Vec<i64>,
    merged: Vec<Merged>,
    elements: i64,
}

impl MapBuilder {
    /// Starts from an array of these dimensions, each 0 or more.
    ///
    /// # Errors
    /// If a dimension is negative or their product does not fit 64 bits.
    pub(super) fn new(dims: &[i64]) -> Result<Self, Error> {
        if let Some(&size) = dims.iter().find(|size| **size < 0) {
            return crate::xla::invalid(format!("a dimension cannot have {size} elements"));
        }
        let elements = checked_product(dims.iter().copied())?;
        Ok(MapBuilder { dims: dims.to_vec(), merged: Vec::new(), elements })
    }

    /// The index along a dimension. A dimension that does not exist is always 0, of size 1.
    pub(super) fn input(&self, dim: usize) -> Coordinate {
        let bound = self.dims.get(dim).copied().unwrap_or(1);
        let digit = Digit { source: Source::Dim(dim), divisor: 1, modulus: None, stride: 1 };
        Coordinate { digits: self.kept([digit], bound > 1), bound }
    }

    /// The same values below a larger bound: padding at the end.
    pub(super) fn pad(&self, coordinate: Coordinate, bound: i64) -> Coordinate {
        Coordinate { bound: bound.max(coordinate.bound), ..coordinate }
    }

    /// `major * minor.bound() + minor`: the two coordinates read as one number.
    ///
    /// # Errors
    /// If the bound does not fit 64 bits.
    pub(super) fn merge(
        &self,
        major: &Coordinate,
        minor: &Coordinate,
    ) -> Result<Coordinate, Error> {
        let bound = checked(major.bound.checked_mul(minor.bound), "the merged dimension")?;
        let scaled = scaled(&major.digits, minor.bound)?;
        let digits = scaled.into_iter().chain(minor.digits.iter().copied());
        Ok(Coordinate { digits: digits.collect(), bound })
    }

    /// `coordinate div tile` and `coordinate mod tile`. The outer bound is rounded up, the inner
    /// one is `tile`.
    ///
    /// # Errors
    /// If `tile` is below 1, or a number does not fit 64 bits.
    pub(super) fn split(
        &mut self,
        coordinate: &Coordinate,
        tile: i64,
    ) -> Result<(Coordinate, Coordinate), Error> {
        if tile < 1 {
            return crate::xla::invalid(format!("tile dimension {tile} must be 1 or more"));
        }
        let bound = coordinate.bound;
        let (outer, inner) = self.split_digits(&coordinate.digits, tile)?;
        let outer_bound = bound / tile + i64::from(bound % tile != 0);
        let outer = Coordinate { digits: outer, bound: outer_bound };
        Ok((outer, Coordinate { digits: inner, bound: tile }))
    }

    /// The map that lays these coordinates out row-major, the first most major, in an allocation
    /// rounded up to a multiple of `tail_alignment` elements.
    ///
    /// # Errors
    /// If a number does not fit 64 bits.
    pub(super) fn finish(
        self,
        coordinates: &[Coordinate],
        tail_alignment: i64,
    ) -> Result<IndexMap, Error> {
        let mut digits = Vec::new();
        let mut stride = 1i64;
        for coordinate in coordinates.iter().rev() {
            let outer = stride.checked_mul(coordinate.bound);
            digits.extend(scaled(&coordinate.digits, stride)?);
            stride = checked(outer, "the allocation")?;
        }
        let aligned = stride.checked_next_multiple_of_positive(tail_alignment.max(1));
        let map = IndexMap {
            dims: self.dims,
            merged: self.merged,
            digits,
            base: 0,
            physical_dims: coordinates.iter().map(|c| c.bound).collect(),
            elements: self.elements,
            padded_elements: stride,
            lowest_offset: 0,
            is_ordered: true,
            allocation: checked(aligned, "the allocation")?,
        };
        Ok(map.canonical())
    }

    /// The map that these digits are, over the memory of another map.
    pub(super) fn with_digits(self, memory: &IndexMap, digits: Vec<Digit>) -> IndexMap {
        let map = IndexMap {
            dims: self.dims,
            merged: self.merged,
            digits,
            elements: self.elements,
            ..memory.clone()
        };
        map.canonical()
    }

    /// The digits, or none where there is nothing to index or the coordinate is always 0.
    fn kept<const N: usize>(&self, digits: [Digit; N], varies: bool) -> Vec<Digit> {
        if self.elements == 0 || !varies { Vec::new() } else { digits.to_vec() }
    }

    fn extent(&self, digit: &Digit) -> i64 {
        digit.extent(source_extent(&self.dims, &self.merged, digit.source))
    }

    /// The largest value that the digits add up to.
    fn reach(&self, digits: &[Digit]) -> Result<i64, Error> {
        let reach = digits.iter().try_fold(0i64, |sum, digit| {
            sum.checked_add((self.extent(digit) - 1).checked_mul(digit.stride)?)
        });
        checked(reach, "the extent of a coordinate")
    }

    /// Splits a sum of digits by `tile`. Digits whose stride is a multiple of the tile go outside,
    /// a tail that stays below what all the rest are multiples of goes inside, and what is left
    /// in the middle is one digit to cut, or a merged coordinate.
    fn split_digits(
        &mut self,
        digits: &[Digit],
        tile: i64,
    ) -> Result<(Vec<Digit>, Vec<Digit>), Error> {
        let n_outside = digits.iter().take_while(|digit| digit.stride % tile == 0).count();
        let mut outer = digits[..n_outside].to_vec();
        outer.iter_mut().for_each(|digit| digit.stride /= tile);
        let rest = &digits[n_outside..];
        if self.reach(rest)? < tile {
            return Ok((outer, rest.to_vec()));
        }
        let (n_middle, unit) = self.middle(rest, tile)?;
        let (middle, inside) = rest.split_at(n_middle);
        let (high, low) = self.cut(middle, unit, tile / unit)?;
        outer.extend(high);
        let mut inner = scaled(&low, unit)?;
        inner.extend_from_slice(inside);
        Ok((outer, inner))
    }

    /// How many of the leading digits have to be cut together, and the unit they and the tile
    /// are multiples of, such that the digits after them stay below the unit.
    fn middle(&self, digits: &[Digit], tile: i64) -> Result<(usize, i64), Error> {
        let mut unit = tile;
        for (position, digit) in digits.iter().enumerate() {
            unit = gcd(unit, digit.stride);
            if self.reach(&digits[position + 1..])? < unit {
                return Ok((position + 1, unit));
            }
        }
        Ok((digits.len(), unit))
    }

    /// Cuts digits whose strides are multiples of `unit` by `tile`, both in terms of the unit.
    fn cut(
        &mut self,
        digits: &[Digit],
        unit: i64,
        tile: i64,
    ) -> Result<(Vec<Digit>, Vec<Digit>), Error> {
        let digits: Vec<Digit> =
            digits.iter().map(|d| Digit { stride: d.stride / unit, ..*d }).collect();
        let whole = match digits[..] {
            [digit] if digit.stride == 1 && self.cuts_exactly(&digit, tile) => digit,
            _ => self.merged_coordinate(digits)?,
        };
        let whole = without_idle_modulus(&self.dims, &self.merged, whole);
        let divisor = checked(whole.divisor.checked_mul(tile), "a divisor")?;
        let modulus = whole.modulus.map(|modulus| modulus / tile);
        let high = Digit { divisor, modulus, ..whole };
        let low = Digit { modulus: Some(tile), ..whole };
        Ok((vec![high], vec![low]))
    }

    /// Whether a digit can be cut by `tile` and leave two digits of the same source: where the
    /// tile divides its range, or nothing more significant is left of the source.
    fn cuts_exactly(&self, digit: &Digit, tile: i64) -> bool {
        let digit = without_idle_modulus(&self.dims, &self.merged, *digit);
        digit.modulus.is_none_or(|modulus| modulus % tile == 0)
    }

    /// A new merged coordinate of these digits, as the digit that is all of it.
    fn merged_coordinate(&mut self, digits: Vec<Digit>) -> Result<Digit, Error> {
        let extent = checked(self.reach(&digits)?.checked_add(1), "the extent of a coordinate")?;
        self.merged.push(Merged { digits, extent });
        let source = Source::Merged(self.merged.len() - 1);
        Ok(Digit { source, divisor: 1, modulus: None, stride: 1 })
    }
}

/// The digits with each stride `factor` times as long.
pub(super) fn scaled(digits: &[Digit], factor: i64) -> Result<Vec<Digit>, Error> {
    let longer = |digit: &Digit| {
        let stride = checked(digit.stride.checked_mul(factor), "a stride")?;
        Ok(Digit { stride, ..*digit })
    };
    digits.iter().map(longer).collect()
}

/// Rounding up for signed counts, which the standard library has for unsigned ones only.
trait NextMultiple: Sized {
    fn checked_next_multiple_of_positive(self, multiple: Self) -> Option<Self>;
}

impl NextMultiple for i64 {
    fn checked_next_multiple_of_positive(self, multiple: i64) -> Option<i64> {
        let excess = self % multiple;
        if excess == 0 { Some(self) } else { self.checked_add(multiple - excess) }
    }
}
