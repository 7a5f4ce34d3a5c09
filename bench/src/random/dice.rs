//! Random choices that are the same for the same seed, on every machine.

/// A source of random choices: SplitMix64, whose state counts in steps of an odd constant and whose
/// output is the state, mixed.
///
/// Source: Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, 2014.
#[derive(Clone, Debug)]
pub(super) struct Dice {
    state: u64,
}

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Dice { state: seed }
    }

    /// 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 where there is none. It is the upper half of a product, so that
    /// each has the same chance up to one in 2⁶⁴.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// A number above 0 and up to 1.
    pub(super) fn fraction(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Whether something happens that does so this many times in a hundred.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several, of which there must be one.
    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// One of several, each with a chance in proportion to its weight.
    pub(super) fn weighted<T: Copy>(&mut self, of: &[(usize, T)]) -> T {
        let mut place = self.below(of.iter().map(|(weight, _)| weight).sum());
        for &(weight, choice) in of {
            match place.checked_sub(weight) {
                Some(rest) => place = rest,
                None => return choice,
            }
        }
        of[of.len() - 1].1
    }

    /// The numbers below `count` in any order.
    pub(super) fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_paper() {
        // The first outputs for the seed 1234567, as other implementations have them.
        let mut dice = Dice::new(1_234_567);
        assert_eq!(
            [dice.bits(), dice.bits()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }

    #[test]
    fn choices_are_within_their_limits() {
        let mut dice = Dice::new(7);
        let mut seen = [0; 3];
        for _ in 0..3000 {
            seen[dice.below(3)] += 1;
            assert!(dice.fraction() > 0.0 && dice.fraction() <= 1.0);
            assert_eq!(dice.weighted(&[(0, 'a'), (2, 'b'), (0, 'c')]), 'b');
        }
        assert!(seen.iter().all(|&times| times > 900), "{seen:?}");
    }

    #[test]
    fn an_order_has_each_number_once() {
        let mut order = Dice::new(3).order(6);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    }
}
