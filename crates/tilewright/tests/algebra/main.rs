//! The algebra of layouts: worked examples, post-conditions at every coordinate, true refusals.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod composed;
mod edges;
mod examples;
mod laws;
mod truth;

use tilewright::algebra::Tiler;
use tilewright::tla::{Int, Layout, Nested};

fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn tiler(text: &str) -> Tiler {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn size(layout: &Layout) -> i64 {
    layout.size().unwrap().value()
}

/// The offset at an integer.
fn at(layout: &Layout, index: i64) -> i64 {
    layout.offset(&Nested::Leaf(Int::dynamic(index))).unwrap()
}

fn offsets(layout: &Layout) -> Vec<i64> {
    (0..size(layout)).map(|index| at(layout, index)).collect()
}

/// Numbers only: `_4` and `4` are the same.
fn plain(layout: &Layout) -> String {
    layout.to_string().replace('_', "")
}

#[track_caller]
fn check(outcome: Result<Layout, tilewright::Error>, expected: &str) {
    assert_eq!(plain(&outcome.unwrap()), expected);
}
