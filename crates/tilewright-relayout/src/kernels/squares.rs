//! Transposing squares: what has neighbours along one chain of loops in the source has neighbours
//! along another in the destination.
//!
//! A square is as many rows of the source as a row has elements, each row a line (or a half or a
//! quarter of one), so that both sides move whole lines. Rows lie anywhere: `rows` says how far
//! each is from the first on the source's side, `columns` the same for the destination's side.

use super::place::{At, LINE, Stores, copy_one, put};
use super::register::Register;
use super::shuffle::interleave;

/// Two chains of loops as lists of distances in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid<'t> {
    /// For each element of the destination's run: how far from the first it is in the source.
    pub(super) rows: &'t [i64],
    /// For each element of the source's run: how far from the first it is in the destination.
    pub(super) columns: &'t [i64],
    /// Whether all of `columns` are whole lines.
    pub(super) columns_are_lines: bool,
}

impl<'t> Grid<'t> {
    pub(super) fn new(rows: &'t [i64], columns: &'t [i64]) -> Self {
        let columns_are_lines = columns.iter().all(|column| column % LINE as i64 == 0);
        Grid { rows, columns, columns_are_lines }
    }
}

/// How far ahead in the source lines are asked for, in bytes.
const AHEAD: i64 = 2 * LINE as i64;

/// The rows of squares that are walked together, so that a visit to a part of the destination
/// writes more than one line of it.
const ROWS_TOGETHER: usize = 2;

/// Moves every element of a grid of elements of `N` bytes.
///
/// # Safety
/// The processor has these registers. For every row and column, an element can be read at
/// `rows[row] + column * N` and written at `columns[column] + row * N`.
#[inline(always)]
pub(super) unsafe fn transpose_grid<R: Register, const N: usize>(
    at: At,
    grid: Grid<'_>,
    stores: Stores,
) {
    let side = LINE / N;
    let head = at.to_line();
    let peeled = if head.is_multiple_of(N) { (head / N).min(grid.rows.len()) } else { 0 };
    let is_aligned = head.is_multiple_of(N) && grid.columns_are_lines;
    // SAFETY: the parts of the grid are each within it; squares are streamed to whole lines.
    unsafe {
        if grid.rows.len() < peeled + side || grid.columns.len() < side {
            return transpose_narrow::<R::Half, N>(at, grid);
        }
        transpose_narrow::<R::Half, N>(at, Grid { rows: &grid.rows[..peeled], ..grid });
        let body = Grid { rows: &grid.rows[peeled..], ..grid };
        let body_at = at.plus(0, (peeled * N) as i64);
        match stores == Stores::Streamed && is_aligned {
            true => transpose_body::<R, N, 1>(body_at, body),
            false => transpose_body::<R, N, 0>(body_at, body),
        }
    }
}

/// Moves squares of whole lines, and what is left at the ends.
///
/// # Safety
/// As [`transpose_grid`]; for streaming, all squares' lines are multiples of a line.
#[inline(always)]
unsafe fn transpose_body<R: Register, const N: usize, const S: usize>(at: At, grid: Grid<'_>) {
    let side = LINE / N;
    let n_rows = grid.rows.len() / side * side;
    let n_columns = grid.columns.len() / side * side;
    let mut first = 0;
    // SAFETY: squares lie within the grid, as do the ends.
    unsafe {
        while first < n_rows {
            let last = (first + ROWS_TOGETHER * side).min(n_rows);
            for column in (0..n_columns).step_by(side) {
                let columns = &grid.columns[column..column + side];
                for row in (first..last).step_by(side) {
                    let rows = &grid.rows[row..row + side];
                    let here = at.plus((column * N) as i64, (row * N) as i64);
                    square::<R, N, S>(here, rows, columns);
                }
            }
            first = last;
        }
        let right = Grid { columns: &grid.columns[n_columns..], ..grid };
        let at_right = at.plus((n_columns * N) as i64, 0);
        transpose_narrow::<R::Half, N>(at_right, Grid { rows: &grid.rows[..n_rows], ..right });
        let below = Grid { rows: &grid.rows[n_rows..], ..grid };
        transpose_narrow::<R::Half, N>(at.plus(0, (n_rows * N) as i64), below);
    }
}

/// Moves a grid in squares of quarter lines, and what is left one by one.
///
/// # Safety
/// As [`transpose_grid`].
#[inline(always)]
unsafe fn transpose_narrow<R: Register, const N: usize>(at: At, grid: Grid<'_>) {
    let side = (16 / N).max(1);
    let (n_rows, n_columns) = match N < 16 {
        true => (grid.rows.len() / side * side, grid.columns.len() / side * side),
        false => (0, 0),
    };
    // SAFETY: squares lie within the grid, and so do single elements.
    unsafe {
        for row in (0..n_rows).step_by(side) {
            for column in (0..n_columns).step_by(side) {
                let here = at.plus((column * N) as i64, (row * N) as i64);
                let rows = &grid.rows[row..row + side];
                quarter::<<R::Half as Register>::Half, N>(
                    here,
                    rows,
                    &grid.columns[column..column + side],
                );
            }
        }
        for (row, &from) in grid.rows.iter().enumerate() {
            let first = if row < n_rows { n_columns } else { 0 };
            for (column, &to) in grid.columns.iter().enumerate().skip(first) {
                copy_one::<N>(at.plus(from + (column * N) as i64, to + (row * N) as i64));
            }
        }
    }
}

/// Moves a square of whole lines.
///
/// # Safety
/// As [`transpose_grid`], for a line's worth of rows and columns.
#[inline(always)]
unsafe fn square<R: Register, const N: usize, const S: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
) {
    // The number of registers is a constant of each case; the compiler leaves one.
    // SAFETY: the caller's promise.
    unsafe {
        match R::BYTES / N {
            64 => parts::<R, N, S, 64>(at, rows, columns),
            32 => parts::<R, N, S, 32>(at, rows, columns),
            16 => parts::<R, N, S, 16>(at, rows, columns),
            8 => parts::<R, N, S, 8>(at, rows, columns),
            4 => parts::<R, N, S, 4>(at, rows, columns),
            2 => parts::<R, N, S, 2>(at, rows, columns),
            1 => parts::<R, N, S, 1>(at, rows, columns),
            _ => units::<R, N, S>(at, rows, columns),
        }
    }
}

/// Moves a square of lines in squares of `K` registers, those of a destination line together.
///
/// # Safety
/// As [`square`].
#[inline(always)]
unsafe fn parts<R: Register, const N: usize, const S: usize, const K: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
) {
    let n_parts = LINE / R::BYTES;
    for across in 0..n_parts {
        let from = at.plus((across * R::BYTES) as i64, 0);
        // SAFETY: the caller's promise; `rows` and `columns` have `n_parts * K` entries.
        unsafe {
            let mut lines = [[R::load(from.plus(rows[0], 0).src); K]; 4];
            for (part, line) in lines.iter_mut().enumerate().take(n_parts) {
                for (row, register) in line.iter_mut().enumerate() {
                    let from = from.plus(rows[part * K + row], 0);
                    *register = R::load(from.src);
                    from.prefetch(AHEAD);
                }
                *line = interleave::<R, N, K>(*line);
            }
            for place in 0..K {
                let to = at.plus(0, columns[across * K + place]);
                for (part, line) in lines.iter().enumerate().take(n_parts) {
                    put::<R, S>(line[place], to.plus(0, (part * R::BYTES) as i64).dst);
                }
            }
        }
    }
}

/// Moves a square of elements larger than a register.
///
/// # Safety
/// As [`square`].
#[inline(always)]
unsafe fn units<R: Register, const N: usize, const S: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
) {
    for (column, &to) in columns.iter().enumerate() {
        for (row, &from) in rows.iter().enumerate() {
            let element = at.plus(from + (column * N) as i64, to + (row * N) as i64);
            for part in (0..N).step_by(R::BYTES) {
                let here = element.plus(part as i64, part as i64);
                // SAFETY: the caller's promise, a register of an element at a time.
                unsafe { put::<R, S>(R::load(here.src), here.dst) };
            }
        }
    }
}

/// Moves a square of registers of 16 bytes.
///
/// # Safety
/// As [`transpose_grid`], for 16 bytes' worth of rows and columns.
#[inline(always)]
unsafe fn quarter<R: Register, const N: usize>(at: At, rows: &[i64], columns: &[i64]) {
    // SAFETY: the caller's promise.
    unsafe {
        match N {
            1 => quarter_of::<R, N, 16>(at, rows, columns),
            2 => quarter_of::<R, N, 8>(at, rows, columns),
            4 => quarter_of::<R, N, 4>(at, rows, columns),
            _ => quarter_of::<R, N, 2>(at, rows, columns),
        }
    }
}

/// # Safety
/// As [`quarter`].
#[inline(always)]
unsafe fn quarter_of<R: Register, const N: usize, const K: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut registers = [R::load(at.plus(rows[0], 0).src); K];
        for (register, &from) in registers.iter_mut().zip(rows) {
            *register = R::load(at.plus(from, 0).src);
        }
        let transposed = interleave::<R, N, K>(registers);
        for (register, &to) in transposed.into_iter().zip(columns) {
            register.store(at.plus(0, to).dst);
        }
    }
}
