//! What is measured: pairs of layouts, each with a name.
//!
//! Capital letters are arrays of 64 to 300 MiB, far larger than any cache; the same letters in
//! lower case are arrays of 1 MiB, which stay in one. A prime is the way back.

use anyhow::{Result, bail};
use tilewright::Shape;
use tilewright_relayout::Placement;

/// How large the arrays named by capital letters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// 64 to 300 MiB.
    Full,
    /// About 64 MiB.
    Quick,
}

/// A relayout with a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    element: &'static str,
    dims: Dims,
    from: &'static str,
    to: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum Dims {
    /// In full, and quick.
    Large(&'static str, &'static str),
    /// In cache, whoever asks.
    Small(&'static str),
}

use Dims::{Large, Small};

const ROWS: &str = "1,0";
const COLUMNS: &str = "0,1";
const TILES: &str = "1,0:T(8,128)";
const COLUMN_TILES: &str = "0,1:T(8,128)";
const PAIRS: &str = "1,0:T(8,128)(2,1)";
const QUADS: &str = "1,0:T(8,128)(4,1)";
/// Ascend's zN: fractals of 16 x 16, a column of them after the other.
const FRACTALS: &str = "0,1:T(16,16)(16,1)";
const BITS: &str = "1,0:T(32,128)(32,1)E(1)";
const NIBBLES: &str = "1,0:E(4)";
const NIBBLE_TILES: &str = "1,0:T(64,128)(8,1)E(4)";
/// The tiles that a TPU program changes to from `TILES` where it wants rows in pairs: twice as
/// high and packed, so that nothing longer than one element stays together.
const TALL_PAIRS: &str = "1,0:T(16,128)(2,1)";
const NCHW: &str = "3,2,1,0";
const NHWC: &str = "1,3,2,0";

const fn case(
    name: &'static str,
    element: &'static str,
    dims: Dims,
    from: &'static str,
    to: &'static str,
) -> Case {
    Case { name, element, dims, from, to }
}

const F32: Dims = Large("8192,8192", "4096,4096");
const B16: Dims = Large("8192,8192", "4096,8192");
const BYTES: Dims = Large("8192,8192", "8192,8192");
const ODD: Dims = Large("4097,4099", "4097,4099");
const IMAGES: Dims = Large("64,128,96,96", "16,128,96,96");
const NIBBLE_BYTES: Dims = Large("16384,8192", "8192,8192");

/// Every case, in the order of the report.
pub(crate) const CASES: &[Case] = &[
    case("A", "f32", F32, ROWS, TILES),
    case("A'", "f32", F32, TILES, ROWS),
    case("B", "f32", ODD, ROWS, TILES),
    case("B'", "f32", ODD, TILES, ROWS),
    case("C", "bf16", B16, ROWS, PAIRS),
    case("C'", "bf16", B16, PAIRS, ROWS),
    case("D", "s8", BYTES, ROWS, QUADS),
    case("D'", "s8", BYTES, QUADS, ROWS),
    case("E", "f32", F32, ROWS, COLUMNS),
    case("F", "f32", IMAGES, NCHW, NHWC),
    case("F'", "f32", IMAGES, NHWC, NCHW),
    case("G", "bf16", Large("128,16,1024,64", "32,16,1024,64"), "3,2,1,0", "3,1,2,0"),
    case("H", "f32", F32, TILES, COLUMN_TILES),
    case("I", "f16", B16, ROWS, FRACTALS),
    case("J", "pred", BYTES, ROWS, BITS),
    case("J'", "pred", BYTES, BITS, ROWS),
    case("K1", "f32", K1, "5,4,3,2,1,0", "1,4,5,2,3,0"),
    case("K2", "f32", K2, "5,4,3,2,1,0", "4,1,5,0,2,3"),
    case("L", "bf16", B16, TILES, TALL_PAIRS),
    case("L1", "bf16", B16, TILES, ROWS),
    case("L2", "bf16", B16, ROWS, TALL_PAIRS),
    case("M", "f32", ODD, ROWS, COLUMNS),
    case("N", "s4", NIBBLE_BYTES, ROWS, NIBBLES),
    case("N'", "s4", NIBBLE_BYTES, NIBBLES, ROWS),
    case("S", "s4", NIBBLE_BYTES, ROWS, NIBBLE_TILES),
    case("S'", "s4", NIBBLE_BYTES, NIBBLE_TILES, ROWS),
    case("a", "f32", Small("512,512"), ROWS, TILES),
    case("a'", "f32", Small("512,512"), TILES, ROWS),
    case("b", "f32", Small("505,507"), ROWS, TILES),
    case("b'", "f32", Small("505,507"), TILES, ROWS),
    case("c", "bf16", Small("512,1024"), ROWS, PAIRS),
    case("c'", "bf16", Small("512,1024"), PAIRS, ROWS),
    case("d", "s8", Small("1024,1024"), ROWS, QUADS),
    case("d'", "s8", Small("1024,1024"), QUADS, ROWS),
    case("e", "f32", Small("512,512"), ROWS, COLUMNS),
    case("f", "f32", Small("4,64,32,32"), NCHW, NHWC),
    case("f'", "f32", Small("4,64,32,32"), NHWC, NCHW),
    case("g", "bf16", Small("8,16,64,64"), "3,2,1,0", "3,1,2,0"),
    case("h", "f32", Small("512,512"), TILES, COLUMN_TILES),
    case("i", "f16", Small("512,1024"), ROWS, FRACTALS),
    case("j", "pred", Small("1024,1024"), ROWS, BITS),
    case("j'", "pred", Small("1024,1024"), BITS, ROWS),
    case("k1", "f32", Small("8,16,15,16,3,3"), "5,4,3,2,1,0", "1,4,5,2,3,0"),
    case("k2", "f32", Small("16,15,15,8,3,3"), "5,4,3,2,1,0", "4,1,5,0,2,3"),
    case("l", "bf16", Small("512,1024"), TILES, TALL_PAIRS),
    case("m", "f32", Small("505,507"), ROWS, COLUMNS),
    case("n", "s4", Small("1024,1024"), ROWS, NIBBLES),
    case("s", "s4", Small("1024,1024"), ROWS, NIBBLE_TILES),
    case("1K tile", "f32", Small("16,16"), ROWS, "1,0:T(8,8)"),
    case("1K columns", "f32", Small("16,16"), ROWS, COLUMNS),
];

const K1: Dims = Large("16,32,15,32,15,15", "16,8,15,32,15,15");
const K2: Dims = Large("32,15,15,32,15,15", "8,15,15,32,15,15");

/// Cases whose relayout goes through rows in two moves as well: the one-pass case, and the moves.
pub(crate) const IN_TWO_MOVES: &[(&str, [&str; 2])] = &[("L", ["L1", "L2"])];

/// Cases that a quick run leaves out unless they are named.
const NOT_QUICK: &[&str] = &[
    "M", "N", "N'", "S'", "a'", "b'", "c'", "d'", "f", "f'", "g", "i", "j", "j'", "k1", "k2", "l",
    "m", "n", "s",
];

/// The cases with these names, in the order of the list; where none is named, all that a run of
/// this size has.
pub(crate) fn chosen(names: &[String], size: Size) -> Result<Vec<Case>> {
    if let Some(unknown) = names.iter().find(|name| CASES.iter().all(|case| case.name != **name)) {
        let known: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        bail!("no case is called `{unknown}`; there are {}", known.join(", "));
    }
    let is_chosen = |case: &&Case| match names {
        [] => size == Size::Full || !NOT_QUICK.contains(&case.name),
        names => names.iter().any(|name| name == case.name),
    };
    Ok(CASES.iter().filter(is_chosen).copied().collect())
}

impl Case {
    /// The two shapes.
    pub(crate) fn shapes(&self, size: Size) -> Result<[Shape; 2]> {
        let dims = match (self.dims, size) {
            (Large(dims, _), Size::Full) | (Large(_, dims), Size::Quick) | (Small(dims), _) => dims,
        };
        let shape = |layout: &str| format!("{}[{dims}]{{{layout}}}", self.element).parse::<Shape>();
        Ok([shape(self.from)?, shape(self.to)?])
    }

    /// Whether the bits of an element are packed on one side, so that next to nothing is read or
    /// written there: such a relayout is bound by reading alone, or writing alone.
    pub(crate) fn packs_bits(&self) -> bool {
        [self.from, self.to].contains(&BITS)
    }

    /// The bits that every byte of the source may have set, so that it holds values of its type:
    /// truth values are 0 and 1, and a nibble's byte has no high bits. Numbers of other types
    /// have two bits of each byte clear, which leaves no float a NaN.
    pub(crate) fn source_mask(&self) -> u8 {
        let is_packed = self.from.contains("E(");
        match self.element {
            _ if is_packed => 0xff,
            "pred" => 0x01,
            "s4" => 0x0f,
            _ => 0x3f,
        }
    }
}

/// How each shape's array lies in memory.
pub(crate) fn placements(shapes: &[Shape; 2]) -> Result<[Placement; 2]> {
    let [from, to] = shapes;
    Ok([Placement::from_shape(from.as_array()?)?, Placement::from_shape(to.as_array()?)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = CASES.iter().map(|case| case.name).collect();
        assert_eq!(names.len(), CASES.len());
    }

    #[test]
    fn sizes_are_what_they_should_be() {
        for case in CASES {
            let larger_side = |size| {
                let [from, to] = placements(&case.shapes(size).unwrap()).unwrap();
                from.bytes().max(to.bytes())
            };
            let (full, quick) = (larger_side(Size::Full), larger_side(Size::Quick));
            let allowed = match case.name {
                name if name.starts_with("1K") => 1 << 10..=1 << 10,
                name if name.starts_with(char::is_lowercase) => 1_000_000..=1_200_000,
                _ => 64 << 20..=300 << 20,
            };
            assert!(allowed.contains(&full), "{}: {full}", case.name);
            assert!(quick <= full && quick <= 80 << 20, "{}: {quick}", case.name);
        }
    }

    #[test]
    fn permutations_are_the_ones_they_are_named_for() {
        let physical = |case: &Case| {
            let [_, to] = placements(&case.shapes(Size::Full).unwrap()).unwrap();
            to.map().physical_dims().to_vec()
        };
        let named = |name: &str| CASES.iter().find(|case| case.name == name).unwrap();
        assert_eq!(physical(named("F")), [64, 96, 96, 128]); // NHWC
        assert_eq!(physical(named("G")), [128, 1024, 16, 64]); // 0,2,1,3
        assert_eq!(physical(named("K1")), [16, 32, 15, 15, 15, 32]); // 0,3,2,5,4,1
        assert_eq!(physical(named("K2")), [32, 15, 32, 15, 15, 15]); // 3,2,0,5,1,4
    }

    #[test]
    fn an_unknown_case_is_refused() {
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            chosen(&names, Size::Quick)
        };
        assert_eq!(chosen(&["E", "A"]).unwrap().len(), 2);
        assert_eq!(chosen(&["n"]).unwrap().len(), 1);
        assert_eq!(chosen(&[]).unwrap().len(), CASES.len() - NOT_QUICK.len());
        assert!(chosen(&["Z"]).is_err());
    }
}
