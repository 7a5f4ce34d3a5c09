//! Runs: bytes that are neighbours on both sides.

use super::place::{At, LINE, Stores, put};
use super::register::Register;

/// Copies a run. Streamed, the lines that it fills go past the caches, its ends do not.
///
/// # Safety
/// The processor has these registers; `len` bytes can be read and written at the two places,
/// which do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_run<R: Register>(at: At, len: usize, stores: Stores) {
    let head = at.to_line();
    // SAFETY: every step stays within `len` bytes of either side; streamed registers are at
    // multiples of a line.
    unsafe {
        if stores == Stores::Cached || len < head + LINE {
            return copy_cached::<R>(at, len);
        }
        copy_cached::<R>(at, head);
        let body = (len - head) / LINE * LINE;
        let mut done = head;
        while done < head + body {
            copy_line::<R>(at.plus(done as i64, done as i64));
            done += LINE;
        }
        copy_cached::<R>(at.plus(done as i64, done as i64), len - done);
    }
}

/// Copies a line to a multiple of its length, past the caches.
///
/// # Safety
/// The processor has these registers; a line can be read and written at the places, and the
/// latter is a multiple of its length.
#[inline(always)]
unsafe fn copy_line<R: Register>(at: At) {
    let mut part = 0;
    while part < LINE {
        let at = at.plus(part as i64, part as i64);
        // SAFETY: the caller's promise; registers are no longer than a line.
        unsafe { put::<R, 1>(R::load(at.src), at.dst) };
        part += R::BYTES;
    }
}

/// Copies a run into the caches.
///
/// # Safety
/// The processor has these registers; `len` bytes can be read and written at the two places,
/// which do not overlap.
#[inline(always)]
unsafe fn copy_cached<R: Register>(at: At, len: usize) {
    if len >= 4 * R::BYTES || len < 16 {
        // SAFETY: the caller's promise.
        return unsafe { copy_by_call_or_bytes(at, len) };
    }
    let mut done = 0;
    // SAFETY: every step stays within `len` bytes: whole registers, then one that ends at the end
    // and writes some bytes a second time, or halves.
    unsafe {
        while done + R::BYTES <= len {
            let here = at.plus(done as i64, done as i64);
            R::load(here.src).store(here.dst);
            done += R::BYTES;
        }
        if done == len {
            return;
        }
        if len >= R::BYTES {
            let last = at.plus((len - R::BYTES) as i64, (len - R::BYTES) as i64);
            return R::load(last.src).store(last.dst);
        }
        copy_with_halves::<R::Half>(at, len);
    }
}

/// Copies 16 bytes or more, fewer than a larger register has.
///
/// # Safety
/// As [`copy_cached`].
#[inline(always)]
unsafe fn copy_with_halves<R: Register>(at: At, len: usize) {
    // SAFETY: the last register ends at the end; `len` is at least 16, and at least one register
    // unless these are of 32 bytes.
    unsafe {
        if len < R::BYTES {
            let (first, last) = (at, at.plus(len as i64 - 16, len as i64 - 16));
            <R::Half as Register>::load(first.src).store(first.dst);
            return <R::Half as Register>::load(last.src).store(last.dst);
        }
        let last = at.plus((len - R::BYTES) as i64, (len - R::BYTES) as i64);
        R::load(at.src).store(at.dst);
        R::load(last.src).store(last.dst);
    }
}

/// # Safety
/// `len` bytes can be read and written at the two places, which do not overlap.
#[inline(always)]
unsafe fn copy_by_call_or_bytes(at: At, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(at.src, at.dst, len) }
}
