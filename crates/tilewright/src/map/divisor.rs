//! Dividing many numbers by one, mostly without the processor's division.

/// How to divide by a number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Divisor {
    PowerOfTwo(u32),
    /// By multiplying with its reciprocal: 2⁶⁴ times that, rounded up.
    Reciprocal(u64),
    /// By dividing.
    Number(u64),
}

impl Divisor {
    /// How to divide numbers below `below` by `divisor`, which is 1 or more.
    ///
    /// With `c = (2⁶⁴ + e) / d` and `0 ≤ e < d`, `c * n` exceeds `2⁶⁴ * n / d` by `n * e / d`, which
    /// leaves the floor what it is as long as `n * e` is below 2⁶⁴.
    pub(super) fn new(divisor: u64, below: u64) -> Self {
        let divisor = divisor.max(1);
        if divisor.is_power_of_two() {
            return Divisor::PowerOfTwo(divisor.trailing_zeros());
        }
        let reciprocal = (1u128 << 64).div_ceil(u128::from(divisor));
        let excess = reciprocal * u128::from(divisor) - (1 << 64);
        match u128::from(below.saturating_sub(1)) * excess < 1 << 64 {
            true => Divisor::Reciprocal(reciprocal as u64),
            false => Divisor::Number(divisor),
        }
    }

    /// Divides one number.
    #[inline]
    pub(super) fn quotient(self, number: u64) -> u64 {
        match self {
            Divisor::PowerOfTwo(power) => number >> power,
            Divisor::Reciprocal(reciprocal) => {
                ((u128::from(number) * u128::from(reciprocal)) >> 64) as u64
            }
            Divisor::Number(divisor) => number / divisor,
        }
    }

    /// Divides each of some numbers.
    pub(super) fn divide(self, numbers: &mut [u64]) {
        match self {
            Divisor::PowerOfTwo(power) => numbers.iter_mut().for_each(|n| *n >>= power),
            Divisor::Reciprocal(reciprocal) => numbers.iter_mut().for_each(|n| {
                *n = ((u128::from(*n) * u128::from(reciprocal)) >> 64) as u64;
            }),
            Divisor::Number(divisor) => numbers.iter_mut().for_each(|n| *n /= divisor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Around every multiple that is near a power of two, where rounding would go wrong first.
    #[test]
    fn reciprocals_divide_exactly() {
        let near = |power: u32| (0..5).map(move |off| (1u64 << power).saturating_sub(2) + off);
        let divisors = (1..40).chain((5..=32).step_by(3).flat_map(near)).filter(|d| *d <= 1 << 32);
        for divisor in divisors {
            let quick = Divisor::new(divisor, 1 << 32);
            assert!(!matches!(quick, Divisor::Number(_)), "{divisor}");
            let check = |number: u64| {
                let mut numbers = [number];
                quick.divide(&mut numbers);
                assert_eq!(numbers, [number / divisor], "{number} / {divisor}");
            };
            let multiples = (0..32).step_by(5).map(|power| (1u64 << power) / divisor * divisor);
            let last = u64::from(u32::MAX) / divisor * divisor;
            for multiple in multiples.chain([last]) {
                (multiple.saturating_sub(1)..=(multiple + 1).min(u32::MAX.into())).for_each(check);
            }
        }
    }

    /// As far as a reciprocal is said to do.
    #[test]
    fn reciprocals_are_for_as_large_numbers_as_they_divide() {
        for divisor in [6, 10, 60, 1000, 6_291_480, 3_000_000_019, (1 << 40) + 1] {
            let is_quick =
                |below: u64| matches!(Divisor::new(divisor, below), Divisor::Reciprocal(_));
            let (mut most, mut too_many) = (2, u64::MAX);
            while too_many - most > 1 {
                let below = most + (too_many - most) / 2;
                if is_quick(below) { most = below } else { too_many = below }
            }
            let last = (most - 1) / divisor * divisor;
            let near = [0, divisor - 1, divisor, last.saturating_sub(1), last, most - 1];
            for number in near.into_iter().filter(|number| *number < most) {
                assert_eq!(Divisor::new(divisor, most).quotient(number), number / divisor);
            }
        }
    }

    #[test]
    fn large_numbers_are_divided() {
        for divisor in [3, 1 << 33, (1 << 40) + 1] {
            let quick = Divisor::new(divisor, u64::MAX >> 1);
            let numbers = [0, 1, divisor - 1, divisor, (1 << 62) + 7, u64::MAX >> 1];
            let mut quotients = numbers;
            quick.divide(&mut quotients);
            assert_eq!(quotients, numbers.map(|number| number / divisor), "by {divisor}");
        }
    }
}
