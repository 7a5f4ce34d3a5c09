//! Translation between notations: exact, or refused.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use proptest::prelude::*;
use tilewright::map::{Notation, fit};
use tilewright::tla::{Int, IntTuple, Layout, Nested, Stride};
use tilewright::{ArrayShape, IndexMap};

fn map(text: &str) -> IndexMap {
    match text.parse::<ArrayShape>() {
        Ok(shape) => shape.index_map().unwrap(),
        Err(_) => IndexMap::from_tla(&text.parse().unwrap_or_else(|e| panic!("{e}"))).unwrap(),
    }
}

/// The two texts place every element alike, in as much memory.
#[track_caller]
fn same(a: &str, b: &str) {
    assert!(map(a).same_as(&map(b)).unwrap(), "{a} and {b}");
}

/// Worked examples: tiles, fractals and blocked formats, and their addresses.
#[test]
fn the_same_layout_in_two_notations() {
    same("f32[3,5]{1,0:T(2,2)}", "((2,2),(2,3)):((2,12),(1,4)):(3,5)");
    same("f32[4,8]{1,0:T(2,4)(2,1)}", "((2,2),8):((1,16),2):(4,8)");
    same("bf16[16,256]{1,0:T(8,128)(2,1)}", "((2,4,2),(128,2)):((1,256,2048),(2,1024)):(16,256)");
    same("bf16[30,300]{1,0:T(8,128)(2,1)}", "((2,4,4),(128,3)):((1,256,3072),(2,1024)):(30,300)");
    same(
        "bf16[32,256]{1,0:T(8,128)(2,1,1,1)}",
        "((8,2,2),(128,2)):((256,1,4096),(2,2048)):(32,256)",
    );
    same("f32[8,8]{1,0:T(2,4)(2,1,1,1)}", "((2,2,2),(4,2)):((8,1,32),(2,16))");
    same("bf16[4096]{0:T(1024)(128)(2,1)}", "((128,2,4,4)):((2,1,256,1024))");
    // The padding inside the tile is more than shape and stride reach.
    let tiled = map("f32[4,10]{1,0:T(5,10)(2,1)}");
    let strided = map("((2,2),10):((1,20),2):(4,10)");
    assert_eq!(tiled.first_difference(&strided).unwrap(), None);
    assert_eq!((tiled.allocation(), strided.allocation()), (60, 40));
    same("f32[2,4]{1,0:T(12)}", "(2,12):(12,1):(2,4)");
    same("f16[28,40]{0,1:T(16,16)(16,1)}", "((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)");
    same("f16[28,40]{1,0:T(16,16)(16,1)}", "((_16,2),(_16,3)):((_1,768),(_16,_256)):(28,40)");
    same("f16[28,40]{1,0:T(16,16)}", "((_16,2),(_16,3)):((_16,768),(_1,_256)):(28,40)");
    same("f32[28,40]{0,1:T(8,16)(8,1)}", "((_16,2),(_8,5)):((_8,_128),(_1,256)):(28,40)");
}

/// The XLA text of a map, and that it is right.
#[track_caller]
fn check_xla(text: &str, expected: &str) {
    let map = map(text);
    let layout = map.to_xla_layout().unwrap();
    assert_eq!(layout.to_string(), expected, "{text}");
    let lifted = IndexMap::from_layout(map.dims(), &layout).unwrap();
    assert_eq!(lifted.first_difference(&map).unwrap(), None, "{text}");
}

#[test]
fn lifting_to_xla() {
    check_xla("(3,5):(5,1)", "{1,0}");
    check_xla("(3,5):(1,3)", "{0,1}");
    check_xla("((2,2),(2,3)):((2,12),(1,4)):(3,5)", "{1,0:T(2,2)}");
    check_xla("((2,4,4),(128,3)):((1,256,3072),(2,1024)):(30,300)", "{1,0:T(8,128)(2,1)}");
    check_xla("((_16,2),(_16,3)):((_16,768),(_1,_256)):(28,40)", "{1,0:T(16,16)}");
    check_xla("(2,4):(12,1)", "{1,0:T(12)}");
    check_xla("(4,8):(1,5)", "{0,1:T(5)}");
    check_xla("(5):(3)", "{0:T(1)(3)}");
    check_xla("(7,1):(1,99)", "{1,0}");
    for text in ["f32[8,8]{1,0:T(2,4)(2,1,1,1)}", "bf16[32,256]{1,0:T(8,128)(2,1,1,1)}"] {
        check_xla(text, text.parse::<ArrayShape>().unwrap().layout().unwrap().to_string().as_str());
    }
}

#[test]
fn onednn_tags() {
    #[track_caller]
    fn check(text: &str, tag: &str) {
        assert_eq!(map(text).to_notation(Notation::OneDnn, 32).unwrap(), tag, "{text}");
    }
    check("f32[2,3,4,5]", "abcd");
    check("f32[2,3,4,5]{1,3,2,0}", "acdb");
    check("f32[2,35,4,5]{3,2,1,0:T(1,16,1,1)}", "aBcd16b");
    check("f32[40,35,3,3]{3,2,1,0:T(16,16,1,1)(16,4,1,1)}", "ABcd4b16a4b");
    check("f32[40,35,3,3]{3,2,1,0:T(16,16,1,1)(16,2,1,1)}", "ABcd8b16a2b");
    check("f32[70,90]{0,1:T(16,32)(16,2)}", "BA16a16b2a");
    check("f32[3,5]{1,0:T(8,128)}", "AB8a128b");
    #[track_caller]
    fn refused(text: &str, reason: &str) {
        let refusal = map(text).to_notation(Notation::OneDnn, 32).unwrap_err().to_string();
        assert!(refusal.contains(reason), "{text}: {refusal}");
    }
    refused("f32[]", "1 to 12 dimensions");
    refused("f32[6,10]{1,0:T(*,7)(3,1)}", "straddles");
    refused("bf16[32,256]{1,0:T(8,128)(2,1,1,1)}", "lie in another order");
    refused("(2,4):(12,1)", "divide");
}

/// What no XLA layout can say, and why.
#[test]
fn lifting_is_refused_with_the_reason() {
    #[track_caller]
    fn check(text: &str, reason: &str) {
        let refusal = map(text).to_xla_layout().unwrap_err().to_string();
        assert!(refusal.contains(reason), "{text}: {refusal}");
    }
    check("(2,2):(2,3)", "the strides 3 and 2 do not nest");
    check("(4,4):(1,2)", "do not nest");
    check("(4,3):(1,0)", "share their place");
    check("(4):(-1)", "lowest offset");
    check("f32[10,10]{1,0:T(5,10)(2,1)}", "tile 2");
    check("f32[6,10]{1,0:T(*,7)(3,1)}", "straddles dim 1");
}

#[test]
fn strides_of_any_kind() {
    let reversed = map("(4):(-1)");
    assert_eq!((reversed.lowest_offset(), reversed.allocation()), (-3, 4));
    assert_eq!(reversed.offsets().unwrap(), [0, -1, -2, -3]);
    assert_eq!(reversed.index(-2).unwrap(), Some(vec![2]));
    assert!(reversed.index(1).unwrap_err().is_out_of_bounds());
    let broadcast = map("(4,3):(1,0)");
    assert_eq!(broadcast.allocation(), 4);
    assert_eq!(broadcast.index(2).unwrap(), Some(vec![2, 0]));
    let overlapping = map("(4,4):(1,2)");
    assert_eq!(overlapping.allocation(), 10);
    let index = overlapping.index(5).unwrap().unwrap();
    assert_eq!(overlapping.offset(&index).unwrap(), 5);
    let gaps = map("(2,2):(2,3)");
    assert_eq!(gaps.offsets().unwrap(), [0, 3, 2, 5]);
    assert_eq!((gaps.index(5).unwrap(), gaps.index(4).unwrap()), (Some(vec![1, 1]), None));
    let wraps = map("((4,2)):((1,0))");
    assert_eq!(wraps.offsets().unwrap(), [0, 1, 2, 3, 0, 1, 2, 3]);
    assert!(!wraps.same_as(&map("(8):(1)")).unwrap());
    assert_eq!(wraps.first_difference(&map("(8):(1)")).unwrap().unwrap().index, [4]);
    assert_eq!(map("((4,2)):((1,-3))").max_offset().unwrap(), Some(3));
    assert_eq!(map("((3,4)):((-2,5)):(8)").max_offset().unwrap(), Some(10));
}

/// A layout of up to three modes, each of up to three integers.
fn layouts(stride: impl Strategy<Value = i64> + Clone) -> impl Strategy<Value = Layout> {
    let leaf = (1i64..=6, stride);
    let mode = proptest::collection::vec(leaf, 1..=3);
    (proptest::collection::vec(mode, 0..=3), any::<prop::sample::Index>()).prop_map(
        |(modes, cut)| {
            let leaves = |pick: fn(&(i64, i64)) -> i64| -> Vec<Vec<i64>> {
                modes.iter().map(|mode| mode.iter().map(pick).collect()).collect()
            };
            let shape = nested(&leaves(|leaf| leaf.0), Int::dynamic);
            let stride = nested(&leaves(|leaf| leaf.1), |value| Stride::from(Int::dynamic(value)));
            let layout = Layout::new(shape, stride).unwrap();
            let org: Vec<i64> = layout.org_shape().unwrap().values();
            let org: Vec<i64> = org.iter().map(|&size| size - cut.index(2) as i64 % size).collect();
            layout.with_org_shape(IntTuple::dynamic(&org)).unwrap()
        },
    )
}

fn nested<T>(modes: &[Vec<i64>], leaf: impl Fn(i64) -> T + Copy) -> Nested<T> {
    let mode =
        |mode: &Vec<i64>| Nested::Tuple(mode.iter().map(|&v| Nested::Leaf(leaf(v))).collect());
    Nested::Tuple(modes.iter().map(mode).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Lowering agrees with the definition of the layout, at every index.
    #[test]
    fn lowering_is_the_definition(layout in layouts(-9i64..=40)) {
        let map = IndexMap::from_tla(&layout).unwrap();
        let dims = map.dims().to_vec();
        let shape = ArrayShape::new(tilewright::ElementType::U8, &dims).unwrap();
        let offsets = map.offsets().unwrap();
        let mut highest = None;
        for (index, &offset) in shape.indices().unwrap().zip(&offsets) {
            prop_assert_eq!(layout.offset(&IntTuple::dynamic(&index)).unwrap(), offset);
            let found = map.index(offset).unwrap().unwrap();
            prop_assert_eq!(map.offset(&found).unwrap(), offset);
            highest = highest.max(Some(offset));
        }
        prop_assert_eq!(map.max_offset().unwrap(), highest);
        let end = map.lowest_offset() + map.allocation();
        for offset in (map.lowest_offset()..end).take(300) {
            let hit = offsets.contains(&offset);
            prop_assert_eq!(map.index(offset).unwrap().is_some(), hit);
        }
    }

    /// Whatever is translated to XLA is the same function; chains are always translated.
    #[test]
    fn lifting_is_exact(layout in layouts(1i64..=48)) {
        let map = IndexMap::from_tla(&layout).unwrap();
        match map.to_xla_layout() {
            Ok(lifted) => {
                let lifted = IndexMap::from_layout(map.dims(), &lifted).unwrap();
                prop_assert_eq!(lifted.offsets().unwrap(), map.offsets().unwrap());
            }
            Err(reason) => prop_assert!(!is_chain(&map), "{layout}: {reason}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The table of any layout is fitted; a table with one offset changed is not the same layout.
    #[test]
    fn fitting_finds_every_layout(layout in layouts(-9i64..=40), base in -50i64..50, at in any::<prop::sample::Index>()) {
        let map = IndexMap::from_tla(&layout).unwrap();
        let mut offsets: Vec<i64> = map.offsets().unwrap().iter().map(|o| o + base).collect();
        let fitted = fit(map.dims(), &offsets).unwrap().unwrap();
        prop_assert_eq!(fitted.base, base);
        prop_assert_eq!(IndexMap::from_tla(&fitted.layout).unwrap().first_difference(&map).unwrap(), None);
        let place = at.index(offsets.len());
        offsets[place] += 1000;
        if let Ok(other) = fit(map.dims(), &offsets).unwrap() {
            let other_map = IndexMap::from_tla(&other.layout).unwrap();
            let found: Vec<i64> = other_map.offsets().unwrap().iter().map(|o| o + other.base).collect();
            prop_assert_eq!(found, offsets);
        }
    }
}

/// A straddling tile is no shape and stride, and fitting says so too.
#[test]
fn refusals_are_true() {
    for text in
        ["f32[10,10]{1,0:T(5,10)(2,1)}", "f32[6,10]{1,0:T(*,7)(3,1)}", "f32[7,11]{1,0:T(*,3)(2,1)}"]
    {
        let map = map(text);
        assert!(map.to_notation(Notation::Tla, 32).is_err(), "{text}");
        assert!(fit(map.dims(), &map.offsets().unwrap()).unwrap().is_err(), "{text}");
    }
}

/// Whether strides nest: each a multiple of the next smaller, and no smaller than its span.
fn is_chain(map: &IndexMap) -> bool {
    map.digits().windows(2).all(|pair| {
        let [larger, smaller] = pair else { return false };
        larger.stride % smaller.stride == 0 && larger.stride >= smaller.stride * map.extent(smaller)
    })
}

mod from_xla {
    use super::*;
    use tilewright::Permutation;
    use tilewright::xla::{Layout as Tiled, Tile};

    /// Star-free XLA layouts.
    fn shapes() -> impl Strategy<Value = ArrayShape> {
        let tile = proptest::collection::vec(1i64..=6, 1..=4);
        (0usize..=4)
            .prop_flat_map(move |rank| {
                let dims = proptest::collection::vec(1i64..=12, rank);
                let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
                (dims, order, proptest::collection::vec(tile.clone(), 0..=3))
            })
            .prop_map(|(dims, order, tiles)| {
                let tiles: Vec<Tile> = tiles.iter().map(|sizes| Tile::of(sizes).unwrap()).collect();
                let layout = Tiled::new(Permutation::new(order).unwrap()).with_tiles(tiles);
                let shape = ArrayShape::new(tilewright::ElementType::F32, &dims).unwrap();
                shape.with_layout(layout).unwrap()
            })
            .prop_filter("few elements", |shape| {
                shape.index_map().is_ok_and(|map| map.allocation() < 100_000)
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]

        /// A oneDNN tag places every element as oneDNN's own rule for blocked memory does.
        #[test]
        fn onednn_tags_place_elements_alike(shape in shapes()) {
            let map = shape.index_map().unwrap();
            if let Ok(tag) = map.to_notation(Notation::OneDnn, 32) {
                let expected = support::onednn_offsets(&tag, map.dims());
                prop_assert_eq!(map.offsets().unwrap(), expected, "{} as {}", shape, tag);
            }
        }

        /// XLA to TLA and back is the same map; what is refused is said why.
        #[test]
        fn there_and_back(shape in shapes()) {
            let map = shape.index_map().unwrap();
            if let Ok(text) = map.to_notation(Notation::Tla, 32) {
                let back = IndexMap::from_tla(&text.parse().unwrap()).unwrap();
                prop_assert!(back.same_as(&map).unwrap(), "{} is not {}", text, shape);
            }
            if map.is_separable() {
                let lifted = map.to_xla_layout().unwrap();
                let again = IndexMap::from_layout(map.dims(), &lifted).unwrap();
                prop_assert_eq!(again.first_difference(&map).unwrap(), None);
            }
        }
    }
}
