//! Layouts with names, asked of the command.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use serde_json::json;
use support::{Folder, run};

#[test]
fn all_and_one_of_them() {
    let all = run(&["layouts"]).succeeded().stdout;
    for name in ["marlin(a8)", "sf128x4", "trtllm(w4a8,sm90)", "cublaslt.col32", "ascend.zN"] {
        assert!(all.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}");
    }
    let one = run(&["layouts", "aiter.scales"]).succeeded().stdout;
    for said in [
        "extents       any; M is padded to a multiple of 256, S of 8, by scales of 1.0",
        "stored as     F8_E8M0[512,16]",
        "shape:stride  ((16,2,16),(4,2,2)):((4,1,512),(64,2,256)):(300,13)",
        "padding       0x7f",
    ] {
        assert!(one.contains(said), "{one}");
    }
    run(&["layouts", "merlin"]).failed_with(&["no layout has a name like `merlin`"]);
}

#[test]
fn as_json() {
    let rows = run(&["layouts", "trtllm(w4a16,*)", "--json"]).succeeded().json();
    let of = |row: usize, key: &str| rows[row][key].clone();
    assert_eq!(of(0, "name"), "trtllm(w4a16,sm80)");
    assert_eq!(of(0, "carrier"), json!({"dtype": "I8", "dims": [128, 32]}));
    assert_eq!(
        (of(0, "pad"), of(0, "xor"), of(0, "xor_types")),
        (json!(0), json!(8), json!(["s4"]))
    );
    assert_eq!((of(2, "name"), of(2, "xor")), (json!("trtllm(w4a16,sm100)"), json!(0)));
    assert_eq!(of(1, "xla"), "{0,1:T(8)(4,1)E(4)}");
    assert_eq!(of(1, "cute"), "((8,4,4),64):((4,1,32),128)");
    let shown = run(&["show", "u4[4096,11008]@marlin", "--json"]).succeeded().json();
    assert_eq!((&shown["notation"], &shown["bytes"]), (&json!("named"), &json!(22_544_384)));
    assert_eq!(shown["carrier"], json!({"dtype": "I32", "dims": [256, 22016]}));
}

/// Wherever a layout is asked for, a name will do.
#[test]
fn names_are_taken_everywhere() {
    let marlin = "u4[128,64]@marlin";
    let spelled = "u4 ((2,4,2,8),(8,2,4)):((4,32,1,1024),(128,2,8))";
    assert!(run(&["same", marlin, spelled]).succeeded().stdout.contains("the same"));
    assert_eq!(run(&["index", marlin, "1,0"]).succeeded().stdout.trim(), "4");
    assert_eq!(run(&["index", marlin, "--inverse", "4"]).succeeded().stdout.trim(), "1,0");
    let xla = run(&["to", "xla", marlin]).succeeded().stdout;
    assert!(xla.starts_with("u4[128,64]{"), "{xla}");
    run(&["same", marlin, xla.trim()]).succeeded();
    assert!(run(&["to", "cute", marlin]).succeeded().stdout.starts_with("((2,4,2,8)"));
    assert!(run(&["plan", "u4[128,64]@gptq", marlin]).succeeded().stdout.contains("bytes"));
    let drawn = run(&["draw", "u8[16,8]@sf8x4"]).succeeded().stdout;
    assert!(drawn.contains("u8[16,8]@sf8x4"), "{drawn}");
    assert!(
        run(&["bitcast", "u8[64,64]@cublaslt.col", "u8[64,64]"])
            .succeeded()
            .stdout
            .contains("transpose")
    );
}

#[test]
fn what_no_document_says() {
    let said = run(&["same", "u4[64,192]@awq-v2", "u4[192,64]@trtllm(w4a16,sm80)"]).answered_no();
    let order = "with the dimensions of the first in the order [1, 0] they are the same";
    assert!(said.stdout.contains(order), "{}", said.stdout);
    let said = run(&["same", "s8[64,64]@trtllm(w8a16,sm80)", "u8[64,64]@trtllm(w8a16,sm80)"]);
    let said = said.answered_no().stdout;
    assert!(said.contains("codes are XORed with 0x80 and 0x0"), "{said}");
}

#[test]
fn which_fit_an_array() {
    let rows = run(&["formats", "u4[4096,11008]", "--json"]).succeeded().json();
    let texts: Vec<&str> =
        rows.as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap()).collect();
    for name in ["gptq", "awq", "marlin", "trtllm(w4a16,sm80)", "tinygemm(avx512)"] {
        assert!(texts.contains(&format!("u4[4096,11008]@{name}").as_str()), "{name} in {texts:?}");
    }
    let odd = run(&["formats", "u4[4095,11007]"]).succeeded().stdout;
    assert!(odd.contains("@compressed-tensors") && !odd.contains("@marlin"), "{odd}");
}

/// Codes that are changed are never said to be in a plain layout.
#[test]
fn flipped_codes_are_not_plain() {
    let flipped = "s4[128,64]@trtllm(w4a16,sm80)";
    run(&["to", "xla", flipped]).failed_with(&["XORs codes with 0x8"]);
}

/// Every page is well-formed as far as its picture goes, and says the formula of its example.
#[test]
fn a_page_for_each() {
    let folder = Folder::new();
    let out = folder.path("pages");
    let said = run(&["layouts", "--pages", out.to_str().unwrap(), "--json"]).succeeded().json();
    let rows = run(&["layouts", "--json"]).succeeded().json();
    assert_eq!(said["pages"], rows.as_array().unwrap().len() + 1);
    let index = std::fs::read_to_string(out.join("index.html")).unwrap();
    for row in rows.as_array().unwrap() {
        let file =
            row["name"].as_str().unwrap().replace(['(', ','], "-").replace(')', "") + ".html";
        assert!(index.contains(&format!("href=\"{file}\"")), "{file}");
        let page = std::fs::read_to_string(out.join(&file)).unwrap();
        assert_eq!(
            (page.matches("<svg ").count(), page.matches("</svg>").count()),
            (1, 1),
            "{file}"
        );
        assert!(page.contains("offset = ") && !page.contains("<script"), "{file}");
        assert!(page.contains("static inline int64_t tw_offset("), "{file} has no C");
        assert!(page.contains("<summary>Its code in Triton</summary>"), "{file}");
    }
    // A fragment of an MMA instruction is dense, so that CuTe has a type for it.
    let fragment = std::fs::read_to_string(out.join("mma-a.html")).unwrap();
    assert!(fragment.contains("using tw_layout = cute::Layout&lt;"), "no CuTe");
    run(&["layouts", "--pages", out.to_str().unwrap()]).failed_with(&["exists"]);
    run(&["layouts", "--pages", out.to_str().unwrap(), "--force"]).succeeded();
}
