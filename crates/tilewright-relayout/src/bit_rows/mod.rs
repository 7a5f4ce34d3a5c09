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

mod block;

use crate::bits;
use crate::kernels::{LINE, Level, Means, Mover, Slots, Stores, prefetch};
use crate::nest::Loop;
use crate::work::grown;
use block::Block;

/// The bits of a row, if there are as many: the first that leave room for the stages are taken.
const ROWS: [i64; 3] = [256 * 8, 128 * 8, 64 * 8];

/// Which side's rows come first, and how many of their loops those of the other may share; the first that
/// there is a program for are taken.
const ORDERS: [(usize, usize); 5] = [(0, usize::MAX), (0, 1), (0, 0), (1, 0), (1, 1)];

/// The most bytes of a stage.
const MOST_STAGE: i64 = 160 << 10;

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
