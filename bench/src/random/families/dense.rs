//! Permutations of dense arrays.

use super::super::dice::Dice;
use super::super::sketch::Sketch;
use super::{Element, order};

const RANKS: &[(usize, usize)] = &[(25, 2), (25, 3), (25, 4), (15, 5), (10, 6)];

pub(super) fn sketch(dice: &mut Dice) -> Sketch {
    let rank = dice.weighted(RANKS);
    let element = Element::drawn(dice);
    let (from, to) = (order(rank, 30, dice), dice.order(rank));
    Sketch::new(rank, element.bits, move |sizes| {
        [&from, &to].map(|order| element.xla(sizes, order, ""))
    })
}
