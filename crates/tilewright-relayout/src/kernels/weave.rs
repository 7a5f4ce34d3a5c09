//! Rows zipped together and taken apart where there are 3, 5, 6 or 7 of them: the colours of an
//! image, the coordinates of points.
//!
//! Numbers that are no powers of two are no bits of a tile's index. Every register that comes out is put
//! together from all that went in, the bytes of each shuffled to their places and zeros elsewhere.

use super::place::{At, CACHED, STAGED, STREAMED, Stores, copy_one, put};
use super::register::Register;

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

/// No more rows than this are woven.
const MAX_ROWS: usize = 7;

/// The bytes of the registers that are shuffled.
const BYTES: usize = 16;

/// Runs of fewer bytes are not streamed.
const LONG_RUN: usize = 2048;

/// For every register that comes out and every one that goes in, where bytes come from.
type Shuffles = [[[u8; BYTES]; MAX_ROWS]; MAX_ROWS];

/// Has a shuffle write a zero.
const ZERO: u8 = 0x80;

/// Whether so many rows of elements of `unit` bytes are woven.
pub(super) const fn is_woven(count: i64, unit: i64) -> bool {
    matches!(count, 3 | 5..=7) && unit <= 8
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

/// Does something for each number below `K`, which is at most 7: written out, so that registers stay
/// registers.
macro_rules! for_each {
    ($place:ident in $k:ident, $body:block) => {
        for_each!($place in $k, $body; 0 1 2 3 4 5 6)
    };
    ($place:ident in $k:ident, $body:block; $($number:literal)*) => {
        $(if $number < $k {
            const $place: usize = $number;
            $body
        })*
    };
}

/// The bytes of all registers shuffled and put together.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn shuffled<R: Register, const K: usize>(from: [R; K], shuffles: &Shuffles) -> [R; K] {
    let mut to = from;
    // SAFETY: the caller's promise.
    unsafe {
        for_each!(TO in K, {
            to[TO] = from[0].shuffle(R::repeat(&shuffles[TO][0]));
            for_each!(FROM in K, {
                if FROM != 0 {
                    to[TO] = to[TO].or(from[FROM].shuffle(R::repeat(&shuffles[TO][FROM])));
                }
            });
        });
    }
    to
}

/// Weaves `K` rows of the source into one run of the destination.
///
/// # Safety
/// The processor has these registers. `rows.length` elements of `N` bytes can be read in each of
/// the rows, and `K` times as many written.
#[inline(always)]
pub(super) unsafe fn weave_rows<R: Register, const N: usize, const K: usize>(
    at: At,
    rows: Rows,
    stores: Stores,
) {
    // SAFETY: the caller's promise; streamed registers are at multiples of one.
    unsafe {
        let done = match stores {
            // What is left of a short run goes through the caches, and with it its line.
            Stores::Streamed
                if (at.dst as usize).is_multiple_of(BYTES) && rows.length * N * K >= LONG_RUN =>
            {
                weave::<R, N, K, STREAMED>(at, rows, 0)
            }
            Stores::Streamed | Stores::Staged => weave::<R, N, K, STAGED>(at, rows, 0),
            _ => weave::<R, N, K, CACHED>(at, rows, 0),
        };
        let done = weave::<R::Lane, N, K, CACHED>(at, rows, done);
        zip_each::<N, K>(at, rows, done, rows.length);
    }
}

/// Weaves from element `done` on as long as whole registers are left. Says how far.
///
/// # Safety
/// As [`weave_rows`]; for streaming, the destination is a multiple of 16 bytes.
#[inline(always)]
unsafe fn weave<R: Register, const N: usize, const K: usize, const S: u8>(
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
            for_each!(ROW in K, {
                let from = from.plus(ROW as i64 * rows.step, 0);
                registers[ROW] = R::load(from.src);
                if S != CACHED {
                    from.prefetch_near_ahead();
                }
            });
            let run = shuffled::<R, K>(registers, const { &shuffles(N, K, false) });
            for lane in 0..R::BYTES / BYTES {
                for_each!(PLACE in K, {
                    let to = from.plus(0, ((lane * K + PLACE) * BYTES) as i64).dst;
                    put::<R::Lane, S>(run[PLACE].lane(lane), to);
                });
            }
        }
        done += per_register;
    }
    done
}

/// Takes a run of the source apart into `K` rows of the destination.
///
/// # Safety
/// The processor has these registers. `rows.length` times, `rows.kept` of `K` elements of `N` bytes can
/// be read, and what lies between; `rows.length` can be written in each of the rows.
#[inline(always)]
pub(super) unsafe fn unweave_rows<R: Register, const N: usize, const K: usize>(
    at: At,
    rows: Rows,
    stores: Stores,
) {
    // Streams of three rows and more at once are slower than the caches.
    // SAFETY: the caller's promise.
    unsafe {
        let done = match stores {
            Stores::Cached => unweave::<R, N, K, CACHED>(at, rows, 0),
            Stores::Streamed | Stores::Staged => unweave::<R, N, K, STAGED>(at, rows, 0),
        };
        let done = unweave::<R::Lane, N, K, CACHED>(at, rows, done);
        unzip_each::<N, K>(at, rows, done);
    }
}

/// # Safety
/// As [`unweave_rows`].
#[inline(always)]
unsafe fn unweave<R: Register, const N: usize, const K: usize, const S: u8>(
    at: At,
    rows: Rows,
    mut done: usize,
) -> usize {
    let per_register = R::BYTES / N;
    let lanes: [i64; 4] = [0, 1, 2, 3].map(|lane| lane * (K * BYTES) as i64);
    while done + per_register <= rows.whole(K) {
        let from = at.plus((done * N * K) as i64, (done * N) as i64);
        // SAFETY: `K` registers' worth of elements are left, and one's in each row.
        unsafe {
            let mut registers = [R::load(from.src); K];
            for_each!(PLACE in K, {
                let part = from.plus((PLACE * BYTES) as i64, 0);
                registers[PLACE] = R::load_lanes(part.src, &lanes, 1);
                if S != CACHED {
                    from.plus((PLACE * R::BYTES) as i64, 0).prefetch_ahead();
                }
            });
            let apart = shuffled::<R, K>(registers, const { &shuffles(N, K, true) });
            for_each!(ROW in K, {
                if ROW < rows.kept {
                    put::<R, S>(apart[ROW], from.plus(0, ROW as i64 * rows.step).dst);
                }
            });
        }
        done += per_register;
    }
    done
}

/// Zips the elements from one to another, one by one.
///
/// # Safety
/// As [`weave_rows`].
#[inline(always)]
unsafe fn zip_each<const N: usize, const K: usize>(at: At, rows: Rows, from: usize, to: usize) {
    for place in from..to {
        let group = at.plus((place * N) as i64, (place * N * K) as i64);
        for row in 0..K {
            // SAFETY: `place` is below the length of the rows.
            unsafe { copy_one::<N>(group.plus(row as i64 * rows.step, (row * N) as i64)) };
        }
    }
}

/// Takes the elements from `done` on apart, one by one.
///
/// # Safety
/// As [`unweave_rows`].
#[inline(always)]
unsafe fn unzip_each<const N: usize, const K: usize>(at: At, rows: Rows, done: usize) {
    for place in done..rows.length {
        let group = at.plus((place * N * K) as i64, (place * N) as i64);
        for row in 0..rows.kept {
            // SAFETY: `place` is below the length of the rows.
            unsafe { copy_one::<N>(group.plus((row * N) as i64, row as i64 * rows.step)) };
        }
    }
}
