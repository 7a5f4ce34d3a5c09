//! Codes that are stored with some bits flipped.

use crate::bits::mask;

/// Bytes that are XORed one after the other and over again: those of eight slots, or of the one that
/// fills whole bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flip {
    pattern: [u8; MOST_BYTES],
    len: usize,
    /// The bits of the buffer that belong to slots.
    bits: u64,
    slot: u128,
}

/// Eight slots of 128 bits are sixteen bytes each, and no slot of more than 16 bits needs eight of them.
const MOST_BYTES: usize = 128;

impl Flip {
    /// Flips these bits of each of `slots` slots of a width; nothing if they are none of its bits.
    pub(crate) fn new(flipped: u128, width: u32, slots: u64) -> Option<Self> {
        let slot = flipped & mask(width);
        let len = if width.is_multiple_of(8) { width / 8 } else { width };
        let mut pattern = [0; MOST_BYTES];
        for (at, byte) in pattern.iter_mut().take(len as usize).enumerate() {
            for bit in 0..8 {
                let place = (8 * at as u32 + bit) % width.max(1);
                *byte |= u8::from(slot >> place & 1 == 1) << bit;
            }
        }
        let bits = slots.saturating_mul(width.into());
        (slot != 0).then_some(Flip { pattern, len: len as usize, bits, slot })
    }

    /// The bits of a slot that are flipped.
    pub(crate) fn of_slot(&self) -> u128 {
        self.slot
    }

    /// Flips the bytes of a buffer that begin with its byte `start`.
    pub(crate) fn apply(&self, start: usize, bytes: &mut [u8]) {
        let end = start as u64 + bytes.len() as u64;
        let last = bytes.last().copied();
        let pattern = self.pattern.get(..self.len).unwrap_or_default();
        match *pattern {
            [one] => bytes.iter_mut().for_each(|byte| *byte ^= one),
            _ => {
                let over_again = pattern.iter().cycle().skip(start % self.len.max(1));
                bytes.iter_mut().zip(over_again).for_each(|(byte, flipped)| *byte ^= flipped);
            }
        }
        // Bits after the last slot, where the buffer was rounded up to bytes, stay as they are.
        let beyond = (8 * end).saturating_sub(self.bits);
        if let (Some(byte), Some(before), 1..8) = (bytes.last_mut(), last, beyond) {
            let kept = u8::MAX >> beyond;
            *byte = *byte & kept | before & !kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As one bit after the other says it, in parts of so many bytes.
    fn check(flipped: u128, width: u32, slots: u64, part: usize) {
        let bits = slots * u64::from(width);
        let mut bytes: Vec<u8> = (0..bits.div_ceil(8)).map(|at| (at * 37) as u8).collect();
        let mut expected = bytes.clone();
        for bit in 0..bits {
            let flip = flipped >> (bit % u64::from(width)) & 1;
            expected[bit as usize / 8] ^= (flip as u8) << (bit % 8);
        }
        let flip = Flip::new(flipped, width, slots).unwrap();
        for (number, bytes) in bytes.chunks_mut(part).enumerate() {
            flip.apply(number * part, bytes);
        }
        assert_eq!(bytes, expected, "{flipped:#x} of {width} bits, {slots} slots, by {part}");
    }

    #[test]
    fn every_width() {
        // Each in turn under Miri, which takes a second for a few bytes: a divisor of a byte, none, and more than a word.
        let widths = [1, 3, 127, 2, 4, 5, 6, 7, 8, 12, 16, 24, 32, 42, 128];
        let (slots, parts) = ([1, 9, 2, 7, 8, 100], [5, 4096, 1, 64]);
        let few = |all: usize, few: usize| if cfg!(miri) { few } else { all };
        for &width in &widths[..few(widths.len(), 3)] {
            for &slots in &slots[..few(slots.len(), 2)] {
                for &part in &parts[..few(parts.len(), 2)] {
                    check(1, width, slots, part);
                    check(1 << (width - 1), width, slots, part);
                    check(0x5a5a_5a5b, width, slots, part);
                }
            }
        }
        assert_eq!(Flip::new(0x10, 4, 9), None);
    }
}
