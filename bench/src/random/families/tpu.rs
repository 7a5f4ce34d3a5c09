//! The tiles of TPUs, from and to rows, and from one to another.

use super::super::dice::Dice;
use super::super::sketch::Sketch;
use super::{Element, descending, order, swapped};

const RANKS: &[(usize, usize)] = &[(45, 2), (30, 3), (17, 4), (5, 5), (3, 6)];

/// The tiles of arrays whose elements have so many bits: those that compilers choose most, first.
pub(super) fn tiles(bits: u64) -> &'static [(usize, &'static str)] {
    match bits {
        1 => &[(1, "(32,128)(32,1)")],
        2 => &[(1, "(16,128)(16,1)"), (1, "(128,128)(16,1)")],
        4 => &[(3, "(64,128)(8,1)"), (2, "(8,128)(8,1)"), (1, "(16,128)(8,1)")],
        8 => &[(4, "(8,128)(4,1)"), (2, "(32,128)(4,1)"), (1, "(8,128)"), (1, "(16,128)(4,1)")],
        16 => &[(4, "(8,128)(2,1)"), (2, "(16,128)(2,1)"), (1, "(8,128)"), (1, "(4,128)(2,1)")],
        _ => &[(6, "(8,128)"), (1, "(4,128)"), (1, "(2,128)")],
    }
}

/// The order of a tiled array: row-major, column-major or any.
pub(super) fn tiled_order(rank: usize, dice: &mut Dice) -> Vec<usize> {
    match dice.below(100) {
        0..55 => descending(rank),
        55..80 => swapped(rank),
        _ => dice.order(rank),
    }
}

pub(super) fn rows_and_tiles(dice: &mut Dice) -> Sketch {
    let rank = dice.weighted(RANKS);
    let element = Element::drawn(dice);
    let rows = order(rank, 20, dice);
    let tiled = tiled_order(rank, dice);
    let tiles = dice.weighted(tiles(element.bits));
    let is_back = dice.chance(50);
    Sketch::new(rank, element.bits, move |sizes| {
        let mut texts = [element.xla(sizes, &rows, ""), element.xla(sizes, &tiled, tiles)];
        if is_back {
            texts.reverse();
        }
        texts
    })
}

pub(super) fn tiles_and_tiles(dice: &mut Dice) -> Sketch {
    let rank = dice.weighted(RANKS);
    let element = Element::drawn(dice);
    let sides = [0, 1].map(|_| (tiled_order(rank, dice), dice.weighted(tiles(element.bits))));
    Sketch::new(rank, element.bits, move |sizes| {
        sides.each_ref().map(|(order, tiles)| element.xla(sizes, order, tiles))
    })
}
