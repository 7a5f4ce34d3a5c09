//! Rows that are copied to a stage, and from there to where they go.

use super::block::{Gathered, Out};
use super::level::{prefetch, waits_for_two_lines};
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

/// Copies the rows of a block to where they go.
///
/// # Safety
/// The processor has the registers that it was made for; the rows can be read from the stage, and
/// written.
pub(super) type CopyOut = unsafe fn(&Out, *mut u8, Blocks);

/// Where a block goes, and where the one before went, whose last lines may not be full yet. Either
/// is null if there is none. Blocks are numbered from 1 on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    pub(super) before: *mut u8,
    pub(super) here: *mut u8,
    pub(super) number: usize,
}

/// # Safety
/// As [`CopyOut`].
#[inline(always)]
pub(super) unsafe fn copy_rows<R: Register>(out: &Out, stage: *mut u8, blocks: Blocks) {
    let Blocks { before, here, .. } = blocks;
    let goes_on = before.wrapping_offset(out.len as isize) == here;
    // SAFETY: the caller's promise.
    unsafe {
        if !before.is_null() && !goes_on && out.has_tails {
            for (number, &row) in out.rows.iter().enumerate() {
                let kept =
                    stage.wrapping_offset(number as isize * out.pitch as isize + LINE as isize);
                let end = before.wrapping_offset((row + out.len) as isize);
                let part = end as usize % LINE;
                copy_bytes::<R>(kept.wrapping_sub(part), end.wrapping_sub(part), part);
            }
        }
        if here.is_null() {
            return;
        }
        for (number, &row) in out.rows.iter().enumerate() {
            let mut from =
                stage.wrapping_offset(number as isize * out.pitch as isize + LINE as isize);
            let kept = from.wrapping_sub(LINE);
            let mut to = here.wrapping_offset(row as isize);
            let end = to.wrapping_offset(out.len as isize);
            let part = to as usize % LINE;
            if part != 0 {
                if goes_on {
                    (from, to) = (from.wrapping_sub(part), to.wrapping_sub(part));
                } else {
                    let head = LINE - part;
                    copy_bytes::<R>(from, to, head);
                    (from, to) = (from.wrapping_add(head), to.wrapping_add(head));
                }
            }
            let last = end.wrapping_sub(end as usize % LINE);
            while to < last {
                copy_line::<R, STREAMED>(from, to);
                (from, to) = (from.wrapping_add(LINE), to.wrapping_add(LINE));
            }
            if to < end {
                // The last line's worth of the row, of which the end is what is left.
                let from = from.wrapping_add(end as usize % LINE).wrapping_sub(LINE);
                let mut place = 0;
                while place < LINE {
                    R::load(from.wrapping_add(place)).store(kept.wrapping_add(place));
                    place += R::BYTES;
                }
            }
        }
    }
}

/// Copies the whole lines of the rows of a block that are not the next one's; of the first and the last along the rows, their
/// ends too.
///
/// # Safety
/// As [`CopyOut`].
#[inline(always)]
pub(super) unsafe fn copy_lines<R: Register>(out: &Out, stage: *mut u8, blocks: Blocks) {
    let (Blocks { here, number, .. }, Some(along)) = (blocks, &out.along) else { return };
    if here.is_null() {
        return;
    }
    let step = (number - 1) / along.within % along.count;
    let (is_first, is_last) = (step == 0, step == along.count - 1);
    let len = out.len as usize;
    let mut row_from = stage.wrapping_add(LINE);
    for &row in &out.rows {
        let (mut from, mut to) = (row_from, here.wrapping_offset(row as isize));
        let end = to.wrapping_add(len);
        row_from = row_from.wrapping_offset(out.pitch as isize);
        let head = (to as usize).wrapping_neg() % LINE;
        // Where the next block goes on, if there is one.
        let last = match is_last {
            true => end.wrapping_sub(end as usize % LINE),
            false => to.wrapping_add(head + along.bytes),
        };
        // SAFETY: the caller's promise.
        unsafe {
            if is_first {
                copy_bytes::<R>(from, to, head);
            }
            (from, to) = (from.wrapping_add(head), to.wrapping_add(head));
            while to < last {
                copy_line::<R, STREAMED>(from, to);
                (from, to) = (from.wrapping_add(LINE), to.wrapping_add(LINE));
            }
            if is_last {
                copy_bytes::<R>(from, to, end as usize % LINE);
            }
        }
    }
}

/// Lines of rows are asked for so many rows ahead.
const ROWS_AHEAD: usize = 4;

/// Copies rows of at least a line into the caches.
///
/// # Safety
/// As [`CopyOut`].
#[inline(always)]
pub(super) unsafe fn copy_rows_cached<R: Register>(out: &Out, stage: *mut u8, blocks: Blocks) {
    if blocks.here.is_null() {
        return;
    }
    let mut from = stage.wrapping_add(LINE);
    let waits = waits_for_two_lines();
    for (number, &row) in out.rows.iter().enumerate() {
        if waits && let Some(next) = out.rows.get(number + ROWS_AHEAD) {
            ask_for_row(blocks.here.wrapping_offset(*next as isize), out.len as usize);
        }
        // SAFETY: the caller's promise.
        unsafe {
            copy_row::<R>(from, blocks.here.wrapping_offset(row as isize), out.len as usize);
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
