//! Whether one array's memory is another's, tiles and padding included.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use proptest::prelude::*;
use tilewright::map::{Bitcast, NoBitcast};
use tilewright::xla::{Layout, Tile};
use tilewright::{ArrayShape, ElementType, IndexMap, Permutation};

fn map(text: &str) -> IndexMap {
    text.parse::<ArrayShape>().unwrap().index_map().unwrap()
}

fn kind(a: &str, b: &str) -> String {
    match map(a).bitcast(&map(b)).unwrap() {
        Bitcast::Identity => "identity".to_owned(),
        Bitcast::Reshape => "reshape".to_owned(),
        Bitcast::Transpose(permutation) => format!("transpose {permutation:?}"),
        Bitcast::TransposeReshapeTranspose { first, dims, second } => {
            format!("{first:?} {dims:?} {second:?}")
        }
        Bitcast::No(_) => "no".to_owned(),
    }
}

#[track_caller]
fn check(a: &str, b: &str, expected: &str) {
    assert_eq!(kind(a, b), expected, "{a} as {b}");
}

/// The cases of XLA's `shape_util_test.cc`, where nothing is tiled.
#[test]
fn untiled() {
    check("f32[3,4]{1,0}", "f32[6,2]{1,0}", "reshape");
    check("f32[3,4]{0,1}", "f32[6,2]{1,0}", "[1, 0] [6, 2] [0, 1]");
    check("f32[3,2,2]{1,0,2}", "f32[6,2]{0,1}", "reshape");
    check("f32[10,5]{1,0}", "f32[5,10]{0,1}", "transpose [1, 0]");
    check("f32[1,16,17,3]{3,2,1,0}", "f32[16,51]{1,0}", "reshape");
    check("f32[17,3,1,16]{1,0,3,2}", "f32[51,16]{0,1}", "reshape");
    check("f32[3,7,6,4]{3,2,1,0}", "f32[3,6,4,7]{2,1,3,0}", "transpose [0, 2, 3, 1]");
    check("f32[16,17,3]{2,1,0}", "f32[51,16]{0,1}", "[0, 1, 2] [16, 51] [1, 0]");
    check("f32[16,3,17]{1,2,0}", "f32[16,51]{1,0}", "[0, 2, 1] [16, 51] [0, 1]");
    check("f32[16,17,3,7]{3,2,1,0}", "f32[7,16,51]{0,2,1}", "[0, 1, 2, 3] [16, 51, 7] [2, 0, 1]");
    check("f32[0,4]{1,0}", "f32[2,0,9]{0,1,2}", "reshape");
    check("f32[3,4]", "f32[3,4]", "identity");
}

/// What XLA's tests, which ignore tiles, get wrong either way.
#[test]
fn tiled() {
    check("f32[16,128]{1,0:T(8,128)}", "f32[2,8,128]{2,1,0:T(8,128)}", "reshape");
    check("f32[12,128]{1,0:T(8,128)}", "f32[2,6,128]{2,1,0:T(8,128)}", "no");
    check("f32[8,256]{1,0:T(8,128)}", "f32[16,128]{1,0:T(8,128)}", "no");
    check("f32[4,8,128]{2,1,0:T(8,128)}", "f32[32,128]{1,0}", "reshape");
    check("f32[3,5]{1,0:T(2,2)}", "f32[5,3]{0,1:T(2,2)}", "transpose [1, 0]");
    check("f32[24,128]{1,0:T(8,128)}", "f32[24,128]{1,0}", "identity");
    check("bf16[2,1024]{1,0:T(2,128)(2,1)}", "bf16[2048]{0:T(1024)(128)(2,1)}", "no");
    check("f32[1,5]{1,0:T(1,128)}", "f32[5]{0:T(128)}", "reshape");
    check(
        "f32[2,3,8,128]{3,2,0,1:T(8,128)}",
        "f32[3,16,128]{2,1,0:T(8,128)}",
        "[1, 0, 2, 3] [3, 16, 128] [0, 1, 2]",
    );
}

#[test]
fn no_is_proved_by_an_index() {
    let no = |a: &str, b: &str| match map(a).bitcast(&map(b)).unwrap() {
        Bitcast::No(no) => no,
        other => panic!("{other:?}"),
    };
    assert_eq!(no("f32[3]", "f32[4]"), NoBitcast::Elements([3, 4]));
    let allocation = no("f32[3,5]{1,0:T(8,128)}", "f32[3,5]");
    assert_eq!(allocation, NoBitcast::Allocation([1024, 15]));
    let NoBitcast::Moved(moved) = no("f32[8,256]{1,0:T(8,128)}", "f32[16,128]{1,0:T(8,128)}")
    else {
        panic!("moved")
    };
    let (a, b) = (map("f32[8,256]{1,0:T(8,128)}"), map("f32[16,128]{1,0:T(8,128)}"));
    assert_eq!(a.offset(&moved.index).unwrap(), moved.offsets[0]);
    assert_eq!(b.offset(&[1, 0]).unwrap(), moved.offsets[1]);
    let padding = no("f32[2,6]{1,0:T(2,4)}", "f32[2,6]{0,1:T(4,4)}");
    match padding {
        NoBitcast::Padding { index, offset } => {
            assert_eq!(map("f32[2,6]{1,0:T(2,4)}").offset(&index).unwrap(), offset);
            assert_eq!(map("f32[2,6]{0,1:T(4,4)}").index(offset).unwrap(), None);
        }
        NoBitcast::Allocation(_) | NoBitcast::Moved(_) => {}
        NoBitcast::Elements(_) => panic!("the elements are as many"),
    }
}

/// A tiled array of few elements and rank up to 4.
fn arrays() -> impl Strategy<Value = ArrayShape> {
    let tile = proptest::collection::vec(1i64..=4, 1..=3);
    (0usize..=4)
        .prop_flat_map(move |rank| {
            let dims = proptest::collection::vec(1i64..=6, rank);
            let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
            (dims, order, proptest::collection::vec(tile.clone(), 0..=2))
        })
        .prop_map(|(dims, order, tiles)| {
            let tiles: Vec<Tile> = tiles.iter().map(|sizes| Tile::of(sizes).unwrap()).collect();
            let layout = Layout::new(Permutation::new(order).unwrap()).with_tiles(tiles);
            ArrayShape::new(ElementType::F32, &dims).unwrap().with_layout(layout).unwrap()
        })
}

/// The offsets of an array transposed, in row-major order of the outcome.
fn transposed(dims: &[i64], offsets: &[i64], permutation: &Permutation) -> (Vec<i64>, Vec<i64>) {
    let new_dims = permutation.permute(dims);
    let shape = ArrayShape::new(ElementType::U8, &new_dims).unwrap();
    let back = permutation.inverse();
    let at = |index: Vec<i64>| {
        let old = back.permute(&index);
        let place = old.iter().zip(dims).fold(0, |place, (i, size)| place * size + i);
        offsets[usize::try_from(place).unwrap()]
    };
    let offsets = shape.indices().unwrap().map(at).collect();
    (new_dims, offsets)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Reshaping and transposing a map is reshaping and transposing its table of offsets.
    #[test]
    fn reshape_and_transpose_are_numpys(
        shape in arrays(),
        shuffled in Just((0..4usize).collect::<Vec<_>>()).prop_shuffle(),
        cuts in proptest::collection::vec(1i64..=6, 0..3),
    ) {
        let map = shape.index_map().unwrap();
        let offsets = map.offsets().unwrap();
        let order: Vec<usize> = shuffled.into_iter().filter(|&n| n < shape.rank()).collect();
        let permutation = Permutation::new(order).unwrap();
        let (dims, expected) = transposed(map.dims(), &offsets, &permutation);
        let permuted = map.permuted(&permutation).unwrap();
        prop_assert_eq!((permuted.dims(), permuted.offsets().unwrap()), (&dims[..], expected));

        let mut dims = Vec::new();
        let mut rest = map.elements();
        for cut in cuts.into_iter().filter(|cut| rest % cut == 0).collect::<Vec<_>>() {
            if rest % cut == 0 {
                dims.push(cut);
                rest /= cut;
            }
        }
        dims.push(rest);
        let reshaped = map.reshaped(&dims).unwrap();
        prop_assert_eq!((reshaped.dims(), reshaped.offsets().unwrap()), (&dims[..], offsets));
    }

    /// Whatever way is found holds of every element; and what was made by one is found.
    #[test]
    fn what_is_found_holds(a in arrays(), b in arrays()) {
        let (a, b) = (a.index_map().unwrap(), b.index_map().unwrap());
        let found = a.bitcast(&b).unwrap();
        let (offsets_a, offsets_b) = (a.offsets().unwrap(), b.offsets().unwrap());
        match found {
            Bitcast::Identity => {
                prop_assert_eq!(a.dims(), b.dims());
                prop_assert_eq!(offsets_a, offsets_b);
            }
            Bitcast::Reshape => prop_assert_eq!(offsets_a, offsets_b),
            Bitcast::Transpose(permutation) => {
                let (dims, offsets) = transposed(a.dims(), &offsets_a, &permutation);
                prop_assert_eq!((&dims[..], offsets), (b.dims(), offsets_b));
            }
            Bitcast::TransposeReshapeTranspose { first, dims, second } => {
                let (_, middle) = transposed(a.dims(), &offsets_a, &first);
                let (dims, offsets) = transposed(&dims, &middle, &second);
                prop_assert_eq!((&dims[..], offsets), (b.dims(), offsets_b));
            }
            Bitcast::No(_) => {
                let same = a.elements() == b.elements() && a.allocation() == b.allocation();
                prop_assert!(!(same && offsets_a == offsets_b));
            }
        }
    }

    #[test]
    fn transpositions_are_found(
        a in arrays(),
        shuffled in Just((0..4usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let map = a.index_map().unwrap();
        let order: Vec<usize> = shuffled.into_iter().filter(|&n| n < a.rank()).collect();
        let permuted = map.permuted(&Permutation::new(order).unwrap()).unwrap();
        let found = map.bitcast(&permuted).unwrap();
        prop_assert!(!matches!(found, Bitcast::No(_)), "{a}: {found:?}");
    }
}
