//! Filling the slots of the destination that hold no element, and only those.

use crate::bits;
use crate::chunk::{Cuttable, Piece};
use crate::kernels::{LINE, Stores, stream_pattern};
use crate::nest::{Loop, Nest, walk};
use std::ops::Range;

/// Where runs of padding are shorter than this on average, in bytes, all of a chunk is filled.
const MIN_RUN_BYTES: i64 = 32;

/// Unless there are so few of them: one run takes as long to write as filling so many bytes.
const BYTES_A_RUN: i64 = 512;

/// A list of padding has no more places than this.
const MOST_LISTED: usize = 64;

/// The padding of an array whose slots are whole bytes, or some of it.
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
            .then(|| Self::of_boxes(boxes, slot_bits))
    }

    /// The same, worth while or not, of slots of whole bytes.
    pub(crate) fn of_boxes(boxes: Vec<Nest>, slot_bits: u32) -> Self {
        let boxes = boxes.into_iter().map(Cuttable::new).collect();
        Padding { boxes, slot_bytes: i64::from(slot_bits) / 8 }
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

    /// Where the padding in slots `within` is, from the first of which on bytes are counted, if that is few places.
    pub(crate) fn places(&self, within: &Range<i64>) -> Option<Vec<(usize, Comb)>> {
        let (mut lists, mut places) = (PadLists::default(), Vec::new());
        self.cut(within, &mut lists);
        for piece in &lists.pieces {
            let mut loops: Vec<Loop> = self.boxes.get(piece.nest)?.loops(piece).collect();
            let comb = Comb::of(&mut loops, self.slot_bytes);
            let n = loops.iter().try_fold(1i64, |n, l| n.checked_mul(l.extent))?;
            if n > (MOST_LISTED - places.len()) as i64 {
                return None;
            }
            walk(&loops, (0, piece.dst - within.start), &mut |(_, slot)| {
                places.push(((slot * self.slot_bytes) as usize, comb));
            });
        }
        Some(places)
    }

    /// Fills the padding in slots `within` of the destination, which are the bytes of `dst`: whole lines of what is streamed past
    /// the caches.
    pub(crate) fn fill(
        &self,
        within: &Range<i64>,
        dst: &mut [u8],
        pad: u128,
        stores: Stores,
        lists: &mut PadLists,
    ) {
        let period = pad.to_le_bytes();
        let period = period.get(..self.slot_bytes as usize).unwrap_or_default();
        self.cut(within, lists);
        for piece in &lists.pieces {
            let Some(nest) = self.boxes.get(piece.nest) else { continue };
            lists.loops.clear();
            lists.loops.extend(nest.loops(piece));
            let comb = Comb::of(&mut lists.loops, self.slot_bytes);
            let teeth = comb.teeth(period);
            let start = (0, piece.dst - within.start);
            let at = |slot: i64| (slot * self.slot_bytes) as usize;
            if stores == Stores::Streamed && comb.has_lines() && LINE.is_multiple_of(period.len()) {
                let places = |each: &mut dyn FnMut(usize)| {
                    walk(&lists.loops, start, &mut |(_, slot)| each(at(slot)));
                };
                stream_pattern(dst, period, comb.run, places);
            } else {
                walk(&lists.loops, start, &mut |(_, slot)| teeth.fill(at(slot), dst));
            }
        }
    }

    /// The pieces of the padding in slots `within`.
    fn cut(&self, within: &Range<i64>, lists: &mut PadLists) {
        lists.pieces.clear();
        for (number, nest) in self.boxes.iter().enumerate() {
            nest.cut(number, within, &mut lists.pieces);
        }
    }
}

/// Runs of bytes that are as far apart, of which a line has several, or one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comb {
    /// The bytes of each, and from one to the next.
    run: usize,
    step: usize,
    n: usize,
}

impl Comb {
    /// Of the innermost of these loops, which are left out, over slots of so many bytes.
    fn of(loops: &mut Vec<Loop>, slot_bytes: i64) -> Self {
        let run = loops.pop_if(|last| last.dst == 1).map_or(1, |last| last.extent);
        let run = (run * slot_bytes) as usize;
        let is_near = |l: &mut Loop| {
            let step = usize::try_from(l.dst * slot_bytes).unwrap_or(0);
            step >= run && step > 0 && LINE.is_multiple_of(step)
        };
        match loops.pop_if(is_near) {
            Some(l) => Comb { run, step: (l.dst * slot_bytes) as usize, n: l.extent as usize },
            None => Comb { run, step: run, n: 1 },
        }
    }

    /// Whether it is one run that has a whole line, if it begins at one.
    fn has_lines(self) -> bool {
        self.n == 1 && self.run >= LINE
    }

    /// What fills it with a pattern.
    pub(crate) fn teeth(self, period: &[u8]) -> Teeth<'_> {
        let line = (self.n > 1).then(|| {
            let (mut kept, mut filled) = ([0xff; LINE], [0; LINE]);
            for start in (0..LINE).step_by(self.step) {
                kept[start..][..self.run].fill(0);
                bits::repeat(&mut filled[start..][..self.run], period);
            }
            (kept, filled)
        });
        Teeth { comb: self, period, line }
    }
}

/// What fills a [`Comb`].
pub(crate) struct Teeth<'p> {
    comb: Comb,
    period: &'p [u8],
    /// Of several runs, the bits of a line from the first on that are kept, and what those of the runs are.
    line: Option<([u8; LINE], [u8; LINE])>,
}

impl Teeth<'_> {
    /// Fills one from a byte of `dst` on.
    pub(crate) fn fill(&self, start: usize, dst: &mut [u8]) {
        let Comb { run, step, n } = self.comb;
        let len = (n - 1) * step + run;
        let Some(bytes) = dst.get_mut(start..).and_then(|rest| rest.get_mut(..len)) else { return };
        let Some((kept, filled)) = &self.line else { return bits::repeat(bytes, self.period) };
        let fill_line = |line: &mut [u8]| {
            for (byte, (kept, filled)) in line.iter_mut().zip(kept.iter().zip(filled)) {
                *byte = *byte & kept | filled;
            }
        };
        let (lines, rest) = bytes.as_chunks_mut::<LINE>();
        lines.iter_mut().for_each(|line| fill_line(line));
        fill_line(rest);
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

/// The runs of slots that a nest's are.
pub(crate) fn n_runs(nest: &Nest) -> i64 {
    nest.loops.iter().filter(|l| l.dst != 1).map(|l| l.extent).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Padding of these loops over slots of a few bytes, filled from a list and in chunks: nothing but it.
    #[test]
    fn nothing_but_padding_is_filled() {
        let l = |extent, dst| Loop { extent, src: dst, dst };
        for loops in [
            vec![l(7, 1)],
            vec![l(9, 8), l(3, 1)],
            vec![l(40, 16), l(5, 1)],
            // Every other slot of a few lines, and of rows.
            vec![l(77, 2)],
            vec![l(3, 150), l(70, 2)],
            // No part of a line, and more than one.
            vec![l(20, 12), l(5, 1)],
            vec![l(4, 50), l(33, 1)],
            // Several lines.
            vec![l(3, 200), l(150, 1)],
        ] {
            let nest = Nest { src: 3, dst: 3, loops };
            let mut slots = vec![false; 700];
            walk(&nest.loops, (0, nest.dst), &mut |(_, slot)| slots[slot as usize] = true);
            let pad = 0x1f1e_1d1c_1b1a_1918_1716_1514_1312_1110_u128;
            // From any byte of memory on.
            for (bytes, skew) in [(2, 0), (2, 1), (4, 3), (16, 5), (3, 0)] {
                let padding = Padding::of_boxes(vec![nest.clone()], 8 * bytes as u32);
                let expected = |slot: usize| {
                    let is_pad = slots[slot];
                    (0..bytes).map(move |byte| if is_pad { 0x10 + byte as u8 } else { 0xab })
                };
                for chunk in [700, 64, 37, 5] {
                    for start in (0..700).step_by(chunk) {
                        let within = start as i64..(start + chunk).min(700) as i64;
                        let all: Vec<u8> =
                            (start..within.end as usize).flat_map(expected).collect();
                        let mut memory = vec![0xab; all.len() + skew];
                        let dst = &mut memory[skew..];
                        let by = format!("{nest:?} of {bytes} bytes in {within:?}");
                        for stores in [Stores::Cached, Stores::Streamed] {
                            dst.fill(0xab);
                            padding.fill(&within, dst, pad, stores, &mut PadLists::default());
                            assert_eq!(dst, all, "{by}, {stores:?}");
                        }
                        dst.fill(0xab);
                        let Some(places) = padding.places(&within) else {
                            // Every other one of many slots that do not make lines is a place of its own.
                            assert_eq!(bytes, 3, "{by}");
                            continue;
                        };
                        for (at, comb) in places {
                            comb.teeth(&pad.to_le_bytes()[..bytes]).fill(at, dst);
                        }
                        assert_eq!(dst, all, "{by}, listed");
                    }
                }
            }
        }
    }
}
