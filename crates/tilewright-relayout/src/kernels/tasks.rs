//! What is done at every place of the loops around a kernel.
//!
//! Each kernel is a task of its own, as is each number of rows with each width of elements that makes a difference: code is
//! compiled for every level, all of it inlined, and what is compiled together has its room on the stack together.

use super::joined;
use super::level::{Level, Task};
use super::place::{AHEAD, At, STAGED, STREAMED, Stores, copy_one};
use super::places::{ONCE, Places, innermost};
use super::register::Register;
use super::runs::{self, Chain, Row};
use super::tile::MAX_UNIT;
use super::weave::{self, Rows, Weaver, is_woven};
use crate::nest::Loop;

/// Loops around a kernel, from a place on.
#[derive(Clone, Copy)]
pub(super) struct Walk<'t> {
    /// These count elements of `unit` bytes.
    pub(super) loops: &'t [Loop],
    pub(super) unit: usize,
    pub(super) at: At,
    pub(super) stores: Stores,
    /// The end of the source.
    pub(super) end: *const u8,
}

impl<'t> Walk<'t> {
    #[inline(always)]
    fn places(&self) -> Places<'t> {
        Places::new(self.loops, self.unit, self.at)
    }
}

/// Copies runs of `length` elements.
pub(super) struct Run<'t> {
    pub(super) walk: Walk<'t>,
    pub(super) length: i64,
}

impl Task for Run<'_> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Walk { loops, unit, at, stores, end } = self.walk;
        if let Some((chain, around)) = Chain::of(loops, self.length, unit) {
            let (mut places, mut left) = (Places::new(around, unit, at), chain.all());
            while let Some(at) = places.next() {
                // SAFETY: the caller's promise.
                left = unsafe { chain.copy::<R>(at, left, end) };
            }
            return;
        }
        let (inner, outer) = innermost(loops);
        let row = Row {
            len: self.length as usize * unit,
            count: inner.extent,
            src: inner.src * unit as i64,
            dst: inner.dst * unit as i64,
        };
        let mut places = Places::new(outer, unit, at);
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
pub(super) struct FarRun<'t> {
    pub(super) walk: Walk<'t>,
    pub(super) length: i64,
}

impl Task for FarRun<'_> {
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

impl FarRun<'_> {
    /// # Safety
    /// The processor has these registers; and as for the [task](Task).
    #[inline(always)]
    unsafe fn copy<R: Register, const S: u8>(self) {
        let len = self.length as usize * self.walk.unit;
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
pub(super) struct Join<'t> {
    pub(super) walk: Walk<'t>,
    pub(super) rows: joined::Rows,
}

impl Task for Join<'_> {
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
pub(super) struct Zip<'t> {
    pub(super) walk: Walk<'t>,
    pub(super) rows: Rows,
    /// How many rows there are.
    pub(super) count: i64,
}

impl Zip<'_> {
    /// Zips, or takes apart if `APART`.
    ///
    /// # Safety
    /// The rows at all places can be read, and what they come to written.
    pub(super) unsafe fn run<const APART: bool>(self, level: Level) {
        let Zip { walk, count, .. } = self;
        // SAFETY: the caller's promise.
        unsafe {
            match count {
                _ if !is_woven(count, walk.unit as i64) => self.one_by_one::<APART>().run(),
                3 => self.woven::<3, APART>(level),
                5 => self.woven::<5, APART>(level),
                6 => self.woven::<6, APART>(level),
                _ => self.woven::<7, APART>(level),
            }
        }
    }

    /// The same of `K` rows.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    unsafe fn woven<const K: usize, const APART: bool>(self, level: Level) {
        let Zip { walk, rows, .. } = self;
        // SAFETY: the caller's promise.
        unsafe {
            match walk.unit {
                8 => level.run(Weave::<K, 8, APART> { walk, rows }),
                4 => level.run(Weave::<K, 4, APART> { walk, rows }),
                _ => level.run(Weave::<K, 2, APART> { walk, rows }),
            }
        }
    }

    /// The same elements one by one, for any number of rows.
    fn one_by_one<const APART: bool>(&self) -> Single<'_> {
        let Zip { walk, rows, count } = *self;
        let (extent, step) = (rows.length as i64, rows.step / walk.unit as i64);
        let (outer, inner) = match APART {
            false => {
                (Loop { extent, src: 1, dst: count }, Loop { extent: count, src: step, dst: 1 })
            }
            true => (
                Loop { extent, src: count, dst: 1 },
                Loop { extent: rows.kept as i64, src: 1, dst: step },
            ),
        };
        Single { walk, singles: Singles::of(outer, inner) }
    }
}

/// `K` rows of elements of `N` bytes, or of fewer, by shuffles within 16 bytes.
struct Weave<'t, const K: usize, const N: usize, const APART: bool> {
    walk: Walk<'t>,
    rows: Rows,
}

impl<const K: usize, const N: usize, const APART: bool> Task for Weave<'_, K, N, APART> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Weave { walk, rows } = self;
        let mut places = walk.places();
        // SAFETY: the caller's promise.
        unsafe {
            let orders = weave::orders::<R, K, APART>(walk.unit);
            let weaver = Weaver::<R, K, N>::new(&orders, rows, walk.unit);
            while let Some(at) = places.next() {
                match APART {
                    false => weaver.weave_rows(at, walk.stores),
                    true => weaver.unweave_rows(at, walk.stores),
                }
            }
        }
    }
}

/// The loops of elements that are copied one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Singles {
    /// The innermost, of which `at_once` steps are taken for each of the others.
    pub(super) row: Loop,
    pub(super) at_once: i64,
    pub(super) around: [Loop; 2],
}

impl Singles {
    /// Of two loops, one after the other.
    pub(super) fn of(outer: Loop, inner: Loop) -> Self {
        Singles { row: inner, at_once: inner.extent, around: [outer, ONCE] }
    }
}

/// Copies the elements of such loops.
pub(super) struct Single<'t> {
    pub(super) walk: Walk<'t>,
    pub(super) singles: Singles,
}

impl Single<'_> {
    /// The same for every level: elements alone take no registers.
    ///
    /// # Safety
    /// The elements can be read, and written at their places.
    pub(super) unsafe fn run(self) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.walk.unit {
                1 => self.of_bytes::<1>(),
                2 => self.of_bytes::<2>(),
                4 => self.of_bytes::<4>(),
                8 => self.of_bytes::<8>(),
                16 => self.of_bytes::<16>(),
                _ => self.of_bytes::<MAX_UNIT>(),
            }
        }
    }

    /// # Safety
    /// As [`run`](Self::run), of elements of `N` bytes.
    unsafe fn of_bytes<const N: usize>(self) {
        let Single { walk, singles: Singles { row, at_once, around: [outer, inner] } } = self;
        debug_assert_eq!(walk.unit, N, "elements of so many bytes");
        let further = |at: At, n: i64, l: Loop| at.plus(n * l.src * N as i64, n * l.dst * N as i64);
        let rows = |at: At, around: Loop, row: Loop| {
            for i in 0..around.extent {
                // SAFETY: the caller's promise.
                unsafe { copy_row::<N>(further(at, i, around), row) };
            }
        };
        let mut places = walk.places();
        while let Some(at) = places.next() {
            if at_once >= row.extent && inner.extent == 1 {
                rows(at, outer, row);
                continue;
            }
            let mut first = 0;
            while first < row.extent {
                let part = Loop { extent: at_once.min(row.extent - first), ..row };
                let at = further(at, first, row);
                match inner.extent {
                    1 => rows(at, outer, part),
                    _ => (0..outer.extent).for_each(|i| rows(further(at, i, outer), inner, part)),
                }
                first += part.extent;
            }
        }
    }
}

/// Copies elements of `N` bytes one by one.
///
/// # Safety
/// They can be read, and written at their places.
#[inline(always)]
unsafe fn copy_row<const N: usize>(at: At, l: Loop) {
    let (src, dst) = (l.src * N as i64, l.dst * N as i64);
    for i in 0..l.extent {
        // SAFETY: the caller's promise.
        unsafe { copy_one::<N>(at.plus(i * src, i * dst)) };
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
        let mut dst = [vec![0; rows.len()], vec![0; rows.len()]];
        let [run, apart] = &mut dst;
        for (src, dst, is_apart) in [(&rows, run, false), (&zipped, apart, true)] {
            let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
            let end = src.as_ptr_range().end;
            let walk = Walk { loops: &[], unit: 1, at, stores: Stores::Cached, end };
            let zip = Zip { walk, rows: of, count: COUNT as i64 };
            let level = Level::best();
            // SAFETY: there are `COUNT * LENGTH` bytes on both sides, which do not overlap.
            unsafe { if is_apart { zip.run::<true>(level) } else { zip.run::<false>(level) } };
        }
        assert_eq!(dst, [zipped.clone(), rows.clone()]);
    }
}
