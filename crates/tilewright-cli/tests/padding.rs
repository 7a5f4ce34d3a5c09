//! What padding holds, and what is recorded of it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use serde_json::{Value, json};
use support::{Folder, npy};

const TILED: &str = "{1,0:T(2,4)}";

/// A file of `u8[3,5]`, and what comes of it.
fn with_array() -> Folder {
    let folder = Folder::new();
    folder.write("w.npy", &npy("|u1", "(3, 5)", &(1..=15).collect::<Vec<u8>>()));
    folder
}

fn convert(folder: &Folder, from: &str, to: &str, extra: &[&str]) -> support::Outcome {
    folder.run(&[&["convert", from, "-o", to, "--to", TILED, "--force"][..], extra].concat())
}

/// The bytes of the one array, and what its record says of the padding.
fn packed(folder: &Folder, name: &str) -> (Vec<u8>, String) {
    let bytes = folder.read(name);
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let (_, header) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    let record = &header.metadata().as_ref().unwrap()["tilewright"];
    let record: Value = serde_json::from_str(record).unwrap();
    let pad = record["layouts"]["w"]["pad"].as_str().unwrap().to_owned();
    (file.tensor("w").unwrap().data().to_vec(), pad)
}

/// Tiles of 2 x 4 by hand: the rows 1..=5, 6..=10 and 11..=15, padded by `p`.
fn expected(p: u8) -> Vec<u8> {
    let rows = [[1, 2, 3, 4, 6, 7, 8, 9], [5, p, p, p, 10, p, p, p]];
    let last = [[11, 12, 13, 14, p, p, p, p], [15, p, p, p, p, p, p, p]];
    [rows, last].concat().concat()
}

#[test]
fn padding_is_written_where_the_layout_stays() {
    let folder = with_array();
    convert(&folder, "w.npy", "w.safetensors", &["--pad-value", "7"]).succeeded();
    assert_eq!(packed(&folder, "w.safetensors"), (expected(7), "7".to_owned()));
    convert(&folder, "w.safetensors", "v.safetensors", &["--pad-value", "0"]).succeeded();
    assert_eq!(packed(&folder, "v.safetensors"), (expected(0), "0".to_owned()));
}

#[test]
fn what_nobody_changes_stays_and_is_recorded_as_it_was() {
    let folder = with_array();
    convert(&folder, "w.npy", "w.safetensors", &["--pad-value", "7"]).succeeded();
    convert(&folder, "w.safetensors", "v.safetensors", &[]).succeeded();
    assert_eq!(packed(&folder, "v.safetensors"), (expected(7), "7".to_owned()));
    // Nobody knows what is in the padding of a raw file.
    folder.write("w.bin", &expected(9));
    let from = ["--from", &format!("u8[3,5]{TILED}")];
    convert(&folder, "w.bin", "u.safetensors", &from).succeeded();
    assert_eq!(packed(&folder, "u.safetensors"), (expected(9), "unknown".to_owned()));
}

#[test]
fn values_that_the_type_does_not_have() {
    let folder = with_array();
    for (value, held) in [
        ("300", "`300` is no u8: it holds whole numbers from 0 to 255"),
        ("-1", "`-1` is no u8"),
        ("1.5", "`1.5` is no u8"),
        ("0x100", "`0x100` is no u8"),
        ("", "`` is no u8"),
    ] {
        convert(&folder, "w.npy", "x.safetensors", &["--pad-value", value])
            .failed_with(&["tensor `w`", held]);
    }
    convert(&folder, "w.npy", "x.npy", &["--pad-value", "highest"]).succeeded();
    // Where there is no padding no value is wanted.
    let args = ["convert", "w.npy", "-o", "y.npy", "--to", "{0,1}", "--pad-value", "300"];
    folder.run(&args).succeeded();
    assert_eq!(folder.names(), ["w.npy", "x.npy", "x.npy.layout.json", "y.npy"]);
}

/// A scale of 8 bits of exponent has no zero: its padding is the smallest there is, and said to be.
#[test]
fn a_type_without_zero() {
    let folder = Folder::new();
    folder.write("s.bin", &[127; 15]);
    let from = ["--from", "f8e8m0fnu[3,5]"];
    let convert = |extra: &[&str]| {
        let args = ["convert", "s.bin", "-o", "s.npy", "--to", TILED, "--force"];
        folder.run(&[&args[..], &from, extra].concat())
    };
    convert(&["--pad-value", "0"]).failed_with(&["`0` is no f8e8m0fnu", "no zero"]);
    convert(&[]).succeeded();
    let record: Value = serde_json::from_slice(&folder.read("s.npy.layout.json")).unwrap();
    assert_eq!(record["layouts"]["s"]["pad"], json!("lowest"));
    assert_eq!(folder.read("s.npy").iter().filter(|&&byte| byte == 127).count(), 15);
}
