//! Which way a box is moved best: by a program, by rows that are listed or go by way of stages, by lookups, or by a kernel.
//!
//! What several can do is given to the one that takes fewer cycles, by constants that were measured. Those count for
//! nothing but this choice.

use super::bit_transpose::BitTranspose;
use super::level::Level;
use super::listed::Listed;
use super::lookup::Lookup;
use super::loop_order::{MOST_SOURCES, most_sources};
use super::mover::Way;
use super::place::LINE;
use super::rows::{Drafts, Rows as StagedRows};
use super::runs::following_cycles;
use super::tasks::{SHORTEST_FAR, far_blocks};
use super::tile::{LANE_CYCLES, Program, Slots};
use super::woven;
use crate::nest::Loop;

/// Registers are not put together from fewer bytes at a time.
const LEAST_PIECE: usize = 4;

/// The bytes of a register that is loaded at once by all programs.
pub(super) const LANE: usize = 16;

/// What things take that lookups might do, in about the processor's cycles: an element that is copied alone, one that is
/// to lie alone too, a piece of a register, a short run and each of its bytes.
const SINGLE: f64 = 1.6;
const SINGLE_APART: f64 = 3.0;
const PIECE: f64 = 12.0;
const RUN: f64 = 3.0;
const BYTE_OF_A_RUN: f64 = 0.1;

/// The same of an element whose index is tested.
pub(super) const CHECKED: f64 = 40.0;

/// The most bytes of slots that have several elements: what loads a lane for each takes longer than one by one.
pub(crate) const WIDEST_SLOT: i64 = 8;

/// What rows are estimated at of the cycles of short runs of different lines in the caches, and take no longer.
const FAR_RUNS_TO_ROWS: f64 = 0.75;

/// What is not worth looking for something quicker: that takes ten times as long at least, again for every plan.
const NEGLIGIBLE: f64 = 1000.0;

/// Bytes from one element of a row of the destination to the next in the source. Of lines that are further apart a program
/// reads a part at a time, and comes back when they are gone.
const NEAR_ROWS: i64 = 8 << 10;

/// A line that is put together before it is streamed, in a chunk or in a block of rows.
const STAGED_LINE: f64 = 9.0;
const STREAMED_LINE: f64 = 5.0;

/// What others are estimated at of the cycles of a program that moves bits step by step, and take no longer: rows in the caches,
/// long ones that are written in place, and lookups.
const STEPS_TO_ROWS: f64 = 0.25;
const STEPS_TO_LONG_ROWS: f64 = 0.65;
const STEPS_TO_LOOKUPS: f64 = 0.65;

/// What takes steps for less is not worth making tables.
const WORTH_TABLES: f64 = 50_000.0;

/// Of values of fewer bits, steps may take longer than rows in the caches do, or than a line that is not streamed.
const NIBBLE: i64 = 4;

/// A program that takes so many times as long as one that moves each element once moves most of them twice, since odd loops end
/// in registers that share elements.
const MOSTLY_TWICE: f64 = 1.45;

/// The bytes of runs that are copied, whatever else there is.
const LONG_RUN: i64 = 32;

/// The bytes of runs of lines that take longer one by one than by a program, streamed or in the caches: a program goes on with
/// several rows of the source in turn.
const SHORT_RUN: i64 = 128;
const SHORT_CACHED_RUN: i64 = 256;

/// The most bytes of runs from memory that go by way of stages, where many follow each other from lines of their own: the shortest
/// always, from `u8[2064,2048,3]` to `{2,0,1}` in 0.6 of the time, and else where the places of the destination that they go to would
/// be in each other's way: from `u8[2048,2064,3]` in 0.2, of 5 bytes in 0.5, and of 10 bytes in 1.03 of the time.
const LONGEST_RUN_OF_ROWS: i64 = 8;

/// The bits of a row that is made wider or narrower, whatever else there is.
const LEAST_ROW: i64 = 128;

/// The program of a box of elements in such slots.
pub(super) fn program_of_bits(
    loops: &[Loop],
    slots: Slots,
    level: Level,
    is_streamed: bool,
) -> Option<Program> {
    let program = Program::of(&loops_in_bits(loops, slots)?, slots, level, is_streamed)?;
    (program.least_piece() >= LEAST_PIECE).then_some(program)
}

/// Loops that count slots in bits, the innermost of them the bits of a value, or of a run of those.
pub(super) fn loops_in_bits(loops: &[Loop], slots: Slots) -> Option<Vec<Loop>> {
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
    Some(in_bits)
}

/// What a box is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// What stays in the caches, with what it comes from.
    Cached,
    /// A chunk that is put together in the caches, of what comes from memory.
    Staged,
    /// A destination that is larger than those: what does not write whole lines of it is put together in the caches first.
    Streamed,
    /// The same, but too far apart for that.
    Spread,
}

impl Target {
    /// Of a destination that is ever streamed, or not.
    pub(crate) fn of(is_streamed: bool) -> Self {
        if is_streamed { Target::Streamed } else { Target::Cached }
    }

    pub(crate) fn is_streamed(self) -> bool {
        matches!(self, Target::Streamed | Target::Spread)
    }
}

/// Where a box begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// At bytes of both sides.
    Bytes,
    /// At a byte of the destination and this bit of one of the source, as does every element of it: all steps are whole bytes.
    SourceBit(u8),
    /// Within a byte of either side, of which elements may begin at any bit.
    Bits,
}

impl Begin {
    /// Of a box that begins at these bits, whose loops count slots.
    pub(crate) fn of(
        start: (i64, i64),
        slots: Slots,
        loops: impl IntoIterator<Item = Loop>,
    ) -> Self {
        let is_whole = |bits: i64| bits % 8 == 0;
        let is_of_bytes = |l: Loop| {
            l.extent == 1
                || is_whole(l.src.wrapping_mul(slots.src))
                    && is_whole(l.dst.wrapping_mul(slots.dst))
        };
        match (is_whole(start.0), is_whole(start.1)) {
            (true, true) => Begin::Bytes,
            (false, true) if loops.into_iter().all(is_of_bytes) => {
                Begin::SourceBit(start.0.rem_euclid(8) as u8)
            }
            _ => Begin::Bits,
        }
    }
}

/// A box that is to be moved.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'l> {
    pub(crate) loops: &'l [Loop],
    pub(crate) slots: Slots,
    pub(crate) begin: Begin,
    /// The slot of the source that it begins at.
    pub(crate) first: i64,
    pub(crate) target: Target,
    /// The registers that move it.
    pub(crate) level: Level,
}

impl Wanted<'_> {
    /// The same box in wider slots of the source, of which all but the first element are dropped, if it has elements that lie so and
    /// none beside each other, and slots are counted from the source's first: its loops, its slots and the program of those, if
    /// that takes less than elements one by one.
    pub(super) fn with_what_lies_beside(self) -> Option<(Vec<Loop>, Slots, Program)> {
        let Wanted { loops, slots, first, target, level, .. } = self;
        let bytes = slots.unit().filter(|_| self.is_at_bytes())? as i64;
        let steps = || loops.iter().filter(|l| l.extent > 1).map(|l| l.src);
        let step = steps().min().filter(|&step| step > 1 && step.count_ones() == 1)?;
        let are_whole = steps().chain([first]).all(|other| other % step == 0);
        let is_empty = loops.iter().any(|l| l.extent < 1);
        if !are_whole || is_empty || step.saturating_mul(bytes) > WIDEST_SLOT {
            return None;
        }
        let loops = loops.iter().filter(|l| l.extent > 1);
        let loops: Vec<Loop> = loops.map(|l| Loop { src: l.src / step, ..*l }).collect();
        let slots = Slots { src: step * slots.src, ..slots };
        let program = program_of_bits(&loops, slots, level, target.is_streamed())?;
        let is_whole = program.least_piece() >= LANE;
        let is_quicker = program.cycles() < SINGLE * self.elements();
        (is_whole && is_quicker).then_some((loops, slots, program))
    }

    /// How it is moved best.
    pub(super) fn way(self) -> Way {
        match self.slots.unit().filter(|_| self.is_at_bytes()) {
            Some(unit) => self.way_of_units(unit),
            None => self.way_of_bits(),
        }
    }

    /// The same of elements of `unit` bytes.
    fn way_of_units(self, unit: usize) -> Way {
        let Wanted { loops, level, target, .. } = self;
        let is_streamed = target.is_streamed();
        let bytes = self.elements() * unit as f64;
        let run = loops.iter().find(|l| l.is_run() && l.extent > 1);
        if let Some(run) = run {
            let run_bytes = run.extent.saturating_mul(unit as i64);
            let is_odd = run_bytes & (run_bytes - 1) != 0;
            let may_be_blocks = is_odd && matches!(target, Target::Streamed | Target::Staged);
            if may_be_blocks && let Some((_, column)) = far_blocks(loops, run.extent, unit as i64) {
                let column = loops[column].dst.saturating_mul(8 * unit as i64);
                let are_in_the_way = most_sources(column, MOST_SOURCES) < MOST_SOURCES;
                let may_be_rows =
                    run_bytes == SHORTEST_FAR || are_in_the_way && run_bytes <= LONGEST_RUN_OF_ROWS;
                let rows = may_be_rows.then(|| self.drafts()?.made()).flatten();
                return rows.map_or(Way::Kernel(None), |(rows, _)| Way::Rows(Box::new(rows)));
            }
            // Shorter than a line they are put together first, by a program that does.
            if is_streamed
                && is_odd
                && (LONG_RUN..LINE as i64).contains(&run_bytes)
                && let Some(program) = self.program().filter(Program::has_blocks)
            {
                return Way::Program(Box::new(program));
            }
            let short = if is_streamed { SHORT_RUN } else { SHORT_CACHED_RUN };
            let is_short = !is_odd && run_bytes <= short;
            if run_bytes >= LINE as i64 && !is_short || is_odd && run_bytes >= LONG_RUN {
                return Way::Kernel(None);
            }
            if is_odd {
                let one_by_one =
                    bytes / run_bytes as f64 * (RUN + run_bytes as f64 * BYTE_OF_A_RUN);
                let following = following_cycles(loops, run.extent, unit);
                let cost = following.filter(|_| !is_streamed).unwrap_or(one_by_one);
                if !is_streamed && are_far(loops, run.extent, unit as i64) {
                    let are_better =
                        |d: &Drafts| d.cycles() * self.elements() < FAR_RUNS_TO_ROWS * cost;
                    let mut drafts = if cost < NEGLIGIBLE { None } else { self.drafts() };
                    let rows = rows_if(&mut drafts, are_better);
                    return rows.unwrap_or(Way::Kernel(None));
                }
                return self.cheaper(None, cost).unwrap_or(Way::Kernel(None));
            }
        } else if let Some((kernel, ..)) = woven(loops, unit as i64)
            && !(is_streamed && kernel.is_better_streamed(unit as i64))
        {
            return Way::Kernel(None);
        }
        // Elements that lie alone on both sides are copied one by one.
        let program = self.program().filter(|program| !program.is_all_pieces());
        // The longest registers take less, however often the ends of odd loops are moved, but for rows far apart.
        let row = loops.iter().find(|l| l.dst == 1 && l.extent > 1);
        let are_near = row.is_some_and(|l| l.src.saturating_abs() <= NEAR_ROWS / unit as i64);
        let filled = program.as_ref().filter(|program| program.fills_registers());
        let listed = |is_needed| Listed::of(loops, unit, level, is_needed);
        // In the caches, tiles whose places are listed may take longer than more of a program that loads and stores whole registers.
        let is_quicker = |listed: &Listed| {
            let whole = program.as_ref().filter(|program| program.least_piece() >= LANE);
            is_streamed || whole.is_none_or(|program| listed.is_quicker(program))
        };
        let first = match are_near && filled.is_some() {
            true => None,
            false => listed(false).filter(is_quicker),
        };
        // Where those move most elements twice, lists that do not take less.
        let least = MOSTLY_TWICE * LANE_CYCLES * bytes / LANE as f64;
        let second = |filled: &Program| {
            let found = if filled.cycles() > least { listed(true) } else { None };
            found.filter(|listed| {
                let is_as_direct = listed.streams() || !filled.streams_lines();
                let is_quicker = filled.cycles() > MOSTLY_TWICE * listed.cycles();
                is_quicker && is_as_direct && !listed.has_stage()
            })
        };
        let is_of_pieces = || program.as_ref().is_none_or(|program| program.least_piece() < LANE);
        let last = || if is_of_pieces() { listed(true) } else { None };
        if let Some(listed) = first.or_else(|| filled.and_then(second)).or_else(last) {
            return Way::Listed(Box::new(listed));
        }
        let Some(program) = program else {
            return self.cheaper(None, self.elements() * SINGLE).unwrap_or(Way::Kernel(None));
        };
        let Some(pieces) = self.cost_of_pieces(&program) else {
            return Way::Program(Box::new(program));
        };
        // Pieces may take longer than single elements do. Where elements are to lie alone, they are as soon looked up.
        let reach: f64 = loops.iter().map(|l| ((l.extent - 1) * l.dst.abs()) as f64).sum();
        let are_apart = 2.0 * self.elements() <= reach;
        let single = self.elements() * if are_apart { SINGLE_APART } else { SINGLE };
        self.cheaper(None, pieces.min(single)).unwrap_or_else(|| match single < pieces {
            true => Way::Kernel(None),
            false => Way::Program(Box::new(program)),
        })
    }

    /// The same of elements of any width.
    fn way_of_bits(self) -> Way {
        // What follows itself on both sides is made wider or narrower in the caches as quickly as it is copied.
        let mut drafts = None;
        if !self.target.is_streamed() && self.changes_rows() {
            drafts = self.drafts();
            if let Some(rows) = rows_if(&mut drafts, Drafts::are_in_place) {
                return rows;
            }
        }
        let program = if self.is_at_bytes() { self.program() } else { None };
        // What writes whole lines by itself, or into the caches, is quicker where it can be done.
        let is_streamed = self.target.is_streamed();
        let is_direct =
            |program: &Program| !is_streamed || program.streams_lines() || program.has_blocks();
        if !program.as_ref().is_some_and(is_direct)
            && let Some(matrices) =
                BitTranspose::of(self.loops, self.slots, self.level, is_streamed)
        {
            return Way::BitTranspose(Box::new(matrices));
        }
        match program {
            Some(program) => {
                self.instead_of(&program, drafts).unwrap_or_else(|| Way::Program(Box::new(program)))
            }
            None => {
                let mut drafts = drafts.or_else(|| self.drafts());
                // Long rows that stay rows are shifted as quickly as they are looked up, and need no tables.
                let rows = rows_if(&mut drafts, Drafts::are_long_in_place);
                let quickest = rows.or_else(|| self.cheaper(drafts, f64::INFINITY));
                quickest.or_else(|| self.lookup_of_bits()).unwrap_or(Way::Checked)
            }
        }
    }

    /// Whether elements that follow each other on both sides are made wider or narrower.
    fn changes_rows(self) -> bool {
        let Wanted { loops, slots, .. } = self;
        let is_row = |l: &Loop| l.is_run() && l.extent.saturating_mul(slots.value) >= LEAST_ROW;
        slots.src != slots.dst && loops.iter().any(is_row)
    }

    fn program(self) -> Option<Program> {
        program_of_bits(self.loops, self.slots, self.level, self.target.is_streamed())
    }

    fn drafts(self) -> Option<Drafts> {
        StagedRows::drafts(self.loops, self.slots, self.is_at_bytes(), self.level)
    }

    /// By rows or lookups, where a program would load or store its registers in pieces, or move bits step by step, and that
    /// takes longer.
    fn instead_of(self, program: &Program, drafts: Option<Drafts>) -> Option<Way> {
        if let Some(pieces) = self.cost_of_pieces(program) {
            return self.cheaper(drafts, pieces);
        }
        let steps = program.is_of_steps().then(|| program.cycles())?;
        let are_few_bits = self.slots.value < NIBBLE;
        let drafted = |may_be: bool| if may_be { drafts.or_else(|| self.drafts()) } else { None };
        if !self.target.is_streamed() {
            if steps < WORTH_TABLES {
                return None;
            }
            let are_better = |d: &Drafts| d.cycles() * self.elements() < STEPS_TO_ROWS * steps;
            let rows = drafted(are_few_bits).filter(are_better);
            let rows = rows.and_then(|rows| self.cheaper(Some(rows), STEPS_TO_ROWS * steps));
            return rows.or_else(|| self.lookup(STEPS_TO_LOOKUPS * steps));
        }
        // Rows that are written in place are not streamed.
        let may_be_rows = self.changes_rows() && (are_few_bits || !program.streams_lines());
        let are_better = |drafts: &Drafts| {
            drafts.are_written_in_place()
                && drafts.cycles() * self.elements() < STEPS_TO_LONG_ROWS * steps
        };
        let (rows, _) = drafted(may_be_rows).filter(are_better)?.made()?;
        Some(Way::Rows(Box::new(rows)))
    }

    /// About how many of the processor's cycles a program takes that loads or stores its registers in pieces.
    fn cost_of_pieces(self, program: &Program) -> Option<f64> {
        let piece = program.least_piece();
        (piece < LANE).then(|| self.moved_bytes() / piece as f64 * PIECE)
    }

    /// By rows, drafted already or not, or lookups, if either takes fewer cycles than so many.
    fn cheaper(self, drafts: Option<Drafts>, cycles: f64) -> Option<Way> {
        if cycles < NEGLIGIBLE {
            return None;
        }
        let drafts = drafts.or_else(|| self.drafts());
        // A chunk that is streamed is put together first, or blocks of it are.
        let a_line = match &drafts {
            _ if self.target != Target::Streamed => 0.0,
            Some(drafts) if drafts.are_written_in_place() => 0.0,
            Some(drafts) if drafts.are_streamed() => STREAMED_LINE,
            _ => STAGED_LINE,
        };
        let lines = self.slots.dst as f64 / (8 * LINE) as f64;
        let of_rows = |cycles: f64| (cycles + lines * a_line) * self.elements();
        let estimate = drafts.as_ref().map_or(f64::INFINITY, |drafts| of_rows(drafts.cycles()));
        // What is packed along the rows of both sides takes no more than a lookup does.
        let are_in_place =
            self.slots.src != self.slots.dst && drafts.as_ref().is_some_and(Drafts::are_in_place);
        if !are_in_place && let Some(lookup) = self.lookup(cycles.min(estimate)) {
            return Some(lookup);
        }
        let made = if estimate < cycles { drafts.and_then(Drafts::made) } else { None };
        match made.map(|(rows, cycles)| (rows, of_rows(cycles))) {
            // For the first there may be no program.
            Some((rows, made)) if made <= estimate => Some(Way::Rows(Box::new(rows))),
            Some((rows, made)) if made < cycles => {
                self.lookup(made).or_else(|| Some(Way::Rows(Box::new(rows))))
            }
            _ if estimate < cycles => self.lookup(cycles),
            _ => None,
        }
    }

    /// By lookups, if that takes fewer cycles than so many.
    fn lookup(self, cycles: f64) -> Option<Way> {
        self.is_at_bytes().then(|| self.lookup_from(0, cycles)).flatten()
    }

    /// The same of what begins at a bit of the source, where nothing but moving it bit by bit is left.
    fn lookup_of_bits(self) -> Option<Way> {
        let Begin::SourceBit(bit) = self.begin else { return None };
        let bit_by_bit = CHECKED * self.elements();
        if bit_by_bit < NEGLIGIBLE { None } else { self.lookup_from(bit, bit_by_bit) }
    }

    fn lookup_from(self, bit: u8, cycles: f64) -> Option<Way> {
        let lookup = Lookup::of(self.loops, self.slots, bit, self.level, cycles)?;
        (lookup.cost() < cycles).then(|| Way::Lookup(Box::new(lookup)))
    }

    fn is_at_bytes(self) -> bool {
        self.begin == Begin::Bytes
    }

    fn elements(self) -> f64 {
        self.loops.iter().map(|l| l.extent as f64).product()
    }

    fn moved_bytes(self) -> f64 {
        self.elements() * self.slots.value as f64 / 8.0
    }
}

/// About how many of the processor's cycles a box of elements of `unit` bytes takes, if a kernel moves them one by one.
pub(super) fn single_cycles(loops: &[Loop], unit: usize) -> Option<f64> {
    let has_runs = loops.iter().any(|l| l.is_run() && l.extent > 1);
    let are_alone = !has_runs && woven(loops, unit as i64).is_none();
    are_alone.then(|| loops.iter().map(|l| l.extent as f64).product::<f64>() * SINGLE)
}

/// The same of a program that moves so many bytes, if it loads or stores its registers in pieces or not.
pub(super) fn program_cycles(program: &Program, bytes: f64) -> f64 {
    let piece = program.least_piece();
    if piece < LANE { bytes / piece as f64 * PIECE } else { program.cycles() }
}

/// The same of a box that is moved by any kernel.
pub(super) fn kernel_cycles(loops: &[Loop], unit: usize) -> f64 {
    let elements = || loops.iter().map(|l| l.extent as f64).product::<f64>();
    single_cycles(loops, unit).unwrap_or_else(|| {
        let run = loops.iter().find(|l| l.is_run()).map_or(1, |l| l.extent) as f64;
        let of_runs = if run > 1.0 { RUN * elements() / run } else { 0.0 };
        of_runs + BYTE_OF_A_RUN * elements() * unit as f64
    })
}

/// By the rows of drafts that are so, whatever else there is.
fn rows_if(drafts: &mut Option<Drafts>, are_so: impl Fn(&Drafts) -> bool) -> Option<Way> {
    let (rows, _) = drafts.take_if(|drafts| are_so(drafts))?.made()?;
    Some(Way::Rows(Box::new(rows)))
}

/// Whether runs of `length` elements follow each other in the destination, and those that do within a line are of different
/// lines of the source, so that a window has one of them. In the caches copying it is 1.2 to 3 times as quick as looking it up.
fn are_far(loops: &[Loop], length: i64, unit: i64) -> bool {
    let mut others = loops.iter().filter(|l| l.extent > 1 && !l.is_run());
    let is_near = |stride: i64| stride.saturating_abs().saturating_mul(unit) < LINE as i64;
    loops.iter().any(|l| l.dst == length) && others.all(|l| !is_near(l.dst) || !is_near(l.src))
}
