//! The offsets of any elements, in any order, many at once.
//!
//! Dividing by a tile for every element is what makes this slow: a processor's division takes as
//! long as twenty additions. Where all that is divided by are powers of two, nothing is divided
//! ([`Shifts`]). Otherwise a dimension that a table fits in the caches for is looked up, so that
//! an element of a separable map costs one addition a dimension. Longer dimensions are divided by
//! multiplying: `x div d` is the high word of `x * ceil(2⁶⁴ / d)`, exactly, below 2³².

use super::divisor::Divisor;
use super::offsets::{table, zeros};
use super::shifts::Shifts;
use super::{Digit, IndexMap, Source};
use crate::arithmetic::check_index;
use crate::error::{Error, Kind};

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
    base: i64,
    way: Way,
}

/// How offsets are found.
#[derive(Clone, Debug)]
enum Way {
    /// By shifting and masking.
    Shifts(Shifts),
    /// By adding an entry for each of up to four dimensions. Half as wide as offsets, so that the
    /// tables of two dimensions of 4096 fit the nearest cache.
    Narrow(Vec<Vec<i32>>),
    /// In any other map.
    Sums(Sums),
}

/// What each source of a map adds to each of its sums.
#[derive(Clone, Debug)]
struct Sums {
    of_dims: Vec<Parts>,
    of_merged: Vec<Parts>,
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
    /// Prepares for the offsets of many elements. Unless all that is divided by are powers of two,
    /// each dimension that is not too long for one has a table.
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
        if let Some(shifts) = Shifts::of(self) {
            return Ok(self.looked_up_by(Way::Shifts(shifts)));
        }
        let longest = MAX_TABLE.min(elements);
        let parts = |source| self.parts_adding(source, longest);
        let of_dims: Vec<Parts> =
            (0..self.dims.len()).map(|dim| parts(Source::Dim(dim))).collect::<Result<_, _>>()?;
        let way = match narrow(&of_dims) {
            Some(tables) => Way::Narrow(tables),
            None => Way::Sums(Sums {
                of_dims,
                of_merged: (0..self.merged.len())
                    .map(|number| parts(Source::Merged(number)))
                    .collect::<Result<_, _>>()?,
                bases: self.merged.iter().map(|coordinate| coordinate.base).collect(),
            }),
        };
        Ok(self.looked_up_by(way))
    }

    fn looked_up_by(&self, way: Way) -> OffsetLookup {
        OffsetLookup { dims: self.dims.clone(), base: self.base, way }
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
            return Err(wrong_length(indices.len(), offsets.len(), rank));
        }
        let found = match &self.way {
            Way::Shifts(shifts) => shifts.look_up(self.base, indices, offsets),
            Way::Narrow(tables) => match tables.as_slice() {
                [a] => look_up([a], self.base, indices, offsets),
                [a, b] => look_up([a, b], self.base, indices, offsets),
                [a, b, c] => look_up([a, b, c], self.base, indices, offsets),
                [a, b, c, d] => look_up([a, b, c, d], self.base, indices, offsets),
                _ => None,
            },
            Way::Sums(sums) => {
                offsets.fill(self.base);
                sums.add_all(&self.dims, indices, offsets)
            }
        };
        found.ok_or_else(|| self.out_of_bounds(indices))
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

#[cold]
pub(super) fn wrong_length(found: usize, elements: usize, rank: usize) -> Error {
    let message = format!("{found} numbers are not {elements} indices of rank {rank}");
    Error::new(Kind::Invalid { message })
}

/// The tables of a map that takes no more than one for each dimension, all of small numbers.
fn narrow(of_dims: &[Parts]) -> Option<Vec<Vec<i32>>> {
    let narrow = |entries: &[i64]| entries.iter().map(|&entry| entry.try_into().ok()).collect();
    let table = |parts: &Parts| match &parts.offset {
        Part::Table(entries) if parts.merged.is_empty() => narrow(entries),
        _ => None,
    };
    if of_dims.is_empty() || of_dims.len() > 4 { None } else { of_dims.iter().map(table).collect() }
}

/// The sum of a table's entry for each dimension. `None` if an index is out of bounds.
fn look_up<const RANK: usize, I: Copy + Into<i64>>(
    tables: [&[i32]; RANK],
    base: i64,
    indices: &[I],
    offsets: &mut [i64],
) -> Option<()> {
    for (index, offset) in indices.as_chunks::<RANK>().0.iter().zip(offsets) {
        let mut sum = base;
        for (table, &value) in tables.iter().zip(index) {
            let entry = *table.get(usize::try_from(value.into()).ok()?)?;
            sum = sum.wrapping_add(entry.into());
        }
        *offset = sum;
    }
    Some(())
}

/// Numbers of a block: the values of a source, and what becomes of them.
struct Block {
    values: [i64; BLOCK],
    quotients: [u64; BLOCK],
    wraps: [u64; BLOCK],
    merged: Vec<[i64; BLOCK]>,
}

impl Sums {
    /// Adds what the elements' indices come to, block by block, and in each source by source.
    /// `None` if an index is out of bounds.
    fn add_all<I: Copy + Into<i64>>(
        &self,
        dims: &[i64],
        indices: &[I],
        offsets: &mut [i64],
    ) -> Option<()> {
        let mut block = Block {
            values: [0; BLOCK],
            quotients: [0; BLOCK],
            wraps: [0; BLOCK],
            merged: vec![[0; BLOCK]; self.bases.len()],
        };
        for (number, offsets) in offsets.chunks_mut(BLOCK).enumerate() {
            let indices = indices.get(number * BLOCK * dims.len()..).unwrap_or_default();
            self.add_block(dims, indices, offsets, &mut block)?;
        }
        Some(())
    }

    fn add_block<I: Copy + Into<i64>>(
        &self,
        dims: &[i64],
        indices: &[I],
        offsets: &mut [i64],
        block: &mut Block,
    ) -> Option<()> {
        for (sums, base) in block.merged.iter_mut().zip(&self.bases) {
            sums.fill(*base);
        }
        for (dim, (parts, extent)) in self.of_dims.iter().zip(dims).enumerate() {
            let indices = indices.chunks_exact(dims.len()).take(offsets.len());
            let mut are_inside = true;
            for (value, index) in block.values.iter_mut().zip(indices) {
                *value = index[dim].into();
                are_inside &= (0..*extent).contains(value);
            }
            if !are_inside {
                return None;
            }
            parts.add(offsets, block);
        }
        for (number, parts) in self.of_merged.iter().enumerate() {
            block.values = *block.merged.get(number)?;
            parts.add(offsets, block);
        }
        Some(())
    }
}

impl Parts {
    /// Adds what a source with the block's values adds to the offsets and to the merged
    /// coordinates.
    fn add(&self, offsets: &mut [i64], block: &mut Block) {
        let Block { values, quotients, wraps, merged } = block;
        let values = &values[..offsets.len()];
        self.offset.add(values, offsets, quotients, wraps);
        for (part, sums) in self.merged.iter().zip(merged) {
            part.add(values, sums, quotients, wraps);
        }
    }
}

impl Part {
    // Sums wrap: what they come to fits, says the map, though some of the way there may not.
    fn add(&self, values: &[i64], sums: &mut [i64], quotients: &mut [u64], wraps: &mut [u64]) {
        match self {
            Part::Table(table) => {
                for (sum, &value) in sums.iter_mut().zip(values) {
                    let entry = usize::try_from(value).ok().and_then(|value| table.get(value));
                    *sum = sum.wrapping_add(entry.copied().unwrap_or(0));
                }
            }
            Part::Digits(digits) => {
                for digit in digits {
                    digit.work_out(values, quotients, wraps);
                    for (sum, &quotient) in sums.iter_mut().zip(&*quotients).take(values.len()) {
                        *sum = sum.wrapping_add((quotient as i64).wrapping_mul(digit.stride));
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

    /// Leaves the digit's value, without the stride, for each value of its source in `quotients`.
    fn work_out(&self, values: &[i64], quotients: &mut [u64], wraps: &mut [u64]) {
        let (quotients, wraps) = (&mut quotients[..values.len()], &mut wraps[..values.len()]);
        for (quotient, value) in quotients.iter_mut().zip(values) {
            *quotient = value.unsigned_abs();
        }
        self.divisor.divide(quotients);
        if let Some((divisor, modulus)) = self.modulus {
            wraps.copy_from_slice(quotients);
            divisor.divide(wraps);
            for (quotient, wraps) in quotients.iter_mut().zip(wraps) {
                *quotient -= *wraps * modulus;
            }
        }
    }
}
