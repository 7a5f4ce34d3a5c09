//! `--max-memory` is kept: the system gives the command no more than that and a fixed allowance.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]
#![cfg(target_os = "linux")]

mod support;

use std::fs::File;

use serde_json::{Value, json};
use support::{Folder, Outcome};

/// What the program takes by itself: its data, the stacks of its threads (2 MiB each, of three),
/// what the allocator keeps.
const PROGRAM: usize = 14 << 20;

/// Runs the command with so many bytes of memory, as `ulimit` counts them: all that is private and
/// can be written, touched or not, buffers that are mapped and stacks of threads too.
fn run_within(folder: &Folder, bytes: usize, arguments: &[&str]) -> Outcome {
    let limit = format!("ulimit -d {} && exec \"$0\" \"$@\"", bytes >> 10);
    let command = env!("CARGO_BIN_EXE_tilewright");
    let shell = [&["-c", &limit, command], arguments].concat();
    folder.run_program("sh", &shell, "")
}

/// Runs the command with `--max-memory` of so many bytes, on two threads, and no more memory than
/// that and the program's own.
fn run_allowed(folder: &Folder, bytes: usize, arguments: &[&str]) -> Outcome {
    let allowed = bytes.to_string();
    let options = ["--threads", "2", "--max-memory", &allowed];
    run_within(folder, bytes + PROGRAM, &[arguments, &options].concat())
}

/// Numbers that do not repeat for a while.
fn numbers(n: usize) -> Vec<u8> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// Converts a raw array within so many bytes; its elements have to be what they were.
#[track_caller]
fn check(shape: &str, bytes: usize, layout: &str, allowed: usize) {
    let folder = Folder::new();
    folder.write("w.raw", &numbers(bytes));
    let there = ["convert", "w.raw", "--from", shape, "-o", "t.raw", "--to", layout];
    run_allowed(&folder, allowed, &there).succeeded();
    folder.run(&["verify", "w.raw", "t.raw", "--from-a", shape]).succeeded();
}

/// Runs of prime lengths, which no list of distances divides: the source, and little beside it.
#[test]
fn a_long_side_is_transposed_beside_its_source() {
    check("u8[4194301,5]", 5 * 4_194_301, "column-major", 24_000_000);
    check("u8[4194301,10]", 10 * 4_194_301, "column-major", 85_000_000);
}

#[test]
fn tiles_stream_in_a_few_megabytes() {
    check("u8[40009,500]", 500 * 40_009, "{1,0:T(8,128)(4,1)}", 8_000_000);
    check("s4[40009,500]", 500 * 40_009, "{1,0:T(8,128)(8,1)}", 8_000_000);
}

/// What goes through rows takes little where they lie together in both layouts; elsewhere it needs all of them too,
/// or there is an error that says so.
#[test]
fn rows_in_between_are_counted() {
    let (shape, bytes) = ("u16[3001,2503]{1,0:T(61,61)}", 50 * 61 * 42 * 61 * 2);
    for layout in ["{1,0:T(64,64)}", "{0,1:T(64,64)}"] {
        let to = format!("u16[3001,2503]{layout}");
        let plan = support::run(&["plan", shape, &to, "--json"]).succeeded();
        assert_eq!(plan.json()["route"], "through");
    }
    check(shape, bytes, "{1,0:T(64,64)}", 24_000_000);
    check(shape, bytes, "{0,1:T(64,64)}", 54_000_000);
    let folder = Folder::new();
    folder.write("w.raw", &numbers(bytes));
    let convert = ["convert", "w.raw", "--from", shape, "-o", "t.raw", "--to", "{0,1:T(64,64)}"];
    run_allowed(&folder, 40_000_000, &convert)
        .failed_with(&["the memory allowed, 40000000 bytes, does not hold"]);
    assert_eq!(folder.names(), ["w.raw"]);
}

/// Many arrays: what is known of them is counted.
#[test]
fn many_arrays_are_counted() {
    const N: usize = 20_000;
    let folder = Folder::new();
    let entry = |n: usize| {
        let entry =
            json!({ "dtype": "U8", "shape": [5, 7], "data_offsets": [35 * n, 35 * n + 35] });
        (format!("model.layers.{n}.weight"), entry)
    };
    let header = Value::Object((0..N).map(entry).collect()).to_string();
    let length = (header.len() as u64).to_le_bytes();
    folder.write("w.safetensors", &[&length, header.as_bytes(), &numbers(35 * N)].concat());
    let convert = |output, allowed| {
        let arguments = ["convert", "w.safetensors", "-o", output, "--to", "{1,0:T(2,4)}"];
        run_allowed(&folder, allowed, &arguments)
    };
    convert("t.safetensors", 64_000_000).succeeded();
    convert("x.safetensors", 8_000_000).failed_with(&["does not hold what is known of the arrays"]);
    let back = ["convert", "t.safetensors", "-o", "b.safetensors", "--to", "row-major"];
    folder.run(&back).succeeded();
    folder.run(&["verify", "w.safetensors", "b.safetensors"]).succeeded();
}

/// Two files of one layout are compared in a few megabytes, whatever the layout; of two layouts, one
/// that crosses the other is held as a whole, and if that cannot be there is an error.
#[test]
fn files_are_verified_within_bounds() {
    let folder = Folder::new();
    let (rows, columns) = (3001, 4003);
    folder.write("w.raw", &numbers(rows * columns));
    let shape = |layout: &str| format!("u8[{rows},{columns}]{layout}");
    let to = |output: &str, layout: &str| {
        let arguments = ["convert", "w.raw", "--from", &shape(""), "-o", output, "--to", layout];
        folder.run(&arguments).succeeded();
    };
    to("columns.raw", "column-major");
    to("again.raw", "column-major");
    to("tiles.raw", "{1,0:T(8,128)(4,1)}");
    let verify = |a: &str, b: &str, allowed: usize| {
        let bytes = allowed.to_string();
        let arguments = ["verify", a, b, "--max-memory", &bytes, "--from-a", &shape("")];
        let arguments = if a == "w.raw" { &arguments[..] } else { &arguments[..5] };
        run_within(&folder, allowed + PROGRAM, arguments)
    };
    verify("columns.raw", "again.raw", 6_000_000).succeeded();
    verify("w.raw", "tiles.raw", 6_000_000).succeeded();
    verify("w.raw", "columns.raw", 20_000_000).succeeded();
    verify("w.raw", "columns.raw", 6_000_000).failed_with(&["does not hold one piece of it"]);
}

/// A file of a terabyte without a byte of its own on the disk: what is found out about it before it
/// is read takes as little as for a small one.
#[test]
fn huge_files_take_no_more() {
    let folder = Folder::new();
    File::create(folder.path("w.raw")).unwrap().set_len(1 << 40).unwrap();
    for layout in ["{0,1:T(*,128)}", "column-major"] {
        let shape = ["convert", "w.raw", "--from", "u8[1048576,1048576]", "-o", "t.raw"];
        let arguments = [&shape[..], &["--to", layout, "--dry-run"]].concat();
        run_allowed(&folder, 16_000_000, &arguments).succeeded();
    }
    let shape = ["convert", "w.raw", "--from", "u8[1048576,1048576]", "-o", "t.raw"];
    run_allowed(&folder, 16_000_000, &[&shape[..], &["--to", "column-major"]].concat())
        .failed_with(&["does not hold one piece of it"]);
    assert_eq!(folder.names(), ["w.raw"]);
}
