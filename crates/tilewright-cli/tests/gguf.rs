//! GGUF files: what `inspect` says of them, and what becomes of them elsewhere.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use serde_json::{Value, json};
use support::Folder;

/// A folder with the file in it that Python's `gguf` wrote.
fn with_mixed() -> Folder {
    let folder = Folder::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../tilewright/tests/data/gguf-mixed.gguf");
    folder.write("mixed.gguf", &std::fs::read(data).unwrap());
    folder
}

fn named<'a>(rows: &'a Value, key: &str, name: &str) -> &'a Value {
    rows.as_array().unwrap().iter().find(|row| row[key] == name).unwrap()
}

#[test]
fn rows_of_tensors() {
    let rows = with_mixed().run(&["inspect", "mixed.gguf", "--json"]).succeeded().json();
    assert_eq!(rows.as_array().unwrap().len(), 40);
    let offset = named(&rows, "name", "w.Q4_K")["offset"].as_u64().unwrap();
    assert_eq!(
        *named(&rows, "name", "w.Q4_K"),
        json!({ "name": "w.Q4_K", "text": "gguf:Q4_K[2,256]", "element_type": "u4",
            "dims": [2, 256], "layout": "gguf:Q4_K", "stored_dims": [2, 144], "bytes": 288,
            "logical_bytes": 288, "type": "Q4_K", "offset": offset })
    );
    let plain = named(&rows, "name", "plain.bfloat16");
    assert_eq!((&plain["text"], &plain["type"]), (&json!("bf16[3,5]{1,0}"), &json!("BF16")));
    assert_eq!(plain["layout"], json!("{1,0}"));
    let no_such_type = named(&rows, "name", "w.Q6_K");
    assert_eq!(no_such_type["element_type"], json!(null));
}

#[test]
fn the_metadata_and_the_table() {
    let folder = with_mixed();
    let table = folder.run(&["inspect", "mixed.gguf"]).succeeded().stdout;
    for line in [
        "general.name          text      of many types\n",
        "test.tokens           text[20]  [\"token 0\", ",
        "\n\nname            type    dims     layout ",
        "w.Q4_K          Q4_K    [2,256]  gguf:Q4_K      288\n",
        "plain.bfloat16  BF16    [3,5]    {1,0}           30\n",
    ] {
        assert!(table.contains(line), "{table}");
    }
    let entries = folder.run(&["inspect", "mixed.gguf", "--metadata", "--json"]).succeeded().json();
    assert_eq!(
        *named(&entries, "key", "test.i16"),
        json!({ "key": "test.i16", "type": "i16", "value": -30000, "element_type": null,
            "len": null })
    );
    let scores = named(&entries, "key", "test.scores");
    assert_eq!((&scores["type"], &scores["len"]), (&json!("array"), &json!(20)));
    assert_eq!((&scores["element_type"], &scores["value"][3]), (&json!("f32"), &json!(0.75)));
    let shown = folder.run(&["inspect", "mixed.gguf", "--metadata"]).succeeded().stdout;
    assert!(shown.contains("test.bool") && !shown.contains("Q4_K"), "{shown}");
}

/// Plain tensors as they are, blocks as rows of bytes; and back nothing goes.
#[test]
fn elsewhere() {
    let folder = with_mixed();
    let there = ["convert", "mixed.gguf", "-o", "mixed.safetensors", "--to", "row-major"];
    folder.run(&there).succeeded();
    let verified = folder.run(&["verify", "mixed.gguf", "mixed.safetensors", "--json"]);
    assert_eq!(verified.succeeded().json()["equal"], json!(true));
    let rows = folder.run(&["inspect", "mixed.safetensors", "--json"]).succeeded().json();
    assert_eq!(named(&rows, "name", "w.Q4_K")["text"], json!("u8[2,144]{1,0}"));
    let back = ["convert", "mixed.safetensors", "-o", "back.gguf", "--to", "row-major"];
    folder.run(&back).failed_with(&["a GGUF file is written only as a copy of another"]);
    assert_eq!(folder.names(), ["mixed.gguf", "mixed.safetensors"]);
}

#[test]
fn files_that_are_refused() {
    let folder = with_mixed();
    let whole = folder.read("mixed.gguf");
    folder.write("cut.gguf", &whole[..whole.len() - 1]);
    let cut = folder.run(&["inspect", "cut.gguf"]);
    cut.failed_with(&["cut.gguf: tensor `values.NVFP4` has", "cut short?"]);
    folder.write("big.gguf", b"GGUF\0\0\0\x03");
    folder.run(&["inspect", "big.gguf", "--json"]).failed_with(&["big.gguf", "big-endian"]);
    folder.run(&["inspect", "--metadata", "nowhere.gguf"]).failed_with(&["nowhere.gguf"]);
}

/// The metadata of a safetensors file, which is text.
#[test]
fn metadata_of_other_files() {
    let folder = Folder::new();
    folder.write("w.safetensors", &std::fs::read(support::example()).unwrap());
    let entries = folder.run(&["inspect", "w.safetensors", "--metadata", "--json"]).succeeded();
    let about = json!({ "key": "about", "type": "text", "element_type": null, "len": null,
        "value": "random weights of an imaginary model" });
    assert_eq!(entries.json()[0], about);
}
