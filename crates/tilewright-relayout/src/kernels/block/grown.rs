//! Making blocks: how much of each loop around a tile one has.

use super::super::code::{copy_in, copy_out};
use super::super::level::Level;
use super::super::loop_order::part_of;
use super::super::place::{LINE, PAGE};
use super::super::tile::{Around, BYTES_OF_A_LANE, MAX_LANES, Tile};
use super::alias::{NEAR_ALIAS, alias, alike, in_one_set, is_nearly_alias};
use super::{
    Ends, Gathered, MOST_BYTES, MOST_CACHED_BYTES, MOST_GATHERED, Out, PANEL_ROW, Panel, Walk,
    repeat,
};
use crate::nest::side_by_side;
use std::borrow::Cow;

/// The bytes of a block's rows on either side: shorter ones take memory longer, and longer ones do not
/// fit the caches. Those of the destination, and of the source; the first that fit are taken.
const SIDES: [(i64, i64); 5] = [(256, 256), (256, 128), (128, 128), (128, 64), (64, 64)];

/// The bytes of a part of a long row, which goes on in the next block, and of rows of the source then, as much as leaves room: a few
/// lines of many rows, so that much is read of each of a few.
const PART: i64 = 128;
const READ_FOR_PARTS: [i64; 2] = [1024, 512];

/// Where they are from fewer rows of the source, rows of the destination had better be longer, unless those are read in parts.
const LEAST_ROWS: usize = 8;

/// Rows of fewer bytes are put together in chunks instead, but for bytes, of which that took longer.
const SHORT_ROWS: i64 = 2400;

/// So many rows of the source are many to read parts of lines of.
const MANY_PARTS: usize = 200;

/// The bytes of rows of the source, where those of the destination are given: as much as leaves room.
const READ: [i64; 3] = [256, 128, 64];

/// The bytes of long rows, whose ends are parts of lines: the longest that fit are taken.
const LONG: [i64; 4] = [4096, 2048, 1024, 512];

/// The most bytes of their blocks; of those in the order of the walk, where rows of the source begin at lines: then little is lost
/// if few of them are read at a time. Else each is read with parts of lines at both ends.
const MOST_LONG: i64 = 12 << 10;
const MOST_SEAMED_ANYWHERE: i64 = 40 << 10;

/// Rows of fewer bytes have many seams: longer ones are taken, if their blocks have no more than so many bytes.
const SHORT_SEAMED: i64 = 1024;
const MOST_LONGER_SEAMED: i64 = 16 << 10;

/// The bytes of a row that is a block of its own and that the next goes on with, so that it has no seams: the shortest that reads
/// much of each of a few rows of the source, or is from rows that lie within so many bytes.
const ALONE: [i64; 3] = [4 << 10, 8 << 10, 16 << 10];
const FEW_ROWS: i64 = 64;
const NEAR_ROWS: (i64, i64) = (256, 256 << 10);

/// The bytes of rows that end where loops do, at least and at most.
const WHOLE_LOOPS: (i64, i64) = (256, 1024);

/// Of so many blocks one may share lines with the next, so that they are not made longer for that.
const MANY: i64 = 16;

/// Rows of no more bytes are next to each other in the stage.
const DENSE: i64 = 256;

/// The most rows of a panel.
const PANEL_ROWS: i64 = 1024;

/// Runs of the destination whose ends are parts of lines have at least these bytes: two lines of
/// each pass through the caches.
const LEAST_RUN: i64 = 1024;

/// So many rows of the source are many to be begun for a block.
const MANY_ROWS: i64 = 32;

/// What is read of so many bytes is still in the caches when they are come back to.
const NEAR: i64 = 1 << 20;

/// From how many rows of the source one row of the destination may be for its tiles to share elements, however far apart those are.
const MOST_SHARED: i64 = 512;

/// So many rows of the destination alike are in each other's way in a chunk: all its tiles go on with them.
const ALIKE_IN_A_CHUNK: usize = 8;

/// A block as it is made.
#[derive(Clone)]
pub(super) struct Block<'t> {
    pub(super) tile: Cow<'t, Tile>,
    /// The loops around it, from the outermost to the innermost, then those of its tiles.
    pub(super) loops: Vec<Around>,
    /// How many loops are around it.
    pub(super) n_outer: usize,
}

/// How a block's rows of the source are read.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// Whether many of them are in each other's way.
    pub(super) are_alike: bool,
    /// Whether they are gathered first, if there is room.
    pub(super) gathers: bool,
    pub(super) level: Level,
}

impl Reading {
    /// From where they are.
    fn in_place(self) -> Self {
        Reading { gathers: false, ..self }
    }
}

/// The rows that a block writes.
struct Rows {
    /// Where they lie from the first.
    rows: Vec<i64>,
    /// Where each step goes in the stage, and by how much less the last.
    places: Vec<(i64, i64)>,
}

impl<'t> Block<'t> {
    /// Of a tile that is moved by these loops, the last `n_inner` of them.
    pub(super) fn of(tile: &'t Tile, around: &[Around], n_inner: usize) -> Self {
        let n_outer = around.len() - n_inner;
        Block { tile: Cow::Borrowed(tile), loops: around.to_vec(), n_outer }
    }

    pub(super) fn outer(&self) -> &[Around] {
        &self.loops[..self.n_outer]
    }

    pub(super) fn inside(&self) -> &[Around] {
        &self.loops[self.n_outer..]
    }

    pub(super) fn inside_mut(&mut self) -> &mut [Around] {
        &mut self.loops[self.n_outer..]
    }

    /// Its tile, and the loops around it.
    pub(super) fn into_parts(mut self) -> (Tile, Vec<Around>) {
        self.loops.truncate(self.n_outer);
        self.loops.shrink_to_fit();
        (self.tile.into_owned(), self.loops)
    }

    /// The largest block of all, which has most rows.
    pub(super) fn most(&self) -> Self {
        self.clone().grown(SIDES[0])
    }

    /// Whether many rows of its source are in each other's way, and of the destination.
    pub(super) fn aliases(&self) -> [bool; 2] {
        let mut rows = vec![0];
        self.row_steps(self.len()).for_each(|(count, dst, _)| repeat(&mut rows, count, dst));
        [alias(&self.panel().rows), alias(&rows)]
    }

    /// How many of the rows that a tile reads begin in one set of the first cache, and how many there are.
    pub(super) fn in_one_set(&self) -> (usize, usize) {
        let tile = Block { tile: Cow::Borrowed(&self.tile), loops: Vec::new(), n_outer: 0 };
        let rows = tile.panel().rows;
        (in_one_set(&rows), rows.len())
    }

    /// Whether any of its loops has steps for that.
    pub(super) fn may_alias(&self) -> bool {
        let of_outer = self.outer().iter().flat_map(|l| [l.src, l.dst]);
        let of_src = self.src_steps().map(|(_, src, _)| src);
        let of_dst = self.steps().map(|(_, dst, _)| dst);
        let mut strides = of_outer.chain(of_src).chain(of_dst).map(i64::abs);
        strides.any(|stride| stride > NEAR_ALIAS && is_nearly_alias(stride))
    }
}

impl Block<'_> {
    /// The tiles of the largest block that goes to a stage and may end so, `most` or less of it; if it gathers, of the largest whose
    /// rows can be.
    pub(super) fn largest(&self, most: &Self, ends: Ends, reading: Reading) -> Option<Box<Walk>> {
        gathered_first(reading, |reading| {
            let others = SIDES[1..].iter().map(|&sides| self.clone().grown(sides));
            let staged = |block: Self| block.staged(ends, reading, false);
            std::iter::once(most.clone()).chain(others).find_map(staged)
        })
    }

    /// The same in a walk that goes on with what follows in the destination, so that rows have no seams; of long rows, if there are
    /// such. `None` if parts of lines are read again that are gone from the caches by then.
    fn along(&self, reading: Reading) -> Option<Box<Walk>> {
        let block = self.clone().along_destination()?;
        let [src, ..] = READ;
        let long = |&dst| block.of_long_rows((dst, src), (0, MOST_LONG), reading, false);
        let largest = || block.largest(&block.most(), Ends::Tails, reading);
        LONG.iter().find_map(long).or_else(largest).filter(|walk| !lose_lines(&walk.around))
    }

    /// Along the destination or, where that reads many parts of lines twice or has short rows instead of one, with seams.
    pub(super) fn long(&self, reading: Reading, shares: bool) -> Option<Box<Walk>> {
        let seamed = || self.seamed(reading, shares);
        let Some(along) = self.along(reading) else { return seamed() };
        let n_rows = |walk: &Walk| walk.out.as_ref().map_or(0, |out| out.rows.len());
        let ([longest, ..], [.., least]) = (LONG, READ);
        let grown = self.clone().grown((longest, least));
        let may_be_one = n_rows(&along) > 1 && grown.n_rows(grown.len()) == 1;
        let reads_twice = !self.reads_lines() && are_parted(&along);
        let is_better = |seamed: &Walk| {
            may_be_one && n_rows(seamed) == 1 || reads_twice && seamed.panel.len >= along.panel.len
        };
        let instead = if may_be_one || reads_twice { seamed() } else { None };
        Some(instead.filter(|seamed| is_better(seamed)).unwrap_or(along))
    }

    /// Parts of long rows, or rows that are as long as may be. Tiles may share elements anywhere if it `shares`.
    pub(super) fn wide_or_long(&self, reading: Reading, shares: bool) -> Option<Box<Walk>> {
        let Some(wide) = self.wide(reading) else { return self.long(reading, shares) };
        let Panel { rows, len, .. } = &wide.panel;
        if rows.len() >= LEAST_ROWS {
            return Some(wide);
        }
        let long = self.long(reading, shares);
        let is_part = wide.out.as_ref().is_some_and(|out| out.len <= PART || out.rows.len() == 1);
        let reads_parts = |long: &Walk| rows.len() == 1 && 2 * long.panel.len <= *len;
        long.filter(|long| !is_part || !reads_parts(long)).or(Some(wide))
    }

    /// Parts of long rows, in a walk that goes on with them. `None` as of [`along`](Self::along), if blocks did not go on for long, and of
    /// rows of the source that are gathered: long ones take less from a stage than parts do from where they are.
    fn wide(&self, reading: Reading) -> Option<Box<Walk>> {
        if reading.gathers {
            return None;
        }
        let block = self.clone().along_destination()?;
        let part = |&src| block.of_long_rows((PART, src), (0, MOST_BYTES), reading, true);
        let walk = READ_FOR_PARTS.iter().find_map(part)?;
        let goes_on = run(&walk.around, walk.out.as_ref()?.len) >= LEAST_RUN;
        (goes_on && !lose_lines(&walk.around)).then_some(walk)
    }

    /// Whether rows of the destination are too short for parts, and long enough for chunks.
    pub(super) fn has_short_rows(&self) -> bool {
        let row = run(self.outer(), self.len());
        self.tile.grains & 1 == 0 && (LEAST_RUN..SHORT_ROWS).contains(&row)
    }

    /// Whether rows of the source begin at lines, if the first one does.
    fn reads_lines(&self) -> bool {
        let mut steps =
            self.src_steps().map(|(_, step, _)| step).chain(self.outer().iter().map(|l| l.src));
        steps.all(|step| step.abs() < LINE as i64 || step % LINE as i64 == 0)
    }

    /// Whether it takes less to put chunks together in the caches: where a line's worth is read of each of many rows, which is parts of
    /// two.
    pub(super) fn is_for_chunks(&self, walk: &Walk) -> bool {
        let Panel { rows, len, .. } = &walk.panel;
        let are_apart = || rows.windows(2).all(|pair| pair[1] - pair[0] >= 2 * LINE as i64);
        let is_line = *len <= LINE as i64 && rows.len() >= MANY_PARTS && !self.reads_lines();
        is_line && are_apart()
    }

    /// A block of one long row that the next goes on with, which may begin many rows of the source if it does anyway.
    pub(super) fn alone(&self, begins_rows: bool, reading: Reading) -> Option<Box<Walk>> {
        // What is no long row however far it grows, and however little is read, is none of fewer bytes.
        let [.., longest] = ALONE;
        let [.., least] = READ;
        let most = self.clone().grown((longest, least));
        let len = most.len();
        if len < LEAST_RUN || most.n_rows(len) != 1 {
            return None;
        }
        let of_a_page = most.splits_stores(len).then_some((PAGE - LINE) as i64);
        let rows = of_a_page.into_iter().chain(ALONE);
        let mut sides = rows.flat_map(|dst| READ.map(|src| (dst, src)));
        sides.find_map(|sides| {
            let grown = self.clone().grown(sides);
            let (len, (rows, read)) = (grown.len(), grown.read());
            let is_near = begins_rows && grown.reach() <= NEAR_ROWS.1 && rows <= NEAR_ROWS.0;
            let is_from_few = is_near || rows <= FEW_ROWS && read >= PANEL_ROW;
            // The last of the blocks of a loop may have a seam, if there are many.
            let is_even = grown.outer().last().is_none_or(|l| l.dst_back == 0 || l.count >= MANY);
            let is_long = (LEAST_RUN..=longest).contains(&len);
            let is_long_enough = is_even || len > ALONE[0];
            let fits = is_long && is_long_enough && is_from_few && grown.is_alone(len);
            fits.then(|| grown.staged(Ends::Tails, reading.in_place(), false))?
        })
    }

    /// The largest block of long rows, in the order of the walk, whose ends are parts of lines. Its tiles may share elements anywhere
    /// if it `shares`.
    fn seamed(&self, reading: Reading, shares: bool) -> Option<Box<Walk>> {
        let walk = |sides, bytes| self.of_long_rows(sides, bytes, reading, shares);
        let most = if self.reads_lines() { MOST_LONG } else { MOST_SEAMED_ANYWHERE };
        let [.., least] = LONG;
        let sides = LONG.iter().flat_map(|&dst| READ.map(|src| (dst, src)));
        let first = sides.into_iter().find_map(|sides| walk(sides, (least, most)))?;
        let len = first.out.as_ref().map_or(0, |out| out.len);
        let [.., src] = READ;
        let longer =
            || LONG.iter().find_map(|&dst| walk((dst, src), (len + 1, MOST_LONGER_SEAMED)));
        if len < SHORT_SEAMED { longer().or(Some(first)) } else { Some(first) }
    }

    /// A block of rows of so many bytes that may end anywhere, if those of the destination are at least so long, and all together at
    /// most.
    fn of_long_rows(
        &self,
        sides: (i64, i64),
        (least, most): (i64, i64),
        reading: Reading,
        shares: bool,
    ) -> Option<Box<Walk>> {
        let mut grown = self.clone().grown(sides);
        // With the line of room before it, each is to lie within a page.
        if grown.splits_stores(grown.len()) {
            let (dst, src) = sides;
            grown = self.clone().grown((dst - LINE as i64, src));
        }
        let len = grown.len();
        let fits = len >= least && grown.n_rows(len).saturating_mul(len) <= most;
        fits.then(|| grown.staged(Ends::Tails, reading, shares))?
    }

    /// Blocks of several rows that end where loops of the destination do, and with lines or anywhere. A block that ended within a
    /// loop whose last tiles share elements with those before would not end with a line, nor would the next go on where it ends.
    pub(super) fn of_whole_loops(&self, ends: Ends, reading: Reading) -> Option<Box<Walk>> {
        let whole = self.clone().with_whole_loops(ends)?;
        let staged = |src, reading| {
            let mut block = whole.clone();
            block.read_more(src);
            let block = if ends == Ends::Tails { block.along_destination()? } else { block };
            let walk = block.staged(ends, reading, true)?;
            (ends != Ends::Tails || !lose_lines(&walk.around)).then_some(walk)
        };
        gathered_first(reading, |reading| READ.iter().find_map(|&src| staged(src, reading)))
    }

    /// With several rows that end where loops do, and with lines if they are to. `None` where they would be too long, or one.
    fn with_whole_loops(mut self, ends: Ends) -> Option<Self> {
        let (least, most) = WHOLE_LOOPS;
        let line = if ends == Ends::Lines { LINE as i64 } else { 1 };
        let is_line = |bytes: i64| bytes % line == 0;
        // Whether the last steps of a loop begin where no row may end.
        let is_cut = |l: &Around| match ends {
            Ends::Lines => !is_line(l.dst_back),
            _ => l.dst_back != 0,
        };
        let len = loop {
            let len = self.len();
            let next = self.following(len).map(|number| (number, self.outer()[number]));
            let is_done = match ends {
                Ends::Lines => {
                    is_line(len) && self.outer().iter().all(|l| is_line(l.dst) && !is_cut(l))
                }
                _ => next.is_none_or(|(_, l)| !is_cut(&l)),
            };
            if len >= least && is_done {
                break len;
            }
            let (number, l) = next?;
            let unit = line >> len.trailing_zeros().min(line.trailing_zeros());
            let fewest = ((least + len - 1) / len).max(2);
            // Parts that divide the loop leave no rows that are shorter.
            let mut parts = (fewest..=most / len).filter(|part| part % unit == 0);
            let part = match is_cut(&l) || l.count <= fewest {
                true => l.count,
                false => parts.clone().find(|part| l.count % part == 0).or_else(|| parts.next())?,
            };
            self.take(number, part);
            if self.len() == len {
                return None;
            }
        };
        (len <= most && self.n_rows(len) > 1).then_some(self)
    }

    /// With rows of so many bytes in the destination and in the source.
    fn grown(mut self, (dst, src): (i64, i64)) -> Self {
        while let len = self.len()
            && len < dst
            && let Some(number) = self.following(len)
        {
            self.take(number, dst / len);
            if self.len() == len {
                break;
            }
        }
        self.read_more(src);
        self
    }

    /// Has it read rows of so many bytes, if loops have them.
    fn read_more(&mut self, src: i64) {
        let read = |block: &Self| side_by_side(16, || block.src_steps());
        while let len = read(self)
            && len < src
            && let Some(number) = self.outer().iter().position(|l| l.src == len && l.count > 1)
        {
            self.take(number, src / len);
            if read(self) == len {
                break;
            }
        }
    }

    /// Puts what follows in the destination next, so that rows whose ends are parts of lines are
    /// gone on with.
    fn along_destination(mut self) -> Option<Self> {
        let line = LINE as i64;
        let len = self.len();
        if len < line {
            let number = self.following(len)?;
            self.take(number, (line + len - 1) / len);
        }
        let reach = self.len();
        if reach < line {
            return None;
        }
        (self.go_on_from(reach) >= LEAST_RUN).then_some(self)
    }

    /// The same from so many bytes on; how far it goes.
    pub(super) fn go_on_from(&mut self, mut reach: i64) -> i64 {
        let mut along = 0;
        while let Some(number) = self.following(reach) {
            let l = self.loops.remove(number);
            reach = l.dst * l.count - l.dst_back;
            along += 1;
            self.loops.insert(self.n_outer - along, l);
            if l.dst_back != 0 {
                break;
            }
        }
        reach
    }

    /// Whether it begins many rows of the source, of which few bytes are read, as is slow.
    pub(super) fn begins_rows(&self) -> bool {
        let (rows, len) = self.read();
        rows >= MANY_ROWS && len <= PANEL_ROW
    }

    /// How far apart it reads.
    fn reach(&self) -> i64 {
        self.src_steps().map(|(count, src, _)| (count - 1) * src.abs()).sum()
    }

    /// Whether it is one row of so many bytes that the next block goes on with.
    fn is_alone(&self, len: i64) -> bool {
        self.n_rows(len) == 1 && self.outer().last().is_none_or(|l| l.dst == len)
    }

    /// The loop that goes on in the destination after so many bytes.
    pub(super) fn following(&self, len: i64) -> Option<usize> {
        self.outer().iter().position(|l| l.dst == len && l.count > 1)
    }

    /// Takes up to `part` steps of a loop into the block. What is left over is a block that shares
    /// elements with the one before. How many steps.
    pub(super) fn take(&mut self, number: usize, part: i64) -> i64 {
        let n_loops = self.loops.len();
        let l = part_of(&mut self.loops, number, part);
        self.n_outer -= n_loops - self.loops.len();
        self.loops.insert(self.n_outer, l);
        l.count
    }

    /// The steps of the registers of a tile and of the loops in the destination: of the stages, then of the loops. How many,
    /// how far, and how much shorter the last is.
    pub(super) fn steps(&self) -> impl Iterator<Item = (i64, i64, i64)> {
        let tile = &*self.tile;
        let stages = tile.stages().map(|number| match number < tile.stored {
            true => (2, tile.stores[number], 0),
            false => (1, 0, 0),
        });
        stages.chain(self.inside().iter().map(|l| (l.count, l.dst, l.dst_back)))
    }

    /// The same in the source, lanes included.
    fn src_steps(&self) -> impl Iterator<Item = (i64, i64, i64)> {
        let lanes = (1..self.tile.n_lanes.trailing_zeros() + 1)
            .map(|bit| (2, self.tile.lanes[1 << (bit - 1)], 0));
        let stages = self.tile.stages().map(|number| (2, self.tile.loads[number], 0));
        stages.chain(lanes).chain(self.inside().iter().map(|l| (l.count, l.src, l.src_back)))
    }

    /// The bytes that are written side by side; some of them twice, if tiles share elements.
    fn len(&self) -> i64 {
        side_by_side(16 * self.tile.n_lanes as i64, || self.steps())
    }

    /// How many rows are read, and of how many bytes.
    pub(super) fn read(&self) -> (i64, i64) {
        // Tiles that share elements begin rows as others do.
        let len = side_by_side(16, || self.src_steps().map(|(count, src, _)| (count, src, 0)));
        let rows = self.src_steps().filter(|&(_, src, _)| src >= len || src < 0);
        (rows.map(|(count, ..)| count).product(), len)
    }

    /// What is read. What lies closer together than it is long is one row.
    pub(super) fn panel(&self) -> Panel {
        let mut steps: Vec<(i64, i64, i64)> = self.src_steps().filter(|step| step.0 > 1).collect();
        steps.sort_unstable_by_key(|&(_, src, _)| src);
        let mut len = BYTES_OF_A_LANE;
        steps.retain(|&(count, src, back)| {
            let is_near = (0..=len).contains(&src);
            len += if is_near { (count - 1) * src - back } else { 0 };
            !is_near
        });
        let n_rows: i64 = steps.iter().map(|step| step.0).product();
        if n_rows > PANEL_ROWS {
            return Panel::default();
        }
        let mut rows = Vec::with_capacity(n_rows as usize);
        rows.push(0);
        for (count, src, _) in steps {
            repeat(&mut rows, count, src);
        }
        // They are in order, if each step reaches over all smaller ones.
        if !rows.is_sorted() {
            rows.sort_unstable();
        }
        let n_tiles: i64 = self.inside().iter().map(|l| l.count).product();
        Panel::of(rows, len, n_tiles as usize)
    }

    /// The steps from one row to another, where rows of so many bytes are written.
    fn row_steps(&self, len: i64) -> impl Iterator<Item = (i64, i64, i64)> {
        self.steps().filter(move |&step| leads_to_rows(step, len))
    }

    /// How many rows of so many bytes are written.
    fn n_rows(&self, len: i64) -> i64 {
        self.row_steps(len).map(|(count, ..)| count).product()
    }

    /// The rows of so many bytes. `None` if steps share rows that are not all as far apart.
    fn rows(&self, len: i64, pitch: i64) -> Option<Rows> {
        let mut rows = Vec::with_capacity(self.n_rows(len) as usize);
        rows.push(0);
        let mut places: Vec<(i64, i64)> = self.steps().map(|(_, dst, back)| (dst, back)).collect();
        let mut steps: Vec<_> =
            self.steps().enumerate().filter(|(_, step)| leads_to_rows(*step, len)).collect();
        steps.sort_by_key(|&(_, (_, dst, _))| dst);
        // From one row to the next, if they are all as far apart.
        let mut step = None;
        for (number, (count, dst, back)) in steps {
            let n_rows = rows.len() as i64;
            step = if n_rows == 1 { Some(dst) } else { step };
            step = step.filter(|step| step.checked_mul(n_rows) == Some(dst));
            let shared = match back {
                0 => 0,
                _ => step.filter(|&step| step > 0 && back % step == 0).map(|step| back / step)?,
            };
            places[number] = (n_rows * pitch, shared * pitch);
            repeat(&mut rows, count, dst);
            rows.truncate((count * n_rows - shared) as usize);
        }
        Some(Rows { rows, places })
    }

    /// From one of so many rows of so many bytes to the next in the stage: with room before it for what is left of a line, and not a
    /// multiple of 4 KiB in a few steps, unless each row had better lie within a page. Short rows of whole lines need neither.
    fn pitch(&self, n_rows: i64, len: i64, ends: Ends) -> i64 {
        let line = LINE as i64;
        if ends == Ends::Lines && len <= DENSE && len % line == 0 {
            return len;
        }
        let room = (len + line - 1) / line * line + line;
        let page = PAGE as i64;
        let are_several = room <= page && n_rows * room > page;
        match are_several && ends != Ends::Cached && self.splits_stores(len) {
            true => (room as u64).next_power_of_two() as i64,
            false => room,
        }
    }

    /// Whether registers are stored to rows of so many bytes where they may be parts of two lines, so of two pages.
    fn splits_stores(&self, len: i64) -> bool {
        let register = BYTES_OF_A_LANE * self.tile.n_lanes as i64;
        let mut within = self.steps().filter(|&step| step.0 > 1 && !leads_to_rows(step, len));
        within.any(|(_, dst, back)| dst % register != 0 || back % register != 0)
    }

    /// The rows that are read, copied to a stage from byte `first` on, if that has room for them. The tiles are those that are
    /// moved from there.
    pub(super) fn gathered(&mut self, first: usize, level: Level) -> Option<Gathered> {
        let (n_rows, len) = self.read();
        // An odd number of lines: so the lines of a column are in all places of the first cache.
        let line = LINE as i64;
        let pitch = (((len + line - 1) / line) | 1) * line;
        if n_rows * pitch > MOST_GATHERED || len < LINE as i64 {
            return None;
        }
        // Rows that two tiles share are there twice. What tiles share within rows is less than the bytes that would be read.
        let (mut rows, mut places) = (vec![0], vec![]);
        // What is read of a row.
        let mut within = BYTES_OF_A_LANE;
        for (count, src, back) in self.src_steps() {
            if (0..len).contains(&src) {
                within += (count - 1) * src;
                // Lanes that overlap may reach beyond.
                if back != 0 || within > len {
                    return None;
                }
                places.push(src);
                continue;
            }
            places.push(rows.len() as i64 * pitch);
            let before = rows.len() * (count - 1) as usize;
            repeat(&mut rows, count, src);
            rows[before..].iter_mut().for_each(|row| *row -= back);
        }
        let reach: i64 =
            self.src_steps().map(|(count, src, back)| (count - 1) * src.max(0) - back).sum();
        debug_assert!(
            rows.iter().all(|row| row + len <= BYTES_OF_A_LANE + reach),
            "{rows:?}, {len}"
        );
        let tile = self.tile.to_mut();
        let mut places = places.into_iter();
        let of_bits = |sums: &mut [i64], bits: &[i64]| {
            sums.fill(0);
            for (bit, place) in bits.iter().enumerate() {
                let has_bit = |(number, _): &(usize, &mut i64)| number >> bit & 1 == 1;
                sums.iter_mut().enumerate().filter(has_bit).for_each(|(_, sum)| *sum += place);
            }
        };
        let stages: Vec<i64> = places.by_ref().take(tile.stages().count()).collect();
        of_bits(&mut tile.loads, &stages);
        let lanes: Vec<i64> =
            places.by_ref().take(tile.n_lanes.trailing_zeros() as usize).collect();
        of_bits(&mut tile.lanes, &lanes);
        for (l, place) in self.inside_mut().iter_mut().zip(places) {
            (l.src, l.src_back) = (place, 0);
        }
        Some(Gathered { rows, len, pitch, first, copy: copy_in(level) })
    }

    /// The block's tiles as they go to the stage, if its rows may end so; from one too, if it `gathers`. Tiles
    /// may share elements of rows, or whole rows, wherever those are, if it `shares`.
    fn staged(mut self, ends: Ends, reading: Reading, shares: bool) -> Option<Box<Walk>> {
        let Reading { are_alike, gathers, level } = reading;
        // In an order that reads all of a line before it is gone.
        if are_alike {
            self.inside_mut().sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
        }
        let len = self.len();
        let n_rows = self.n_rows(len);
        let pitch = self.pitch(n_rows, len, ends);
        let most = if ends == Ends::Cached { MOST_CACHED_BYTES } else { MOST_BYTES };
        if n_rows * pitch > most || len < LINE as i64 {
            return None;
        }
        let is_line = |bytes: i64| bytes % LINE as i64 == 0;
        let mut starts = self.outer().iter().flat_map(|l| [l.dst, l.dst_back]);
        if ends == Ends::Lines
            && !(is_line(len) && starts.all(is_line) && self.row_steps(len).all(|s| is_line(s.1)))
        {
            return None;
        }
        let Rows { rows, places } = self.rows(len, pitch)?;
        // Tiles may share elements of rows whose ends may be anywhere. Far apart they take less by way of a chunk, if there is one,
        // but for one row that the next block goes on with, for rows that would be in each other's way there, and for those that end
        // where loops do.
        let is_one = || self.is_alone(len) && self.read().0 <= MOST_SHARED;
        let are_in_the_way = || self.tile.n_lanes == MAX_LANES && alike(&rows) >= ALIKE_IN_A_CHUNK;
        let is_better = || shares || self.reach() <= NEAR || is_one() || are_in_the_way();
        let goes_on = |l: &Around| l.dst >= 1 && l.dst_back < l.dst;
        let is_plain = |l: &Around| l.src_back == 0 && l.dst_back == 0;
        let sharing = || self.inside().iter().filter(|l| !is_plain(l));
        let may_share = || match ends {
            Ends::Lines => shares && sharing().all(goes_on),
            Ends::Tails => sharing().all(goes_on) && is_better(),
            Ends::Following | Ends::Cached => false,
        };
        if sharing().next().is_some() && !may_share() {
            return None;
        }
        let panel = self.panel();
        let n_stages = places.len() - self.inside().len();
        let end = (n_rows * pitch) as usize + 2 * LINE;
        let gathered = if gathers { Some(self.gathered(end, level)?) } else { None };
        for (l, &place) in self.inside_mut().iter_mut().zip(&places[n_stages..]) {
            (l.dst, l.dst_back) = place;
        }
        let tiles = tiles(self.inside());
        let (mut tile, around) = self.into_parts();
        tile.stores = [0; 16];
        for (stage, (place, _)) in places[..n_stages].iter().enumerate() {
            for register in (0..16).filter(|register| register >> stage & 1 == 1) {
                tile.stores[register] += place;
            }
        }
        let copy = copy_out(level, ends);
        let has_tails = ends == Ends::Tails;
        let out = Some(Out { rows, len, pitch, copy, has_tails, reach: len });
        let mut walk = Walk { tile, tiles, around, panel, gathered, out, far_stores: None };
        walk.ask_with_lines();
        Some(Box::new(walk))
    }
}

/// The bytes that follow each other in the destination where these loops go on after so many, up to where one's last step shares
/// elements with the one before.
fn run(loops: &[Around], len: i64) -> i64 {
    let mut run = len;
    while let Some(l) = loops.iter().find(|l| l.dst == run && l.count > 1) {
        run = l.dst * l.count - l.dst_back;
        if l.dst_back != 0 {
            break;
        }
    }
    run
}

/// Where these loops lead, from their first place on.
pub(super) fn tiles(loops: &[Around]) -> Vec<(i64, i64)> {
    let count: i64 = loops.iter().map(|l| l.count).product();
    let mut tiles = Vec::with_capacity(count as usize);
    tiles.push((0, 0));
    for l in loops.iter().rev() {
        let n = tiles.len();
        for step in 1..l.count {
            let back = if step == l.count - 1 { (l.src_back, l.dst_back) } else { (0, 0) };
            let (src, dst) = (step * l.src - back.0, step * l.dst - back.1);
            tiles.extend_from_within(..n);
            let first = tiles.len() - n;
            tiles[first..].iter_mut().for_each(|tile| *tile = (tile.0 + src, tile.1 + dst));
        }
    }
    tiles
}

/// Whether such a step leads from one row of so many bytes to another.
fn leads_to_rows((count, dst, _): (i64, i64, i64), len: i64) -> bool {
    count > 1 && (dst >= len || dst <= 0)
}

/// Whether blocks in these loops share lines of the source that are gone from the caches before they are come back to.
pub(super) fn lose_lines(around: &[Around]) -> bool {
    are_gone_before(around, |l| l.src.abs() < LINE as i64)
}

/// Whether rows of the source are gone on with after so much else that the line at the end of one is gone from the caches.
fn are_parted(walk: &Walk) -> bool {
    are_gone_before(&walk.around, |l| l.src.abs() == walk.panel.len)
}

/// Whether more is read between two steps of any loop that is so than stays in the caches.
fn are_gone_before(around: &[Around], is_so: impl Fn(&Around) -> bool) -> bool {
    around.iter().enumerate().any(|(number, l)| {
        let mut within = around[number + 1..].iter();
        l.count > 1 && is_so(l) && within.any(|l| l.count.saturating_mul(l.src.abs()) > NEAR)
    })
}

/// A block whose rows of the source are gathered first, if they are to be and there is one; else from where they are.
fn gathered_first<T>(reading: Reading, block: impl Fn(Reading) -> Option<T>) -> Option<T> {
    let gathered = if reading.gathers { block(reading) } else { None };
    gathered.or_else(|| block(reading.in_place()))
}
