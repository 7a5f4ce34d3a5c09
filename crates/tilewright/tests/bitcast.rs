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
        // The elements are as many.
        other => panic!("{other:?}"),
    }
}

/// The offsets that prove a no are those of the element in either array, were A reshaped.
#[test]
fn no_is_proved_in_large_arrays() {
    let a = map("f32[393216,131072]{1,0:T(8,128)}");
    let b = map("f32[262144,196608]{1,0}");
    let Bitcast::No(NoBitcast::Moved(moved)) = a.bitcast(&b).unwrap() else { panic!("moved") };
    let number = moved.index[0] * 131_072 + moved.index[1];
    assert_eq!(a.offset(&moved.index).unwrap(), moved.offsets[0]);
    assert_eq!(b.offset(&[number / 196_608, number % 196_608]).unwrap(), moved.offsets[1]);
    assert_ne!(moved.offsets[0], moved.offsets[1]);
}

/// Nothing looks at 2⁶² elements, and no order is tried.
#[test]
fn large_arrays_and_high_ranks() {
    check("f32[393216,131072]{0,1}", "f32[262144,196608]", "[1, 0] [262144, 196608] [0, 1]");
    let array = |order: Vec<usize>, dims: &[i64]| {
        let layout = Layout::new(Permutation::new(order).unwrap());
        let shape = ArrayShape::new(ElementType::U8, dims).unwrap().with_layout(layout).unwrap();
        shape.index_map().unwrap()
    };
    let flat = array(vec![0], &[1 << 62]);
    let ascending = array((0..62).collect(), &[2; 62]);
    let Bitcast::TransposeReshapeTranspose { first, dims, second } =
        ascending.bitcast(&flat).unwrap()
    else {
        panic!("a transposition")
    };
    assert!(first.is_reversal() && second.is_identity());
    assert_eq!(dims, [1 << 62]);
    let rotated = array((0..62).map(|dim| (dim + 31) % 62).collect(), &[2; 62]);
    assert!(matches!(ascending.bitcast(&rotated).unwrap(), Bitcast::Transpose(_)));
}

/// Of the orders that do, those are taken that leave an array as it is; dimensions of size 1 go
/// along with their neighbours.
#[test]
fn simple_orders_first() {
    check(
        "f32[2,3,8,128]{3,2,0,1:T(8,128)}",
        "f32[1,3,1,16,128]{4,3,2,1,0:T(8,128)}",
        "[1, 0, 2, 3] [1, 3, 1, 16, 128] [0, 1, 2, 3, 4]",
    );
    check(
        "f32[16,1,17,1,3]{4,3,2,1,0}",
        "f32[51,1,16]{0,1,2}",
        "[0, 1, 2, 3, 4] [16, 51, 1] [1, 2, 0]",
    );
    check("f32[2,3,8,128]{3,2,0,1}", "f32[128,16,3]{0,1,2}", "[3, 0, 2, 1] [128, 16, 3] [0, 1, 2]");
}

/// Where a tile straddles dimensions, these have a part of their own to play in a transposition,
/// and their order in memory can be told by how far they reach.
#[test]
fn merged_dimensions() {
    let straddled = map("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}");
    assert!(!straddled.is_separable());
    let order = Permutation::new([3, 0, 4, 1, 2]).unwrap();
    let permuted = straddled.permuted(&order).unwrap();
    assert_eq!(straddled.bitcast(&permuted).unwrap(), Bitcast::Transpose(order.clone()));
    let reshaped = straddled.reshaped(&[14, 1, 8, 110]).unwrap();
    let Bitcast::TransposeReshapeTranspose { first, dims, second } =
        permuted.bitcast(&reshaped).unwrap()
    else {
        panic!("a transposition")
    };
    assert_eq!((first, second), (order.inverse(), Permutation::identity(4)));
    assert_eq!(dims, [14, 1, 8, 110]);
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
