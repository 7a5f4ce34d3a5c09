//! Dividing many numbers by one, mostly without the processor's division.
//!
//! A product's high part is a quotient: with `c = ceil(2^s / d) = (2^s + e) / d` and `0 ≤ e < d`,
//! `c * n` exceeds `2^s * n / d` by `n * e / d`, which leaves the floor of `c * n / 2^s` what it is as
//! long as `n * e` is below `2^s`.
//!
//! Numbers below 2³¹ need a factor of 32 bits only: with `2^l` the next power of two above `d`, `s` is
//! `31 + l`, `n * e` is below `2³¹ * 2^l`, and `c` is below `2³²` since `d` is above `2^(l-1)`. By 10,
//! for example, `l` is 4, `s` is 35 and `c` is 3435973837. Products of two numbers of 32 bits are
//! vector instructions on every processor; those of 64 bits, and divisions, are not.

/// How to divide by a number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Divisor {
    PowerOfTwo(u32),
    /// Numbers below 2³¹.
    Product(Product),
    /// By multiplying with its reciprocal: 2⁶⁴ times that, rounded up.
    Reciprocal(u64),
    /// By dividing.
    Number(u64),
}

/// `n div d` as `(n * factor) >> shift`, for `n` below 2³¹.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    factor: u32,
    shift: u32,
}

impl Divisor {
    /// How to divide numbers below `below` by `divisor`, which is 1 or more.
    pub(super) fn new(divisor: u64, below: u64) -> Self {
        let divisor = divisor.max(1);
        if divisor.is_power_of_two() {
            return Divisor::PowerOfTwo(divisor.trailing_zeros());
        }
        if let Some(product) = Product::new(divisor).filter(|_| below <= Product::BELOW) {
            return Divisor::Product(product);
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
            Divisor::Product(product) => product.quotient(number as u32).into(),
            Divisor::Reciprocal(reciprocal) => high_product(number, reciprocal),
            Divisor::Number(divisor) => number / divisor,
        }
    }
}

impl Product {
    /// The numbers that can be divided are below this.
    pub(super) const BELOW: u64 = 1 << 31;

    /// Leaves numbers as they are.
    pub(super) const BY_ONE: Self = Product { factor: 1 << 31, shift: 31 };

    /// `None` for a divisor that is too large.
    pub(super) fn new(divisor: u64) -> Option<Self> {
        if divisor == 1 {
            return Some(Product::BY_ONE);
        }
        if !(2..Product::BELOW).contains(&divisor) {
            return None;
        }
        let shift = 31 + divisor.next_power_of_two().trailing_zeros();
        let factor = (1u64 << shift).div_ceil(divisor);
        Some(Product { factor: u32::try_from(factor).ok()?, shift })
    }

    /// Whether it leaves numbers as they are.
    pub(super) fn is_by_one(self) -> bool {
        self.shift == 31
    }

    /// Divides one number. A larger one than can be divided gives any number.
    #[inline(always)]
    pub(super) fn quotient(self, number: u32) -> u32 {
        ((u64::from(number) * u64::from(self.factor)) >> self.shift) as u32
    }
}

/// The upper 64 bits of a product.
#[inline(always)]
pub(super) fn high_product(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Powers of two and their neighbours.
    fn near_powers() -> impl Iterator<Item = u64> {
        (5..=32).step_by(3).flat_map(|power| (0..5).map(move |off| (1u64 << power) - 2 + off))
    }

    /// Around every multiple that is near a power of two, and the last, where rounding would go wrong
    /// first.
    #[track_caller]
    fn check(divisor: u64, below: u64, quotient: impl Fn(u64) -> u64) {
        let multiples = (0..63).map(|power| (1u64 << power) / divisor * divisor);
        for multiple in multiples.chain([(below - 1) / divisor * divisor]) {
            for number in multiple.saturating_sub(1)..=multiple + 1 {
                if number < below {
                    assert_eq!(quotient(number), number / divisor, "{number} / {divisor}");
                }
            }
        }
        assert_eq!(quotient(below - 1), (below - 1) / divisor, "{} / {divisor}", below - 1);
    }

    #[test]
    fn products_divide_exactly() {
        for divisor in (1..40).chain(near_powers()).filter(|divisor| *divisor < 1 << 31) {
            let product = Product::new(divisor).unwrap();
            check(divisor, Product::BELOW, |number| product.quotient(number as u32).into());
            assert_eq!(product.is_by_one(), divisor == 1);
            let chosen = Divisor::new(divisor, Product::BELOW);
            assert!(matches!(chosen, Divisor::PowerOfTwo(_) | Divisor::Product(_)), "{divisor}");
            check(divisor, Product::BELOW, |number| chosen.quotient(number));
        }
        assert!(Product::new(0).is_none() && Product::new(1 << 31).is_none());
    }

    /// The condition above, which leaves no number below 2³¹ a wrong quotient: `factor * d = 2^shift + e` with `0 ≤ e`
    /// and `(2³¹ - 1) * e < 2^shift`, where a factor and a product have room for. `cargo xtask exhaustive divisors` asks
    /// every divisor there is.
    #[test]
    fn the_condition_holds_for_every_divisor() {
        let is_whole = std::env::var_os("TILEWRIGHT_EXHAUSTIVE").is_some();
        let steps = match (is_whole, cfg!(miri)) {
            (true, _) => [1, 1],
            (false, false) => [4099, 61],
            (false, true) => [50_000_017, 9973],
        };
        let mut n = 0;
        for divisor in (2..Product::BELOW).step_by(steps[0]) {
            let Product { factor, shift } = Product::new(divisor).unwrap();
            let product = u64::from(factor).checked_mul(divisor).unwrap();
            let excess = product.checked_sub(1 << shift).unwrap();
            let most = u128::from(Product::BELOW - 1) * u128::from(excess);
            assert!(most < 1 << shift && (31..64).contains(&shift), "{divisor}");
            n += 1;
        }
        assert_eq!(n, (Product::BELOW - 2).div_ceil(steps[0] as u64));
        // What the condition is for, where a quotient would be wrong first.
        for divisor in (1..1 << 16).step_by(steps[1]) {
            let product = Product::new(divisor).unwrap();
            check(divisor, Product::BELOW, |number| product.quotient(number as u32).into());
        }
    }

    #[test]
    fn reciprocals_divide_exactly() {
        for divisor in (1..40).chain(near_powers()).filter(|divisor| *divisor <= 1 << 32) {
            let quick = Divisor::new(divisor, 1 << 32);
            assert!(!matches!(quick, Divisor::Number(_) | Divisor::Product(_)), "{divisor}");
            check(divisor, 1 << 32, |number| quick.quotient(number));
        }
    }

    /// As far as a reciprocal is said to do.
    #[test]
    fn reciprocals_are_for_as_large_numbers_as_they_divide() {
        for divisor in [6, 10, 60, 1000, 6_291_480, 3_000_000_019, (1 << 40) + 1] {
            let is_quick = |below: u64| !matches!(Divisor::new(divisor, below), Divisor::Number(_));
            let (mut most, mut too_many) = (2, u64::MAX);
            while too_many - most > 1 {
                let below = most + (too_many - most) / 2;
                if is_quick(below) { most = below } else { too_many = below }
            }
            let quick = Divisor::new(divisor, most);
            assert!(matches!(quick, Divisor::Reciprocal(_)), "{divisor}");
            check(divisor, most, |number| quick.quotient(number));
        }
    }

    #[test]
    fn large_numbers_are_divided() {
        for divisor in [3, 1 << 33, (1 << 40) + 1] {
            let quick = Divisor::new(divisor, u64::MAX >> 1);
            check(divisor, u64::MAX >> 1, |number| quick.quotient(number));
        }
    }
}
