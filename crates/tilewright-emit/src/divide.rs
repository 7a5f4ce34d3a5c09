//! Dividing by multiplying.
//!
//! With `c = ceil(2^s / d) = (2^s + e) / d` and `0 ≤ e < d`, `c * n` exceeds `2^s * n / d` by `n * e / d`, which leaves
//! the floor of `c * n / 2^s` the quotient as long as `n * e < 2^s`. The least such `s` has the least product, so that
//! small numbers are divided in 32 bits: `n div 3` for `n` up to 127 is `(n * 43) >> 7`.

/// `n div d` as `(n * factor) >> shift`, for `n` from 0 to some bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// What is multiplied by.
    pub factor: i64,
    /// How many bits are dropped.
    pub shift: u32,
    /// Whether `n * factor` may be more than an `int32_t`. It is never more than an `int64_t`.
    pub is_wide: bool,
}

impl Product {
    /// How to divide numbers from 0 to `high` by `divisor`; `None` where no product of 63 bits does.
    pub fn of(divisor: i64, high: i64) -> Option<Self> {
        if divisor < 2 || high < 0 {
            return None;
        }
        let (divisor, high) = (i128::from(divisor), i128::from(high));
        (1..=62u32).find_map(|shift| {
            let power = 1i128 << shift;
            let factor = (power + divisor - 1) / divisor;
            let excess = factor * divisor - power;
            let product = factor * high;
            let is_exact = excess * high < power && product <= i128::from(i64::MAX);
            let is_wide = product > i128::from(i32::MAX) || factor > i128::from(i32::MAX);
            is_exact.then_some(Product { factor: factor as i64, shift, is_wide })
        })
    }

    /// The quotient of a number that it is for.
    pub fn quotient(self, number: i64) -> i64 {
        number.wrapping_mul(self.factor) >> self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_products_divide_exactly_up_to_their_bound() {
        for divisor in 2..200 {
            for high in [0, 1, divisor - 1, divisor, 100, 1000, 4095, 4096] {
                let product = Product::of(divisor, high).unwrap();
                for number in 0..=high {
                    assert_eq!(product.quotient(number), number / divisor, "{number} / {divisor}");
                }
            }
        }
        assert_eq!(Product::of(3, 127), Some(Product { factor: 43, shift: 7, is_wide: false }));
    }

    /// Around multiples, where rounding would go wrong first, of numbers as large as they go.
    #[test]
    fn large_numbers_are_divided_or_it_is_said_that_they_are_not() {
        for divisor in [3, 5, 6, 7, 10, 60, 641, 1000, 25129, (1 << 31) - 1, (1 << 40) + 1] {
            for high in [i64::from(i32::MAX), 1 << 33, 1 << 45, 1 << 60, i64::MAX] {
                let Some(product) = Product::of(divisor, high) else {
                    assert!(high > i64::from(i32::MAX), "{divisor} up to {high}");
                    continue;
                };
                for multiple in (0..62).map(|power| (high >> power) / divisor * divisor) {
                    for number in [multiple - 1, multiple, multiple + 1] {
                        if (0..=high).contains(&number) {
                            assert_eq!(product.quotient(number), number / divisor);
                        }
                    }
                }
            }
        }
        assert_eq!(Product::of(3, i64::MAX), None);
    }
}
