//! Small arrays that lie one after another, read together.
//!
//! A file may hold a million arrays of some hundred bytes, and a read for each would take longer than
//! comparing them.

use std::ops::Range;

use tilewright_files::{ArrayFile, Error};

/// Larger arrays are read by themselves.
const SMALL: u64 = 64 << 10;

/// How much is read together.
const BYTES: u64 = 1 << 20;

/// What has been read of a file: all bytes of some arrays.
#[derive(Default)]
pub(super) struct Window {
    arrays: Range<usize>,
    bytes: Vec<u8>,
}

impl Window {
    /// The memory that a window takes.
    pub(super) const MOST_BYTES: usize = BYTES as usize;

    /// Fills a buffer with bytes of an array from `start` on.
    pub(super) fn read(
        &mut self,
        file: &ArrayFile,
        array: usize,
        start: u64,
        buffer: &mut [u8],
    ) -> Result<(), Error> {
        let infos = file.arrays();
        let is_small = infos.get(array).is_some_and(|info| info.byte_len() <= SMALL);
        if is_small && !self.arrays.contains(&array) {
            self.move_to(file, array)?;
        }
        let place = || {
            let first = infos.get(self.arrays.start)?.file_offset();
            let offset = infos.get(array)?.file_offset().checked_sub(first)?.checked_add(start)?;
            let offset = usize::try_from(offset).ok()?;
            self.bytes.get(offset..offset.checked_add(buffer.len())?)
        };
        match place().filter(|_| self.arrays.contains(&array)) {
            Some(bytes) => buffer.copy_from_slice(bytes),
            None => file.read_at(array, start, buffer)?,
        }
        Ok(())
    }

    /// Reads an array and those that follow it, as many as there is room for.
    fn move_to(&mut self, file: &ArrayFile, first: usize) -> Result<(), Error> {
        let infos = file.arrays().get(first..).unwrap_or_default();
        let (mut count, mut len) = (0, 0);
        for (place, info) in infos.iter().enumerate() {
            let follows = place.checked_sub(1).is_none_or(|last| infos[last].is_followed_by(info));
            if !follows || len + info.byte_len() > BYTES {
                break;
            }
            (count, len) = (place + 1, len + info.byte_len());
        }
        self.arrays = 0..0;
        self.bytes.resize(usize::try_from(len).unwrap_or(0), 0);
        file.read_arrays(first..first + count, &mut self.bytes)?;
        self.arrays = first..first + count;
        Ok(())
    }
}
