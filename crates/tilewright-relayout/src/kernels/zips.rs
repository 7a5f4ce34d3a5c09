//! Rows zipped together, and taken apart: the second tile of `T(8,128)(2,1)`.

use super::place::{At, CACHED, LINE, STAGED, STREAMED, Stores, copy_one, put};
use super::register::Register;
use super::shuffle::{interleave, take_apart};

/// `K` rows of elements, `row` bytes apart, and how long they are in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) step: i64,
    pub(super) length: usize,
    /// How many of the rows are there, where a run is taken apart.
    pub(super) kept: usize,
}

impl Rows {
    /// The elements of a row that are taken apart `count` at a time: all that goes with the last one
    /// may not be there.
    #[inline(always)]
    pub(super) fn whole(&self, count: usize) -> usize {
        self.length - usize::from(self.kept < count)
    }
}

/// Zips `K` rows of the source into one run of the destination.
///
/// # Safety
/// The processor has these registers. `rows.length` elements of `N` bytes can be read in each of
/// the rows, and `K` times as many written.
#[inline(always)]
pub(super) unsafe fn zip_rows<R: Register, const N: usize, const K: usize>(
    at: At,
    rows: Rows,
    stores: Stores,
) {
    let group = N * K;
    let mut done = 0;
    // SAFETY: every step takes elements that are there; streamed registers are at multiples of a
    // line.
    unsafe {
        let head = at.to_line();
        if stores == Stores::Streamed && head.is_multiple_of(group) {
            done = (head / group).min(rows.length);
            zip_each::<N, K>(at, rows, 0, done);
            done = zip_registers::<R, N, K, STREAMED>(at, rows, done);
        } else if stores == Stores::Staged {
            done = zip_registers::<R, N, K, STAGED>(at, rows, done);
        } else {
            done = zip_registers::<R, N, K, CACHED>(at, rows, done);
        }
        done = zip_registers::<R::Half, N, K, CACHED>(at, rows, done);
        done = zip_registers::<<R::Half as Register>::Half, N, K, CACHED>(at, rows, done);
        zip_each::<N, K>(at, rows, done, rows.length);
    }
}

/// Zips from element `done` on as long as whole registers are left. Says how far.
///
/// # Safety
/// As [`zip_rows`]; for streaming, the destination of element `done` is a multiple of a register.
#[inline(always)]
unsafe fn zip_registers<R: Register, const N: usize, const K: usize, const S: u8>(
    at: At,
    rows: Rows,
    mut done: usize,
) -> usize {
    let per_register = R::BYTES / N;
    while done + per_register <= rows.length {
        let from = at.plus((done * N) as i64, (done * N * K) as i64);
        // SAFETY: a register's worth of elements is left in each row, and room for all of them.
        unsafe {
            let mut registers = [R::load(from.src); K];
            for (register, row) in registers.iter_mut().zip(0..) {
                let from = from.plus(row * rows.step, 0);
                *register = R::load(from.src);
                if S != CACHED {
                    from.prefetch_near_ahead();
                }
            }
            let zipped = interleave::<R, N, K>(registers);
            for (place, register) in zipped.into_iter().enumerate() {
                put::<R, S>(register, from.plus(0, (place * R::BYTES) as i64).dst);
            }
        }
        done += per_register;
    }
    done
}

/// Zips the elements from one to another, one by one.
///
/// # Safety
/// As [`zip_rows`].
#[inline(always)]
pub(super) unsafe fn zip_each<const N: usize, const K: usize>(
    at: At,
    rows: Rows,
    from: usize,
    to: usize,
) {
    for place in from..to {
        let group = at.plus((place * N) as i64, (place * N * K) as i64);
        for row in 0..K {
            // SAFETY: `place` is below the length of the rows.
            unsafe { copy_one::<N>(group.plus(row as i64 * rows.step, (row * N) as i64)) };
        }
    }
}

/// Takes a run of the source apart into `K` rows of the destination.
///
/// # Safety
/// The processor has these registers. `rows.length` times, `rows.kept` of `K` elements of `N` bytes can
/// be read, and what lies between; `rows.length` can be written in each of the rows.
#[inline(always)]
pub(super) unsafe fn unzip_rows<R: Register, const N: usize, const K: usize>(
    at: At,
    rows: Rows,
    stores: Stores,
) {
    let is_aligned = at.to_line() == 0 && rows.step % LINE as i64 == 0;
    // SAFETY: every step takes elements that are there; all rows begin at multiples of a line
    // where registers are streamed.
    unsafe {
        let done = match stores {
            Stores::Streamed if is_aligned => unzip_registers::<R, N, K, STREAMED>(at, rows, 0),
            Stores::Staged => unzip_registers::<R, N, K, STAGED>(at, rows, 0),
            _ => unzip_registers::<R, N, K, CACHED>(at, rows, 0),
        };
        let done = unzip_registers::<R::Half, N, K, CACHED>(at, rows, done);
        let done = unzip_registers::<<R::Half as Register>::Half, N, K, CACHED>(at, rows, done);
        unzip_each::<N, K>(at, rows, done);
    }
}

/// Takes the elements from `done` on apart, one by one.
///
/// # Safety
/// As [`unzip_rows`].
#[inline(always)]
pub(super) unsafe fn unzip_each<const N: usize, const K: usize>(at: At, rows: Rows, done: usize) {
    for place in done..rows.length {
        let group = at.plus((place * N * K) as i64, (place * N) as i64);
        for row in 0..rows.kept {
            // SAFETY: `place` is below the length of the rows.
            unsafe { copy_one::<N>(group.plus((row * N) as i64, row as i64 * rows.step)) };
        }
    }
}

/// # Safety
/// As [`unzip_rows`]; for streaming, all rows' element `done` are multiples of a register.
#[inline(always)]
unsafe fn unzip_registers<R: Register, const N: usize, const K: usize, const S: u8>(
    at: At,
    rows: Rows,
    mut done: usize,
) -> usize {
    let per_register = R::BYTES / N;
    while done + per_register <= rows.whole(K) {
        let from = at.plus((done * N * K) as i64, (done * N) as i64);
        // SAFETY: `K` registers' worth of elements are left, and one's in each row.
        unsafe {
            let mut registers = [R::load(from.src); K];
            for (place, register) in registers.iter_mut().enumerate() {
                let from = from.plus((place * R::BYTES) as i64, 0);
                *register = R::load(from.src);
                if S != CACHED {
                    from.prefetch_ahead();
                }
            }
            let apart = take_apart::<R, N, K>(registers);
            for (row, register) in apart.into_iter().enumerate() {
                if row < rows.kept {
                    put::<R, S>(register, from.plus(0, row as i64 * rows.step).dst);
                }
            }
        }
        done += per_register;
    }
    done
}
