//! Grids that are streamed but do not fill whole lines as they are written.
//!
//! Squares write a line's worth of each of the destination's runs. Where runs begin anywhere, that
//! would be two parts of lines, which memory has to be read for. So a block of the grid is
//! transposed into a stage in the caches, and its runs are copied from there as [`runs`] do: whole
//! lines past the caches, only the ends of a block's runs through them.
//!
//! [`runs`]: super::runs

use super::place::{At, LINE, Stores};
use super::register::Register;
use super::runs::{Row, copy_runs};
use super::squares::{Grid, transpose_grid};

/// The most rows of a block, which are the elements of its runs.
const ROWS: usize = 512;

/// The most bytes of a block's rows.
const ROW_BYTES: usize = 512;

/// Runs are staged if they have at least these bytes.
const LEAST_RUN: usize = 4 * LINE;

/// Memory for a block, used again for every grid.
#[derive(Debug, Default)]
pub(super) struct Stage {
    bytes: Vec<u8>,
    places: Vec<i64>,
}

/// How a grid is cut into blocks, and where they are put together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks<'t> {
    stage: *mut u8,
    /// Where the runs begin in the stage.
    places: &'t [i64],
    /// The rows of each block but the last.
    rows: usize,
    /// The columns of each block but the last.
    columns: usize,
    /// Whether the runs of a block follow each other in the destination.
    is_one_run: bool,
}

impl Stage {
    /// Cuts a grid of elements of `unit` bytes, if its runs are long enough.
    pub(super) fn cut(&mut self, grid: Grid<'_>, unit: usize) -> Option<Blocks<'_>> {
        let (n_rows, n_columns) = (grid.rows.len(), grid.columns.len());
        let run = n_rows * unit;
        let follows = |(column, place): (usize, &i64)| *place == (column * run) as i64;
        let is_one_run = n_rows <= ROWS && grid.columns.iter().enumerate().all(follows);
        if run < LEAST_RUN && !(is_one_run && run * n_columns >= LEAST_RUN) {
            return None;
        }
        let (rows, columns) = (even(n_rows, ROWS), even(n_columns, ROW_BYTES.div_ceil(unit)));
        // Runs a power of two apart would share a few sets of the first cache.
        let pitch = if is_one_run { run } else { (rows * unit).next_multiple_of(LINE) + LINE };
        self.places.clear();
        self.places.reserve_exact(columns);
        self.places.extend((0..columns).map(|column| (column * pitch) as i64));
        let needed = columns * pitch + LINE;
        if self.bytes.len() < needed {
            // First given back, so that there are never two.
            self.bytes = Vec::new();
            self.bytes = vec![0; needed];
        }
        let start = self.bytes.as_ptr().align_offset(LINE).min(LINE);
        let stage = self.bytes.get_mut(start..)?.as_mut_ptr();
        Some(Blocks { stage, places: &self.places, rows, columns, is_one_run })
    }

    /// The most bytes that are ever held. A block of single bytes has the most runs: [`ROW_BYTES`],
    /// each [`ROWS`] bytes long, rounded up to a line, and a line more; all from a line on, and the
    /// places of the runs.
    pub(super) const MOST_BYTES: usize =
        ROW_BYTES * (ROWS.next_multiple_of(LINE) + LINE) + LINE + ROW_BYTES * size_of::<i64>();

    /// The bytes that are held.
    pub(super) fn held(&self) -> usize {
        self.bytes.capacity() + self.places.capacity() * size_of::<i64>()
    }
}

/// The length of parts of `whole`, as equal as can be and no longer than `most`.
fn even(whole: usize, most: usize) -> usize {
    whole.div_ceil(whole.div_ceil(most).max(1)).max(1)
}

/// Moves a grid block by block. `next` is where the next grid of the same form begins.
///
/// # Safety
/// As [`transpose_grid`]; the blocks are of this grid or one of the same lengths, whose columns
/// follow each other if they do in this one, and nothing else uses the stage meanwhile.
#[inline(always)]
pub(super) unsafe fn transpose_staged<R: Register, const N: usize>(
    at: At,
    next: At,
    grid: Grid<'_>,
    blocks: Blocks<'_>,
) {
    let (n_rows, n_columns) = (grid.rows.len(), grid.columns.len());
    let rows_from = |row: usize| &grid.rows[row..(row + blocks.rows).min(n_rows)];
    let mut column = 0;
    while column < n_columns {
        let columns = &grid.columns[column..(column + blocks.columns).min(n_columns)];
        let further = column + columns.len();
        let along = at.plus((column * N) as i64, 0);
        let mut row = 0;
        while row < n_rows {
            let rows = rows_from(row);
            let part = Grid { rows, columns: &blocks.places[..columns.len()], ..grid };
            let soon = match row + rows.len() {
                below if below < n_rows => Soon { at: along, rows: rows_from(below) },
                _ if further < n_columns => {
                    Soon { at: at.plus((further * N) as i64, 0), rows: rows_from(0) }
                }
                _ => Soon { at: next, rows: rows_from(0) },
            };
            let put_together = At { src: along.src, dst: blocks.stage };
            // SAFETY: a part of the grid; the stage has room for a block's runs, and the
            // destination for what they come to.
            unsafe {
                transpose_grid::<R, N>(put_together, soon.at, part, Stores::Cached);
                let to = at.plus(0, (row * N) as i64);
                copy_out::<R, N>(to, columns, rows.len(), blocks, soon);
            }
            row += rows.len();
        }
        column = further;
    }
}

/// The block that comes next.
#[derive(Clone, Copy)]
struct Soon<'t> {
    at: At,
    rows: &'t [i64],
}

impl Soon<'_> {
    /// Asks for the lines of one in `of` parts of it, whose rows are of `len` bytes.
    #[inline(always)]
    fn prefetch(self, part: usize, of: usize, len: usize) {
        let n_rows = self.rows.len();
        for &row in &self.rows[part * n_rows / of..(part + 1) * n_rows / of] {
            let row = self.at.plus(row, 0);
            for line in (0..len).step_by(LINE) {
                row.plus(line as i64, 0).prefetch_near();
            }
            row.plus(len as i64 - 1, 0).prefetch_near();
        }
    }
}

/// Copies a block's runs of `length` elements to `columns` behind a place, and asks meanwhile for
/// the block that comes next: memory is read while it is written.
///
/// # Safety
/// As [`transpose_staged`], for the block in the stage.
#[inline(always)]
unsafe fn copy_out<R: Register, const N: usize>(
    to: At,
    columns: &[i64],
    length: usize,
    blocks: Blocks<'_>,
    soon: Soon<'_>,
) {
    let stage = At { src: blocks.stage, dst: to.dst };
    let row = Row { len: length * N, count: 1, src: 0, dst: 0 };
    // SAFETY: the caller's promise.
    unsafe {
        if blocks.is_one_run {
            let row = Row { len: row.len * columns.len(), ..row };
            return copy_runs::<R>(stage.plus(0, columns[0]), row, Stores::Streamed);
        }
        for (number, (&from, &to)) in blocks.places.iter().zip(columns).enumerate() {
            soon.prefetch(number, columns.len(), columns.len() * N);
            copy_runs::<R>(stage.plus(from, to), row, Stores::Streamed);
        }
    }
}
