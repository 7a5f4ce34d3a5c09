//! Matrices of elements below a byte that are transposed, whatever bits their rows begin at on either side.
//!
//! A *row* is what follows each other in the source, a *column* what does in the destination. A square has as many rows as make a line
//! of a column, and a line of each at most:
//!
//! ```text
//!  source             square                  columns                 destination
//!  8, 4, 2 rows  ──▶  bits exchanged  ─bank─▶  16 registers,  ──▶ ┬──────┬──────┬──────┐ ──▶ whole lines
//!  from any bit                               bytes zipped        │ head │ last │ next │
//! ```
//!
//! The lines of a column are as they are in memory, but begin where a square does, and so within bytes of it. What is written are
//! lines of memory, each made of two that follow each other. A line in which one column ends and the next one begins is made of the last
//! line of the one and of the first one of the other, its head. So only where no column follows are lines written in part, and
//! nothing that is beside columns is read but there.

mod columns;
mod squares;

use super::level::{Level, fence};
use super::place::{LINE, LINE_BITS, STREAM_FROM, Stores, room};
use super::places::{BitPlaces, MAX_LOOPS};
use super::tile::{Around, ONCE, Slots};
use crate::nest::Loop;
use columns::Columns;
use squares::{Bank, LANE, Squares};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::slice;

/// The bytes of the lines of columns that are made at a time, with the last of each.
const MOST_STAGE: usize = 192 << 10;

/// The lines of a column that are made at a time, streamed or not; and of how many at most all are, so that no line is written in part
/// where one column ends and the next one begins.
const STREAMED_LINES: usize = 1;
const CACHED_LINES: usize = 4;
const WHOLE_COLUMN: usize = 8;

/// As many rows are whole bytes of a column, whatever elements are.
const WHOLE_ROWS: usize = 8;

/// The most squares of a row that are transposed at a time.
const SQUARES: usize = 4;

/// The most rows of the source that are read at a time.
const MOST_ROWS: usize = 2048;

/// The most columns that are written at a time.
const MOST_COLUMNS: usize = 1024;

/// The fewest bits of a row and of a column: rows of fewer are lanes that are mostly empty, and columns of fewer are mostly ends.
const LEAST_ROW: i64 = 160;
const LEAST_COLUMN: i64 = 704;
const LEAST_STREAMED_COLUMN: i64 = 320;

/// How many eighths of the lines of a column are its own at least.
const LEAST_OF_LINES: i64 = 5;

/// About how many of the processor's cycles a line of elements of 1, 2 and 4 bits takes.
const LINE_CYCLES: [f64; 3] = [34.0, 26.0, 22.0];

/// A box that is transposed. Distances are in bits.
#[derive(Clone, Debug)]
pub(super) struct BitTranspose {
    /// The bits of an element: 1, 2 or 4.
    width: i64,
    /// The loops along a column, the innermost first.
    rows: Vec<Loop>,
    /// The loops along a row, the innermost first.
    columns: Vec<Loop>,
    n_rows: usize,
    n_columns: usize,
    /// The loops around a matrix, from the outermost to the innermost.
    around: Vec<Around>,
    level: Level,
}

/// What is moved at a time: rows and columns of one matrix from these on.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// The bits of both sides at which the matrix begins.
    matrix: (i64, i64),
    column: usize,
    row: usize,
}

/// The positions of a box: all rows of some columns, then of others.
struct Positions<'t> {
    matrices: BitPlaces<'t>,
    next: Option<Position>,
    /// The rows and columns of a matrix, and of a position.
    all: (usize, usize),
    at_once: (usize, usize),
}

impl<'t> Positions<'t> {
    fn of(of: &'t BitTranspose, start: (i64, i64), n_rows: usize, n_columns: usize) -> Self {
        let mut matrices = BitPlaces::new(&of.around, start);
        let next = matrices.next().map(Position::first);
        let (all, at_once) = ((of.n_rows, of.n_columns), (n_rows, n_columns));
        Positions { matrices, next, all, at_once }
    }

    fn next(&mut self) -> Option<Position> {
        let here = self.next?;
        let (row, column) = (here.row + self.at_once.0, here.column + self.at_once.1);
        self.next = if row < self.all.0 {
            Some(Position { row, ..here })
        } else if column < self.all.1 {
            Some(Position { row: 0, column, ..here })
        } else {
            self.matrices.next().map(Position::first)
        };
        Some(here)
    }
}

impl Position {
    fn first(matrix: (i64, i64)) -> Self {
        Position { matrix, column: 0, row: 0 }
    }
}

impl BitTranspose {
    /// Of a box whose loops count slots, if it is matrices of such elements whose rows and columns are long enough to be moved so into the
    /// caches or past them.
    pub(super) fn of(
        loops: &[Loop],
        slots: Slots,
        level: Level,
        is_streamed: bool,
    ) -> Option<Self> {
        let width = slots.value;
        let are_moved = loops.len() <= MAX_LOOPS && loops.iter().all(|l| l.extent > 0);
        if !are_moved || slots != Slots::same(width) || !matches!(width, 1 | 2 | 4) {
            return None;
        }
        let mut left: Vec<Loop> = Vec::with_capacity(loops.len());
        for l in loops.iter().filter(|l| l.extent != 1) {
            let (src, dst) = (l.src.checked_mul(width)?, l.dst.checked_mul(width)?);
            left.push(Loop { extent: l.extent, src, dst });
        }
        let [columns, rows] = chains(&mut left, width);
        let len = |chain: &[Loop]| chain.iter().try_fold(width, |len, l| len.checked_mul(l.extent));
        let (row, column) = (len(&columns)?, len(&rows)?);
        let lines = column / LINE_BITS + i64::from(column % LINE_BITS != 0);
        let least_column = if is_streamed { LEAST_STREAMED_COLUMN } else { LEAST_COLUMN };
        let is_full = column / LEAST_OF_LINES >= lines * (LINE_BITS / 8);
        if row < LEAST_ROW || column < least_column || !is_full {
            return None;
        }
        left.sort_by_key(|l| std::cmp::Reverse(l.dst.abs()));
        let around =
            left.iter().map(|l| Around { count: l.extent, src: l.src, dst: l.dst, ..ONCE });
        let around = around.collect();
        let [n_columns, n_rows] = [row, column].map(|len| (len / width) as usize);
        Some(BitTranspose { width, rows, columns, n_rows, n_columns, around, level })
    }

    /// About how many of the processor's cycles an element takes.
    pub(super) fn cycles(&self) -> f64 {
        let a_line = LINE_CYCLES[self.width.trailing_zeros() as usize % LINE_CYCLES.len()];
        a_line * self.width as f64 / LINE_BITS as f64
    }

    /// The bytes that it has allocated.
    pub(super) fn held_bytes(&self) -> usize {
        let loops = self.rows.capacity() + self.columns.capacity();
        loops * size_of::<Loop>() + self.around.capacity() * size_of::<Around>()
    }

    /// Moves the box, from bit `start.0` of `src` and `start.1` behind `dst` on.
    ///
    /// # Safety
    /// All its bits lie in the source, which can be read, and can be written in the destination, which does not overlap it.
    #[inline(never)]
    pub(super) unsafe fn run(
        &self,
        src: &Range<*const u8>,
        dst: *mut u8,
        start: (i64, i64),
        stores: Stores,
    ) {
        let mut stage = Stage(MaybeUninit::uninit());
        let mut bank = Bank(MaybeUninit::uninit());
        let mut lists = Lists(MaybeUninit::uninit());
        let (stage, bank, lists) = (room(&mut stage.0), room(&mut bank.0), room(&mut lists.0));
        let is_far = (src.end as usize).wrapping_sub(src.start as usize) >= STREAM_FROM;
        let asks = is_far || stores != Stores::Cached;
        let squares = Squares { width: self.width, src: src.clone(), bank };
        let streams = stores == Stores::Streamed;
        // SAFETY: the caller's promise.
        unsafe { self.walk(&squares, stage, lists.cast(), dst, start, streams, asks) };
        if stores == Stores::Streamed {
            fence();
        }
    }

    /// The same by way of a stage and a bank.
    ///
    /// # Safety
    /// As [`run`](Self::run); the stage is a [`Stage`]'s, the squares' bank is a [`Bank`]'s, and the lists are [`Lists`].
    #[allow(clippy::too_many_arguments, reason = "what has room on the stack is set up before")]
    unsafe fn walk(
        &self,
        squares: &Squares,
        stage: *mut u8,
        lists: *mut i64,
        dst: *mut u8,
        start: (i64, i64),
        streams: bool,
        asks: bool,
    ) {
        let square = (LINE_BITS / self.width) as usize;
        let (n_lines, n_squares) = self.sizes(streams, square);
        let (n_rows, n_columns) = (n_lines * square, n_squares * square);
        let is_whole = self.n_rows <= n_rows;
        let pitch = pitch_of(n_lines, is_whole);
        let n_places = n_columns.min(self.n_columns);
        let n_listed = n_rows.min(self.n_rows).next_multiple_of(WHOLE_ROWS);
        let (places, even, odd);
        // What is read of lines and rows that are not there counts for nothing, but had better be something.
        // SAFETY: there is room for so much; no list is another's.
        unsafe {
            let in_lanes = n_places.next_multiple_of(LANE * 8 / self.width as usize);
            stage.write_bytes(0, in_lanes.min(n_columns) * pitch + BEYOND_STAGE);
            if self.n_rows < square {
                squares.bank.write_bytes(0, size_of::<Bank>());
            }
            lists.write_bytes(0, n_places + 2 * n_listed);
            places = slice::from_raw_parts_mut(lists, n_places);
            even = slice::from_raw_parts_mut(lists.wrapping_add(n_places), n_listed);
            odd = slice::from_raw_parts_mut(lists.wrapping_add(n_places + n_listed), n_listed);
        }
        // Before the lines of a column that is made in parts there is what it has of the first one.
        let stage = stage.wrapping_add(if is_whole { 0 } else { LINE });
        // Where the rows of this position and of the next one begin.
        let (mut now, mut soon) = (odd, even);
        let mut positions = Positions::of(self, start, n_rows, n_columns);
        let mut next = positions.next();
        let mut n_next = next.as_ref().map_or(0, |at| self.begins(at, n_rows, soon));
        while let Some(here) = next {
            next = positions.next();
            let n_here = n_next;
            std::mem::swap(&mut now, &mut soon);
            n_next = next.as_ref().map_or(0, |at| self.begins(at, n_rows, soon));
            let asked = if asks { &soon[..n_next] } else { &[] };
            let columns = n_columns.min(self.n_columns - here.column);
            if here.row == 0 {
                let places = &mut places[..columns];
                fill(&self.columns, |l| l.dst, here.column, here.matrix.1, places);
            }
            // SAFETY: the caller's promise: all bits of the matrix lie on both sides.
            unsafe {
                for (line, first) in (0..n_here).step_by(square).enumerate() {
                    let end = n_here.min(first + square).next_multiple_of(WHOLE_ROWS);
                    let to = stage.wrapping_add((line + 1) * LINE);
                    let asked = asked.get(first..).unwrap_or(&[]);
                    squares.transpose(self.level, &now[first..end], asked, columns, to, pitch);
                }
                self.level.run(Columns {
                    dst,
                    places: &places[..columns],
                    len: self.n_rows as i64 * self.width,
                    first: (here.row / square) as i64,
                    n_lines: n_lines as i64,
                    stage,
                    pitch,
                    is_last: here.row + n_rows >= self.n_rows,
                    streams,
                });
            }
        }
    }

    /// Where the rows of a position begin in the source, up to so many, and the last one again until they are whole bytes of a
    /// column. Says how many there are.
    fn begins(&self, at: &Position, most: usize, rows: &mut [i64]) -> usize {
        let n = most.min(self.n_rows - at.row);
        let begin = at.matrix.0 + at.column as i64 * self.width;
        fill(&self.rows, |l| l.src, at.row, begin, &mut rows[..n]);
        let last = rows[n - 1];
        rows[n..n.next_multiple_of(WHOLE_ROWS)].fill(last);
        n
    }

    /// The lines of a column and the squares of a row that are moved at a time.
    fn sizes(&self, streams: bool, square: usize) -> (usize, usize) {
        let all = [self.n_rows.div_ceil(square), self.n_columns.div_ceil(square)];
        let room = |lines: usize| MOST_STAGE / (square * pitch_of(lines, lines == all[0]));
        let fit = |lines: usize| lines <= MOST_ROWS / square && room(lines) > 0;
        let lines = match streams {
            _ if all[0] <= WHOLE_COLUMN && fit(all[0]) => all[0],
            true => STREAMED_LINES,
            false => CACHED_LINES,
        };
        let lines = (1..=lines).rev().find(|&lines| fit(lines)).unwrap_or(1);
        (lines, SQUARES.min(room(lines)).min(MOST_COLUMNS / square).min(all[1]))
    }
}

/// From one column to the next in the stage, where so many lines of each are made, all of them or not: not so that few lines of the
/// caches are all that they fall on.
fn pitch_of(lines: usize, is_whole: bool) -> usize {
    let slots = lines + if is_whole { 1 } else { 2 };
    LINE * if slots.is_multiple_of(4) { slots + 1 } else { slots }
}

/// Takes out of loops what follows each other from elements of `width` bits on: in the source, and in the destination. What does on
/// both sides makes columns longer, once rows have a line.
fn chains(left: &mut Vec<Loop>, width: i64) -> [Vec<Loop>; 2] {
    let mut chains = [Vec::new(), Vec::new()];
    let mut len = [width; 2];
    let stride = |l: &Loop, side: usize| if side == 0 { l.src } else { l.dst };
    loop {
        // What a column begins with is no row's.
        let is_row_next = chains[0].is_empty() || !chains[1].is_empty() && len[0] < LINE_BITS;
        let sides = if is_row_next { [0, 1] } else { [1, 0] };
        let next = sides.into_iter().find_map(|side| {
            let number = left.iter().position(|l| stride(l, side) == len[side])?;
            Some((side, number))
        });
        let Some((side, number)) = next else { return chains };
        let l = left.swap_remove(number);
        len[side] = len[side].saturating_mul(l.extent);
        chains[side].push(l);
    }
}

/// What the indices of some loops have from one on, the innermost loop first, further than `begin`.
fn fill(loops: &[Loop], stride: fn(&Loop) -> i64, first: usize, begin: i64, to: &mut [i64]) {
    let mut steps = [0i64; MAX_LOOPS];
    let (mut left, mut at) = (first as i64, begin);
    for (l, step) in loops.iter().zip(&mut steps) {
        *step = left % l.extent;
        left /= l.extent;
        at += *step * stride(l);
    }
    let Some(inner) = loops.first() else { return };
    let by = stride(inner);
    let mut to = to;
    while !to.is_empty() {
        let run = (inner.extent - steps[0]).min(to.len() as i64);
        let (here, rest) = to.split_at_mut(run as usize);
        for (number, to) in here.iter_mut().enumerate() {
            *to = at + number as i64 * by;
        }
        to = rest;
        at -= steps[0] * by;
        steps[0] = 0;
        for (l, step) in loops.iter().zip(&mut steps).skip(1) {
            *step += 1;
            at += stride(l);
            if *step < l.extent {
                break;
            }
            at -= *step * stride(l);
            *step = 0;
        }
    }
}

/// What is read beyond the last column of a stage: a line that is made with the next one there, and what a window reads beyond.
const BEYOND_STAGE: usize = 4 * LINE;

/// Memory for the lines of columns.
#[repr(align(64))]
struct Stage(MaybeUninit<[u8; MOST_STAGE + BEYOND_STAGE]>);

/// Memory for where columns begin, and the rows of two positions.
struct Lists(MaybeUninit<[i64; MOST_COLUMNS + 2 * MOST_ROWS]>);

#[cfg(test)]
mod tests;
