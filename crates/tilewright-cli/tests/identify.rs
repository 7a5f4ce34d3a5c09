//! `identify`: which layout takes one file's codes to another's bytes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use serde_json::json;
use support::{Folder, npy, run};

const K: usize = 128;
const N: usize = 64;

/// Codes without a pattern.
fn codes(below: u32) -> Vec<u8> {
    let next = |state: &mut u32| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some((*state >> 16) % below)
    };
    let mut state = 1u32;
    std::iter::from_fn(|| next(&mut state)).map(|code| code as u8).take(K * N).collect()
}

/// AWQ's words: eight columns each, in the order 0 2 4 6 1 3 5 7 from the low nibble up.
fn awq(codes: &[u8]) -> Vec<u8> {
    let word = |eight: &[u8]| {
        let order = [0, 2, 4, 6, 1, 3, 5, 7];
        order.iter().rev().fold(0u32, |word, &column| word << 4 | u32::from(eight[column]))
    };
    codes.chunks(8).flat_map(|eight| word(eight).to_le_bytes()).collect()
}

fn files(codes: &[u8], descr: &str, dims: &str, packed: &[u8]) -> (Folder, [String; 2]) {
    let folder = Folder::new();
    folder.write("logical.npy", &npy("|u1", "(128, 64)", codes));
    folder.write("packed.npy", &npy(descr, dims, packed));
    let paths = ["logical.npy", "packed.npy"].map(|name| folder.path(name).display().to_string());
    (folder, paths)
}

#[test]
fn one_with_a_name() {
    let codes = codes(16);
    let (_folder, [logical, packed]) = files(&codes, "<i4", "(128, 8)", &awq(&codes));
    let rows = run(&["identify", &logical, &packed, "--json"]).succeeded().json();
    assert_eq!(
        rows,
        json!([{
            "array": "logical", "name": "awq", "text": "u4[128,64]@awq", "xor": 0,
            "carrier": {"dtype": "I32", "dims": [128, 8]}, "ambiguous": false,
        }])
    );
    let said = run(&["identify", &logical, &packed]).succeeded().stdout;
    assert_eq!(said, "logical  u4[128,64]@awq\n");
}

/// The codes of signed numbers, stored as TensorRT-LLM does: columns, every topmost bit flipped.
#[test]
fn flipped_codes() {
    let codes = codes(256);
    let columns = (0..N).flat_map(|n| (0..K).map(move |k| (k, n)));
    let packed: Vec<u8> = columns
        .map(|(k, n)| (k / 16 * 16 + k % 2 * 8 + k % 16 / 2, n))
        .map(|(k, n)| codes[k * N + n] ^ 0x80)
        .collect();
    let (_folder, [logical, packed]) = files(&codes, "|i1", "(128, 64)", &packed);
    let rows = run(&["identify", &logical, &packed, "--json"]).succeeded().json();
    assert_eq!((&rows[0]["name"], &rows[0]["xor"]), (&json!("trtllm(w8a16,sm90)"), &json!(128)));
}

#[test]
fn one_that_the_data_shows() {
    let codes = codes(256);
    // Rows from the last to the first are no layout's of the catalogue; nor are columns of 3 rows.
    let packed: Vec<u8> = (0..2)
        .flat_map(|half| (0..N).flat_map(move |n| (0..K / 2).map(move |k| (half, n, k))))
        .map(|(half, n, k)| codes[(2 * k + half) * N + n])
        .collect();
    let (_folder, [logical, packed]) = files(&codes, "|u1", "(2, 4096)", &packed);
    let rows = run(&["identify", &logical, &packed, "--json"]).succeeded().json();
    assert_eq!(
        (&rows[0]["name"], &rows[0]["text"]),
        (&json!(null), &json!("((2,64),64):((4096,1),64)"))
    );
}

#[test]
fn data_that_says_too_little() {
    let zeros = vec![0; K * N];
    let (_folder, [logical, packed]) = files(&zeros, "<i4", "(128, 8)", &awq(&zeros));
    let rows = run(&["identify", &logical, &packed, "--bits", "4", "--json"]).succeeded().json();
    let rows = rows.as_array().unwrap();
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert!(names.contains(&"awq") && names.contains(&"gptq") && names.contains(&"marlin"));
    assert!(rows.iter().all(|row| row["ambiguous"] == true && row["open"].is_string()));
}

#[test]
fn none_at_all() {
    let codes = codes(256);
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    sorted[0] = sorted[0].wrapping_add(1);
    let (folder, [logical, packed]) = files(&codes, "|u1", "(128, 64)", &sorted);
    let rows = run(&["identify", &logical, &packed, "--json"]).answered_no().json();
    assert_eq!(rows, json!([]));
    folder.write("floats.npy", &npy("<f4", "(2,)", &[0; 8]));
    let floats = folder.path("floats.npy").display().to_string();
    run(&["identify", &floats, &packed]).failed_with(&["f32 is no type of codes"]);
}
