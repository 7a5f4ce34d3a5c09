//! What the tests share: layouts drawn at random, those of the catalogue, and tables of a map.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test binary uses a part; a test may panic")]

use tilewright::IndexMap;
use tilewright::formats::catalogue::{self, NamedArray};
use tilewright::notation::Described;

/// Maps with more elements or slots than this are not looked at whole.
pub const MOST: i64 = 5000;

/// Numbers that follow from a seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x9e37_79b9);
        i64::try_from((u128::from(self.0) * u128::from(end.unsigned_abs())) >> 64).unwrap()
    }

    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(choices.len() as i64)).unwrap()]
    }

    pub fn dims(&mut self) -> Vec<i64> {
        let rank = self.of(&[0, 1, 1, 2, 2, 2, 2, 3, 3, 4]);
        let longest = [1, 300, 40, 12, 7][rank];
        (0..rank).map(|_| 1 + self.below(longest)).collect()
    }

    fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for place in (1..n).rev() {
            order.swap(place, usize::try_from(self.below(place as i64 + 1)).unwrap());
        }
        order
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// Tiles that fit, leave a rest, straddle dimensions, and tile tiles, with tails.
pub fn tiles_for(random: &mut Random, dims: &[i64]) -> String {
    let mut tiles = String::new();
    for _ in 0..random.below(4).min(dims.len() as i64 * 4) {
        let rank = 1 + random.below(3.min(dims.len() as i64));
        let mut sizes = Vec::new();
        for _ in 0..rank {
            let size = random.of(&[1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 10, 16]);
            sizes.push(if random.below(9) == 0 { "*".to_owned() } else { size.to_string() });
        }
        tiles += &format!("({})", list(&sizes));
    }
    let tail = if random.below(9) == 0 { format!("L({})", 1 + random.below(99)) } else { String::new() };
    let attributes = if tiles.is_empty() { tail } else { format!("T{tiles}{tail}") };
    let colon = if attributes.is_empty() { "" } else { ":" };
    format!("{{{}{colon}{attributes}}}", list(&random.order(dims.len())))
}

fn tiled(random: &mut Random) -> String {
    let dims = random.dims();
    format!("f32[{}]{}", list(&dims), tiles_for(random, &dims))
}

fn stride(random: &mut Random) -> i64 {
    let near = random.below(7);
    match random.below(8) {
        0 => 0,
        1 => -(1 << near),
        2 => random.below(40) - 20,
        _ => 1 << near,
    }
}

fn strided(random: &mut Random) -> String {
    let dims = random.dims();
    let strides: Vec<i64> = dims.iter().map(|_| stride(random)).collect();
    format!("u8[{}] strides=({}{})", list(&dims), list(&strides), if dims.len() == 1 { "," } else { "" })
}

/// Modes of modes, with an original shape or without.
fn nested(random: &mut Random) -> String {
    let (mut shape, mut strides, mut original) = (vec![], vec![], vec![]);
    for _ in 0..=random.below(3) {
        let modes: Vec<i64> = (0..=random.below(3)).map(|_| 1 + random.below(7)).collect();
        let of_modes: Vec<i64> = modes.iter().map(|_| stride(random)).collect();
        original.push((modes.iter().product::<i64>() - random.below(3)).max(1));
        shape.push(format!("({})", list(&modes)));
        strides.push(format!("({})", list(&of_modes)));
    }
    let text = format!("({}):({})", list(&shape), list(&strides));
    if random.below(2) == 0 { text } else { format!("{text}:({})", list(&original)) }
}

/// The exclusive or of some bits with others.
fn swizzled(random: &mut Random) -> String {
    let (bits, base) = (1 + random.below(3), random.below(4));
    let shift = bits + random.below(3);
    let (rows, columns) = (1 + random.below(40), 1 << (1 + random.below(6)));
    format!("Sw<{bits},{base},{shift}> o 0 o ({rows},{columns}):({columns},1)")
}

/// A layout under a layout.
fn composed(random: &mut Random) -> String {
    let (rows, columns, outer) = (1 + random.below(8), 1 + random.below(8), 1 + random.below(8));
    let (start, inner) = (random.below(9), columns + random.below(2));
    let outer_stride = outer + random.below(3) - 1;
    let last = random.of(&[1, 7]);
    format!("({rows},{columns}):({inner},1) o {start} o ({outer},99):({outer_stride},{last})")
}

/// A layout of any kind whose every element and slot can be looked at, with its map.
pub fn any_layout(random: &mut Random) -> (String, IndexMap) {
    loop {
        let text = match random.below(9) {
            0 => strided(random),
            1 => nested(random),
            2 => swizzled(random),
            3 => composed(random),
            _ => tiled(random),
        };
        let Ok(described) = text.parse::<Described>() else { continue };
        if let Ok(map) = described.index_map()
            && map.elements() <= MOST
            && map.allocation() <= 4 * MOST
        {
            return (text, map);
        }
    }
}

/// Every spelling of every entry of the catalogue, of a size of which every slot can be looked at.
pub fn named() -> Vec<NamedArray> {
    let mut all = Vec::new();
    for entry in catalogue::entries() {
        let example: NamedArray = entry.example.parse().unwrap();
        for spelling in entry.spellings() {
            let layout = spelling.parse().unwrap_or_else(|_| example.layout().clone());
            let types = [example.element_type(), tilewright::ElementType::S8, tilewright::ElementType::S4];
            let dims = example.dims();
            let found = types.iter().find_map(|&element_type| layout.of(element_type, dims).ok());
            all.extend(found);
        }
    }
    assert!(all.len() > 30, "only {} layouts have names", all.len());
    all
}

/// The index of the element of this number, in row-major order.
pub fn row_major_index(dims: &[i64], number: i64) -> Vec<i64> {
    let mut rest = number;
    let mut index = vec![0; dims.len()];
    for (value, extent) in index.iter_mut().zip(dims).rev() {
        *value = rest % extent;
        rest /= extent;
    }
    index
}

/// The offsets of all elements, in row-major order.
pub fn all_offsets(map: &IndexMap) -> Vec<i64> {
    map.offsets().unwrap()
}

/// Whether there is an element at each slot, from the lowest on.
pub fn occupied(map: &IndexMap) -> Vec<bool> {
    let mut occupied = vec![false; map.allocation() as usize];
    for offset in all_offsets(map) {
        occupied[(offset - map.lowest_offset()) as usize] = true;
    }
    occupied
}
