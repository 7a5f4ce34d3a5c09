//! Where to read and where to write: two addresses that move together.

use super::level::{prefetch, prefetch_near};
use super::register::Register;
use std::mem::MaybeUninit;

/// How what is moved is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stores {
    /// Into the caches, to be read soon.
    Cached,
    /// Past the caches where whole lines are written.
    Streamed,
    /// Into the caches, from a source that is not there yet.
    Staged,
}

/// Kernels are compiled for each of these: as [`Stores`], but streaming is where all that is
/// written are whole lines.
pub(super) const CACHED: u8 = 0;
pub(super) const STREAMED: u8 = 1;
pub(super) const STAGED: u8 = 2;

/// Destinations of at least this many bytes are streamed: they would not stay in a cache, and
/// whoever reads them next finds none of them there.
pub(super) const STREAM_FROM: usize = 8 << 20;

impl Stores {
    /// How to store a destination of this many bytes.
    pub(crate) fn for_bytes(bytes: usize) -> Self {
        if bytes < STREAM_FROM { Stores::Cached } else { Stores::Streamed }
    }
}

/// Where to read from and where to write to.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) src: *const u8,
    pub(super) dst: *mut u8,
}

impl At {
    /// Further on, by so many bytes on either side. The outcome need not lie in the buffers.
    #[inline(always)]
    pub(super) fn plus(self, src: i64, dst: i64) -> Self {
        At {
            src: self.src.wrapping_offset(src as isize),
            dst: self.dst.wrapping_offset(dst as isize),
        }
    }

    /// Asks for the line to be read from here.
    #[inline(always)]
    pub(super) fn prefetch(self) {
        prefetch(self.src);
    }

    /// Asks for the line to be read [`AHEAD`] bytes further on.
    #[inline(always)]
    pub(super) fn prefetch_ahead(self) {
        prefetch(self.src.wrapping_add(AHEAD));
    }

    /// As [`prefetch_ahead`](Self::prefetch_ahead), where several rows are walked in turn.
    #[inline(always)]
    pub(super) fn prefetch_near_ahead(self) {
        prefetch_near(self.src.wrapping_add(AHEAD));
    }

    /// How many bytes it is to the next multiple of a line in the destination.
    #[inline(always)]
    pub(super) fn to_line(self) -> usize {
        (self.dst as usize).wrapping_neg() % LINE
    }
}

/// How far ahead lines are asked for, in bytes of what is read: about what comes from memory while one line does.
pub(super) const AHEAD: usize = 8192;

/// The bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// The bits of a line.
pub(crate) const LINE_BITS: i64 = 8 * LINE as i64;

/// The bytes of a page. A register that is stored to parts of two waits until all that was streamed before is written.
pub(super) const PAGE: usize = 4 << 10;

/// Stores a register, past the caches if `S` is [`STREAMED`].
///
/// AddressSanitizer sees what the compiler writes, but not what streaming instructions do, which the
/// standard library spells in assembly. Built for it (`cargo xtask asan`), all is stored.
///
/// # Safety
/// The processor has these registers, its bytes can be written at `to`, and for streaming `to` is
/// a multiple of the register.
#[inline(always)]
pub(super) unsafe fn put<R: Register, const S: u8>(register: R, to: *mut u8) {
    debug_assert!(S != STREAMED || (to as usize).is_multiple_of(R::BYTES), "streamed to {to:?}");
    // SAFETY: the caller's promise.
    unsafe {
        match S {
            STREAMED if !cfg!(tilewright_asan) => register.stream(to),
            _ => register.store(to),
        }
    }
}

/// The first byte of room on the stack: for the first statement of a function that is not inlined.
///
/// Compilers put off setting up a frame until something needs it. Of more than 32 KiB, LLVM touches its pages one by one, and
/// counts them in a register that may hold something by then: `r11`, where a destination was and was lost (x86-64, LLVM 22). What
/// is needed at once is set up where no register but those of arguments holds anything.
#[inline(always)]
pub(super) fn room<T>(room: &mut MaybeUninit<T>) -> *mut u8 {
    std::hint::black_box(room.as_mut_ptr()).cast()
}

/// Copies one element of `N` bytes.
///
/// # Safety
/// `N` bytes can be read and written at the two places.
#[inline(always)]
pub(super) unsafe fn copy_one<const N: usize>(at: At) {
    // SAFETY: the caller's promise; arrays of bytes need no alignment.
    unsafe {
        let value = at.src.cast::<[u8; N]>().read_unaligned();
        at.dst.cast::<[u8; N]>().write_unaligned(value);
    }
}

/// Copies fewer than 128 bytes: the first of them and the last, which are as many as a power of two that is at least half of
/// all.
///
/// # Safety
/// So many bytes can be read and written at the places, which do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_few(at: At, len: usize) {
    debug_assert!(len < 128);
    // SAFETY: the caller's promise; no end is longer than all there are.
    unsafe {
        match len {
            0 => {}
            1 => copy_one::<1>(at),
            2..=3 => first_and_last::<2>(at, len),
            4..=7 => first_and_last::<4>(at, len),
            8..=15 => first_and_last::<8>(at, len),
            16..=31 => first_and_last::<16>(at, len),
            32..=63 => first_and_last::<32>(at, len),
            _ => first_and_last::<64>(at, len),
        }
    }
}

/// Copies the first `N` bytes and the last.
///
/// # Safety
/// As [`copy_few`], of at least so many bytes.
#[inline(always)]
unsafe fn first_and_last<const N: usize>(at: At, len: usize) {
    let last = (len - N) as i64;
    // SAFETY: the caller's promise.
    unsafe {
        copy_one::<N>(at);
        copy_one::<N>(at.plus(last, last));
    }
}
