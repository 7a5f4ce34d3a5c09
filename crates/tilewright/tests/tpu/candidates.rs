//! The formats an array could have: laws, and every claim of a bitcast by brute force.

use std::collections::HashSet;

use tilewright::ArrayShape;
use tilewright::formats::tpu::{
    Chip, MAX_CANDIDATE_RANK, argument_bytes, candidates, default_shape,
};

const SHAPES: [&str; 14] = [
    "f32[]",
    "f32[300]",
    "s8[2000]",
    "u1[5000]",
    "f32[3,5]",
    "bf16[17,130]",
    "s4[8,1,128]",
    "f32[1,4,1,128]",
    "s8[32,1,128]",
    "pred[2,3,2,2]",
    "c128[9,2]",
    "f32[0,3]",
    "s2[16,16]{0,1:T(16,128)(16,1)E(2)}",
    "f32[8,128,1]{1,0,2:T(8,128)}",
];

fn from(text: &str, shape: &ArrayShape, chip: Chip) -> ArrayShape {
    if text.contains("T(") { shape.clone() } else { default_shape(shape, chip).unwrap() }
}

#[test]
fn laws() {
    for text in SHAPES {
        let shape: ArrayShape = text.parse().unwrap();
        for chip in Chip::ALL {
            let from = from(text, &shape, chip);
            let list = candidates(&shape, chip).unwrap();
            let what = format!("{text} on {chip}");
            let default = default_shape(&shape, chip).unwrap();
            assert!(list[0].bytes <= argument_bytes(&default).unwrap(), "{what}");
            if from == default {
                let own = list.iter().find(|candidate| candidate.shape == default).unwrap();
                assert_eq!((own.is_bitcast, own.distance), (true, 0), "{what}");
            }
            let different: HashSet<String> = list.iter().map(|c| c.shape.to_string()).collect();
            assert_eq!(different.len(), list.len(), "{what}");
            let keys: Vec<_> = list.iter().map(|c| (c.bytes, c.distance)).collect();
            assert!(keys.is_sorted(), "{what}");
            for candidate in &list {
                let logical = shape.elements().unwrap() * i64::from(candidate.shape.element_bits());
                assert_eq!(candidate.bytes, candidate.shape.bytes().unwrap(), "{what}");
                assert_eq!(candidate.padding_bytes, candidate.bytes - (logical + 7) / 8, "{what}");
                assert_eq!(candidate.is_bitcast, is_same_memory(&from, &candidate.shape), "{what}");
                let moves = argument_bytes(&from).unwrap() + candidate.bytes;
                let moves = if candidate.is_bitcast { 0 } else { moves };
                assert_eq!(candidate.moves_bytes, moves, "{what}");
                assert!(candidate.distance == 0 || candidate.shape != from, "{what}");
            }
        }
    }
}

/// By the offset of every element.
fn is_same_memory(a: &ArrayShape, b: &ArrayShape) -> bool {
    let [first, second] = [a, b].map(|shape| shape.index_map().unwrap());
    let offsets = |shape: &tilewright::IndexMap| shape.offsets().unwrap();
    a.bytes().unwrap() == b.bytes().unwrap()
        && a.element_bits() == b.element_bits()
        && offsets(&first).eq(&offsets(&second))
}

/// Minor and second-minor 3 * 2 pairs, and 1, 2, 4, 8 rows: worked out by hand for `f32[2,3,200]`,
/// where 256 columns hold the last dimension and 128 any other.
#[test]
fn of_three_dimensions_by_hand() {
    let list = candidates(&"f32[2,3,200]".parse().unwrap(), Chip::V5p).unwrap();
    let mut expected = Vec::new();
    for (minor, second, others) in
        [(2, 1, 2), (2, 0, 3), (1, 2, 2), (1, 0, 200), (0, 2, 3), (0, 1, 200)]
    {
        let sizes: [i64; 3] = [2, 3, 200];
        for rows in [1, 2, 4, 8] {
            let columns: i64 = if minor == 2 { 256 } else { 128 };
            let n_tiles = if sizes[second] % rows == 0 { 0 } else { 1 } + sizes[second] / rows;
            let bytes = columns * n_tiles * rows * others * 4;
            let other = 3 - minor - second;
            expected.push((format!("{{{minor},{second},{other}:T({rows},128)}}"), bytes));
        }
    }
    assert_eq!(list.len(), expected.len());
    for (layout, bytes) in expected {
        let text = format!("f32[2,3,200]{layout}");
        let found = list.iter().find(|candidate| candidate.shape.to_string() == text);
        assert_eq!(found.map(|candidate| candidate.bytes), Some(bytes), "{text}");
    }
    assert_eq!(list[0].bytes, 256 * 6 * 4); // no row is padded, in any of 1 or 2 rows of 256
}

/// A dimension of size 1 can be anywhere, and a tile of one row is a tile of none.
#[test]
fn bitcasts_of_degenerate_dimensions() {
    let list = candidates(&"f32[4,1,128]".parse().unwrap(), Chip::V4).unwrap();
    let default = "f32[4,1,128]{2,1,0:T(1,128)}";
    let bitcasts: Vec<String> =
        list.iter().filter(|c| c.is_bitcast).map(|c| c.shape.to_string()).collect();
    assert_eq!(bitcasts[0], default);
    assert!(bitcasts.contains(&"f32[4,1,128]{2,0,1:T(4,128)}".to_owned()), "{bitcasts:?}");
    assert!(bitcasts.contains(&"f32[4,1,128]{2,0,1:T(1,128)}".to_owned()), "{bitcasts:?}");
    assert!(!bitcasts.contains(&"f32[4,1,128]{2,0,1:T(8,128)}".to_owned()), "{bitcasts:?}");
}

#[test]
fn the_rank_has_a_limit() {
    let shape = |rank: usize| {
        tilewright::ArrayShape::new(tilewright::ElementType::F32, &vec![2; rank]).unwrap()
    };
    let list = candidates(&shape(MAX_CANDIDATE_RANK), Chip::V4).unwrap();
    assert_eq!(list.len(), 16 * 15 * 4);
    let error = candidates(&shape(MAX_CANDIDATE_RANK + 1), Chip::V4).unwrap_err().to_string();
    assert_eq!(error, "formats are listed for up to 16 dimensions, and there are 17");
}
