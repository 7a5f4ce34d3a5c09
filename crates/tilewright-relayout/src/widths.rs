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

    /// Whether an element fits a byte on both sides.
    pub(crate) fn fit_bytes(self) -> bool {
        self.from <= 8 && self.to <= 8
    }

    /// Whether bytes of the source can be packed as they are, because packing cuts off what is
    /// not part of the value.
    pub(crate) fn are_bytes_already(self) -> bool {
        self.from == 8 && self.value == self.to
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
