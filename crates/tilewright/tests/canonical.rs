//! The canonical form: for maps without merged coordinates, equal forms and equal offsets are the
//! same thing.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;
use tilewright::algebra::{Composed, Composition, Outer, Swizzle};
use tilewright::map::{Digit, Merged, Notation, Source, fit};
use tilewright::tla::{Int, Layout, Nested, Stride};
use tilewright::{IndexMap, Permutation, Shape};

fn map(text: &str) -> IndexMap {
    let composition: Composition = text.parse().unwrap_or_else(|error| panic!("{error}"));
    IndexMap::from_composition(&composition).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What is to be equal where the offsets are.
type Form = (i64, Vec<Digit>);

fn form(map: &IndexMap) -> Form {
    (map.base(), map.digits().to_vec())
}

/// The forms of the maps seen so far, by their dimensions and offsets.
#[derive(Default)]
struct Seen {
    forms: HashMap<(Vec<i64>, Vec<i64>), (Form, String)>,
    n_again: usize,
}

impl Seen {
    /// Holds a map against those with the same offsets.
    #[track_caller]
    fn check(&mut self, map: &IndexMap, what: &str) {
        if !map.is_separable() {
            return;
        }
        let key = (map.dims().to_vec(), map.offsets().unwrap());
        match self.forms.get(&key) {
            Some((form_then, then)) => {
                assert_eq!(form_then, &form(map), "{then} and {what}");
                self.n_again += 1;
            }
            None => {
                self.forms.insert(key, (form(map), what.to_owned()));
            }
        }
    }
}

#[track_caller]
fn check_equal(a: &str, b: &str) {
    let (first, second) = (map(a), map(b));
    assert!(first.same_as(&second).unwrap(), "{a} and {b}");
    assert_eq!(first, second, "{a} and {b}");
    assert_eq!(first.index_expression(), second.index_expression());
    for notation in [Notation::Tla, Notation::Numpy, Notation::Mlir, Notation::OneDnn] {
        let texts = [&first, &second].map(|map| map.to_notation(notation, 32));
        assert_eq!(texts[0], texts[1], "{a} and {b}");
    }
    assert_eq!(first.to_xla_layout(), second.to_xla_layout(), "{a} and {b}");
}

#[test]
fn digits_that_are_written_twice_add_up() {
    check_equal("Sw<2,0,2> o 0 o 4:4", "4:5");
    check_equal("Sw<2,0,2> o 0 o 16:4", "((4,4)):((5,16))");
    assert_eq!(map("Sw<2,0,2> o 0 o 4:4").index_expression(), "i0*5");
    assert_eq!(map("Sw<2,0,2> o 0 o 4:4").to_xla_layout().unwrap().to_string(), "{0:T(1)(5)}");
    assert_eq!(map("Sw<2,0,2> o 0 o 4:4").to_notation(Notation::Numpy, 32).unwrap(), "(20,)");
    // The upper group of bits has one of two values, and flips bits that are 0.
    check_equal("Sw<2,0,2> o 0 o 2:4", "2:5");
    check_equal("Sw<3,0,3> o 0 o (2,8):(1,16)", "Sw<3,0,3> o 0 o (2,(4,2)):(1,(16,64))");
}

/// Every swizzle on every stride, against every nested layout of as many elements: small enough
/// to try them all.
#[test]
fn every_small_layout_has_one_form() {
    let mut seen = Seen::default();
    for extents in
        [vec![1], vec![3], vec![4], vec![6], vec![2, 2], vec![2, 3], vec![3, 2], vec![2, 2, 2]]
    {
        let n = u32::try_from(extents.len()).unwrap();
        let size: i64 = extents.iter().product();
        for code in 0..13i64.pow(n) {
            let strides: Vec<i64> = (0..n).map(|place| code / 13i64.pow(place) % 13 - 3).collect();
            for org in [size - 1, size] {
                let text = format!("(({})):(({})):({org})", listed(&extents), listed(&strides));
                seen.check(&map(&text), &text);
            }
            if strides.iter().all(|&stride| stride >= 0) {
                for (bits, base, shift) in
                    [(0, 0, 0), (1, 0, 1), (1, 0, 2), (2, 0, 2), (1, 1, -1), (1, 0, -1)]
                {
                    let text = format!(
                        "Sw<{bits},{base},{shift}> o 0 o (({})):(({}))",
                        listed(&extents),
                        listed(&strides)
                    );
                    seen.check(&map(&text), &text);
                }
            }
        }
    }
    assert!(seen.n_again > 2000, "{}", seen.n_again);
}

fn listed(numbers: &[i64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    numbers.join(",")
}

fn any_layout(least: i64) -> impl Strategy<Value = Layout> {
    let mode = vec((1..5i64, least..9i64), 1..4);
    vec(mode, 1..3).prop_filter_map("small", |modes| {
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
        (layout.size().unwrap().value() <= 300).then_some(layout)
    })
}

fn any_outer() -> impl Strategy<Value = Outer> {
    let swizzle = (0..4u32, 0..4u32, 0..3i32, any::<bool>()).prop_map(|(bits, base, more, up)| {
        let distance = i32::try_from(bits).unwrap() + more;
        Outer::Swizzle(Swizzle::new(bits, base, if up { distance } else { -distance }).unwrap())
    });
    prop_oneof![swizzle, any_layout(-3).prop_map(Outer::Layout)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 2000 }))]

    /// Maps that are built of one another, through what keeps every offset, are equal.
    #[test]
    fn one_map_by_many_ways_has_one_form(
        outer in any_outer(),
        base in 0..40i64,
        inner in any_layout(0),
    ) {
        let composed = Composed::new(outer, Int::dynamic(base), inner).unwrap();
        let map = IndexMap::from_composed(&composed).unwrap();
        let reversal = Permutation::reversal(map.dims().len());
        let ways = [
            map.reshaped(&[map.elements()]).unwrap().reshaped(map.dims()).unwrap(),
            map.permuted(&reversal).unwrap().permuted(&reversal).unwrap(),
            fitted(&map).unwrap_or_else(|| map.clone()),
        ];
        for way in ways.iter().filter(|way| way.is_separable() && map.is_separable()) {
            prop_assert_eq!(way.offsets().unwrap(), map.offsets().unwrap());
            prop_assert_eq!(form(way), form(&map));
        }
        check_nesting(&map)?;
        check_nesting(&ways[0])?;
    }

    /// Two maps at random: `same_as` says what the offsets say, and so do the forms.
    #[test]
    fn same_as_is_equality_of_forms(
        a in (any_outer(), 0..3i64, any_layout(0)),
        b in (any_outer(), 0..3i64, any_layout(0)),
    ) {
        let [a, b] = [a, b].map(|(outer, base, inner)| {
            IndexMap::from_composed(&Composed::new(outer, Int::dynamic(base), inner).unwrap()).unwrap()
        });
        let offsets_agree = a.dims() == b.dims() && a.offsets().unwrap() == b.offsets().unwrap();
        let memory = |map: &IndexMap| (map.lowest_offset(), map.allocation());
        prop_assert_eq!(a.same_as(&b).unwrap(), offsets_agree && memory(&a) == memory(&b));
        if a.is_separable() && b.is_separable() && a.dims() == b.dims() {
            prop_assert_eq!(form(&a) == form(&b), offsets_agree);
        }
    }
}

/// The map of the layout that has these offsets, found from them alone.
fn fitted(map: &IndexMap) -> Option<IndexMap> {
    let found = fit(map.dims(), &map.offsets().unwrap()).unwrap().ok()?;
    (found.base == 0).then(|| IndexMap::from_tla(&found.layout).unwrap())
}

/// What `floors.rs` says of every map that is built: where two digits of a source begin or wrap,
/// one place divides the other.
fn check_nesting(map: &IndexMap) -> Result<(), TestCaseError> {
    let merged = map.merged().iter().map(Merged::digits);
    let mut places: Vec<(Source, i64)> = Vec::new();
    for digit in merged.chain([map.digits()]).flatten() {
        places.push((digit.source, digit.divisor));
        places.extend(digit.modulus.map(|modulus| (digit.source, digit.divisor * modulus)));
    }
    for (source, a) in &places {
        for (_, b) in places.iter().filter(|(other, _)| other == source) {
            prop_assert!(a % b == 0 || b % a == 0, "{}", map.index_expression());
        }
    }
    Ok(())
}

/// The tiles of XLA cut dimensions too: each of a few shapes by all of a few tilings.
#[test]
fn tilings_of_one_function_have_one_form() {
    let mut seen = Seen::default();
    let tiles =
        ["", "(2)", "(3)", "(4)", "(6)", "(2,2)", "(2,3)", "(*,2)", "(*,3)", "(*,4)", "(*,6)"];
    for dims in ["1,1", "2,3", "4,6", "5,7", "12,1", "6,4", "3,8"] {
        for order in ["1,0", "0,1"] {
            for first in tiles {
                for second in tiles {
                    let text =
                        format!("f32[{dims}]{{{order}:T{first}{second}}}").replace(":T}", "}");
                    let map = text.parse::<Shape>().unwrap().index_map().unwrap();
                    seen.check(&map, &text);
                    check_nesting(&map).unwrap();
                }
            }
        }
    }
    assert!(seen.n_again > 500, "{}", seen.n_again);
}

/// Offsets and the size of memory are not all: where memory begins is part of the question.
#[test]
fn memory_that_begins_elsewhere_is_not_the_same() {
    let (below, above) = (map("((2,2)):((-1,-2)):(2)"), map("((2,2)):((-1,2)):(2)"));
    assert_eq!(below.offsets().unwrap(), above.offsets().unwrap());
    assert_eq!(below.allocation(), above.allocation());
    assert_eq!((below.lowest_offset(), above.lowest_offset()), (-3, -1));
    assert_eq!(form(&below), form(&above));
    assert!(!below.same_as(&above).unwrap());
    assert_ne!(below, above);
}

/// Without elements there is nothing to tell maps apart by.
#[test]
fn maps_of_no_elements_have_one_form() {
    for text in ["f32[0,5]{1,0}", "f32[5,0]{0,1:T(2,2)}", "f32[10,0]{1,0:T(5,10)(2,1)}"] {
        let map = text.parse::<Shape>().unwrap().index_map().unwrap();
        assert_eq!((form(&map), map.merged().len()), ((0, vec![]), 0), "{text}");
    }
    assert_eq!(form(&map("Sw<2,0,2> o 5 o (0,4):(1,4)")), (0, vec![]));
}
