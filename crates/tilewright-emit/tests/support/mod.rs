//! What the tests share: layouts drawn at random, those of the catalogue, and tables of a map.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test binary uses a part; a test may panic"
)]

use std::fmt::Write;
use std::process::Command;

use tilewright::IndexMap;
use tilewright::formats::catalogue::{self, NamedArray};
use tilewright::notation::Described;
use tilewright_emit::Array;

/// Maps with more elements or slots than this are not looked at whole.
pub const MOST: i64 = 5000;

/// Runs a program and wants it to succeed.
pub fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stderr);
    let said: String = text.lines().take(40).collect::<Vec<_>>().join("\n");
    assert!(output.status.success(), "{command:?}: {said}");
}

/// Runs a script where there is numpy; else it is compiled only.
pub fn run_python(script: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.py");
    std::fs::write(&file, script).unwrap();
    let python = std::env::var_os("TILEWRIGHT_PYTHON").unwrap_or_else(|| "python3".into());
    let has_numpy = Command::new(&python).args(["-c", "import numpy"]).output().unwrap();
    match has_numpy.status.success() {
        true => succeed(Command::new(&python).arg(&file)),
        false => succeed(Command::new(&python).args(["-m", "py_compile"]).arg(&file)),
    }
}

/// Bytes as a list of numbers.
pub fn byte_list(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",")
}

/// The same as a literal of C, with a zero behind it: compilers read it many times as quickly.
pub fn byte_literal(bytes: &[u8]) -> String {
    let mut literal = "\"".to_owned();
    for byte in bytes {
        // Of three digits, so that no digit that follows is taken for one of them.
        let _ = write!(literal, "\\{byte:03o}");
    }
    literal + "\""
}

/// Layouts whose tables are short, and each with a name.
pub fn arrays(random: &mut Random, n: usize) -> Vec<Array> {
    let mut arrays: Vec<Array> = Vec::new();
    while arrays.len() < n {
        let (text, map) = any_layout(random);
        if map.elements() <= 1500 && map.allocation() <= 4000 {
            arrays.push(Array::of(&text.parse().unwrap()).unwrap());
        }
    }
    let named = named().into_iter().filter(|array| array.index_map().allocation() < 1 << 14);
    arrays.extend(named.map(|array| Array::of(&Described::Named(Box::new(array))).unwrap()));
    arrays
}

/// Pairs whose bytes are a short list.
pub fn small_pairs(random: &mut Random, n: usize) -> Vec<(Array, Array)> {
    let small = |array: &Array| array.bytes() <= 20_000;
    pairs(random, n).into_iter().filter(|(from, to)| small(from) && small(to)).collect()
}

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
    let tail =
        if random.below(9) == 0 { format!("L({})", 1 + random.below(99)) } else { String::new() };
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
    format!(
        "u8[{}] strides=({}{})",
        list(&dims),
        list(&strides),
        if dims.len() == 1 { "," } else { "" }
    )
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
            let types =
                [example.element_type(), tilewright::ElementType::S8, tilewright::ElementType::S4];
            let dims = example.dims();
            let found = types.iter().find_map(|&element_type| layout.of(element_type, dims).ok());
            all.extend(found);
        }
    }
    assert!(all.len() > 30, "only {} layouts have names", all.len());
    all
}

/// Two layouts of one array, of elements of any width, some of which are not the same in both.
pub fn any_pair(random: &mut Random) -> (Described, Described) {
    loop {
        let dims = random.dims();
        let types: [(&str, &str); 12] = [
            ("u8", "u8"),
            ("bf16", "bf16"),
            ("f32", "f32"),
            ("f64", "f64"),
            ("c128", "c128"),
            ("s4 4", "s4 4"),
            ("u2 2", "u2 2"),
            ("s4 4", "s4"),
            ("s4", "s4 4"),
            ("s4", "s4"),
            ("f32 20", "f32 20"),
            ("u8 8", "u8 6"),
        ];
        let (from, to) = random.of(&types);
        let mut side = |kind: &str| -> Option<Described> {
            let (element_type, width) = kind.split_once(' ').unwrap_or((kind, ""));
            let tiles = tiles_for(random, &dims);
            let tiles = match (width, tiles.split_once("L(")) {
                ("", _) => tiles,
                (width, Some((before, tail))) => format!("{before}E({width})L({tail}"),
                (width, None) if tiles.contains(':') => {
                    tiles.replace('}', &format!("E({width})}}"))
                }
                (width, None) => tiles.replace('}', &format!(":E({width})}}")),
            };
            let said: Described = format!("{element_type}[{}]{tiles}", list(&dims)).parse().ok()?;
            let map = said.index_map().ok()?;
            (map.elements() <= MOST && map.allocation() <= 4 * MOST).then_some(said)
        };
        if let (Some(from), Some(to)) = (side(from), side(to)) {
            return (from, to);
        }
    }
}

/// Bytes without a pattern.
pub fn bytes(random: &mut Random, n: i64) -> Vec<u8> {
    (0..n).map(|_| random.below(256) as u8).collect()
}

/// What a relayout makes of the source, by the definition: bit by bit, from the maps' offsets.
pub fn expected(from: &Array, to: &Array, src: &[u8]) -> Vec<u8> {
    let (src_bits, dst_bits) = (i64::from(from.element_bits()), i64::from(to.element_bits()));
    let value_bits = i64::from(from.value_bits().min(to.value_bits()));
    let flip = from.xor_mask() ^ to.xor_mask();
    let bit_of = |bytes: &[u8], bit: i64| bytes[(bit / 8) as usize] >> (bit % 8) & 1;
    let mut dst = vec![0u8; to.bytes() as usize];
    let mut set = |bit: i64, value: u8| {
        let byte = &mut dst[(bit / 8) as usize];
        *byte = *byte & !(1 << (bit % 8)) | value << (bit % 8);
    };
    for slot in 0..to.map().allocation() {
        for bit in 0..dst_bits {
            set(slot * dst_bits + bit, to.padding() >> (bit % 8) & 1);
        }
    }
    for (from_slot, to_slot) in all_offsets(from.map()).iter().zip(all_offsets(to.map())) {
        for bit in 0..dst_bits {
            let is_value = bit < value_bits;
            let flipped = if bit < 64 { (flip >> bit & 1) as u8 } else { 0 };
            let value =
                if is_value { bit_of(src, from_slot * src_bits + bit) ^ flipped } else { 0 };
            set(to_slot * dst_bits + bit, value);
        }
    }
    dst
}

/// The pairs that relayouts are tested with: random ones, and each layout with a name from rows and back.
pub fn pairs(random: &mut Random, n: usize) -> Vec<(Array, Array)> {
    let mut all = Vec::new();
    while all.len() < n {
        let (from, to) = any_pair(random);
        all.push((Array::of(&from).unwrap(), Array::of(&to).unwrap()));
    }
    let array = |text: &str| Array::of(&text.parse().unwrap()).unwrap();
    // Transposes of more than a block, with edges.
    for element_type in ["u8", "bf16", "f32", "f64", "c128"] {
        let dims = if element_type == "c128" { "23,37" } else { "37,67" };
        all.push((
            array(&format!("{element_type}[{dims}]")),
            array(&format!("{element_type}[{dims}]{{0,1}}")),
        ));
    }
    // And with padding, between tiles of either order.
    for (from, to) in [("{1,0}", "{0,1:T(8,8)}"), ("{0,1:T(4,8)}", "{1,0:T(8,8)}")] {
        for element_type in ["bf16", "f32", "f64"] {
            let side = |layout: &str| array(&format!("{element_type}[21,19]{layout}"));
            all.push((side(from), side(to)));
        }
    }
    // Elements below a byte: a byte each, packed in rows, and packed in columns of tiles.
    for (element_type, bits, high) in [("s4", 4, 8), ("u2", 2, 16), ("pred", 1, 32)] {
        let sides = [
            String::new(),
            format!("{{1,0:E({bits})}}"),
            format!("{{1,0:T({high},16)({high},1)E({bits})}}"),
        ];
        for (from, to) in (0..9).map(|pair| (pair / 3, pair % 3)).filter(|(from, to)| from != to) {
            let side = |side: usize| array(&format!("{element_type}[64,32]{}", sides[side]));
            all.push((side(from), side(to)));
        }
    }
    // Tiles of which neither divides the other: more boxes than anybody wants to read.
    for (from, to) in [("u8", ""), ("s4", "E(4)"), ("bf16", "")].map(|(element_type, width)| {
        let side = |tile: &str| format!("{element_type}[90,100]{{1,0:T({tile}){width}}}");
        (side("5,7"), side("7,3"))
    }) {
        all.push((array(&from), array(&to)));
    }
    all.push((array("s4[90,100]{1,0:T(5,7)}"), array("s4[90,100]{1,0:T(7,3)E(4)}")));
    all.push((array("u8[90,100]{1,0:T(5,7)}"), array("u8[90,100]{1,0:T(7,3)}")));
    for named in self::named() {
        if named.index_map().allocation() > 4 * MOST {
            continue;
        }
        let dims = list(named.dims());
        let rows = format!("{}[{dims}]", named.element_type().xla_name());
        let rows = Array::of(&rows.parse().unwrap()).unwrap();
        let named = Array::of(&Described::Named(Box::new(named))).unwrap();
        all.push((rows.clone(), named.clone()));
        all.push((named, rows));
    }
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
