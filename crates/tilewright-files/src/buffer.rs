//! Memory for arrays and parts of them.

use std::io;
use std::ops::{Deref, DerefMut};

/// Where huge pages can be asked for: a private mapping of its own.
#[cfg(any(target_os = "linux", target_os = "android"))]
type Memory = memmap2::MmapMut;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
type Memory = Vec<u8>;

/// Bytes to read into and to write from, used again for piece after piece.
///
/// Where the system has huge pages they are asked for. Fresh memory is handed over page by page as
/// it is first touched, and pages of 4 KiB are so many that a relayout into fresh memory takes
/// several times as long as one into memory that was touched before; pages of 2 MiB make that
/// difference small. They also spare a transposition most of its misses in the table of pages. On
/// systems without huge pages, or where they are switched off, this is memory like any other.
///
/// ```
/// use tilewright_files::Buffer;
/// let mut buffer = Buffer::new();
/// buffer.reset(3)?;
/// buffer.copy_from_slice(&[1, 2, 3]);
/// assert_eq!(buffer[..], [1, 2, 3]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Buffer {
    /// At least `len` bytes, if there are any.
    memory: Option<Memory>,
    len: usize,
}

impl Buffer {
    /// No bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes it `len` bytes long. What they hold is not said: zeros, or what was there before.
    ///
    /// The memory that is there is kept while it is large enough; otherwise it is given back before
    /// more is asked for, so that there are never two.
    ///
    /// # Errors
    ///
    /// The system does not have that much. Then there are no bytes.
    pub fn reset(&mut self, len: usize) -> io::Result<()> {
        if self.memory.as_ref().map_or(0, |memory| memory.len()) < len {
            *self = Self::default();
            self.memory = Some(fresh(len)?);
        }
        self.len = len;
        Ok(())
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let bytes = self.memory.as_deref().unwrap_or_default();
        bytes.get(..self.len).unwrap_or_default()
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        let bytes = self.memory.as_deref_mut().unwrap_or_default();
        bytes.get_mut(..self.len).unwrap_or_default()
    }
}

/// Zeroed memory straight from the system.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn fresh(len: usize) -> io::Result<Memory> {
    let memory = Memory::map_anon(len)?;
    // Advice is no more than that: where it is refused the memory is as good.
    let _ = memory.advise(memmap2::Advice::HugePage);
    Ok(memory)
}

/// Zeroed memory from the allocator.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn fresh(len: usize) -> io::Result<Memory> {
    let mut memory = Memory::new();
    memory.try_reserve_exact(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
    memory.resize(len, 0);
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_as_long_as_it_was_made() {
        let mut buffer = Buffer::new();
        assert!(buffer.is_empty());
        for len in [5, 0, 3, 70_000, 8] {
            buffer.reset(len).unwrap();
            assert_eq!(buffer.len(), len);
            buffer.fill(7);
            assert!(buffer.iter().all(|&byte| byte == 7));
        }
    }

    #[test]
    fn memory_is_kept_while_it_is_large_enough() {
        let mut buffer = Buffer::new();
        buffer.reset(1 << 20).unwrap();
        let at = buffer.as_ptr();
        for len in [1, 4096, 1 << 20] {
            buffer.reset(len).unwrap();
            assert_eq!(buffer.as_ptr(), at);
        }
    }

    #[test]
    fn what_there_is_no_memory_for_is_an_error() {
        let mut buffer = Buffer::new();
        buffer.reset(10).unwrap();
        for len in [usize::MAX, isize::MAX as usize, 1 << 60] {
            buffer.reset(len).unwrap_err();
            assert!(buffer.is_empty());
        }
        buffer.reset(10).unwrap();
        assert_eq!(buffer.len(), 10);
    }
}
