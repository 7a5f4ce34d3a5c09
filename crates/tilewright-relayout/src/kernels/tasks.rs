//! What is done at every place of the loops around a kernel.
//!
//! Each kernel is a task of its own, as is each number of rows with each width of elements that makes a difference: code is
//! compiled for every level, all of it inlined, and what is compiled together has its room on the stack together.

use super::MIN_STEPS;
use super::joined;
use super::level::{Level, Task};
use super::loop_order::most_sources;
use super::place::{AHEAD, At, LINE, STAGED, STREAMED, Stores, copy_one};
use super::places::{ONCE, Places, innermost};
use super::register::Register;
use super::runs::{self, Chain, Row};
use super::tile::MAX_UNIT;
use super::weave::{self, Rows, Stage, Streamed, Weaver, is_woven};
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

/// The places of some loops [`AHEAD`] bytes further on, where so many bytes are moved at each.
struct Soon<'t> {
    places: Places<'t>,
    /// One of so many places that follow each other is of a new line of the source.
    one_of: i64,
    number: i64,
}

impl<'t> Soon<'t> {
    #[inline(always)]
    fn of(walk: &Walk<'t>, loops: &'t [Loop], bytes: usize) -> Self {
        let mut places = Places::new(loops, walk.unit, walk.at);
        for _ in 0..AHEAD.div_ceil(bytes) {
            places.next();
        }
        let (inner, _) = innermost(loops);
        let step = inner.src.saturating_abs().saturating_mul(walk.unit as i64).max(1);
        Soon { places, one_of: (LINE as i64 / step).max(1), number: 0 }
    }

    #[inline(always)]
    fn next(&mut self) -> Option<At> {
        self.places.next()
    }

    /// The next place, if it is about the first of a new line of the source.
    #[inline(always)]
    fn next_line(&mut self) -> Option<At> {
        let next = self.next();
        self.number -= 1;
        if self.number > 0 {
            return None;
        }
        self.number = self.one_of;
        next
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
        // SAFETY: the caller's promise.
        unsafe {
            match self.walk.stores {
                Stores::Cached => self.copy::<R, false>(),
                _ => self.copy::<R, true>(),
            }
        }
    }
}

impl Run<'_> {
    /// Copies them; from memory, if `FAR`.
    ///
    /// # Safety
    /// The processor has these registers; and as for the [task](Task).
    #[inline(always)]
    unsafe fn copy<R: Register, const FAR: bool>(self) {
        let Walk { loops, unit, at, stores, end } = self.walk;
        if let Some((chain, around)) = Chain::of(loops, self.length, unit) {
            let mut soon =
                if FAR { Some(Soon::of(&self.walk, around, chain.bytes())) } else { None };
            // From memory lines are asked for at every place.
            let (inner, outer) = if FAR { (ONCE, around) } else { innermost(around) };
            let in_bytes =
                Loop { src: inner.src * unit as i64, dst: inner.dst * unit as i64, ..inner };
            let (mut places, mut left) = (Places::new(outer, unit, at), chain.all());
            while let Some(at) = places.next() {
                if let Some(next) = soon.as_mut().and_then(Soon::next_line) {
                    chain.ask_for(next);
                }
                // SAFETY: the caller's promise.
                left = unsafe { chain.copy::<R>(at, in_bytes, left, end) };
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
        let bytes = row.len * row.count as usize;
        let mut places = Places::new(outer, unit, at);
        let mut soon = if FAR { Some(Soon::of(&self.walk, outer, bytes)) } else { None };
        while let Some(at) = places.next() {
            if let Some(next) = soon.as_mut().and_then(Soon::next_line) {
                row.ask_for(next);
            }
            // SAFETY: the caller's promise.
            unsafe {
                match runs::may_follow(row.len) && row.follows() {
                    true => runs::copy_following::<R>(at, row, 0, end),
                    false => runs::copy_runs::<R>(at, row, stores),
                }
            }
        }
    }
}

/// Short runs by blocks of two loops, so that what comes from a line is copied while that is in the first cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockedRuns {
    /// The elements of a run.
    pub(super) length: i64,
    /// Runs that follow each other in the destination, of different lines of the source.
    pub(super) row: Loop,
    /// Runs beside each other in the source.
    pub(super) column: Loop,
    /// The steps of both in a block.
    pub(super) block: (i64, i64),
    /// Whether runs of a column follow each other in the source, which is memory, and are read so.
    pub(super) is_far: bool,
}

impl BlockedRuns {
    /// Takes the loops of such runs, of `length` elements of `unit` bytes, out of `loops`, if they are among them and lines
    /// would be gone before all is copied that comes from them; in the caches also if more of them would be read in turn than
    /// others are (bf16 `[1000,58,9]` to `{2,0,1}` takes 0.86 of the time so). From memory, [many rows](far_blocks) too.
    pub(super) fn among(
        loops: &mut Vec<Loop>,
        length: i64,
        unit: i64,
        stores: Stores,
    ) -> Option<Self> {
        if stores != Stores::Cached
            && let Some((row, column)) = far_blocks(loops, length, unit)
        {
            let (row, column) =
                (loops.remove(row), loops.remove(column - usize::from(row < column)));
            let at_once = (FAR_BLOCK / (length * unit)).clamp(1, column.extent);
            let block = (row.extent, at_once);
            return Some(BlockedRuns { length, row, column, block, is_far: true });
        }
        let bytes = |stride: i64| stride.saturating_abs().saturating_mul(unit);
        let most = |stride: i64, of| most_sources(stride.saturating_mul(8 * unit), of);
        let is_row = |l: &Loop| l.dst == length && l.extent >= MIN_STEPS;
        let is_near = |l: &Loop| bytes(l.src) < LINE as i64;
        let row = loops.iter().position(|l| is_row(l) && !is_near(l))?;
        let column = loops.iter().position(|l| l.extent > 1 && is_near(l))?;
        if !runs::may_follow(usize::try_from(bytes(length)).ok()?) {
            return None;
        }
        let within = loops[column + 1..].iter().chain(loops.get(row).filter(|_| row < column));
        let n_within = within.map(|l| l.extent as f64).product::<f64>();
        let are_gone = n_within > MOST_WITHIN;
        if !are_gone && stores != Stores::Cached {
            return None;
        }
        let at_once = most(loops[row].src, loops[row].extent);
        if !are_gone && at_once == loops[row].extent {
            return None;
        }
        let (row, column) = (loops.remove(row), loops.remove(column - usize::from(row < column)));
        let in_lines = BLOCK_LINES * LINE as i64 / bytes(column.src).max(1);
        let block = (at_once, most(column.dst, in_lines.max(1)));
        Some(BlockedRuns { length, row, column, block, is_far: false })
    }
}

/// The numbers of the loop of many short runs that follow each other in the destination, from far apart in the source, and of that of
/// those that do in the source, if there are such: from memory they are copied by blocks.
pub(super) fn far_blocks(loops: &[Loop], length: i64, unit: i64) -> Option<(usize, usize)> {
    let bytes = length.checked_mul(unit)?;
    let is_row = |l: &Loop| {
        l.dst == length
            && l.extent >= MANY_ROWS
            && l.src.saturating_abs().saturating_mul(unit) >= FAR_BLOCK
    };
    let row = loops.iter().position(is_row)?;
    let column = loops.iter().position(|l| l.src == length && l.extent > 1 && !is_row(l))?;
    (SHORTEST_FAR..LINE as i64).contains(&bytes).then_some((row, column))
}

/// The lines of the source that are gone through at once along the columns of a block.
const BLOCK_LINES: i64 = 4;

/// The bytes of the source that are read at once of a row that comes from memory, and the runs for which they are.
const FAR_BLOCK: i64 = 512;
pub(super) const SHORTEST_FAR: i64 = 3;

/// The fewest rows: 24 take up to twice as long so as by programs and lookups.
const MANY_ROWS: i64 = 48;

/// So many lines that are read before the next run of one of them are there still.
const MOST_WITHIN: f64 = 512.0;

/// Copies runs by blocks.
pub(super) struct Blocked<'t> {
    pub(super) walk: Walk<'t>,
    pub(super) runs: BlockedRuns,
}

impl Task for Blocked<'_> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Blocked { walk: Walk { loops, unit, at, end, .. }, runs } = self;
        let BlockedRuns { length, row, column, block: (in_row, in_column), is_far } = runs;
        let in_bytes = |l: Loop| Loop { src: l.src * unit as i64, dst: l.dst * unit as i64, ..l };
        let (len, row, column) = (length as usize * unit, in_bytes(row), in_bytes(column));
        let mut left = column.extent;
        while left > 0 {
            let n_columns = in_column.min(left);
            let here = further(at, column.extent - left, column);
            left -= n_columns;
            let columns = Loop { extent: n_columns, ..column };
            let mut places = Places::new(loops, unit, here);
            while let Some(at) = places.next() {
                if is_far {
                    // SAFETY: the caller's promise; far runs follow each other in the source by columns, and in the
                    // destination by rows.
                    unsafe { runs::copy_far_block::<R>(at, len, row, columns, end) };
                    continue;
                }
                let mut done = 0;
                while done < row.extent {
                    let count = in_row.min(row.extent - done);
                    let part = Row { len, count, src: row.src, dst: row.dst };
                    let at = further(at, done, row);
                    done += count;
                    let beyond = (row.extent - done) as usize * len;
                    for number in 0..n_columns {
                        let at = further(at, number, column);
                        // SAFETY: the caller's promise; what is beyond are the runs of the same row that come later.
                        unsafe { runs::copy_following::<R>(at, part, beyond, end) };
                    }
                }
            }
        }
    }
}

/// So many steps of a loop further.
#[inline(always)]
fn further(at: At, n: i64, l: Loop) -> At {
    at.plus(n * l.src, n * l.dst)
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
        let mut places = self.walk.places();
        let mut soon = Soon::of(&self.walk, self.walk.loops, len);
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
                3 => self.woven::<3, 3, APART>(level),
                5 => self.woven::<5, 5, APART>(level),
                6 => self.woven::<6, 6, APART>(level),
                7 => self.woven::<7, 7, APART>(level),
                _ => self.woven::<3, 9, APART>(level),
            }
        }
    }

    /// The same of `K` rows, of which `B` are woven at once where elements are of fewer than 4 bytes: of others a register has
    /// some of few rows.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    unsafe fn woven<const B: usize, const K: usize, const APART: bool>(self, level: Level) {
        let Zip { walk, rows, .. } = self;
        // SAFETY: the caller's promise.
        unsafe {
            match walk.unit {
                8 => level.run(Weave::<K, K, 8, APART> { walk, rows }),
                4 => level.run(Weave::<K, K, 4, APART> { walk, rows }),
                _ => level.run(Weave::<B, K, 2, APART> { walk, rows }),
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

/// `K` rows of elements of `N` bytes, or of fewer, `B` at once by shuffles within 16 bytes.
struct Weave<'t, const B: usize, const K: usize, const N: usize, const APART: bool> {
    walk: Walk<'t>,
    rows: Rows,
}

impl<const B: usize, const K: usize, const N: usize, const APART: bool> Task
    for Weave<'_, B, K, N, APART>
{
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Weave { walk, rows } = self;
        let mut places = walk.places();
        // SAFETY: the caller's promise.
        unsafe {
            let orders = weave::orders::<R, B, APART>(walk.unit);
            let weaver = Weaver::<R, B, K, N>::new(&orders, rows, walk.unit);
            if R::HAS_HINTS && walk.stores == Stores::Streamed && weaver.may_stream::<APART>() {
                let mut stage = Stage::new();
                let mut streamed = Streamed::new(&mut stage, walk.at.dst);
                let mut next = places.next();
                while let Some(at) = next {
                    next = places.next();
                    match APART {
                        false => weaver.stream_run(&mut streamed, at),
                        true => weaver.stream_rows(&mut streamed, at, next),
                    }
                }
                return streamed.flush::<R>(true);
            }
            let asks = walk.stores != Stores::Cached;
            while let Some(at) = places.next() {
                match APART {
                    false => weaver.weave_rows(at, [false; 2], asks),
                    true => weaver.unweave_rows(at, asks),
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
        const COUNT: usize = 11;
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
