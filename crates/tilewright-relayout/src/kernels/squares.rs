//! Transposing squares: what has neighbours along one chain of loops in the source has neighbours
//! along another in the destination.
//!
//! A square is as many rows of the source as a row has elements, each row a line (or a half or a
//! quarter of one), so that both sides move whole lines. Rows lie anywhere: `rows` says how far
//! each is from the first on the source's side, `columns` the same for the destination's side.

use super::place::{At, CACHED, LINE, STREAMED, Stores, copy_one, put};
use super::register::{Lane, Register};
use super::shuffle::{interleave_lanes, transpose};
use super::thin::{flat, strips};
use super::turn::{Order, turned};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Two chains of loops as lists of distances in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid<'t> {
    /// For each element of the destination's run: how far from the first it is in the source.
    pub(super) rows: &'t [i64],
    /// For each element of the source's run: how far from the first it is in the destination.
    pub(super) columns: &'t [i64],
    /// How each element is turned on its way, if it is.
    pub(super) turn: Option<&'t Order>,
    /// No row is further from the first in the source.
    pub(super) reach: i64,
    /// Where the source ends: from any element on, all up to here can be read.
    pub(super) end: *const u8,
}

impl<'t> Grid<'t> {
    /// Whether squares of a grid of elements of `unit` bytes fill whole lines from `at` on.
    pub(super) fn writes_lines(&self, at: At, unit: usize) -> bool {
        let (head, side) = (at.to_line(), LINE / unit);
        let is_square = self.rows.len() >= head / unit + side && self.columns.len() >= side;
        let are_lines = || self.columns.iter().all(|column| column % LINE as i64 == 0);
        is_square && head.is_multiple_of(unit) && are_lines()
    }

    /// Whether `len` bytes can be read from the beginning of every row.
    #[inline(always)]
    pub(super) fn can_read(&self, at: At, len: usize) -> bool {
        let furthest = at.plus(self.reach, 0).src;
        let left = (self.end as usize).checked_sub(furthest as usize);
        left.is_some_and(|left| left >= len)
    }

    /// The same with some of the rows.
    #[inline(always)]
    pub(super) fn part(self, rows: &'t [i64]) -> Self {
        let mut reach = i64::MIN;
        rows.iter().for_each(|&row| reach = reach.max(row));
        Grid { rows, reach, ..self }
    }
}

/// How many squares ahead in the walk along a panel lines of the source are asked for.
const AHEAD: usize = 8;

/// The squares that are walked together across a panel, so that a visit to a part of the
/// destination writes more than one line of it.
const fn squares_together(side: usize) -> usize {
    let rows = 16;
    if side * 2 >= rows { 2 } else { rows / side }
}

/// Moves every element of a grid of elements of `N` bytes. `next` is where the next grid of the
/// same form begins, whose first lines are asked for at the end.
///
/// # Safety
/// The processor has these registers. For every row and column, an element can be read at
/// `rows[row] + column * N` and written at `columns[column] + row * N`.
#[inline(always)]
pub(super) unsafe fn transpose_grid<R: Register, const N: usize>(
    at: At,
    next: At,
    grid: Grid<'_>,
    stores: Stores,
) {
    let side = LINE / N;
    let (n_rows, n_columns) = (grid.rows.len(), grid.columns.len());
    // SAFETY: the parts of the grid are each within it; squares are streamed to whole lines.
    unsafe {
        if n_rows < side || n_columns < side {
            return transpose_small::<R, N>(at, next, grid);
        }
        if stores != Stores::Streamed || !grid.writes_lines(at, N) {
            return transpose_body::<R, N, CACHED>(at, next, grid, 0);
        }
        let first = at.to_line() / N;
        // The rows before the first line, with some that are moved again as whole lines.
        if first > 0 {
            let top = Grid { rows: &grid.rows[..side], ..grid };
            transpose_body::<R, N, CACHED>(at, at, top, 0);
        }
        transpose_body::<R, N, STREAMED>(at, next, grid, first);
    }
}

/// Moves the rows of a grid from `first` on, in squares of whole lines. The last squares of a side
/// that is no multiple of a line share elements with those before them.
///
/// # Safety
/// As [`transpose_grid`]; there is a line's worth of rows from `first` on, and of columns. For
/// streaming, all columns are multiples of a line, as is row `first`.
#[inline(always)]
unsafe fn transpose_body<R: Register, const N: usize, const S: u8>(
    at: At,
    next: At,
    grid: Grid<'_>,
    first: usize,
) {
    let side = LINE / N;
    let last = first + (grid.rows.len() - first) / side * side;
    let mut panel = first..first;
    // SAFETY: panels lie within the grid; only the last one is not in whole lines.
    unsafe {
        while panel.end < last {
            panel = panel.end..(panel.end + squares_together(side) * side).min(last);
            // Further rows come next, or the first ones of the next grid.
            let after = if panel.end < last { (at, panel.end) } else { (next, 0) };
            transpose_panel::<R, N, S>(at, grid, panel.clone(), after);
        }
        if last < grid.rows.len() {
            let bottom = grid.rows.len() - side..grid.rows.len();
            transpose_panel::<R, N, CACHED>(at, grid, bottom, (next, 0));
        }
    }
}

/// Moves some rows of a grid, a multiple of a line. `after` is where the walk goes on: another
/// start, and a row from it.
///
/// # Safety
/// As [`transpose_body`], for these rows.
#[inline(always)]
unsafe fn transpose_panel<R: Register, const N: usize, const S: u8>(
    at: At,
    grid: Grid<'_>,
    panel: Range<usize>,
    after: (At, usize),
) {
    let side = LINE / N;
    let n_columns = grid.columns.len();
    let ahead = (AHEAD * side).min(n_columns);
    let mut column = 0;
    while column < n_columns {
        let here = column.min(n_columns - side);
        let columns = &grid.columns[here..here + side];
        for row in panel.clone().step_by(side) {
            let rows = &grid.rows[row..row + side];
            let soon = if column + ahead < n_columns {
                Ahead { at: at.plus(((column + ahead) * N) as i64, 0), rows }
            } else {
                let row = (row - panel.start + after.1).min(grid.rows.len() - side);
                let from = after.0.plus(((column + ahead - n_columns) * N) as i64, 0);
                Ahead { at: from, rows: &grid.rows[row..row + side] }
            };
            let at = at.plus((here * N) as i64, (row * N) as i64);
            // SAFETY: the square lies within the grid.
            unsafe { square::<R, N, S>(at, rows, columns, soon, grid.turn) };
        }
        column += side;
    }
}

/// The rows of a square that is to be moved soon.
#[derive(Clone, Copy)]
struct Ahead<'t> {
    at: At,
    rows: &'t [i64],
}

/// Moves a grid that has no line's worth of rows or of columns, in squares of the largest registers
/// that it has a side for; in strips or one by one where it has none.
///
/// # Safety
/// As [`transpose_grid`].
#[inline(always)]
unsafe fn transpose_small<R: Register, const N: usize>(at: At, next: At, grid: Grid<'_>) {
    let (rows, columns) = (grid.rows.len() * N, grid.columns.len() * N);
    let shorter = rows.min(columns);
    // SAFETY: the caller's promise.
    unsafe {
        match () {
            () if N < R::Half::BYTES && shorter >= R::Half::BYTES => {
                squares_of::<R::Half, N>(at, next, grid);
            }
            () if N < SHORT && shorter >= SHORT => squares_of::<R::Lane, N>(at, next, grid),
            () if N < SHORT && rows >= R::BYTES => strips::<R, N>(at, grid),
            () if N < SHORT && rows >= R::Half::BYTES => strips::<R::Half, N>(at, grid),
            () if N < SHORT && rows >= SHORT => strips::<R::Lane, N>(at, grid),
            () if N < 4 && columns >= SHORT => flat::<R::Lane, N>(at, grid),
            () => one_by_one::<N>(at, grid),
        }
    }
}

/// The bytes of the shortest registers, and of the lanes of longer ones.
pub(super) const SHORT: usize = 16;

/// Moves a grid in squares of registers, the last ones sharing elements with those before them.
///
/// # Safety
/// As [`transpose_grid`]; there is a register's worth of rows and of columns.
#[inline(always)]
unsafe fn squares_of<R: Register, const N: usize>(at: At, next: At, grid: Grid<'_>) {
    let side = R::BYTES / N;
    let (n_rows, n_columns) = (grid.rows.len(), grid.columns.len());
    let row_end = (n_columns * N - 1) as i64;
    for row in (0..n_rows).step_by(side) {
        let row = row.min(n_rows - side);
        for &from in &grid.rows[row..row + side] {
            next.plus(from, 0).prefetch_near();
            next.plus(from + row_end, 0).prefetch_near();
        }
        for column in (0..n_columns).step_by(side) {
            let column = column.min(n_columns - side);
            let at = at.plus((column * N) as i64, (row * N) as i64);
            let (rows, columns) =
                (&grid.rows[row..row + side], &grid.columns[column..column + side]);
            // SAFETY: the square lies within the grid.
            unsafe { small_square::<R, N>(at, rows, columns, grid.turn) };
        }
    }
}

/// Moves a grid element by element, along its longer side.
///
/// # Safety
/// As [`transpose_grid`].
#[inline(always)]
pub(super) unsafe fn one_by_one<const N: usize>(at: At, grid: Grid<'_>) {
    // SAFETY: the elements lie within the grid.
    unsafe {
        if grid.rows.len() < grid.columns.len() {
            for (row, &from) in grid.rows.iter().enumerate() {
                let at = at.plus(from, (row * N) as i64);
                for (column, &to) in grid.columns.iter().enumerate() {
                    copy_turned::<N>(at.plus((column * N) as i64, to), grid.turn);
                }
            }
        } else {
            for (column, &to) in grid.columns.iter().enumerate() {
                let at = at.plus((column * N) as i64, to);
                for (row, &from) in grid.rows.iter().enumerate() {
                    copy_turned::<N>(at.plus(from, (row * N) as i64), grid.turn);
                }
            }
        }
    }
}

/// The order of the bytes of turned elements, which have 4, 8 or 16.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
pub(super) unsafe fn order_of<R: Register, const N: usize>(turn: Option<&Order>) -> Option<R> {
    match (N, turn) {
        // SAFETY: the caller's promise.
        (4 | 8 | 16, Some(order)) => Some(unsafe { R::repeat(order) }),
        _ => None,
    }
}

/// Loads a register of each row.
///
/// # Safety
/// As [`Register::load`], at all rows; there are `K` of them.
#[inline(always)]
unsafe fn load_rows<R: Register, const K: usize>(at: At, rows: &[i64], order: Option<R>) -> [R; K] {
    let rows = &rows[..K];
    let mut registers = MaybeUninit::<[R; K]>::uninit();
    let first = registers.as_mut_ptr().cast::<R>();
    // SAFETY: the caller's promise; all `K` registers are written.
    unsafe {
        for (place, &row) in rows.iter().enumerate() {
            first.add(place).write(load_turned(at.plus(row, 0).src, order));
        }
        registers.assume_init()
    }
}

/// As [`load_rows`], where there may be fewer rows; the first, again, for those that are not there.
///
/// # Safety
/// A register can be read of each of the rows, of which there is one at least.
#[inline(always)]
unsafe fn load_few_rows<R: Register, const K: usize>(
    at: At,
    rows: &[i64],
    order: Option<R>,
) -> [R; K] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut registers = [load_turned(at.plus(rows[0], 0).src, order); K];
        for (place, register) in registers.iter_mut().enumerate() {
            if place < rows.len() {
                *register = load_turned(at.plus(rows[place], 0).src, order);
            }
        }
        registers
    }
}

/// Loads a register, and turns its elements if there is an order for their bytes.
///
/// # Safety
/// As [`Register::load`].
#[inline(always)]
pub(super) unsafe fn load_turned<R: Register>(from: *const u8, order: Option<R>) -> R {
    // SAFETY: the caller's promise.
    unsafe {
        let register = R::load(from);
        order.map_or(register, |order| register.shuffle(order))
    }
}

/// Copies one element, turned if it is to be.
///
/// # Safety
/// As [`copy_one`].
#[inline(always)]
unsafe fn copy_turned<const N: usize>(at: At, turn: Option<&Order>) {
    // SAFETY: the caller's promise; arrays of bytes need no alignment.
    unsafe {
        let Some(order) = turn else { return copy_one::<N>(at) };
        let block = at.src.cast::<[u8; N]>().read_unaligned();
        at.dst.cast::<[u8; N]>().write_unaligned(turned(block, order));
    }
}

/// Moves a square of whole lines.
///
/// # Safety
/// As [`transpose_grid`], for a line's worth of rows and columns.
#[inline(always)]
unsafe fn square<R: Register, const N: usize, const S: u8>(
    at: At,
    rows: &[i64],
    columns: &[i64],
    soon: Ahead<'_>,
    turn: Option<&Order>,
) {
    // The number of registers is a constant of each case; the compiler leaves one.
    // SAFETY: the caller's promise.
    unsafe {
        match R::BYTES / N {
            64 => parts::<R, N, S, 64>(at, rows, columns, soon, turn),
            32 => parts::<R, N, S, 32>(at, rows, columns, soon, turn),
            16 => parts::<R, N, S, 16>(at, rows, columns, soon, turn),
            8 => parts::<R, N, S, 8>(at, rows, columns, soon, turn),
            4 => parts::<R, N, S, 4>(at, rows, columns, soon, turn),
            2 => parts::<R, N, S, 2>(at, rows, columns, soon, turn),
            1 => parts::<R, N, S, 1>(at, rows, columns, soon, turn),
            _ => units::<R, N, S>(at, rows, columns),
        }
    }
}

/// Moves a square of lines in squares of `K` registers, those of a destination line together.
///
/// # Safety
/// As [`square`].
#[inline(always)]
unsafe fn parts<R: Register, const N: usize, const S: u8, const K: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
    soon: Ahead<'_>,
    turn: Option<&Order>,
) {
    // SAFETY: the caller says that the processor has the registers.
    let order = unsafe { order_of::<R, N>(turn) };
    let n_parts = LINE / R::BYTES;
    // Registers of a whole line; the compiler leaves one of these.
    // SAFETY: the caller's promise.
    unsafe {
        match (n_parts, SHORT / N) {
            (1, 4) => return lines::<R, N, S, 4>(at, rows, columns, soon, order),
            (1, 2) => return lines::<R, N, S, 2>(at, rows, columns, soon, order),
            _ => {}
        }
    }
    for across in 0..n_parts {
        let from = at.plus((across * R::BYTES) as i64, 0);
        // SAFETY: the caller's promise; `rows` and `columns` have `n_parts * K` entries.
        unsafe {
            let mut lines = [const { MaybeUninit::<[R; K]>::uninit() }; 4];
            for (part, line) in lines.iter_mut().enumerate().take(n_parts) {
                let here = part * K..(part + 1) * K;
                line.write(transpose::<R, N, K>(load_rows(from, &rows[here.clone()], order)));
                if across == 0 {
                    soon.rows[here].iter().for_each(|&row| soon.at.plus(row, 0).prefetch_near());
                }
            }
            for place in 0..K {
                let to = at.plus(0, columns[across * K + place]);
                for (part, line) in lines.iter().enumerate().take(n_parts) {
                    // These parts were written above.
                    let register = line.as_ptr().cast::<R>().add(place).read();
                    put::<R, S>(register, to.plus(0, (part * R::BYTES) as i64).dst);
                }
            }
        }
    }
}

/// Moves a square by registers of a line, of whose four times 16 bytes each has `E` elements: first
/// squares of 16 bytes are transposed, then these as wholes, each line written as soon as it is there.
///
/// # Safety
/// As [`square`].
#[inline(always)]
unsafe fn lines<R: Register, const N: usize, const S: u8, const E: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
    soon: Ahead<'_>,
    order: Option<R>,
) {
    let (rows, columns) = (&rows[..4 * E], &columns[..4 * E]);
    let mut within = MaybeUninit::<[[R; E]; 4]>::uninit();
    let first = within.as_mut_ptr().cast::<[R; E]>();
    // SAFETY: the caller's promise; all four parts are written.
    unsafe {
        for part in 0..4 {
            let rows = &rows[part * E..(part + 1) * E];
            first.add(part).write(interleave_lanes::<R, N, E>(load_rows(at, rows, order)));
        }
        soon.rows[..4 * E].iter().for_each(|&row| soon.at.plus(row, 0).prefetch_near());
        let within = within.assume_init();
        for place in 0..E {
            let [a, b, c, d] = within;
            let lines = R::transpose_lanes([a[place], b[place], c[place], d[place]]);
            for (lane, line) in lines.into_iter().enumerate() {
                put::<R, S>(line, at.plus(0, columns[lane * E + place]).dst);
            }
        }
    }
}

/// Moves a square of elements larger than a register.
///
/// # Safety
/// As [`square`].
#[inline(always)]
unsafe fn units<R: Register, const N: usize, const S: u8>(at: At, rows: &[i64], columns: &[i64]) {
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

/// Moves a square whose sides are a register's.
///
/// # Safety
/// As [`transpose_grid`], for a register's worth of rows and of columns.
#[inline(always)]
unsafe fn small_square<R: Register, const N: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
    turn: Option<&Order>,
) {
    // The number of registers is a constant of each case; the compiler leaves one.
    // SAFETY: the caller's promise.
    unsafe {
        match R::BYTES / N {
            32 => small_square_of::<R, N, 32>(at, rows, columns, turn),
            16 => small_square_of::<R, N, 16>(at, rows, columns, turn),
            8 => small_square_of::<R, N, 8>(at, rows, columns, turn),
            4 => small_square_of::<R, N, 4>(at, rows, columns, turn),
            _ => small_square_of::<R, N, 2>(at, rows, columns, turn),
        }
    }
}

/// # Safety
/// As [`small_square`].
#[inline(always)]
unsafe fn small_square_of<R: Register, const N: usize, const K: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
    turn: Option<&Order>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let order = order_of::<R, N>(turn);
        let transposed = transpose::<R, N, K>(load_rows(at, rows, order));
        for (register, &to) in transposed.into_iter().zip(&columns[..K]) {
            register.store(at.plus(0, to).dst);
        }
    }
}

/// Moves a square of which there are fewer rows than a register holds; of each register only so much
/// is written.
///
/// # Safety
/// As [`transpose_grid`], for a register's worth of columns and a row at least.
#[inline(always)]
pub(super) unsafe fn flat_square<R: Lane, const N: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
    turn: Option<&Order>,
) {
    // The number of registers is a constant of each case; the compiler leaves one.
    // SAFETY: the caller's promise.
    unsafe {
        match R::BYTES / N {
            16 => flat_square_of::<R, N, 16>(at, rows, columns, turn),
            8 => flat_square_of::<R, N, 8>(at, rows, columns, turn),
            4 => flat_square_of::<R, N, 4>(at, rows, columns, turn),
            _ => flat_square_of::<R, N, 2>(at, rows, columns, turn),
        }
    }
}

/// # Safety
/// As [`flat_square`].
#[inline(always)]
unsafe fn flat_square_of<R: Lane, const N: usize, const K: usize>(
    at: At,
    rows: &[i64],
    columns: &[i64],
    turn: Option<&Order>,
) {
    // SAFETY: the caller's promise; what rows that are not there would hold is not written.
    unsafe {
        let order = order_of::<R, N>(turn);
        let transposed = transpose::<R, N, K>(load_few_rows(at, rows, order));
        for (register, &to) in transposed.into_iter().zip(&columns[..K]) {
            register.store_first(at.plus(0, to).dst, rows.len() * N);
        }
    }
}
