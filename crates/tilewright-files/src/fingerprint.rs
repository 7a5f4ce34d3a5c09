//! What ties a layout to its array, where the two are two files.
//!
//! A .npy or raw file and the `.layout.json` beside it can part: one is copied, restored or written
//! over without the other, and the layout then describes bytes that are not there. So the layout
//! carries a fingerprint of the file it was written for:
//!
//! ```text
//! xxh3_64( length of the file, 8 bytes little-endian  ++  what is looked at of it )
//! ```
//!
//! Looked at is the whole of a file of at most 256 KiB, and of a longer one 64 blocks of 4 KiB at
//! even distances: block `i` begins at byte `i * (length - 4096) / 63`, rounded down, so that the
//! header of a .npy and the last bytes are always among them. That costs the same for 1 MiB and for
//! 1 TiB, some hundred microseconds, where a checksum of all bytes would cost a second reading.
//!
//! It is there to find accidents. Two arrays that differ only between the blocks have one
//! fingerprint, as have two of zeros; nobody is kept from making such a pair on purpose.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _};
use xxhash_rust::xxh3::Xxh3Default;

use crate::error::Error;

/// A file is looked at as a whole up to this length in bytes.
const WHOLE: u64 = BLOCK * N_BLOCKS;

/// What is looked at of a longer one: so many blocks of so many bytes.
const N_BLOCKS: u64 = 64;
const BLOCK: u64 = 4096;

/// The number of the last of them, which ends where the file does.
const LAST_BLOCK: u64 = N_BLOCKS - 1;

/// The fingerprint of one file. Its text is 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    /// Of a file of `len` bytes, of which `read` fills a buffer from a position on.
    pub(crate) fn of(
        len: u64,
        read: impl Fn(u64, &mut [u8]) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut sum = Xxh3Default::new();
        sum.update(&len.to_le_bytes());
        let mut block = [0; BLOCK as usize];
        for start in starts(len) {
            let there = len.saturating_sub(start).min(BLOCK) as usize;
            let block = block.get_mut(..there).unwrap_or_default();
            read(start, block)?;
            sum.update(block);
        }
        Ok(Fingerprint(sum.digest()))
    }
}

/// Where each block begins.
fn starts(len: u64) -> impl Iterator<Item = u64> {
    let n_blocks = if len <= WHOLE { len.div_ceil(BLOCK) } else { N_BLOCKS };
    let at = move |block: u64| match len <= WHOLE {
        true => block.saturating_mul(BLOCK),
        // Below 2^64: the quotient is less than `len`.
        false => {
            let steps = u128::from(block).saturating_mul(len.saturating_sub(BLOCK).into());
            steps.checked_div(u128::from(LAST_BLOCK)).unwrap_or(0) as u64
        }
    };
    (0..n_blocks).map(at)
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let is_plain = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let value = u64::from_str_radix(&text, 16).ok().filter(|_| is_plain);
        let wrong = || D::Error::custom("a fingerprint is 16 hexadecimal digits");
        value.map(Fingerprint).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh3::xxh3_64;

    fn of(bytes: &[u8]) -> u64 {
        let read = |start: u64, block: &mut [u8]| {
            block.copy_from_slice(&bytes[start as usize..][..block.len()]);
            Ok(())
        };
        Fingerprint::of(bytes.len() as u64, read).unwrap().0
    }

    #[test]
    fn short_files_are_looked_at_as_a_whole() {
        for len in [0usize, 1, 4095, 4096, 4097, 262_143, 262_144] {
            let bytes: Vec<u8> = (0..len).map(|i| (i * 7 + i / 251) as u8).collect();
            let all = [&(len as u64).to_le_bytes()[..], &bytes].concat();
            assert_eq!(of(&bytes), xxh3_64(&all), "{len}");
            for at in [0, len / 2, len.saturating_sub(1)].into_iter().filter(|&at| at < len) {
                let mut other = bytes.clone();
                other[at] ^= 1;
                assert_ne!(of(&other), of(&bytes), "{len} at {at}");
            }
        }
    }

    #[test]
    fn of_long_files_it_is_blocks_from_the_first_to_the_last_byte() {
        for len in [262_145, 1 << 20, (1 << 40) + 12_345, i64::MAX as u64] {
            let starts: Vec<u64> = starts(len).collect();
            assert_eq!((starts.len(), starts[0], starts[63]), (64, 0, len - 4096), "{len}");
            let gaps: Vec<u64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
            assert!(most - least <= 1, "{len}: {least} to {most}");
        }
    }

    /// Two files that are alike as far as the shorter one goes.
    #[test]
    fn the_length_is_part_of_it() {
        assert_ne!(of(&[0; 100]), of(&[0; 101]));
        assert_ne!(of(&vec![0; 1 << 20]), of(&vec![0; (1 << 20) + 1]));
    }
}
