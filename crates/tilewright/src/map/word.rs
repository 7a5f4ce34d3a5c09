//! The numbers that blocks of indices and offsets are worked out in.
//!
//! Where dimensions, merged coordinates and the allocation have at most 2³¹ values, everything is
//! below that, or is asked for modulo 2³². Words of 32 bits are then enough. Twice as many fit a vector
//! register as of 64, and compilers have vector instructions on every processor for all that is done
//! with them here; for products and comparisons of 64 bits they have not.

use super::IndexMap;
use super::divisor::Product;

/// How many words are taken at once: a few blocks of them fit the nearest cache.
pub(super) const BLOCK: usize = 256;

/// The words of a block.
pub(super) type Column<W> = [W; BLOCK];

/// A number modulo a power of two.
pub(super) trait Word: Copy + Default {
    /// Indices, merged coordinates, and places from the lowest offset on are below this.
    const BELOW: u64;

    /// The lower bits of a number.
    fn of(number: u64) -> Self;

    /// The number that it is.
    fn number(self) -> u64;

    /// The number that it is, or what it is below 0 if the highest bit is set.
    fn signed(self) -> i64;

    fn plus(self, other: Self) -> Self;

    fn minus(self, other: Self) -> Self;

    fn times(self, other: Self) -> Self;

    fn or(self, other: Self) -> Self;

    fn and(self, other: Self) -> Self;

    /// Divided by a power of two.
    fn shifted(self, by: u32) -> Self;

    /// Multiplied by a power of two.
    fn raised(self, by: u32) -> Self;

    /// Of a word below 2³¹.
    fn quotient(self, by: Product) -> Self;

    /// All bits if it is larger than another, and none otherwise. For words below [`Self::BELOW`].
    fn is_above(self, other: Self) -> Self;
}

impl IndexMap {
    /// Whether words of 32 bits will do.
    pub(super) fn is_narrow(&self) -> bool {
        let extents = self.merged.iter().map(|coordinate| coordinate.extent);
        let mut counts = extents.chain(self.dims.iter().copied()).chain([self.allocation]);
        counts.all(|count| count.unsigned_abs() <= u32::BELOW)
    }
}

macro_rules! word {
    ($word:ty, $below:expr, |$a:ident, $b:ident| $is_above:expr) => {
        impl Word for $word {
            const BELOW: u64 = $below;

            #[inline(always)]
            fn of(number: u64) -> Self {
                number as Self
            }

            #[inline(always)]
            fn number(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn signed(self) -> i64 {
                self.cast_signed().into()
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn shifted(self, by: u32) -> Self {
                self.wrapping_shr(by)
            }

            #[inline(always)]
            fn raised(self, by: u32) -> Self {
                self.wrapping_shl(by)
            }

            #[inline(always)]
            fn quotient(self, by: Product) -> Self {
                by.quotient(self as u32).into()
            }

            #[inline(always)]
            fn is_above(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $is_above
            }
        }
    };
}

// The sign of the difference, which is as many bits.
word!(u32, 1 << 31, |a, b| (b.wrapping_sub(a).cast_signed() >> 31).cast_unsigned());
word!(u64, 1 << 63, |a, b| u64::from(a > b).wrapping_neg());

/// What numbers have in common, by which to see whether one is out of bounds.
#[derive(Clone, Copy, Default)]
pub(super) struct Bounds<W> {
    /// All bits of any. One that is not below [`Word::BELOW`] has a bit that others do not have.
    any: u64,
    /// The highest bit, if one that is below that is above the last.
    beyond: W,
}

impl<W: Word> Bounds<W> {
    /// The number as a word, which is to be the last one or before.
    #[inline(always)]
    pub(super) fn look_at(&mut self, number: u64, last: W) -> W {
        let word = W::of(number);
        self.any |= number;
        self.beyond = self.beyond.or(last.minus(word));
        word
    }

    pub(super) fn are_kept(self) -> bool {
        self.any < W::BELOW && self.beyond.number() < W::BELOW
    }
}
