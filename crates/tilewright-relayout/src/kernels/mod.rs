//! The inner loops: moving dense boxes of elements of 1, 2, 4, 8, 16 or 32 bytes.
//!
//! This is the one room of the project in which code is `unsafe`, but for a line that lends jobs to
//! threads ([`desk`](crate::desk)). What comes in is safe: two
//! slices, and loops over them that are checked once, as a whole, before anything is touched
//! ([`Mover::run`]); or a destination that several threads have, of which each writes bytes of its own
//! ([`Slabs`]). What the loops of a box are decides how it is moved:
//!
//! * A [program](tile) of tiles: registers are loaded, their bytes exchanged, and stored. Transposes,
//!   interleaves, turned blocks, short runs: whatever has neighbours, of a power of two, on both sides.
//! * [`Listed`]: the same where the neighbours of one side are made by loops of odd extents.
//! * [`Lookup`]: registers are looked up byte by byte, by tables, where there are no powers of two, or holes.
//! * [`Kernel::Runs`]: neighbours stay neighbours, an odd number of them, or of more lines than [`ways`] leaves to programs.
//!   Whole runs are copied.
//! * [`Kernel::Blocked`]: the same of short runs by blocks of two loops, so that lines of the source are there still when the next
//!   run of theirs is copied, or what follows itself in memory is read at once.
//! * [`Kernel::Joined`]: the same where runs follow each other in the destination and are streamed,
//!   but do not begin at lines.
//! * [`Kernel::Zip`], [`Kernel::Unzip`]: 3, 5, 6, 7 or 9 rows interleaved, or taken apart, as the colours
//!   of an image. Of what is taken apart, only some rows may be there.
//! * [`Kernel::Single`]: anything else, element by element, if it can a line of one side at once.
//!
//! * [`Rows`]: rows of either side go by way of stages, where every index has room for a power of two: odd extents,
//!   elements below a byte that begin within bytes or are packed on one side.
//! * [`BitTranspose`](bit_transpose): matrices of elements below a byte, of long rows and columns that begin at any bit.
//!
//! Elements below a byte are moved by programs as well, which exchange single bits.
//!
//! Every kernel is written once, for registers of any length; [`Level`] says which the processor
//! has. Boxes that do not pass the check are moved one by one with every index tested, which is
//! also what the tests hold the kernels to.

mod bit_copy;
mod bit_transpose;
mod block;
mod code;
mod compile;
mod copies;
mod exchange;
mod flipped;
mod joined;
mod level;
mod listed;
mod lookup;
mod loop_order;
mod machine;
mod mover;
#[cfg(target_arch = "aarch64")]
mod neon;
mod panels;
mod place;
mod places;
mod register;
mod rows;
mod runs;
mod slabs;
mod swizzle;
mod synthesis;
mod tabulate;
mod tasks;
mod tile;
mod ways;
mod weave;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use flipped::{Flipped, Flips, PIECE, RowList, Side};
pub(crate) use level::Level;
pub(crate) use mover::Mover;
pub(crate) use place::Stores;
pub(crate) use runs::{stream, stream_pattern};
pub(crate) use slabs::{Cut, Slabs};
pub(crate) use swizzle::{SwizzledParts, Swizzles};
pub(crate) use tile::Slots;
pub(crate) use ways::{Begin, Target, WIDEST_SLOT, Wanted};
use weave::is_woven;

use crate::description::KernelKind;
use crate::nest::Loop;
use level::fence;
use loop_order::most_sources;
use place::At;
pub(crate) use place::{LINE, LINE_BITS};
use places::ONCE;
use tasks::{Blocked, BlockedRuns, FarRun, Join, Run, Single, Singles, Walk, Zip};
use weave::Rows;

/// Of fewer steps than this, an innermost loop takes longer to begin than to run.
const MIN_STEPS: i64 = 8;

/// Registers that a thread may use, and how it stores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means {
    pub(crate) level: Level,
    pub(crate) stores: Stores,
}

impl Means {
    /// The best registers that there are.
    pub(crate) fn best(stores: Stores) -> Self {
        Means { level: Level::best(), stores }
    }
}

/// What moves the innermost loops of a box. Strides are in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    /// `length` neighbours.
    Runs { length: i64 },
    /// Short runs by blocks.
    Blocked(BlockedRuns),
    /// `length` neighbours, and `count` times as many that follow in the destination, `step` apart
    /// in the source; and all that several times.
    Joined { length: i64, count: i64, step: i64, rows: Loop },
    /// `count` rows `step` apart, each of `length` elements.
    Zip { count: i64, step: i64, length: i64 },
    /// The same in the destination, of which the first `kept` are.
    Unzip { count: i64, kept: i64, step: i64, length: i64 },
    /// Loops of any strides.
    Single(Singles),
}

/// Rows of fewer bytes are not worth being zipped, and runs of fewer not worth being taken apart to; of elements that a
/// program moves more quickly, longer ones.
const LEAST_TOGETHER: i64 = 32;
const LEAST_APART: i64 = 64;
const LEAST_APART_OF_WORDS: i64 = 192;

/// Runs that programs take apart and stream more quickly: of elements of at least so many bytes, to at least so many rows of fewer
/// bytes than these.
const WIDE_APART: (i64, i64) = (8, 5);
const SHORT_ROW: i64 = 4 << 10;

/// Rows that are zipped, or taken apart, if some of the loops are such: the kernel, and the numbers of
/// the loops that it sees to.
fn woven(loops: &[Loop], unit: i64) -> Option<(Kernel, usize, Option<usize>)> {
    let across = loops.iter().rposition(|l| l.dst == 1 && l.extent > 1)?;
    let along = loops.iter().rposition(|l| l.src == 1 && l.extent > 1);
    let (a, b) = (loops[across], along.map_or(Loop { src: 1, ..ONCE }, |along| loops[along]));
    let bytes = |l: Loop| l.extent.saturating_mul(unit);
    let least = if unit < 4 { LEAST_APART } else { LEAST_APART_OF_WORDS };
    if b.extent <= a.src
        && (a.src <= 8 || b.extent > a.src / 2)
        && bytes(a) >= least
        && is_woven(a.src, unit)
    {
        let (count, kept) = (a.src, b.extent);
        return Some((Kernel::Unzip { count, kept, step: b.dst, length: a.extent }, across, along));
    }
    let is_zip = along.is_some()
        && b.dst == a.extent
        && is_woven(a.extent, unit)
        && bytes(b) >= LEAST_TOGETHER;
    is_zip.then_some((
        Kernel::Zip { count: a.extent, step: a.src, length: b.extent },
        across,
        along,
    ))
}

/// The kernel of a box that goes into the caches, wherever it begins, and the loops around it.
fn cached_kernel(loops: &[Loop], unit: usize) -> (Kernel, Vec<Loop>) {
    let (mut around, unit) = (loops.to_vec(), unit as i64);
    let anywhere = At { src: std::ptr::null(), dst: std::ptr::null_mut() };
    let kernel = Kernel::choose(&mut around, unit, anywhere, Stores::Cached);
    order_walk(&mut around, kernel, unit, Stores::Cached);
    (kernel, around)
}

/// Moves a box of elements of `unit` bytes by the kernel that is best for where it begins.
///
/// # Safety
/// `at` is where the box begins, which is made of these loops; all its elements can be read and written, as can be read all up to
/// `end`, and the two sides do not overlap. There are no more than [`MAX_LOOPS`], and none is empty.
unsafe fn move_chosen(
    loops: &[Loop],
    unit: usize,
    at: At,
    means: Means,
    end: *const u8,
    room: &mut Vec<Loop>,
) {
    room.clear();
    room.extend_from_slice(loops);
    let kernel = Kernel::choose(room, unit as i64, at, means.stores);
    order_walk(room, kernel, unit as i64, means.stores);
    // SAFETY: the caller's promise; the kernel and the loops left are those of the box.
    unsafe { move_units(kernel, room, unit, at, means, end) };
}

/// Moves a box of elements of `unit` bytes.
///
/// # Safety
/// `at` is where the box begins, which is made of these loops and the kernel's; all its elements can
/// be read and written, as can be read all up to `end`, and the two sides do not overlap. There are no
/// more than [`MAX_LOOPS`], and none is empty.
unsafe fn move_units(
    kernel: Kernel,
    loops: &[Loop],
    unit: usize,
    at: At,
    means: Means,
    end: *const u8,
) {
    let level = means.level;
    let walk = Walk { loops, unit, at, stores: means.stores, end };
    let unit = unit as i64;
    // SAFETY: the caller's promise; the kernel and the loops left are those loops.
    unsafe {
        match kernel {
            Kernel::Runs { length }
                if means.stores != Stores::Cached && length * unit >= LINE as i64 =>
            {
                level.run(FarRun { walk, length });
            }
            Kernel::Runs { length } => level.run(Run { walk, length }),
            Kernel::Blocked(runs) => level.run(Blocked { walk, runs }),
            Kernel::Joined { length, count, step, rows } => {
                let rows = Loop { src: rows.src * unit, dst: rows.dst * unit, ..rows };
                let (len, step) = ((length * unit) as usize, step * unit);
                level.run(Join { walk, rows: joined::Rows { len, count, step, rows } });
            }
            Kernel::Zip { count, step, length } => {
                let rows =
                    Rows { step: step * unit, length: length as usize, kept: count as usize };
                Zip { walk, rows, count }.run::<false>(level);
            }
            Kernel::Unzip { count, kept, step, length } => {
                let rows = Rows { step: step * unit, length: length as usize, kept: kept as usize };
                Zip { walk, rows, count }.run::<true>(level);
            }
            Kernel::Single(singles) => Single { walk, singles }.run(),
        }
    }
    if means.stores == Stores::Streamed {
        fence();
    }
}

/// Whether a box of elements of `unit` bytes is short runs that are copied by blocks where they come from memory.
pub(crate) fn are_far_blocks(loops: &[Loop], unit: i64) -> bool {
    let run = loops.iter().find(|l| l.is_run() && l.extent > 1);
    run.is_some_and(|run| tasks::far_blocks(loops, run.extent, unit).is_some())
}

/// Which kernel would move a whole box in one piece, if its memory began `start` bytes behind a
/// line: its kind, the loops around it in the order they are walked, and its own.
///
/// This is [`Mover::of`]'s own choice made once more, for a box that is not cut to a chunk and at an
/// address of no memory: a part of the box may be moved by another kernel.
pub(crate) fn choice(
    loops: &[Loop],
    unit: usize,
    start: i64,
    target: Target,
    stores: Stores,
) -> (KernelKind, Vec<Loop>, Vec<Loop>) {
    let mut around: Vec<Loop> = loops.iter().filter(|l| l.extent != 1).copied().collect();
    let (slots, begin, level) = (Slots::same(8 * unit as i64), Begin::Bytes, Level::best());
    let mover = Mover::of(Wanted { loops: &around, slots, begin, first: 0, target, level });
    if let Some(kind) = mover.kind() {
        return (kind, Vec::new(), around);
    }
    let place = std::ptr::without_provenance_mut(start.rem_euclid(LINE as i64) as usize);
    let at = At { src: place, dst: place };
    let kernel = Kernel::choose(&mut around, unit as i64, at, stores);
    order_walk(&mut around, kernel, unit as i64, stores);
    let run = |extent: i64, src: i64, dst: i64| Loop { extent, src, dst };
    let (name, mut own) = match kernel {
        Kernel::Runs { length } => (KernelKind::Runs, vec![run(length, 1, 1)]),
        Kernel::Blocked(BlockedRuns { length, row, column, .. }) => {
            (KernelKind::Runs, vec![column, row, run(length, 1, 1)])
        }
        Kernel::Joined { length, count, step, rows } => {
            (KernelKind::JoinedRuns, vec![run(count, step, length), rows, run(length, 1, 1)])
        }
        Kernel::Zip { count, step, length } => {
            (KernelKind::Zip, vec![run(length, 1, count), run(count, step, 1)])
        }
        Kernel::Unzip { count, kept, step, length } => {
            (KernelKind::Unzip, vec![run(length, count, 1), run(kept, 1, step)])
        }
        Kernel::Single(Singles { row, around: [outer, inner], .. }) => {
            (KernelKind::Single, vec![outer, inner, row])
        }
    };
    own.retain(|l| l.extent != 1);
    (name, around, own)
}

impl Kernel {
    /// Whether it takes a run apart to rows that programs write to memory more quickly: short ones, of wide elements.
    fn is_better_streamed(self, unit: i64) -> bool {
        let Kernel::Unzip { kept, length, .. } = self else { return false };
        let (wide, many) = WIDE_APART;
        unit >= wide && kept >= many && length.saturating_mul(unit) < SHORT_ROW
    }

    /// Takes the loops a kernel will see to out of `loops`, which are in the order of the
    /// destination's strides, largest first.
    fn choose(loops: &mut Vec<Loop>, unit: i64, at: At, stores: Stores) -> Kernel {
        if let Some(place) = loops.iter().rposition(Loop::is_run) {
            return Kernel::runs(loops, place, unit, at, stores);
        }
        if let Some((kernel, across, along)) = woven(loops, unit) {
            let mut number = 0..;
            loops.retain(|_| {
                let number = number.next();
                number != Some(across) && (along.is_none() || number != along)
            });
            return kernel;
        }
        Kernel::single(loops, unit)
    }

    /// Moves the runs that the loop at `place` makes.
    fn runs(loops: &mut Vec<Loop>, place: usize, unit: i64, at: At, stores: Stores) -> Kernel {
        let length = loops.remove(place).extent;
        let is_lines = |steps: i64| steps * unit % LINE as i64 == 0;
        let are_lines =
            at.to_line() == 0 && is_lines(length) && loops.iter().all(|l| is_lines(l.dst));
        let next = loops.iter().position(|l| l.dst == length);
        match next {
            Some(next)
                if stores == Stores::Streamed && !are_lines && length * unit >= LINE as i64 =>
            {
                let next = loops.remove(next);
                let rows = take_rows(loops, next.src);
                Kernel::Joined { length, count: next.extent, step: next.src, rows }
            }
            _ => match BlockedRuns::among(loops, length, unit, stores) {
                Some(runs) => Kernel::Blocked(runs),
                None => Kernel::Runs { length },
            },
        }
    }

    /// Moves elements that lie alone. Where those that follow in the destination are of different lines of the source, and there
    /// others are beside them, a line of either side is gone through at once: of the destination, if the lines that it comes
    /// from have room in the first cache, else of the source, if those that it goes to have, and else a part of one.
    fn single(loops: &mut Vec<Loop>, unit: i64) -> Kernel {
        lengthen_innermost(loops, unit);
        let steps = |stride: i64| LINE as i64 / stride.saturating_abs().saturating_mul(unit).max(1);
        let is_short = |l: &Loop| l.extent < MIN_STEPS;
        let follows = |l: &Loop| steps(l.dst) > 1;
        let is_far = |l: &Loop| steps(l.src) <= 1;
        // A few that are side by side are no row.
        let n_inner = usize::from(loops.last().is_some_and(|l| is_short(l) && follows(l)));
        let (around, inner) = loops.split_at(loops.len() - n_inner);
        let row = around.last().filter(|row| follows(row) && !is_short(row) && is_far(row));
        let row = row.filter(|_| inner.iter().all(is_far));
        let beside = (0..around.len().saturating_sub(1)).find(|&place| !is_far(&around[place]));
        let (Some(&row), Some(beside)) = (row, beside) else {
            let inner = loops.pop().unwrap_or(ONCE);
            let outer = loops.pop().unwrap_or(ONCE);
            return Kernel::Single(Singles::of(outer, inner));
        };
        let inner = if n_inner == 1 { loops.pop() } else { None }.unwrap_or(ONCE);
        loops.pop();
        let beside = loops.remove(beside);
        // How many lines are gone on with in turn, and how many the first cache has room for.
        let (from, to) = (steps(row.dst).min(row.extent), steps(beside.src).min(beside.extent));
        let most = |stride: i64, of| most_sources(stride.saturating_mul(8 * unit), of);
        let (from_most, to_most) = (most(row.src, from), most(beside.dst, to));
        let (row, at_once, beside) = match from <= from_most || to > to_most || is_short(&beside) {
            true => (row, from_most, beside),
            false => (beside, to, row),
        };
        Kernel::Single(Singles { row, at_once, around: [beside, inner] })
    }
}

/// Takes out the loop of rows whose runs take turns within `step` of the source, if there is one, or
/// as much of it as is written at once.
fn take_rows(loops: &mut Vec<Loop>, step: i64) -> Loop {
    let takes_turns = |l: &Loop| l.src > 0 && l.src.saturating_mul(l.extent) <= step;
    let nearest =
        loops.iter().enumerate().filter(|(_, l)| takes_turns(l)).min_by_key(|(_, l)| l.src);
    let Some((place, &rows)) = nearest else { return ONCE };
    let fits = |part: &i64| rows.extent % part == 0;
    let part = (1..=rows.extent.min(joined::MAX_ROWS as i64)).rev().find(fits).unwrap_or(1);
    match rows.extent / part {
        1 => drop(loops.remove(place)),
        whole => {
            let (src, dst) = (rows.src * part, rows.dst * part);
            loops[place] = Loop { extent: whole, src, dst };
        }
    }
    Loop { extent: part, ..rows }
}

/// Puts the loops around a kernel in order. What comes from memory is walked straight on by runs,
/// since they may go anywhere in the caches, and streamed lines too; in the caches what is written is, as stores wait for their
/// lines in turn and loads do not. Otherwise fewer places are to be visited in turn on the side that is not.
fn order_walk(loops: &mut [Loop], kernel: Kernel, unit: i64, stores: Stores) {
    let line = LINE as i64;
    let (src_len, dst_len) = match kernel {
        Kernel::Runs { length } => (length, length),
        Kernel::Zip { count, length, .. } => (length, count * length),
        Kernel::Unzip { count, length, .. } => (count * length, length),
        Kernel::Blocked(_) | Kernel::Joined { .. } | Kernel::Single { .. } => return,
    };
    if src_len.max(dst_len) * unit < line {
        // Short runs are quicker one behind the other.
        if let Kernel::Runs { length } = kernel
            && let Some(next) = loops.iter().position(|l| l.dst == length && l.extent > 1)
            && (loops[next].extent >= MIN_STEPS
                || runs::are_following(loops, length, unit as usize).is_some())
        {
            return loops[next..].rotate_left(1);
        }
        return lengthen_innermost(loops, dst_len * unit);
    }
    // Parts of lines that are streamed are put together if they come one after the other.
    let is_zip = matches!(kernel, Kernel::Zip { .. });
    if is_zip && stores == Stores::Streamed && dst_len * unit % line != 0 {
        return loops.sort_by_key(|l| std::cmp::Reverse(l.dst.abs()));
    }
    let in_dst_order = n_places(loops, |l| l.src, src_len);
    loops.sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
    let in_src_order = n_places(loops, |l| l.dst, dst_len);
    let is_run = matches!(kernel, Kernel::Runs { .. });
    let is_long = dst_len * unit >= 2 * line;
    let is_cached = stores == Stores::Cached;
    if is_run && is_cached || in_dst_order <= in_src_order && !(is_run && is_long) {
        loops.sort_by_key(|l| std::cmp::Reverse(l.dst.abs()));
    }
}

/// Puts the longest loop innermost where the innermost one has hardly a step, unless what is moved
/// at a time, so many bytes, is little of a line.
fn lengthen_innermost(loops: &mut [Loop], bytes: i64) {
    let is_short = loops.last().is_some_and(|l| l.extent < MIN_STEPS);
    let longest = (0..loops.len()).max_by_key(|&place| loops[place].extent);
    if let Some(longest) = longest.filter(|_| is_short && bytes >= 16) {
        loops[longest..].rotate_left(1);
    }
}

/// How many places of one side are visited before a walk goes on where it has been.
fn n_places(loops: &[Loop], stride: fn(&Loop) -> i64, length: i64) -> i64 {
    let inner = loops.iter().rev().take_while(|l| stride(l) != length);
    inner.fold(1, |places, l| places.saturating_mul(l.extent))
}

#[cfg(test)]
mod tests;
