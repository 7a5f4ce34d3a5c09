//! Many offsets at once: from tables, not by walking the digits for every element.
//!
//! A separable map is a sum of one table per dimension. The tables of the last dimensions are
//! added up front into one *row*, long enough that what is left to do per element is one
//! addition. A map with merged coordinates keeps a table for the values of each of those too.

use super::{Digit, IndexMap, Source};
use crate::error::{Error, Kind};

/// Rows shorter than this are joined with the next more major dimension.
const MIN_ROW: usize = 512;

/// Unless that makes a row longer than this.
const MAX_ROW: usize = 1 << 20;

/// The offsets of an array's elements in logical row-major order, a row at a time.
///
/// A row is the elements that share the indices of the leading dimensions. Rows can be filled in
/// any order and from several threads.
///
/// ```
/// use tilewright::Shape;
/// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
/// let rows = map.rows()?;
/// let mut row = vec![0; rows.row_len()];
/// rows.fill(0, &mut row);
/// assert_eq!(row[..5], [0, 1, 4, 5, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OffsetRows {
    leading: Vec<Tables>,
    row: Tables,
    row_len: usize,
    n_rows: usize,
    base: i64,
    /// What the values of each merged coordinate add to the later ones and to the offset.
    merged: Vec<Tables>,
    /// Where each merged coordinate begins.
    bases: Vec<i64>,
}

/// For each value of a source: what it adds to the offset, and to each merged coordinate.
#[derive(Clone, Debug)]
struct Tables {
    extent: usize,
    offset: Vec<i64>,
    merged: Vec<Vec<i64>>,
}

impl IndexMap {
    /// The offset of every element, in logical row-major order (the last dimension fastest).
    ///
    /// # Errors
    /// If there are more elements than memory can be asked for.
    pub fn offsets(&self) -> Result<Vec<i64>, Error> {
        let rows = self.rows()?;
        let n_elements = self.addressable(self.elements)?;
        let mut offsets = zeros(n_elements, "the list of offsets")?;
        if n_elements > 0 {
            for (number, row) in offsets.chunks_exact_mut(rows.row_len()).enumerate() {
                rows.fill(number, row);
            }
        }
        Ok(offsets)
    }

    /// The offsets of every element, to be filled in row by row.
    ///
    /// # Errors
    /// If a table would not fit memory.
    pub fn rows(&self) -> Result<OffsetRows, Error> {
        if self.elements == 0 {
            return Ok(OffsetRows::empty(self));
        }
        let mut leading = Vec::new();
        for dim in 0..self.dims.len() {
            leading.push(self.tables(Source::Dim(dim), self.dims[dim])?);
        }
        let mut row = Tables::unit(self.merged.len());
        while row.extent < MIN_ROW
            && let Some(next) = leading.pop_if(|next| next.extent <= MAX_ROW / row.extent.max(1))
        {
            row = Tables::outer_sum(&next, &row);
        }
        let mut merged = Vec::new();
        for (number, coordinate) in self.merged.iter().enumerate() {
            merged.push(self.tables(Source::Merged(number), coordinate.extent)?);
        }
        let n_rows = leading.iter().map(|tables| tables.extent).product();
        let bases = self.merged.iter().map(|coordinate| coordinate.base).collect();
        Ok(OffsetRows { row_len: row.extent, n_rows, base: self.base, leading, row, merged, bases })
    }

    fn tables(&self, source: Source, extent: i64) -> Result<Tables, Error> {
        let extent = self.addressable(extent)?;
        let of = |digits: &[Digit]| table(digits, source, extent);
        let merged = self.merged.iter().map(|coordinate| of(&coordinate.digits));
        Ok(Tables { extent, offset: of(&self.digits)?, merged: merged.collect::<Result<_, _>>()? })
    }

    fn addressable(&self, count: i64) -> Result<usize, Error> {
        let limit = isize::MAX as usize / size_of::<i64>();
        let count = usize::try_from(count).ok().filter(|&count| count <= limit);
        count.ok_or_else(|| Error::new(Kind::Memory { what: "the list of offsets" }))
    }
}

/// So many zeros, if there is memory for them.
pub(super) fn zeros(count: usize, what: &'static str) -> Result<Vec<i64>, Error> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(count).map_err(|_| Error::new(Kind::Memory { what }))?;
    zeros.resize(count, 0);
    Ok(zeros)
}

/// What each value of `source` adds to a sum of digits; empty where that is nothing.
pub(super) fn table(digits: &[Digit], source: Source, extent: usize) -> Result<Vec<i64>, Error> {
    let mut table: Vec<i64> = Vec::new();
    for digit in digits.iter().filter(|digit| digit.source == source) {
        if table.is_empty() {
            table = zeros(extent, "a table of offsets")?;
        }
        for (value, sum) in (0..).zip(&mut table) {
            *sum += digit.value(value) * digit.stride;
        }
    }
    Ok(table)
}

impl OffsetRows {
    /// The number of elements in a row.
    pub fn row_len(&self) -> usize {
        self.row_len
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Writes the offsets of row `number` to the front of `offsets`, as far as they fit. A row
    /// that does not exist writes nothing.
    pub fn fill(&self, number: usize, offsets: &mut [i64]) {
        if number >= self.n_rows {
            return;
        }
        let mut merged = self.bases.clone();
        let start = self.start_of(number, &mut merged);
        if self.merged.is_empty() {
            add_to_all(start, &self.row.offset, offsets, self.row_len);
        } else {
            self.fill_merged(start, &merged, offsets);
        }
    }

    fn empty(map: &IndexMap) -> Self {
        let row = Tables::unit(map.merged.len());
        let (leading, merged, bases) = (vec![], vec![], vec![]);
        OffsetRows { leading, row, row_len: 0, n_rows: 0, base: 0, merged, bases }
    }

    /// What the leading indices of a row add to the offset and to the merged coordinates.
    fn start_of(&self, number: usize, merged: &mut [i64]) -> i64 {
        let mut rest = number;
        let mut start = self.base;
        for tables in self.leading.iter().rev() {
            let value = rest % tables.extent;
            rest /= tables.extent;
            start += tables.add(value, merged);
        }
        start
    }

    fn fill_merged(&self, start: i64, leading: &[i64], offsets: &mut [i64]) {
        let mut merged = vec![0; leading.len()];
        for (place, offset) in offsets.iter_mut().take(self.row_len).enumerate() {
            merged.copy_from_slice(leading);
            *offset = start + self.row.add(place, &mut merged);
            for (number, tables) in self.merged.iter().enumerate() {
                let value = usize::try_from(merged[number]).unwrap_or(usize::MAX);
                *offset += tables.add(value, &mut merged);
            }
        }
    }
}

impl Tables {
    /// The tables of nothing: one value, which adds nothing.
    fn unit(n_merged: usize) -> Self {
        Tables { extent: 1, offset: Vec::new(), merged: vec![Vec::new(); n_merged] }
    }

    /// The tables of two dimensions as one, `minor` varying fastest.
    fn outer_sum(major: &Tables, minor: &Tables) -> Self {
        let joined = |major_table: &[i64], minor_table: &[i64]| {
            if major_table.is_empty() && minor_table.is_empty() {
                return Vec::new();
            }
            let mut sums = Vec::with_capacity(major.extent * minor.extent);
            for value in 0..major.extent {
                let start = entry(major_table, value);
                sums.extend((0..minor.extent).map(|place| start + entry(minor_table, place)));
            }
            sums
        };
        let merged = major.merged.iter().zip(&minor.merged).map(|(a, b)| joined(a, b)).collect();
        Tables {
            extent: major.extent * minor.extent,
            offset: joined(&major.offset, &minor.offset),
            merged,
        }
    }

    /// Adds a value's parts to the merged coordinates; says what it adds to the offset.
    fn add(&self, value: usize, merged: &mut [i64]) -> i64 {
        for (sum, table) in merged.iter_mut().zip(&self.merged) {
            *sum += entry(table, value);
        }
        entry(&self.offset, value)
    }
}

fn entry(table: &[i64], value: usize) -> i64 {
    table.get(value).copied().unwrap_or(0)
}

fn add_to_all(start: i64, table: &[i64], offsets: &mut [i64], row_len: usize) {
    if table.is_empty() {
        offsets.iter_mut().take(row_len).for_each(|offset| *offset = start);
        return;
    }
    for (offset, place) in offsets.iter_mut().zip(table) {
        *offset = start + place;
    }
}
