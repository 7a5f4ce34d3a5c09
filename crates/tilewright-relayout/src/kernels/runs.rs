//! Runs: bytes that are neighbours on both sides.

use super::copies::copy_line;
use super::level::{Level, Task, fence, prefetch, prefetch_near, stream_line};
use super::loop_order::{MOST_SOURCES, most_sources};
use super::place::{AHEAD, At, CACHED, LINE, STAGED, STREAMED, Stores, copy_few, copy_one, put};
use super::register::Register;
use crate::bits;
use crate::nest::Loop;
use std::ops::Range;

/// Runs of equal length, one after the other in a walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The bytes of a run.
    pub(super) len: usize,
    /// How many runs there are.
    pub(super) count: i64,
    /// From one run to the next in the source, in bytes.
    pub(super) src: i64,
    /// The same in the destination.
    pub(super) dst: i64,
}

/// Copies some runs.
///
/// # Safety
/// The processor has these registers; the bytes of all runs can be read and written, and the two
/// sides do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_runs<R: Register>(at: At, row: Row, stores: Stores) {
    let is_aligned = at.to_line() == 0 && row.dst % LINE as i64 == 0;
    // SAFETY: the caller's promise; lengths are those of the runs.
    unsafe {
        match stores {
            Stores::Cached if copy_alike::<R, CACHED>(at, row) => {}
            Stores::Staged if copy_alike::<R, STAGED>(at, row) => {}
            Stores::Streamed if is_aligned && copy_alike::<R, STREAMED>(at, row) => {}
            _ => {
                for run in 0..row.count {
                    copy_run::<R>(at.plus(run * row.src, run * row.dst), row.len, stores);
                }
            }
        }
    }
}

impl Row {
    /// Whether so many runs follow each other in the destination that they may be copied as by [`copy_following`].
    #[inline(always)]
    pub(super) fn follows(&self) -> bool {
        self.dst == self.len as i64 && self.count >= MIN_FOLLOWING as i64
    }

    /// Asks for the first line of each run, unless there are too many.
    #[inline(always)]
    pub(super) fn ask_for(&self, at: At) {
        if self.count <= MOST_ASKED_FOR {
            for run in 0..self.count {
                at.plus(run * self.src, 0).prefetch();
            }
        }
    }
}

/// Whether runs of so many bytes are copied more quickly with what lies behind them.
#[inline(always)]
pub(super) fn may_follow(len: usize) -> bool {
    matches!(len, 3 | 5..=7 | 9..=15 | 17..=31)
}

/// Copies short runs that follow each other in the destination: with each of them also what lies behind
/// it in the source, up to a round length, over which the next ones are written; so they may be into `beyond` bytes behind the last.
/// `end` is that of the source.
///
/// # Safety
/// As [`copy_runs`]; all bytes up to `end` can be read. The `beyond` bytes behind the last run can be written, and are written
/// afterwards. The runs follow each other, and [`may`](may_follow) be copied so.
#[inline(always)]
pub(super) unsafe fn copy_following<R: Register>(at: At, row: Row, beyond: usize, end: *const u8) {
    // SAFETY: the caller's promise; the runs are no longer than what is copied with each.
    unsafe {
        match row.len {
            ..8 => follow::<R, 8>(at, row, beyond, end),
            8..16 => follow::<R, 16>(at, row, beyond, end),
            _ => follow::<R, 32>(at, row, beyond, end),
        }
    }
}

/// About how many of the processor's cycles it takes in the caches to copy a run with what lies behind it, of fewer than 8 bytes,
/// than 16, or more; to begin with those of a loop; and to wait for its line, where more of them share a set than it has room for.
/// All are as much less than what is measured as the cycles of lookups are.
const FOLLOWING: f64 = 1.0;
const LANE_FOLLOWING: f64 = 1.3;
const LONG_FOLLOWING: f64 = 1.7;
const FIRST_FOLLOWING: f64 = 1.7;
const SHARED_SET: f64 = 2.0;

/// The same of all runs of `length` elements of `unit` bytes, of loops with the run's or without, if they are copied so. By blocks
/// they wait no less.
pub(super) fn following_cycles(loops: &[Loop], length: i64, unit: usize) -> Option<f64> {
    let (len, row) = are_following(loops, length, unit)?;
    let others = loops.iter().filter(|l| !l.is_run());
    let n_runs = others.map(|l| l.extent as f64).product::<f64>();
    let each = match len {
        ..8 => FOLLOWING,
        8..16 => LANE_FOLLOWING,
        _ => LONG_FOLLOWING,
    };
    let at_once = most_sources(row.src.saturating_mul(8 * unit as i64), row.extent);
    let shared = if at_once < row.extent.min(MOST_SOURCES) { SHARED_SET } else { 0.0 };
    Some(n_runs * (each + shared + FIRST_FOLLOWING / row.extent as f64))
}

/// The bytes of runs of `length` elements of `unit` bytes and the loop of those that follow each other, if they may be copied with
/// what lies behind them, and enough do.
pub(super) fn are_following(loops: &[Loop], length: i64, unit: usize) -> Option<(usize, Loop)> {
    let len = usize::try_from(length).ok()?.checked_mul(unit).filter(|&len| may_follow(len))?;
    let behind = |length: i64| loops.iter().find(|l| l.dst == length && l.extent > 1);
    let row = behind(length)?;
    let go_on = || behind(row.dst.saturating_mul(row.extent)).is_some();
    (row.extent >= MIN_FOLLOWING as i64 || go_on()).then_some((len, *row))
}

/// The fewest runs that are copied with what lies behind them.
const MIN_FOLLOWING: usize = 4;

/// Lines of more runs would be gone when they are copied.
const MOST_ASKED_FOR: i64 = 512;

/// The most runs of a chain.
const MOST_CHAINED: usize = 64;

/// Short runs of a few loops that follow each other in the destination, of which each is copied as by [`copy_following`].
pub(super) struct Chain {
    /// The bytes of a run.
    len: usize,
    /// Where they lie in the source, from the first on, in bytes.
    places: [i64; MOST_CHAINED],
    count: usize,
    /// The last place of them.
    farthest: i64,
    /// The bytes of all that follow each other, with those at other places of the loops around.
    all: usize,
}

impl Chain {
    /// Of the innermost of some loops of runs of `length` elements; with the loops around.
    #[inline(always)]
    pub(super) fn of(loops: &[Loop], length: i64, unit: usize) -> Option<(Self, &[Loop])> {
        let len = length as usize * unit;
        if !may_follow(len) {
            return None;
        }
        let mut chain = Chain { len, places: [0; MOST_CHAINED], count: 1, farthest: 0, all: len };
        let (mut rest, mut reach) = (loops, length);
        while let Some((l, outer)) = rest.split_last() {
            if l.dst != reach || l.extent > (MOST_CHAINED / chain.count) as i64 {
                break;
            }
            let count = chain.count * l.extent as usize;
            let step = l.src * unit as i64;
            let mut number = chain.count;
            while number < count {
                chain.places[number] = chain.places[number - chain.count] + step;
                chain.farthest = chain.farthest.max(chain.places[number]);
                number += 1;
            }
            (chain.count, rest, reach) = (count, outer, reach * l.extent);
        }
        let mut beyond = rest;
        while let Some((l, outer)) = beyond.split_last() {
            if l.dst != reach {
                break;
            }
            (beyond, reach) = (outer, reach * l.extent);
        }
        chain.all = reach as usize * unit;
        (chain.count > 1 && chain.all >= MIN_FOLLOWING * len).then_some((chain, rest))
    }

    /// The bytes of its runs.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.count * self.len
    }

    /// Asks for the first line of each run.
    #[inline(always)]
    pub(super) fn ask_for(&self, at: At) {
        for &place in &self.places[..self.count] {
            at.plus(place, 0).prefetch();
        }
    }

    /// The bytes that follow each other, of runs at several places of the loops around.
    #[inline(always)]
    pub(super) fn all(&self) -> usize {
        self.all
    }

    /// Copies the runs at the places of a loop, the innermost around, that counts bytes. Of the destination `left` bytes are left with
    /// those that follow. What is left after them.
    ///
    /// # Safety
    /// As [`copy_following`].
    #[inline(always)]
    pub(super) unsafe fn copy<R: Register>(
        &self,
        at: At,
        around: Loop,
        left: usize,
        end: *const u8,
    ) -> usize {
        // SAFETY: the caller's promise; the runs are no longer than what is copied with each.
        unsafe {
            match self.len {
                ..8 => self.copy_by::<R, 8>(at, around, left, end),
                8..16 => self.copy_by::<R, 16>(at, around, left, end),
                _ => self.copy_by::<R, 32>(at, around, left, end),
            }
        }
    }

    /// Copies `W` bytes with each run.
    ///
    /// # Safety
    /// As [`copy`](Self::copy).
    #[inline(always)]
    unsafe fn copy_by<R: Register, const W: usize>(
        &self,
        mut at: At,
        around: Loop,
        mut left: usize,
        end: *const u8,
    ) -> usize {
        let Chain { len, count, all, .. } = *self;
        let (places, bytes) = (&self.places[..count], count * len);
        let mut steps = around.extent;
        while steps > 0 {
            let inside = self.inside::<W>(at, Loop { extent: steps, ..around }, left, end);
            for _ in 0..inside {
                let mut to = at.dst;
                for &place in places {
                    let src = at.src.wrapping_offset(place as isize);
                    // SAFETY: the caller's promise: what is written lies within the runs that follow, and what is read before the end.
                    unsafe { copy_over::<R, W>(At { src, dst: to }) };
                    to = to.wrapping_add(len);
                }
                at = at.plus(around.src, around.dst);
            }
            // More than what is copied is left of the destination behind each of them.
            (steps, left) = (steps - inside, left - inside as usize * bytes);
            if steps == 0 {
                break;
            }
            for (number, &place) in places.iter().enumerate() {
                let here = at.plus(place, (number * len) as i64);
                // SAFETY: as above, or no more than a run.
                unsafe {
                    match number * len + W <= left && here.src.wrapping_add(W) <= end {
                        true => copy_over::<R, W>(here),
                        false => copy_by_call_or_bytes(here, len),
                    }
                }
            }
            (steps, left) = (steps - 1, left - bytes);
            if left == 0 {
                left = all;
            }
            at = at.plus(around.src, around.dst);
        }
        left
    }

    /// At how many of the first steps of a loop every run may be copied with what lies behind it, where `left` bytes are left of the
    /// destination.
    #[inline(always)]
    fn inside<const W: usize>(&self, at: At, around: Loop, left: usize, end: *const u8) -> i64 {
        let bytes = self.bytes();
        let last = at.src.wrapping_offset(self.farthest as isize).wrapping_add(W);
        steps_inside(around, [bytes, bytes - self.len + W, left], last, end)
    }
}

/// How many of the first steps of a loop stay within either side: of the destination, each writes `bytes` further on, the first up to
/// `reach`, where `left` are left; the first one reads up to `last`.
#[inline(always)]
fn steps_inside(
    Loop { extent, src, .. }: Loop,
    [bytes, reach, left]: [usize; 3],
    last: *const u8,
    end: *const u8,
) -> i64 {
    if left < reach || last > end {
        return 0;
    }
    if extent == 1 {
        return 1;
    }
    let (more, readable) = (left - reach, (end as usize - last as usize) as i64);
    let steps = extent - 1;
    if steps as usize * bytes <= more && steps.saturating_mul(src) <= readable {
        return extent;
    }
    let by_source = if src > 0 { readable / src } else { steps };
    steps.min((more / bytes) as i64).min(by_source) + 1
}

/// Copies runs of `len` bytes, less than a line, that come from memory: of each row in turn those that follow each other there, as many
/// as there are columns, and asks for those of the rows that come soon. With each of them also what lies behind it, over which that
/// of the next row is written. Loops count bytes; the next columns follow these.
///
/// # Safety
/// As [`copy_following`], of all runs; those of a column follow each other, and runs of a row in the source.
#[inline(always)]
pub(super) unsafe fn copy_far_block<R: Register>(
    at: At,
    len: usize,
    row: Loop,
    columns: Loop,
    end: *const u8,
) {
    // SAFETY: the caller's promise; the runs are no longer than what is copied with each.
    unsafe {
        match len {
            ..=8 => far_block::<R, 8>(at, len, row, columns, end),
            9..=16 => far_block::<R, 16>(at, len, row, columns, end),
            17..=32 => far_block::<R, 32>(at, len, row, columns, end),
            _ => far_block::<R, 64>(at, len, row, columns, end),
        }
    }
}

/// Copies `W` bytes with each run.
///
/// # Safety
/// As [`copy_far_block`]; the runs have no more than `W` bytes.
#[inline(always)]
unsafe fn far_block<R: Register, const W: usize>(
    at: At,
    len: usize,
    row: Loop,
    columns: Loop,
    end: *const u8,
) {
    let of_a_row = columns.extent as usize * len;
    let ahead = ((AHEAD / of_a_row) as i64).clamp(1, row.extent);
    for number in 0..row.extent {
        let here = at.plus(number * row.src, number * row.dst);
        let soon = match number + ahead < row.extent {
            true => here.plus(ahead * row.src, 0).src,
            false => at.plus((number + ahead - row.extent) * row.src + of_a_row as i64, 0).src,
        };
        for line in (0..of_a_row).step_by(LINE) {
            prefetch(soon.wrapping_add(line));
        }
        let last = here.src.wrapping_add(of_a_row - len + W);
        let may_follow = W <= len * (row.extent - number) as usize && last <= end;
        for column in 0..columns.extent {
            let run = here.plus(column * len as i64, column * columns.dst);
            // SAFETY: the caller's promise: what is written beyond are runs of the same column that come later.
            unsafe {
                match may_follow {
                    true => copy_over::<R, W>(run),
                    false => copy_by_call_or_bytes(run, len),
                }
            }
        }
    }
}

/// Copies `W` bytes, 8, 16, 32 or 64.
///
/// # Safety
/// The processor has these registers; so many bytes can be read and written at the places.
#[inline(always)]
unsafe fn copy_over<R: Register, const W: usize>(at: At) {
    // SAFETY: the caller's promise.
    unsafe {
        match W {
            8 => copy_one::<8>(at),
            16 => R::Lane::load(at.src).store(at.dst),
            64 => copy_part::<R, 64>(at),
            _ => {
                let (low, high) = (R::Lane::load(at.src), R::Lane::load(at.plus(16, 0).src));
                low.store(at.dst);
                high.store(at.plus(0, 16).dst);
            }
        }
    }
}

/// Copies `W` bytes with each run.
///
/// # Safety
/// As [`copy_following`]; the runs follow each other and have no more than `W` bytes.
#[inline(always)]
unsafe fn follow<R: Register, const W: usize>(at: At, row: Row, beyond: usize, end: *const u8) {
    let all = row.len * row.count as usize + beyond;
    // The first of them are copied without a look at either end for each, which takes two thirds as long.
    let runs = Loop { extent: row.count, src: row.src, dst: row.dst };
    let whole = steps_inside(runs, [row.len, W, all], at.src.wrapping_add(W), end);
    let mut here = at;
    for _ in 0..whole {
        // SAFETY: the caller's promise: what is written lies within the runs that follow, and what is read before the end.
        unsafe { copy_over::<R, W>(here) };
        here = here.plus(row.src, row.dst);
    }
    for run in whole..row.count {
        let is_inside = run as usize * row.len + W <= all && here.src.wrapping_add(W) <= end;
        // SAFETY: as above, or no more than a run.
        unsafe {
            match is_inside {
                true => copy_over::<R, W>(here),
                false => copy_by_call_or_bytes(here, row.len),
            }
        }
        here = here.plus(row.src, row.dst);
    }
}

/// Copies runs of the lengths that tiles often have, or that are short. Says whether they are.
///
/// # Safety
/// As [`copy_runs`]; for streaming, runs begin at multiples of a line.
#[inline(always)]
unsafe fn copy_alike<R: Register, const S: u8>(at: At, row: Row) -> bool {
    // SAFETY: the caller's promise; lengths are those of the runs.
    unsafe {
        match row.len {
            17..=31 if S != STREAMED => copy_ends::<R::Lane, 16>(at, row),
            32 if S != STREAMED => copy_each::<R::Half, 32, S>(at, row),
            33..=63 if S != STREAMED => copy_ends::<R::Half, 32>(at, row),
            65..=127 if S == CACHED => copy_ends::<R, 64>(at, row),
            129..=255 if S == CACHED => copy_ends::<R, 128>(at, row),
            64 => copy_each::<R, 64, S>(at, row),
            128 => copy_each::<R, 128, S>(at, row),
            256 => copy_each::<R, 256, S>(at, row),
            512 => copy_each::<R, 512, S>(at, row),
            _ => return false,
        }
    }
    true
}

/// Copies runs of a known length, a multiple of a register.
///
/// # Safety
/// As [`copy_alike`].
#[inline(always)]
unsafe fn copy_each<R: Register, const LEN: usize, const S: u8>(at: At, row: Row) {
    for run in 0..row.count {
        let at = at.plus(run * row.src, run * row.dst);
        let mut done = 0;
        while done < LEN {
            let here = at.plus(done as i64, done as i64);
            if S != CACHED && done % LINE == 0 {
                here.prefetch_ahead();
            }
            // SAFETY: the caller's promise.
            unsafe { put::<R, S>(R::load(here.src), here.dst) };
            done += R::BYTES;
        }
    }
}

/// Copies runs of `LEN` bytes or up to twice as many: the first of them and the last.
///
/// # Safety
/// As [`copy_alike`].
#[inline(always)]
unsafe fn copy_ends<R: Register, const LEN: usize>(at: At, row: Row) {
    let last = (row.len - LEN) as i64;
    for run in 0..row.count {
        let first = at.plus(run * row.src, run * row.dst);
        // SAFETY: the caller's promise: all of it is within the run.
        unsafe {
            copy_part::<R, LEN>(first);
            copy_part::<R, LEN>(first.plus(last, last));
        }
    }
}

/// Copies `LEN` bytes, a multiple of a register, into the caches.
///
/// # Safety
/// The processor has these registers; so many bytes can be read and written at the places.
#[inline(always)]
unsafe fn copy_part<R: Register, const LEN: usize>(at: At) {
    let mut done = 0;
    while done < LEN {
        let here = at.plus(done as i64, done as i64);
        // SAFETY: the caller's promise.
        unsafe { R::load(here.src).store(here.dst) };
        done += R::BYTES;
    }
}

/// Copies a run. Streamed, the lines that it fills go past the caches, its ends do not.
///
/// # Safety
/// The processor has these registers; `len` bytes can be read and written at the two places,
/// which do not overlap.
#[inline(always)]
unsafe fn copy_run<R: Register>(at: At, len: usize, stores: Stores) {
    let next = at.src.wrapping_add(len);
    // SAFETY: the caller's promise.
    unsafe {
        match stores {
            Stores::Streamed => copy_far::<R, STREAMED>(at, len, next),
            _ => copy_cached::<R>(at, len),
        }
    }
}

/// Copies a run that comes from memory, while lines are asked for [`AHEAD`] bytes ahead: after it at `next`, which is the run
/// that begins about there. Streamed, the lines that it fills go past the caches, its ends do not.
///
/// # Safety
/// As [`copy_run`].
#[inline(always)]
pub(super) unsafe fn copy_far<R: Register, const S: u8>(at: At, len: usize, next: *const u8) {
    // SAFETY: the caller's promise.
    unsafe { copy_far_asking::<R, S>(at, len, next, || {}) }
}

/// The same, where with each line others are asked for that have nothing to do with it.
///
/// # Safety
/// As [`copy_run`].
#[inline(always)]
unsafe fn copy_far_asking<R: Register, const S: u8>(
    at: At,
    len: usize,
    next: *const u8,
    mut ask: impl FnMut(),
) {
    let within = len.saturating_sub(AHEAD);
    let soon = |done: usize| match done < within {
        true => prefetch(at.src.wrapping_add(done + AHEAD)),
        false => prefetch(next.wrapping_add(done - within)),
    };
    let head = if S == STREAMED { at.to_line() } else { 0 };
    // SAFETY: every step stays within `len` bytes of either side; streamed registers are at
    // multiples of a line.
    unsafe {
        if len < head + LINE {
            return copy_cached::<R>(at, len);
        }
        if head > 0 {
            copy_cached::<R>(at, head);
        }
        let mut done = head;
        while done + LINE <= len {
            soon(done);
            ask();
            let here = at.plus(done as i64, done as i64);
            copy_line::<R, S>(here.src, here.dst);
            done += LINE;
        }
        if done < len {
            soon(done);
            copy_cached::<R>(at.plus(done as i64, done as i64), len - done);
        }
    }
}

/// Copies bytes past the caches, and meanwhile asks for those of the source that are read next: its bytes in these rows.
pub(crate) fn stream(
    level: Level,
    from: &[u8],
    to: &mut [u8],
    (src, rows): (&[u8], &[Range<usize>]),
) {
    let len = from.len().min(to.len());
    let at = At { src: from.as_ptr(), dst: to.as_mut_ptr() };
    // SAFETY: so many bytes can be read and written, of two slices, which do not overlap.
    unsafe { level.run(Stream { at, len, src, rows }) }
    fence();
}

/// Fills runs of `run` bytes with copies of `period`, which divides a line, one after the other, and their whole lines past the
/// caches. `places` says where each begins.
pub(crate) fn stream_pattern(
    dst: &mut [u8],
    period: &[u8],
    run: usize,
    places: impl FnOnce(&mut dyn FnMut(usize)),
) {
    debug_assert!(LINE.is_multiple_of(period.len().max(1)), "a pattern of {} bytes", period.len());
    // What a line of a run is that begins at any byte of the pattern.
    let (mut lines, mut streams) = ([0; 2 * LINE], false);
    bits::repeat(&mut lines, period);
    places(&mut |start| {
        let run = dst.get_mut(start..).and_then(|rest| rest.get_mut(..run)).unwrap_or_default();
        let head = run.as_ptr().align_offset(LINE).min(run.len());
        let Some(first) = lines[head % period.len().max(1)..].first_chunk() else { return };
        let (head, run) = run.split_at_mut(head);
        let (whole, tail) = run.as_chunks_mut::<LINE>();
        head.copy_from_slice(&lines[..head.len()]);
        streams |= !whole.is_empty();
        for line in whole {
            stream_line(line, first);
        }
        // A line is whole copies of the pattern.
        tail.copy_from_slice(&first[..tail.len()]);
    });
    if streams {
        fence();
    }
}

/// What [`stream`] does.
struct Stream<'a> {
    at: At,
    len: usize,
    src: &'a [u8],
    rows: &'a [Range<usize>],
}

impl Task for Stream<'_> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Stream { at, len, src, rows } = self;
        let asked: usize = rows.iter().map(|row| row.len().div_ceil(LINE)).sum();
        let each = asked.div_ceil((len / LINE).max(1));
        let mut lines = rows.iter().flat_map(|row| row.clone().step_by(LINE));
        let ask = || {
            for line in lines.by_ref().take(each) {
                prefetch_near(src.as_ptr().wrapping_add(line));
            }
        };
        // SAFETY: the caller's promise: so many bytes can be read and written.
        unsafe { copy_far_asking::<R, STREAMED>(at, len, at.src.wrapping_add(len), ask) }
    }
}

/// Copies a run into the caches.
///
/// # Safety
/// The processor has these registers; `len` bytes can be read and written at the two places,
/// which do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_cached<R: Register>(at: At, len: usize) {
    if len < 16 {
        // SAFETY: the caller's promise.
        return unsafe { copy_few(at, len) };
    }
    if len >= 4 * R::BYTES {
        // SAFETY: the caller's promise.
        return unsafe { copy_by_call_or_bytes(at, len) };
    }
    let mut done = 0;
    // SAFETY: every step stays within `len` bytes: whole registers, then one that ends at the end
    // and writes some bytes a second time, or halves.
    unsafe {
        while done + R::BYTES <= len {
            let here = at.plus(done as i64, done as i64);
            R::load(here.src).store(here.dst);
            done += R::BYTES;
        }
        if done == len {
            return;
        }
        if len >= R::BYTES {
            let last = at.plus((len - R::BYTES) as i64, (len - R::BYTES) as i64);
            return R::load(last.src).store(last.dst);
        }
        copy_with_halves::<R::Half>(at, len);
    }
}

/// Copies 16 bytes or more, fewer than a larger register has.
///
/// # Safety
/// As [`copy_cached`].
#[inline(always)]
unsafe fn copy_with_halves<R: Register>(at: At, len: usize) {
    // SAFETY: the last register ends at the end; `len` is at least 16, and at least one register
    // unless these are of 32 bytes.
    unsafe {
        if len < R::BYTES {
            let (first, last) = (at, at.plus(len as i64 - 16, len as i64 - 16));
            <R::Half as Register>::load(first.src).store(first.dst);
            return <R::Half as Register>::load(last.src).store(last.dst);
        }
        let last = at.plus((len - R::BYTES) as i64, (len - R::BYTES) as i64);
        R::load(at.src).store(at.dst);
        R::load(last.src).store(last.dst);
    }
}

/// # Safety
/// `len` bytes can be read and written at the two places, which do not overlap.
#[inline(always)]
unsafe fn copy_by_call_or_bytes(at: At, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(at.src, at.dst, len) }
}
