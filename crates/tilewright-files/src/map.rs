//! A file seen as memory: the one place with `unsafe` code.

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::Mmap;

/// A read-only, private view of a whole file.
#[derive(Debug)]
pub(crate) struct Map(Mmap);

impl Map {
    /// Maps the whole of `file`, as long as it is now.
    #[allow(unsafe_code)]
    pub(crate) fn new(file: impl Deref<Target = File>) -> io::Result<Self> {
        // SAFETY: `Mmap::map` asks that nobody changes or truncates the file while the map lives.
        // No program can make that so for a file that others may write; the demand is therefore
        // passed on, in words, by `OpenOptions::memory_map`, which is the only way here and is
        // never taken unasked. What lies within our reach is kept: the map is read-only, the file
        // is a regular one, this crate writes to no file it has open (outputs are new files renamed
        // into place, which leaves the mapped file as it was), and the bytes are only ever lent as
        // `&[u8]`, for which every bit pattern is a value.
        unsafe { Mmap::map(&*file) }.map(Map)
    }

    /// `len` bytes from `offset`, where the map has them.
    pub(crate) fn bytes(&self, offset: u64, len: u64) -> Option<&[u8]> {
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(len).ok()?)?;
        self.0.get(start..end)
    }
}
