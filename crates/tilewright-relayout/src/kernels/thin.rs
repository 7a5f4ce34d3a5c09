//! Grids of which one side has less than 16 bytes: a few columns, or a few rows.
//!
//! Registers are loaded and transposed as in [`squares`](super::squares). Where there are few columns,
//! what is read beyond them is not written; where there are few rows, only as much of each register as
//! there are rows.

use super::place::At;
use super::register::{Lane, Register};
use super::shuffle::interleave_lanes;
use super::squares::{Grid, SHORT, flat_square, one_by_one, order_of};
use super::turn::Order;
use std::mem::MaybeUninit;

/// Moves a grid of less than 16 bytes in a row, a register's worth of rows at a time. The last share
/// elements with those before them; what is read beyond a row is not written.
///
/// # Safety
/// As [`transpose_grid`](super::squares::transpose_grid); there is a register's worth of rows.
#[inline(always)]
pub(super) unsafe fn strips<R: Register, const N: usize>(at: At, grid: Grid<'_>) {
    let height = R::BYTES / N;
    let n_rows = grid.rows.len();
    let can_read = grid.can_read(at, SHORT);
    for row in (0..n_rows).step_by(height) {
        let row = row.min(n_rows - height);
        let rows = &grid.rows[row..row + height];
        let at = at.plus(0, (row * N) as i64);
        // SAFETY: the strip lies within the grid.
        unsafe {
            if can_read || grid.part(rows).can_read(at, SHORT) {
                strip::<R, N>(at, rows, grid.columns, grid.turn);
            } else {
                one_by_one::<N>(at, grid.part(rows));
            }
        }
    }
}

/// Moves squares of 16 bytes side by side, or what there is of their columns.
///
/// # Safety
/// As [`transpose_grid`](super::squares::transpose_grid), for a register's worth of rows, of each of which 16 bytes can be read, and
/// as many columns at most.
#[inline(always)]
unsafe fn strip<R: Register, const N: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
    turn: Option<&Order>,
) {
    // The number of registers is a constant of each case; the compiler leaves one.
    // SAFETY: the caller's promise.
    unsafe {
        match SHORT / N {
            16 => strip_of::<R, N, 16>(at, rows, columns, turn),
            8 => strip_of::<R, N, 8>(at, rows, columns, turn),
            4 => strip_of::<R, N, 4>(at, rows, columns, turn),
            _ => strip_of::<R, N, 2>(at, rows, columns, turn),
        }
    }
}

/// # Safety
/// As [`strip`].
#[inline(always)]
unsafe fn strip_of<R: Register, const N: usize, const K: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
    turn: Option<&Order>,
) {
    let rows = &rows[..R::BYTES / N];
    let mut registers = MaybeUninit::<[R; K]>::uninit();
    let first = registers.as_mut_ptr().cast::<R>();
    // SAFETY: the caller's promise; all `K` registers are written.
    unsafe {
        let order = order_of::<R, N>(turn);
        for place in 0..K {
            let lanes = R::load_lanes(at.src, &rows[place..], K);
            first.add(place).write(order.map_or(lanes, |order| lanes.shuffle(order)));
        }
        let transposed = interleave_lanes::<R, N, K>(registers.assume_init());
        for (place, register) in transposed.into_iter().enumerate() {
            if place < columns.len() {
                register.store(at.plus(0, columns[place]).dst);
            }
        }
    }
}

/// Moves a grid of fewer rows than a register holds, of which only so much is written.
///
/// # Safety
/// As [`transpose_grid`](super::squares::transpose_grid); there is a register's worth of columns.
#[inline(always)]
pub(super) unsafe fn flat<R: Lane, const N: usize>(at: At, grid: Grid<'_>) {
    let side = R::BYTES / N;
    let n_columns = grid.columns.len();
    for column in (0..n_columns).step_by(side) {
        let column = column.min(n_columns - side);
        let columns = &grid.columns[column..column + side];
        let at = at.plus((column * N) as i64, 0);
        // SAFETY: these columns are of the grid.
        unsafe { flat_square::<R, N>(at, grid.rows, columns, grid.turn) };
    }
}
