//! Swizzles: offsets with some of their bits flipped by others.

use std::fmt;

use crate::error::{Error, invalid};
use crate::tla::Int;

/// The function that flips `B` bits of an offset, from bit `M` up, by the `B` bits `S` above
/// them: `x ^ ((x & mask) >> S)`. CuTe's `Swizzle<B,M,S>`, which spreads the rows of a tile over
/// the banks of shared memory.
///
/// With `S` negative the upper bits are flipped by the lower ones. `|S|` is at least `B`, so that
/// no bit is flipped by one that is itself flipped: then twice is nothing.
///
/// | `x` | `Sw<2,0,2>` of it | because |
/// |---|---|---|
/// | `0b0110` | `0b0111` | bits 2-3 are `01`, and flip bit 0 |
/// | `0b0111` | `0b0110` | and back |
///
/// ```
/// use tilewright::algebra::Swizzle;
/// let swizzle = Swizzle::new(3, 0, 3)?;
/// assert_eq!(swizzle.apply(8), 9);
/// assert_eq!(swizzle.apply(9), 8);
/// assert_eq!(swizzle.to_string(), "Sw<3,0,3>");
/// assert!(Swizzle::new(3, 0, 2).is_err());
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    bits: u32,
    base: u32,
    shift: i32,
}

impl Swizzle {
    /// `Sw<bits,base,shift>`.
    ///
    /// # Errors
    /// If the shift is smaller than the number of bits, or a bit beyond 62 is meant.
    pub fn new(bits: u32, base: u32, shift: i32) -> Result<Self, Error> {
        if shift.unsigned_abs() < bits {
            return invalid(format!(
                "Sw<{bits},{base},{shift}> would flip bits by bits that are flipped: \
                 the shift must be at least {bits}, either way"
            ));
        }
        let beyond = u64::from(bits) + u64::from(base) + u64::from(shift.unsigned_abs());
        if beyond > 63 {
            return invalid(format!(
                "Sw<{bits},{base},{shift}> reaches bit {}, beyond the 63 of an offset",
                beyond - 1
            ));
        }
        Ok(Swizzle { bits, base, shift })
    }

    /// `B`, how many bits are flipped.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// `M`, how many of the lowest bits are left alone.
    pub fn base(self) -> u32 {
        self.base
    }

    /// `S`, how far above the flipped bits those are that flip them.
    pub fn shift(self) -> i32 {
        self.shift
    }

    /// The swizzled offset; applied to it, the offset.
    pub fn apply(self, offset: i64) -> i64 {
        let mask = (1i64 << self.bits) - 1;
        let distance = self.shift.unsigned_abs();
        if self.shift >= 0 {
            offset ^ ((offset & (mask << (self.base + distance))) >> distance)
        } else {
            offset ^ ((offset & (mask << self.base)) << distance)
        }
    }

    /// The swizzle of elements `n` times as large.
    ///
    /// * Requires that `n` is a power of two; for negative shifts, that the bits below `n` flip
    ///   none.
    /// * Ensures `R(x div n) = S(x) div n`.
    ///
    /// ```
    /// use tilewright::algebra::Swizzle;
    /// let bytes = Swizzle::new(3, 4, 3)?;
    /// assert_eq!(bytes.upcast(2)?.to_string(), "Sw<3,3,3>");
    /// assert_eq!(bytes.upcast(32)?.to_string(), "Sw<2,0,3>"); // the lowest flip is within one
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is not, or they do.
    pub fn upcast(self, n: i64) -> Result<Self, Error> {
        let steps = power_of_two(n)?;
        let inside = steps.saturating_sub(self.base);
        if inside > 0 && self.shift < 0 && self.bits > 0 {
            return invalid(format!(
                "{self} has no upcast by {n}: bits within an element flip others"
            ));
        }
        Swizzle::new(self.bits.saturating_sub(inside), self.base.saturating_sub(steps), self.shift)
    }

    /// The swizzle of elements one `n`th as large.
    ///
    /// * Requires that `n` is a power of two.
    /// * Ensures `R(x * n + r) = S(x) * n + r` for `r` below `n`.
    ///
    /// ```
    /// use tilewright::algebra::Swizzle;
    /// assert_eq!(Swizzle::new(3, 3, 3)?.downcast(2)?.to_string(), "Sw<3,4,3>");
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is not, or a bit beyond 62 would be meant.
    pub fn downcast(self, n: i64) -> Result<Self, Error> {
        Swizzle::new(self.bits, self.base.saturating_add(power_of_two(n)?), self.shift)
    }

    pub(super) fn apply_int(self, offset: Int) -> Int {
        let swizzled = self.apply(offset.value());
        if offset.is_static() { Int::fixed(swizzled) } else { Int::dynamic(swizzled) }
    }
}

/// The exponent of a power of two.
pub(super) fn power_of_two(n: i64) -> Result<u32, Error> {
    if n < 1 || n.count_ones() != 1 {
        return invalid(format!("{n} is not a power of two"));
    }
    Ok(n.trailing_zeros())
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sw<{},{},{}>", self.bits, self.base, self.shift)
    }
}
