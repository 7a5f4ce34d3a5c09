//! From a block to its rows: how long it takes, what the rows of both sides are, and the program between them.

use super::super::level::Level;
use super::super::lookup::window;
use super::super::loop_order::{LONG_RUN, order};
use super::super::mover::Mover;
use super::super::place::LINE;
use super::super::tile::{Program, Slots};
use super::block::{Block, Index, LONG, stride};
use super::copy::Row;
use super::spacing::{Spacing, Step, Toward};
use super::{How, LONG_ROW, Lines, MOST_STAGE, Rows, Side, packed_pitch};
use crate::nest::Loop;

/// The bytes of both stages that stay in the first cache.
const NEAR_STAGES: i64 = 40 << 10;

/// What things take, in about the processor's cycles: a line of memory, and a block.
const LINE_CYCLES: f64 = 2.5;
const BLOCK_CYCLES: f64 = 200.0;

/// The same of a register into a stage, and out of one, whose tables others have too; and of one that begins within a byte of
/// the destination, and of its tables.
const REGISTER_CYCLES: [f64; 2] = [5.0, 7.0];
const ODD_REGISTER: f64 = 12.0;
const TABLES: f64 = 6.0;

/// The same of a row of the destination that goes on where the one before ends.
const CHAINED_ROW: f64 = 8.0;

/// The fewest bytes that are streamed as one piece.
const LEAST_STREAMED: usize = 16 * LINE;

/// What estimates of rows are to those of lookups.
const CYCLES: f64 = 0.45;

/// Sources that reach over fewer bits are in the caches.
const NEAR: i64 = 1 << 20;

/// A block whose indices have their places in the stages.
pub(super) struct Laid {
    /// The number of the block.
    pub(super) block: usize,
    /// The bits from the first of a row to behind the last.
    pub(super) len: [i64; 2],
    pub(super) indices: Vec<Index>,
    /// The bits of an element in the stages.
    pub(super) width: i64,
    /// From one row to the next in the stage of either side, in bits, and how many there is room for.
    pub(super) pitch: [i64; 2],
    pub(super) n_rows: [i64; 2],
    /// Whether a side has no stage: its rows are moved from or to where they are.
    pub(super) is_direct: [bool; 2],
    /// Whether the first block begins at a byte on either side.
    pub(super) is_at_bytes: bool,
    /// The bits from a block's first on that are read of a row which is read on where it is, or none.
    pub(super) reach: i64,
    /// About how many of the processor's cycles an element takes.
    pub(super) cycles: f64,
}

impl Laid {
    /// About how many of the processor's cycles an element takes.
    pub(super) fn cycles(&self, block: &Block, level: Level) -> f64 {
        let window = window(level) as f64 * 8.0;
        let product = |of: &dyn Fn(&Index) -> i64| {
            self.indices.iter().map(|index| of(index) as f64).product::<f64>()
        };
        let n = product(&|index| index.count);
        let side = |side: usize, a_row: f64| {
            let rows = product(&|index| if index.is_along[side] { 1 } else { index.count });
            let along = self.indices.iter().filter(|index| index.is_along[side]);
            let staged = along.map(|index| index.strides[side] * index.count);
            let staged = staged.max().unwrap_or(self.width) as f64;
            let len = self.len[side] as f64;
            let a_register = match staged > len {
                false => 3.0,
                true if side == 1 && self.has_odd_registers(block) => ODD_REGISTER + TABLES / rows,
                true => REGISTER_CYCLES[side],
            };
            if self.is_direct[side] {
                return rows * LINE_CYCLES * (1.0 + len / 512.0);
            }
            let is_chain = side == 1 && block.is_chain(&self.indices);
            let as_it_is = if is_chain { CHAINED_ROW } else { a_row };
            // Rows that are put together are packed apart first, where they do not begin at bytes.
            let is_packed = side == 1 && staged > len && self.len[1] % 8 != 0;
            let packed = if is_packed { as_it_is + 3.0 * (len / window).ceil() } else { 0.0 };
            let a_row = if staged > len { a_row } else { as_it_is };
            rows * (a_row
                + a_register * (staged / window).ceil()
                + packed
                + LINE_CYCLES * (1.0 + len / 512.0))
        };
        let stage = |side: usize| match self.is_direct[side] {
            true => 0,
            false => self.pitch[side] * self.n_rows[side] / 8,
        };
        let stages = stage(0) + stage(1);
        let far = if stages > NEAR_STAGES { 1.15 } else { 1.0 };
        let moved = product(&|index| index.padded) * self.width as f64 / 512.0;
        let line = match self.width {
            1 => 20.0,
            2 => 16.0,
            4 => 14.0,
            _ => 8.0,
        };
        let program = if self.is_in_place() { 0.0 } else { moved * line };
        CYCLES * (BLOCK_CYCLES + far * (side(0, 6.0) + side(1, 20.0) + program)) / n
    }

    /// Whether each block is one piece of the destination that begins at a byte, of whole bytes and enough of them to be streamed.
    pub(super) fn streams(&self, block: &Block) -> bool {
        let n_rows = self.n_places(1);
        let is_piece = n_rows == 1 || block.is_chain(&self.indices);
        let bits = n_rows.saturating_mul(self.len[1]);
        let [least, most] = [LEAST_STREAMED, MOST_STAGE].map(|bytes| 8 * bytes as i64);
        let may_stream = self.len[1] % 8 == 0 && (least..=most).contains(&bits);
        let goes_out = !self.is_in_place() && !self.is_direct[1];
        self.is_at_bytes && is_piece && may_stream && goes_out
    }

    /// Whether registers of a stage begin within bytes of the destination.
    fn has_odd_registers(&self, block: &Block) -> bool {
        let begins = |index: &Index| {
            let (staged, packed) = (index.strides[1], stride(1, block.first(index)));
            staged * index.count > LONG && packed * (LONG / staged).max(1) % 8 != 0
        };
        self.indices.iter().any(|index| index.is_along[1] && begins(index))
    }

    /// The rows of a side.
    fn side(&self, block: &Block, number: usize, slots: Slots, window: usize) -> Option<Side> {
        let Laid { indices, width, .. } = self;
        let mut along: Vec<&Index> =
            indices.iter().filter(|index| index.is_along[number]).collect();
        along.sort_by_key(|index| index.strides[number]);
        let mut steps = Vec::new();
        for index in along {
            let mut staged = index.strides[number];
            for l in index.loops.clone() {
                let of = &block.inside[l].of;
                steps.push(Step { count: of.extent, packed: stride(number, of), staged });
                staged *= of.extent;
            }
        }
        let [src, dst] = [slots.src, slots.dst];
        let (memory, value) = if number == 0 { (src, slots.value) } else { (dst, dst) };
        // What is further apart in memory is so for all steps, or for none.
        let is_wide = memory > *width;
        if is_wide {
            steps
                .iter_mut()
                .for_each(|step| (step.packed, step.staged) = (step.staged, step.packed));
        }
        if steps.iter().any(|step| step.packed > step.staged) {
            return None;
        }
        let (value, toward) = match (number == 0) != is_wide {
            true => (slots.value, Toward::Apart),
            false => (value, Toward::Together),
        };
        // Bits that are no value's are zero from where the values first lie as far apart as in the destination.
        let zeros = match number == 0 {
            true => dst.min(*width) - slots.value,
            false if toward == Toward::Apart => dst - slots.value,
            false => 0,
        };
        let spacing = Spacing::of(&steps, value, zeros, toward, window)?;
        let row = |(memory, stage): (i64, i64)| match number {
            0 => Row { from: memory, to: stage },
            _ => Row { from: stage, to: memory },
        };
        let mut rows = Vec::with_capacity(self.n_places(number) as usize);
        rows.push(Row { from: 0, to: 0 });
        for index in indices.iter().filter(|index| !index.is_along[number]) {
            let mut staged = index.strides[number];
            for l in index.loops.clone() {
                let of = &block.inside[l].of;
                repeat(&mut rows, of.extent, &row((stride(number, of), staged)));
                staged *= of.extent;
            }
        }
        // Registers that reach into the next row are written over by that.
        rows.sort_unstable_by_key(|row| if number == 0 { row.to } else { row.from });
        let stage = (self.pitch[number] * self.n_rows[number] / 8) as usize;
        Some(Side { rows, spacing, stage })
    }

    /// Whether all indices have the same places in both stages.
    pub(super) fn is_in_place(&self) -> bool {
        let is_same = |index: &Index| {
            index.strides[0] == index.strides[1] && index.is_along[0] == index.is_along[1]
        };
        self.is_direct == [false; 2]
            && self.pitch[0] == self.pitch[1]
            && self.indices.iter().all(is_same)
    }

    /// The same of rows that are worth beginning.
    pub(super) fn is_long_in_place(&self) -> bool {
        self.is_in_place() && self.len.iter().all(|&len| len >= LONG)
    }

    /// Whether it is rows that are written in place, wherever they go.
    pub(super) fn is_written_in_place(&self) -> bool {
        self.is_in_place() && self.len[1] >= LONG_ROW as i64
    }

    /// What moves the indices from stage to stage.
    fn program(&self, level: Level) -> Option<Program> {
        let of = |index: &Index| Loop {
            extent: index.padded,
            src: index.strides[0],
            dst: index.strides[1],
        };
        let mut loops: Vec<Loop> = self.indices.iter().map(of).filter(|l| l.extent > 1).collect();
        loops.sort_by_key(|l| std::cmp::Reverse(l.dst));
        let mut run = self.width;
        while let Some(number) = loops.iter().position(|l| l.src == run && l.dst == run) {
            run *= loops.remove(number).extent;
        }
        loops.push(Loop { extent: run, src: 1, dst: 1 });
        let program = Program::of(&loops, Slots::same(self.width), level, false)?;
        let program = (program.least_piece() >= 16).then_some(program)?;
        Some(if self.is_direct[0] { program } else { program.of_stages() })
    }

    /// The lines of a side that are asked for while another block is moved.
    fn lines(rows: impl Iterator<Item = i64>, len: usize, n_tiles: usize) -> Lines {
        let mut rows: Vec<i64> = rows.map(|bit| bit >> 3).collect();
        rows.sort_unstable();
        let len = len / 8 + LINE;
        let all = rows.len() * (len / LINE);
        Lines { rows, len: len as i64, each: all.div_ceil(n_tiles.max(1)) }
    }

    /// How many rows a side has.
    fn n_places(&self, number: usize) -> i64 {
        let across = self.indices.iter().filter(|index| !index.is_along[number]);
        across.fold(1, |all, index| all.saturating_mul(index.count))
    }

    /// The rows, if there is a program for them, and if their lists are no longer than those of others.
    pub(super) fn rows(self, block: &Block, slots: Slots, level: Level) -> Option<Rows> {
        let are_few = |n_rows: i64| {
            n_rows.saturating_mul(size_of::<Row>() as i64) <= Mover::MOST_BYTES as i64
        };
        let [n_src, n_dst] = [0, 1].map(|number| self.n_places(number));
        if !are_few(n_src.saturating_add(n_dst)) {
            return None;
        }
        let window = window(level);
        let side = |number| self.side(block, number, slots, window);
        let (mut src, mut dst) = (side(0)?, side(1)?);
        let how = match self.is_in_place() {
            false => How::Program(Box::new(self.program(level)?)),
            true if dst.spacing.is_same() && !src.spacing.is_same() => How::Apart,
            true if src.spacing.is_same() => How::Together,
            true => How::Stage,
        };
        if matches!(how, How::Together) {
            let places = src.rows.iter().map(|row| row.from);
            dst.rows.iter_mut().zip(places).for_each(|(row, from)| row.from = from);
        }
        let (mut outer, row_lens) = (block.outer.clone(), self.len);
        let len = row_lens[1] as usize;
        if !matches!(how, How::Program(_)) {
            dst.stage = 0;
        }
        if matches!(how, How::Together) {
            src.stage = 0;
        }
        let is_whole = |bits: i64| bits % 8 == 0;
        let are_bytes = is_whole(row_lens[1])
            && dst.rows.iter().all(|row| is_whole(row.to))
            && outer.iter().all(|l| is_whole(l.dst) && is_whole(l.dst_back));
        let packed = match dst.spacing.is_same() {
            true if matches!(how, How::Apart) => {
                let rows = src.rows.iter().zip(&dst.rows);
                [rows.map(|(row, of)| Row { to: of.to, ..*row }).collect(), Vec::new()]
            }
            true => [Vec::new(), Vec::new()],
            // Slots of whole bytes begin at bytes.
            false if are_bytes && is_whole(slots.dst) => [Vec::new(), Vec::new()],
            false if !are_few(n_src + 3 * n_dst) => return None,
            false => {
                let pitch = (packed_pitch(len) * 8) as i64;
                let places = || (0..).map(|number| number * pitch);
                let into = dst.rows.iter().zip(places()).map(|(row, to)| Row { to, ..*row });
                let out = dst.rows.iter().zip(places()).map(|(row, from)| Row { from, ..*row });
                [into.collect(), out.collect()]
            }
        };
        if packed[0].len() * packed_pitch(len) > MOST_STAGE {
            return None;
        }
        let is_chain = dst.rows.windows(2).all(|rows| rows[1].to - rows[0].to == row_lens[1]);
        let is_piece = is_chain && dst.rows.first().is_some_and(|row| row.to == 0);
        let may_stream = is_piece && are_bytes && self.streams(block);
        let streamed = if may_stream { dst.rows.len() * len / 8 } else { 0 };
        let reaches = block.inside.iter().map(|l| (l.of.extent, l.of.src));
        let reaches = reaches.chain(outer.iter().map(|l| (l.count, l.src)));
        let reach = reaches.map(|(count, step)| count.saturating_mul(step.abs())).max();
        let asks = reach.unwrap_or(0) > NEAR;
        order(&mut outer, row_lens[0], row_lens[1], LONG_RUN);
        outer.retain(|l| l.count > 1);
        let is_direct = self.is_direct;
        let places = || src.rows.iter().map(|row| row.from);
        let begin = (places().min().unwrap_or(0), places().max().unwrap_or(0));
        let lines = match &how {
            How::Program(program) if asks && !is_direct[0] => {
                let n_tiles = program.n_tiles();
                let from =
                    Self::lines(src.rows.iter().map(|row| row.from), src.spacing.from, n_tiles);
                [from, Self::lines(dst.rows.iter().map(|row| row.to), len, n_tiles)]
            }
            _ => [Lines::default(), Lines::default()],
        };
        Some(Rows {
            begin,
            src,
            dst,
            is_direct,
            reach: self.reach.unsigned_abs().div_ceil(8) as usize,
            how,
            packed,
            len,
            are_bytes,
            is_chain,
            streamed,
            around: outer,
            level,
            cycles: self.cycles,
            asks,
            lines,
        })
    }
}

/// Repeats rows at every one of so many steps.
fn repeat(rows: &mut Vec<Row>, count: i64, step: &Row) {
    let n = rows.len();
    for number in 1..count {
        rows.extend_from_within(..n);
        let first = rows.len() - n;
        for row in &mut rows[first..] {
            (row.from, row.to) = (row.from + number * step.from, row.to + number * step.to);
        }
    }
}
