//! Copies of what is swizzled: 16 bytes at a time, whose places have some bits flipped by higher ones.

use super::Means;
use super::level::{Task, fence, prefetch, prefetch_near};
use super::place::{At, CACHED, LINE, STREAMED, Stores, put};
use super::register::Register;

/// What is copied at a time: no bit below it is flipped.
pub(crate) const PIECE: usize = 16;

/// Bits of a byte's place that higher ones flip: a swizzle of whole pieces. Applied twice it is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flips {
    /// How far above the flipped bits those are that flip them.
    pub(crate) shift: u32,
    /// The flipped bits.
    pub(crate) mask: usize,
}

impl Flips {
    /// Where the byte lies whose place would be `place`.
    #[inline(always)]
    pub(super) fn of(self, place: usize) -> usize {
        place ^ ((place >> self.shift) & self.mask)
    }

    /// The bits of a place that flip others.
    #[inline(always)]
    pub(super) fn flipping(self) -> usize {
        self.mask << self.shift
    }

    /// The bits of a place that say how it is flipped, and those that are.
    pub(super) fn period(self) -> usize {
        (self.flipping() | self.mask).checked_next_power_of_two().unwrap_or(0).wrapping_sub(1)
    }

    /// Bytes change their places within groups of so many.
    pub(crate) fn group(self) -> usize {
        (self.mask + 1).next_power_of_two()
    }

    /// Whether the groups of the bits from `low` to `high` behind bit `start` lie within `len` bytes, the first of which has place
    /// `place`; and whether that bit is the first of so many `whole` bytes.
    pub(super) fn are_within(
        self,
        start: i64,
        (low, high): (i64, i64),
        (place, len): (usize, usize),
        whole: usize,
    ) -> bool {
        let byte = |bits: i64| {
            let bits = start.checked_add(bits).filter(|bits| bits % 8 == 0)?;
            usize::try_from(bits / 8).ok()?.checked_add(place)
        };
        let (Some(first), Some(end), Some(begins)) = (byte(low), byte(high), byte(0)) else {
            return false;
        };
        let groups = self.groups_of(first..end);
        begins.is_multiple_of(whole) && groups.start >= place && groups.end - place <= len
    }

    /// The whole groups that have some bytes.
    pub(crate) fn groups_of(self, bytes: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let whole = self.group() - 1;
        bytes.start & !whole..bytes.end.saturating_add(whole) & !whole
    }
}

/// Whose bytes have changed places, or are to change them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Source,
    /// The destination, whose bytes begin at this place.
    Destination(usize),
}

/// A part of a source, from byte `start` of it on, and the swizzle of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flipped<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) start: usize,
    pub(crate) flips: Flips,
    pub(crate) side: Side,
}

/// Rows of equal length.
#[derive(Clone, Debug)]
pub(crate) struct RowList {
    /// How far behind a place in the source each begins, and behind one in the destination.
    places: Vec<(i64, i64)>,
    /// The lowest and the highest of these on either side.
    low: (i64, i64),
    high: (i64, i64),
    /// All bits that are set in any of them, on either side.
    bits: (i64, i64),
    /// The bytes of each.
    len: usize,
}

impl RowList {
    pub(crate) fn new(places: Vec<(i64, i64)>, len: usize) -> Self {
        let first = places.first().copied().unwrap_or_default();
        let (mut low, mut high, mut bits) = (first, first, (0, 0));
        for &(src, dst) in &places {
            low = (low.0.min(src), low.1.min(dst));
            high = (high.0.max(src), high.1.max(dst));
            bits = (bits.0 | src, bits.1 | dst);
        }
        RowList { places, low, high, bits, len }
    }

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        self.places.capacity() * size_of::<(i64, i64)>()
    }
}

/// A row, in bytes from the beginning of the source and of the destination.
#[derive(Clone, Copy, Debug)]
struct Row {
    from: usize,
    to: usize,
    len: usize,
    /// The place that its bytes are counted from in what is swizzled.
    place: usize,
}

impl Flipped<'_> {
    /// Copies rows from place `at` of the source on to byte `to` of `dst`. What lies `next` bytes behind each row in the
    /// source is asked for, unless that is 0.
    ///
    /// All of every piece of the source is copied of which a row has some, as far as it is there; of a swizzled destination rows
    /// are whole groups.
    pub(crate) fn copy_rows(
        &self,
        at: i64,
        to: i64,
        rows: &RowList,
        next: i64,
        dst: &mut [u8],
        means: Means,
    ) {
        let from = (at, to);
        if self.are_there(from, rows, dst.len()) == Some(true) {
            let at = At { src: self.bytes.as_ptr(), dst: dst.as_mut_ptr() };
            let copy = Copy { at, of: self, from, rows, next, stores: means.stores };
            // SAFETY: the rows were found to lie in the destination, and the groups that they are read from in the source,
            // which cannot overlap.
            unsafe { means.level.run(copy) };
        } else {
            let rows = rows.places.iter().filter_map(|&row| self.row(from, row, rows.len));
            rows.for_each(|row| self.copy_in_pieces(row, dst));
        }
        if means.stores == Stores::Streamed {
            fence();
        }
    }

    /// Whether all pieces that rows are made of can be read, whatever bits are flipped, and be written. `None` if a number is too
    /// large.
    fn are_there(&self, from: (i64, i64), rows: &RowList, dst_len: usize) -> Option<bool> {
        let len = i64::try_from(rows.len.checked_next_multiple_of(PIECE)?).ok()?;
        let low = (from.0.checked_add(rows.low.0)?, from.1.checked_add(rows.low.1)?);
        let high = (from.0.checked_add(rows.high.0)?, from.1.checked_add(rows.high.1)?);
        let end = (high.0.checked_add(len)?, high.1.checked_add(len)?);
        let bytes = usize::try_from(low.0).ok()?..usize::try_from(end.0).ok()?;
        // Beside what is read there is what else pieces and groups have; beside what is written, what else pieces have.
        let (read, beside) = match self.side {
            Side::Source => {
                let begin_pieces = (from.0 | rows.bits.0) % PIECE as i64 == 0;
                (self.flips.groups_of(bytes), if begin_pieces { 0 } else { PIECE as i64 })
            }
            Side::Destination(start) => {
                let place = i64::try_from(start).ok()?.checked_add(from.1)?;
                let group = self.flips.group() as i64;
                if (place | rows.bits.1 | len) % group != 0 {
                    return Some(false);
                }
                (bytes, 0)
            }
        };
        let are_read = read.start >= self.start && read.end - self.start <= self.bytes.len();
        let last = usize::try_from(end.1.checked_add(beside)?).ok()?;
        Some(are_read && low.1 >= beside && last <= dst_len)
    }

    /// A row of so many bytes, whole pieces of it; `None` if it begins before the source or the destination.
    #[inline(always)]
    fn row(&self, from: (i64, i64), row: (i64, i64), len: usize) -> Option<Row> {
        let (at, to) = (from.0.checked_add(row.0)?, from.1.checked_add(row.1)?);
        let begins = at >= 0 && to >= if self.side == Side::Source { at % PIECE as i64 } else { 0 };
        begins.then(|| self.row_at(at, to, len))
    }

    /// The same of one that begins at these bytes.
    #[inline(always)]
    fn row_at(&self, at: i64, to: i64, len: usize) -> Row {
        let (at, to) = (at as usize, to as usize);
        let lead = if self.side == Side::Source { at % PIECE } else { 0 };
        let len = (lead + len).div_ceil(PIECE) * PIECE;
        let (from, to) = (at - lead, to - lead);
        let place = match self.side {
            Side::Source => from,
            Side::Destination(start) => start + to,
        };
        Row { from, to, len, place }
    }

    /// Copies a row of which not all is there.
    fn copy_in_pieces(&self, row: Row, dst: &mut [u8]) {
        for piece in (0..row.len).step_by(PIECE) {
            let place = row.from + self.flips.of(row.place + piece);
            let Some(from) = place.checked_sub(row.place + self.start) else { continue };
            let part = self.bytes.get(from..).unwrap_or_default();
            let room = dst.get_mut(row.to + piece..).unwrap_or_default();
            let n = part.len().min(room.len()).min(PIECE);
            if let (Some(part), Some(room)) = (part.get(..n), room.get_mut(..n)) {
                room.copy_from_slice(part);
            }
        }
    }
}

/// Copies rows whose groups all are there.
struct Copy<'a> {
    /// The first bytes that there are of both sides.
    at: At,
    of: &'a Flipped<'a>,
    /// The places that rows are counted from.
    from: (i64, i64),
    rows: &'a RowList,
    next: i64,
    stores: Stores,
}

impl Task for Copy<'_> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        // SAFETY: the caller's promise; lines are streamed to.
        unsafe {
            match self.lines() {
                // What comes from memory, lane by lane: longer registers took up to twice as long, but to parts of lines.
                Some(lines) if self.stores == Stores::Streamed => match lines.are_written {
                    true => self.copy_lines::<R::Lane, STREAMED>(&lines),
                    false => self.copy_lines::<R, CACHED>(&lines),
                },
                Some(lines) if self.next != 0 => self.copy_lines::<R::Lane, CACHED>(&lines),
                Some(lines) => self.copy_lines::<R, CACHED>(&lines),
                None => self.copy_pieces::<R>(),
            }
        }
    }
}

/// Rows that are whole lines of what is swizzled, in each of which the same bits are flipped.
struct Lines {
    /// The place of a row that begins where rows are counted from.
    place: i64,
    /// Whether they are whole lines of the destination, too.
    are_written: bool,
}

impl Copy<'_> {
    /// `None` if the rows are not such.
    fn lines(&self) -> Option<Lines> {
        let Flips { shift, mask } = self.of.flips;
        let (place, bits) = match self.of.side {
            Side::Source => (self.from.0, self.rows.bits.0),
            Side::Destination(start) => (start as i64 + self.from.1, self.rows.bits.1),
        };
        let is_lines = |bytes: i64| bytes % LINE as i64 == 0;
        let to = self.at.plus(0, self.from.1).to_line() as i64;
        let are_written = is_lines(to | self.rows.bits.1);
        let are = is_lines(place | bits | self.rows.len as i64 | (mask << shift) as i64);
        are.then_some(Lines { place, are_written })
    }

    /// # Safety
    /// The processor has these registers, the rows can be written, and the groups that they lie in can be read; they are such
    /// lines, and written by whole lines if they are streamed.
    #[inline(always)]
    unsafe fn copy_lines<R: Register, const S: u8>(&self, lines: &Lines) {
        let Flips { shift, mask } = self.of.flips;
        let (len, next) = (self.rows.len, self.next);
        let first = self.at.plus(self.from.0 - self.of.start as i64, self.from.1);
        for &(src, dst) in &self.rows.places {
            let row = first.plus(src, dst);
            let of_row = if self.of.side == Side::Source { src } else { dst };
            let place = (lines.place + of_row) as usize;
            // Where place 0 would be read from.
            let zero = row.plus(-(place as i64), 0).src;
            let mut done = 0;
            while done < len {
                let soon = row.plus(next + done as i64, 0).src;
                match next {
                    0 => {}
                    _ if S == STREAMED => prefetch(soon),
                    _ => prefetch_near(soon),
                }
                let flipped = ((place + done) >> shift) & mask;
                let lanes = flipped % R::BYTES / PIECE;
                let others = flipped % LINE / R::BYTES * R::BYTES;
                // Of the group, the line that has these bits flipped too.
                let line = (place + done) ^ (flipped / LINE * LINE);
                let mut part = 0;
                while part < LINE {
                    let from = zero.wrapping_add(line + (part ^ others));
                    // SAFETY: the caller's promise: the group can be read, and this line be written. No bit of a line's place
                    // within its line is set.
                    unsafe {
                        let register = R::load(from).with_lanes_flipped(lanes);
                        put::<R, S>(register, row.dst.wrapping_add(done + part));
                    }
                    part += R::BYTES;
                }
                done += LINE;
            }
        }
    }

    /// # Safety
    /// The processor has these registers, the rows can be written, and the groups that they lie in can be read.
    #[inline(always)]
    unsafe fn copy_pieces<R: Register>(&self) {
        for &row in &self.rows.places {
            let row = self.of.row_at(self.from.0 + row.0, self.from.1 + row.1, self.rows.len);
            let from = row.from as i64 - (self.of.start + row.place) as i64;
            // Where place 0 of what is swizzled would be read from.
            let at = self.at.plus(from, row.to as i64);
            let mut done = 0;
            while done < row.len {
                let place = row.place + done;
                if self.next != 0 && (done == 0 || place.is_multiple_of(LINE)) {
                    prefetch_near(at.plus(self.next + place as i64, 0).src);
                }
                let here = at.plus(self.of.flips.of(place) as i64, done as i64);
                // SAFETY: the caller's promise, of a single piece.
                unsafe { R::Lane::load(here.src).store(here.dst) };
                done += PIECE;
            }
        }
    }
}
