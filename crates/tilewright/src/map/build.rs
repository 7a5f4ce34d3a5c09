//! Building a map by the two moves, merge and split.

use super::canonical::simplified;
use super::digit::{scaled, source_extent, without_idle_modulus};
use super::{Digit, IndexMap, Merged, Source};
use crate::arithmetic::{checked_product, gcd};
use crate::error::{Error, checked, invalid};

/// A coordinate under construction: a value below its bound, as a sum of digits.
///
/// Mostly the digits are sorted by stride, and each stride exceeds what all smaller digits add up
/// to; splitting then finds single digits to cut.
#[derive(Clone, Debug)]
pub(crate) struct Coordinate {
    digits: Vec<Digit>,
    base: i64,
    bound: i64,
}

impl Coordinate {
    /// One more than the largest value, padding included.
    pub(super) fn bound(&self) -> i64 {
        self.bound
    }

    /// `base` and the sum of these digits: 0 or more, and below `bound`.
    pub(super) fn of_digits(digits: Vec<Digit>, base: i64, bound: i64) -> Self {
        Coordinate { digits, base, bound }
    }

    /// The coordinate that is always 0, below `bound`.
    pub(super) fn zero(bound: i64) -> Self {
        Coordinate { digits: Vec::new(), base: 0, bound }
    }

    /// Whether it is always 0.
    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty() && self.base == 0
    }
}

/// A base and digits that are being added up.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub(super) digits: Vec<Digit>,
    pub(super) base: i64,
}

impl Sum {
    /// Adds a coordinate, `factor` times.
    pub(super) fn add(&mut self, coordinate: &Coordinate, factor: i64) -> Result<(), Error> {
        self.digits.extend(scaled(&coordinate.digits, factor)?);
        let base = coordinate.base.checked_mul(factor).and_then(|b| self.base.checked_add(b));
        self.base = checked(base, "the offset of the first element")?;
        Ok(())
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
            return invalid(format!("a dimension cannot have {size} elements"));
        }
        let elements = checked_product(dims.iter().copied())?;
        Ok(MapBuilder { dims: dims.to_vec(), merged: Vec::new(), elements })
    }

    /// The index along a dimension. A dimension that does not exist is always 0, of size 1.
    pub(super) fn input(&self, dim: usize) -> Coordinate {
        let bound = self.dims.get(dim).copied().unwrap_or(1);
        let digit = Digit { source: Source::Dim(dim), divisor: 1, modulus: None, stride: 1 };
        Coordinate { digits: self.kept([digit], bound > 1), base: 0, bound }
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
        let mut sum = Sum::default();
        sum.add(major, minor.bound)?;
        sum.add(minor, 1)?;
        Ok(Coordinate { digits: sum.digits, base: sum.base, bound })
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
            return invalid(format!("tile dimension {tile} must be 1 or more"));
        }
        let bound = coordinate.bound;
        let (outer, inner) = match shares_source(&coordinate.digits) {
            false => self.split_sum(&coordinate.digits, coordinate.base, tile)?,
            // What is merged again may be one digit: `(i div 2)*2 + i mod 2` is cut as `i`.
            true => {
                let digits = simplified(&self.dims, &self.merged, coordinate.digits.clone());
                self.split_sum(&digits, coordinate.base, tile)?
            }
        };
        let outer_bound = bound / tile + i64::from(bound % tile != 0);
        let outer = Coordinate { digits: outer.digits, base: outer.base, bound: outer_bound };
        Ok((outer, Coordinate { digits: inner.digits, base: inner.base, bound: tile }))
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
        let mut sum = Sum::default();
        let mut stride = 1i64;
        for coordinate in coordinates.iter().rev() {
            let outer = stride.checked_mul(coordinate.bound);
            sum.add(coordinate, stride)?;
            stride = checked(outer, "the allocation")?;
        }
        let aligned = stride.checked_next_multiple_of_positive(tail_alignment.max(1));
        let map = IndexMap {
            dims: self.dims,
            merged: self.merged,
            digits: sum.digits,
            base: sum.base,
            physical_dims: coordinates.iter().map(|c| c.bound).collect(),
            elements: self.elements,
            padded_elements: stride,
            lowest_offset: 0,
            is_ordered: true,
            allocation: checked(aligned, "the allocation")?,
        };
        Ok(map.canonical())
    }

    /// The map that this sum is, over the memory of another map.
    pub(super) fn over_memory_of(self, memory: &IndexMap, sum: Sum) -> IndexMap {
        let map = IndexMap {
            dims: self.dims,
            merged: self.merged,
            digits: sum.digits,
            base: sum.base,
            elements: self.elements,
            ..memory.clone()
        };
        map.canonical()
    }

    /// The map that this sum is, over the offsets from `lowest` on.
    pub(super) fn over(self, lowest_offset: i64, allocation: i64, sum: Sum) -> IndexMap {
        let map = IndexMap {
            dims: self.dims,
            merged: self.merged,
            digits: if self.elements == 0 { Vec::new() } else { sum.digits },
            base: if self.elements == 0 { 0 } else { sum.base },
            physical_dims: vec![allocation],
            elements: self.elements,
            padded_elements: allocation,
            lowest_offset,
            allocation,
            is_ordered: true,
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
            sum.checked_add((self.extent(digit) - 1).checked_mul(digit.stride.max(0))?)
        });
        checked(reach, "the extent of a coordinate")
    }

    /// Splits a sum by `tile`. Digits whose stride is a multiple of the tile go outside, a tail
    /// that stays below what all the rest are multiples of goes inside, and what is left in the
    /// middle is one digit to cut, or a merged coordinate.
    fn split_sum(&mut self, digits: &[Digit], base: i64, tile: i64) -> Result<(Sum, Sum), Error> {
        if digits.iter().any(|digit| digit.stride < 0) {
            return self.split_whole(digits.to_vec(), base, tile);
        }
        let n_outside = digits.iter().take_while(|digit| digit.stride % tile == 0).count();
        let mut outer = Sum { digits: digits[..n_outside].to_vec(), base: base / tile };
        outer.digits.iter_mut().for_each(|digit| digit.stride /= tile);
        let (rest, base) = (&digits[n_outside..], base % tile);
        if self.stays_below(rest, base, tile)? {
            return Ok((outer, Sum { digits: rest.to_vec(), base }));
        }
        let (n_middle, unit) = self.middle(rest, base, tile)?;
        let (middle, inside) = rest.split_at(n_middle);
        let (high, low) = self.cut(middle, base / unit, unit, tile / unit)?;
        outer.digits.push(high);
        let mut inner = Sum { digits: scaled(&[low], unit)?, base: base % unit };
        inner.digits.extend_from_slice(inside);
        Ok((outer, inner))
    }

    /// Splits a sum as a merged coordinate of its own.
    fn split_whole(
        &mut self,
        digits: Vec<Digit>,
        base: i64,
        tile: i64,
    ) -> Result<(Sum, Sum), Error> {
        let whole = self.merged_coordinate(digits, base)?;
        let high = Sum { digits: vec![Digit { divisor: tile, ..whole }], base: 0 };
        Ok((high, Sum { digits: vec![Digit { modulus: Some(tile), ..whole }], base: 0 }))
    }

    /// Whether the base and the digits never add up to `limit`.
    fn stays_below(&self, digits: &[Digit], base: i64, limit: i64) -> Result<bool, Error> {
        Ok(self.reach(digits)?.checked_add(base).is_some_and(|most| most < limit))
    }

    /// How many of the leading digits have to be cut together, and the unit they and the tile
    /// are multiples of, such that what comes after them stays below the unit.
    fn middle(&self, digits: &[Digit], base: i64, tile: i64) -> Result<(usize, i64), Error> {
        let mut unit = tile;
        let mut reach = self.reach(digits)?; // of the digits after the one that is looked at
        for (position, digit) in digits.iter().enumerate() {
            unit = gcd(unit, digit.stride);
            reach -= self.reach(std::slice::from_ref(digit))?;
            if reach.checked_add(base % unit).is_some_and(|most| most < unit) {
                return Ok((position + 1, unit));
            }
        }
        Ok((digits.len(), unit))
    }

    /// Cuts a base and digits whose strides are multiples of `unit` by `tile`, the base and the
    /// tile in terms of the unit.
    fn cut(
        &mut self,
        digits: &[Digit],
        base: i64,
        unit: i64,
        tile: i64,
    ) -> Result<(Digit, Digit), Error> {
        let digits: Vec<Digit> =
            digits.iter().map(|d| Digit { stride: d.stride / unit, ..*d }).collect();
        let whole = match digits[..] {
            [digit] if base == 0 && digit.stride == 1 && self.cuts_exactly(&digit, tile) => digit,
            _ => self.merged_coordinate(digits, base)?,
        };
        let whole = without_idle_modulus(&self.dims, &self.merged, whole);
        let divisor = checked(whole.divisor.checked_mul(tile), "a divisor")?;
        let modulus = whole.modulus.map(|modulus| modulus / tile);
        Ok((Digit { divisor, modulus, ..whole }, Digit { modulus: Some(tile), ..whole }))
    }

    /// Whether a digit can be cut by `tile` and leave two digits of the same source: where the
    /// tile divides its range, or nothing more significant is left of the source.
    fn cuts_exactly(&self, digit: &Digit, tile: i64) -> bool {
        let digit = without_idle_modulus(&self.dims, &self.merged, *digit);
        digit.modulus.is_none_or(|modulus| modulus % tile == 0)
    }

    /// A new merged coordinate of a base and these digits, as the digit that is all of it.
    fn merged_coordinate(&mut self, digits: Vec<Digit>, base: i64) -> Result<Digit, Error> {
        let most = self.reach(&digits)?.checked_add(base).and_then(|most| most.checked_add(1));
        let extent = checked(most, "the extent of a coordinate")?;
        self.merged.push(Merged { digits, base, extent });
        let source = Source::Merged(self.merged.len() - 1);
        Ok(Digit { source, divisor: 1, modulus: None, stride: 1 })
    }
}

/// Whether two of these digits are of the same source.
fn shares_source(digits: &[Digit]) -> bool {
    if digits.len() < 2 {
        return false;
    }
    let mut sources: Vec<Source> = digits.iter().map(|digit| digit.source).collect();
    sources.sort_unstable();
    sources.windows(2).any(|pair| pair[0] == pair[1])
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
