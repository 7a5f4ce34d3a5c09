//! Relayouts between random layouts are what the definition says, however they are run.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use support::{check, check_large, check_round_trip, check_threads, composed, placement};
use tilewright_relayout::{Placement, Plan};

const WIDTHS: [u32; 14] = [1, 2, 3, 4, 5, 6, 8, 16, 24, 32, 42, 64, 127, 128];

/// The tiles of arrays of several blocks, of those that have fewer twice.
const LARGE_TILES: [&str; 12] = [
    "",
    "",
    "",
    ":T(8,128)",
    ":T(8,128)(2,1)",
    ":T(8,128)(4,1)",
    ":T(32,128)(32,1)",
    ":T(16,16)",
    ":T(256)",
    ":T(4,1)",
    ":T(3,5)",
    ":T(7,40)(2,1)",
];

/// One tile: sizes and, in front of others, `*`.
fn tile() -> impl Strategy<Value = String> {
    let size =
        prop_oneof![1 => Just(String::from("*")), 6 => (1..9i64).prop_map(|n| n.to_string())];
    (prop::collection::vec(size, 0..3), 1..9i64).prop_map(|(sizes, last)| {
        let sizes: String = sizes.iter().map(|size| format!("{size},")).collect();
        format!("({sizes}{last})")
    })
}

/// The part of a layout's text in braces, over dimensions of these sizes.
fn layout(dims: Vec<i64>) -> impl Strategy<Value = String> {
    let rank = dims.len();
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let tiles = prop_oneof![
        1 => Just(vec![]),
        4 => prop::collection::vec(tile(), 1..4),
    ];
    let padding = prop::option::weighted(0.2, prop::collection::vec(0..4i64, rank));
    let tail = prop::option::weighted(0.2, 1..40i64);
    (order, tiles, padding, tail).prop_map(move |(order, tiles, padding, tail)| {
        let list = |numbers: Vec<String>| numbers.join(",");
        let order = list(order.iter().map(ToString::to_string).collect());
        let mut attributes = String::new();
        if !tiles.is_empty() {
            attributes += &format!("T{}", tiles.concat());
        }
        if let Some(tail) = tail {
            attributes += &format!("L({tail})");
        }
        if let Some(extra) = padding.filter(|extra| !extra.is_empty()) {
            let padded = dims.iter().zip(extra).map(|(size, extra)| (size + extra).to_string());
            attributes += &format!("PAD({})", list(padded.collect()));
        }
        let colon = if attributes.is_empty() { "" } else { ":" };
        format!("{{{order}{colon}{attributes}}}")
    })
}

/// Two layouts of one array, small enough to go through bit by bit.
fn pair() -> impl Strategy<Value = (String, String)> {
    let dims = prop_oneof![
        8 => prop::collection::vec(1..14i64, 0..6),
        4 => prop::collection::vec(1..70i64, 0..3),
        1 => prop::collection::vec(0..4i64, 0..6),
    ];
    let small = dims.prop_filter("small", |dims| dims.iter().product::<i64>() <= 1500);
    small.prop_flat_map(|dims| {
        let sizes: Vec<String> = dims.iter().map(ToString::to_string).collect();
        let text = move |layout: String| format!("f32[{}]{layout}", sizes.join(","));
        let both = (layout(dims.clone()), layout(dims));
        both.prop_map(move |(a, b)| (text(a), text(b)))
    })
}

fn placements(bits: (u32, u32)) -> impl Strategy<Value = (Placement, Placement)> {
    let both = pair().prop_map(move |(a, b)| (placement(&a, bits.0), placement(&b, bits.1)));
    both.prop_filter("small", |(a, b)| {
        a.map().allocation() <= 20_000 && b.map().allocation() <= 20_000
    })
}

/// Two layouts of an array of several blocks: one or two of its dimensions are long, and tiles are those of hardware.
fn large_pair() -> impl Strategy<Value = (String, String)> {
    let long = prop_oneof![2 => 100..2100i64, 1 => (1..17i64).prop_map(|n| 128 * n)];
    let two = (30..300i64, 30..300i64).prop_map(|(rows, columns)| vec![rows, columns]);
    let three = (2..40i64, 2..40i64, 2..40i64).prop_map(|(a, b, c)| vec![a, b, c]);
    let dims = prop_oneof![
        4 => (2..40i64, long).prop_map(|(rows, columns)| vec![rows, columns]),
        2 => two,
        2 => three,
        1 => prop::collection::vec(2..12i64, 4..6),
    ];
    let small = dims.prop_filter("small", |dims| dims.iter().product::<i64>() <= 60_000);
    small.prop_shuffle().prop_flat_map(|dims| {
        let sizes: Vec<String> = dims.iter().map(ToString::to_string).collect();
        let text = move |layout: String| format!("f32[{}]{layout}", sizes.join(","));
        let both = (large_layout(dims.len()), large_layout(dims.len()));
        both.prop_map(move |(a, b)| (text(a), text(b)))
    })
}

/// A layout of several dimensions in any order, tiled or not.
fn large_layout(rank: usize) -> impl Strategy<Value = String> {
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let tiles = prop::sample::select(&LARGE_TILES[..]);
    (order, tiles).prop_map(|(order, tiles)| {
        let order: Vec<String> = order.iter().map(ToString::to_string).collect();
        format!("{{{}{tiles}}}", order.join(","))
    })
}

/// A TLA layout of a matrix: rows or columns with room between them, swizzled or not.
fn swizzled(dims: (i64, i64)) -> impl Strategy<Value = String> {
    let swizzle = (0..4u32, 0..5u32, 0..3u32, any::<bool>());
    (swizzle, any::<bool>(), 0..9i64, 0..20i64).prop_map(
        move |((bits, base, more, is_down), is_rows, room, offset)| {
            let (rows, columns) = dims;
            let strides = match is_rows {
                true => (columns + room, 1),
                false => (1, rows + room),
            };
            let shift = i64::from(bits + more) * if is_down { -1 } else { 1 };
            let layout = format!("({rows},{columns}):({},{})", strides.0, strides.1);
            match bits {
                0 => layout,
                _ => format!("Sw<{bits},{base},{shift}> o {offset} o {layout}"),
            }
        },
    )
}

/// Two placements of a matrix, one of them at least a TLA layout.
fn swizzled_pair(bits: u32) -> impl Strategy<Value = (Placement, Placement)> {
    (1..40i64, 1..40i64, any::<bool>()).prop_flat_map(move |(rows, columns, is_tla)| {
        let other = match is_tla {
            true => swizzled((rows, columns)).prop_map(move |text| composed(&text, bits)).boxed(),
            false => layout(vec![rows, columns])
                .prop_map(move |layout| placement(&format!("f32[{rows},{columns}]{layout}"), bits))
                .boxed(),
        };
        let one = swizzled((rows, columns)).prop_map(move |text| composed(&text, bits));
        (one, other, any::<bool>())
            .prop_map(|(a, b, swapped)| if swapped { (b, a) } else { (a, b) })
    })
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Elements of 24 bits that lie together on both sides may be moved 16 bits at a time, if the source is longer so that it is no copy:
/// chunks end with elements and with what is moved.
#[test]
fn chunks_of_whole_steps() {
    for (rows, columns) in [(26, 49), (49, 26), (32, 49), (64, 25), (96, 31)] {
        for bits in [24, 40, 48, 56, 96] {
            let side = |attributes: &str| {
                placement(&format!("f32[{rows},{columns}]{{1,0{attributes}}}"), bits)
            };
            check(&side(":L(7919)"), &side(""), bits, 0);
        }
    }
}

/// Boxes that go beyond the end of a dimension, between slots of several widths, in as many chunks as may be, from just the bytes that are read.
#[test]
fn beyond_the_end_of_a_dimension() {
    let [rows, tiles] = ["f32[300,61]{1,0}", "f32[300,61]{0,1:T(8,1)}"];
    for (from, to, value) in [(8, 8, 8), (4, 8, 4), (16, 8, 7), (24, 24, 24)] {
        let (source, target) = (placement(rows, from), placement(tiles, to));
        let plan = Plan::with_value_bits(&source, &target, value).unwrap();
        assert_eq!(plan.describe().refilled_slots, 3 * 299, "{from} to {to} bits");
        check(&source, &target, value, 0x0003_0201_0a5a_c396);
    }
}

fn width() -> impl Strategy<Value = u32> {
    prop::sample::select(&WIDTHS[..])
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn equal_widths(
        (a, b) in width().prop_flat_map(|bits| placements((bits, bits))),
        pad in any::<u128>(),
    ) {
        check(&a, &b, 128, pad);
    }

    #[test]
    fn unequal_widths(
        (a, b) in (1..=128u32, width()).prop_flat_map(placements),
        value in 1..=128u32,
        pad in any::<u128>(),
    ) {
        check(&a, &b, value, pad);
    }

    #[test]
    fn below_a_byte(
        (a, b) in (1..=8u32, 1..=8u32).prop_flat_map(placements),
        value in 1..=8u32,
        pad in any::<u128>(),
    ) {
        check(&a, &b, value, pad);
    }

    #[test]
    fn swizzled_layouts((a, b) in width().prop_flat_map(swizzled_pair), pad in any::<u128>()) {
        check(&a, &b, 128, pad);
    }

    #[test]
    fn there_and_back((a, b) in width().prop_flat_map(|bits| placements((bits, bits)))) {
        check_round_trip(&a, &b);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(8128), ..config(1000) })]

    #[test]
    fn the_same_cases_every_time(
        (a, b) in (width(), width()).prop_flat_map(placements),
        pad in any::<u128>(),
    ) {
        check(&a, &b, 128, pad);
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn larger_arrays((a, b) in large_pair(), widths in (width(), width()), is_same in any::<bool>()) {
        let (from, to) = if is_same { (widths.0, widths.0) } else { widths };
        check_large(&placement(&a, from), &placement(&b, to));
    }

    #[test]
    fn threads_make_no_difference(
        (a, b) in (width(), width()).prop_flat_map(placements),
        pad in any::<u128>(),
    ) {
        check_threads(&a, &b, pad);
    }
}
