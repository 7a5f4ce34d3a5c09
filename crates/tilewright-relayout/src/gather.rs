//! Rows of a swizzled source put in order, block by block, and what moves blocks on; or rows copied to where they go.

use crate::kernels::{Flipped, Level, Means, Mover, PIECE, RowList, Stores};
use crate::nest::{Loop, order_by_destination, walk};

/// The bytes of a block on its way through the stage.
const BLOCK_BYTES: i64 = 64 << 10;

/// Bytes around the rows of a stage: a piece before and after.
const AROUND: i64 = 2 * PIECE as i64;

/// The bytes of a stage: a block from within its first piece on, and pieces around it.
pub(crate) const STAGE_BYTES: usize = BLOCK_BYTES as usize + 4 * PIECE;

/// Rows that are neighbours on both sides for so many bytes are copied without a stage.
pub(crate) const LEAST_DIRECT: i64 = 128;

/// The bytes of the source that rows are read from one after the other, if they are short.
const READ_TOGETHER: i64 = 2048;

/// The most rows of a list.
const MOST_ROWS: i64 = 1 << 11;

/// The bytes of a row, if there are as many, before others are sought.
const LEAST_ROW: i64 = 256;

/// As many elements as any line has.
const LINE_STEPS: i64 = 64;

/// How far ahead lines are asked for where there is one block.
const NEAR: i64 = 1024;

/// What moves pieces of one form from a swizzled source.
#[derive(Clone, Debug)]
pub(crate) struct Gather {
    /// Blocks of equal size, and what is left over of them.
    blocks: Vec<Block>,
    /// Whether rows of the source are rows of the destination, of whole pieces.
    is_direct: bool,
}

/// Blocks that are alike. All is in bytes.
#[derive(Clone, Debug)]
struct Block {
    /// Where its rows lie in the source, and in the stage or in the destination, from its first byte on.
    rows: RowList,
    /// What moves it from the stage; `None` where rows are rows of the destination.
    mover: Option<Mover>,
    /// Where the first one lies from where the piece does.
    start: (i64, i64),
    /// From one to the next.
    around: Vec<Loop>,
}

/// A loop, and how many steps of it a block has.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// In bytes.
    of: Loop,
    steps: i64,
    /// Whether they are a part of a row.
    is_row: bool,
}

impl Gather {
    /// The most bytes that making one allocates: no more than two loops are cut, so that there are no more than four kinds of blocks,
    /// and each list of rows is made of a shorter one.
    pub(crate) const MOST_BYTES: usize = 3 * Mover::MOST_BYTES
        + Mover::MOST_BYTES_TO_MAKE
        + 4 * 2 * MOST_ROWS as usize * size_of::<(i64, i64)>()
        + (4 << 10);

    /// Of a piece of these loops, in units of so many bytes, that begins at byte `first` of a swizzled source; `None` of
    /// rows that fill groups of a swizzled destination.
    pub(crate) fn new(loops: &[Loop], first: Option<i64>, unit: i64, is_streamed: bool) -> Self {
        let loops = in_bytes(loops, unit);
        let is_direct = first.is_none_or(|first| copies_rows(&loops, first, unit));
        let taken = if is_direct {
            rows_of(&loops, unit)
        } else {
            let mut cap = LEAST_ROW;
            let mut taken = block_of(&loops, unit, cap);
            // Longer rows, where there is room for more of them than there are.
            while cap < BLOCK_BYTES {
                cap *= 2;
                let longer = block_of(&loops, unit, cap);
                let has_less = |taken: &Taken| {
                    let same = longer.iter().find(|other| other.of == taken.of);
                    !taken.is_row && same.is_none_or(|other| other.steps < taken.steps)
                };
                if taken.iter().any(has_less) {
                    break;
                }
                taken = longer;
            }
            taken
        };
        let mut blocks = Vec::new();
        add_blocks(&taken, &mut Vec::new(), &mut |parts| {
            blocks.push(Block::new(&taken, parts, unit, is_direct, is_streamed));
        });
        Gather { blocks, is_direct }
    }

    /// Whether it is for pieces that begin at this byte of the source.
    pub(crate) fn begins_at(&self, first: i64) -> bool {
        !self.is_direct || first % PIECE as i64 == 0
    }

    pub(crate) fn held_bytes(&self) -> usize {
        let of_block = |block: &Block| {
            block.rows.held_bytes()
                + block.around.capacity() * size_of::<Loop>()
                + block.mover.as_ref().map_or(0, Mover::held_bytes)
        };
        self.blocks.iter().map(of_block).sum::<usize>()
            + self.blocks.capacity() * size_of::<Block>()
    }

    /// Moves a piece that begins at these bytes of the source and of `dst`.
    pub(crate) fn run(
        &self,
        from: Flipped<'_>,
        start: (i64, i64),
        dst: &mut [u8],
        means: Means,
        stage: &mut [u8],
        room: &mut Vec<Loop>,
    ) {
        let staged = Means { stores: Stores::Cached, ..means };
        for block in &self.blocks {
            let start = (start.0 + block.start.0, start.1 + block.start.1);
            let next = if means.stores == Stores::Cached { 0 } else { block.next() };
            walk(&block.around, start, &mut |(src, to)| match &block.mover {
                None => from.copy_rows(src, to, &block.rows, next, dst, means),
                Some(mover) => {
                    let first = PIECE as i64 + src % PIECE as i64;
                    from.copy_rows(src, first, &block.rows, next, stage, staged);
                    mover.run((first * 8, to * 8), stage, dst, means, room);
                }
            });
        }
    }
}

impl Block {
    /// Of so many steps of every loop, from where they begin on.
    fn new(taken: &[Taken], parts: &[Part], unit: i64, is_direct: bool, is_streamed: bool) -> Self {
        let (mut start, mut around, mut staged) = ((0, 0), Vec::new(), Vec::new());
        let (mut rows, mut len) = (vec![(0, 0)], unit);
        let mut span = unit;
        for (Taken { of, is_row, .. }, part) in taken.iter().zip(parts) {
            start.0 += part.first * of.src;
            start.1 += part.first * of.dst;
            let (src, dst) = (part.steps * of.src, part.steps * of.dst);
            around.push(Loop { extent: part.times, src, dst });
            let pitch = match (is_row, is_direct) {
                (true, _) => of.src,
                (false, true) => of.dst,
                (false, false) => pitch_of(of, span, unit),
            };
            staged.push(Loop { extent: part.steps, src: pitch, dst: of.dst });
            if *is_row {
                len *= part.steps;
            } else {
                let steps = 0..part.steps;
                rows = steps
                    .flat_map(|n| rows.iter().map(move |r| (r.0 + n * of.src, r.1 + n * pitch)))
                    .collect();
            }
            span += (part.steps - 1) * pitch;
        }
        around.retain(|l| l.extent != 1);
        // What is next in the source comes next.
        around.sort_by_key(|l| std::cmp::Reverse(l.src));
        let mover = (!is_direct).then(|| {
            let in_units =
                |l: &Loop| Loop { extent: l.extent, src: l.src / unit, dst: l.dst / unit };
            let mut loops: Vec<Loop> = staged.iter().map(in_units).collect();
            order_by_destination(&mut loops);
            Mover::of_units(&loops, unit as usize, Level::best(), is_streamed)
        });
        Block { rows: RowList::new(rows, len as usize), mover, start, around }
    }

    /// How far in the source it is to the block that comes next, mostly.
    fn next(&self) -> i64 {
        self.around.last().map_or(NEAR, |l| l.src)
    }
}

/// Loops that count bytes, of some that count units of so many; without those of one step.
pub(crate) fn in_bytes(loops: &[Loop], unit: i64) -> Vec<Loop> {
    let in_bytes = |l: &Loop| Loop { extent: l.extent, src: l.src * unit, dst: l.dst * unit };
    loops.iter().filter(|l| l.extent != 1).map(in_bytes).collect()
}

/// Whether rows of a swizzled source, which has pieces of these loops from byte `first` on, are rows of the destination, of whole
/// pieces. All is in bytes.
pub(crate) fn copies_rows(loops: &[Loop], first: i64, unit: i64) -> bool {
    let is_whole = |bytes: i64| bytes % PIECE as i64 == 0;
    let run = loops.iter().find(|l| (l.src, l.dst) == (unit, unit));
    run.is_some_and(|run| {
        let mut others = loops.iter().filter(|l| *l != run);
        let len = run.extent * unit;
        let are_whole = is_whole(len) && is_whole(first);
        len >= LEAST_DIRECT && are_whole && others.all(|l| is_whole(l.src))
    })
}

/// From one row to the next in the stage: what it has and the pieces around it. Rows begin at the same byte of a piece
/// there as in the source.
fn pitch_of(of: &Loop, span: i64, unit: i64) -> i64 {
    let piece = unit.max(PIECE as i64);
    (span + AROUND + piece - 1) / piece * piece + of.src % piece
}

/// All of the rows that are neighbours on both sides, as many at a time as a list has: first those that follow in the
/// source, since it is read by memory's rows and written by lines.
fn rows_of(loops: &[Loop], unit: i64) -> Vec<Taken> {
    let (rows, others): (Vec<Loop>, Vec<Loop>) =
        loops.iter().partition(|l| (l.src, l.dst) == (unit, unit));
    let mut taken: Vec<Taken> =
        rows.iter().map(|&of| Taken { of, steps: of.extent, is_row: true }).collect();
    let mut len = rows.iter().fold(unit, |len, l| len * l.extent);
    let mut n_rows = 1;
    let (mut following, mut rest) = (Vec::new(), Vec::new());
    for of in by_source(&others) {
        let steps = if of.src == len { of.extent.min(READ_TOGETHER / len) } else { 0 };
        if steps < 2 {
            rest.push(of);
            continue;
        }
        len *= of.extent;
        n_rows *= steps;
        following.push(Taken { of, steps, is_row: false });
    }
    taken.append(&mut following);
    for of in by_destination(&rest) {
        let steps = of.extent.min(MOST_ROWS / n_rows).max(1);
        n_rows *= steps;
        taken.push(Taken { of, steps, is_row: false });
    }
    taken
}

/// A block: rows of at most `cap` bytes, as many as there is room for, of those first that are neighbours in the
/// destination.
fn block_of(loops: &[Loop], unit: i64, cap: i64) -> Vec<Taken> {
    let loops = by_source(loops);
    let (mut taken, mut rest) = (Vec::new(), Vec::new());
    let mut len = unit;
    let mut is_done = false;
    for of in loops {
        // Only the innermost loop is cut.
        let most = if len == unit || of.extent <= cap / len { cap / len } else { 1 };
        if is_done || of.src != len || most < 2 {
            is_done = true;
            rest.push(of);
            continue;
        }
        let steps = of.extent.min(most);
        is_done = steps < of.extent;
        taken.push(Taken { of, steps, is_row: true });
        len *= steps;
    }
    let (mut span, mut n_rows) = (len, 1);
    let mut is_full = false;
    for of in by_destination(&rest) {
        let pitch = pitch_of(&of, span, unit);
        let room = match is_full {
            true => 1,
            false => ((BLOCK_BYTES - span) / pitch + 1).min(MOST_ROWS / n_rows).max(1),
        };
        is_full |= room < of.extent;
        let steps = match of.extent <= room {
            true => of.extent,
            // Whole lines of the destination, or as much of one as there is room for.
            false if room >= LINE_STEPS => room / LINE_STEPS * LINE_STEPS,
            false => 1 << room.ilog2(),
        };
        taken.push(Taken { of, steps, is_row: false });
        n_rows *= steps;
        span += (steps - 1) * pitch;
    }
    taken
}

fn by_source(loops: &[Loop]) -> Vec<Loop> {
    let mut loops = loops.to_vec();
    loops.sort_by_key(|l| l.src);
    loops
}

fn by_destination(loops: &[Loop]) -> Vec<Loop> {
    let mut loops = loops.to_vec();
    loops.sort_by_key(|l| l.dst);
    loops
}

/// Some steps of a loop, so many times, from a step on.
#[derive(Clone, Copy, Debug)]
struct Part {
    steps: i64,
    times: i64,
    first: i64,
}

/// The parts that blocks have of every loop: whole ones, and of each what is left over.
fn add_blocks(taken: &[Taken], parts: &mut Vec<Part>, add: &mut impl FnMut(&[Part])) {
    let Some(Taken { of, steps, .. }) = taken.get(parts.len()) else { return add(parts) };
    let (times, left) = (of.extent / steps, of.extent % steps);
    let of_blocks = Part { steps: *steps, times, first: 0 };
    let of_rest = Part { steps: left, times: 1, first: times * steps };
    for part in [of_blocks, of_rest].into_iter().filter(|part| part.steps > 0 && part.times > 0) {
        parts.push(part);
        add_blocks(taken, parts, add);
        parts.pop();
    }
}
