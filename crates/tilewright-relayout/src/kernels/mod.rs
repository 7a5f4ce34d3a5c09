//! The inner loops: moving dense boxes of elements of 1, 2, 4, 8, 16 or 32 bytes.
//!
//! This is the one room of the project in which code is `unsafe`. What comes in is safe: two
//! slices, and loops over them that are checked once, as a whole, before anything is touched
//! ([`lies_inside`]). What the loops of a box are decides how it is moved:
//!
//! * [`Kernel::Runs`]: neighbours stay neighbours. Whole runs are copied.
//! * [`Kernel::Joined`]: the same where runs follow each other in the destination and are streamed,
//!   but do not begin at lines.
//! * [`Kernel::Zip`], [`Kernel::Unzip`]: 2, 4, 8, 16 or 32 rows interleaved, or taken apart (the
//!   second tile of `T(8,128)(2,1)`); also 3, 5, 6 or 7 of them, as the colours of an image. Of what is
//!   taken apart, only some rows may be there.
//! * [`Kernel::Grid`]: neighbours in the destination are far apart in the source, and the other way
//!   round. Squares of whole lines are transposed in registers. A side's neighbours may be made by
//!   several loops, as where a line goes across two tiles. Where it is streamed and does not fill
//!   lines, blocks of it are put together in the caches first. A few columns are read with what lies
//!   beyond them, as far as that is the source's.
//! * A [program](tile) of tiles: neighbours on either side are few. Registers are put together from
//!   short pieces that lie anywhere.
//! * [`Kernel::Single`]: anything else, element by element.
//!
//! Elements below a byte are packed and unpacked ([`fold`]), transposed in squares of words
//! ([`BitSquares`]), or moved by programs as well ([`move_bits`]), which exchange single bits.
//!
//! Every kernel is written once, for registers of any length; [`Level`] says which the processor
//! has. Boxes that do not pass the check are moved one by one with every index tested, which is
//! also what the tests hold the kernels to.

mod bit_squares;
mod block;
mod fold;
mod gather;
mod joined;
mod level;
mod lists;
mod machine;
#[cfg(target_arch = "aarch64")]
mod neon;
mod place;
mod places;
mod register;
mod rotate;
mod runs;
mod shuffle;
mod squares;
mod staged;
mod tasks;
mod thin;
mod tile;
mod turn;
mod weave;
#[cfg(target_arch = "x86_64")]
mod x86;
mod zips;

pub(crate) use bit_squares::{BitSquares, Word, transpose_bits};
pub(crate) use fold::{Fold, Form, fold};
pub(crate) use level::Level;
pub(crate) use lists::Lists;
pub(crate) use place::Stores;
pub(crate) use tile::Slots;

use crate::description::KernelKind;
use crate::nest::{Loop, walk};
use level::fence;
use place::{At, LINE};
use places::{MAX_LOOPS, ONCE};
use squares::Grid;
use tasks::{Join, Run, Single, Transpose, Walk, Zip};
use turn::Turn;
use zips::Rows;

/// Of fewer steps than this, an innermost loop takes longer to begin than to run.
const MIN_STEPS: i64 = 8;

/// Registers that a thread may use, how it stores, and where it reads next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means {
    pub(crate) level: Level,
    pub(crate) stores: Stores,
    /// How many bytes further on a box like this one is read next; 0 if that is not known.
    pub(crate) ahead: i64,
}

impl Means {
    /// The best registers that there are.
    pub(crate) fn best(stores: Stores) -> Self {
        Means { level: Level::best(), stores, ahead: 0 }
    }
}

/// What moves the innermost loops of a box. Strides are in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    /// `length` neighbours.
    Runs { length: i64 },
    /// `length` neighbours, and `count` times as many that follow in the destination, `step` apart
    /// in the source; and all that several times.
    Joined { length: i64, count: i64, step: i64, rows: Loop },
    /// `count` rows `step` apart, each of `length` elements.
    Zip { count: i64, step: i64, length: i64 },
    /// The same in the destination, of which the first `kept` are.
    Unzip { count: i64, kept: i64, step: i64, length: i64 },
    /// The two chains of loops in the lists.
    Grid,
    /// Two loops of any strides.
    Single { outer: Loop, inner: Loop },
}

/// Moves a box of elements of `unit` bytes: `loops`, from byte `start.0` of the source and
/// `start.1` of the destination on. Uses up the list of loops.
pub(crate) fn move_box(
    loops: &mut Vec<Loop>,
    lists: &mut Lists,
    unit: usize,
    start: (i64, i64),
    src: &[u8],
    dst: &mut [u8],
    means: Means,
) {
    if loops.iter().any(|l| l.extent < 1) {
        return;
    }
    if loops.len() > MAX_LOOPS || !lies_inside(loops, unit, start, src.len(), dst.len()) {
        return move_checked(loops, unit, start, src, dst);
    }
    let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() }.plus(start.0, start.1);
    let unit = take_short_run(loops, unit);
    let turn = Turn::take(loops, unit);
    if turn.is_none()
        && has_few_neighbours(loops, unit)
        && let Some(program) = program_of(loops, unit, means.level)
    {
        // SAFETY: as below.
        return unsafe { machine::run(&program, at, means.level, means.stores) };
    }
    let end = src.as_ptr_range().end;
    // SAFETY: `lies_inside` found all elements of the loops within the two slices, which cannot
    // overlap; turned blocks are the same elements.
    unsafe {
        match turn.map_or(unit, |turn| turn.unit) {
            1 => move_units::<1>(loops, lists, at, means, turn, end),
            2 => move_units::<2>(loops, lists, at, means, turn, end),
            4 => move_units::<4>(loops, lists, at, means, turn, end),
            8 => move_units::<8>(loops, lists, at, means, turn, end),
            16 => move_units::<16>(loops, lists, at, means, turn, end),
            32 => move_units::<32>(loops, lists, at, means, turn, end),
            _ => move_checked(loops, unit, start, src, dst),
        }
    }
}

/// Moves a box of elements of any width from bit `start.0` of the source and `start.1` of the
/// destination on, if it is made of whole bytes on both sides. Says whether it is.
pub(crate) fn move_bits(
    loops: &[Loop],
    slots: Slots,
    start: (i64, i64),
    src: &[u8],
    dst: &mut [u8],
    means: Means,
) -> bool {
    if loops.iter().any(|l| l.extent < 1) {
        return true;
    }
    let is_whole = start.0 % 8 == 0 && start.1 % 8 == 0;
    let reaches = |start: i64, stride: fn(&Loop) -> i64, slot: i64, bytes: usize| {
        let (mut low, mut high) = (i128::from(start), i128::from(start) + i128::from(slot));
        for l in loops {
            let reach = i128::from(l.extent - 1) * i128::from(stride(l)) * i128::from(slot);
            low += reach.min(0);
            high += reach.max(0);
        }
        low < 0 || high > bytes as i128 * 8
    };
    let is_beyond = reaches(start.0, |l| l.src, slots.src, src.len())
        || reaches(start.1, |l| l.dst, slots.dst, dst.len());
    if !is_whole || is_beyond {
        return false;
    }
    let Some(program) = program_of_bits(loops, slots, means.level) else { return false };
    let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() }.plus(start.0 / 8, start.1 / 8);
    // SAFETY: the slots of all elements were found within the two slices, which cannot overlap; a
    // program reads and writes whole slots of these.
    unsafe { machine::run(&program, at, means.level, means.stores) };
    true
}

/// Whether [`move_bits`] moves such a box where it begins with bytes.
pub(crate) fn has_program(loops: &[Loop], slots: Slots) -> bool {
    program_of_bits(loops, slots, Level::best()).is_some()
}

/// The program of a box of elements in such slots.
fn program_of_bits(loops: &[Loop], slots: Slots, level: Level) -> Option<tile::Program> {
    let mut run = Loop { extent: slots.value, src: 1, dst: 1 };
    let mut in_bits = Vec::with_capacity(loops.len() + 1);
    for l in loops.iter().filter(|l| l.extent != 1) {
        if l.is_run() && slots.src == slots.value && slots.dst == slots.value {
            run.extent = slots.value.checked_mul(l.extent)?;
        } else {
            let (src, dst) = (l.src.checked_mul(slots.src)?, l.dst.checked_mul(slots.dst)?);
            in_bits.push(Loop { extent: l.extent, src, dst });
        }
    }
    in_bits.push(run);
    let program = tile::Program::of(&in_bits, slots, level)?;
    (program.least_piece() >= LEAST_PIECE).then_some(program)
}

/// Whether what goes on together is short on either side: runs that are no elements, or chains of
/// fewer bytes than a register has. Such boxes are moved by programs, whose registers are put together
/// from loops of any strides.
fn has_few_neighbours(loops: &[Loop], unit: usize) -> bool {
    if let Some(run) = loops.iter().find(|l| l.is_run() && l.extent > 1) {
        let bytes = run.extent.saturating_mul(unit as i64);
        return bytes < SHORT && bytes & (bytes - 1) == 0;
    }
    // Rows that are zipped or taken apart have kernels of their own.
    let (across, along) = (loops.iter().find(|l| l.dst == 1), loops.iter().find(|l| l.src == 1));
    let bytes = |l: &Loop| l.extent.saturating_mul(unit as i64);
    if let Some(a) = across {
        let b = along.copied().unwrap_or(Loop { src: 1, ..ONCE });
        let is_zip = b.dst == a.extent && is_zipped(a.extent, unit as i64) && bytes(&b) >= SHORT;
        if is_zip || is_unzip(*a, b, unit as i64) {
            return false;
        }
    }
    // No loop is in the chains of both sides.
    let chain = |stride: fn(&Loop) -> i64, other: fn(&Loop) -> i64| {
        let mut length = 1i64;
        let is_next =
            |length: i64| move |l: &&Loop| stride(l) == length && l.extent > 1 && other(l) != 1;
        while let Some(l) = loops.iter().find(is_next(length)) {
            length = length.saturating_mul(l.extent);
        }
        length.saturating_mul(unit as i64)
    };
    chain(|l| l.src, |l| l.dst).min(chain(|l| l.dst, |l| l.src)) < SHORT
}

/// Registers are not put together from fewer bytes at a time.
const LEAST_PIECE: usize = 4;

/// The bytes of the shortest registers.
const SHORT: i64 = 16;

/// The program of a box of elements of `unit` bytes, if it has one.
fn program_of(loops: &[Loop], unit: usize, level: Level) -> Option<tile::Program> {
    let program = program_of_bits(loops, Slots::same(8 * unit as i64), level);
    // Elements that lie alone on both sides are copied one by one.
    program.filter(|program| !program.is_all_pieces())
}

/// Moves a box of elements of `N` bytes, or of turned blocks of so many.
///
/// # Safety
/// `at` is where the loops begin; all their elements can be read and written, and the two sides do
/// not overlap. There are no more than [`MAX_LOOPS`], and none is empty.
unsafe fn move_units<const N: usize>(
    loops: &mut Vec<Loop>,
    lists: &mut Lists,
    at: At,
    means: Means,
    turn: Option<Turn>,
    end: *const u8,
) {
    let (unit, level) = (N as i64, means.level);
    let kernel = Kernel::choose(loops, lists, unit, at, means.stores, turn);
    if kernel == Kernel::Grid
        && let Some(mut rest) = lists.shorten(loops, unit)
    {
        let after = at.plus(rest.src * unit, rest.dst * unit);
        // SAFETY: `loops` and `rest` are the caller's loops, the steps of one shared out between
        // them, so their elements are the caller's; there are as many loops, and none is empty.
        unsafe {
            move_units::<N>(loops, lists, at, means, turn, end);
            move_units::<N>(&mut rest.loops, lists, after, means, turn, end);
        }
        return;
    }
    order_walk(loops, kernel, lists, unit, means.stores);
    if kernel == Kernel::Grid {
        lists.list(N);
    }
    let walk = Walk::<N> { loops, at, stores: means.stores };
    // SAFETY: the caller's promise; the kernel and the loops left are those loops.
    unsafe {
        match kernel {
            Kernel::Runs { length } => level.run(Run { walk, length }),
            Kernel::Joined { length, count, step, rows } => {
                let rows = Loop { src: rows.src * unit, dst: rows.dst * unit, ..rows };
                let (len, step) = (length as usize * N, step * unit);
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
            Kernel::Grid => {
                let turn = turn.as_ref().map(|turn| &turn.order);
                let walk = lists.rotated(walk, means, turn);
                let (grid, blocks) = lists.grid(walk.at, N, means.stores);
                let (grid, ahead) = (Grid { turn, end, ..grid }, means.ahead);
                match blocks {
                    Some(blocks) => level.run(tasks::Stage { walk, grid, blocks, ahead }),
                    None => level.run(Transpose { walk, grid, ahead }),
                }
            }
            Kernel::Single { outer, inner } => level.run(Single { walk, outer, inner }),
        }
    }
    if means.stores == Stores::Streamed {
        fence();
    }
}

/// Takes out the loop of short runs that are whole elements of a larger size, if all else is a
/// multiple of it and goes on where they end on either side. The size of the elements that the
/// loops then count.
fn take_short_run(loops: &mut Vec<Loop>, unit: usize) -> usize {
    let Some(place) = loops.iter().position(Loop::is_run) else { return unit };
    let length = loops[place].extent;
    let bytes = length.saturating_mul(unit as i64);
    // Longer runs are quick as they are.
    if !matches!(bytes, 2 | 4 | 8) {
        return unit;
    }
    let others = || loops.iter().enumerate().filter(|(other, _)| *other != place);
    let are_multiples = others().all(|(_, l)| l.src % length == 0 && l.dst % length == 0);
    let goes_on = |stride: fn(&Loop) -> i64| others().any(|(_, l)| stride(l) == length);
    if !are_multiples || !goes_on(|l| l.src) || !goes_on(|l| l.dst) {
        return unit;
    }
    loops.remove(place);
    for l in loops {
        (l.src, l.dst) = (l.src / length, l.dst / length);
    }
    bytes as usize
}

/// Whether every element of a box lies within both sides.
fn lies_inside(loops: &[Loop], unit: usize, start: (i64, i64), src: usize, dst: usize) -> bool {
    let span = |start: i64, stride: fn(&Loop) -> i64| {
        let (mut low, mut high) = (i128::from(start), i128::from(start) + unit as i128);
        for l in loops {
            let reach = i128::from(l.extent - 1) * i128::from(stride(l)) * unit as i128;
            low += reach.min(0);
            high += reach.max(0);
        }
        (low, high)
    };
    let (src_span, dst_span) = (span(start.0, |l| l.src), span(start.1, |l| l.dst));
    src_span.0 >= 0 && src_span.1 <= src as i128 && dst_span.0 >= 0 && dst_span.1 <= dst as i128
}

/// Moves a box one by one; elements that lie outside either side are left out.
fn move_checked(loops: &[Loop], unit: usize, start: (i64, i64), src: &[u8], dst: &mut [u8]) {
    let scaled = |l: &Loop| Loop { src: l.src * unit as i64, dst: l.dst * unit as i64, ..*l };
    let loops: Vec<Loop> = loops.iter().map(scaled).collect();
    walk(&loops, start, &mut |(s, d)| {
        let from = usize::try_from(s).ok().and_then(|s| src.get(s..)?.get(..unit));
        let to = usize::try_from(d).ok().and_then(|d| dst.get_mut(d..)?.get_mut(..unit));
        if let (Some(from), Some(to)) = (from, to) {
            to.copy_from_slice(from);
        }
    });
}

/// Which kernel would move a whole box in one piece, if its memory began `start` bytes behind a
/// line: its kind, the loops around it in the order they are walked, and its own.
///
/// This is [`move_box`]'s own choice made once more, for a box that is not cut to a chunk and at an
/// address of no memory: a part of the box may be moved by another kernel.
pub(crate) fn choice(
    loops: &[Loop],
    unit: usize,
    start: i64,
    stores: Stores,
) -> (KernelKind, Vec<Loop>, Vec<Loop>) {
    let (mut around, mut lists) = (loops.to_vec(), Lists::default());
    let elements = unit;
    let whole = take_short_run(&mut around, elements);
    let turn = Turn::take(&mut around, whole);
    if turn.is_none()
        && has_few_neighbours(&around, whole)
        && program_of(&around, whole, Level::best()).is_some()
    {
        return (KernelKind::Tile, Vec::new(), loops.to_vec());
    }
    let unit = turn.map_or(unit, |turn| turn.unit);
    let place = std::ptr::without_provenance_mut(start.rem_euclid(LINE as i64) as usize);
    let at = At { src: place, dst: place };
    let kernel = Kernel::choose(&mut around, &mut lists, unit as i64, at, stores, turn);
    order_walk(&mut around, kernel, &lists, unit as i64, stores);
    let run = |extent: i64, src: i64, dst: i64| Loop { extent, src, dst };
    let (name, mut own) = match kernel {
        Kernel::Runs { length } => (KernelKind::Runs, vec![run(length, 1, 1)]),
        Kernel::Joined { length, count, step, rows } => {
            (KernelKind::JoinedRuns, vec![run(count, step, length), rows, run(length, 1, 1)])
        }
        Kernel::Zip { count, step, length } => {
            (KernelKind::Zip, vec![run(length, 1, count), run(count, step, 1)])
        }
        Kernel::Unzip { count, kept, step, length } => {
            (KernelKind::Unzip, vec![run(length, count, 1), run(kept, 1, step)])
        }
        Kernel::Grid => {
            let own = lists.loops().collect();
            (lists.kind(at, unit, stores), own)
        }
        Kernel::Single { outer, inner } => (KernelKind::Single, vec![outer, inner]),
    };
    own.retain(|l| l.extent != 1);
    let name = if turn.is_some() { KernelKind::TurnedGrid } else { name };
    if let Some(turn) = turn {
        around.iter_mut().chain(&mut own).for_each(|l| turn.count_elements(l));
        own.extend(turn.loops);
    }
    let length = (whole / elements) as i64;
    for l in around.iter_mut().chain(&mut own) {
        (l.src, l.dst) = (l.src * length, l.dst * length);
    }
    if length > 1 {
        own.push(run(length, 1, 1));
    }
    (name, around, own)
}

impl Kernel {
    /// Takes the loops a kernel will see to out of `loops`, which are in the order of the
    /// destination's strides, largest first.
    fn choose(
        loops: &mut Vec<Loop>,
        lists: &mut Lists,
        unit: i64,
        at: At,
        stores: Stores,
        turn: Option<Turn>,
    ) -> Kernel {
        if let Some(place) = loops.iter().rposition(Loop::is_run) {
            return Kernel::runs(loops, place, unit, at, stores);
        }
        let across = loops.iter().rposition(|l| l.dst == 1);
        let along = loops.iter().rposition(|l| l.src == 1);
        let is_turned = turn.is_some();
        if !is_turned && let Some(unzip) = across.and_then(|a| Kernel::unzip(loops, a, along, unit))
        {
            return unzip;
        }
        let (Some(across), Some(along)) = (across, along) else {
            return Kernel::single(loops, unit);
        };
        let (a, b) = (loops[across], loops[along]);
        if !is_turned && b.dst == a.extent && is_zipped(a.extent, unit) && b.extent * unit >= 16 {
            remove_both(loops, across, along);
            return Kernel::Zip { count: a.extent, step: a.src, length: b.extent };
        }
        remove_both(loops, across, along);
        lists.chain(loops, a, b, unit);
        Kernel::Grid
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
            _ => Kernel::Runs { length },
        }
    }

    /// Takes apart what the loop at `across` finds at equal distances, and the one at `along` between.
    /// A chunk may begin or end between rows, so that not all of them are there.
    fn unzip(
        loops: &mut Vec<Loop>,
        across: usize,
        along: Option<usize>,
        unit: i64,
    ) -> Option<Self> {
        let a = loops[across];
        let b = along.map_or(Loop { src: 1, ..ONCE }, |along| loops[along]);
        if !is_unzip(a, b, unit) {
            return None;
        }
        match along {
            Some(along) => remove_both(loops, across, along),
            None => drop(loops.remove(across)),
        }
        Some(Kernel::Unzip { count: a.src, kept: b.extent, step: b.dst, length: a.extent })
    }

    fn single(loops: &mut Vec<Loop>, unit: i64) -> Kernel {
        lengthen_innermost(loops, unit);
        let inner = loops.pop().unwrap_or(ONCE);
        Kernel::Single { outer: loops.pop().unwrap_or(ONCE), inner }
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

/// Whether what loop `a` finds at equal distances, and `b` between, is a run that is taken apart.
fn is_unzip(a: Loop, b: Loop, unit: i64) -> bool {
    let is_worth_it = b.extent <= a.src && (a.src <= 8 || b.extent > a.src / 2);
    is_worth_it && is_zipped(a.src, unit) && a.extent * unit >= 16
}

/// Whether rows of this number have a kernel that zips them.
fn is_zipped(count: i64, unit: i64) -> bool {
    let is_network = matches!(count, 2 | 4 | 8 | 16 | 32) && count * unit <= LINE as i64 / 2;
    is_network || weave::is_woven(count, unit)
}

fn remove_both(loops: &mut Vec<Loop>, a: usize, b: usize) {
    loops.remove(a.max(b));
    loops.remove(a.min(b));
}

/// Puts the loops around a kernel in order. What comes from memory is walked straight on by runs,
/// since they may go anywhere in the caches, and streamed lines too; otherwise fewer places are to
/// be visited in turn on the side that is not.
fn order_walk(loops: &mut [Loop], kernel: Kernel, lists: &Lists, unit: i64, stores: Stores) {
    let line = LINE as i64;
    let (src_len, dst_len) = match kernel {
        Kernel::Runs { length } => (length, length),
        Kernel::Zip { count, length, .. } => (length, count * length),
        Kernel::Unzip { count, length, .. } => (count * length, length),
        // A line of the source is visited again before it is forgotten.
        Kernel::Grid if lists.is_thin(unit) => {
            return loops.sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
        }
        Kernel::Joined { .. } | Kernel::Grid | Kernel::Single { .. } => return,
    };
    if src_len.max(dst_len) * unit < line {
        return lengthen_innermost(loops, dst_len * unit);
    }
    let in_dst_order = n_places(loops, |l| l.src, src_len);
    loops.sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
    let in_src_order = n_places(loops, |l| l.dst, dst_len);
    let is_run = matches!(kernel, Kernel::Runs { .. });
    let is_long = dst_len * unit >= 2 * line;
    let is_from_memory = stores != Stores::Cached && is_run && is_long;
    if in_dst_order <= in_src_order && !is_from_memory {
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
mod tests {
    use super::*;

    /// Bytes around each buffer that nothing may touch.
    const GUARD: usize = 64;

    fn l(extent: i64, src: i64, dst: i64) -> Loop {
        Loop { extent, src, dst }
    }

    fn pattern(n: usize) -> Vec<u8> {
        if cfg!(miri) {
            let mut repeated = (0..251).collect::<Vec<u8>>().repeat(n / 251 + 1);
            repeated.truncate(n);
            return repeated;
        }
        (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect()
    }

    fn bytes_of(loops: &[Loop], unit: usize, stride: fn(&Loop) -> i64) -> usize {
        let reach = |l: &Loop| ((l.extent - 1) * stride(l)) as usize;
        (1 + loops.iter().map(reach).sum::<usize>()) * unit
    }

    /// Moves a box by its kernel, with all registers there are, stored both ways, and to places of
    /// any alignment; and one by one.
    fn check(loops: &[Loop], unit: usize) {
        check_from(0, loops, unit);
    }

    /// [`check`], from byte `from` of the source on, which walks backwards on some loops.
    fn check_from(from: usize, loops: &[Loop], unit: usize) {
        check_listed(Lists::default, from, loops, unit);
    }

    /// [`check_from`], with lists like these.
    fn check_listed(lists: impl Fn() -> Lists, from: usize, loops: &[Loop], unit: usize) {
        let n_src = from + bytes_of(loops, unit, |l| l.src.max(0));
        let n_dst = bytes_of(loops, unit, |l| l.dst);
        let src = pattern(n_src);
        let mut expected = vec![0xee; n_dst];
        let places = (from as i64, 0);
        move_checked(loops, unit, places, &src, &mut expected);
        for level in Level::all() {
            for stores in [Stores::Cached, Stores::Streamed, Stores::Staged] {
                for &shift in cases(&[3, 0, unit], 1) {
                    let means = Means { level, stores, ahead: 0 };
                    let mut buffer = vec![0xee; n_dst + 3 * GUARD];
                    let aligned = buffer.as_ptr().align_offset(GUARD);
                    let start = aligned + GUARD / 2 + shift;
                    let dst = &mut buffer[start..start + n_dst];
                    let mut lists = lists();
                    move_box(&mut loops.to_vec(), &mut lists, unit, places, &src, dst, means);
                    assert_eq!(dst, expected, "{loops:?} of {unit} bytes by {means:?} at {shift}");
                    let mut around = buffer[..start].iter().chain(&buffer[start + n_dst..]);
                    assert!(around.all(|byte| *byte == 0xee), "{loops:?} by {means:?}");
                    // Every box that has a program can be moved by it.
                    let listed: Vec<Loop> =
                        loops.iter().filter(|l| l.extent != 1).copied().collect();
                    if loops.iter().all(|l| l.extent > 0)
                        && let Some(program) = program_of(&listed, unit, level)
                    {
                        buffer.fill(0xee);
                        let dst = &mut buffer[start..start + n_dst];
                        let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
                        // SAFETY: the buffers are as long as the loops reach.
                        unsafe {
                            machine::run(&program, at.plus(places.0, places.1), level, stores);
                        };
                        assert_eq!(
                            dst, expected,
                            "{loops:?} of {unit} bytes by a program, {means:?}"
                        );
                        let mut around = buffer[..start].iter().chain(&buffer[start + n_dst..]);
                        assert!(
                            around.all(|byte| *byte == 0xee),
                            "{loops:?} by a program, {means:?}"
                        );
                    }
                }
            }
        }
    }

    /// All of some cases; for Miri, which takes its time, the first `few`.
    fn cases<T>(all: &[T], few: usize) -> &[T] {
        if cfg!(miri) { &all[..few] } else { all }
    }

    const UNITS: [usize; 6] = [1, 4, 32, 2, 8, 16];

    #[test]
    fn runs() {
        for &unit in cases(&UNITS, 3) {
            check(&[], unit);
            for &length in cases(&[1, 7, 33, 70, 2, 3, 9, 16, 129, 300], 4) {
                check(&[l(length, 1, 1)], unit);
                check(&[l(3, 2 * length, 4 * length + 5), l(length, 1, 1)], unit);
            }
        }
    }

    #[test]
    fn runs_that_are_joined() {
        for &unit in cases(&UNITS, 3) {
            for &length in cases(&[16, 65, 1, 17, 63, 64, 100, 257], 2) {
                check(&[l(5, 3 * length, length), l(length, 1, 1)], unit);
                check(
                    &[l(3, length, 9 * length + 1), l(9, 4 * length, length), l(length, 1, 1)],
                    unit,
                );
            }
        }
    }

    #[test]
    fn zips_and_unzips() {
        for &unit in cases(&UNITS, 3) {
            for &count in cases(&[2, 3, 8, 32, 4, 5, 16, 6, 7], 4) {
                for &length in cases(&[7, 17, 1, 16, 64, 100, 257], 2) {
                    check(&[l(length, 1, count), l(count, length + 3, 1)], unit);
                    check(&[l(count, 1, length + 3), l(length, count, 1)], unit);
                    check(&[l(count, 1, 64 * length), l(length, count, 1)], unit);
                    let run = length * count;
                    check(&[l(3, 2 * run, run), l(length, 1, count), l(count, length, 1)], unit);
                }
            }
        }
    }

    /// Some rows of more that lie between each other, down to one; the source ends with the last of
    /// them.
    #[test]
    fn some_rows_of_an_unzip() {
        for &unit in cases(&UNITS, 2) {
            for &(count, kept) in cases(&[(3, 2), (8, 3), (5, 4), (7, 1), (2, 1), (16, 9)], 1) {
                for &length in cases(&[17, 64, 1, 7, 257], 1) {
                    check(&[l(kept, 1, length + 3), l(length, count, 1)], unit);
                    check(&[l(2, 3 * length * count, length), l(length, count, 1)], unit);
                }
            }
        }
    }

    /// Grids of a few columns or rows that are no zips, because other loops lie between.
    #[test]
    fn thin_grids() {
        for &unit in cases(&UNITS, 2) {
            let sides = [(3, 3, 5), (2, 3, 3), (5, 2, 17), (3, 7, 16), (13, 2, 9), (1, 3, 40)];
            for &(a, b, n) in cases(&sides, 1) {
                // The first two change places, a third comes to lie between: columns, then rows.
                check(&[l(b, 1, n * a), l(n, 5 * a * b, a), l(a, b, 1)], unit);
                check(&[l(n, b, 5 * a * b), l(b, 1, a), l(a, n * b, 1)], unit);
                // Rows backwards, so that the first one lies nearest to the end.
                let start = ((n - 1) * a * b) as usize * unit;
                check_from(start, &[l(b, 1, n * a), l(n, -a * b, a), l(a, b, 1)], unit);
            }
        }
    }

    #[test]
    fn grids() {
        for &unit in cases(&UNITS, 3) {
            let sides = [(3, 5), (16, 17), (16, 16), (64, 64), (37, 70), (130, 65), (1030, 37)];
            for &(a, b) in cases(&sides, 2) {
                check(&[l(b, 1, a), l(a, b, 1)], unit);
                check(&[l(b, 1, 64 * ((a + 63) / 64)), l(a, b + 5, 1)], unit);
                check(&[l(2, b, a * b), l(b, 1, a), l(a, 2 * b, 1)], unit);
            }
        }
    }

    /// Destinations that begin within a line and have rows of whole lines, one behind the other.
    #[test]
    fn grids_that_are_rotated() {
        for &unit in cases(&[4, 1, 2, 8, 16], 1) {
            let line = (LINE / unit) as i64;
            for &(rows, columns) in cases(&[(2, 17), (1, 40), (8, 65), (5, 300)], 1) {
                let (a, b) = (rows * line, columns.max(line + 1));
                check(&[l(b, 1, a), l(a, b, 1)], unit);
                check(&[l(3, b, (b + 2) * a), l(b, 1, a), l(a, 3 * b, 1)], unit);
            }
        }
    }

    #[test]
    fn short_runs_are_elements() {
        for &unit in cases(&[1, 4, 2, 8], 1) {
            for &length in cases(&[4, 2, 3, 8, 32], 2) {
                check(&[l(9, length, 5 * length), l(5, 9 * length, length), l(length, 1, 1)], unit);
                check(&[l(9, length + 1, 5 * length), l(length, 1, 1)], unit);
            }
        }
        let mut loops = vec![l(9, 4, 20), l(5, 36, 4), l(4, 1, 1)];
        assert_eq!((take_short_run(&mut loops, 2), loops), (8, vec![l(9, 1, 5), l(5, 9, 1)]));
    }

    #[test]
    fn grids_of_turned_blocks() {
        for &unit in cases(&[2, 1, 4, 8], 1) {
            for &(rows, columns) in cases(&[(2, 2), (4, 4), (2, 4), (8, 2), (16, 1)], 1) {
                let n = rows * columns;
                for &(a, b) in cases(&[(3, 5), (16, 16), (37, 70), (64, 130)], 1) {
                    let block = [l(columns, 1, rows), l(rows, columns, 1)];
                    check(&[[l(a, n, b * n), l(b, a * n, n)], block].concat(), unit);
                    check(&[[l(b, a * n, n), l(a, n, (b + 3) * n)], block].concat(), unit);
                }
            }
        }
    }

    #[test]
    fn grids_of_chains() {
        // Tiles of 8 × 128 to tiles of the transposed array: lines go across two tiles.
        let loops = [l(2, 8, 2048), l(2, 1024, 8), l(8, 1, 128), l(8, 128, 1)];
        for &unit in cases(&UNITS, 3) {
            check(&loops, unit);
        }
        if cfg!(miri) {
            return;
        }
        // Blocks of several rows and columns of blocks.
        check(&[l(300, 1, 1030), l(1030, 307, 1)], 4);
        check(&[l(2, 15 * 307, 15 * 300), l(300, 1, 15), l(15, 307, 1)], 2);
        // Chains that are too long to be listed.
        check(&[l(40_000, 1, 3), l(3, 50_000, 1)], 1);
        check(&[l(32_768, 1, 40), l(40, 32_768, 1)], 1);
    }

    /// Sides of which no more than 70 elements are listed: in parts of equal length, and with a part
    /// left over on one side, on the other, and on both.
    #[test]
    fn grids_whose_sides_are_listed_in_parts() {
        let check =
            |loops: &[Loop], unit| check_listed(|| Lists::no_longer_than(70), 0, loops, unit);
        for &unit in cases(&UNITS, 1) {
            let sides = [(71, 73), (140, 5), (5, 140), (131, 64), (64, 131), (210, 333)];
            for &(a, b) in cases(&sides, 2) {
                check(&[l(b, 1, a), l(a, b, 1)], unit);
                check(&[l(b, 1, a + 3), l(a, b + 5, 1)], unit);
                check(&[l(2, b, a * b), l(b, 1, a), l(a, 2 * b, 1)], unit);
            }
            // Chains: the outer loop of one is cut.
            check(&[l(37, 8, 8 * 8), l(2, 1000, 37 * 64), l(8, 1, 8), l(8, 2000, 1)], unit);
        }
        let block = [l(2, 1, 2), l(2, 2, 1)];
        check(&[[l(75, 4, 83 * 4), l(83, 75 * 4, 4)], block].concat(), 2);
    }

    /// Code for registers is inlined, so that all of it shares a frame. Threads have two megabytes,
    /// and without optimisation a frame is several times as large as with it.
    #[test]
    fn little_of_the_stack_is_needed() {
        let side = if cfg!(miri) { 9 } else { 70 };
        let small = std::thread::Builder::new().stack_size(1 << 20);
        let thread = small.spawn(move || {
            for &unit in cases(&UNITS, 1) {
                check(&[l(side, 1, 64), l(64, side, 1)], unit);
                check(&[l(side, 1, 67), l(67, side, 1)], unit);
                for &count in cases(&[2, 3, 4, 5, 6, 7, 8, 16, 32], 2) {
                    check(&[l(side, 1, count), l(count, side, 1)], unit);
                    check(&[l(count, 1, side), l(side, count, 1)], unit);
                }
            }
        });
        thread.unwrap().join().unwrap();
    }

    #[test]
    fn anything_else() {
        for &unit in cases(&UNITS, 3) {
            check(&[l(3, 40, 100), l(4, 10, 20), l(9, 5, 2)], unit);
            check(&[l(9, 0, 1)], unit);
        }
    }

    #[test]
    fn what_lies_outside_is_left_out() {
        let loops = [l(4, 2, 1)];
        let means = Means::best(Stores::Cached);
        for (start, expected) in
            [((2, 0), [3, 5, 0, 0]), ((-2, 0), [0, 1, 3, 5]), ((0, -1), [3, 5, 0, 0])]
        {
            let mut dst = [0; 4];
            let src = [1, 2, 3, 4, 5, 6];
            move_box(&mut loops.to_vec(), &mut Lists::default(), 1, start, &src, &mut dst, means);
            assert_eq!(dst, expected, "{start:?}");
        }
    }
}
