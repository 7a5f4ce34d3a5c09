//! Elements below a byte that have a byte each on one side and are packed on the other.

use super::super::dice::Dice;
use super::super::sketch::Sketch;
use super::{Element, element, order, tpu};

const ELEMENTS: &[(usize, Element)] = &[
    (30, element("pred", 1)),
    (10, element("s2", 2)),
    (10, element("u2", 2)),
    (30, element("s4", 4)),
    (20, element("u4", 4)),
];

const RANKS: &[(usize, usize)] = &[(50, 2), (30, 3), (20, 4)];

/// How many in a hundred sides are tiled.
const TILED: usize = 35;

/// The order and the tiles of a side.
fn side(rank: usize, bits: u64, dice: &mut Dice) -> (Vec<usize>, &'static str) {
    match dice.chance(TILED) {
        true => (tpu::tiled_order(rank, dice), dice.weighted(tpu::tiles(bits))),
        false => (order(rank, 25, dice), ""),
    }
}

pub(super) fn sketch(dice: &mut Dice) -> Sketch {
    let rank = dice.weighted(RANKS);
    let packed = dice.weighted(ELEMENTS);
    let bytes = Element { bits: 8, ..packed };
    let (of_bytes, of_bits) = (side(rank, 8, dice), side(rank, packed.bits, dice));
    let is_back = dice.chance(50);
    Sketch::new(rank, 8, move |sizes| {
        let mut texts =
            [bytes.xla(sizes, &of_bytes.0, of_bytes.1), packed.xla(sizes, &of_bits.0, of_bits.1)];
        if is_back {
            texts.reverse();
        }
        texts
    })
}
