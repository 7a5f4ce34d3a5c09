//! What pairs are drawn from: families of layouts that somebody moves arrays between.

mod ascend;
mod dense;
mod hardware;
mod onednn;
mod packing;
mod swizzle;
mod tpu;
mod vnni;

use super::dice::Dice;
use super::sketch::Sketch;

/// Layouts that are drawn together.
#[derive(Clone, Copy)]
pub(super) struct Family {
    pub(super) name: &'static str,
    /// How many in a hundred pairs are of it.
    pub(super) weight: usize,
    pub(super) sketch: fn(&mut Dice) -> Sketch,
}

/// Every family, in the order of the report.
pub(super) const FAMILIES: &[Family] = &[
    family("permutation", 22, dense::sketch),
    family("rows, tiles", 20, tpu::rows_and_tiles),
    family("tiles, tiles", 14, tpu::tiles_and_tiles),
    family("bytes, bits", 8, packing::sketch),
    family("oneDNN", 11, onednn::sketch),
    family("Ascend", 7, ascend::sketch),
    family("VNNI", 5, vnni::sketch),
    family("swizzle", 6, swizzle::sketch),
    family("hardware", 7, hardware::sketch),
];

const fn family(name: &'static str, weight: usize, sketch: fn(&mut Dice) -> Sketch) -> Family {
    Family { name, weight, sketch }
}

/// A family, by its weight.
pub(super) fn drawn(dice: &mut Dice) -> Family {
    let weighted: Vec<(usize, Family)> =
        FAMILIES.iter().map(|family| (family.weight, *family)).collect();
    dice.weighted(&weighted)
}

/// A type of elements with the bits that one has in memory.
#[derive(Clone, Copy, Debug)]
struct Element {
    name: &'static str,
    bits: u64,
}

const fn element(name: &'static str, bits: u64) -> Element {
    Element { name, bits }
}

/// Types by their width in memory, most of them those that are most used.
const ELEMENTS: &[(usize, &[Element])] = &[
    (5, &[element("pred", 1)]),
    (5, &[element("s2", 2), element("u2", 2)]),
    (14, &[element("s4", 4), element("u4", 4)]),
    (16, &[element("s8", 8), element("u8", 8), element("pred", 8), element("f8e4m3fn", 8)]),
    (22, &[element("bf16", 16), element("f16", 16)]),
    (24, &[element("f32", 32), element("s32", 32)]),
    (10, &[element("f64", 64), element("s64", 64)]),
    (4, &[element("c128", 128)]),
];

impl Element {
    fn drawn(dice: &mut Dice) -> Element {
        let of_width = dice.weighted(ELEMENTS);
        dice.pick(of_width)
    }

    /// XLA's text for an array of it: dimensions from the most minor to the most major, and tiles.
    fn xla(self, sizes: &[u64], order: &[usize], tiles: &str) -> String {
        let packing = if self.bits < 8 { format!("E({})", self.bits) } else { String::new() };
        let colon = if tiles.is_empty() && packing.is_empty() { "" } else { ":" };
        let tiles = if tiles.is_empty() { String::new() } else { format!("T{tiles}") };
        let (name, sizes, order) = (self.name, joined(sizes), joined(order));
        format!("{name}[{sizes}]{{{order}{colon}{tiles}{packing}}}")
    }
}

/// An array in oneDNN's memory.
fn tagged(element: Element, sizes: &[u64], tag: &str) -> String {
    format!("{}[{}] {tag}", element.name, joined(sizes))
}

fn joined<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// The row-major order of XLA: the last dimension is the most minor.
fn descending(rank: usize) -> Vec<usize> {
    (0..rank).rev().collect()
}

/// The row-major order with the two most minor dimensions swapped.
fn swapped(rank: usize) -> Vec<usize> {
    let mut order = descending(rank);
    order.swap(0, 1);
    order
}

/// An order of memory as arrays have it: mostly row-major, or so many times in a hundred any.
fn order(rank: usize, any: usize, dice: &mut Dice) -> Vec<usize> {
    if dice.chance(any) { dice.order(rank) } else { descending(rank) }
}
