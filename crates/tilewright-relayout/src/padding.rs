//! Filling the slots of the destination that hold no element, and only those.

use crate::bits;
use crate::chunk::{Cuttable, Piece};
use crate::nest::{Loop, Nest, walk};
use crate::ready::add_runs;
use std::ops::Range;

/// Where runs of padding are shorter than this on average, in bytes, all of a chunk is filled.
const MIN_RUN_BYTES: i64 = 32;

/// Unless there are so few of them: one run takes as long to write as filling so many bytes.
const BYTES_A_RUN: i64 = 512;

/// The padding of an array whose slots are whole bytes.
#[derive(Clone, Debug)]
pub(crate) struct Padding {
    boxes: Vec<Cuttable>,
    slot_bytes: i64,
}

impl Padding {
    /// The padding in these boxes of slots of `slot_bits`, if it is worth while to fill it apart
    /// from the `allocation` around it.
    pub(crate) fn new(boxes: Vec<Nest>, slot_bits: u32, allocation: i64) -> Option<Self> {
        let slot_bytes = i64::from(slot_bits) / 8;
        let slots: i64 = boxes.iter().map(Nest::elements).sum();
        let runs: i64 = boxes.iter().map(n_runs).sum();
        let are_long = slots.saturating_mul(slot_bytes) >= runs.saturating_mul(MIN_RUN_BYTES);
        let are_few = runs.saturating_mul(BYTES_A_RUN) <= allocation.saturating_mul(slot_bytes);
        let is_little = slots <= allocation / 2;
        (slot_bits.is_multiple_of(8) && (are_long || are_few) && is_little)
            .then(|| Padding { boxes: boxes.into_iter().map(Cuttable::new).collect(), slot_bytes })
    }

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let boxes = self.boxes.iter().map(Cuttable::held_bytes).sum::<usize>();
        boxes + self.boxes.capacity() * size_of::<Cuttable>()
    }

    /// The most pieces of padding in a range of so many slots.
    pub(crate) fn most_pieces(&self, slots: i64) -> i64 {
        self.boxes.iter().fold(0, |sum, nest| sum.saturating_add(nest.most_pieces(slots)))
    }

    /// The runs of bytes of the padding in slots `within`, from the first of which on they are counted, if
    /// there are few.
    pub(crate) fn runs(&self, within: &Range<i64>) -> Option<Vec<(usize, usize)>> {
        let (mut pieces, mut runs) = (Vec::new(), Vec::new());
        for (number, nest) in self.boxes.iter().enumerate() {
            nest.cut(number, within, &mut pieces);
        }
        for piece in &pieces {
            let loops: Vec<Loop> = self.boxes.get(piece.nest)?.loops(piece).collect();
            add_runs(&loops, piece.dst - within.start, self.slot_bytes, &mut runs)?;
        }
        Some(runs)
    }

    /// Fills the padding in slots `within` of the destination, which are the bytes of `dst`.
    pub(crate) fn fill(
        &self,
        within: &Range<i64>,
        dst: &mut [u8],
        pad: u128,
        lists: &mut PadLists,
    ) {
        let period = pad.to_le_bytes();
        let period = period.get(..self.slot_bytes as usize).unwrap_or_default();
        lists.pieces.clear();
        for (number, nest) in self.boxes.iter().enumerate() {
            nest.cut(number, within, &mut lists.pieces);
        }
        for piece in &lists.pieces {
            let Some(nest) = self.boxes.get(piece.nest) else { continue };
            lists.loops.clear();
            lists.loops.extend(nest.loops(piece));
            let run = match lists.loops.last() {
                Some(last) if last.dst == 1 => lists.loops.pop().map_or(1, |last| last.extent),
                _ => 1,
            };
            let bytes = (run * self.slot_bytes) as usize;
            walk(&lists.loops, (0, piece.dst - within.start), &mut |(_, slot)| {
                let start = (slot * self.slot_bytes) as usize;
                if let Some(run) = dst.get_mut(start..).and_then(|rest| rest.get_mut(..bytes)) {
                    bits::repeat(run, period);
                }
            });
        }
    }
}

/// Lists that are used again for every chunk.
#[derive(Debug, Default)]
pub(crate) struct PadLists {
    pieces: Vec<Piece>,
    loops: Vec<Loop>,
}

impl PadLists {
    /// How many pieces there is room for.
    pub(crate) fn n_pieces(&self) -> usize {
        self.pieces.capacity()
    }
}

fn n_runs(nest: &Nest) -> i64 {
    nest.loops.iter().filter(|l| l.dst != 1).map(|l| l.extent).product()
}
