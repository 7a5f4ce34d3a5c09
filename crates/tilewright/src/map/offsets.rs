//! All offsets of a map, in logical order.
//!
//! A separable map is a sum of one table per dimension. The tables of the last dimensions are
//! added up front into that of a *piece*, long enough that what is left to do per element is one
//! addition. A dimension that is too long for that is cut into pieces where no digit is cut, the last
//! of which may be shorter. A map with merged coordinates has such a table for each of these too, and
//! works out block by block what they come to ([`MergedSums`]).
//!
//! Each row of `f32[4096,5000]{1,0:T(8,128)}` is four pieces of 1024 elements and one of 904. What a
//! piece begins with is what its row adds, `128*i0 + 39936*(i0 div 8)` with `39936 = 40*1024 - 8*128`
//! since there are 40 tiles in a row of them, and `8192*part`.

use std::ops::Range;

use super::offset_tables::{Leading, Tables};
use super::sums::MergedSums;
use super::word::{BLOCK, Column, Word};
use super::{IndexMap, Source};
use crate::error::{Error, Kind};

/// Rows shorter than this are joined with the next more major dimension.
const MIN_ROW: usize = 512;

/// Unless that makes a row longer than this. Then it is a part of that dimension, of
/// `MAX_PART_OF_ROW` elements at most, that divides it.
const MAX_ROW: usize = 1 << 20;
const MAX_PART_OF_ROW: usize = 1 << 12;

/// The offsets of an array's elements in logical row-major order, a row at a time.
///
/// A row is the elements that share the indices of the leading dimensions, or a part of them where
/// the last dimension of these is very long. How long rows are depends on the dimensions alone, so
/// rows of two layouts of an array are of the same elements. Rows can be filled in any order and from
/// several threads, and [iterated](Self::iter) over without being stored.
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
    row_len: usize,
    n_elements: usize,
    /// What the dimensions add that are the same for all of a run of pieces.
    leading: Vec<Leading>,
    /// What the number of a piece in its run adds.
    parts: Leading,
    /// What an element adds by its place in its piece.
    piece: Tables,
    run_len: usize,
    base: i64,
    lowest: i64,
    /// Where each merged coordinate begins.
    bases: Vec<i64>,
    merges: Merges,
}

/// What merged coordinates add.
#[derive(Clone, Debug)]
enum Merges {
    /// There are none.
    Nothing,
    Narrow(MergedSums<u32>),
    Wide(MergedSums<u64>),
}

impl IndexMap {
    /// The offset of every element, in logical row-major order (the last dimension fastest).
    ///
    /// Where the list is long, most of the time goes into fresh memory: where there is some already,
    /// [`offsets_into`](Self::offsets_into) fills it, and [`OffsetRows::iter`] needs none.
    ///
    /// # Errors
    /// If there are more elements than memory can be asked for.
    pub fn offsets(&self) -> Result<Vec<i64>, Error> {
        let rows = self.rows()?;
        let n_elements = self.addressable(self.elements)?;
        let mut offsets = Vec::new();
        let none = |_| Error::new(Kind::Memory { what: "the list of offsets" });
        offsets.try_reserve_exact(n_elements).map_err(none)?;
        while let Some((start, places)) = rows.as_sums(offsets.len()) {
            offsets.extend(places.iter().map(|place| start + place));
        }
        while offsets.len() < n_elements {
            let end = offsets.len();
            offsets.resize(n_elements.min(end + MAX_PART_OF_ROW), 0);
            rows.fill_from(end, &mut offsets[end..]);
        }
        Ok(offsets)
    }

    /// Writes the offset of every element, in logical row-major order, to a list that there is.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
    /// let mut offsets = [0; 15];
    /// map.offsets_into(&mut offsets)?;
    /// assert_eq!(offsets, [0, 1, 4, 5, 8, 2, 3, 6, 7, 10, 12, 13, 16, 17, 20]);
    /// assert!(map.offsets_into(&mut offsets[1..]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `offsets` is not as long as there are elements. If a table would not fit memory.
    pub fn offsets_into(&self, offsets: &mut [i64]) -> Result<(), Error> {
        if i64::try_from(offsets.len()) != Ok(self.elements) {
            let (found, elements) = (offsets.len(), self.elements);
            let message = format!("{found} numbers are not the offsets of {elements} elements");
            return Err(Error::new(Kind::Invalid { message }));
        }
        self.rows()?.fill_from(0, offsets);
        Ok(())
    }

    /// The offsets of every element, to be filled in row by row.
    ///
    /// # Errors
    /// If a table would not fit memory.
    pub fn rows(&self) -> Result<OffsetRows, Error> {
        if self.elements == 0 {
            return Ok(OffsetRows::empty(self));
        }
        let mut dims = self.dims.iter().enumerate().rev();
        let (mut piece, mut run_len) = (Tables::unit(self.merged.len()), 1);
        let mut parts = Leading::Table(piece.clone());
        for (dim, &extent) in dims.by_ref() {
            let (source, extent) = (Source::Dim(dim), counted(extent)?);
            let joined = self.joined(source, extent, piece.extent);
            run_len *= extent;
            if joined > 1 {
                piece = Tables::outer_sum(&self.tables(source, joined, 1)?, &piece);
            }
            if joined < extent {
                parts = self.leading(source, extent.div_ceil(joined), joined)?;
                break;
            }
        }
        if self.is_separable() {
            piece.offset.resize(piece.extent, 0);
        }
        let of_dim = |(dim, &extent)| self.leading(Source::Dim(dim), counted(extent)?, 1);
        Ok(OffsetRows {
            row_len: row_len(&self.dims)?,
            n_elements: counted(self.elements)?,
            leading: dims.map(of_dim).collect::<Result<_, _>>()?,
            parts,
            piece,
            run_len,
            base: self.base,
            lowest: self.lowest_offset,
            bases: self.merged.iter().map(|coordinate| coordinate.base).collect(),
            merges: self.merges(),
        })
    }

    fn merges(&self) -> Merges {
        match self.is_narrow() {
            _ if self.is_separable() => Merges::Nothing,
            true => Merges::Narrow(MergedSums::of(self)),
            false => Merges::Wide(MergedSums::of(self)),
        }
    }

    fn addressable(&self, count: i64) -> Result<usize, Error> {
        let limit = isize::MAX as usize / size_of::<i64>();
        counted(count).ok().filter(|&count| count <= limit).ok_or_else(too_many)
    }
}

impl OffsetRows {
    /// The number of elements in a row.
    pub fn row_len(&self) -> usize {
        self.row_len
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_elements / self.row_len.max(1)
    }

    /// Writes the offsets of row `number` to the front of `offsets`, as far as they fit. A row
    /// that does not exist writes nothing.
    pub fn fill(&self, number: usize, offsets: &mut [i64]) {
        if number < self.n_rows() {
            let count = offsets.len().min(self.row_len);
            self.fill_from(number * self.row_len, &mut offsets[..count]);
        }
    }

    /// The number of elements of all rows.
    pub(super) fn n_elements(&self) -> usize {
        self.n_elements
    }

    fn empty(map: &IndexMap) -> Self {
        let unit = Tables::unit(map.merged.len());
        OffsetRows {
            row_len: 0,
            n_elements: 0,
            leading: Vec::new(),
            parts: Leading::Table(unit.clone()),
            piece: unit,
            run_len: 1,
            base: 0,
            lowest: 0,
            bases: Vec::new(),
            merges: Merges::Nothing,
        }
    }

    /// The offsets from the element of this number on, as far as its piece goes: a start, and what
    /// each element adds to it. `None` where merged coordinates add something too, or there is no such
    /// element.
    pub(super) fn as_sums(&self, number: usize) -> Option<(i64, &[i64])> {
        if number >= self.n_elements || !matches!(self.merges, Merges::Nothing) {
            return None;
        }
        let (start, places) = self.piece(number, &mut []);
        Some((start, self.piece.offset.get(places)?))
    }

    /// Writes the offsets from the element of this number on, of which there are as many or more.
    pub(super) fn fill_from(&self, number: usize, offsets: &mut [i64]) {
        match &self.merges {
            Merges::Nothing => {
                let (mut number, mut offsets) = (number, offsets);
                while let Some((start, places)) = self.as_sums(number) {
                    let (now, later) = offsets.split_at_mut(places.len().min(offsets.len()));
                    now.iter_mut().zip(places).for_each(|(offset, place)| *offset = start + place);
                    if later.is_empty() {
                        return;
                    }
                    number += now.len();
                    offsets = later;
                }
            }
            Merges::Narrow(sums) => self.fill_merged(sums, number, offsets),
            Merges::Wide(sums) => self.fill_merged(sums, number, offsets),
        }
    }

    /// What the elements from this one to the end of its piece have in common, added to the merged
    /// coordinates and, as it is returned, to the offset; and their places in the piece.
    fn piece(&self, number: usize, merged: &mut [i64]) -> (i64, Range<usize>) {
        let (mut rest, in_run) = (number / self.run_len, number % self.run_len);
        let (part, place) = (in_run / self.piece.extent, in_run % self.piece.extent);
        let mut start = self.base + self.parts.add(part, merged);
        for leading in &self.leading {
            start += leading.add(rest % leading.extent(), merged);
            rest /= leading.extent();
        }
        (start, place..self.piece.extent.min(place + self.run_len - in_run))
    }

    fn fill_merged<W: Word>(&self, sums: &MergedSums<W>, number: usize, offsets: &mut [i64]) {
        let mut merged = vec![[W::of(0); BLOCK]; self.bases.len()];
        let mut block = [W::of(0); BLOCK];
        let mut bases = self.bases.clone();
        let (mut number, mut offsets) = (number, offsets);
        while !offsets.is_empty() {
            bases.copy_from_slice(&self.bases);
            let (start, places) = self.piece(number, &mut bases);
            let (of_piece, later) = offsets.split_at_mut(places.len().min(offsets.len()));
            number += of_piece.len();
            offsets = later;
            let start = start.wrapping_sub(self.lowest);
            for (first, offsets) in places.step_by(BLOCK).zip(of_piece.chunks_mut(BLOCK)) {
                add_column(start, &self.piece.offset, first, &mut block);
                let tables = self.piece.merged.iter().zip(&bases);
                for (column, (table, start)) in merged.iter_mut().zip(tables) {
                    add_column(*start, table, first, column);
                }
                sums.add(&mut merged, &mut block, offsets.len());
                for (offset, sum) in offsets.iter_mut().zip(&block) {
                    *offset = self.lowest.wrapping_add(sum.number() as i64);
                }
            }
        }
    }
}

/// How long rows of an array of these dimensions are.
fn row_len(dims: &[i64]) -> Result<usize, Error> {
    let mut length = 1;
    for &extent in dims.iter().rev() {
        if length >= MIN_ROW {
            break;
        }
        let extent = counted(extent)?;
        if extent > MAX_ROW / length {
            let mut parts = (1..=MAX_PART_OF_ROW / length).rev();
            return Ok(length * parts.find(|&part| extent.is_multiple_of(part)).unwrap_or(1));
        }
        length *= extent;
    }
    Ok(length)
}

fn counted(count: i64) -> Result<usize, Error> {
    usize::try_from(count).map_err(|_| too_many())
}

#[cold]
fn too_many() -> Error {
    Error::new(Kind::Memory { what: "the list of offsets" })
}

/// The sums of `start` and the entries of a table from `first` on.
fn add_column<W: Word>(start: i64, table: &[i64], first: usize, column: &mut Column<W>) {
    match table.get(first..) {
        Some(places) if !places.is_empty() => {
            for (sum, place) in column.iter_mut().zip(places) {
                *sum = W::of(start.wrapping_add(*place) as u64);
            }
        }
        _ => column.fill(W::of(start as u64)),
    }
}
