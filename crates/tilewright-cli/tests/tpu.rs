//! `tpu`, `formats`, `convert --to tpu:CHIP`: the formats of TPUs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use serde_json::{Value, json};
use support::{Folder, example, npy, run};

const CHIPS: [&str; 7] = ["v2", "v3", "v4", "v5e", "v5p", "v6e", "v7x"];

#[test]
fn tpu_as_json_has_the_contracts_keys() {
    let shown = run(&["tpu", "bf16[1000,3]", "--chip", "v5e", "--json"]).succeeded().json();
    let text = "bf16[1000,3]{0,1:T(4,128)(2,1)}";
    assert_eq!(shown, json!({ "chip": "v5e", "text": text, "bytes": 8192 }));
}

#[test]
fn tpu_for_a_person() {
    let shown = run(&["tpu", "s8[64,512]", "--chip", "TPU v5 lite"]).succeeded().stdout;
    assert_eq!(shown, "s8[64,512]{1,0:T(32,128)(4,1)}  32768 bytes\n");
    let shown = run(&["tpu", "f32[3,5]{0,1}", "--chip", "v2"]).succeeded().stdout;
    let expected = "f32[3,5]{1,0:T(4,128)}  2048 bytes: 60 of data, 1988 of padding\n";
    assert_eq!(shown, expected);
}

#[test]
fn tpu_of_every_generation() {
    let shown = run(&["tpu", "s4[64,128]", "--all-chips", "--json"]).succeeded().json();
    let rows = shown.as_array().unwrap();
    let chips: Vec<&str> = rows.iter().map(|row| row["chip"].as_str().unwrap()).collect();
    assert_eq!(chips, CHIPS);
    assert_eq!(rows[1]["text"], "s4[64,128]{1,0:T(8,128)(4,1)}");
    assert_eq!(rows[2]["text"], "s4[64,128]{1,0:T(64,128)(8,1)E(4)}");
    assert_eq!((&rows[1]["bytes"], &rows[2]["bytes"]), (&json!(8192), &json!(4096)));
    let table = run(&["tpu", "s4[64,128]", "--all-chips"]).succeeded().stdout;
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 8);
    assert_eq!(lines[0], "chip  format                              bytes  of padding");
    assert_eq!(lines[7], "v7x   s4[64,128]{1,0:T(64,128)(8,1)E(4)}   4096           0");
}

#[test]
fn tpu_of_lines() {
    let lines = "f32[3]\n\nnonsense\nf32 (3,5):(5,1)\n";
    let outcome = Folder::new().run_with(&["tpu", "-", "--chip", "v4", "--json"], lines);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    let documents: Vec<Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(documents.len(), 3);
    assert_eq!(documents[0]["text"], "f32[3]{0:T(128)}");
    assert!(documents[1]["error"]["message"].is_string());
    assert_eq!(documents[2]["text"], "f32[3,5]{1,0:T(4,128)}");
}

#[test]
fn tpu_refuses() {
    run(&["tpu", "f32[3]", "--chip", "v9"]).failed_with(&["`v9`", "v2, v3, v4, v5e"]);
    run(&["tpu", "f32[3]"]).failed_with(&["--chip"]);
    run(&["tpu", "f32[3]", "--chip", "v4", "--all-chips"]).failed_with(&["--all-chips"]);
    run(&["tpu", "(3,5):(5,1)", "--chip", "v4"]).failed_with(&["no element type"]);
    run(&["tpu", "(f32[3], f32[])", "--chip", "v4"]).failed_with(&["expected an array shape"]);
    run(&["tpu", "f32[?]", "--chip", "v4"]).failed_with(&["unbounded"]);
    run(&["tpu", "f6e3m2fn[3]", "--chip", "v4"]).failed_with(&["f6e3m2fn"]);
}

/// From pytorch/xla issue 1965: 48 MB that took 6 GB.
#[test]
fn formats_of_a_column() {
    let shape = "u32[12582912,1]{1,0:T(8,128)}";
    let rows = run(&["formats", shape, "--chip", "v4", "--json"]).succeeded().json();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 8);
    let bytes = [48 << 20, 6i64 << 30];
    let best = json!({
        "text": "u32[12582912,1]{0,1:T(1,128)}",
        "bytes": bytes[0],
        "padding_bytes": 0,
        "moves_bytes": bytes[0] + bytes[1],
        "bitcast": false,
        "distance": 4,
        "reason": "minor dim 0: 12582912; second-minor dim 1: 1 row; no padding",
    });
    assert_eq!(rows[0], best);
    let own = rows.iter().find(|row| row["text"] == shape).unwrap();
    assert_eq!((&own["moves_bytes"], &own["bitcast"]), (&json!(0), &json!(true)));
    assert_eq!(own["bytes"], bytes[1]);
}

#[test]
fn formats_for_a_person() {
    let shown = run(&["formats", "bf16[7,3,1000]", "--chip", "v5e"]).succeeded().stdout;
    let expected = "\
from  bf16[7,3,1000]{2,0,1:T(8,128)(2,1)}  49152 bytes
      minor dim 2: 1000 → 1024; second-minor dim 0: 7 → 8 rows
best  bf16[7,3,1000]{2,0,1:T(8,128)(2,1)}  49152 bytes
      minor dim 2: 1000 → 1024; second-minor dim 0: 7 → 8 rows

format                                 bytes  of padding    moves
bf16[7,3,1000]{2,0,1:T(8,128)(2,1)}    49152        7152  nothing
";
    assert!(shown.starts_with(expected), "{shown}");
    // Heading and 10 of 3 * 2 * 4 formats.
    assert_eq!(shown.lines().count(), 5 + 1 + 10 + 1);
    assert!(shown.ends_with("… and 14 more: --all shows them\n"), "{shown}");
    let all = run(&["formats", "bf16[7,3,1000]", "--chip", "v5e", "--all"]).succeeded().stdout;
    assert_eq!(all.lines().count(), 5 + 1 + 24);
}

#[test]
fn convert_to_the_format_of_a_tpu_and_back() {
    let folder = Folder::new();
    folder.write("weights.safetensors", &std::fs::read(example()).unwrap());
    for chip in ["v3", "v5e"] {
        let to = format!("tpu:{chip}");
        let convert = ["convert", "weights.safetensors", "-o", "packed.safetensors", "--json"];
        let rows =
            folder.run(&[&convert[..], &["--force", "--to", &to]].concat()).succeeded().json();
        for row in rows.as_array().unwrap() {
            let from = row["from"].as_str().unwrap();
            let default = run(&["tpu", from, "--chip", chip, "--json"]).succeeded().json();
            assert_eq!((&row["to"], &row["bytes_out"]), (&default["text"], &default["bytes"]));
        }
        folder.run(&["verify", "weights.safetensors", "packed.safetensors"]).succeeded();
        let back = ["convert", "packed.safetensors", "-o", "back.safetensors", "--force"];
        folder.run(&[&back[..], &["--to", "row-major"]].concat()).succeeded();
        folder.run(&["verify", "weights.safetensors", "back.safetensors"]).succeeded();
    }
}

/// `{0,1:T(4,128)}` of 200 × 3: where each element is, by hand.
#[test]
fn convert_moves_each_element_to_its_place() {
    let folder = Folder::new();
    let values: Vec<u8> = (0..600i32).flat_map(i32::to_le_bytes).collect();
    folder.write("a.npy", &npy("<i4", "(200, 3)", &values));
    folder.run(&["convert", "a.npy", "-o", "b.raw", "--to", "tpu:v5e"]).succeeded();
    let packed = folder.read("b.raw");
    assert_eq!(packed.len(), 2 * 4 * 128 * 4);
    for row in 0..200 {
        for column in 0..3 {
            let offset = (row / 128 * 4 + column) * 128 + row % 128;
            let bytes = &packed[offset * 4..][..4];
            assert_eq!(bytes, ((row * 3 + column) as i32).to_le_bytes(), "{row},{column}");
        }
    }
}

#[test]
fn convert_says_what_a_tpu_has_in_planes() {
    let folder = Folder::new();
    folder.write("a.npy", &npy("<f8", "(2,)", &[0; 16]));
    let convert = ["convert", "a.npy", "-o", "b.npy", "--dry-run", "--to"];
    let outcome = folder.run(&[&convert[..], &["tpu:v4"]].concat()).succeeded();
    assert!(outcome.stderr.contains("planes of 32 bits"), "{outcome:?}");
    let outcome = folder.run(&[&convert[..], &["{0:T(128)}"]].concat()).succeeded();
    assert_eq!(outcome.stderr, "");
    folder.run(&[&convert[..], &["tpu:v1"]].concat()).failed_with(&["`v1`", "v7x"]);
}
