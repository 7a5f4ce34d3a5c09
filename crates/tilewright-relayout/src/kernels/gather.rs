//! Short runs that follow each other in the destination but do not begin at lines, put together in
//! the first cache and streamed as one long run.

use super::place::{At, LINE, Stores};
use super::register::Register;
use super::runs::{Row, copy_runs};
use std::mem::MaybeUninit;

/// The most bytes that are put together.
const BYTES: usize = 16 << 10;

/// Runs on their way to the destination.
#[repr(align(64))]
pub(super) struct Gathered {
    /// Written as far as they are filled.
    bytes: MaybeUninit<[u8; BYTES]>,
    /// Where the first of them goes.
    start: *mut u8,
    filled: usize,
}

impl Gathered {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Gathered { bytes: MaybeUninit::uninit(), start: std::ptr::null_mut(), filled: 0 }
    }

    /// Whether runs of `len` bytes, the first at `at` and the others by steps of `steps` bytes from
    /// there, had better be gathered.
    #[inline(always)]
    pub(super) fn suits(at: At, len: usize, mut steps: impl Iterator<Item = i64>) -> bool {
        let is_off = |bytes: i64| bytes % LINE as i64 != 0;
        let are_lines = at.to_line() == 0 && !is_off(len as i64) && !steps.any(is_off);
        !are_lines && len <= BYTES / 4
    }

    /// Room for a run of `len` bytes that goes to `to`. What cannot stay before it is streamed.
    ///
    /// # Safety
    /// The processor has these registers. `len` is no more than the room there is, the bytes are
    /// written before anything else is asked, and they can be written at `to`.
    #[inline(always)]
    pub(super) unsafe fn room<R: Register>(&mut self, to: *mut u8, len: usize) -> *mut u8 {
        let follows = self.start.wrapping_add(self.filled) == to;
        if !follows || self.filled + len > BYTES {
            // SAFETY: what has been gathered was promised to have its place.
            unsafe { self.stream::<R>() };
            self.start = to;
        }
        let room = self.bytes.as_mut_ptr().cast::<u8>().wrapping_add(self.filled);
        self.filled += len;
        room
    }

    /// Streams what has been gathered.
    ///
    /// # Safety
    /// As [`room`](Self::room), for all runs since the last time.
    #[inline(always)]
    pub(super) unsafe fn stream<R: Register>(&mut self) {
        let row = Row { len: self.filled, count: 1, src: 0, dst: 0 };
        let at = At { src: self.bytes.as_ptr().cast(), dst: self.start };
        if self.filled > 0 {
            // SAFETY: the caller's promise; so many bytes have been written here.
            unsafe { copy_runs::<R>(at, row, Stores::Streamed) };
        }
        self.filled = 0;
    }
}
