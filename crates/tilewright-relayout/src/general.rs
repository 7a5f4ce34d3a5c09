//! Moving element by element: the last resort, where there would be too many boxes.
//!
//! Both maps list their offsets in logical order, and elements are read and written one by one.
//! The destination is one chunk and one thread's work.

use crate::bits;
use crate::error::Error;
use crate::widths::Widths;
use std::sync::Arc;
use tilewright::IndexMap;
use tilewright::map::OffsetRows;

/// Two maps as lists of offsets, and how elements are moved.
#[derive(Clone, Debug)]
pub(crate) struct ElementMoves {
    from: Arc<OffsetRows>,
    to: Arc<OffsetRows>,
    widths: Widths,
    allocation: usize,
}

impl ElementMoves {
    /// # Errors
    /// If the tables of a map do not fit memory.
    pub(crate) fn new(from: &IndexMap, to: &IndexMap, widths: Widths) -> Result<Self, Error> {
        Ok(ElementMoves {
            from: Arc::new(from.rows()?),
            to: Arc::new(to.rows()?),
            widths,
            allocation: usize::try_from(to.allocation()).unwrap_or(usize::MAX),
        })
    }

    /// Writes the whole destination, padding included.
    pub(crate) fn run(&self, src: &[u8], dst: &mut [u8], pad: u128) {
        bits::fill(dst, pad, self.widths.to, self.allocation);
        let offsets = Offsets::new(&self.from).zip(Offsets::new(&self.to));
        match self.widths.to {
            8 if self.widths.are_equal() => move_units::<1>(offsets, src, dst),
            16 if self.widths.are_equal() => move_units::<2>(offsets, src, dst),
            32 if self.widths.are_equal() => move_units::<4>(offsets, src, dst),
            64 if self.widths.are_equal() => move_units::<8>(offsets, src, dst),
            128 if self.widths.are_equal() => move_units::<16>(offsets, src, dst),
            _ => offsets.for_each(|(from, to)| {
                let element = self.widths.read(src, from as usize);
                self.widths.write(dst, to as usize, element);
            }),
        }
    }
}

fn move_units<const N: usize>(
    offsets: impl Iterator<Item = (i64, i64)>,
    src: &[u8],
    dst: &mut [u8],
) {
    let (src, dst) = (src.as_chunks::<N>().0, dst.as_chunks_mut::<N>().0);
    for (from, to) in offsets {
        if let (Some(from), Some(to)) = (src.get(from as usize), dst.get_mut(to as usize)) {
            *to = *from;
        }
    }
}

/// The offsets of a map in logical row-major order.
struct Offsets<'a> {
    rows: &'a OffsetRows,
    next_row: usize,
    row: Vec<i64>,
    place: usize,
}

impl<'a> Offsets<'a> {
    fn new(rows: &'a OffsetRows) -> Self {
        Offsets { rows, next_row: 0, row: vec![0; rows.row_len()], place: rows.row_len() }
    }
}

impl Iterator for Offsets<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        if self.place >= self.row.len() {
            if self.next_row >= self.rows.n_rows() {
                return None;
            }
            self.rows.fill(self.next_row, &mut self.row);
            self.next_row += 1;
            self.place = 0;
        }
        self.place += 1;
        self.row.get(self.place - 1).copied()
    }
}
