//! Boxes that are moved row by row, by way of stages: odd extents, rows that begin within bytes, and elements that are
//! packed on one side.
//!
//! What follows each other on a side, a *chain* of loops whose strides are one slot, then the extent of the first, and so
//! on, is a row there. A block of the box has a few rows of each side:
//!
//! ```text
//!  source      gather          stage               program       stage               scatter   destination
//!  aab bcc d ────────▶  aa0 a b0b cc0 ...  ─────────────────▶  a0 b c d0 ...   ────────────▶  abcd
//!              apart    room for a power of two of each index               together
//! ```
//!
//! In the stages every index has room for a power of two, or for whole registers ([`spacing`]), so that a
//! [program](super::tile) moves them as if all extents were even. What the loops of one chain alone number together is
//! one index, whatever their extents, since the places of the rows on the other side are listed. Loops that both chains
//! have keep their places in both rows.

mod block;
mod copy;
mod laid;
mod spacing;

use super::copies::Part;
use super::level::{Level, Task, fence};
use super::machine;
use super::panels::Soon;
use super::place::{At, STREAM_FROM, Stores, room};
use super::places::BitPlaces;
use super::register::Register;
use super::tile::{Around, Program, Slots};
use crate::nest::Loop;
pub(super) use block::Drafts;
use copy::{BESIDE, Pass, Row};
use spacing::Spacing;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The most bytes of a stage.
const MOST_STAGE: usize = 64 << 10;

/// The bits of rows whose ends hardly matter.
const LONG_ROW: usize = 1024 * 8;

/// The most bytes of a row.
const MOST_ROW: usize = 8 << 10;

/// The most bytes that are copied of a source near its ends, at least a row.
const MOST_COPIED: usize = 16 << 10;

/// A box that is moved so. Distances are in bits.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// What is copied of the source, into the stage or to where it goes at once.
    src: Side,
    /// What is copied to the destination.
    dst: Side,
    /// Where the first and the last row of the source begin, in bits from where the block does.
    begin: (i64, i64),
    /// Whether a side has no stage: its rows are moved from or to where they are.
    is_direct: [bool; 2],
    /// The bytes from a block's first on that a program reads of a source where it is, if those are more than the block has.
    reach: usize,
    how: How,
    /// Rows that are packed go to room for them first, and from there to where they begin within bytes. Of rows that are
    /// apart from memory to memory, these rows.
    packed: [Vec<Row>; 2],
    /// The bits of a row of the destination.
    len: usize,
    /// Whether rows of the destination are whole bytes of whole bytes, if the first begins at one.
    are_bytes: bool,
    /// Whether each row of the destination goes on where the one before ends.
    is_chain: bool,
    /// The bytes of a block that is one piece of the destination, if it may be streamed, from where rows are packed else; 0 if not.
    streamed: usize,
    /// The loops around a block, from the outermost to the innermost.
    around: Vec<Around>,
    level: Level,
    /// About how many of the processor's cycles an element takes.
    cycles: f64,
    /// Whether lines of either side are asked for.
    asks: bool,
    /// Those of the next block that are asked for while a program is run.
    lines: [Lines; 2],
}

/// Rows whose lines are asked for.
#[derive(Clone, Debug, Default)]
struct Lines {
    /// Where they begin, in bytes from where the block does.
    rows: Vec<i64>,
    /// The bytes of each.
    len: i64,
    /// How many lines are asked for with each tile of a program.
    each: usize,
}

impl Lines {
    /// Of the block that begins at a bit of memory.
    fn soon(&self, memory: *const u8, bit: i64) -> Soon<'_> {
        let at = memory.wrapping_offset((bit >> 3) as isize);
        Soon::of(&self.rows, self.len, self.len, self.each, at)
    }
}

/// What is between the sides.
#[derive(Clone, Debug)]
enum How {
    /// From stage to stage.
    Program(Box<Program>),
    /// One stage is that of both sides.
    Stage,
    /// Nothing: rows are copied from memory to memory by the spacing of the source.
    Apart,
    /// The same by that of the destination.
    Together,
}

/// The rows of a side.
#[derive(Clone, Debug)]
struct Side {
    rows: Vec<Row>,
    spacing: Spacing,
    /// The bytes of the stage.
    stage: usize,
}

impl Rows {
    /// The blocks that a box whose loops count slots may be moved in, and which begins at a byte on either side if it
    /// `is_at_bytes`.
    pub(super) fn drafts(
        loops: &[Loop],
        slots: Slots,
        is_at_bytes: bool,
        level: Level,
    ) -> Option<Drafts> {
        let mut in_bits = Vec::with_capacity(loops.len());
        for l in loops.iter().filter(|l| l.extent != 1) {
            let (src, dst) = (l.src.checked_mul(slots.src)?, l.dst.checked_mul(slots.dst)?);
            in_bits.push(Loop { extent: l.extent, src, dst });
        }
        Some(Drafts::of(&in_bits, slots, is_at_bytes, level))
    }

    /// About how many of the processor's cycles an element takes in the caches.
    pub(super) fn cycles(&self) -> f64 {
        self.cycles
    }

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let rows = |rows: &Vec<Row>| rows.capacity() * size_of::<Row>();
        let side = |side: &Side| rows(&side.rows) + side.spacing.held_bytes();
        let program = match &self.how {
            How::Program(program) => size_of::<Program>() + program.held_bytes(),
            How::Stage | How::Apart | How::Together => 0,
        };
        let around = self.around.capacity() * size_of::<Around>();
        let packed = self.packed.iter().map(rows).sum::<usize>();
        let lines = self.lines.iter().map(|lines| lines.rows.capacity() * 8).sum::<usize>();
        lines + around + side(&self.src) + side(&self.dst) + program + packed
    }

    /// Whether it is long rows that no program moves, which are written where they go more quickly than by way of a chunk that
    /// is put together first.
    pub(super) fn are_written_in_place(&self) -> bool {
        !matches!(self.how, How::Program(_)) && self.len >= LONG_ROW
    }

    /// Whether its blocks are streamed, unless they begin within bytes all the same.
    pub(super) fn streams(&self) -> bool {
        self.streamed > 0
    }

    /// Whether it moves boxes that begin within bytes too.
    pub(super) fn is_of_bits(&self) -> bool {
        self.is_direct == [false; 2]
    }

    /// Whether it can be written from such a bit on: rows that begin within bytes are packed first, if there is room for that.
    pub(super) fn is_written_at(&self, bit: i64) -> bool {
        let may_be_anywhere = self.dst.spacing.is_same() || !self.packed[1].is_empty();
        may_be_anywhere || self.are_bytes && bit % 8 == 0
    }

    /// Moves the box, from bit `start.0` of `src` and `start.1` behind `dst` on.
    ///
    /// # Safety
    /// It [can be written](Self::is_written_at) there. All its bits lie in the source, which can be read, and can be written in the destination, which does not overlap it.
    #[inline(never)]
    pub(super) unsafe fn run(
        &self,
        src: &Range<*const u8>,
        dst: *mut u8,
        start: (i64, i64),
        stores: Stores,
    ) {
        debug_assert!(self.is_written_at(start.1), "rows from bit {} on", start.1);
        let mut stages = [const { Stage(MaybeUninit::uninit()) }; 3];
        let stages = stages.each_mut().map(|stage| room(&mut stage.0));
        let is_at_bytes = self.are_bytes && start.1 % 8 == 0;
        let [near, moved, packed] = stages;
        let stage = |first: *mut u8, bytes: usize| {
            // SAFETY: a stage has room for as many, and so many beside them. What is beside rows is read, and had better
            // be something.
            unsafe { first.write_bytes(0, bytes + 2 * BESIDE) };
            first.wrapping_add(BESIDE)
        };
        let near = stage(near, if self.is_direct[0] { 0 } else { self.src.stage });
        let moved = stage(moved, if self.is_direct[1] { 0 } else { self.dst.stage });
        let streams = stores == Stores::Streamed && is_at_bytes && self.streams();
        let packed_bytes = match is_at_bytes {
            true if streams => self.streamed,
            true => 0,
            false => self.packed_bytes(),
        };
        let packed = stage(packed, packed_bytes);
        // What is read from where it is may not be there yet.
        let near_stores = match self.is_direct[0] && stores != Stores::Cached {
            true => Stores::Staged,
            false => Stores::Cached,
        };
        // What is in the caches comes no sooner by being asked for.
        let is_far = (src.end as usize).wrapping_sub(src.start as usize) >= STREAM_FROM;
        let asks = self.asks && (is_far || stores != Stores::Cached);
        let mut places = BitPlaces::new(&self.around, start);
        let mut here = places.next();
        // Where the block before ends that was streamed.
        let mut end = None;
        while let Some((from, to)) = here {
            here = places.next();
            let next = here.filter(|_| asks);
            let [next_from, next_to] = [next.map(|next| next.0), next.map(|next| next.1)];
            let into = Pass {
                spacing: &self.src.spacing,
                rows: &self.src.rows,
                src: src.start,
                from,
                dst: near,
                to: 0,
                next: [next_from, None],
                exactly: None,
                is_bytes: false,
                is_chain: false,
            };
            let out = Pass {
                spacing: &self.dst.spacing,
                rows: &self.dst.rows,
                src: near,
                from: 0,
                dst,
                to,
                next: [None, next_to],
                exactly: Some(self.len),
                is_bytes: is_at_bytes,
                is_chain: self.is_chain,
            };
            // SAFETY: the caller's promise: the rows of every block are the box's. The stages have room for all rows, what
            // is between them included, and for what is read and written beside them.
            unsafe {
                match &self.how {
                    How::Program(program) => {
                        let none = [None; 2];
                        let mut at = At { src: near, dst: moved };
                        match self.is_direct[0] {
                            true => at.src = self.from(src, from, near),
                            false => self.read(Pass { next: none, ..into }, src),
                        }
                        if self.is_direct[1] {
                            at.dst = dst.wrapping_offset((to >> 3) as isize);
                        }
                        match next.filter(|_| !self.is_direct[0]) {
                            None => {
                                // A source that is read where it is goes on at the next block.
                                let following = here.filter(|_| self.is_direct[0]);
                                let following = following.map_or(at.src, |(from, _)| {
                                    src.start.wrapping_offset((from >> 3) as isize)
                                });
                                machine::run_before(program, at, near_stores, following);
                            }
                            Some((from, to)) => {
                                let [src_lines, dst_lines] = &self.lines;
                                let src_soon = src_lines.soon(src.start, from);
                                let dst_soon = dst_lines.soon(dst.cast_const(), to);
                                let lines = &mut [src_soon, dst_soon];
                                // What is streamed is not read.
                                let n = if streams { 1 } else { 2 };
                                machine::run_asking(program, at, &mut lines[..n]);
                            }
                        }
                        if streams {
                            let block = Pass { src: moved, next: none, dst: packed, to: 0, ..out };
                            self.level.run(block);
                            let behind = to + 8 * self.streamed as i64;
                            let begins = end != Some(to);
                            let ends = here.is_none_or(|(_, to)| to != behind);
                            let part = Part { len: self.streamed, begins, ends };
                            let to = dst.wrapping_offset((to >> 3) as isize);
                            self.level.run(Streamed { part, from: packed, to });
                            end = Some(behind);
                            continue;
                        }
                        if !self.is_direct[1] {
                            self.write(Pass { src: moved, next: none, ..out }, is_at_bytes, packed);
                        }
                    }
                    How::Apart if is_at_bytes => {
                        let next = [next_from, next_to];
                        let (rows, exactly) = (&self.packed[0], Some(self.len));
                        let is_bytes = true;
                        self.read(Pass { rows, dst, to, next, exactly, is_bytes, ..into }, src);
                    }
                    How::Stage | How::Apart => {
                        self.read(into, src);
                        self.write(out, is_at_bytes, packed);
                    }
                    How::Together => {
                        let next = [next_from, next_to];
                        let out = Pass { src: src.start, from, next, ..out };
                        if self.is_inside(&out, src) {
                            self.write(out, is_at_bytes, packed);
                        } else {
                            self.write_last(out, src, is_at_bytes, packed);
                        }
                    }
                }
            }
        }
        if stores == Stores::Streamed {
            fence();
        }
    }

    /// Whether all that registers reach lies in the source.
    fn is_inside(&self, pass: &Pass<'_>, src: &Range<*const u8>) -> bool {
        let (first, last) = self.begin;
        pass.is_inside(pass.from + first, src) && pass.is_inside(pass.from + last, src)
    }

    /// Where a program reads what is moved from where it is, from this bit of the source on: there, or where less is left of the
    /// source than it reads, in a copy at `near`.
    ///
    /// # Safety
    /// As [`run`](Self::run), for a block; `near` is a stage.
    #[inline(always)]
    unsafe fn from(&self, src: &Range<*const u8>, bit: i64, near: *mut u8) -> *const u8 {
        let from = src.start.wrapping_offset((bit >> 3) as isize);
        let left = (src.end as usize).saturating_sub(from as usize);
        if left >= self.reach {
            return from;
        }
        // SAFETY: the bytes are the source's, in which a block begins; what is read on has room in a stage, and what is not
        // does not come here.
        unsafe {
            near.write_bytes(0, self.reach);
            std::ptr::copy_nonoverlapping(from, near, left);
        }
        near
    }

    /// Copies rows of the source.
    ///
    /// # Safety
    /// As [`run`](Self::run), for a block.
    unsafe fn read(&self, pass: Pass<'_>, src: &Range<*const u8>) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.is_inside(&pass, src) {
                true => self.level.run(pass),
                false => self.by_copy(pass, src, |pass, _| self.level.run(pass)),
            }
        }
    }

    /// Copies rows near either end of the source, beyond which nothing may be read, from a copy with room around it: all of them
    /// at once if that is little, and else one by one, those between from where they are. `copy` is told whether it is all.
    ///
    /// # Safety
    /// As [`run`](Self::run), for a block.
    #[inline(never)]
    unsafe fn by_copy(
        &self,
        pass: Pass<'_>,
        src: &Range<*const u8>,
        mut copy: impl FnMut(Pass<'_>, bool),
    ) {
        let mut bytes = Copied(MaybeUninit::uninit());
        let bytes = room(&mut bytes.0);
        let end = (src.end as usize).wrapping_sub(src.start as usize);
        let at = bytes.wrapping_add(BESIDE);
        let reach = pass.spacing.reach + 1;
        // What is beside rows is read, and had better be something.
        // SAFETY: there is room for it.
        unsafe { bytes.write_bytes(0, BESIDE) };
        // What rows read from here on: what the source has of that, and zeros.
        let take = |first: usize, reach: usize| {
            let len = reach.min(end.saturating_sub(first)).min(MOST_COPIED);
            // SAFETY: the bytes are the source's, and there is room for them and what is beside them.
            unsafe {
                std::ptr::copy_nonoverlapping(src.start.wrapping_add(first), at, len);
                at.wrapping_add(len).write_bytes(0, reach.min(MOST_COPIED) - len + BESIDE);
            }
        };
        let (first, last) = self.begin;
        let begin = (first + pass.from) >> 3;
        let all = ((last - first) >> 3) as usize + 1 + reach;
        if all <= MOST_COPIED {
            take(begin as usize, all);
            let from = pass.from - 8 * begin;
            return copy(Pass { src: at, from, next: [None; 2], ..pass }, true);
        }
        let mut rows = pass.rows;
        while let Some(row) = rows.first() {
            let bit = pass.from + row.from;
            let is_inside = |row: &&Row| pass.is_inside(pass.from + row.from, src);
            let inside = rows.iter().take_while(is_inside).count();
            if inside > 0 {
                copy(Pass { rows: &rows[..inside], ..pass }, false);
                rows = &rows[inside..];
                continue;
            }
            take((bit >> 3) as usize, reach);
            let here = [Row { from: 0, ..*row }];
            copy(Pass { src: at, from: bit & 7, rows: &here, next: [None; 2], ..pass }, false);
            rows = &rows[1..];
        }
    }

    /// Copies rows to the destination, of a stage or of a source that is inside.
    ///
    /// # Safety
    /// As [`run`](Self::run), for a block.
    unsafe fn write(&self, pass: Pass<'_>, is_at_bytes: bool, packed: *mut u8) {
        // SAFETY: the caller's promise; there is room for rows as they are packed.
        unsafe {
            if is_at_bytes || pass.spacing.is_same() {
                return self.level.run(pass);
            }
            let [into, out] = &self.packed;
            let next = [pass.next[0], None];
            self.level.run(Pass { rows: into, dst: packed, to: 0, next, exactly: None, ..pass });
            let (spacing, next) = (&Spacing::same(self.len), [None, pass.next[1]]);
            self.level.run(Pass { spacing, rows: out, src: packed, from: 0, next, ..pass });
        }
    }

    /// The same of a source whose ends are near.
    ///
    /// # Safety
    /// As [`write`](Self::write).
    #[inline(never)]
    unsafe fn write_last(
        &self,
        pass: Pass<'_>,
        src: &Range<*const u8>,
        is_at_bytes: bool,
        packed: *mut u8,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            self.by_copy(pass, src, |one, is_all| {
                if is_all {
                    return self.write(one, is_at_bytes, packed);
                }
                if is_at_bytes || pass.spacing.is_same() {
                    return self.level.run(one);
                }
                let spacing = &Spacing::same(self.len);
                for row in one.rows {
                    let into = [Row { to: 0, ..*row }];
                    self.level.run(Pass { rows: &into, dst: packed, to: 0, exactly: None, ..one });
                    let out = [Row { from: 0, to: row.to }];
                    self.level.run(Pass { spacing, rows: &out, src: packed, from: 0, ..one });
                }
            });
        }
    }

    /// The bytes of rows as they are packed before they go to memory.
    fn packed_bytes(&self) -> usize {
        self.packed[1].len() * packed_pitch(self.len)
    }
}

/// A block that is streamed from a stage.
struct Streamed {
    part: Part,
    from: *mut u8,
    to: *mut u8,
}

impl Task for Streamed {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        // SAFETY: the caller's promise: a stage has room for the part and before it, and the part can be written where it goes.
        unsafe { self.part.stream::<R>(self.from, self.to) }
    }
}

/// From one packed row to the next, of rows of so many bits.
fn packed_pitch(len: usize) -> usize {
    len.div_ceil(8).next_multiple_of(16) + 64
}

/// Memory for a copy of what is near an end of the source.
#[repr(align(64))]
struct Copied(MaybeUninit<[u8; MOST_COPIED + 2 * BESIDE]>);

/// Memory for the rows of a side.
#[repr(align(64))]
struct Stage(MaybeUninit<[u8; MOST_STAGE + 2 * BESIDE]>);

#[cfg(test)]
mod tests;
