//! What is done at every place of the loops around a kernel.
//!
//! Each kernel is a task of its own, as is each number of rows: code is compiled for every level,
//! all of it inlined, and what is compiled together has its room on the stack together.

use super::joined;
use super::level::{Level, Task};
use super::place::{AHEAD, At, STAGED, STREAMED, Stores, copy_one};
use super::places::{Places, innermost};
use super::register::Register;
use super::runs::{self, Row};
use super::weave::{self, Rows};
use crate::nest::Loop;

/// Loops around a kernel of elements of `N` bytes, from a place on.
#[derive(Clone, Copy)]
pub(super) struct Walk<'t, const N: usize> {
    pub(super) loops: &'t [Loop],
    pub(super) at: At,
    pub(super) stores: Stores,
    /// The end of the source.
    pub(super) end: *const u8,
}

impl<'t, const N: usize> Walk<'t, N> {
    #[inline(always)]
    fn places(&self) -> Places<'t> {
        Places::new(self.loops, N, self.at)
    }
}

/// Copies runs of `length` elements.
pub(super) struct Run<'t, const N: usize> {
    pub(super) walk: Walk<'t, N>,
    pub(super) length: i64,
}

impl<const N: usize> Task for Run<'_, N> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Walk { loops, at, stores, end } = self.walk;
        let (inner, outer) = innermost(loops);
        let row = Row {
            len: self.length as usize * N,
            count: inner.extent,
            src: inner.src * N as i64,
            dst: inner.dst * N as i64,
        };
        let mut places = Places::new(outer, N, at);
        while let Some(at) = places.next() {
            // SAFETY: the caller's promise.
            unsafe {
                if !runs::copy_following::<R>(at, row, end) {
                    runs::copy_runs::<R>(at, row, stores);
                }
            }
        }
    }
}

/// Copies runs of `length` elements from memory, a line or more, and asks for those that come next.
pub(super) struct FarRun<'t, const N: usize> {
    pub(super) walk: Walk<'t, N>,
    pub(super) length: i64,
}

impl<const N: usize> Task for FarRun<'_, N> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.walk.stores {
                Stores::Streamed => self.copy::<R, STREAMED>(),
                _ => self.copy::<R, STAGED>(),
            }
        }
    }
}

impl<const N: usize> FarRun<'_, N> {
    /// # Safety
    /// The processor has these registers; and as for the [task](Task).
    #[inline(always)]
    unsafe fn copy<R: Register, const S: u8>(self) {
        let len = self.length as usize * N;
        let (mut places, mut soon) = (self.walk.places(), self.walk.places());
        for _ in 0..AHEAD.div_ceil(len) {
            soon.next();
        }
        while let Some(at) = places.next() {
            let next = soon.next().map_or(at.src, |next| next.src);
            // SAFETY: the caller's promise.
            unsafe { runs::copy_far::<R, S>(at, len, next) };
        }
    }
}

/// Copies rows of runs.
pub(super) struct Join<'t, const N: usize> {
    pub(super) walk: Walk<'t, N>,
    pub(super) rows: joined::Rows,
}

impl<const N: usize> Task for Join<'_, N> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let mut places = self.walk.places();
        while let Some(at) = places.next() {
            // SAFETY: the caller's promise.
            unsafe { joined::copy_joined::<R>(at, self.rows) };
        }
    }
}

/// Zips rows, or takes them apart.
#[derive(Clone, Copy)]
pub(super) struct Zip<'t, const N: usize> {
    pub(super) walk: Walk<'t, N>,
    pub(super) rows: Rows,
    /// How many rows there are.
    pub(super) count: i64,
}

impl<const N: usize> Zip<'_, N> {
    /// Zips, or takes apart if `APART`.
    ///
    /// # Safety
    /// The rows at all places can be read, and what they come to written.
    pub(super) unsafe fn run<const APART: bool>(self, level: Level) {
        let Zip { walk, rows, count } = self;
        // SAFETY: the caller's promise.
        unsafe {
            match count {
                3 if N <= 8 => level.run(Weave::<N, 3, APART> { walk, rows }),
                5 if N <= 8 => level.run(Weave::<N, 5, APART> { walk, rows }),
                6 if N <= 8 => level.run(Weave::<N, 6, APART> { walk, rows }),
                7 if N <= 8 => level.run(Weave::<N, 7, APART> { walk, rows }),
                _ => level.run(self.one_by_one::<APART>()),
            }
        }
    }

    /// The same elements one by one, for any number of rows.
    fn one_by_one<const APART: bool>(&self) -> Single<'_, N> {
        let Zip { walk, rows, count } = *self;
        let (extent, step) = (rows.length as i64, rows.step / N as i64);
        let (outer, inner) = match APART {
            false => {
                (Loop { extent, src: 1, dst: count }, Loop { extent: count, src: step, dst: 1 })
            }
            true => (
                Loop { extent, src: count, dst: 1 },
                Loop { extent: rows.kept as i64, src: 1, dst: step },
            ),
        };
        Single { walk, outer, inner }
    }
}

/// `K` rows by shuffles within 16 bytes.
struct Weave<'t, const N: usize, const K: usize, const APART: bool> {
    walk: Walk<'t, N>,
    rows: Rows,
}

impl<const N: usize, const K: usize, const APART: bool> Task for Weave<'_, N, K, APART> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Weave { walk, rows } = self;
        let mut places = walk.places();
        while let Some(at) = places.next() {
            // SAFETY: the caller's promise.
            unsafe {
                match APART {
                    false => weave::weave_rows::<R, N, K>(at, rows, walk.stores),
                    true => weave::unweave_rows::<R, N, K>(at, rows, walk.stores),
                }
            }
        }
    }
}

/// Copies the elements of two loops one by one.
pub(super) struct Single<'t, const N: usize> {
    pub(super) walk: Walk<'t, N>,
    pub(super) outer: Loop,
    pub(super) inner: Loop,
}

impl<const N: usize> Task for Single<'_, N> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Single { walk, outer, inner } = self;
        let unit = N as i64;
        let mut places = walk.places();
        while let Some(at) = places.next() {
            for i in 0..outer.extent {
                let row = at.plus(i * outer.src * unit, i * outer.dst * unit);
                for j in 0..inner.extent {
                    // SAFETY: the caller's promise.
                    unsafe { copy_one::<N>(row.plus(j * inner.src * unit, j * inner.dst * unit)) };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::place::Stores;

    /// Rows of a number that no network and no shuffle is made for are zipped all the same.
    #[test]
    fn any_number_of_rows() {
        const COUNT: usize = 9;
        const LENGTH: usize = 20;
        let rows: Vec<u8> = (0..COUNT * LENGTH).map(|n| n as u8).collect();
        let zipped: Vec<u8> =
            (0..COUNT * LENGTH).map(|n| rows[n % COUNT * LENGTH + n / COUNT]).collect();
        let of = Rows { step: LENGTH as i64, length: LENGTH, kept: COUNT };
        for level in Level::all() {
            let mut dst = [vec![0; rows.len()], vec![0; rows.len()]];
            let [run, apart] = &mut dst;
            for (src, dst, is_apart) in [(&rows, run, false), (&zipped, apart, true)] {
                let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
                let end = src.as_ptr_range().end;
                let walk = Walk::<1> { loops: &[], at, stores: Stores::Cached, end };
                let zip = Zip { walk, rows: of, count: COUNT as i64 };
                // SAFETY: there are `COUNT * LENGTH` bytes on both sides, which do not overlap.
                unsafe { if is_apart { zip.run::<true>(level) } else { zip.run::<false>(level) } };
            }
            assert_eq!(dst, [zipped.clone(), rows.clone()], "{level:?}");
        }
    }
}
