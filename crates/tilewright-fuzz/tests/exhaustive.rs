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
    let report = layouts(&range, SOME, 2);
    check(&report, LAWS);
    let merged = report.n_checked("a shape and stride is said though a coordinate is merged");
    assert!(merged > 0, "\n{report}");
}

#[test]
fn chains_of_strides() {
    let report = shapes_and_strides(4, 2, 2, 2);
    check(&report, &["theorem: tiles of a chain", "theorem: a chain has tiles"]);
}
