//! [`Mover`]: a box that is ready to be moved, by which way, and the check that comes before.

use super::bit_transpose::BitTranspose;
use super::level::Level;
use super::listed::Listed;
use super::lookup::Lookup;
use super::place::{At, LINE, Stores};
use super::places::MAX_LOOPS;
use super::rows::Rows as StagedRows;
use super::tile::{LANE_CYCLES, Overhang, Program, Slots};
use super::ways::{
    Begin, CHECKED, LANE, Target, Wanted, kernel_cycles, loops_in_bits, program_cycles,
    program_of_bits, single_cycles,
};
use super::{Kernel, Means, cached_kernel, machine, move_chosen, move_units};
use crate::bits;
use crate::description::KernelKind;
use crate::nest::{Loop, walk};
use std::cmp::Ordering;

/// A box that is ready to be moved, again and again.
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    /// The bits that it reads, from the first to the last, from where it begins.
    pub(super) src: (i64, i64),
    /// The bits that it writes.
    pub(super) dst: (i64, i64),
    /// The loops of the box, in slots.
    loops: Vec<Loop>,
    slots: Slots,
    pub(super) way: Way,
    /// Whether slots of the source have what lies beside elements, which is not the box's, too.
    reads_beside: bool,
    /// What moves it to destinations that do not begin at a line, where that is worth while.
    shifted: Option<Box<Shifted>>,
}

/// How a box is moved.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// It has no elements.
    Nothing,
    Program(Box<Program>),
    Listed(Box<Listed>),
    Lookup(Box<Lookup>),
    Rows(Box<StagedRows>),
    BitTranspose(Box<BitTranspose>),
    /// Rows of which more is moved than there is.
    Overhang(Box<Overhang>),
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
        Self::of(Wanted { loops, slots, begin: Begin::Bytes, first: 0, target, level })
    }

    /// What moves a box of elements of `unit` bytes to rows of `row` of them, one behind the other, past the caches: steps of less
    /// than a row lead beyond it, where what is read is not written. `None` where nothing does.
    pub(crate) fn overhanging(loops: &[Loop], unit: usize, row: i64, level: Level) -> Option<Self> {
        let (slots, row_bytes) = (Slots::same(8 * unit as i64), row.checked_mul(unit as i64)?);
        let loops: Vec<Loop> = loops.iter().filter(|l| l.extent != 1).copied().collect();
        let rows: Vec<Loop> = loops.iter().filter(|l| l.dst >= row).copied().collect();
        let way = Overhang::of_bits(&loops_in_bits(&loops, slots)?, slots, row_bytes, level)?;
        let (src, (low, high)) =
            (span(&loops, slots.src, |l| l.src), span(&rows, slots.dst, |l| l.dst));
        let dst = (low, high - slots.dst + 8 * row_bytes);
        let way = Way::Overhang(Box::new(way));
        Some(Mover { src, dst, loops, slots, way, reads_beside: false, shifted: None })
    }

    /// Whether a chunk had better be written by it in place than put together in the caches and streamed from there:
    /// it writes whole lines, the ends of long runs aside, or is quicker than the stage. `None` if that depends on
    /// where memory begins.
    pub(crate) fn streams(&self) -> Option<bool> {
        match &self.way {
            Way::Program(program) => Some(program.streams_lines() || program.has_blocks()),
            Way::Listed(listed) => Some(listed.streams()),
            Way::Lookup(lookup) => Some(!lookup.reads_destination()),
            Way::Rows(rows) => Some(rows.are_written_in_place() || rows.streams()),
            Way::Overhang(_) | Way::BitTranspose(_) => Some(true),
            Way::Nothing | Way::Kernel(_) | Way::Checked => None,
        }
    }

    /// Whether it moves rows, by way of stages.
    pub(crate) fn is_by_rows(&self) -> bool {
        matches!(self.way, Way::Rows(_))
    }

    /// Whether it reads what lies beside elements, up to the end of a slot of up to [`WIDEST_SLOT`](super::WIDEST_SLOT) bytes.
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
        match &self.way {
            Way::Rows(rows) => rows.is_of_bits(),
            Way::BitTranspose(_) => true,
            _ => false,
        }
    }

    /// Whether it reads and writes no byte of the destination but those in which slots of the box lie, and those between slots
    /// that are [less than a register](slabs) apart.
    pub(super) fn moves_apart(&self) -> bool {
        !self.reads_beside && !matches!(self.way, Way::Nothing | Way::Checked)
    }

    /// What moves it, unless that depends on where memory begins.
    pub(crate) fn kind(&self) -> Option<KernelKind> {
        match &self.way {
            Way::Program(_) | Way::Overhang(_) => Some(KernelKind::Tile),
            Way::Listed(_) => Some(KernelKind::ListedTile),
            Way::Lookup(_) => Some(KernelKind::Lookup),
            Way::Rows(_) => Some(match self.slots.src.cmp(&self.slots.dst) {
                Ordering::Less => KernelKind::Unpack,
                Ordering::Equal => KernelKind::Rows,
                Ordering::Greater => KernelKind::Pack,
            }),
            Way::BitTranspose(_) => Some(KernelKind::BitTranspose),
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
            Way::BitTranspose(matrices) => matrices.cycles() * elements(),
            Way::Overhang(_) => {
                LANE_CYCLES * elements() * self.slots.dst as f64 / (8 * LANE) as f64
            }
            Way::Kernel(_) => kernel_cycles(&self.loops, self.slots.unit().unwrap_or(1)),
            Way::Checked => CHECKED * elements(),
        }
    }

    /// The most bytes that one holds.
    pub(crate) const MOST_BYTES: usize = 128 << 10;

    /// The most bytes that making one allocates: one that is kept until another is known to be better, and the lists that this is
    /// made from.
    pub(crate) const MOST_BYTES_TO_MAKE: usize = 4 * Self::MOST_BYTES;

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let program = match &self.way {
            Way::Program(program) => size_of::<Program>() + program.held_bytes(),
            Way::Listed(listed) => size_of::<Listed>() + listed.held_bytes(),
            Way::Lookup(lookup) => size_of::<Lookup>() + lookup.held_bytes(),
            Way::Rows(rows) => size_of::<StagedRows>() + rows.held_bytes(),
            Way::BitTranspose(matrices) => size_of::<BitTranspose>() + matrices.held_bytes(),
            Way::Overhang(overhang) => size_of::<Overhang>() + overhang.walk.held_bytes(),
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
            // One by one what is beyond rows would be written too: whoever has those moved has asked before.
            Way::Overhang(_) if !self.is_moved_at(start, src.len(), dst.len()) => {
                debug_assert!(false, "rows that overhang from {start:?} on");
            }
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
    pub(crate) fn is_moved_at(&self, start: (i64, i64), src: usize, dst: usize) -> bool {
        let begins = match &self.way {
            Way::Nothing | Way::Checked => false,
            Way::Rows(rows) if rows.is_of_bits() => rows.is_written_at(start.1),
            Way::BitTranspose(_) => true,
            Way::Lookup(lookup) => (start.0 & 7, start.1 & 7) == (lookup.bit.into(), 0),
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
    pub(super) unsafe fn run_inside(
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
                Way::BitTranspose(matrices) => {
                    matrices.run(&src.as_ptr_range(), dst, start, means.stores);
                }
                Way::Overhang(overhang) => machine::run_overhanging(overhang, at),
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
pub(super) fn is_within(start: i64, (low, high): (i64, i64), len: usize) -> bool {
    let bits = i64::try_from(len).unwrap_or(i64::MAX).saturating_mul(8);
    let first = start.checked_add(low).is_some_and(|first| first >= 0);
    first && start.checked_add(high).is_some_and(|end| end <= bits)
}

/// Moves a box one by one, from a bit on either side on; elements that lie outside either side are left out.
pub(super) fn move_checked(
    loops: &[Loop],
    slots: Slots,
    start: (i64, i64),
    src: &[u8],
    dst: &mut [u8],
) {
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
