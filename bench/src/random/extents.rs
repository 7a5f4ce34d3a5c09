//! The sizes of dimensions: powers of two, round numbers, odd ones and primes.

use super::dice::Dice;

/// What kind of number a size is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Any,
    PowerOfTwo,
    /// A multiple of 8 to 128.
    Round,
    Odd,
    Prime,
}

const KINDS: &[(usize, Kind)] = &[
    (30, Kind::PowerOfTwo),
    (25, Kind::Round),
    (15, Kind::Odd),
    (15, Kind::Prime),
    (15, Kind::Any),
];

/// Sizes of inner dimensions that are small: pixels' channels, coordinates, pairs, kernels of
/// convolutions, heads.
const SMALL: &[u64] = &[2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24];

/// How many in a hundred arrays of three and more dimensions, and of two, have a small one inside.
const SMALL_INSIDE: [usize; 2] = [40, 20];

impl Kind {
    pub(super) fn drawn(dice: &mut Dice) -> Kind {
        dice.weighted(KINDS)
    }

    /// A number of this kind close to `size`, 1 at least.
    pub(super) fn near(self, size: u64, dice: &mut Dice) -> u64 {
        let size = size.max(1);
        match self {
            Kind::Any => size,
            Kind::PowerOfTwo => nearest_power(size),
            Kind::Round => {
                let step = dice.pick(&[8, 16, 32, 64, 128]);
                if size < step { size } else { size / step * step }
            }
            Kind::Odd => size | 1,
            Kind::Prime => (2..=size).rev().find(|&number| is_prime(number)).unwrap_or(1),
        }
    }
}

/// The power of two that is the fewest times as large or as small.
fn nearest_power(size: u64) -> u64 {
    let below = 1 << size.ilog2();
    // Between 2ⁿ and 2ⁿ⁺¹ the middle is at 2ⁿ times the root of 2.
    if size * size > below * below * 2 { below * 2 } else { below }
}

fn is_prime(number: u64) -> bool {
    let divisors = (2..).take_while(|divisor| divisor * divisor <= number);
    number > 1 && divisors.into_iter().all(|divisor| !number.is_multiple_of(divisor))
}

/// Sizes for so many dimensions, of about so many elements in all; each is a multiple of its step
/// in `steps`.
///
/// The logarithm of the number of elements is split at random, with more chances for even parts
/// than for very uneven ones. Where every step is 1, the last dimension or another is often a small
/// one.
pub(super) fn drawn(dice: &mut Dice, elements: u64, steps: &[u64]) -> Vec<u64> {
    let rank = steps.len();
    let is_free = steps.iter().all(|&step| step == 1);
    let small_inside = SMALL_INSIDE[usize::from(rank <= 2)];
    let small = (is_free && rank > 1 && dice.chance(small_inside)).then(|| {
        let dim = if dice.chance(60) { rank - 1 } else { dice.below(rank) };
        (dim, dice.pick(SMALL))
    });
    // Sums of two exponentials, so that no part is next to nothing.
    let parts: Vec<f64> = (0..rank).map(|_| -dice.fraction().ln() - dice.fraction().ln()).collect();
    let of_rest = |dim: &usize| small.is_none_or(|(at, _)| at != *dim);
    let sum: f64 = (0..rank).filter(of_rest).map(|dim| parts[dim]).sum();
    let rest = elements as f64 / small.map_or(1.0, |(_, size)| size as f64);
    let mut sizes = Vec::with_capacity(rank);
    for dim in 0..rank {
        let size = rest.max(1.0).powf(parts[dim] / sum) as u64;
        sizes.push(match small {
            Some((at, size)) if at == dim => size,
            _ => multiple(size, steps[dim], dice),
        });
    }
    sizes
}

/// A multiple of `step` close to `size`, so many steps as a number of some kind.
pub(super) fn multiple(size: u64, step: u64, dice: &mut Dice) -> u64 {
    Kind::drawn(dice).near(size / step, dice) * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_of_their_kind() {
        let mut dice = Dice::new(1);
        for size in [1, 2, 3, 11, 100, 1000, 4097, 65_535] {
            let mut near = |kind: Kind| kind.near(size, &mut dice);
            assert_eq!(near(Kind::Any), size);
            assert!(near(Kind::PowerOfTwo).is_power_of_two());
            assert!(near(Kind::Odd) % 2 == 1);
            let prime = near(Kind::Prime);
            assert!(prime <= size && (2..prime).all(|divisor| prime % divisor > 0), "{prime}");
            assert!(near(Kind::Round).is_multiple_of(8) || size < 128);
        }
        assert_eq!(Kind::PowerOfTwo.near(1500, &mut dice), 2048);
        assert_eq!(Kind::PowerOfTwo.near(1400, &mut dice), 1024);
    }

    #[test]
    fn there_are_about_as_many_elements_as_asked_for() {
        let mut dice = Dice::new(2);
        for rank in 2..=6 {
            for _ in 0..100 {
                let sizes = drawn(&mut dice, 1 << 20, &vec![1; rank]);
                let elements: u64 = sizes.iter().product();
                assert!(sizes.len() == rank && elements > 1 << 14 && elements < 1 << 24);
            }
        }
    }

    #[test]
    fn steps_are_kept() {
        let mut dice = Dice::new(3);
        for _ in 0..100 {
            let sizes = drawn(&mut dice, 1 << 24, &[16, 64]);
            assert!(sizes[0].is_multiple_of(16) && sizes[1].is_multiple_of(64));
        }
    }
}
