//! The questions of analysis, against their definitions and against `tensor-layouts`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

#[path = "../support/mod.rs"]
mod support;

mod accesses;
mod brute;
mod examples;
mod frozen;
mod laws;

use tilewright::{ArrayShape, IndexMap};

/// The map of XLA's notation, of `shape:stride[:original shape]`, or of such a layout swizzled.
#[track_caller]
fn map(text: &str) -> IndexMap {
    let map = match text {
        text if text.contains('[') => text.parse::<ArrayShape>().unwrap().index_map(),
        text if text.contains(" o ") => IndexMap::from_composition(&text.parse().unwrap()),
        text => IndexMap::from_tla(&text.parse().unwrap()),
    };
    map.unwrap_or_else(|error| panic!("{text}: {error}"))
}
