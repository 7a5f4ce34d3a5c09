//! Pictures by the command.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use support::{Folder, run};

const LAYOUT: &str = "f32[3,5]{1,0:T(2,2)}";

#[test]
fn letters_go_to_stdout() {
    let text = run(&["draw", LAYOUT]).succeeded().stdout;
    assert!(text.starts_with("f32[3,5]{1,0:T(2,2)}"), "{text}");
    assert!(text.contains("96 bytes, 36 of them padding"), "{text}");
    assert!(text.contains('░') && !text.contains('\x1b'), "{text}");
    assert_eq!(run(&["draw", LAYOUT, "-o", "-"]).succeeded().stdout, text);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn the_name_of_the_file_says_the_form() {
    let folder = Folder::new();
    for (name, start) in [
        ("a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\""),
        ("a.SVG", "<svg "),
        ("a.html", "<!doctype html>"),
        ("a.htm", "<!doctype html>"),
        ("a.tex", "% f32[3,5]{1,0:T(2,2)}"),
        ("a.txt", "f32[3,5]"),
    ] {
        let outcome = folder.run(&["draw", LAYOUT, "-o", name]).succeeded();
        assert_eq!(outcome.stdout, format!("wrote {name}\n"));
        let text = String::from_utf8(folder.read(name)).unwrap();
        assert!(text.starts_with(start), "{name}: {text}");
        assert!(text.contains("f32[3,5]"), "{name}");
    }
    folder.run(&["draw", LAYOUT, "-o", "a.png"]).succeeded();
    assert!(folder.read("a.png").starts_with(b"\x89PNG\r\n\x1a\n"));
    folder.run(&["draw", LAYOUT, "-o", "a.pdf"]).failed_with(&[
        "a.pdf: the name says no picture: expected .svg, .html, .png, .tex or .txt",
    ]);
    folder.run(&["draw", LAYOUT, "-o", "picture"]).failed_with(&["the name says no picture"]);
}

#[test]
fn a_picture_does_not_replace_a_file_unasked() {
    let folder = Folder::new();
    folder.write("a.svg", b"mine");
    folder.run(&["draw", LAYOUT, "-o", "a.svg"]).failed_with(&["a.svg", "exists", "--force"]);
    assert_eq!(folder.read("a.svg"), b"mine");
    folder.run(&["draw", LAYOUT, "-o", "a.svg", "--force"]).succeeded();
    assert!(folder.read("a.svg").starts_with(b"<svg"));
    assert_eq!(folder.names(), ["a.svg"]);
}

#[test]
fn documents_say_the_file_or_are_the_picture() {
    let folder = Folder::new();
    let said = folder.run(&["--json", "draw", LAYOUT, "-o", "a.svg"]).succeeded().json();
    assert_eq!(said["file"], "a.svg");
    assert_eq!(said["bytes"], folder.read("a.svg").len());
    let said = folder.run(&["--json", "draw", LAYOUT]).succeeded().json();
    let svg = said["svg"].as_str().unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("f32[3,5]"), "{svg}");
    // It is the picture that a file would have.
    let wide = "f32[4096,4096]{1,0:T(8,128)}";
    folder.run(&["draw", wide, "--theme", "dark", "-o", "b.svg"]).succeeded();
    let said = folder.run(&["--json", "draw", wide, "--theme", "dark"]).succeeded().json();
    assert_eq!(said["svg"].as_str().unwrap().as_bytes(), folder.read("b.svg"));
}

#[test]
fn two_layouts_and_steps() {
    let two = run(&["draw", LAYOUT, "f32[3,5]{0,1}"]).succeeded().stdout;
    assert!(two.contains("first"), "{two}");
    let steps = run(&["draw", LAYOUT, "--steps"]).succeeded().stdout;
    for step in ["pad", "reshape", "transpose"] {
        assert!(steps.contains(step), "no {step} in {steps}");
    }
    run(&["draw", LAYOUT, "f32[5,3]"]).failed_with(&["dimensions"]);
    run(&["draw", LAYOUT, "f32[3,5]", "--steps"]).failed_with(&["cannot be used with"]);
    let moves = run(&["draw", "f32[3,5]", LAYOUT, "--moves"]).succeeded().stdout;
    assert!(moves.contains("15 elements move in 9 runs of 1 to 2"), "{moves}");
    run(&["draw", LAYOUT, "--moves"]).failed_with(&["required", "<OTHER>"]);
    run(&["draw", LAYOUT, LAYOUT, "--moves", "--steps"]).failed_with(&["cannot be used with"]);
    run(&["draw", "f32[300,5]", "f32[300,5]{0,1}", "--moves"]).failed_with(&["too many"]);
}

#[test]
fn options_that_do_not_apply() {
    run(&["draw", LAYOUT, "--at", "3,0"]).failed_with(&["3"]);
    run(&["draw", LAYOUT, "--at", "0"]).failed_with(&["dimensions"]);
    run(&["draw", LAYOUT, "--color", "dim:2"]).failed_with(&["dimension"]);
    run(&["draw", LAYOUT, "--color", "rainbow"])
        .failed_with(&["`rainbow` is no way to colour", "tile, dim"]);
    run(&["draw", LAYOUT, "--color", "offset:0"]).failed_with(&["no way to colour"]);
    run(&["draw", LAYOUT, "--color", "bank:0x4"]).failed_with(&["no way to colour"]);
    run(&["draw", LAYOUT, "--direction", "up"])
        .failed_with(&["[possible values: offsets, memory]"]);
    run(&["draw", LAYOUT, "--unit", "bits"])
        .failed_with(&["no unit is called `bits`: expected elements, bytes, or bytes:N"]);
    run(&["draw", LAYOUT, "--tile", "8"]).failed_with(&["rows,columns"]);
    run(&["draw", "(f32[3], f32[5])"]).failed_with(&["tuple"]);
    run(&["draw", "f32[?]"]).failed_with(&["unbounded"]);
    run(&["draw", "f32[3,5]{1,0:T(2,"]).failed_with(&["^"]);
}

#[test]
fn any_number_of_columns_that_can_be_read_is_taken() {
    for columns in ["1", "2", "1000"] {
        run(&["draw", "f32[300,700]{1,0:T(8,128)}", "--columns", columns, "--rows", columns])
            .succeeded();
    }
    for columns in ["0", "1001", "10000000000"] {
        run(&["draw", "f32[300,700]", "--columns", columns]).failed_with(&["expected 1 to 1000"]);
    }
}

#[test]
fn layouts_of_every_notation_are_drawn() {
    for layout in [
        "bf16[30,300]{1,0:T(8,128)(2,1)}",
        "s4[16,32]{1,0:T(8,16)(2,1)E(4)}",
        "f32[]",
        "f32[0,5]",
        "f32[2,3,4,5,6]",
        "((2,4),(2,2)):((1,8),(4,16))",
        "Sw<3,4,3> o 0 o (8,64):(64,1)",
        "(4,8):(0,1)",
        "f16 (4,8):(8,1)",
        "f32[16,32] aBcd16b",
    ] {
        // The last is no layout of two dimensions.
        let outcome = run(&["draw", layout]);
        match layout.contains("aBcd") {
            true => drop(outcome.failed_with(&["error"])),
            false => assert!(!outcome.succeeded().stdout.is_empty()),
        }
    }
}

#[test]
fn a_large_array_is_a_small_picture() {
    let folder = Folder::new();
    folder.run(&["draw", "bf16[4096,4096]{1,0:T(8,128)(2,1)}", "-o", "large.svg"]).succeeded();
    assert!(folder.read("large.svg").len() < 2 << 20);
    folder.run(&["draw", "f32[1000000000,1000000000]{1,0:T(8,128)}", "-o", "huge.svg"]).succeeded();
    assert!(folder.read("huge.svg").len() < 2 << 20);
}
