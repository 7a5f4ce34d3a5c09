//! Swizzled layouts whose pieces of 16 bytes stay whole, which are moved as what was swizzled.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use proptest::prelude::*;
use support::{check, check_threads, composed, placement};
use tilewright_relayout::{Placement, Plan, Route};

fn is_seen(from: &Placement, to: &Placement) -> bool {
    Plan::new(from, to).unwrap().describe().route == Route::Swizzled
}

/// Both ways, with padding of two kinds, by threads too; and that it goes the way that is meant.
fn both_ways(a: &Placement, b: &Placement) {
    for (from, to) in [(a, b), (b, a)] {
        assert!(is_seen(from, to));
        check(from, to, 128, 0);
        check(from, to, 128, u128::MAX / 7);
        check_threads(from, to, 5);
    }
}

/// What a kernel has in shared memory, to rows, columns and other swizzles.
#[test]
fn tiles_of_shared_memory() {
    for (bits, swizzle, columns) in [
        (16, "Sw<3,3,3>", 64),
        (16, "Sw<2,3,3>", 32),
        (16, "Sw<1,3,3>", 16),
        (32, "Sw<3,2,3>", 32),
        (8, "Sw<3,4,3>", 128),
        (64, "Sw<3,1,3>", 16),
        (128, "Sw<3,0,3>", 8),
        (16, "Sw<2,4,3>", 128),
    ] {
        let (rows, across) = (24, 3 * columns);
        let step = 8 * columns;
        let tiles =
            format!("{swizzle} o 0 o ((8,3),({columns},3)):(({columns},{step}),(1,{}))", 3 * step);
        let tiles = composed(&tiles, bits);
        let lines = composed(&format!("{swizzle} o 0 o ({rows},{across}):({across},1)"), bits);
        both_ways(&tiles, &placement(&format!("f32[{rows},{across}]"), bits));
        both_ways(&tiles, &placement(&format!("f32[{rows},{across}]{{0,1}}"), bits));
        both_ways(&lines, &placement(&format!("f32[{rows},{across}]{{0,1}}"), bits));
        both_ways(&tiles, &lines);
    }
}

/// Columns so far apart that every chunk of them would read most of the source: they are put in order where they are, the last
/// of them less than what is at a time.
#[test]
fn columns_that_every_row_has_some_of() {
    let columns = composed("Sw<3,0,3> o 0 o (10248,34):(1,10248)", 128);
    for from in
        [placement("f32[10248,34]", 128), composed("Sw<1,0,3> o 0 o (10248,34):(34,1)", 128)]
    {
        assert!(is_seen(&from, &columns));
        check(&from, &columns, 128, 0);
    }
}

/// Rows that are no whole pieces, that leave room, and that begin within groups; a last group that is not all there.
#[test]
fn rows_of_a_swizzled_source_begin_anywhere() {
    for (layout, dims) in [
        ("(37,41):(41,1)", "37,41"),
        ("(37,41):(43,1)", "37,41"),
        ("(9,200):(203,1)", "9,200"),
        ("(5,300):(1024,1)", "5,300"),
        ("(3,2560):(2560,1)", "3,2560"),
        ("(300,7):(1,300)", "300,7"),
    ] {
        for bits in [8u32, 16, 32] {
            let base = 7 - bits.trailing_zeros();
            let swizzled = composed(&format!("Sw<3,{base},3> o 0 o {layout}"), bits);
            for order in ["1,0", "0,1"] {
                let to = placement(&format!("f32[{dims}]{{{order}}}"), bits);
                assert!(is_seen(&swizzled, &to), "{layout} of {bits} bits");
                check(&swizzled, &to, 128, 0);
                check(&to, &swizzled, 128, u128::MAX / 7);
            }
        }
    }
}

/// Bits within pieces of 16 bytes, groups of more than 512, and lower bits that flip upper ones go other ways.
#[test]
fn what_is_not_seen() {
    let rows = |bits| placement("f32[64,256]", bits);
    for (text, bits) in [
        ("Sw<3,2,3> o 0 o (64,256):(256,1)", 16),
        ("Sw<3,6,3> o 0 o (64,256):(256,1)", 32),
        ("Sw<3,3,-3> o 0 o (64,256):(256,1)", 16),
        ("Sw<3,3,3> o 0 o (64,256):(256,1)", 4),
    ] {
        let swizzled = composed(text, bits);
        assert!(!is_seen(&swizzled, &rows(bits)), "{text}");
        check(&swizzled, &rows(bits), 128, 0);
        check(&rows(bits), &swizzled, 128, 0);
    }
}

/// A swizzle of whole pieces over the rows or columns of a matrix, with room between them.
fn some_swizzled(dims: (i64, i64), bits: u32) -> impl Strategy<Value = String> {
    let least = 7 - bits.trailing_zeros();
    let swizzle = (1..4u32, 0..2u32, 0..2u32);
    (swizzle, any::<bool>(), 0..3i64, 0..2i64).prop_map(
        move |((count, base, more), is_rows, room, whole)| {
            let (rows, columns) = dims;
            let room = room * if whole == 0 { 1 } else { 16 };
            let strides = match is_rows {
                true => (columns + room, 1),
                false => (1, rows + room),
            };
            let shift = count + more;
            let layout = format!("({rows},{columns}):({},{})", strides.0, strides.1);
            format!("Sw<{count},{},{shift}> o 0 o {layout}", least + base)
        },
    )
}

fn some_pair() -> impl Strategy<Value = (Placement, Placement)> {
    let extent = || prop_oneof![1..200i64, (1..7i64).prop_map(|n| 32 * n)];
    let bits = prop::sample::select(&[8u32, 16, 32, 64, 128][..]);
    (extent(), extent(), bits).prop_flat_map(|(rows, columns, bits)| {
        let columns = columns.min(20_000 / rows).max(1);
        let plain = prop::sample::select(&["1,0", "0,1", "1,0:T(8,32)", "0,1:T(4,3)"][..])
            .prop_map(move |order| placement(&format!("f32[{rows},{columns}]{{{order}}}"), bits));
        let swizzled = move || {
            some_swizzled((rows, columns), bits).prop_map(move |text| composed(&text, bits))
        };
        let other = prop_oneof![plain.boxed(), swizzled().boxed()];
        (swizzled(), other, any::<bool>())
            .prop_map(|(a, b, swapped)| if swapped { (b, a) } else { (a, b) })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_swizzle_of_pieces((a, b) in some_pair(), pad in any::<u128>()) {
        check(&a, &b, 128, pad);
    }
}
