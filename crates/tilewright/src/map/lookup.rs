//! The offsets of any elements, in any order, many at once.
//!
//! Dividing by a tile for every element is what makes this slow: a processor's division takes as
//! long as twenty additions. A dimension that a table fits in the caches for is looked up, so that
//! an element of a separable map costs one addition a dimension. Longer dimensions are divided by
//! multiplying: `x div d` is the high word of `x * ceil(2⁶⁴ / d)`, exactly, below 2³².

use super::offsets::{table, zeros};
use super::{Digit, IndexMap, Source};
use crate::error::{Error, Kind};
use crate::shape::check_index;

/// No table has more entries: 1 MiB, which a core's own caches hold.
const MAX_TABLE: i64 = 1 << 17;

/// How many elements go through the digits together: few enough for the nearest cache.
const BLOCK: usize = 512;

/// A map prepared for the offsets of many elements.
///
/// It is worth keeping where lists of indices come one after the other; for one list there is
/// [`IndexMap::offsets_at`].
///
/// ```
/// use tilewright::Shape;
/// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
/// let lookup = map.lookup()?;
/// let mut offsets = [0; 3];
/// lookup.offsets_at(&[2, 3, 0, 0, 1, 4], &mut offsets)?;
/// assert_eq!(offsets, [17, 0, 10]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OffsetLookup {
    dims: Vec<i64>,
    /// What each dimension adds.
    of_dims: Vec<Parts>,
    /// What each merged coordinate adds.
    of_merged: Vec<Parts>,
    base: i64,
    /// Where each merged coordinate begins.
    bases: Vec<i64>,
}

/// What a source adds to the offset, and to each merged coordinate.
#[derive(Clone, Debug)]
struct Parts {
    offset: Part,
    merged: Vec<Part>,
}

/// What a source adds to a sum.
#[derive(Clone, Debug)]
enum Part {
    /// For each of its values.
    Table(Vec<i64>),
    /// Worked out; without digits, nothing.
    Digits(Vec<QuickDigit>),
}

impl IndexMap {
    /// Prepares for the offsets of many elements, with a table for each dimension that is not too
    /// long for one.
    ///
    /// # Errors
    /// If there is no memory for the tables, a megabyte each at most.
    pub fn lookup(&self) -> Result<OffsetLookup, Error> {
        self.lookup_for(i64::MAX)
    }

    /// The element offsets of some elements. `indices` has the index of each, one after the other,
    /// as many numbers as `offsets` times the rank.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
    /// let mut offsets = [0; 2];
    /// map.offsets_at(&[2, 3, 1, 4], &mut offsets)?; // (2,3) and (1,4)
    /// assert_eq!(offsets, [17, 10]);
    /// let outside = map.offsets_at(&[2, 3, 1, 5], &mut offsets).unwrap_err();
    /// let expected = "entry 1: index 5 is out of bounds for dimension 1, which has 5 elements";
    /// assert_eq!(outside.to_string(), expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `indices` is not as long as that, or an index is out of bounds (the error names the first
    /// one; what `offsets` then holds is not said). If there is no memory for tables.
    pub fn offsets_at<I: Copy + Into<i64>>(
        &self,
        indices: &[I],
        offsets: &mut [i64],
    ) -> Result<(), Error> {
        let elements = i64::try_from(offsets.len()).unwrap_or(i64::MAX);
        self.lookup_for(elements)?.offsets_at(indices, offsets)
    }

    /// Prepares for this many elements: a table longer than that costs more than it saves.
    fn lookup_for(&self, elements: i64) -> Result<OffsetLookup, Error> {
        let longest = MAX_TABLE.min(elements);
        let parts = |source| self.parts_adding(source, longest);
        Ok(OffsetLookup {
            dims: self.dims.clone(),
            of_dims: (0..self.dims.len())
                .map(|d| parts(Source::Dim(d)))
                .collect::<Result<_, _>>()?,
            of_merged: (0..self.merged.len())
                .map(|number| parts(Source::Merged(number)))
                .collect::<Result<_, _>>()?,
            base: self.base,
            bases: self.merged.iter().map(|coordinate| coordinate.base).collect(),
        })
    }

    fn parts_adding(&self, source: Source, longest: i64) -> Result<Parts, Error> {
        let extent = self.source_extent(source);
        let of = |digits: &[Digit]| part(digits, source, extent, longest);
        let merged = self.merged.iter().map(|coordinate| of(&coordinate.digits));
        Ok(Parts { offset: of(&self.digits)?, merged: merged.collect::<Result<_, _>>()? })
    }
}

fn part(digits: &[Digit], source: Source, extent: i64, longest: i64) -> Result<Part, Error> {
    let table_len = usize::try_from(extent).ok().filter(|_| extent <= longest);
    let Some(table_len) = table_len else {
        let of_source = digits.iter().filter(|digit| digit.source == source);
        return Ok(Part::Digits(of_source.map(|digit| QuickDigit::new(digit, extent)).collect()));
    };
    let entries = table(digits, source, table_len)?;
    // A table of zeros is still what checks bounds.
    let is_nothing = entries.is_empty();
    Ok(Part::Table(if is_nothing { zeros(table_len, "a table of offsets")? } else { entries }))
}

impl OffsetLookup {
    /// As [`IndexMap::offsets_at`].
    ///
    /// # Errors
    /// If `indices` has not as many numbers as `offsets` times the rank, or an index is out of
    /// bounds.
    pub fn offsets_at<I: Copy + Into<i64>>(
        &self,
        indices: &[I],
        offsets: &mut [i64],
    ) -> Result<(), Error> {
        let rank = self.dims.len();
        if offsets.len().checked_mul(rank) != Some(indices.len()) {
            return Err(self.wrong_length(indices.len(), offsets.len()));
        }
        let found = match self.tables().as_deref() {
            Some([a]) => look_up([a], self.base, indices, offsets),
            Some([a, b]) => look_up([a, b], self.base, indices, offsets),
            Some([a, b, c]) => look_up([a, b, c], self.base, indices, offsets),
            Some([a, b, c, d]) => look_up([a, b, c, d], self.base, indices, offsets),
            _ => self.work_out(indices, offsets),
        };
        found.ok_or_else(|| self.out_of_bounds(indices))
    }

    /// The tables of the dimensions, if that is all that it takes.
    fn tables(&self) -> Option<Vec<&[i64]>> {
        self.of_dims.iter().map(Parts::only_table).collect()
    }

    /// Block by block, and in each dimension by dimension. `None` if an index is out of bounds.
    fn work_out<I: Copy + Into<i64>>(&self, indices: &[I], offsets: &mut [i64]) -> Option<()> {
        let rank = self.dims.len();
        let mut values = Vec::with_capacity(BLOCK);
        let mut merged = vec![Vec::with_capacity(BLOCK); self.bases.len()];
        for (number, offsets) in offsets.chunks_mut(BLOCK).enumerate() {
            offsets.fill(self.base);
            for (sums, base) in merged.iter_mut().zip(&self.bases) {
                sums.clear();
                sums.resize(offsets.len(), *base);
            }
            let indices = indices.get(number * BLOCK * rank..).unwrap_or_default();
            for (dim, (parts, extent)) in self.of_dims.iter().zip(&self.dims).enumerate() {
                let column = indices.iter().skip(dim).step_by(rank).take(offsets.len());
                values.clear();
                values.extend(column.map(|&index| -> i64 { index.into() }));
                if values.iter().any(|value| !(0..*extent).contains(value)) {
                    return None;
                }
                parts.add(&values, offsets, &mut merged);
            }
            for (number, parts) in self.of_merged.iter().enumerate() {
                values.clear();
                values.extend_from_slice(merged.get(number)?);
                parts.add(&values, offsets, &mut merged);
            }
        }
        Some(())
    }

    #[cold]
    fn wrong_length(&self, found: usize, elements: usize) -> Error {
        let rank = self.dims.len();
        let message = format!("{found} numbers are not {elements} indices of rank {rank}");
        Error::new(Kind::Invalid { message })
    }

    /// The error for the first index that is out of bounds.
    #[cold]
    fn out_of_bounds<I: Copy + Into<i64>>(&self, indices: &[I]) -> Error {
        let error =
            indices.chunks(self.dims.len().max(1)).enumerate().find_map(|(entry, index)| {
                let index: Vec<i64> = index.iter().map(|&index| index.into()).collect();
                Some((entry, check_index(&index, &self.dims).err()?))
            });
        let (entry, error) =
            error.unwrap_or_else(|| (0, Error::new(Kind::Overflow { what: "an index" })));
        Error::new(Kind::Entry { entry, error })
    }
}

/// The sum of a table's entry for each dimension. `None` if an index is out of bounds.
fn look_up<const RANK: usize, I: Copy + Into<i64>>(
    tables: [&[i64]; RANK],
    base: i64,
    indices: &[I],
    offsets: &mut [i64],
) -> Option<()> {
    for (index, offset) in indices.as_chunks::<RANK>().0.iter().zip(offsets) {
        let mut sum = base;
        for (table, &value) in tables.iter().zip(index) {
            sum = sum.wrapping_add(*table.get(usize::try_from(value.into()).ok()?)?);
        }
        *offset = sum;
    }
    Some(())
}

impl Parts {
    fn only_table(&self) -> Option<&[i64]> {
        match &self.offset {
            Part::Table(table) if self.merged.is_empty() => Some(table),
            _ => None,
        }
    }

    /// Adds what a source with these values adds to the offsets and to the merged coordinates.
    fn add(&self, values: &[i64], offsets: &mut [i64], merged: &mut [Vec<i64>]) {
        self.offset.add(values, offsets);
        for (part, sums) in self.merged.iter().zip(merged) {
            part.add(values, sums);
        }
    }
}

impl Part {
    // Sums wrap: what they come to fits, says the map, though some of the way there may not.
    fn add(&self, values: &[i64], sums: &mut [i64]) {
        match self {
            Part::Table(table) => {
                for (sum, &value) in sums.iter_mut().zip(values) {
                    let entry = usize::try_from(value).ok().and_then(|value| table.get(value));
                    *sum = sum.wrapping_add(entry.copied().unwrap_or(0));
                }
            }
            Part::Digits(digits) => {
                for digit in digits {
                    for (sum, &value) in sums.iter_mut().zip(values) {
                        *sum = sum.wrapping_add(digit.term(value));
                    }
                }
            }
        }
    }
}

/// A digit that is worked out without the processor's division, nearly always.
#[derive(Clone, Copy, Debug)]
struct QuickDigit {
    divisor: Divisor,
    /// The modulus, as what is divided by it and as what the quotient is multiplied with.
    modulus: Option<(Divisor, u64)>,
    stride: i64,
}

impl QuickDigit {
    fn new(digit: &Digit, source_extent: i64) -> Self {
        let divisor = |d: i64| Divisor::new(d.unsigned_abs(), source_extent.unsigned_abs());
        QuickDigit {
            divisor: divisor(digit.divisor),
            modulus: digit.modulus.map(|modulus| (divisor(modulus), modulus.unsigned_abs())),
            stride: digit.stride,
        }
    }

    /// The digit's value times its stride, for a value of its source.
    fn term(&self, value: i64) -> i64 {
        let quotient = self.divisor.divide(value.unsigned_abs());
        let value = match self.modulus {
            Some((by, modulus)) => quotient - by.divide(quotient) * modulus,
            None => quotient,
        };
        (value as i64).wrapping_mul(self.stride)
    }
}

/// How to divide by a number.
#[derive(Clone, Copy, Debug)]
enum Divisor {
    One,
    /// By multiplying with its reciprocal: 2⁶⁴ times that, rounded up.
    Reciprocal(u64),
    /// By dividing.
    Number(u64),
}

impl Divisor {
    /// How to divide numbers below `below` by `divisor`.
    ///
    /// With `c = (2⁶⁴ + e) / d` and `0 ≤ e < d`, `c * n` exceeds `2⁶⁴ * n / d` by `n * e / d`, which
    /// leaves the floor what it is as long as `n * e` is below 2⁶⁴. A power of two has no `e`.
    fn new(divisor: u64, below: u64) -> Self {
        let is_small = divisor <= 1 << 32 && below <= 1 << 32;
        match divisor {
            0 | 1 => Divisor::One,
            _ if divisor.is_power_of_two() || is_small => {
                Divisor::Reciprocal(((1u128 << 64).div_ceil(u128::from(divisor))) as u64)
            }
            _ => Divisor::Number(divisor),
        }
    }

    fn divide(self, number: u64) -> u64 {
        match self {
            Divisor::One => number,
            Divisor::Reciprocal(reciprocal) => {
                ((u128::from(number) * u128::from(reciprocal)) >> 64) as u64
            }
            Divisor::Number(divisor) => number / divisor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Around every multiple that is near a power of two, where rounding would go wrong first.
    #[test]
    fn reciprocals_divide_exactly() {
        let near = |power: u32| (0..5).map(move |off| (1u64 << power).saturating_sub(2) + off);
        let divisors = (1..40).chain((5..=32).step_by(3).flat_map(near)).filter(|d| *d <= 1 << 32);
        for divisor in divisors {
            let quick = Divisor::new(divisor, 1 << 32);
            assert!(!matches!(quick, Divisor::Number(_)), "{divisor}");
            let multiples = (0..32).step_by(5).map(|power| (1u64 << power) / divisor * divisor);
            let last = u64::from(u32::MAX) / divisor * divisor;
            for multiple in multiples.chain([last]) {
                for number in multiple.saturating_sub(1)..=(multiple + 1).min(u32::MAX.into()) {
                    assert_eq!(quick.divide(number), number / divisor, "{number} / {divisor}");
                }
            }
        }
    }

    #[test]
    fn large_numbers_are_divided() {
        for divisor in [3, 1 << 33, (1 << 40) + 1] {
            let quick = Divisor::new(divisor, u64::MAX >> 1);
            for number in [0, 1, divisor - 1, divisor, (1 << 62) + 7, u64::MAX >> 1] {
                assert_eq!(quick.divide(number), number / divisor, "{number} / {divisor}");
            }
        }
    }
}
