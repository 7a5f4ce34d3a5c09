//! The maps of composed layouts: swizzles, layouts under layouts, offsets between them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;
use tilewright::algebra::{Composed, Composition, Outer, Swizzle};
use tilewright::map::Notation;
use tilewright::tla::{Int, IntTuple, Layout, Nested, Stride};
use tilewright::{IndexMap, Permutation};

fn map(text: &str) -> IndexMap {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{error}"));
    IndexMap::from_composition(&composition).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Every index of the dimensions, row-major.
fn indices(dims: &[i64]) -> Vec<Vec<i64>> {
    let mut indices = vec![vec![]];
    for &size in dims {
        let longer = |index: &Vec<i64>| {
            let index = index.clone();
            (0..size).map(move |value| [index.clone(), vec![value]].concat()).collect::<Vec<_>>()
        };
        indices = indices.iter().flat_map(longer).collect();
    }
    indices
}

/// The offsets, as the composed layout itself gives them one by one.
fn offsets_of(composed: &Composed) -> Vec<i64> {
    let dims = composed.inner().org_shape().unwrap().values();
    let is_integer = matches!(composed.inner().shape(), Nested::Leaf(_));
    let at = |index: &Vec<i64>| {
        let coordinate = match is_integer {
            true => Nested::Leaf(Int::dynamic(index[0])),
            false => IntTuple::dynamic(index),
        };
        composed.offset_at(&coordinate).unwrap()
    };
    indices(&dims).iter().map(at).collect()
}

/// Holds a map against the offsets it has to have: every way of asking.
fn check(map: &IndexMap, expected: &[i64]) {
    assert_eq!(map.offsets().unwrap(), expected);
    let all = indices(map.dims());
    let mut places: HashMap<i64, Vec<&Vec<i64>>> = HashMap::new();
    for (index, &offset) in all.iter().zip(expected) {
        assert_eq!(map.offset(index).unwrap(), offset);
        places.entry(offset).or_default().push(index);
    }
    let end = map.lowest_offset() + map.allocation();
    assert!(expected.iter().all(|o| (map.lowest_offset()..end).contains(o)), "{map:?}");
    assert_eq!(map.max_offset().unwrap(), expected.iter().copied().max());
    for offset in map.lowest_offset()..end {
        let found = map.index(offset).unwrap();
        match places.get(&offset) {
            None => assert_eq!(found, None, "offset {offset} of {map:?}"),
            Some(places) => assert!(places.contains(&&found.unwrap()), "offset {offset}"),
        }
    }
}

fn check_text(text: &str) {
    let composed: Composed = text.parse().unwrap();
    check(&map(text), &offsets_of(&composed));
}

#[test]
fn maps_of_texts() {
    for text in [
        "Sw<3,0,3> o 0 o (8,8):(8,1)",
        "Sw<3,4,3> o 0 o (8,64):(64,1)",
        "Sw<2,1,-3> o 0 o (16,8):(8,1)",
        "Sw<3,0,3> o 24 o (8):(1)",
        "Sw<3,0,3> o 5 o (7,9):(9,1)",
        "Sw<1,0,1> o 0 o (5,3):(3,1)",
        "Sw<0,4,0> o 3 o (5,3):(3,1)",
        // The bits that flip are all that is left: 96 and 6 make one step of 102.
        "Sw<3,1,4> o 24 o (2):(96)",
        "Sw<3,2,4> o 1 o ((4,2),(3,5)):((4,100),(1,16)):(7,11)",
        // Padded rows: the bits of the offset are bits of a sum, not of an index.
        "Sw<2,0,2> o 0 o (6,7):(9,1)",
        "(4,8):(8,1) o 2 o (3,2):(1,5)",
        "(4,6,8):(2,3,5) o 0 o 6:3",
        "((2,3),4):((1,10),3) o 7 o (5,2):(2,1)",
        "(4,8):(-8,1) o 0 o (3,2):(1,5)",
        "(4,8):(0,1) o 0 o (3,2):(1,5)",
        "4:1 o 9 o (3,2):(-1,-3)",
        "(4,8):(8,1) o 2 o (3,0):(1,5)",
    ] {
        check_text(text);
    }
}

#[test]
fn expressions_say_what_happens() {
    let tile = map("Sw<1,0,1> o 0 o (2,2):(2,1)");
    assert_eq!(tile.index_expression(), "i0*2 + ((i0 + i1) mod 2)");
    let padded = map("(4,8):(8,1) o 2 o 6:1");
    assert_eq!(padded.index_expression(), "((i0 + 2) mod 4)*8 + ((i0 + 2) div 4)");
    let mlir = tile.to_notation(Notation::Mlir, 8).unwrap();
    assert_eq!(mlir, "affine_map<(d0, d1) -> (d0 * 2 + ((d0 + d1) mod 2))>");
    assert!(tile.to_notation(Notation::Tla, 8).is_err());
    assert!(tile.to_notation(Notation::OneDnn, 8).is_err());
    assert!(tile.to_xla_layout().is_err());
}

#[test]
fn a_composition_that_is_a_layout_is_that_map() {
    // Composing is what the algebra does; the map needs no algebra to come to the same.
    for (composed, layout) in [
        ("(10,2):(16,4) o 0 o (3,4):(1,5)", "(3,(2,2)):(16,(80,4))"),
        ("(4,8):(8,1) o 0 o 4:8", "4:2"),
        ("(32,128):(128,1) o 0 o (30,128):(1,32)", "(30,128):(128,1)"),
        ("Sw<3,0,3> o 0 o 8:1", "8:1"),
    ] {
        let (a, b) = (map(composed), map(layout));
        assert_eq!(a.first_difference(&b).unwrap(), None, "{composed}");
        assert!(a.is_separable(), "{composed}: {a:?}");
    }
}

#[test]
fn swizzled_twice_is_not_swizzled() {
    // Sw o Sw is the identity: the tile through its swizzle, then through the swizzle as a table.
    let swizzled = map("Sw<2,0,2> o 0 o (4,4):(4,1)");
    let swizzle = Swizzle::new(2, 0, 2).unwrap();
    for index in indices(&[4, 4]) {
        let offset = swizzled.offset(&index).unwrap();
        assert_eq!(swizzle.apply(offset), index[0] * 4 + index[1]);
    }
    assert!(!swizzled.same_as(&map("(4,4):(4,1)")).unwrap());
    let first = swizzled.first_difference(&map("(4,4):(4,1)")).unwrap().unwrap();
    assert_eq!((first.index, first.offsets), (vec![1, 0], [5, 4]));
}

/// Layouts as kernels have them, whole blocks of them and rows that are no power of two.
#[test]
fn what_was_swizzled() {
    for (swizzle, layout) in [
        ("Sw<3,3,3>", "(16,64):(64,1)"),
        ("Sw<3,4,3>", "((128,11),(8,5344)):((1,1024),(128,11264))"),
        ("Sw<3,3,3>", "((8,12594),(64,5)):((64,512),(1,6448128))"),
        ("Sw<3,3,3>", "(17,1990720):(1990720,1)"),
        ("Sw<1,3,3>", "(69,483376):(483376,1)"),
        ("Sw<3,3,3>", "(20963,1600):(1600,1)"),
        ("Sw<2,2,3>", "(1048576,16):(16,1)"),
        ("Sw<2,0,-2>", "(8,16):(16,1)"),
        ("Sw<3,3,4>", "(64,256):(256,1)"),
    ] {
        let text = format!("{swizzle} o 0 o {layout}");
        let (found, below) = map(&text).unswizzled().unwrap_or_else(|| panic!("{text}"));
        assert_eq!(found.to_string(), swizzle, "{text}");
        assert!(below.same_as(&map(layout)).unwrap(), "{text}");
        assert_eq!(map(layout).unswizzled(), None, "{text}");
    }
    // Only as many bits as there are rows to flip them.
    let (found, _) = map("Sw<3,3,3> o 0 o (4,64):(64,1)").unswizzled().unwrap();
    assert_eq!(found.to_string(), "Sw<2,3,3>");
    // Merged, but not bits that flip others.
    assert_eq!(map("(4,8):(8,1) o 0 o (3,5):(5,1)").unswizzled(), None);
}

#[test]
fn refusals() {
    for (text, reason) in [
        ("Sw<3,0,3> o 0 o (3,2):(-1,3)", "would be read at -2"),
        ("Sw<3,0,3> o -1 o (3,2):(1,3)", "would be read at -1"),
        ("(4,8):(1@0,1@1) o 0 o (3,2):(1,3)", "counts no elements"),
        ("Sw<1,0,61> o 9223372036854775807 o (3,2):(1,3)", "does not fit"),
        ("(0,8):(8,1) o 2 o (3,2):(1,5)", "no elements"),
    ] {
        let composition: Composition = text.parse().unwrap();
        let error = IndexMap::from_composition(&composition).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    // As large as offsets get, and still a map.
    let end = map("Sw<10,30,20> o 0 o (2147483648,1073741824):(1073741824,1)");
    assert_eq!(end.offset(&[1 << 20, 1]).unwrap(), (1 << 50) + (1 << 30) + 1);
}

#[test]
fn large_swizzled_arrays_cost_no_more() {
    // 2^40 elements: nothing may look at each.
    let large = map("Sw<3,4,3> o 0 o (1048576,1048576):(1048576,1)");
    assert_eq!(large.allocation(), 1 << 40);
    let offset = large.offset(&[123_456, 654_321]).unwrap();
    let plain = 123_456 * 1_048_576 + 654_321;
    assert_eq!(offset, Swizzle::new(3, 4, 3).unwrap().apply(plain));
    assert_eq!(large.index(offset).unwrap(), Some(vec![123_456, 654_321]));
    let transposed = large.permuted(&Permutation::new([1, 0]).unwrap()).unwrap();
    assert_eq!(transposed.index(offset).unwrap(), Some(vec![654_321, 123_456]));
}

fn any_layout(least: i64) -> impl Strategy<Value = Layout> {
    let mode = vec((1..6i64, least..20i64), 1..4);
    vec(mode, 1..4).prop_filter_map("small", |modes| {
        let nested = |pick: fn(&(i64, i64)) -> i64| -> Nested<i64> {
            let mode = |m: &Vec<(i64, i64)>| match &m[..] {
                [leaf] => Nested::Leaf(pick(leaf)),
                leaves => Nested::Tuple(leaves.iter().map(|l| Nested::Leaf(pick(l))).collect()),
            };
            Nested::Tuple(modes.iter().map(mode).collect())
        };
        let shape = nested(|leaf| leaf.0).map(|&value| Int::dynamic(value));
        let stride = nested(|leaf| leaf.1).map(|&value| Stride::from(Int::dynamic(value)));
        let layout = Layout::new(shape, stride).unwrap();
        (layout.size().unwrap().value() <= 600).then_some(layout)
    })
}

fn any_outer() -> impl Strategy<Value = Outer> {
    let swizzle = (0..4u32, 0..4u32, 0..3i32, any::<bool>()).prop_map(|(bits, base, more, up)| {
        let distance = i32::try_from(bits).unwrap() + more;
        Outer::Swizzle(Swizzle::new(bits, base, if up { distance } else { -distance }).unwrap())
    });
    prop_oneof![swizzle, any_layout(-5).prop_map(Outer::Layout)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// The map is the composed layout, asked in any way, whatever the strides.
    #[test]
    fn maps_are_composed_layouts(outer in any_outer(), base in 0..40i64, inner in any_layout(-3)) {
        let strides = inner.shape().leaves().zip(inner.stride().leaves());
        let below: i64 = strides
            .map(|(n, s)| ((n.value() - 1) * s.elements().unwrap().value()).min(0))
            .sum();
        let composed = Composed::new(outer, Int::dynamic(base - below), inner).unwrap();
        let map = IndexMap::from_composed(&composed).unwrap();
        let offsets = offsets_of(&composed);
        check(&map, &offsets);
        if let Some((swizzle, below)) = map.unswizzled() {
            let again = below.offsets().unwrap().into_iter().map(|o| swizzle.apply(o));
            prop_assert_eq!(again.collect::<Vec<_>>(), offsets);
        }
    }

    /// Dimensions in another order, and other dimensions, move nothing.
    #[test]
    fn reshaped_and_permuted(outer in any_outer(), base in 0..40i64, inner in any_layout(0)) {
        let composed = Composed::new(outer, Int::dynamic(base), inner).unwrap();
        let map = IndexMap::from_composed(&composed).unwrap();
        let expected = offsets_of(&composed);
        check(&map.reshaped(&[map.elements()]).unwrap(), &expected);
        let order: Vec<usize> = (0..map.dims().len()).rev().collect();
        let permuted = map.permuted(&Permutation::new(order).unwrap()).unwrap();
        for index in indices(map.dims()) {
            let reversed: Vec<i64> = index.iter().rev().copied().collect();
            prop_assert_eq!(permuted.offset(&reversed).unwrap(), map.offset(&index).unwrap());
        }
        prop_assert!(map.same_as(&permuted.permuted(&Permutation::new(
            (0..map.dims().len()).rev().collect::<Vec<_>>()).unwrap()).unwrap()).unwrap());
    }
}

/// Where elements share places there may be far fewer of those than of them: 818 million elements in 232 places,
/// 173 million in 36 864. What fuzzing found to take seconds.
#[test]
fn the_last_place_of_many_elements_at_few_places() {
    let repeated = map("Sw<1,1,3> o 0 o (4,1,(25555555,8)):(0,4,(0,33))");
    // Bit 4 flips bit 1.
    let of = |value: i64| value ^ ((value >> 3) & 2);
    assert_eq!(repeated.max_offset().unwrap(), (0..8).map(|step| of(33 * step)).max());

    let overlapping = map("Sw<5,2,-5> o 0 o (2200,1192,22,3):(13,4,2,34)");
    let mut values = vec![0];
    for (count, stride) in [(2200, 13), (1192, 4), (22, 2), (3, 34)] {
        values =
            values.iter().flat_map(|value| (0..count).map(move |n| value + n * stride)).collect();
        values.sort_unstable();
        values.dedup();
    }
    // Bits 2 to 6 flip bits 7 to 11.
    let of = |value: i64| value ^ ((value & 0x7c) << 5);
    assert_eq!(overlapping.max_offset().unwrap(), values.into_iter().map(of).max());

    // Nearly all of what the dimension counts is repeated in between two digits.
    let within = map("Sw<3,2,5> o 0 o (((3),(4888873,4,1)),(1,1)):(((288),(0,24,24)),(864,24))");
    let values = (0..3).flat_map(|a| (0..4).map(move |b| 288 * a + 24 * b));
    // Bits 7 to 9 flip bits 2 to 4.
    let of = |value: i64| value ^ (value >> 5 & 0b11100);
    assert_eq!(within.max_offset().unwrap(), values.map(of).max());

    // 2⁴⁰ elements, whose sums are every number below 2²¹ - 1.
    let many = map("Sw<1,1,-3> o 0 o (1048576,1048576):(1,1)");
    let of = |value: i64| value ^ (value & 2) << 3;
    assert_eq!(many.max_offset().unwrap(), (0..(1 << 21) - 1).map(of).max());
}

proptest! {
    /// With fewer places than elements, in steps up and down, the last one is that of an element: of a sum of steps, whose
    /// bits from `shift` on flip the lowest.
    #[test]
    fn the_last_place_is_that_of_an_element(
        modes in vec((1..6i64, -3..4i64), 1..5),
        (bits, shift) in (0..3u32, 2..4i64),
    ) {
        let of_modes = |of: fn(&(i64, i64)) -> i64| {
            modes.iter().map(|mode| of(mode).to_string()).collect::<Vec<_>>().join(",")
        };
        let first = -modes.iter().map(|(n, step)| ((n - 1) * step).min(0)).sum::<i64>();
        let layout = format!("({}):({})", of_modes(|mode| mode.0), of_modes(|mode| mode.1));
        let mut sums = vec![first];
        for &(count, step) in &modes {
            sums = sums.iter().flat_map(|sum| (0..count).map(move |n| sum + n * step)).collect();
        }
        let swizzled = |sum: i64| sum ^ (sum >> shift & ((1 << bits) - 1));
        let last = sums.into_iter().map(swizzled).max();
        let map = map(&format!("Sw<{bits},0,{shift}> o {first} o {layout}"));
        prop_assert_eq!(map.max_offset().unwrap(), last);
    }
}
