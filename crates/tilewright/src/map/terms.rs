//! What many values of one source add to a sum.
//!
//! All digits of a source `x` together are `f(x) = Σ c[k] * (x div k)` ([floors](super::floors)): one
//! product for each `k`, and no remainder. The rows of `f32[4096,4096]{1,0:T(8,128)}` add
//! `128*i0 + 31744*(i0 div 8)`. Modulo a power of two that is true of factors of either sign.

use super::divisor::{Divisor, Product};
use super::floors::floors_of;
use super::word::Word;
use super::{Digit, IndexMap, Source};

/// `f(x)` of one source, modulo as much as a word takes.
#[derive(Clone, Debug)]
pub(super) struct Terms<W> {
    /// The factor of the values themselves.
    linear: W,
    floors: Floors<W>,
}

/// The divisors above 1, and the factor of each quotient.
#[derive(Clone, Debug)]
enum Floors<W> {
    /// Powers of two.
    Shifts(Vec<(u32, W)>),
    /// Of values below 2³¹.
    Products(Vec<(Product, W)>),
    Long(Vec<(Divisor, W)>),
}

impl<W: Word> Terms<W> {
    /// What `source` adds to a sum of these digits.
    pub(super) fn of(map: &IndexMap, digits: &[Digit], source: Source) -> Self {
        let below = map.source_extent(source).unsigned_abs();
        let (mut linear, mut floors) = (W::of(0), Vec::new());
        for (divisor, factor) in factors(map, digits, source) {
            match divisor {
                1 => linear = W::of(factor),
                _ if W::of(factor).number() == 0 => {}
                _ => floors.push((divisor, W::of(factor))),
            }
        }
        Terms { linear, floors: Floors::new(&floors, below) }
    }

    /// Adds `f` of each value to its sum. Sums wrap: what they come to fits, says the map, though some
    /// of the way there may not.
    pub(super) fn add(&self, values: &[W], sums: &mut [W]) {
        let linear = self.linear;
        match &self.floors {
            // It adds nothing.
            Floors::Shifts(floors) if floors.is_empty() && linear.number() == 0 => {}
            Floors::Shifts(floors) => {
                add_in_parts(floors, linear, values, sums, W::shifted);
            }
            Floors::Products(floors) => {
                add_in_parts(floors, linear, values, sums, W::quotient);
            }
            Floors::Long(floors) => {
                let divide = |value: W, by: Divisor| W::of(by.quotient(value.number()));
                add_in_parts(floors, linear, values, sums, divide);
            }
        }
    }
}

impl<W: Word> Floors<W> {
    /// Of divisors with their factors, to be taken of values below `below`.
    fn new(floors: &[(u64, W)], below: u64) -> Self {
        if floors.iter().all(|(divisor, _)| divisor.is_power_of_two()) {
            let shift = |&(divisor, factor): &(u64, W)| (divisor.trailing_zeros(), factor);
            return Floors::Shifts(floors.iter().map(shift).collect());
        }
        let product = |&(divisor, factor): &(u64, W)| Some((Product::new(divisor)?, factor));
        match floors.iter().map(product).collect() {
            Some(products) if below <= Product::BELOW => Floors::Products(products),
            _ => Floors::Long(floors.iter().map(|&(d, c)| (Divisor::new(d, below), c)).collect()),
        }
    }
}

/// The factor of each divisor below `below` in the sum of the digits of one source, modulo 2⁶⁴.
pub(super) fn factors(map: &IndexMap, digits: &[Digit], source: Source) -> Vec<(u64, u64)> {
    let below = map.source_extent(source).unsigned_abs();
    let floors = digits.iter().filter(|digit| digit.source == source).flat_map(floors_of);
    let mut factors = Vec::with_capacity(8);
    for floor in floors {
        let divisor = floor.divisor.unsigned_abs();
        if divisor < below {
            factors.push((divisor, floor.factor as u64));
        }
    }
    factors.sort_unstable();
    factors.dedup_by(|other, kept: &mut (u64, u64)| {
        let is_same = other.0 == kept.0;
        kept.1 = if is_same { kept.1.wrapping_add(other.1) } else { kept.1 };
        is_same
    });
    factors
}

/// Adds up to three quotients at a time: each loop has a fixed number of them.
#[inline(always)]
fn add_in_parts<W: Word, D: Copy>(
    floors: &[(D, W)],
    linear: W,
    values: &[W],
    sums: &mut [W],
    divide: impl Fn(W, D) -> W + Copy,
) {
    let (threes, rest) = floors.as_chunks::<3>();
    match *rest {
        [a, b] => add_all([a, b], linear, values, sums, divide),
        [a] => add_all([a], linear, values, sums, divide),
        _ => add_all([], linear, values, sums, divide),
    }
    for &three in threes {
        add_all(three, W::of(0), values, sums, divide);
    }
}

#[inline(always)]
fn add_all<const N: usize, W: Word, D: Copy>(
    floors: [(D, W); N],
    linear: W,
    values: &[W],
    sums: &mut [W],
    divide: impl Fn(W, D) -> W,
) {
    for (sum, &value) in sums.iter_mut().zip(values) {
        let mut total = sum.plus(value.times(linear));
        for (by, factor) in floors {
            total = total.plus(divide(value, by).times(factor));
        }
        *sum = total;
    }
}
