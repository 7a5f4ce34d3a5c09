//! oneDNN's blocked activations and weights, from and to plain ones and each other.

use super::super::dice::Dice;
use super::super::sketch::Sketch;
use super::{Element, element, tagged};

/// The letters of an image's dimensions, and of a series' and a volume's.
const SPACES: &[(usize, &str)] = &[(20, "w"), (65, "hw"), (15, "dhw")];

const CHANNELS: &[u64] =
    &[1, 3, 4, 7, 8, 12, 16, 17, 24, 32, 35, 48, 60, 64, 96, 100, 127, 128, 192, 255, 256, 512];

const IMAGE_SIZES: &[u64] = &[7, 13, 14, 16, 27, 28, 31, 32, 56, 64, 112, 113, 128, 224];

const KERNEL_SIZES: &[u64] = &[1, 1, 2, 3, 3, 3, 4, 5, 7];

const TYPES: &[(usize, Element)] = &[
    (50, element("f32", 32)),
    (15, element("bf16", 16)),
    (15, element("f16", 16)),
    (20, element("s8", 8)),
];

pub(super) fn sketch(dice: &mut Dice) -> Sketch {
    if dice.chance(60) { activations(dice) } else { weights(dice) }
}

/// `x` stands for the letters of the space.
fn activations(dice: &mut Dice) -> Sketch {
    const PLAIN: &[&str] = &["ncx", "nxc"];
    const BLOCKED: &[&str] = &["nCx4c", "nCx8c", "nCx16c", "nCx32c", "NCx16n16c"];
    let space = dice.weighted(SPACES);
    let element = dice.weighted(TYPES);
    let tags = tags(PLAIN, BLOCKED, dice).map(|tag| tag.replace('x', space));
    let mut sketch = both(2 + space.len(), element, tags).with(1, dice.pick(CHANNELS));
    let size = dice.pick(IMAGE_SIZES);
    for dim in 2..2 + space.len() {
        let is_square = dice.chance(70);
        sketch = sketch.with(dim, if is_square { size } else { dice.pick(IMAGE_SIZES) });
    }
    sketch
}

fn weights(dice: &mut Dice) -> Sketch {
    const PLAIN: &[&str] = &["oix", "xio", "oxi"];
    const BLOCKED: &[&str] = &["OIx8i8o", "OIx16i16o", "OIx16o16i", "IOx16o16i", "Oxi8o", "Oxi16o"];
    let space = dice.weighted(SPACES);
    let element = dice.weighted(TYPES);
    let of_type: &[&str] = match element.bits {
        16 => &["OIx8i16o2i", "OIx8o16i2o", "OIx16i16o"],
        8 => &["OIx4i16o4i", "OIx2i8o4i", "OIx16i16o4i"],
        _ => BLOCKED,
    };
    let in_groups = dice.chance(15);
    let group = if in_groups { "g" } else { "" };
    let tags = tags(PLAIN, of_type, dice).map(|tag| format!("{group}{}", tag.replace('x', space)));
    let first = group.len();
    let mut sketch = both(first + 2 + space.len(), element, tags);
    if in_groups {
        sketch = sketch.with(0, dice.pick(&[2, 4, 8, 32]));
    }
    let size = dice.pick(KERNEL_SIZES);
    for dim in 0..space.len() {
        sketch = sketch.with(first + 2 + dim, size);
    }
    sketch
}

/// A plain tag and a blocked one, either way, or two blocked ones.
fn tags(plain: &[&'static str], blocked: &[&'static str], dice: &mut Dice) -> [&'static str; 2] {
    let (one, other) = (dice.pick(blocked), dice.pick(blocked));
    match dice.below(100) {
        0..45 => [dice.pick(plain), one],
        45..85 => [one, dice.pick(plain)],
        _ => [one, other],
    }
}

fn both(rank: usize, element: Element, tags: [String; 2]) -> Sketch {
    Sketch::new(rank, element.bits, move |sizes| {
        tags.each_ref().map(|tag| tagged(element, sizes, tag))
    })
}
