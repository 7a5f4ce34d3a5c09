//! The widths of an element on either side, and moving one element alone.

use crate::bits;

/// The widths of an element, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Widths {
    /// Of a source slot.
    pub(crate) from: u32,
    /// Of a destination slot.
    pub(crate) to: u32,
    /// What is moved: the low bits, at most as many as either slot has.
    pub(crate) value: u32,
}

impl Widths {
    /// Whether a slot is moved as it is, all of its bits.
    pub(crate) fn are_equal(self) -> bool {
        self.from == self.to && self.from == self.value
    }

    /// The element in source slot `slot`.
    pub(crate) fn read(self, src: &[u8], slot: usize) -> u128 {
        bits::read(src, slot.saturating_mul(self.from as usize), self.value)
    }

    /// Puts an element into destination slot `slot`.
    pub(crate) fn write(self, dst: &mut [u8], slot: usize, element: u128) {
        bits::write(dst, slot.saturating_mul(self.to as usize), self.to, element);
    }
}
