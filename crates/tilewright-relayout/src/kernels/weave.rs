//! Rows zipped together and taken apart where there are 3, 5, 6 or 7 of them: the colours of an
//! image, the coordinates of points.
//!
//! Numbers that are no powers of two have no networks of zips. Every register that comes out is put
//! together from all that went in, the bytes of each shuffled to their places and zeros elsewhere.

use super::place::{At, CACHED, STAGED, STREAMED, Stores, put};
use super::register::Register;
use super::zips::{Rows, unzip_each, zip_each};

/// No more rows than this are woven.
const MAX_ROWS: usize = 7;

/// The bytes of the registers that are shuffled.
const BYTES: usize = 16;

/// For every register that comes out and every one that goes in, where bytes come from.
type Shuffles = [[[u8; BYTES]; MAX_ROWS]; MAX_ROWS];

/// Has a shuffle write a zero.
const ZERO: u8 = 0x80;

/// Whether so many rows of elements of `unit` bytes are woven. As many shuffles as the square of
/// their number pay where elements are small.
pub(super) const fn is_woven(count: i64, unit: i64) -> bool {
    match count {
        3 => unit <= 8,
        5 | 6 => unit <= 2,
        7 => unit == 1,
        _ => false,
    }
}

/// How registers of `rows` rows of elements of `unit` bytes make the registers of one run, or the
/// other way round.
const fn shuffles(unit: usize, rows: usize, is_apart: bool) -> Shuffles {
    let mut all = [[[ZERO; BYTES]; MAX_ROWS]; MAX_ROWS];
    let mut byte = 0;
    // Larger elements are not woven.
    while is_woven(rows as i64, unit as i64) && byte < BYTES * rows {
        // A byte of the run, and the byte of a row that it is.
        let (element, within) = (byte / unit, byte % unit);
        let (row, place) = (element % rows, element / rows * unit + within);
        let (register, here) = (byte / BYTES, byte % BYTES);
        if is_apart {
            all[row][register][place] = here as u8;
        } else {
            all[register][row][here] = place as u8;
        }
        byte += 1;
    }
    all
}

/// The bytes of all registers shuffled and put together.
///
/// # Safety
/// The processor has these registers, which are of [`BYTES`] bytes.
#[inline(always)]
unsafe fn shuffled<R: Register, const K: usize>(from: [R; K], shuffles: &Shuffles) -> [R; K] {
    let mut to = from;
    for (register, orders) in to.iter_mut().zip(shuffles) {
        // SAFETY: the caller's promise.
        unsafe {
            *register = from[0].shuffle(R::repeat(&orders[0]));
            for (part, order) in from.iter().zip(orders).skip(1) {
                *register = register.or(part.shuffle(R::repeat(order)));
            }
        }
    }
    to
}

/// Weaves `K` rows of the source into one run of the destination.
///
/// # Safety
/// As [`zip_rows`](super::zips::zip_rows).
#[inline(always)]
pub(super) unsafe fn weave_rows<R: Register, const N: usize, const K: usize>(
    at: At,
    rows: Rows,
    stores: Stores,
) {
    // SAFETY: the caller's promise; streamed registers are at multiples of one.
    let done = unsafe {
        match stores {
            Stores::Streamed if (at.dst as usize).is_multiple_of(BYTES) => {
                weave::<R, N, K, STREAMED>(at, rows)
            }
            Stores::Staged => weave::<R, N, K, STAGED>(at, rows),
            _ => weave::<R, N, K, CACHED>(at, rows),
        }
    };
    // SAFETY: the caller's promise.
    unsafe { zip_each::<N, K>(at, rows, done, rows.length) };
}

/// # Safety
/// As [`weave_rows`]; for streaming, the destination is a multiple of a register.
#[inline(always)]
unsafe fn weave<R: Register, const N: usize, const K: usize, const S: u8>(
    at: At,
    rows: Rows,
) -> usize {
    let per_register = BYTES / N;
    let mut done = 0;
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
            let run = shuffled::<R, K>(registers, const { &shuffles(N, K, false) });
            for (place, register) in run.into_iter().enumerate() {
                put::<R, S>(register, from.plus(0, (place * BYTES) as i64).dst);
            }
        }
        done += per_register;
    }
    done
}

/// Takes a run of the source apart into `K` rows of the destination.
///
/// # Safety
/// As [`unzip_rows`](super::zips::unzip_rows).
#[inline(always)]
pub(super) unsafe fn unweave_rows<R: Register, const N: usize, const K: usize>(
    at: At,
    rows: Rows,
    stores: Stores,
) {
    // Streams of three rows and more at once are slower than the caches.
    // SAFETY: the caller's promise.
    let done = unsafe {
        match stores {
            Stores::Cached => unweave::<R, N, K, CACHED>(at, rows),
            Stores::Streamed | Stores::Staged => unweave::<R, N, K, STAGED>(at, rows),
        }
    };
    // SAFETY: the caller's promise.
    unsafe { unzip_each::<N, K>(at, rows, done) };
}

/// # Safety
/// As [`unweave_rows`].
#[inline(always)]
unsafe fn unweave<R: Register, const N: usize, const K: usize, const S: u8>(
    at: At,
    rows: Rows,
) -> usize {
    let per_register = BYTES / N;
    let mut done = 0;
    while done + per_register <= rows.length {
        let from = at.plus((done * N * K) as i64, (done * N) as i64);
        // SAFETY: `K` registers' worth of elements are left, and one's in each row.
        unsafe {
            let mut registers = [R::load(from.src); K];
            for (place, register) in registers.iter_mut().enumerate() {
                let from = from.plus((place * BYTES) as i64, 0);
                *register = R::load(from.src);
                if S != CACHED {
                    from.prefetch_ahead();
                }
            }
            let apart = shuffled::<R, K>(registers, const { &shuffles(N, K, true) });
            for (register, row) in apart.into_iter().zip(0..) {
                put::<R, S>(register, from.plus(0, row * rows.step).dst);
            }
        }
        done += per_register;
    }
    done
}
