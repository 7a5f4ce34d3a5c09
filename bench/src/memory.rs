//! Memory to measure in: on huge pages where the system has them, and faulted in.

use std::io;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use anyhow::{Context, Result, ensure};

/// The bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// The size and the alignment of a huge page on x86-64.
const HUGE_PAGE: usize = 2 << 20;

/// Bytes that begin at a huge page's boundary.
#[derive(Debug)]
pub(crate) struct Buffer {
    start: NonNull<u8>,
    len: usize,
    mapping: *mut libc::c_void,
    mapped: usize,
}

impl Buffer {
    /// A buffer of this many zeros, every page of it present.
    pub(crate) fn zeroed(len: usize) -> Result<Self> {
        let mapped = len.next_multiple_of(HUGE_PAGE) + HUGE_PAGE;
        let mapping = map(mapped).with_context(|| format!("no memory for {len} bytes"))?;
        let skipped = mapping.align_offset(HUGE_PAGE);
        // SAFETY: at most one huge page is skipped, and the mapping has one more than `len` needs.
        let start = unsafe { mapping.cast::<u8>().add(skipped) };
        let start = NonNull::new(start).context("memory at address 0")?;
        // SAFETY: the range lies within the mapping. The advice changes no byte; where there are
        // no huge pages it fails, and the buffer is what it would have been without it.
        unsafe { libc::madvise(start.as_ptr().cast(), mapped - HUGE_PAGE, libc::MADV_HUGEPAGE) };
        let mut buffer = Buffer { start, len, mapping, mapped };
        // Writing is what makes the pages present.
        buffer.fill(0xff);
        buffer.fill(0);
        Ok(buffer)
    }
}

/// Fresh private memory that no file stands behind.
fn map(bytes: usize) -> io::Result<*mut libc::c_void> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping at an address of the system's choice touches no memory there is.
    let mapping = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    if mapping == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(mapping)
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `start` is valid for `len` bytes, which the system has set to zero, until the
        // mapping goes with `self`; nobody else knows of it.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the mapping is this buffer's own, of exactly this length, and goes away once.
        unsafe { libc::munmap(self.mapping, self.mapped) };
    }
}

/// The source and the destination that every contestant of a case is given.
///
/// Both are at least as long as the copies that are made between them: half of the bytes that a
/// relayout moves, or those of its larger side.
#[derive(Debug)]
pub(crate) struct Buffers {
    src: Buffer,
    dst: Buffer,
    src_bytes: usize,
    dst_bytes: usize,
    copied_bytes: usize,
    /// Where the destination that was given last begins.
    dst_start: usize,
}

impl Buffers {
    /// For one relayout, and copies that read and write as many bytes in all as it does.
    pub(crate) fn new(src_bytes: usize, dst_bytes: usize) -> Result<Self> {
        let half = (src_bytes + dst_bytes) / 2;
        Ok(Buffers {
            src: Buffer::zeroed(src_bytes.max(half))?,
            dst: Buffer::zeroed(dst_bytes.max(half) + LINE)?,
            src_bytes,
            dst_bytes,
            copied_bytes: half,
            dst_start: 0,
        })
    }

    /// The same memory for another relayout, if there is room: copies are then as long as its larger
    /// side, and the source holds what it held.
    pub(crate) fn lend(&mut self, src_bytes: usize, dst_bytes: usize) -> Result<()> {
        let larger = src_bytes.max(dst_bytes);
        let room = self.src.len().min(self.dst.len() - LINE);
        ensure!(larger <= room, "{larger} bytes do not fit in {room}");
        (self.src_bytes, self.dst_bytes, self.copied_bytes) = (src_bytes, dst_bytes, larger);
        Ok(())
    }

    pub(crate) fn src(&self) -> &[u8] {
        &self.src[..self.src_bytes]
    }

    pub(crate) fn src_mut(&mut self) -> &mut [u8] {
        &mut self.src[..self.src_bytes]
    }

    /// The destination that was given last.
    pub(crate) fn dst(&self) -> &[u8] {
        &self.dst[self.dst_start..][..self.dst_bytes]
    }

    /// What a relayout is given. Both sides begin at a line.
    pub(crate) fn both(&mut self) -> (&[u8], &mut [u8]) {
        self.both_from(0)
    }

    /// The same with a destination that begins so many bytes behind a line, fewer than one has.
    pub(crate) fn both_from(&mut self, start: usize) -> (&[u8], &mut [u8]) {
        self.dst_start = start;
        (&self.src[..self.src_bytes], &mut self.dst[start..][..self.dst_bytes])
    }

    /// What a relayout is given that may write to the padding of its source.
    pub(crate) fn both_mut(&mut self) -> (&mut [u8], &mut [u8]) {
        self.dst_start = 0;
        (&mut self.src[..self.src_bytes], &mut self.dst[..self.dst_bytes])
    }

    /// What a copy is given.
    pub(crate) fn copied(&mut self) -> (&[u8], &mut [u8]) {
        (&self.src[..self.copied_bytes], &mut self.dst[..self.copied_bytes])
    }
}
