//! `tilewright emit`, run as a process: what it prints compiles and is right.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::process::Command;

use support::{Folder, run};

#[test]
fn c_of_a_layout_and_of_a_relayout_is_compiled_and_run() {
    let folder = Folder::new();
    let tiles = "f32[3,5]{1,0:T(2,2)}";
    let one = run(&["emit", "c", tiles, "--name", "tiles"]).succeeded().stdout;
    let two = run(&["emit", "c", "f32[3,5]", tiles]).succeeded().stdout;
    let program = format!(
        "{one}{two}
#include <stdio.h>
int main(void) {{
    int64_t row = -1, column = -1;
    if (tiles_offset(2, 3) != 17 || tiles_elements != 15 || tiles_allocation != 24) return 1;
    if (tiles_index(17, &row, &column) != 1 || row != 2 || column != 3) return 2;
    if (tiles_index(9, &row, &column) != 0 || tiles_index(24, &row, &column) != 0) return 3;
    float rows[15], tiles[24];
    for (int k = 0; k < 15; k++) rows[k] = (float)(k + 1);
    for (int k = 0; k < 24; k++) tiles[k] = 99;
    tw_relayout(rows, tiles);
    if (tiles[17] != 14 || tiles[2] != 6 || tiles[9] != 0) return 4;
    return 0;
}}
"
    );
    folder.write("program.c", program.as_bytes());
    let binary = folder.path("program");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-o"]);
    assert!(compiler.arg(&binary).arg(folder.path("program.c")).status().unwrap().success());
    assert_eq!(Command::new(&binary).status().unwrap().code(), Some(0));
}

#[test]
fn every_language_is_printed() {
    for (language, said) in [
        ("c", "static inline int64_t tw_offset(int64_t i0, int64_t i1)"),
        (
            "cuda",
            "__host__ __device__ static inline long long tw_offset(long long i0, long long i1)",
        ),
        ("opencl", "static inline long tw_offset(long i0, long i1)"),
        ("rust", "pub fn tw_offset(i0: i64, i1: i64) -> i64 {"),
        ("python", "def tw_offset(i0, i1):"),
        ("triton", "@triton.jit\ndef tw_offset(i0, i1):"),
        ("mlir", "!tw_type = memref<16x256xi16, #tw_layout>"),
        ("wgsl", "fn tw_offset(i0: i32, i1: i32) -> i32 {"),
        (
            "cute",
            "using tw_layout = cute::Layout<cute::Shape<cute::Shape<cute::Int<2>, cute::Int<4>",
        ),
    ] {
        let code = run(&["emit", language, "bf16[16,256]{1,0:T(8,128)(2,1)}"]).succeeded().stdout;
        assert!(code.contains(said), "{language}: {code}");
        let document = run(&["emit", language, "bf16[16,256]{1,0:T(8,128)(2,1)}", "--json"])
            .succeeded()
            .json();
        assert_eq!(document["text"].as_str().unwrap().trim_end(), code.trim_end(), "{language}");
        assert_eq!(document.as_object().unwrap().len(), 1);
    }
}

#[test]
fn what_cannot_be_said_fails_with_the_reason() {
    run(&["emit", "cute", "f32[3,5]{1,0:T(2,2)}"]).failed_with(&["CuTe has no padding"]);
    run(&["emit", "c", "f32[3,5]", "--name", "1"])
        .failed_with(&["cannot begin the names of functions"]);
    run(&["emit", "c", "f32[3,5]{1,0:T(0,2)}"])
        .failed_with(&["tile dimension 0 must be 1 or more"]);
    run(&["emit", "c", "f32[3,5]", "f32[5,3]"]).failed_with(&["dimensions [3, 5]"]);
    run(&["emit", "fortran", "f32[3,5]"]).failed_with(&["fortran", "opencl"]);
}

#[test]
fn an_extent_may_be_an_argument() {
    let code = run(&["emit", "c", "f32[64,20]{0,1:T(8,16)}", "--dynamic", "0"]).succeeded().stdout;
    assert!(code.contains("int64_t tw_offset(int64_t i0, int64_t i1, int64_t n0)"), "{code}");
    let refused = run(&["emit", "c", "f32[64,5]{1,0:T(*,6)}", "--dynamic", "0"]);
    refused.failed_with(&["not affine in the extent of dimension 0"]);
}

#[test]
fn elements_without_a_type_have_32_bits() {
    let outcome = run(&["emit", "c", "(3,5):(5,1)"]).succeeded();
    assert!(outcome.stdout.contains("15 elements of 32 bits"), "{outcome:?}");
    assert!(outcome.stderr.contains("no element type is said"), "{outcome:?}");
}
