//! The values that an integer expression can take: an interval.

use std::ops::RangeInclusive;

/// The least and the greatest value of an expression, both included.
///
/// Bounds are worked out in 128 bits and cut to 64: a formula whose values leave 64 bits is refused where it is made,
/// but for extents that are arguments, of which the caller promises that sizes fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
}

impl Range {
    /// Of a single value.
    pub fn of(value: i64) -> Self {
        Range { low: value, high: value }
    }

    /// `0..count`; of nothing, 0 alone.
    pub fn below(count: i64) -> Self {
        Range { low: 0, high: (count - 1).max(0) }
    }

    /// The values of a comparison.
    pub fn truth() -> Self {
        Range { low: 0, high: 1 }
    }

    /// Whether each value is one of these.
    pub fn is_within(self, bounds: RangeInclusive<i64>) -> bool {
        *bounds.start() <= self.low && self.high <= *bounds.end()
    }

    /// Whether a value is among them.
    pub fn contains(self, value: i64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Whether each value is an `int32_t`.
    pub fn is_narrow(self) -> bool {
        self.is_within(i32::MIN.into()..=i32::MAX.into())
    }

    /// The values of both together.
    pub fn or(self, other: Self) -> Self {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The values that both have; the first where there are none.
    pub fn and(self, other: Self) -> Self {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low <= high { Range { low, high } } else { self }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        cut(wide(self.low) + wide(other.low), wide(self.high) + wide(other.high))
    }

    pub(super) fn minus(self, other: Self) -> Self {
        cut(wide(self.low) - wide(other.high), wide(self.high) - wide(other.low))
    }

    pub(super) fn times(self, other: Self) -> Self {
        let ends = [self.low, self.high];
        let products = ends.map(|a| [other.low, other.high].map(|b| wide(a) * wide(b)));
        let all = products.as_flattened();
        let low = all.iter().copied().min().unwrap_or(0);
        cut(low, all.iter().copied().max().unwrap_or(0))
    }

    /// Rounded down, by a number above 0.
    pub(super) fn divided_by(self, divisor: i64) -> Self {
        let divisor = divisor.max(1);
        Range { low: self.low.div_euclid(divisor), high: self.high.div_euclid(divisor) }
    }

    /// All numbers of as many bits as the larger of two has, neither of which is below 0.
    pub(super) fn bits_of(self, other: Self) -> Self {
        let highest = self.high.max(other.high).max(0).unsigned_abs();
        let bits = 64 - highest.leading_zeros();
        Range { low: 0, high: i64::MAX >> (63 - bits.min(63)) }
    }
}

fn wide(number: i64) -> i128 {
    number.into()
}

fn cut(low: i128, high: i128) -> Range {
    let bounds = i128::from(i64::MIN)..=i128::from(i64::MAX);
    let one = |number: i128| number.clamp(*bounds.start(), *bounds.end()) as i64;
    Range { low: one(low), high: one(high) }
}
