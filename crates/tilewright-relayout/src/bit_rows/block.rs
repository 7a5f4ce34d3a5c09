//! Making a block: which loops its rows have on either side, and what numbers them between the stages.

use super::{Around, Blocks, MOST_STAGE, Rows};
use crate::kernels::{LINE, Level, Mover, Slots};
use crate::nest::Loop;

/// The fewest bits of a row.
const LEAST_ROW: i64 = 24;

/// The fewest bits of a block, if there are as many.
const LEAST_BLOCK: i64 = 16 << 13;

/// How many times as long a row may be to share a loop.
const LONGER: i64 = 16;

/// The bits of the registers that rows begin at.
const REGISTER: i64 = 128;

/// A loop of a block, strides in slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inside {
    of: Loop,
    /// What it has for a place in the chain of the source, and of the destination.
    chains: [Option<usize>; 2],
}

/// A block as it is made.
pub(super) struct Block {
    pub(super) outer: Vec<Around>,
    pub(super) inside: Vec<Inside>,
    /// The loops of either chain, innermost first: numbers of `inside`.
    chains: [Vec<usize>; 2],
    /// The slots from the first of a row to the last.
    len: [i64; 2],
    /// The bits of a row, if there are as many.
    row: i64,
    /// The bits of which rows of the source may have a part.
    word: i64,
}

impl Block {
    pub(super) fn of(loops: &[Loop], row: i64, word: i64) -> Self {
        let around =
            |l: &Loop| Around { count: l.extent, src: l.src, dst: l.dst, src_back: 0, dst_back: 0 };
        let outer = loops.iter().map(around).collect();
        Block {
            outer,
            inside: Vec::new(),
            chains: [Vec::new(), Vec::new()],
            len: [1, 1],
            row,
            word,
        }
    }

    /// With rows on both sides, those of side `first` before the others, which have up to `shared` of their loops.
    pub(super) fn drawn(mut self, slots: Slots, first: usize, shared: usize) -> Option<Self> {
        let widths = [slots.src, slots.dst];
        self.chain(first, widths[first], 0);
        self.chain(1 - first, widths[1 - first], shared);
        if self.len[0] * widths[0] < LEAST_ROW || self.len[1] * widths[1] < LEAST_ROW {
            return None;
        }
        self.fill_up(slots);
        Some(self)
    }

    /// What rows take for each bit beside what bits take. A row of the destination, whose ends are put among other bits,
    /// takes twice what one of the source does, and hardly anything where it goes on with the one before; short rows of
    /// the source are read again for the next block, line by line.
    pub(super) fn cost(&self, slots: Slots) -> f64 {
        let [src, dst] = [self.len[0] * slots.src, self.len[1] * slots.dst].map(|bits| bits as f64);
        let goes_on = self.inside.iter().any(|l| l.of.dst == self.len[1]);
        let of_a_src_row = if src < LINE as f64 * 8.0 { 3.0 } else { 1.0 };
        of_a_src_row / src + if goes_on { 0.5 } else { 2.0 } / dst
    }

    /// Takes up to `most` steps of a loop into the block. What is left over is a block that shares
    /// elements with the one before. Says whether it is the whole loop.
    fn take(&mut self, number: usize, most: i64, chains: [Option<usize>; 2]) -> bool {
        let l = self.outer[number];
        let most = most.clamp(1, l.count);
        let count = (l.count + most - 1) / most;
        let part = (l.count + count - 1) / count;
        self.inside.push(Inside { of: Loop { extent: part, src: l.src, dst: l.dst }, chains });
        if count == 1 {
            self.outer.remove(number);
            return l.src_back == 0;
        }
        let beyond = count * part - l.count;
        self.outer[number] = Around {
            count,
            src: l.src * part,
            dst: l.dst * part,
            src_back: beyond * l.src,
            dst_back: beyond * l.dst,
        };
        false
    }

    /// Takes the loops of a side's chain into the block: of the source's if `side` is 0. Of loops that
    /// are there already, up to `shared`. Rows of the source may have gaps.
    fn chain(&mut self, side: usize, slot: i64, mut shared: usize) {
        loop {
            let len = self.len[side];
            let room = self.row / slot / len;
            if room < 2 {
                return;
            }
            let there = self.inside.iter().position(|l| stride(side, &l.of) == len);
            if let Some(number) = there {
                let part = self.inside[number].of.extent;
                if shared == 0 || part > LONGER * room {
                    return;
                }
                shared -= 1;
                self.inside[number].chains[side] = Some(self.chains[side].len());
                self.chains[side].push(number);
                self.len[side] = len * part;
                continue;
            }
            let reach = if side == 0 { (2 * len).max(self.word / slot) } else { len };
            let of = |l: &Around| if side == 0 { l.src } else { l.dst };
            let fits =
                |l: &&(usize, Around)| (len..=reach).contains(&of(&l.1)) && l.1.src_back == 0;
            let next: Vec<(usize, Around)> = self.outer.iter().copied().enumerate().collect();
            let Some((number, l)) = next.iter().filter(fits).min_by_key(|(_, l)| of(l)) else {
                return;
            };
            let mut chains = [None; 2];
            chains[side] = Some(self.chains[side].len());
            let step = of(l);
            let room = self.row / slot / step;
            if room < 2 {
                return;
            }
            let is_whole = self.take(*number, room, chains);
            let last = self.inside.len() - 1;
            self.chains[side].push(last);
            self.len[side] = step * self.inside[last].of.extent;
            if !is_whole {
                return;
            }
        }
    }

    /// Takes more loops into the block, those that lie closest together, until it is worth its while.
    fn fill_up(&mut self, slots: Slots) {
        let wide = slots.src.max(slots.dst);
        loop {
            let n: i64 = self.inside.iter().map(|l| l.of.extent).product();
            let room = LEAST_BLOCK / wide / n;
            let nearest = (0..self.outer.len())
                .filter(|&number| self.outer[number].src_back == 0)
                .min_by_key(|&number| self.outer[number].src.abs());
            let Some(number) = nearest.filter(|_| room >= 2) else { return };
            if !self.take(number, room, [None; 2]) {
                return;
            }
        }
    }

    /// The stages of the block, and what is done between them.
    pub(super) fn staged(&self, slots: Slots, level: Level) -> Option<Blocks> {
        let indices = self.indices([slots.src, slots.dst]);
        let (src, src_strides) = self.rows(0, slots.src, &indices)?;
        let (dst, dst_strides) = self.rows(1, slots.dst, &indices)?;
        let strides = src_strides.into_iter().zip(dst_strides);
        let loop_of = |(index, (src, dst)): (&Index, _)| Loop { extent: index.padded, src, dst };
        let loops: Vec<Loop> = indices.iter().zip(strides).map(loop_of).collect();
        Some(Blocks { src, dst, mover: Mover::of_bits(&loops, slots, level, false)? })
    }

    /// What is one index between the stages: loops that follow each other in one chain alone, and each of
    /// the others.
    fn indices(&self, widths: [i64; 2]) -> Vec<Index> {
        let mut indices: Vec<Vec<usize>> = Vec::new();
        for (side, chain) in self.chains.iter().enumerate() {
            let mut goes_on = false;
            for &number in chain {
                let is_alone = self.inside[number].chains[1 - side].is_none();
                if !is_alone && side == 1 {
                    // It is there already.
                    goes_on = false;
                    continue;
                }
                let follows = |last: usize| {
                    let last = &self.inside[last].of;
                    stride(side, last) * last.extent == stride(side, &self.inside[number].of)
                };
                match indices.last_mut() {
                    Some(index)
                        if goes_on && is_alone && index.last().is_some_and(|&l| follows(l)) =>
                    {
                        index.push(number);
                    }
                    _ => indices.push(vec![number]),
                }
                goes_on = is_alone;
            }
        }
        let in_none = |&number: &usize| self.inside[number].chains == [None; 2];
        indices.extend((0..self.inside.len()).filter(in_none).map(|number| vec![number]));
        indices
            .into_iter()
            .map(|loops| Index { padded: self.padded(&loops, widths), loops })
            .collect()
    }

    /// How many steps of an index there is room for in the stages: whole registers, if nothing follows
    /// closely.
    fn padded(&self, index: &[usize], widths: [i64; 2]) -> i64 {
        let count: i64 = index.iter().map(|&number| self.inside[number].of.extent).product();
        let Inside { of: first, chains } = &self.inside[index[0]];
        let mut most = count;
        for side in (0..2).filter(|&side| chains[side].is_some()) {
            let weight = stride(side, first) * widths[side];
            let per_register = (REGISTER / weight).max(1);
            let wanted = match count >= per_register {
                true => (count + per_register - 1) / per_register * per_register,
                false => count.unsigned_abs().next_power_of_two() as i64,
            };
            most = most.max(wanted).max(8 / weight);
        }
        let has_room = |side, steps| self.gap(side, index, chains).is_none_or(|gap| gap >= steps);
        if !(has_room(0, most) && has_room(1, most)) {
            return count;
        }
        // What follows within a word had better follow at once.
        let is_within_word = |&gap: &i64| {
            let is_power = gap.unsigned_abs().is_power_of_two();
            is_power && gap * widths[0] * stride(0, first) <= self.word && has_room(1, gap)
        };
        self.gap(0, index, chains).filter(is_within_word).map_or(most, |gap| most.max(gap))
    }

    /// How many steps of an index there are up to what follows it in the chain of a side.
    fn gap(&self, side: usize, index: &[usize], chains: &[Option<usize>; 2]) -> Option<i64> {
        let next = self.chains[side].get(chains[side]? + index.len())?;
        Some(stride(side, &self.inside[*next].of) / stride(side, &self.inside[index[0]].of))
    }

    /// The rows of a side, and the strides of the indices in its stage, in slots of `width` bits.
    fn rows(&self, side: usize, width: i64, indices: &[Index]) -> Option<(Rows, Vec<i64>)> {
        let is_along = |index: &Index| self.inside[index.loops[0]].chains[side].is_some();
        let first = |index: &Index| stride(side, &self.inside[index.loops[0]].of);
        let along = indices.iter().filter(|index| is_along(index));
        let longest = along.map(|index| first(index) * index.padded).fold(1, i64::max) * width;
        let pitch = match longest >= REGISTER {
            // A register more, so that rows do not fall on the same lines of the caches.
            true => (longest + REGISTER - 1) / REGISTER * REGISTER + REGISTER,
            false => longest.unsigned_abs().next_power_of_two().max(8) as i64,
        };
        if pitch % width != 0 {
            return None;
        }
        let mut places = vec![(0, 0)];
        let mut strides = Vec::with_capacity(indices.len());
        let mut n_rows = 1;
        for index in indices {
            if is_along(index) {
                strides.push(first(index));
                continue;
            }
            strides.push(n_rows * pitch / width);
            let mut step = n_rows * pitch;
            for &number in &index.loops {
                let l = &self.inside[number].of;
                repeat(&mut places, l.extent, (step, stride(side, l) * width));
                step *= l.extent;
            }
            n_rows *= index.padded;
        }
        let stage = n_rows * pitch / 8 + REGISTER / 8;
        if stage > MOST_STAGE {
            return None;
        }
        let reaches = self.chains[side].iter().map(|&number| {
            let l = &self.inside[number].of;
            (l.extent - 1) * stride(side, l)
        });
        let len = (reaches.sum::<i64>() + 1) * width;
        Some((Rows { places, len: len as usize, stage: stage as usize }, strides))
    }
}

/// One index between the stages: the numbers of its loops, and how many steps there is room for.
struct Index {
    loops: Vec<usize>,
    padded: i64,
}

/// The stride of a loop on a side, the source if it is 0.
fn stride(side: usize, l: &Loop) -> i64 {
    if side == 0 { l.src } else { l.dst }
}

/// Repeats places at every one of so many steps.
fn repeat(places: &mut Vec<(i64, i64)>, count: i64, step: (i64, i64)) {
    let n = places.len();
    for number in 1..count {
        places.extend_from_within(..n);
        let first = places.len() - n;
        for place in &mut places[first..] {
            *place = (place.0 + number * step.0, place.1 + number * step.1);
        }
    }
}
