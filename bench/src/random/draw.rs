//! Drawing pairs: a family, then what it has.

use anyhow::{Result, bail};

use super::dice::Dice;
use super::families::{self, Family};
use super::pair::Pair;

/// How many sketches are drawn for a pair before it is given up: some cannot be of the size.
const MOST_SKETCHES: usize = 1000;

/// So many pairs, the same for the same seed; as many of each size.
pub(super) fn pairs(count: usize, seed: u64, megabytes: &[usize]) -> Result<Vec<Pair>> {
    let mut dice = Dice::new(seed);
    (0..count).map(|number| pair(megabytes[number % megabytes.len()] << 20, &mut dice)).collect()
}

/// A pair whose larger side has about so many bytes.
fn pair(bytes: usize, dice: &mut Dice) -> Result<Pair> {
    let Family { name, sketch, .. } = families::drawn(dice);
    for _ in 0..MOST_SKETCHES {
        if let Some(pair) = sketch(dice).fitted(name, bytes, dice)? {
            return Ok(pair);
        }
    }
    bail!("no pair of {bytes} bytes was found for {name}")
}

#[cfg(test)]
mod tests {
    use super::super::families::FAMILIES;
    use super::super::sketch::TOLERANCE;
    use super::*;
    use std::collections::BTreeSet;
    use tilewright_relayout::Placement;

    fn texts(seed: u64) -> Vec<[String; 2]> {
        pairs(50, seed, &[1, 64]).unwrap().into_iter().map(|pair| pair.texts).collect()
    }

    #[test]
    fn a_seed_draws_the_same_pairs() {
        assert_eq!(texts(5), texts(5));
        assert_ne!(texts(5), texts(6));
    }

    #[test]
    fn pairs_are_of_their_size_and_differ() {
        let pairs = pairs(2000, 1, &[1, 64]).unwrap();
        for (number, pair) in pairs.iter().enumerate() {
            let megabytes = [1, 64][number % 2];
            let share = pair.larger_bytes() * 100 / (megabytes << 20);
            assert!(TOLERANCE.contains(&share), "{:?}: {share}", pair.texts);
            assert_ne!(pair.texts[0], pair.texts[1]);
        }
        let texts: BTreeSet<&[String; 2]> = pairs.iter().map(|pair| &pair.texts).collect();
        assert!(texts.len() > 1950, "{}", texts.len());
    }

    #[test]
    fn every_family_is_drawn_with_ranks_and_widths_of_all_kinds() {
        let pairs = pairs(2000, 2, &[1]).unwrap();
        let families: BTreeSet<&str> = pairs.iter().map(|pair| pair.family).collect();
        assert_eq!(families.len(), FAMILIES.len());
        let ranks: BTreeSet<usize> =
            pairs.iter().map(|pair| pair.sides[0].map().dims().len()).collect();
        assert_eq!(ranks, BTreeSet::from([2, 3, 4, 5, 6]));
        let widths: BTreeSet<u32> = pairs
            .iter()
            .flat_map(|pair| pair.sides.each_ref().map(Placement::element_bits))
            .collect();
        assert_eq!(widths, BTreeSet::from([1, 2, 4, 8, 16, 32, 64, 128]));
    }
}
