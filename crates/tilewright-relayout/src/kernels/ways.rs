//! Which way a box is moved best: by a program, by rows that are listed, by lookups, or by a kernel.
//!
//! What several can do is given to the one that takes fewer cycles, by constants that were measured. Those count for
//! nothing but this choice.

use super::level::Level;
use super::listed::Listed;
use super::lookup::Lookup;
use super::place::LINE;
use super::rows::{Drafts, Rows as StagedRows};
use super::tile::{Program, Slots};
use super::{Way, woven};
use crate::nest::Loop;

/// Registers are not put together from fewer bytes at a time.
const LEAST_PIECE: usize = 4;

/// The bytes of a register that is loaded at once by all programs.
const LANE: usize = 16;

/// What things take that lookups might do, in about the processor's cycles: an element that is copied alone, a piece of a
/// register, a short run and each of its bytes.
const SINGLE: f64 = 1.6;
const PIECE: f64 = 5.0;
const RUN: f64 = 3.0;
const BYTE_OF_A_RUN: f64 = 0.1;

/// The bytes of runs that are copied, whatever else there is.
const LONG_RUN: i64 = 32;

/// The program of a box of elements in such slots.
pub(super) fn program_of_bits(
    loops: &[Loop],
    slots: Slots,
    level: Level,
    is_streamed: bool,
) -> Option<Program> {
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
    let program = Program::of(&in_bits, slots, level, is_streamed)?;
    (program.least_piece() >= LEAST_PIECE).then_some(program)
}

/// How a box of elements of `unit` bytes is moved best.
pub(super) fn way_of(loops: &[Loop], unit: usize, level: Level, is_streamed: bool) -> Way {
    let elements = elements(loops);
    let bytes = elements * unit as f64;
    let run = loops.iter().find(|l| l.is_run() && l.extent > 1);
    let slots = Slots::same(8 * unit as i64);
    if let Some(run) = run {
        let run_bytes = run.extent.saturating_mul(unit as i64);
        let is_odd = run_bytes & (run_bytes - 1) != 0;
        if run_bytes >= LINE as i64 || is_odd && run_bytes >= LONG_RUN {
            return Way::Kernel(None);
        }
        if is_odd {
            if !is_streamed && are_far(loops, run.extent, unit as i64) {
                return Way::Kernel(None);
            }
            let cost = bytes / run_bytes as f64 * (RUN + run_bytes as f64 * BYTE_OF_A_RUN);
            return cheaper(loops, slots, true, level, cost).unwrap_or(Way::Kernel(None));
        }
    } else if woven(loops, unit as i64).is_some() {
        return Way::Kernel(None);
    }
    if let Some(listed) = Listed::of(loops, unit, level) {
        return Way::Listed(Box::new(listed));
    }
    // Elements that lie alone on both sides are copied one by one.
    let program = program_of_bits(loops, slots, level, is_streamed);
    let Some(program) = program.filter(|program| !program.is_all_pieces()) else {
        return cheaper(loops, slots, true, level, elements * SINGLE).unwrap_or(Way::Kernel(None));
    };
    in_pieces(&program, loops, slots, level).unwrap_or_else(|| Way::Program(Box::new(program)))
}

/// Whether runs of `length` elements follow each other in the destination, and those that do within a line are of different
/// lines of the source, so that a window has one of them. In the caches copying it is 1.2 to 3 times as quick as looking it up.
fn are_far(loops: &[Loop], length: i64, unit: i64) -> bool {
    let mut others = loops.iter().filter(|l| l.extent > 1 && !l.is_run());
    let is_near = |stride: i64| stride.saturating_abs().saturating_mul(unit) < LINE as i64;
    loops.iter().any(|l| l.dst == length) && others.all(|l| !is_near(l.dst) || !is_near(l.src))
}

/// How a box of elements of any width is moved best.
pub(super) fn way_of_bits(
    loops: &[Loop],
    slots: Slots,
    is_at_bytes: bool,
    level: Level,
    is_streamed: bool,
) -> Way {
    let program = is_at_bytes.then(|| program_of_bits(loops, slots, level, is_streamed)).flatten();
    let otherwise = match program {
        Some(program) => {
            let by_others = in_pieces(&program, loops, slots, level);
            return by_others.unwrap_or_else(|| Way::Program(Box::new(program)));
        }
        None => cheaper(loops, slots, is_at_bytes, level, f64::INFINITY),
    };
    otherwise.unwrap_or(Way::Checked)
}

/// By lookups, where a program would load or store its registers in pieces, and those take longer.
fn in_pieces(program: &Program, loops: &[Loop], slots: Slots, level: Level) -> Option<Way> {
    let (piece, bytes) = (program.least_piece(), moved_bytes(loops, slots));
    if piece >= LANE {
        None
    } else {
        cheaper(loops, slots, true, level, bytes / piece as f64 * PIECE)
    }
}

/// By rows or lookups, if either takes fewer cycles than so many.
fn cheaper(
    loops: &[Loop],
    slots: Slots,
    is_at_bytes: bool,
    level: Level,
    cycles: f64,
) -> Option<Way> {
    let drafts = StagedRows::drafts(loops, slots, is_at_bytes, level);
    of_drafts(drafts, loops, slots, is_at_bytes, level, cycles)
}

/// The same, of rows that have been drafted.
fn of_drafts(
    drafts: Option<Drafts>,
    loops: &[Loop],
    slots: Slots,
    is_at_bytes: bool,
    level: Level,
    cycles: f64,
) -> Option<Way> {
    let of_rows = drafts.as_ref().map_or(f64::INFINITY, |drafts| drafts.cycles() * elements(loops));
    let least = cycles.min(of_rows);
    let lookup = |cycles| if is_at_bytes { lookup(loops, slots, level, cycles) } else { None };
    // What is packed along the rows of both sides takes no more than a lookup does.
    let are_in_place = slots.src != slots.dst && drafts.as_ref().is_some_and(Drafts::are_in_place);
    if !are_in_place && let Some(lookup) = lookup(least) {
        return Some(lookup);
    }
    if of_rows < cycles
        && let Some(rows) = drafts.and_then(Drafts::rows)
    {
        return Some(Way::Rows(Box::new(rows)));
    }
    if of_rows < cycles { lookup(cycles) } else { None }
}

/// By lookups, if that takes fewer cycles than so many.
pub(super) fn lookup(loops: &[Loop], slots: Slots, level: Level, cycles: f64) -> Option<Way> {
    let lookup = Lookup::of(loops, slots, level, cycles)?;
    (lookup.cost() < cycles).then(|| Way::Lookup(Box::new(lookup)))
}

fn elements(loops: &[Loop]) -> f64 {
    loops.iter().map(|l| l.extent as f64).product()
}

fn moved_bytes(loops: &[Loop], slots: Slots) -> f64 {
    elements(loops) * slots.value as f64 / 8.0
}
