//! The inner loops: moving dense boxes of elements of 1, 2, 4, 8, 16 or 32 bytes.
//!
//! This is the one room of the project in which code is `unsafe`, but for a line that lends jobs to
//! threads ([`desk`](crate::desk)). What comes in is safe: two
//! slices, and loops over them that are checked once, as a whole, before anything is touched
//! ([`Mover::run`]); or a destination that several threads have, of which each writes bytes of its own ([`Slabs`]). What the loops of a box are decides how it is moved:
//!
//! * A [program](tile) of tiles: registers are loaded, their bytes exchanged, and stored. Transposes,
//!   interleaves, turned blocks, short runs: whatever has neighbours, of a power of two, on both sides.
//! * [`Listed`]: the same where the neighbours of one side are made by loops of odd extents.
//! * [`Lookup`]: registers are looked up byte by byte, by tables, where there are no powers of two, or holes.
//! * [`Kernel::Runs`]: neighbours stay neighbours, an odd number of them, or of more lines than [`ways`] leaves to programs.
//!   Whole runs are copied.
//! * [`Kernel::Blocked`]: the same of short runs by blocks of two loops, so that lines of the source are there still when the next
//!   run of theirs is copied.
//! * [`Kernel::Joined`]: the same where runs follow each other in the destination and are streamed,
//!   but do not begin at lines.
//! * [`Kernel::Zip`], [`Kernel::Unzip`]: 3, 5, 6 or 7 rows interleaved, or taken apart, as the colours
//!   of an image. Of what is taken apart, only some rows may be there.
//! * [`Kernel::Single`]: anything else, element by element, if it can a line of one side at once.
//!
//! * [`Rows`]: rows of either side go by way of stages, where every index has room for a power of two: odd extents,
//!   elements below a byte that begin within bytes or are packed on one side.
//!
//! Elements below a byte are moved by programs as well, which exchange single bits.
//!
//! Every kernel is written once, for registers of any length; [`Level`] says which the processor
//! has. Boxes that do not pass the check are moved one by one with every index tested, which is
//! also what the tests hold the kernels to.

mod block;
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
pub(crate) use place::Stores;
use rows::Rows as StagedRows;
pub(crate) use slabs::{Cut, Slabs};
pub(crate) use swizzle::{SwizzledParts, Swizzles};
use tile::Program;
pub(crate) use tile::Slots;
use ways::{CHECKED, kernel_cycles, program_cycles, program_of_bits, single_cycles};
pub(crate) use ways::{Target, WIDEST_SLOT, Wanted};
use weave::is_woven;

use crate::bits;
use crate::description::KernelKind;
use crate::nest::{Loop, walk};
use level::fence;
use listed::Listed;
use lookup::Lookup;
use loop_order::most_sources;
use place::At;
pub(crate) use place::LINE;
use places::{MAX_LOOPS, ONCE};
use std::cmp::Ordering;
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

/// A box that is ready to be moved, again and again.
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    /// The bits that it reads, from the first to the last, from where it begins.
    src: (i64, i64),
    /// The bits that it writes.
    dst: (i64, i64),
    /// The loops of the box, in slots.
    loops: Vec<Loop>,
    slots: Slots,
    way: Way,
    /// Whether slots of the source have what lies beside elements, which is not the box's, too.
    reads_beside: bool,
    /// What moves it to destinations that do not begin at a line, where that is worth while.
    shifted: Option<Box<Shifted>>,
}

/// How a box is moved.
#[derive(Clone, Debug)]
enum Way {
    /// It has no elements.
    Nothing,
    Program(Box<Program>),
    Listed(Box<Listed>),
    Lookup(Box<Lookup>),
    Rows(Box<StagedRows>),
    /// Of elements of whole bytes, by a kernel that is chosen for the place of the box, unless it goes into the caches:
    /// then by this one, with these loops around it.
    Kernel(Option<(Kernel, Vec<Loop>)>),
    /// One by one, with every index tested.
    Checked,
}

/// A box that is streamed to a destination of whole lines, which does not begin at one: all but a line
/// of every row, from its first line on. What is left of the line are strips at both ends.
#[derive(Clone, Debug)]
struct Shifted {
    body: Program,
    /// The number of the loop along the rows.
    along: usize,
}

impl Shifted {
    /// Of the box of a program that streams lines, if its rows are long.
    fn of(loops: &[Loop], unit: usize, level: Level, program: &Program) -> Option<Self> {
        let along = loops.iter().position(|l| l.dst == 1 && l.extent > 1)?;
        let line = (LINE / unit) as i64;
        let extent = loops[along].extent;
        if !program.streams_lines() || extent % line != 0 || extent < LEAST_LINES * line {
            return None;
        }
        let mut shorter = loops.to_vec();
        shorter[along].extent -= line;
        let body = program_of_bits(&shorter, Slots::same(8 * unit as i64), level, true)?;
        body.streams_lines().then_some(Shifted { body, along })
    }
}

/// Rows of fewer lines are not shifted.
const LEAST_LINES: i64 = 32;

impl Mover {
    /// What moves a box best.
    pub(crate) fn of(wanted: Wanted<'_>) -> Self {
        match wanted.with_what_lies_beside() {
            Some((loops, slots, program)) => {
                let (src, dst) = spans(&loops, slots);
                let way = Way::Program(Box::new(program));
                Mover { src, dst, loops, slots, way, reads_beside: true, shifted: None }
            }
            None => Self::of_elements(wanted),
        }
    }

    /// The same, which reads no slots but the elements'.
    fn of_elements(wanted: Wanted<'_>) -> Self {
        let Wanted { loops, slots, level, target, .. } = wanted;
        let (src, dst) = spans(loops, slots);
        let way = if loops.iter().any(|l| l.extent < 1) {
            Way::Nothing
        } else if loops.len() > MAX_LOOPS {
            Way::Checked
        } else {
            wanted.way()
        };
        let loops: Vec<Loop> = loops.iter().filter(|l| l.extent != 1).copied().collect();
        let unit = slots.unit().unwrap_or(1);
        let way = match way {
            Way::Kernel(_) if !target.is_streamed() => {
                Way::Kernel(Some(cached_kernel(&loops, unit)))
            }
            way => way,
        };
        let shifted = match &way {
            Way::Program(program) if target.is_streamed() && slots.unit().is_some() => {
                Shifted::of(&loops, unit, level, program)
            }
            _ => None,
        };
        let shifted = shifted.map(Box::new);
        Mover { src, dst, loops, slots, way, reads_beside: false, shifted }
    }

    /// Of elements of `unit` bytes.
    pub(crate) fn of_units(loops: &[Loop], unit: usize, level: Level, is_streamed: bool) -> Self {
        let (slots, target) = (Slots::same(8 * unit as i64), Target::of(is_streamed));
        Self::of(Wanted { loops, slots, is_at_bytes: true, first: 0, target, level })
    }

    /// Whether a chunk had better be written by it in place than put together in the caches and streamed from there:
    /// it writes whole lines, the ends of long runs aside, or is quicker than the stage. `None` if that depends on
    /// where memory begins.
    pub(crate) fn streams(&self) -> Option<bool> {
        match &self.way {
            Way::Program(program) => Some(program.streams_lines() || program.has_blocks()),
            Way::Listed(listed) => Some(listed.streams()),
            Way::Lookup(lookup) => Some(!lookup.reads_destination()),
            Way::Rows(rows) => Some(rows.are_written_in_place()),
            Way::Nothing | Way::Kernel(_) | Way::Checked => None,
        }
    }

    /// Whether it reads what lies beside elements, up to the end of a slot of up to [`WIDEST_SLOT`] bytes.
    pub(crate) fn reads_beside(&self) -> bool {
        self.reads_beside
    }

    /// Whether it streams, and only to a destination that begins at a line.
    pub(crate) fn needs_lines(&self) -> bool {
        match &self.way {
            Way::Listed(listed) => listed.streams(),
            Way::Program(program) => self.shifted.is_none() && program.needs_lines(),
            _ => false,
        }
    }

    /// Whether boxes that begin within bytes are moved as it moves those that begin at them.
    pub(crate) fn begins_anywhere(&self) -> bool {
        matches!(&self.way, Way::Rows(rows) if rows.is_of_bits())
    }

    /// Whether it reads and writes no byte of the destination but those in which slots of the box lie, and those between slots
    /// that are [less than a register](slabs) apart.
    fn moves_apart(&self) -> bool {
        !self.reads_beside && !matches!(self.way, Way::Nothing | Way::Checked)
    }

    /// What moves it, unless that depends on where memory begins.
    pub(crate) fn kind(&self) -> Option<KernelKind> {
        match &self.way {
            Way::Program(_) => Some(KernelKind::Tile),
            Way::Listed(_) => Some(KernelKind::ListedTile),
            Way::Lookup(_) => Some(KernelKind::Lookup),
            Way::Rows(_) => Some(match self.slots.src.cmp(&self.slots.dst) {
                Ordering::Less => KernelKind::Unpack,
                Ordering::Equal => KernelKind::Rows,
                Ordering::Greater => KernelKind::Pack,
            }),
            Way::Checked if self.slots.unit().is_none() => Some(KernelKind::Bits),
            Way::Nothing | Way::Kernel(_) | Way::Checked => None,
        }
    }

    /// About how many of the processor's cycles it takes, if it looks its elements up or moves them one by one.
    pub(crate) fn scattered_cycles(&self) -> Option<f64> {
        match &self.way {
            Way::Lookup(lookup) => Some(lookup.cost()),
            Way::Kernel(_) => single_cycles(&self.loops, self.slots.unit()?),
            _ => None,
        }
    }

    /// About how many of the processor's cycles it takes in the caches.
    pub(crate) fn cycles(&self) -> f64 {
        let elements = || self.loops.iter().map(|l| l.extent as f64).product::<f64>();
        match &self.way {
            Way::Nothing => 0.0,
            Way::Program(program) => {
                program_cycles(program, elements() * self.slots.dst as f64 / 8.0)
            }
            Way::Listed(listed) => listed.cycles(),
            Way::Lookup(lookup) => lookup.cost(),
            Way::Rows(rows) => rows.cycles() * elements(),
            Way::Kernel(_) => kernel_cycles(&self.loops, self.slots.unit().unwrap_or(1)),
            Way::Checked => CHECKED * elements(),
        }
    }

    /// The most bytes that one allocates.
    pub(crate) const MOST_BYTES: usize = 128 << 10;

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let program = match &self.way {
            Way::Program(program) => size_of::<Program>() + program.held_bytes(),
            Way::Listed(listed) => size_of::<Listed>() + listed.held_bytes(),
            Way::Lookup(lookup) => size_of::<Lookup>() + lookup.held_bytes(),
            Way::Rows(rows) => size_of::<StagedRows>() + rows.held_bytes(),
            Way::Kernel(Some((_, loops))) => loops.capacity() * size_of::<Loop>(),
            Way::Nothing | Way::Kernel(None) | Way::Checked => 0,
        };
        let shifted = self.shifted.as_ref();
        let shifted = shifted.map_or(0, |s| size_of::<Shifted>() + s.body.held_bytes());
        program + shifted + self.loops.capacity() * size_of::<Loop>()
    }

    /// Moves the box from bit `start.0` of the source and `start.1` of the destination on; what lies
    /// outside of either is left out. `room` is room for a list.
    #[inline]
    pub(crate) fn run(
        &self,
        start: (i64, i64),
        src: &[u8],
        dst: &mut [u8],
        means: Means,
        room: &mut Vec<Loop>,
    ) {
        match &self.way {
            // What small boxes have most: nothing else is looked at, and no stack is taken.
            Way::Program(program)
                if means.stores == Stores::Cached
                    && (start.0 | start.1) & 7 == 0
                    && is_within(start.0, self.src, src.len())
                    && is_within(start.1, self.dst, dst.len()) =>
            {
                let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
                let at = at.plus(start.0 >> 3, start.1 >> 3);
                // SAFETY: the bytes of all slots were found within the two slices, which cannot
                // overlap; a program reads and writes no others.
                unsafe { machine::run(program, at, means.stores) };
            }
            _ => self.run_any(start, src, dst, means, room),
        }
    }

    /// The same by any way.
    #[inline(never)]
    fn run_any(
        &self,
        start: (i64, i64),
        src: &[u8],
        dst: &mut [u8],
        means: Means,
        room: &mut Vec<Loop>,
    ) {
        match &self.way {
            Way::Nothing => {}
            // What lies beside the last element may be none of the source's.
            _ if self.reads_beside && !self.lies_within(start, src.len(), dst.len()) => {
                let wider = self.slots.src / self.slots.value;
                let slots = Slots::same(self.slots.value);
                room.clear();
                room.extend(self.loops.iter().map(|l| Loop { src: l.src * wider, ..*l }));
                let (from, to) = spans(room, slots);
                let is_inside =
                    is_within(start.0, from, src.len()) && is_within(start.1, to, dst.len());
                let is_at_bytes = (start.0 | start.1) & 7 == 0;
                let Some(unit) = slots.unit().filter(|_| is_inside && is_at_bytes) else {
                    return move_checked(room, slots, start, src, dst);
                };
                let kernel = Kernel::single(room, unit as i64);
                let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
                let at = at.plus(start.0 >> 3, start.1 >> 3);
                // SAFETY: the bytes of all elements were found within the two slices, which cannot overlap.
                unsafe { move_units(kernel, room, unit, at, means, src.as_ptr_range().end) };
            }
            _ if !self.is_moved_at(start, src.len(), dst.len()) => {
                move_checked(&self.loops, self.slots, start, src, dst);
            }
            _ => {
                // SAFETY: the bits of all elements were found within the two slices, which cannot overlap.
                unsafe { self.run_inside(start, src, dst.as_mut_ptr(), means, room) };
            }
        }
    }

    /// Whether all that it reads and writes from these bits on lies within so many bytes.
    fn lies_within(&self, start: (i64, i64), src: usize, dst: usize) -> bool {
        is_within(start.0, self.src, src) && is_within(start.1, self.dst, dst)
    }

    /// The same, and it begins where its way can.
    fn is_moved_at(&self, start: (i64, i64), src: usize, dst: usize) -> bool {
        let begins = match &self.way {
            Way::Nothing | Way::Checked => false,
            Way::Rows(rows) if rows.is_of_bits() => true,
            _ => (start.0 | start.1) & 7 == 0,
        };
        begins && self.lies_within(start, src, dst)
    }

    /// Moves the box from bit `start.0` of the source and `start.1` of what is at `dst` on.
    ///
    /// # Safety
    /// It [is moved](Self::is_moved_at) from there within the source and so many bytes from `dst` on as there are, which are not
    /// the source's. Nobody else writes what it reads, nor reads or writes the bytes in which its slots of the destination lie, nor
    /// those between slots that are less than a register apart: what those hold is read and written again.
    unsafe fn run_inside(
        &self,
        start: (i64, i64),
        src: &[u8],
        dst: *mut u8,
        means: Means,
        room: &mut Vec<Loop>,
    ) {
        let at = At { src: src.as_ptr(), dst }.plus(start.0 >> 3, start.1 >> 3);
        let end = src.as_ptr_range().end;
        // SAFETY: the caller's promise. What moves a box writes no other bytes than those of its slots, but for such as lie between
        // them, which it writes as it has read them.
        unsafe {
            match &self.way {
                Way::Nothing | Way::Checked => {}
                Way::Program(program) => match self.shift_at(at, means.stores) {
                    Some((shifted, head)) => self.run_shifted(shifted, head, at, end, means, room),
                    None => machine::run(program, at, means.stores),
                },
                Way::Listed(listed) => machine::run_listed(listed, at, means.stores),
                Way::Lookup(lookup) => lookup.run(at, end),
                Way::Rows(rows) => rows.run(&src.as_ptr_range(), dst, start, means.stores),
                Way::Kernel(known) => {
                    let known = known.as_ref().filter(|_| means.stores == Stores::Cached);
                    let unit = self.slots.unit().unwrap_or(1);
                    match known {
                        Some((kernel, loops)) => {
                            move_units(*kernel, loops, unit, at, means, end);
                        }
                        None => move_chosen(&self.loops, unit, at, means, end, room),
                    }
                }
            }
        }
    }

    /// What moves the box to a destination that begins here, if that is off a line and the box is shifted there; and the bytes up to
    /// the first line.
    fn shift_at(&self, at: At, stores: Stores) -> Option<(&Shifted, usize)> {
        let shifted = self.shifted.as_deref().filter(|_| stores == Stores::Streamed)?;
        let (head, unit) = (at.to_line(), self.slots.unit()?);
        (head > 0 && head.is_multiple_of(unit)).then_some((shifted, head))
    }

    /// # Safety
    /// What [`run_inside`](Self::run_inside) asks for, of a box that begins at `at` and is [shifted](Self::shift_at) by `head` bytes; and
    /// all up to `end` can be read.
    unsafe fn run_shifted(
        &self,
        shifted: &Shifted,
        head: usize,
        at: At,
        end: *const u8,
        means: Means,
        room: &mut Vec<Loop>,
    ) {
        let unit = self.slots.unit().unwrap_or(1);
        let along = self.loops[shifted.along];
        let (first, unit_bytes) = ((head / unit) as i64, unit as i64);
        let further =
            |steps: i64| at.plus(steps * along.src * unit_bytes, steps * along.dst * unit_bytes);
        // SAFETY: the caller's promise; the body has all but a line's worth of the steps of a loop, and there is at least a
        // line's worth before and behind it together, of which each strip has a part.
        unsafe {
            machine::run(&shifted.body, further(first), means.stores);
            let line = LINE as i64 / unit_bytes;
            let near = Means { stores: Stores::Staged, ..means };
            for (from, to) in [(0, first), (along.extent - line + first, along.extent)] {
                let mut strip = self.loops.clone();
                strip[shifted.along].extent = to - from;
                match &Mover::of_units(&strip, unit, means.level, false).way {
                    Way::Program(program) => machine::run(program, further(from), near.stores),
                    _ => move_chosen(&strip, unit, further(from), near, end, room),
                }
            }
        }
    }
}

/// The bits of both sides of a box.
fn spans(loops: &[Loop], slots: Slots) -> ((i64, i64), (i64, i64)) {
    (span(loops, slots.src, |l| l.src), span(loops, slots.dst, |l| l.dst))
}

/// The bits of one side of a box, from the first to behind the last, from where it begins; of more
/// than can be counted, the most that can, which no memory has.
fn span(loops: &[Loop], slot: i64, stride: fn(&Loop) -> i64) -> (i64, i64) {
    let (mut low, mut high) = (0, i128::from(slot));
    for l in loops {
        let reach = i128::from(l.extent - 1) * i128::from(stride(l)) * i128::from(slot);
        low += reach.min(0);
        high += reach.max(0);
    }
    let counted = |bits: i128| bits.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    (counted(low), counted(high))
}

/// Whether bits from `low` to `high` behind a place lie within so many bytes.
#[inline]
fn is_within(start: i64, (low, high): (i64, i64), len: usize) -> bool {
    let bits = i64::try_from(len).unwrap_or(i64::MAX).saturating_mul(8);
    let first = start.checked_add(low).is_some_and(|first| first >= 0);
    first && start.checked_add(high).is_some_and(|end| end <= bits)
}

/// Moves a box of elements of `unit` bytes: `loops`, from bit `start.0` of the source and
/// `start.1` of the destination on.
pub(crate) fn move_box(
    loops: &[Loop],
    unit: usize,
    start: (i64, i64),
    src: &[u8],
    dst: &mut [u8],
    means: Means,
) {
    let is_streamed = means.stores == Stores::Streamed;
    let mover = Mover::of_units(loops, unit, means.level, is_streamed);
    mover.run(start, src, dst, means, &mut Vec::new());
}

/// Rows of fewer bytes are not worth being zipped, and runs of fewer not worth being taken apart to; of elements that a
/// program moves more quickly, longer ones.
const LEAST_TOGETHER: i64 = 32;
const LEAST_APART: i64 = 64;
const LEAST_APART_OF_WORDS: i64 = 192;

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

/// Moves a box one by one, from a bit on either side on; elements that lie outside either side are left out.
fn move_checked(loops: &[Loop], slots: Slots, start: (i64, i64), src: &[u8], dst: &mut [u8]) {
    let scaled = |l: &Loop| Loop { src: l.src * slots.src, dst: l.dst * slots.dst, ..*l };
    let loops: Vec<Loop> = loops.iter().map(scaled).collect();
    let holds = |bytes: usize, bit: usize, n: i64| {
        bit.checked_add(n as usize).is_some_and(|end| end.div_ceil(8) <= bytes)
    };
    let (value, width) = (slots.value as u32, slots.dst as u32);
    walk(&loops, start, &mut |(s, d)| {
        let (Ok(from), Ok(to)) = (usize::try_from(s), usize::try_from(d)) else { return };
        if !holds(src.len(), from, slots.src) || !holds(dst.len(), to, slots.dst) {
            return;
        }
        match (slots.unit(), from % 8 == 0 && to % 8 == 0) {
            (Some(unit), true) => {
                dst[to / 8..][..unit].copy_from_slice(&src[from / 8..][..unit]);
            }
            _ => bits::write(dst, to, width, bits::read(src, from, value)),
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
    let mut around: Vec<Loop> = loops.iter().filter(|l| l.extent != 1).copied().collect();
    let kind = Mover::of_units(&around, unit, Level::best(), false).kind();
    if let Some(kind) = kind {
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
            && let Some(next) = loops.iter().position(|l| l.dst == length && l.extent >= MIN_STEPS)
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
