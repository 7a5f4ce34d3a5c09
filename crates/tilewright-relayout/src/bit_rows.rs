//! Boxes of elements below a byte whose rows begin within bytes: odd extents.
//!
//! A program of tiles moves whole bytes on both sides. Where a box has none, the rows of the source
//! are copied to a stage in which each begins at a register, bits shifted as they are copied; a
//! program moves them into rows of the destination, in a second stage; and those are copied to where
//! they belong, among the bits that are there.
//!
//! A row of the source is what follows each other there: the *chain* of loops whose strides are 1,
//! then the extent of the first, and so on. What the loops of a chain number together is one index,
//! whatever their extents: so a block is a transposition of rows, and the places of the rows are
//! listed. Loops that both chains have keep their places in both rows.

use crate::bits;
use crate::kernels::{LINE, Level, Means, Mover, Slots, Stores, prefetch};
use crate::nest::Loop;
use crate::work::grown;

/// The bits of a row, if there are as many: the first that leave room for the stages are taken.
const ROWS: [i64; 3] = [256 * 8, 128 * 8, 64 * 8];

/// The fewest bits of a row.
const LEAST_ROW: i64 = 24;

/// Which side's rows come first, and how many of their loops those of the other may share; the first that
/// there is a program for are taken.
const ORDERS: [(usize, usize); 5] = [(0, usize::MAX), (0, 1), (0, 0), (1, 0), (1, 1)];

/// The fewest bits of a block, if there are as many.
const LEAST_BLOCK: i64 = 16 << 13;

/// The most bytes of a stage.
const MOST_STAGE: i64 = 160 << 10;

/// How many times as long a row may be to share a loop.
const LONGER: i64 = 16;

/// The bits of the registers that rows begin at.
const REGISTER: i64 = 128;

/// What is within so many bits may go on in a row of the source, however few of them are elements.
const WORD: i64 = 32;

/// Fewer rows than this are gone on with without being asked for.
const FEW: i64 = 8;

/// So many runs at a time are taken from places that are lines apart: their lines stay in the caches until
/// they are gone on with.
const RUNS_AT_A_TIME: i64 = 64;

/// Runs of so many bits are copied alone.
const LEAST_RUN: i64 = 64;

/// How far ahead of a run the source is asked for, in bits.
const AHEAD: i64 = 128 * 8;

/// No more elements are moved one by one.
const MOST_ELEMENTS: i64 = 1 << 14;

/// A box of such elements. Distances are in bits.
#[derive(Clone, Debug)]
pub(crate) struct BitRows {
    way: Way,
    /// The loops around, from the outermost to the innermost.
    around: Vec<Around>,
}

#[derive(Clone, Debug)]
enum Way {
    /// Runs of so many bits.
    Runs(usize),
    /// One by one.
    Elements(Slots),
    Blocks(Box<Blocks>),
}

/// What is moved at a time.
#[derive(Clone, Debug)]
struct Blocks {
    src: Rows,
    dst: Rows,
    /// What moves the elements from stage to stage.
    mover: Mover,
}

/// The rows of a side.
#[derive(Clone, Debug)]
struct Rows {
    /// Where each begins in the stage and in memory.
    places: Vec<(i64, i64)>,
    /// The bits of each.
    len: usize,
    /// The bytes of the stage.
    stage: usize,
}

/// A loop around blocks. The last step is shorter where blocks do not divide the loop: the last one
/// shares elements with the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Around {
    count: i64,
    src: i64,
    dst: i64,
    src_back: i64,
    dst_back: i64,
}

/// A loop of a block, strides in slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Inside {
    of: Loop,
    /// What it has for a place in the chain of the source, and of the destination.
    chains: [Option<usize>; 2],
}

impl BitRows {
    /// Of a box whose loops count slots. `None` where rows are of hardly an element.
    pub(crate) fn of(loops: &[Loop], slots: Slots, level: Level) -> Option<Self> {
        let loops: Vec<Loop> = loops.iter().filter(|l| l.extent != 1).copied().collect();
        let is_plain = slots.src == slots.value && slots.dst == slots.value;
        let run = loops.iter().position(Loop::is_run).filter(|_| is_plain);
        let Some(run) = run else { return Self::in_blocks(&loops, slots, level) };
        let mut others = loops.clone();
        let bits = slots.value.checked_mul(others.remove(run).extent)?;
        if bits >= LEAST_RUN {
            return Self::in_runs(bits, &others, slots);
        }
        if !bits.unsigned_abs().is_power_of_two() {
            return Self::in_rows_of(&loops, slots, level, 0)
                .or_else(|| Self::in_runs(bits, &others, slots));
        }
        // The run is one wider element.
        let elements = bits / slots.value;
        if others.iter().any(|l| l.src % elements != 0 || l.dst % elements != 0) {
            return Self::in_rows_of(&loops, slots, level, 0)
                .or_else(|| Self::in_runs(bits, &others, slots));
        }
        let wider = |l: &Loop| Loop { src: l.src / elements, dst: l.dst / elements, ..*l };
        let others: Vec<Loop> = others.iter().map(wider).collect();
        Self::in_blocks(&others, Slots::same(bits), level)
    }

    /// In rows of words that have few elements each, where there is no other way and too much to go one by one.
    pub(crate) fn in_words(loops: &[Loop], slots: Slots, level: Level) -> Option<Self> {
        let loops: Vec<Loop> = loops.iter().filter(|l| l.extent != 1).copied().collect();
        Self::in_rows_of(&loops, slots, level, WORD)
    }

    /// Runs of so many bits, in these loops.
    fn in_runs(bits: i64, loops: &[Loop], slots: Slots) -> Option<Self> {
        let mut around: Vec<Around> = loops.iter().map(|l| Around::of(l, slots)).collect();
        if let Some(inner) = around.last_mut()
            && inner.count > RUNS_AT_A_TIME
            && inner.src.abs() > LINE as i64 * 8
            && let Some(part) =
                (RUNS_AT_A_TIME / 2..=RUNS_AT_A_TIME).rev().find(|n| inner.count % n == 0)
        {
            let (src, dst) = (inner.src * part, inner.dst * part);
            let parts = Around { count: inner.count / part, src, dst, ..ONCE };
            inner.count = part;
            around.insert(0, parts);
        }
        Some(BitRows { way: Way::Runs(usize::try_from(bits).ok()?), around })
    }

    /// In the blocks whose rows take least, of those that there is a program for.
    fn in_rows_of(loops: &[Loop], slots: Slots, level: Level, word: i64) -> Option<Self> {
        let of_rows = |row: i64| ORDERS.iter().map(move |&order| (row, order));
        let drawn = ROWS.iter().flat_map(|&row| of_rows(row));
        let mut blocks: Vec<Block> = drawn
            .filter_map(|(row, (first, shared))| {
                Block::of(loops, row, word).drawn(slots, first, shared)
            })
            .collect();
        blocks.sort_by(|a, b| a.cost(slots).total_cmp(&b.cost(slots)));
        // Orders often come to the same block.
        blocks.dedup_by(|a, b| a.inside == b.inside && a.outer == b.outer);
        blocks.into_iter().find_map(|block| Self::in_rows(block, slots, level))
    }

    fn in_blocks(loops: &[Loop], slots: Slots, level: Level) -> Option<Self> {
        Self::in_rows_of(loops, slots, level, 0).or_else(|| {
            let n = loops.iter().fold(1i64, |n, l| n.saturating_mul(l.extent));
            let around = loops.iter().map(|l| Around::of(l, slots)).collect();
            (n <= MOST_ELEMENTS).then_some(BitRows { way: Way::Elements(slots), around })
        })
    }

    fn in_rows(block: Block, slots: Slots, level: Level) -> Option<Self> {
        let blocks = block.staged(slots, level)?;
        let mut around = block.outer;
        around.sort_by_key(|l| std::cmp::Reverse(l.dst));
        around.iter_mut().for_each(|l| l.scale(slots));
        Some(BitRows { way: Way::Blocks(Box::new(blocks)), around })
    }

    /// Whether it moves rows at all.
    pub(crate) fn has_rows(&self) -> bool {
        !matches!(self.way, Way::Elements(_))
    }

    /// The most bytes that a thread allocates to move one.
    pub(crate) const MOST_BYTES: usize = 2 * MOST_STAGE as usize + (256 << 10);

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let around = self.around.capacity() * size_of::<Around>();
        let Way::Blocks(blocks) = &self.way else { return around };
        let rows = blocks.src.places.capacity() + blocks.dst.places.capacity();
        around + size_of::<Blocks>() + rows * 16 + blocks.mover.held_bytes()
    }

    /// Moves the box, from bit `start.0` of the source and `start.1` of the destination on; what lies
    /// outside of either is left out. `stages` is room for rows.
    pub(crate) fn run(
        &self,
        start: (i64, i64),
        src: &[u8],
        dst: &mut [u8],
        level: Level,
        stages: [&mut Vec<u8>; 2],
    ) {
        match &self.way {
            Way::Runs(len) => {
                let mut rows = bits::Rows::new(dst);
                let (around, inner) = match self.around.split_last() {
                    Some((inner, around)) => (around, *inner),
                    None => (&[][..], ONCE),
                };
                walk(around, start, &mut |at| {
                    // What comes next of each row; a processor foresees it where there are few.
                    if inner.count > FEW && inner.src.abs() > LINE as i64 * 8 {
                        (0..inner.count).for_each(|step| {
                            ask_for(src, at.0 + step * inner.src + AHEAD, *len);
                        });
                    }
                    if let Some(at) = unsigned(at) {
                        let steps = (inner.src, inner.dst);
                        rows.copy_strided(src, *len, at, steps, inner.count as usize);
                    }
                });
                rows.finish();
            }
            Way::Elements(Slots { value, dst: width, .. }) => {
                let (value, width) = (*value as u32, *width as u32);
                walk(&self.around, start, &mut |(from, to)| {
                    if let (Ok(from), Ok(to)) = (usize::try_from(from), usize::try_from(to)) {
                        bits::write(dst, to, width, bits::read(src, from, value));
                    }
                });
            }
            Way::Blocks(blocks) => blocks.run(&self.around, start, src, dst, level, stages),
        }
    }
}

impl Blocks {
    /// Moves the block at every place of the loops around.
    fn run(
        &self,
        around: &[Around],
        start: (i64, i64),
        src: &[u8],
        dst: &mut [u8],
        level: Level,
        [near, moved]: [&mut Vec<u8>; 2],
    ) {
        let (near, moved) = (grown(near, self.src.stage), grown(moved, self.dst.stage));
        let means = Means { level, stores: Stores::Cached };
        let mut room = Vec::new();
        let mut places = Vec::new();
        walk(around, start, &mut |place| places.push(place));
        let next = places.iter().skip(1).chain(places.last());
        for (&(from, to), &(from_next, _)) in places.iter().zip(next) {
            let mut rows = self.dst.places.iter();
            for &(place, row) in &self.src.places {
                ask_for(src, from_next + row, self.src.len);
                if let Some((_, row)) = rows.next() {
                    ask_for(dst, to + row, self.dst.len);
                }
                // What is behind a row's bits there is written after it: rows are listed as they lie in the stage.
                if let Ok(row) = usize::try_from(from + row) {
                    bits::copy_to_row(src, row, near, place as usize / 8, self.src.len);
                }
            }
            self.mover.run((0, 0), near, moved, means, &mut room);
            let mut rows = bits::Rows::new(dst);
            let places = self.dst.places.iter().map(|&(place, row)| (place, to + row));
            rows.copy(moved, self.dst.len, places.filter_map(unsigned));
            rows.finish();
        }
    }
}

/// Asks for the lines of a row.
#[inline]
fn ask_for(bytes: &[u8], bit: i64, len: usize) {
    let first = bit / 8;
    for line in 0..=(len / 8 / LINE) as i64 {
        prefetch(bytes, first + line * LINE as i64);
    }
}

/// Calls `visit` with every place of some loops, the last varying fastest.
fn walk(loops: &[Around], at: (i64, i64), visit: &mut impl FnMut((i64, i64))) {
    let [l, inner @ ..] = loops else { return visit(at) };
    (0..l.count).for_each(|step| walk(inner, l.step(at, step), visit));
}

impl Around {
    /// A loop, in bits.
    fn of(l: &Loop, slots: Slots) -> Self {
        let mut around =
            Around { count: l.extent, src: l.src, dst: l.dst, src_back: 0, dst_back: 0 };
        around.scale(slots);
        around
    }

    /// Where a step leads.
    #[inline]
    fn step(&self, at: (i64, i64), step: i64) -> (i64, i64) {
        let is_last = step > 0 && step == self.count - 1;
        let back = if is_last { (self.src_back, self.dst_back) } else { (0, 0) };
        (at.0 + step * self.src - back.0, at.1 + step * self.dst - back.1)
    }

    /// From slots to bits.
    fn scale(&mut self, slots: Slots) {
        (self.src, self.src_back) = (self.src * slots.src, self.src_back * slots.src);
        (self.dst, self.dst_back) = (self.dst * slots.dst, self.dst_back * slots.dst);
    }
}

/// A place, if it is one.
#[inline]
fn unsigned((from, to): (i64, i64)) -> Option<(usize, usize)> {
    Some((usize::try_from(from).ok()?, usize::try_from(to).ok()?))
}

/// A loop of one step.
const ONCE: Around = Around { count: 1, src: 0, dst: 0, src_back: 0, dst_back: 0 };

/// A block as it is made.
struct Block {
    outer: Vec<Around>,
    inside: Vec<Inside>,
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
    fn of(loops: &[Loop], row: i64, word: i64) -> Self {
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
    fn drawn(mut self, slots: Slots, first: usize, shared: usize) -> Option<Self> {
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
    fn cost(&self, slots: Slots) -> f64 {
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
    fn staged(&self, slots: Slots, level: Level) -> Option<Blocks> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::drawn::Draw;
    use crate::nest::walk;

    fn pattern(n: usize) -> Vec<u8> {
        (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    /// Moves a box by rows, and one by one by the definition of packed elements.
    fn check(loops: &[Loop], slots: Slots, start: (i64, i64)) -> bool {
        let bytes = |slot: i64, start: i64, stride: fn(&Loop) -> i64| {
            let reach: i64 = loops.iter().map(|l| (l.extent - 1) * stride(l)).sum();
            ((start + (reach + 1) * slot) as usize).div_ceil(8)
        };
        let src = pattern(bytes(slots.src, start.0, |l| l.src));
        let before = pattern(1 + bytes(slots.dst, start.1, |l| l.dst));
        let mut expected = before.clone();
        let (value, width) = (slots.value as u32, slots.dst as u32);
        walk(loops, (0, 0), &mut |(from, to)| {
            let element = bits::read(&src, (start.0 + from * slots.src) as usize, value);
            bits::write(&mut expected, (start.1 + to * slots.dst) as usize, width, element);
        });
        let mut is_moved = false;
        for level in Level::all() {
            let ways = [BitRows::of(loops, slots, level), BitRows::in_words(loops, slots, level)];
            for rows in ways.into_iter().flatten() {
                let mut dst = before.clone();
                rows.run(start, &src, &mut dst, level, [&mut vec![], &mut vec![]]);
                assert_eq!(dst, expected, "{loops:?}, {slots:?}, {start:?}: {rows:?}");
                is_moved = true;
            }
        }
        is_moved
    }

    /// Of words of 32 bits 6 bits each, as bits of 6 sublanes are in a TPU's tiles.
    #[test]
    fn words_of_few_bits() {
        let l = |extent, src, dst| Loop { extent, src, dst };
        let n = if cfg!(miri) { 40 } else { 2356 };
        let loops = [l(3, 128 * n, 6 * n), l(6, 1, n), l(n, 32, 1)];
        let rows = BitRows::in_words(&loops, Slots::same(1), Level::best()).unwrap();
        assert!(matches!(&rows.way, Way::Blocks(_)), "{rows:?}");
        assert!(check(&loops, Slots::same(1), (0, 3)));
    }

    /// Permutations of dense arrays, with room between rows or none.
    #[test]
    fn permutations() {
        let mut draw = Draw(7);
        let mut n_moved = 0;
        let (n, most) = if cfg!(miri) { (12, 300) } else { (700, 60_000) };
        for _ in 0..n {
            let Some(loops) = draw.permutation(most) else { continue };
            let widths = [
                (1, 1, 1),
                (2, 2, 2),
                (4, 4, 4),
                (4, 8, 4),
                (1, 8, 1),
                (1, 1, 8),
                (3, 3, 3),
                (2, 4, 4),
                (4, 4, 8),
                (5, 6, 7),
                (24, 24, 24),
                (4, 128, 128),
                (3, 16, 64),
                (2, 16, 2),
                (1, 4, 1),
            ];
            let (value, from, to) = widths[draw.below(widths.len())];
            let slots = Slots { value, src: from, dst: to };
            let start = (draw.below(9) as i64, draw.below(9) as i64);
            n_moved += usize::from(check(&loops, slots, start));
        }
        assert!(n_moved > n / 4, "{n_moved} of {n}");
    }
}
