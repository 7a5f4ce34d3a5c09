//! Integers that know whether they are fixed when a kernel is compiled.

use std::fmt;

use crate::error::{Error, checked, invalid};

/// An integer that is static (`_16`, known when a kernel is compiled) or dynamic (`16`).
///
/// Arithmetic on two static integers is static; with a dynamic one in it the outcome is dynamic.
///
/// ```
/// use tilewright::tla::Int;
/// let (rows, block) = (Int::dynamic(28), Int::fixed(16));
/// assert_eq!(rows.ceil_div(block)?.to_string(), "2");
/// assert_eq!(block.times(block)?.to_string(), "_256");
/// # Ok::<(), tilewright::Error>(())
/// ```
///
/// `==` compares both the value and whether it is static.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Int {
    value: i64,
    is_static: bool,
}

impl Int {
    /// A static integer, `_16`.
    pub const fn fixed(value: i64) -> Self {
        Int { value, is_static: true }
    }

    /// A dynamic integer, `16`.
    pub const fn dynamic(value: i64) -> Self {
        Int { value, is_static: false }
    }

    /// The number.
    pub const fn value(self) -> i64 {
        self.value
    }

    /// Whether it is known when a kernel is compiled.
    pub const fn is_static(self) -> bool {
        self.is_static
    }

    /// This value, static exactly if all these are.
    fn like(self, other: Int, value: Option<i64>, what: &'static str) -> Result<Self, Error> {
        let is_static = self.is_static && other.is_static;
        checked(value, what).map(|value| Int { value, is_static })
    }

    /// The sum.
    ///
    /// # Errors
    /// If it does not fit 64 bits.
    pub fn plus(self, other: Int) -> Result<Self, Error> {
        self.like(other, self.value.checked_add(other.value), "a sum")
    }

    /// The product.
    ///
    /// # Errors
    /// If it does not fit 64 bits.
    pub fn times(self, other: Int) -> Result<Self, Error> {
        self.like(other, self.value.checked_mul(other.value), "a product")
    }

    /// The quotient, rounded towards zero.
    ///
    /// # Errors
    /// If the divisor is 0.
    pub fn over(self, divisor: Int) -> Result<Self, Error> {
        if divisor.value == 0 {
            return invalid(format!("{self} cannot be divided by 0"));
        }
        self.like(divisor, self.value.checked_div(divisor.value), "a quotient")
    }

    /// What is left of a division, with the sign of this number.
    ///
    /// # Errors
    /// If the divisor is 0.
    pub fn modulo(self, divisor: Int) -> Result<Self, Error> {
        if divisor.value == 0 {
            return invalid(format!("{self} cannot be divided by 0"));
        }
        self.like(divisor, self.value.checked_rem(divisor.value), "a remainder")
    }

    /// The quotient of two positive numbers, rounded up.
    ///
    /// # Errors
    /// If the divisor is not positive.
    pub fn ceil_div(self, divisor: Int) -> Result<Self, Error> {
        if divisor.value < 1 {
            return invalid(format!("{self} cannot be covered by pieces of {divisor}"));
        }
        let up = i64::from(self.value.rem_euclid(divisor.value) != 0);
        self.like(divisor, Some(self.value.div_euclid(divisor.value) + up), "a quotient")
    }

    /// The next multiple of `multiple`, which is positive.
    ///
    /// # Errors
    /// If it is not positive, or the outcome does not fit 64 bits.
    pub fn round_up(self, multiple: Int) -> Result<Self, Error> {
        self.ceil_div(multiple)?.times(multiple)
    }

    /// The smaller of two.
    pub fn min(self, other: Int) -> Self {
        Int { value: self.value.min(other.value), is_static: self.is_static && other.is_static }
    }

    /// The larger of two.
    pub fn max(self, other: Int) -> Self {
        Int { value: self.value.max(other.value), is_static: self.is_static && other.is_static }
    }
}

impl From<i64> for Int {
    /// A dynamic integer.
    fn from(value: i64) -> Self {
        Int::dynamic(value)
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_static { "_" } else { "" };
        write!(f, "{mark}{}", self.value)
    }
}
