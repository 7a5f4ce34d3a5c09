//! Matrices for dot products of 32 bits: pairs of 16 bits or quads of 8 bits along the depth.

use super::super::dice::Dice;
use super::super::sketch::Sketch;
use super::{Element, descending, element, swapped, tagged};

const TYPES: &[(usize, Element)] =
    &[(45, element("bf16", 16)), (10, element("f16", 16)), (45, element("s8", 8))];

/// The columns of a block of 16 groups of rows, as oneDNN has them.
const COLUMNS: &[u64] = &[16, 32, 48, 64];

pub(super) fn sketch(dice: &mut Dice) -> Sketch {
    let element = dice.weighted(TYPES);
    let group = 32 / element.bits;
    let rank = dice.weighted(&[(70, 2), (30, 3)]);
    let is_plain_groups = dice.chance(35);
    let columns = dice.pick(COLUMNS);
    let (is_column_major, is_back) = (dice.chance(30), dice.chance(40));
    Sketch::new(rank, element.bits, move |sizes| {
        let order = if is_column_major { swapped(rank) } else { descending(rank) };
        let plain = element.xla(sizes, &order, "");
        let grouped = match (is_plain_groups, rank) {
            (true, _) => element.xla(sizes, &descending(rank), &format!("({group},1)")),
            (_, 2) => tagged(element, sizes, &format!("BA16a{columns}b{group}a")),
            _ => tagged(element, sizes, &format!("aCB16b{columns}c{group}b")),
        };
        if is_back { [grouped, plain] } else { [plain, grouped] }
    })
}
