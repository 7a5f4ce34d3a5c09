//! Bytes that numpy made by padding, reshaping and transposing whole arrays.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use serde_json::Value;
use std::path::Path;
use support::placement;
use tilewright::Shape;
use tilewright_relayout::{Pad, Placement, Plan, RunOptions, relayout};

fn bytes(row: &Value, key: &str) -> Vec<u8> {
    let text = row[key].as_str().unwrap_or_default();
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}

fn number(row: &Value, key: &str) -> u32 {
    row[key].as_u64().and_then(|n| n.try_into().ok()).unwrap()
}

/// Checks one row: dense elements of whole bytes to the layout, and back.
fn check(row: &Value) {
    let text = row["layout"].as_str().unwrap();
    let tiled: Shape = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let tiled = tiled.as_array().unwrap();
    let to = Placement::from_shape(tiled).unwrap();
    assert_eq!(to.element_bits(), number(row, "bits"), "{text}");
    let dims: Vec<String> = to.map().dims().iter().map(ToString::to_string).collect();
    let dense = placement(&format!("f32[{}]", dims.join(",")), number(row, "in_bits"));
    let (input, output) = (bytes(row, "input"), bytes(row, "output"));
    let mut pad = bytes(row, "pad");
    pad.resize(16, 0);
    let pad = Pad::Bits(u128::from_le_bytes(pad.try_into().unwrap()));
    let mut moved = vec![0xa5; to.bytes()];
    relayout(&input, &dense, &mut moved, &to, pad).unwrap();
    assert_eq!(moved, output, "{text}");
    let mut back = vec![0xa5; dense.bytes()];
    let plan = Plan::with_value_bits(&to, &dense, to.element_bits()).unwrap();
    plan.run(&output, &mut back, &RunOptions::default()).unwrap();
    assert_eq!(back, input, "{text}, back");
}

#[test]
fn numpy_agrees_byte_for_byte() {
    let file = "../tilewright/tests/data/pad-reshape-transpose.jsonl";
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows: Vec<Value> = rows.filter(|row| row["kind"] == "bytes").collect();
    assert!(rows.len() >= 500, "only {} rows of bytes", rows.len());
    rows.iter().for_each(check);
}
