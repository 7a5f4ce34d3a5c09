//! Laws: the canonical form, the algebra's equations, and layouts found again.

use std::collections::HashSet;
use std::convert::Infallible;

use tilewright::algebra::{self as alg, Tiler};
use tilewright::tla::{Int, Layout, Nested};
use tilewright::{IndexMap, Permutation};
use tilewright_discover::{Grain, discover};

use crate::drawn::{Draw, listed};
use crate::texts::row_major;

/// Two layouts of one small array: without merged coordinates their forms are equal if and only if their offsets are; with
/// or without, `same_as` and the first difference say what the tables of offsets say.
pub(crate) fn canonical(data: &[u8]) -> bool {
    let mut draw = Draw::new(data);
    let dims = draw.dims(if data.len().is_multiple_of(2) { 24 } else { 150 });
    let (Some((a_text, a)), Some((b_text, b))) = (draw.layout(&dims), draw.layout(&dims)) else {
        return false;
    };
    let what = format!("{a_text} and {b_text}");
    let [of_a, of_b] = [&a, &b].map(|map| map.offsets().expect("a small map"));
    if a.is_separable() && b.is_separable() {
        let same_form = a.base() == b.base() && a.digits() == b.digits();
        assert_eq!(same_form, of_a == of_b, "{what}");
    }
    let memory = |map: &IndexMap| (map.lowest_offset(), map.allocation());
    assert_eq!(a.same_as(&b), Ok(of_a == of_b && memory(&a) == memory(&b)), "{what}");
    let first = of_a.iter().zip(&of_b).position(|(a, b)| a != b);
    let found = a.first_difference(&b).expect("small maps").map(|difference| difference.index);
    assert_eq!(found, first.map(|number| row_major(&dims, number as i64)), "{what}");
    check_permuted(&a, &of_a, &mut draw, &a_text);
    // What is lifted is the same function again.
    if let Ok(lifted) = a.to_xla_layout() {
        let again = IndexMap::from_layout(&dims, &lifted).expect("a lifted layout lowers");
        assert_eq!(again.offsets().as_ref(), Ok(&of_a), "{a_text} as {lifted}");
    }
    true
}

/// A map of exchanged dimensions, and of the array reshaped to one dimension, has the same offsets in another order.
fn check_permuted(map: &IndexMap, offsets: &[i64], draw: &mut Draw<'_>, what: &str) {
    let order = draw.order(map.dims().len());
    let permuted = Permutation::new(order.clone()).and_then(|order| map.permuted(&order));
    let permuted = permuted.expect("an order of its dimensions");
    let step = 1 + offsets.len() / 16;
    for (number, offset) in offsets.iter().enumerate().step_by(step) {
        let index = row_major(map.dims(), number as i64);
        let exchanged: Vec<i64> = order.iter().map(|&dim| index[dim]).collect();
        assert_eq!(permuted.offset(&exchanged), Ok(*offset), "{what} in the order {order:?}");
    }
    let flat = map.reshaped(&[map.elements()]).expect("a reshape of as many elements");
    assert_eq!(flat.offsets().as_deref(), Ok(offsets), "{what} in one dimension");
}

fn size(layout: &Layout) -> i64 {
    layout.size().map_or(i64::MAX, Int::value)
}

/// The offset at an integer.
fn at(layout: &Layout, index: i64) -> i64 {
    let offset = layout.offset(&Nested::Leaf(Int::dynamic(index)));
    offset.unwrap_or_else(|error| panic!("{layout} at {index}: {error}"))
}

fn offsets(layout: &Layout) -> Vec<i64> {
    (0..size(layout)).map(|index| at(layout, index)).collect()
}

/// The operations of the algebra against the equations that they are documented with, at every coordinate.
pub(crate) fn algebra_laws(data: &[u8]) -> bool {
    let mut draw = Draw::new(data);
    let (a_text, b_text) =
        (draw.algebra_layout(draw.size(400, 60)), draw.algebra_layout(draw.size(60, 20)));
    let (Ok(a), Ok(b)) = (a_text.parse::<Layout>(), b_text.parse::<Layout>()) else {
        return false;
    };
    let of_a = offsets(&a);
    if let Ok(coalesced) = alg::coalesce(&a) {
        assert_eq!(offsets(&coalesced), of_a, "coalesce {a}");
        assert!(coalesced.depth() <= 1, "coalesce {a} is {coalesced}");
    }
    if let Ok(composed) = alg::composition(&a, &b) {
        let expected: Vec<i64> = offsets(&b).iter().map(|&place| at_any(&a, place)).collect();
        assert_eq!(offsets(&composed), expected, "{a} after {b} is {composed}");
    }
    check_inverses(&a, &of_a);
    check_complement(&a, &of_a, draw.below(200));
    check_divided(&a, &b);
    check_product(&b, &a);
    true
}

/// The offset at a place that may lie beyond the size, or before 0.
fn at_any(layout: &Layout, place: i64) -> i64 {
    at(layout, place)
}

fn check_inverses(a: &Layout, of_a: &[i64]) {
    if let Ok(right) = alg::right_inverse(a) {
        for (k, element) in offsets(&right).into_iter().enumerate() {
            assert_eq!(at(a, element), k as i64, "right inverse {right} of {a}");
        }
    }
    if let Ok(left) = alg::left_inverse(a) {
        for &offset in of_a {
            assert_eq!(at(a, at(&left, offset)), offset, "left inverse {left} of {a}");
        }
    }
}

fn check_complement(a: &Layout, of_a: &[i64], most: i64) {
    let Ok(rest) = alg::complement(a, Int::dynamic(most)) else { return };
    let of_rest = offsets(&rest);
    assert!(of_rest.windows(2).all(|pair| pair[0] < pair[1]), "{rest} of {a} in {most}");
    let own: HashSet<i64> = of_a.iter().copied().collect();
    if own.len() * of_rest.len() > 1 << 14 {
        return;
    }
    let sums: HashSet<i64> =
        of_rest.iter().flat_map(|rest| own.iter().map(move |own| rest + own)).collect();
    assert_eq!(sums.len(), own.len() * of_rest.len(), "copies of {a} meet: {rest} in {most}");
}

/// `R = A ∘ (T, T*)`, where `T*` is the complement of `T` up to the size of `A`.
fn check_divided(a: &Layout, tile: &Layout) {
    let Ok(divided) = alg::logical_divide(a, Tiler::from(tile)) else { return };
    let rest = alg::complement(tile, Int::dynamic(size(a))).expect("what a division stands on");
    let expected: Vec<i64> = offsets(&rest)
        .iter()
        .flat_map(|rest| offsets(tile).into_iter().map(move |place| rest + place))
        .map(|place| at_any(a, place))
        .collect();
    assert_eq!(offsets(&divided), expected, "{a} divided by {tile} is {divided}");
}

/// The first mode is `A`, and copies do not meet.
fn check_product(a: &Layout, b: &Layout) {
    let Ok(product) = alg::logical_product(a, Tiler::from(b)) else { return };
    if size(&product) > 1 << 14 {
        return;
    }
    let (of_a, of_b, all) = (offsets(a), offsets(b), offsets(&product));
    assert_eq!(all.len(), of_a.len() * of_b.len(), "{a} by {b} is {product}");
    for (copy, part) in all.chunks(of_a.len().max(1)).enumerate() {
        let begin = part[0] - of_a[0];
        let moved: Vec<i64> = of_a.iter().map(|offset| offset + begin).collect();
        assert_eq!(part, moved, "copy {copy} of {a} by {b} is {product}");
    }
    let distinct = |offsets: &[i64]| offsets.iter().copied().collect::<HashSet<i64>>().len();
    if of_b.iter().all(|&offset| offset >= 0)
        && b.stride().leaves().all(|s| !s.to_string().starts_with('-'))
    {
        assert_eq!(distinct(&all), distinct(&of_a) * distinct(&of_b), "{a} by {b} is {product}");
    }
}

/// A packing function that moves bits anywhere, flips some bits of every code and has padding: its layout is found, and is
/// right at every bit.
pub(crate) fn discovered(data: &[u8]) -> bool {
    let mut draw = Draw::new(data);
    let rank = 1 + draw.below(draw.size(3, 2));
    let dims: Vec<i64> = (0..rank).map(|_| draw.of(&[4, 2, 8, 1, 3, 6])).collect();
    let n: usize = dims.iter().product::<i64>() as usize;
    let bits = draw.of(&[4u32, 8, 2, 1, 3, 6]);
    let n_bits = n * bits as usize;
    let places = places(&mut draw, n_bits);
    let mask = (draw.below(256) as u32) & ((1 << bits) - 1);
    let n_bytes = places.iter().max().map_or(0, |last| last / 8 + 1) + draw.below(3) as usize;
    let fill = if draw.below(2) == 0 { 0 } else { 0xff };
    let pack = |codes: &[u32], _: &[i64]| -> Result<Vec<u8>, Infallible> {
        let mut packed = vec![fill; n_bytes];
        for (number, &place) in places.iter().enumerate() {
            let (element, bit) = (number / bits as usize, number % bits as usize);
            let value = (codes[element] ^ mask) >> bit & 1;
            packed[place / 8] =
                packed[place / 8] & !(1 << (place % 8)) | (value as u8) << (place % 8);
        }
        Ok(packed)
    };
    let what = || format!("{} of {bits} bits at {}", listed(&dims), listed(&places));
    let found = discover(pack, &dims, bits).unwrap_or_else(|error| panic!("{}: {error}", what()));
    assert_eq!(found.xor_mask(), mask, "{}", what());
    assert_eq!(found.allocation_bits(), n_bytes as i64 * 8);
    let offsets = found.offsets();
    for (number, &place) in places.iter().enumerate() {
        let (element, bit) = (number / bits as usize, number % bits as usize);
        let said = match found.grain() {
            Grain::Elements => offsets[element] * i64::from(bits) + bit as i64,
            Grain::Bits => offsets[number],
        };
        assert_eq!(said, place as i64, "bit {bit} of element {element} of {}", what());
    }
    if let Some(map) = found.map() {
        assert_eq!(map.offsets().as_deref(), Ok(offsets), "{}", what());
    }
    true
}

/// Where each bit goes: bits of indices exchanged, runs moved, or anywhere at all.
fn places(draw: &mut Draw<'_>, n: usize) -> Vec<usize> {
    let kind = draw.below(3);
    if kind == 0 && n.is_power_of_two() {
        let order = draw.order(n.trailing_zeros() as usize);
        let place = |number: usize| {
            order.iter().enumerate().map(|(to, &from)| (number >> from & 1) << to).sum()
        };
        return (0..n).map(place).collect();
    }
    if kind <= 1 {
        let gap = draw.below(3) as usize;
        let run = draw.of(&[8, 4, 16, 3]);
        return (0..n).map(|number| number + number / run * gap).collect();
    }
    draw.order(n)
}
