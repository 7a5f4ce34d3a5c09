//! Making a block: which loops its rows have on either side, and how those lie in the stages.

use super::super::Mover;
use super::super::level::Level;
use super::super::tile::{Around, ONCE, Slots};
use super::laid::Laid;
use super::{MOST_ROW, MOST_STAGE, Rows};
use crate::nest::Loop;
use std::ops::Range;

/// The bits of a row, if there are as many. Where slots of either side have fewer bits, as many rows may be more than a stage has
/// room for.
const ROWS: [i64; 3] = [2048 * 8, 256 * 8, 128 * 8];
const SLOTS: i64 = 4;

/// The bits of short rows of a packed source, and of longer ones of the destination: of those fewer begin and end within bytes.
/// And whether it is for a source that is read where it is, or for one that goes by way of a stage, of which short rows take longer
/// to be copied.
const OBLONG: [([i64; 2], bool); 4] = [
    ([32 * 8, 256 * 8], true),
    ([16 * 8, 256 * 8], true),
    ([64 * 8, 256 * 8], false),
    ([64 * 8, 128 * 8], false),
];

/// What is within so many bits may go on in a row of the source, however few of them are elements.
const WORD: i64 = 32;

/// Which side's rows come first, and how many of their loops those of the other may share.
const ORDERS: [(usize, usize); 5] = [(0, usize::MAX), (0, 1), (0, 0), (1, 1), (1, 0)];

/// The fewest bits of a row.
const LEAST_ROW: i64 = 8;

/// The fewest bits of a block, if there are as many.
const LEAST_BLOCK: i64 = 8 << 13;

/// How often indices are given room until both sides have what the other needs.
const MOST_ROUNDS: usize = 8;

/// How many times as long a row may be to share a loop.
const LONGER: i64 = 64;

/// The bits of the registers that programs load.
const REGISTER: i64 = 128;

/// Bits of rows are shifted within so many.
const WORD_BITS: i64 = 64;

/// The bits of the longest register.
pub(super) const LONG: i64 = 512;

/// A loop of a block, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inside {
    pub(super) of: Loop,
    /// What it has for a place in the chain of the source, and of the destination.
    pub(super) chains: [Option<usize>; 2],
}

/// A block as it is made.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub(super) outer: Vec<Around>,
    pub(super) inside: Vec<Inside>,
    /// The loops of either chain, innermost first: numbers of `inside`.
    chains: [Vec<usize>; 2],
    /// The bits from the first of a row to behind the last.
    pub(super) len: [i64; 2],
    slots: [i64; 2],
    /// The bits of a row of either side, if there are as many.
    rows: [i64; 2],
    /// The bits of which rows of the source may have a part.
    word: i64,
}

/// One index between the stages: the numbers of its loops, which have been taken one after the other, and how many steps
/// there are and are room for.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub(super) loops: Range<usize>,
    pub(super) count: i64,
    pub(super) padded: i64,
    /// From one step to the next in the stage of either side, or in memory if that has none, in bits.
    pub(super) strides: [i64; 2],
    /// Whether it is along the rows of either side.
    pub(super) is_along: [bool; 2],
}

/// The blocks that a box may be moved in, those that take least first.
pub(in super::super) struct Drafts {
    blocks: Vec<Block>,
    laid: Vec<Laid>,
    slots: Slots,
    level: Level,
}

impl Drafts {
    /// Of a box whose loops count bits.
    pub(super) fn of(loops: &[Loop], slots: Slots, is_at_bytes: bool, level: Level) -> Self {
        let mut blocks: Vec<Block> = Vec::new();
        let mut laid: Vec<Laid> = Vec::new();
        let mut block = Block::default();
        // What stays together on both sides may be a row of its own.
        let run = loops.iter().find(|l| (l.src, l.dst) == (slots.src, slots.dst));
        let run = run.map_or(0, |run| run.extent.saturating_mul(slots.src.max(slots.dst)));
        let run = (run > 0 && run < ROWS[1]).then_some(run);
        let [most, least] = [slots.src.max(slots.dst), slots.src.min(slots.dst)].map(power);
        let widths = if least == most { vec![most] } else { vec![least, most] };
        let shorter = (slots.src.min(slots.dst) < SLOTS).then_some(ROWS[2] / 2);
        // A long row of wider slots is a short one of those that they are packed to.
        let longer = (slots.src > slots.dst).then_some(8 * MOST_ROW as i64);
        'words: for word in [0, WORD] {
            let squares = longer.into_iter().chain(ROWS).chain(shorter).chain(run);
            let squares = squares.map(|row| ([row; 2], None));
            let oblong = OBLONG.map(|(rows, is_direct)| (rows, Some(is_direct)));
            let is_packed = most < 8 && slots == Slots::same(most);
            let has_oblong = word == 0 && is_packed;
            for (rows, for_direct) in squares.chain(oblong.into_iter().filter(|_| has_oblong)) {
                let orders = if for_direct.is_some() { &ORDERS[..1] } else { &ORDERS };
                let mut known = None;
                for &(first, shared) in orders {
                    // It shares no more than that anyway.
                    if known.is_some_and(|(of, n_shared)| of == first && n_shared <= shared) {
                        continue;
                    }
                    block.begin(loops, slots, rows, word);
                    if !block.has_rows(first, shared) {
                        continue;
                    }
                    known = Some((first, block.n_shared()));
                    if blocks.iter().any(|known| block.is_same(known)) {
                        continue;
                    }
                    let number = blocks.len();
                    laid.extend(widths.iter().filter_map(|&width| {
                        let laid = block.laid(width, slots, is_at_bytes, level)?;
                        let may_be = for_direct.is_none_or(|is| is == laid.is_direct[0]);
                        may_be.then_some(Laid { block: number, ..laid })
                    }));
                    blocks.push(block.clone());
                    // Nothing takes less than long rows that are the same on both sides.
                    if laid.iter().any(Laid::is_long_in_place) {
                        break 'words;
                    }
                }
            }
            // Rows of parts of words are for boxes that have no others.
            if laid.iter().any(|laid| laid.len[0] >= WORD) {
                break;
            }
        }
        laid.sort_by(|a, b| a.cycles.total_cmp(&b.cycles));
        Drafts { blocks, laid, slots, level }
    }

    /// About how many of the processor's cycles an element takes.
    pub(in super::super) fn cycles(&self) -> f64 {
        self.laid.first().map_or(f64::INFINITY, |laid| laid.cycles)
    }

    /// Whether rows of the first are copied without a program.
    pub(in super::super) fn are_in_place(&self) -> bool {
        self.laid.first().is_some_and(Laid::is_in_place)
    }

    /// The same of rows that are worth beginning.
    pub(in super::super) fn are_long_in_place(&self) -> bool {
        self.laid.first().is_some_and(Laid::is_long_in_place)
    }

    /// The same of rows that are written where they go more quickly than by way of a chunk that is put together first.
    pub(in super::super) fn are_written_in_place(&self) -> bool {
        self.laid.first().is_some_and(Laid::is_written_in_place)
    }

    /// Whether blocks of the first are streamed.
    pub(in super::super) fn are_streamed(&self) -> bool {
        self.laid.first().is_some_and(|laid| laid.streams(&self.blocks[laid.block]))
    }

    /// The rows of the first that there is a program for, whose lists are no longer than those of others; with about how many
    /// of the processor's cycles an element takes.
    pub(in super::super) fn made(self) -> Option<(Rows, f64)> {
        let Drafts { blocks, laid, slots, level } = self;
        laid.into_iter().find_map(|laid| {
            let cycles = laid.cycles;
            let block = &blocks[laid.block];
            let rows = laid.rows(block, slots, level)?;
            (rows.held_bytes() <= Mover::MOST_BYTES).then_some((rows, cycles))
        })
    }
}

impl Block {
    /// How many loops the rows of both sides have.
    fn n_shared(&self) -> usize {
        self.inside.iter().filter(|l| l.chains.iter().all(Option::is_some)).count()
    }

    /// Whether it has the same loops as another.
    fn is_same(&self, other: &Block) -> bool {
        self.inside == other.inside && self.outer == other.outer && self.chains == other.chains
    }

    /// Forgets what it was, and has no loops inside.
    fn begin(&mut self, loops: &[Loop], slots: Slots, rows: [i64; 2], word: i64) {
        let around = |l: &Loop| Around { count: l.extent, src: l.src, dst: l.dst, ..ONCE };
        self.outer.clear();
        self.outer.extend(loops.iter().map(around));
        self.inside.clear();
        self.chains.iter_mut().for_each(Vec::clear);
        (self.len, self.slots) = ([slots.src, slots.dst], [slots.src, slots.dst]);
        (self.rows, self.word) = (rows, word);
    }

    /// Draws rows on both sides, those of side `first` before the others, which have up to `shared` of their loops. Says
    /// whether they are long enough.
    fn has_rows(&mut self, first: usize, shared: usize) -> bool {
        self.chain(first, 0);
        self.chain(1 - first, shared);
        if self.len.iter().any(|&len| len < LEAST_ROW) {
            return false;
        }
        self.fill_up();
        true
    }

    /// Takes up to `most` steps of a loop into the block. What is left over is a block that shares
    /// elements with the one before. Says whether it is the whole loop.
    fn take(&mut self, number: usize, most: i64, chains: [Option<usize>; 2]) -> bool {
        let l = self.outer[number];
        let most = most.clamp(1, l.count);
        let step = l.src.min(l.dst).max(1);
        // Parts of whole registers begin at bytes and have room for no more than they have, where that makes no more of them. What
        // is whole bytes apart is whole lines of memory, or registers of the stage, where that makes few more.
        let of = |whole: i64| {
            let fit = most / whole * whole;
            (l.count > most && 4 * fit >= 3 * most).then_some((whole, fit))
        };
        let (lines, registers) = (LONG / (step & -step).min(LONG), LONG / power(step.min(LONG)));
        let (whole, fit) = match step {
            ..8 => (REGISTER / step, most),
            _ => of(lines).or_else(|| of(registers)).unwrap_or((1, most)),
        };
        let count = l.count / fit + i64::from(l.count % fit != 0);
        let even = (l.count + count - 1) / count;
        let part = ((even + whole - 1) / whole * whole).min(l.count);
        let part = if count > 1 && part <= fit { part } else { even };
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
    fn chain(&mut self, side: usize, mut shared: usize) {
        loop {
            let len = self.len[side];
            let room = self.rows[side] / len;
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
            let reach = if side == 0 { (2 * len).max(self.word) } else { len };
            let of = |l: &Around| if side == 0 { l.src } else { l.dst };
            let fits = |&number: &usize| {
                let l = &self.outer[number];
                (len..=reach).contains(&of(l)) && l.src_back == 0 && l.dst_back == 0
            };
            let next = (0..self.outer.len()).filter(fits).min_by_key(|&n| of(&self.outer[n]));
            let Some(number) = next else { return };
            let mut chains = [None; 2];
            chains[side] = Some(self.chains[side].len());
            let step = of(&self.outer[number]);
            let room = self.rows[side] / step;
            if room < 2 {
                return;
            }
            let is_whole = self.take(number, room, chains);
            let last = self.inside.len() - 1;
            self.chains[side].push(last);
            self.len[side] = step * self.inside[last].of.extent;
            if !is_whole {
                return;
            }
        }
    }

    /// Takes more loops into the block, those that lie closest together, until it is worth its while.
    fn fill_up(&mut self) {
        loop {
            // A row with gaps is as long as with what is in them.
            let bits = [0, 1].map(|side| {
                let others = self.inside.iter().filter(|l| l.chains[side].is_none());
                others.map(|l| l.of.extent).product::<i64>() * self.len[side]
            });
            let room = LEAST_BLOCK / bits[0].max(bits[1]);
            let is_whole = |&number: &usize| {
                self.outer[number].src_back == 0 && self.outer[number].dst_back == 0
            };
            let nearest =
                (0..self.outer.len()).filter(is_whole).min_by_key(|&n| self.outer[n].src.abs());
            let Some(number) = nearest.filter(|_| room >= 2) else { return };
            if !self.take(number, room, [None; 2]) {
                return;
            }
        }
    }

    /// What is one index between the stages: loops that follow each other in one chain alone, and each of
    /// the others.
    fn indices(&self) -> Vec<Index> {
        let mut indices: Vec<Index> = Vec::with_capacity(self.inside.len());
        let index = |number: usize| {
            let Inside { of, chains } = &self.inside[number];
            Index {
                loops: number..number + 1,
                count: of.extent,
                padded: 0,
                strides: [0; 2],
                is_along: chains.map(|chain| chain.is_some()),
            }
        };
        for (side, chain) in self.chains.iter().enumerate() {
            let mut goes_on = false;
            for &number in chain {
                let is_alone = self.inside[number].chains[1 - side].is_none();
                if !is_alone && side == 1 {
                    // It is there already.
                    goes_on = false;
                    continue;
                }
                let of = &self.inside[number].of;
                let follows = |last: &Index| {
                    let before = &self.inside[last.loops.end - 1].of;
                    last.loops.end == number
                        && stride(side, before) * before.extent == stride(side, of)
                };
                match indices.last_mut() {
                    Some(last) if goes_on && is_alone && follows(last) => {
                        last.loops.end += 1;
                        last.count *= of.extent;
                    }
                    _ => indices.push(index(number)),
                }
                goes_on = is_alone;
            }
        }
        let in_none = |&number: &usize| self.inside[number].chains == [None; 2];
        indices.extend((0..self.inside.len()).filter(in_none).map(index));
        indices.iter_mut().for_each(|index| index.padded = index.count);
        indices
    }

    /// The block with the places of its indices in stages of elements of `width` bits. `None` if those are too small for it.
    fn laid(&self, width: i64, slots: Slots, is_at_bytes: bool, level: Level) -> Option<Laid> {
        let mut indices = self.indices();
        let along = [0, 1].map(|side| self.along(side, &indices));
        // What one side has room for, the other has too; that may need more room there.
        let room = |indices: &[Index]| indices.iter().map(|index| index.padded).sum::<i64>();
        let (mut row, mut known, mut rounds) = ([0; 2], -1, 0);
        while room(&indices) != known {
            known = room(&indices);
            row = [0, 1].map(|side| self.pad(side, width, &along[side], &mut indices));
            rounds += 1;
            if rounds > MOST_ROUNDS {
                return None;
            }
        }
        let n_rows = [0, 1].map(|side| {
            let across = indices.iter().filter(|index| !index.is_along[side]);
            across.fold(1, |all: i64, index| all.saturating_mul(index.padded))
        });
        let mut pitch = [0, 1].map(|side| self.pitch(side, width, row[side], n_rows[side]));
        // Rows that are in the same order on both sides are so in one stage, gaps and all.
        if along[0] == along[1] {
            pitch = [pitch[0].max(pitch[1]); 2];
            indices.iter_mut().for_each(|i| i.strides = [i.strides[0].max(i.strides[1]); 2]);
        }
        for (side, &pitch) in pitch.iter().enumerate() {
            let mut step = pitch;
            for index in indices.iter_mut().filter(|index| !index.is_along[side]) {
                index.strides[side] = step;
                step = step.saturating_mul(index.padded);
            }
        }
        let is_same = is_at_bytes && slots == Slots::same(width);
        // What is in the same order on both sides needs no program.
        let may_read_on = along[0] != along[1];
        let is_direct = [0, 1].map(|side| is_same && self.is_direct(side, may_read_on, &indices));
        for side in (0..2).filter(|&side| is_direct[side]) {
            for index in &mut indices {
                index.strides[side] = stride(side, self.first(index));
            }
        }
        let fits = |side: usize| {
            let bytes = n_rows[side].saturating_mul(pitch[side]) / 8;
            bytes <= MOST_STAGE as i64 && self.len[side] <= 8 * MOST_ROW as i64
        };
        let is_read_on = is_direct[0] && indices.iter().any(|index| index.padded != index.count);
        let last = |index: &Index| (index.padded - 1) * index.strides[0];
        let reach = match is_read_on {
            true => indices.iter().map(last).sum::<i64>() + width,
            false => 0,
        };
        // Boxes that need no stage are programs of their own.
        if is_direct == [true; 2] {
            return None;
        }
        let fit = (0..2).all(|side| is_direct[side] || fits(side));
        // What would be read beyond the end of the source is read in a stage.
        if !fit || reach > 8 * MOST_STAGE as i64 {
            return None;
        }
        let (block, len, cycles) = (0, self.len, 0.0);
        let laid = Laid {
            block,
            len,
            indices,
            width,
            pitch,
            n_rows,
            is_direct,
            is_at_bytes,
            reach,
            cycles,
        };
        Some(Laid { cycles: laid.cycles(self, level), ..laid })
    }

    /// Whether each of several rows of the destination goes on where the one before ends, in the order of their places in the
    /// stage.
    pub(super) fn is_chain(&self, indices: &[Index]) -> bool {
        let mut end = self.len[1];
        let rows = indices.iter().filter(|index| !index.is_along[1]);
        let goes_on = rows.flat_map(|index| index.loops.clone()).all(|number| {
            let of = &self.inside[number].of;
            let goes_on = of.dst == end;
            end *= of.extent;
            goes_on
        });
        goes_on && end > self.len[1]
    }

    /// The first loop of an index.
    pub(super) fn first(&self, index: &Index) -> &Loop {
        &self.inside[index.loops.start].of
    }

    /// The numbers of the indices along the rows of a side, in their order there.
    fn along(&self, side: usize, indices: &[Index]) -> Vec<usize> {
        let mut along = Vec::with_capacity(indices.len());
        along.extend((0..indices.len()).filter(|&number| indices[number].is_along[side]));
        along.sort_by_key(|&number| self.inside[indices[number].loops.start].chains[side]);
        along
    }

    /// Whether the indices may stay where they are on a side: whole bytes apart, one loop each, none with more steps than
    /// it has. The steps of a row of the source that is alone may be more if it `may_read_on`: what is read beyond goes
    /// nowhere.
    fn is_direct(&self, side: usize, may_read_on: bool, indices: &[Index]) -> bool {
        let is_whole = |bits: i64| bits % 8 == 0;
        let step = |index: &Index| stride(side, self.first(index));
        let has_more = |index: &Index| index.padded != index.count;
        let stays =
            |index: &Index| index.is_along[side] || index.loops.len() == 1 && is_whole(step(index));
        // Registers are loaded whole.
        let is_read_on = |index: &Index| {
            index.is_along[side]
                && index.loops.len() == 1
                && (step(index) < 8 || is_whole(step(index)))
                && (!has_more(index) || step(index) * index.padded >= REGISTER)
        };
        let reads_on = side == 0
            && may_read_on
            && indices.iter().any(|index| step(index) == self.slots[0])
            && indices.iter().all(is_read_on);
        if indices.iter().any(has_more) && !reads_on {
            return false;
        }
        let around = self.outer.iter().all(|l| match side {
            0 => is_whole(l.src) && is_whole(l.src_back),
            _ => is_whole(l.dst) && is_whole(l.dst_back),
        });
        around && is_whole(self.len[side]) && indices.iter().all(stays)
    }

    /// Gives the indices along the rows of a side, which have these numbers, room in its stage; the bits that a row has there.
    fn pad(&self, side: usize, width: i64, along: &[usize], indices: &mut [Index]) -> i64 {
        let (mut step, mut packed) = (width, self.slots[side]);
        let loops = along.iter().flat_map(|&number| indices[number].loops.clone());
        let mut strides = loops.map(|number| stride(side, &self.inside[number].of));
        let has_bits = width < 8 || strides.any(|packed| packed % 8 != 0);
        for (place, &number) in along.iter().enumerate() {
            let first = stride(side, self.first(&indices[number]));
            if first > packed {
                // Rows of the source with gaps keep them: the index before has as many more steps.
                let gap = power((first * width + self.slots[side] - 1) / self.slots[side]);
                if let Some(before) = place.checked_sub(1).map(|before| &mut indices[along[before]])
                    && gap > step
                    && gap % before.strides[side] == 0
                {
                    before.padded = before.padded.max(gap / before.strides[side]);
                }
                step = step.max(gap);
            }
            let index = &mut indices[number];
            // Steps within a register are as many as a power of two; of bits within bytes, as many as make registers.
            let wanted = match step * index.count {
                ..REGISTER => power(index.count),
                _ if step >= 8 => index.count,
                _ => {
                    let a_register = REGISTER / step;
                    (index.count + a_register - 1) / a_register * a_register
                }
            };
            index.padded = index.padded.max(wanted);
            index.strides[side] = step;
            step *= index.padded;
            if has_bits && step >= REGISTER {
                // Bits are shifted within as many as these.
                step = (step + WORD_BITS - 1) / WORD_BITS * WORD_BITS;
            }
            packed = first * index.count;
        }
        step
    }

    /// From one of so many rows of a side to the next in its stage, where a row has room for so many bits.
    fn pitch(&self, side: usize, width: i64, row: i64, n_rows: i64) -> i64 {
        let whole = |of: i64| (row + of - 1) / of * of;
        if side == 0 && self.slots[0] > width {
            // What is put together is written by whole registers, of which a row is a part.
            return whole(REGISTER) + LONG;
        }
        // Registers beyond a row's end are no other row's, and rows do not fall on the same lines of the caches: an odd number of
        // lines, of which no register has a part of two, if there is room for it.
        let lines = ((whole(LONG) / LONG) | 1) * LONG;
        match row {
            LONG.. if lines.saturating_mul(n_rows) <= 8 * MOST_STAGE as i64 => lines,
            LONG.. => whole(LONG) + REGISTER,
            REGISTER.. => row + REGISTER,
            _ => row.max(8),
        }
    }
}

/// The smallest power of two that is no less.
fn power(n: i64) -> i64 {
    n.unsigned_abs().next_power_of_two() as i64
}

/// The stride of a loop on a side, the source if it is 0.
pub(super) fn stride(side: usize, l: &Loop) -> i64 {
    if side == 0 { l.src } else { l.dst }
}
