//! The smallest layouts, every one: a part of `cargo xtask exhaustive`.

#![allow(clippy::expect_used, reason = "a test may fail")]

use tilewright_fuzz::exhaustive::{Pairs, Range, Report, Tiles, layouts, shapes_and_strides};

/// Nothing fails, and what is looked at is there.
#[track_caller]
fn check(report: &Report, laws: &[&str]) {
    assert_eq!(report.n_failed(), 0, "\n{report}");
    for law in laws {
        assert!(report.n_checked(law) > 100, "{law}\n{report}");
    }
}

const LAWS: &[&str] = &[
    "offset of an index",
    "index of an offset, or padding",
    "injective",
    "sizes: bytes",
    "canonical: equal offsets, equal forms",
    "same",
    "to TLA and back",
    "to XLA and back",
    "theorem: without `*`, strides form a chain",
    "bitcast: yes exactly if there is one",
    "bitcast: the way is right",
    "relayout: every bit",
];

const SOME: Pairs = Pairs { relayouts: 6, bitcast_step: 5 };

#[test]
fn one_level_of_tiles() {
    let levels = vec![Tiles { sizes: 3, rank: 2 }];
    let range = Range { name: "one level", extents: 0..=3, ranks: 0..=3, levels };
    check(&layouts(&range, SOME, 2), LAWS);
}

#[test]
fn two_levels_of_tiles() {
    let levels = vec![Tiles { sizes: 3, rank: 2 }, Tiles { sizes: 2, rank: 3 }];
    let range = Range { name: "two levels", extents: 1..=4, ranks: 1..=2, levels };
    check(&layouts(&range, SOME, 2), LAWS);
}

#[test]
fn chains_of_strides() {
    let report = shapes_and_strides(4, 2, 2, 2);
    check(&report, &["theorem: tiles of a chain", "theorem: a chain has tiles"]);
}

/// The example of RELIABILITY.md, of maps that keep a merged coordinate where a shape and stride has the same offsets.
#[test]
fn a_shape_and_stride_is_found_where_a_coordinate_is_merged() {
    let shape: tilewright::Shape = "u8[4,4]{0,1:T(2)(2,*,3)}".parse().expect("a shape");
    let map = shape.index_map().expect("a map");
    let offsets = map.offsets().expect("a small map");
    let fitted = tilewright::map::fit(&[4, 4], &offsets).expect("a small table").expect("a layout");
    assert!(!map.is_separable());
    assert_eq!(fitted.layout.to_string(), "((3,2),(2,2)):((1,6),(3,12)):(4,4)");
}
