//! Neighbours that several loops of odd extents make: the 3 x 3 of a convolution's filters, which
//! follow each other on one side and lie anywhere on the other.
//!
//! No power of two of them lies at equal distances, as the bits of a [tile](super::tile) do. So what
//! belongs together on the other side, rows of at least a register, goes through a stage in the first
//! cache, one row behind the other in the order of those neighbours. There they are one loop.

use super::block::repeat;
use super::level::{Level, Task};
use super::loop_order::part_of;
use super::machine;
use super::place::{At, LINE, Stores, room};
use super::places::AroundPlaces;
use super::register::Register;
use super::runs::{Row, copy_runs};
use super::tile::{Around, ONCE, Program, Slots};
use crate::nest::Loop;
use std::mem::MaybeUninit;

/// The most bytes of neighbours.
const MOST: i64 = 1024;

/// The bytes of neighbours that several loops make, of which the last is too long to be taken whole.
const IN_PARTS: i64 = 128;

/// The fewest bytes of neighbours, if there are as many.
const FEWEST: i64 = 64;

/// The bytes of a row, if there are as many.
const ROW: i64 = 256;

/// The fewest bytes of a row.
const LEAST_ROW: i64 = 16;

/// The most bytes of rows.
const STAGE: usize = 40 << 10;

/// A box of such neighbours.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// Where the rows lie from the first, in bytes.
    rows: Vec<i64>,
    /// The bytes of each.
    len: i64,
    /// From one to the next in the stage.
    pitch: i64,
    /// Whether the rows are the source's.
    is_source: bool,
    /// What moves the elements between the stage and the other side.
    program: Box<Program>,
    /// The loops around.
    around: Vec<Around>,
}

impl Listed {
    /// Of a box of elements of `unit` bytes, if neighbours on either side are such. Where a tile would fill most of its registers
    /// with those of one loop it is none, unless it `is_needed`, because there is no such tile.
    pub(super) fn of(loops: &[Loop], unit: usize, level: Level, is_needed: bool) -> Option<Self> {
        let unit = unit as i64;
        if !matches!(unit, 1 | 2 | 4 | 8) || loops.iter().any(Loop::is_run) {
            return None;
        }
        let exchanged = |l: &Loop| Loop { src: l.dst, dst: l.src, ..*l };
        let turned: Vec<Loop> = loops.iter().map(exchanged).collect();
        let sides = [(loops, false), (&turned[..], true)];
        // The last loop whole, if the stage has room for that.
        let mut tries = sides.into_iter().flat_map(|side| [(side, MOST), (side, IN_PARTS)]);
        tries.find_map(|((loops, is_source), most)| {
            Self::of_side(loops, unit, is_source, most, level, is_needed)
        })
    }

    /// Of neighbours in the source, or if `is_source`, of loops whose sides are exchanged; of those that several loops make,
    /// `most` bytes.
    fn of_side(
        loops: &[Loop],
        unit: i64,
        is_source: bool,
        most: i64,
        level: Level,
        is_needed: bool,
    ) -> Option<Self> {
        if loops.iter().any(|l| l.dst < 0 || l.src < 0) {
            return None;
        }
        let once = |l: &Loop| Around { count: l.extent, src: l.src, dst: l.dst, ..ONCE };
        // The neighbours: whole loops, and of the last one as much as there is room for.
        let mut rest: Vec<Around> = loops.iter().map(once).collect();
        let mut chain: Vec<Around> = Vec::new();
        let mut length = 1i64;
        while length * unit < FEWEST
            && let Some(next) = rest.iter().position(|l| l.src == length && l.is_plain())
        {
            let (count, bytes) = (rest[next].count, length * unit);
            let part = if chain.is_empty() { MOST } else { most } / bytes;
            if part < 2 {
                break;
            }
            // Parts that divide the loop, if they are not much shorter: no neighbour is moved twice.
            let even = (part / 2 + 1..=part.min(count)).rev().find(|n| count % n == 0);
            let l = part_of(&mut rest, next, even.unwrap_or(part));
            length *= l.count;
            chain.push(l);
        }
        let (_, inner) = chain.split_last()?;
        let are_odd = inner.iter().any(|l| !l.count.unsigned_abs().is_power_of_two());
        if !are_odd {
            return None;
        }
        // The rows.
        let mut others: Vec<Around> = Vec::new();
        let mut row = 1i64;
        while row * unit < ROW
            && let Some(next) = rest.iter().position(|l| l.dst == row && l.is_plain())
            && let part @ 2.. = ROW / row / unit
        {
            let l = part_of(&mut rest, next, part);
            row *= l.count;
            others.push(l);
        }
        let len = row * unit;
        // A tile has neighbours enough where one loop fills most of its registers; less will do where rows are of a line at most.
        let first = chain[0].count * unit;
        let in_registers = (first + LEAST_ROW - 1) / LEAST_ROW * LEAST_ROW;
        let is_filled =
            in_registers - first < in_registers / if len <= LINE as i64 { 3 } else { 8 };
        if is_filled && !is_needed {
            return None;
        }
        let pitch = (len + 15) / 16 * 16 + 16;
        if len < LEAST_ROW || (length * pitch) as usize > STAGE || pitch % unit != 0 {
            return None;
        }
        let mut rows = vec![0];
        for l in &chain {
            repeat(&mut rows, l.count, l.dst * unit);
        }
        let bits = |steps: i64| steps * unit * 8;
        let side = |src: i64, dst: i64| if is_source { (dst, src) } else { (src, dst) };
        let inner = others.iter().map(|l| (l.count, side(bits(l.src), bits(l.dst))));
        let neighbours = (length, side(bits(1), pitch * 8));
        let mut in_bits: Vec<Loop> = std::iter::once(neighbours)
            .chain(inner)
            .map(|(extent, (src, dst))| Loop { extent, src, dst })
            .collect();
        in_bits.push(Loop { extent: bits(1), src: 1, dst: 1 });
        let program = Program::of(&in_bits, Slots::same(bits(1)), level, false)?;
        rest.retain(|l| l.count > 1);
        rest.sort_by_key(|l| std::cmp::Reverse(if is_source { l.src } else { l.dst }));
        let around = rest.iter().map(|l| {
            let (src, dst) = side(l.src * unit, l.dst * unit);
            let (src_back, dst_back) = side(l.src_back * unit, l.dst_back * unit);
            Around { count: l.count, src, dst, src_back, dst_back }
        });
        let around = around.collect();
        Some(Listed { rows, len, pitch, is_source, program: Box::new(program), around })
    }

    /// Whether it writes rows of lines.
    pub(super) fn streams(&self) -> bool {
        !self.is_source && self.len % LINE as i64 == 0
    }

    /// The bytes that it has allocated.
    pub(super) fn held_bytes(&self) -> usize {
        let lists = self.rows.capacity() * 8 + self.around.capacity() * size_of::<Around>();
        lists + size_of::<Program>() + self.program.held_bytes()
    }

    /// Where a row is copied from and to, that begins at `row` on its side and `near` in the stage.
    #[inline(always)]
    fn at(&self, far: At, row: i64, near: i64) -> At {
        if self.is_source { far.plus(row, near) } else { far.plus(near, row) }
    }

    /// Moves the box.
    ///
    /// # Safety
    /// As [`machine::run`].
    #[inline(never)]
    pub(super) unsafe fn run(&self, at: At, level: Level, stores: Stores) {
        let mut stage = Stage(MaybeUninit::uninit());
        let stage = room(&mut stage.0);
        let mut places = AroundPlaces::new(&self.around, at);
        // The rows are written to be read at once.
        let near = if stores == Stores::Cached { Stores::Cached } else { Stores::Staged };
        while let Some(at) = places.next() {
            // SAFETY: the caller's promise: the rows are the box's, and the stage has room for all
            // of them.
            unsafe {
                if self.is_source {
                    level.run(Rows { of: self, far: At { src: at.src, dst: stage }, stores: near });
                    let at = At { src: stage, dst: at.dst };
                    machine::run(&self.program, at, Stores::Cached);
                } else {
                    machine::run(&self.program, At { src: at.src, dst: stage }, near);
                    level.run(Rows { of: self, far: At { src: stage, dst: at.dst }, stores });
                }
            }
        }
        if stores == Stores::Streamed {
            super::level::fence();
        }
    }
}

/// Memory for the rows.
#[repr(align(64))]
struct Stage(MaybeUninit<[u8; STAGE]>);

/// Copies rows into the stage, or out of it.
struct Rows<'l> {
    of: &'l Listed,
    far: At,
    stores: Stores,
}

impl Task for Rows<'_> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Rows { of, far, stores } = self;
        // SAFETY: the caller's promise.
        unsafe {
            match of.len {
                16 => copy_rows::<R::Lane, 16>(of, far),
                32 => copy_rows::<R::Half, 32>(of, far),
                64 if stores != Stores::Streamed => copy_rows::<R, 64>(of, far),
                128 if stores != Stores::Streamed => copy_rows::<R, 128>(of, far),
                256 if stores != Stores::Streamed => copy_rows::<R, 256>(of, far),
                len => {
                    let row = Row { len: len as usize, count: 1, src: 0, dst: 0 };
                    let mut near = 0;
                    for &place in &of.rows {
                        copy_runs::<R>(of.at(far, place, near), row, stores);
                        near += of.pitch;
                    }
                }
            }
        }
    }
}

/// Copies rows of a known length, a multiple of a register.
///
/// # Safety
/// The processor has these registers; the rows can be read and written.
#[inline(always)]
unsafe fn copy_rows<R: Register, const LEN: usize>(of: &Listed, far: At) {
    let mut near = 0;
    for &row in &of.rows {
        let at = of.at(far, row, near);
        near += of.pitch;
        let mut done = 0;
        while done < LEN {
            let at = at.plus(done as i64, done as i64);
            // SAFETY: the caller's promise.
            unsafe { R::load(at.src).store(at.dst) };
            done += R::BYTES;
        }
    }
}
