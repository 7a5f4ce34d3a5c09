//! Chunks that are moved straight from the plan: nothing is cut, looked up or listed for them.

use crate::bits;
use crate::chunk::Form;
use crate::kernels::{Level, Means, Mover, Stores};
use crate::nest::{Loop, walk};
use crate::work::SourcePart;

/// Padding of more runs than this is cut and walked when it is filled.
const MAX_RUNS: i64 = 64;

/// What writes all of a chunk that goes into the caches.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    fill: Fill,
    moves: Vec<Move>,
}

/// What is filled before elements are moved.
#[derive(Clone, Debug)]
pub(crate) enum Fill {
    /// Nothing: there is an element in every slot.
    Nothing,
    /// What is left of the last byte, behind the last slot: zeros.
    Rest,
    /// All of the chunk, this many slots.
    All(usize),
    /// Runs of bytes, from where in the chunk and how many.
    Runs(Vec<(usize, usize)>),
}

/// A box of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// The number of what moves it.
    pub(crate) mover: usize,
    /// The bit of the source and the bit of the chunk that it begins at.
    pub(crate) start: (i64, i64),
}

impl Ready {
    pub(crate) fn new(fill: Fill, moves: Vec<Move>) -> Self {
        Ready { fill, moves }
    }

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let runs = match &self.fill {
            Fill::Runs(runs) => runs.capacity() * size_of::<(usize, usize)>(),
            Fill::Nothing | Fill::Rest | Fill::All(_) => 0,
        };
        self.moves.capacity() * size_of::<Move>() + runs
    }

    /// Writes the chunk, in slots of `width` bits, by movers of the same plan.
    pub(crate) fn run(
        &self,
        movers: &[((Form, bool), Mover)],
        level: Level,
        src: SourcePart<'_>,
        dst: &mut [u8],
        pad: u128,
        width: u32,
    ) {
        match &self.fill {
            Fill::Nothing => {}
            Fill::Rest => bits::clear_last(dst),
            Fill::All(slots) => bits::fill(dst, pad, width, *slots),
            Fill::Runs(runs) => fill_runs(runs, dst, pad, width),
        }
        let means = Means { level, stores: Stores::Cached };
        for Move { mover, start: (from, to) } in &self.moves {
            if let Some((_, mover)) = movers.get(*mover) {
                let start = (from - src.start as i64 * 8, *to);
                mover.run(start, src.bytes, dst, means, &mut Vec::new());
            }
        }
    }
}

fn fill_runs(runs: &[(usize, usize)], dst: &mut [u8], pad: u128, width: u32) {
    let period = pad.to_le_bytes();
    let period = period.get(..width as usize / 8).unwrap_or_default();
    for &(start, bytes) in runs {
        if let Some(run) = dst.get_mut(start..).and_then(|rest| rest.get_mut(..bytes)) {
            bits::repeat(run, period);
        }
    }
}

/// The runs of slots of `slot_bytes` that loops walk from slot `first` on, if there is room for them in
/// the list.
pub(crate) fn add_runs(
    loops: &[Loop],
    first: i64,
    slot_bytes: i64,
    runs: &mut Vec<(usize, usize)>,
) -> Option<()> {
    let (outer, run) = match loops.split_last() {
        Some((last, outer)) if last.dst == 1 => (outer, last.extent),
        _ => (loops, 1),
    };
    let n_runs = outer.iter().try_fold(1i64, |n, l| n.checked_mul(l.extent))?;
    if n_runs > MAX_RUNS - runs.len() as i64 {
        return None;
    }
    walk(outer, (0, first), &mut |(_, slot)| {
        runs.push(((slot * slot_bytes) as usize, (run * slot_bytes) as usize));
    });
    Some(())
}
