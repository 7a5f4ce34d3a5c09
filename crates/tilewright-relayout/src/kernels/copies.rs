//! Rows that are copied to a stage, and from there to where they go.

use super::block::{Gathered, Out};
use super::level::{prefetch, waits_for_two_lines};
use super::panels::Soon;
use super::place::{LINE, STREAMED, put};
use super::register::Register;

/// Copies the rows of a panel from here to a stage.
///
/// # Safety
/// The processor has the registers that it was made for; the rows can be read, and there is room for them.
pub(super) type CopyIn = unsafe fn(&Gathered, *const u8, *mut u8);

/// Copies rows of at least a line to a stage.
///
/// # Safety
/// As [`CopyIn`].
#[inline(always)]
pub(super) unsafe fn gather_rows<R: Register>(gathered: &Gathered, src: *const u8, stage: *mut u8) {
    let mut to = stage.wrapping_add(gathered.first);
    for &row in &gathered.rows {
        // SAFETY: the caller's promise.
        unsafe { copy_row::<R>(src.wrapping_offset(row as isize), to, gathered.len as usize) };
        to = to.wrapping_offset(gathered.pitch as isize);
    }
}

/// Copies at least a register into the caches.
///
/// # Safety
/// The processor has the registers; so many bytes can be read and written at the places, which do not overlap.
#[inline(always)]
unsafe fn copy_row<R: Register>(from: *const u8, to: *mut u8, len: usize) {
    let (mut place, last) = (0, len - R::BYTES);
    // SAFETY: the caller's promise: every register is one of the row's, the last one of its end.
    unsafe {
        while place < last {
            R::load(from.wrapping_add(place)).store(to.wrapping_add(place));
            place += R::BYTES;
        }
        R::load(from.wrapping_add(last)).store(to.wrapping_add(last));
    }
}

/// Copies the rows of a block to where they go, and asks for lines meanwhile.
///
/// # Safety
/// The processor has the registers that it was made for; the rows can be read from the stage, and
/// written.
pub(super) type CopyOut = unsafe fn(&Out, *mut u8, PlacedBlock, &mut Soon<'_>);

/// Where a block goes, and whether its rows begin and end there or go on with those of the block before and after.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedBlock {
    pub(super) here: *mut u8,
    pub(super) begins: bool,
    pub(super) ends: bool,
}

/// # Safety
/// As [`CopyOut`].
#[inline(always)]
pub(super) unsafe fn copy_rows<R: Register>(
    out: &Out,
    stage: *mut u8,
    placed: PlacedBlock,
    soon: &mut Soon<'_>,
) {
    let PlacedBlock { here, begins, ends } = placed;
    let mut from = stage.wrapping_add(LINE);
    for &row in &out.rows {
        let part = Part { len: out.len as usize, begins, ends };
        let to = here.wrapping_offset(row as isize);
        // SAFETY: the caller's promise.
        unsafe { part.stream_and_ask::<R>(from, to, from, soon) };
        from = from.wrapping_offset(out.pitch as isize);
    }
}

/// Copies rows of a block to where they go that follow each other, so that each goes on with the line in which the one before ends, and the next block with the
/// last one's.
///
/// # Safety
/// As [`CopyOut`].
#[inline(always)]
pub(super) unsafe fn copy_following_rows<R: Register>(
    out: &Out,
    stage: *mut u8,
    placed: PlacedBlock,
    soon: &mut Soon<'_>,
) {
    let PlacedBlock { here, begins, ends } = placed;
    let first = stage.wrapping_add(LINE);
    let mut from = first;
    for (number, &row) in out.rows.iter().enumerate() {
        let is_last = number + 1 == out.rows.len();
        let next = if is_last { first } else { from.wrapping_offset(out.pitch as isize) };
        let part =
            Part { len: out.len as usize, begins: begins && number == 0, ends: ends && is_last };
        let to = here.wrapping_offset(row as isize);
        // SAFETY: the caller's promise.
        unsafe { part.stream_and_ask::<R>(from, to, next, soon) };
        from = next;
    }
}

/// A part of a row that is put together in a stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Its bytes, at least a line's if the row begins with it and goes on.
    pub(super) len: usize,
    /// Whether it is the row's first, and its last.
    pub(super) begins: bool,
    pub(super) ends: bool,
}

impl Part {
    /// Copies its lines past the caches. Of the line that it begins within, the part before has left what is before it in the line of
    /// room there is before it in the stage; what it has of the line that it ends within is left there for the one that goes on.
    ///
    /// # Safety
    /// The processor has the registers; the part and the room before it can be read and written, and the part's bytes can be
    /// at `to`, as those of the parts before.
    #[inline(always)]
    pub(super) unsafe fn stream<R: Register>(self, from: *mut u8, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.stream_before::<R>(from, to, from, || {}) }
    }

    /// The same where what goes on with it is at `next` in the stage, and lines are asked for meanwhile, if there are any.
    ///
    /// # Safety
    /// As [`stream_before`](Self::stream_before).
    #[inline(always)]
    unsafe fn stream_and_ask<R: Register>(
        self,
        from: *mut u8,
        to: *mut u8,
        next: *mut u8,
        soon: &mut Soon<'_>,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            match soon.asks::<R>() {
                true => self.stream_before::<R>(from, to, next, || soon.ask()),
                false => self.stream_before::<R>(from, to, next, || {}),
            }
        }
    }

    /// The same where what it leaves is put in the line of room before `next` in the stage, and something is done with each line.
    ///
    /// # Safety
    /// As [`stream`](Self::stream); the room there can be written.
    #[inline(always)]
    unsafe fn stream_before<R: Register>(
        self,
        mut from: *mut u8,
        mut to: *mut u8,
        next: *mut u8,
        mut with_each: impl FnMut(),
    ) {
        let Part { len, begins, ends } = self;
        debug_assert!(!begins || ends || len >= LINE, "{self:?}");
        let room = next.wrapping_sub(LINE);
        let (from_end, end) = (from.wrapping_add(len), to.wrapping_add(len));
        let before = to as usize % LINE;
        // SAFETY: the caller's promise.
        unsafe {
            if begins && before != 0 {
                let head = (LINE - before).min(len);
                with_each();
                copy_bytes::<R>(from, to, head);
                (from, to) = (from.wrapping_add(head), to.wrapping_add(head));
            } else {
                (from, to) = (from.wrapping_sub(before), to.wrapping_sub(before));
            }
            let last = end.wrapping_sub(end as usize % LINE);
            while to < last {
                with_each();
                copy_line::<R, STREAMED>(from, to);
                (from, to) = (from.wrapping_add(LINE), to.wrapping_add(LINE));
            }
            if to >= end {
                return;
            }
            if ends {
                return copy_bytes::<R>(from, to, end as usize - to as usize);
            }
            // The last line's worth of the row, of which the end is what is left.
            let from = from_end.wrapping_sub(LINE);
            let mut place = 0;
            while place < LINE {
                R::load(from.wrapping_add(place)).store(room.wrapping_add(place));
                place += R::BYTES;
            }
        }
    }
}

/// Lines of rows are asked for so many rows ahead.
const ROWS_AHEAD: usize = 4;

/// Copies rows of at least a line into the caches, and asks for lines meanwhile.
///
/// # Safety
/// As [`CopyOut`].
#[inline(always)]
pub(super) unsafe fn copy_rows_cached<R: Register>(
    out: &Out,
    stage: *mut u8,
    placed: PlacedBlock,
    soon: &mut Soon<'_>,
) {
    let mut from = stage.wrapping_add(LINE);
    let waits = waits_for_two_lines();
    for (number, &row) in out.rows.iter().enumerate() {
        soon.ask_with::<R>(out.len as usize);
        if waits && let Some(next) = out.rows.get(number + ROWS_AHEAD) {
            ask_for_row(placed.here.wrapping_offset(*next as isize), out.len as usize);
        }
        // SAFETY: the caller's promise.
        unsafe {
            copy_row::<R>(from, placed.here.wrapping_offset(row as isize), out.len as usize);
        }
        from = from.wrapping_offset(out.pitch as isize);
    }
}

/// Asks for the lines of a row that begins within one.
#[inline(always)]
fn ask_for_row(row: *const u8, len: usize) {
    if (row as usize).is_multiple_of(LINE) {
        return;
    }
    let mut done = 0;
    while done < len + LINE - 1 {
        prefetch(row.wrapping_add(done.min(len - 1)));
        done += LINE;
    }
}

/// Copies a line, past the caches if `S` is [`STREAMED`].
///
/// # Safety
/// The processor has the registers; a line can be read, and written at `to`, where one begins if it is streamed.
#[inline(always)]
pub(super) unsafe fn copy_line<R: Register, const S: u8>(from: *const u8, to: *mut u8) {
    let mut place = 0;
    while place < LINE {
        // SAFETY: the caller's promise.
        unsafe {
            put::<R, S>(R::load(from.wrapping_add(place)), to.wrapping_add(place));
        }
        place += R::BYTES;
    }
}

/// Copies less than a line.
///
/// # Safety
/// The processor has the registers. So many bytes can be read and written at the places, which do not overlap.
#[inline(always)]
unsafe fn copy_bytes<R: Register>(from: *const u8, to: *mut u8, bytes: usize) {
    let mut done = 0;
    while done < bytes {
        let left = (bytes - done).min(R::BYTES);
        // SAFETY: the caller's promise.
        unsafe {
            R::load_first(from.wrapping_add(done), left).store_first(to.wrapping_add(done), left);
        }
        done += R::BYTES;
    }
}
