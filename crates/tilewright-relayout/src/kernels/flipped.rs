//! Copies of what is swizzled: 16 bytes at a time, whose places have some bits flipped by higher ones.

use super::Means;
use super::level::{Task, fence, prefetch_near};
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
    fn of(self, place: usize) -> usize {
        place ^ ((place >> self.shift) & self.mask)
    }

    /// Bytes change their places within groups of so many.
    pub(crate) fn group(self) -> usize {
        (self.mask + 1).next_power_of_two()
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
        for &row in &self.rows.places {
            let row = self.of.row_at(self.from.0 + row.0, self.from.1 + row.1, self.rows.len);
            let from = row.from as i64 - (self.of.start + row.place) as i64;
            // Where place 0 of what is swizzled would be read from.
            let at = self.at.plus(from, row.to as i64);
            let is_lines = at.to_line() == 0 && row.len.is_multiple_of(LINE);
            // SAFETY: the caller's promise; lines are streamed to.
            unsafe {
                match self.stores {
                    // Lane by lane: longer registers took up to twice as long for rows of a line or two.
                    Stores::Streamed if is_lines => self.copy_row::<R::Lane, STREAMED>(row, at),
                    _ => self.copy_row::<R, CACHED>(row, at),
                }
            }
        }
    }
}

impl Copy<'_> {
    /// # Safety
    /// The processor has these registers, the row can be written, and the groups that it lies in can be read; for streaming it is
    /// written by lines.
    #[inline(always)]
    unsafe fn copy_row<R: Register, const S: u8>(&self, row: Row, at: At) {
        let Flips { shift, mask } = self.of.flips;
        let mut done = 0;
        while done < row.len {
            let place = row.place + done;
            if self.next != 0 && (done == 0 || place.is_multiple_of(LINE)) {
                prefetch_near(at.plus(self.next + place as i64, 0).src);
            }
            // All that a register has of a group has the same bits flipped.
            if mask >= LINE / 2 && place.is_multiple_of(LINE) && done + LINE <= row.len {
                let flipped = (place >> shift) & mask;
                let lanes = flipped % R::BYTES / PIECE;
                let mut part = 0;
                while part < LINE {
                    let from = (place + part) ^ (flipped - lanes * PIECE);
                    let here = at.plus(from as i64, (done + part) as i64);
                    // SAFETY: the caller's promise: the group can be read, and this part be written.
                    unsafe {
                        let register = R::load(here.src).with_lanes_flipped(lanes);
                        put::<R, S>(register, here.dst);
                    }
                    part += R::BYTES;
                }
                done += LINE;
            } else {
                let here = at.plus(self.of.flips.of(place) as i64, done as i64);
                // SAFETY: as above, of a single piece.
                unsafe { put::<R::Lane, S>(R::Lane::load(here.src), here.dst) };
                done += PIECE;
            }
        }
    }
}
