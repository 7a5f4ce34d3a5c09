//! Layouts in every notation: composed ones, coordinates, oneDNN tags, numpy strides; the algebra
//! and the analysis of them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use serde_json::json;
use support::run;

fn calc(expression: &str) -> String {
    run(&["calc", expression]).succeeded().stdout.trim_end().to_owned()
}

#[test]
fn a_swizzled_tile_is_asked_like_any_other() {
    let tile = "f16 Sw<3,0,3> o 0 o (8,8):(8,1)";
    // 25 is 011001: bits 3 to 5, 011, flip the lowest three, 001, to 010.
    assert_eq!(run(&["index", tile, "3,1"]).succeeded().stdout, "26\n");
    assert_eq!(run(&["index", tile, "--inverse", "26"]).succeeded().stdout, "3,1\n");
    let shown = run(&["show", tile, "--json"]).succeeded().json();
    assert_eq!(shown["notation"], json!("tla"));
    assert_eq!((&shown["bytes"], &shown["xla"]), (&json!(128), &json!(null)));
    run(&["same", tile, "f16 (8,8):(8,1)"]).answered_no();
    run(&["same", "Sw<3,0,3> o 0 o 8:1", "8:1"]).succeeded();
    run(&["to", "xla", tile]).failed_with(&["flipped by other bits"]);
    assert_eq!(run(&["to", "cute", tile]).succeeded().stdout, "Sw<3,0,3> o 0 o (8,8):(8,1)\n");
    run(&["index", tile, "8,1"]).failed_with(&["index 8"]);
}

#[test]
fn what_python_prints_can_be_pasted() {
    run(&["same", "(8,):(2,)", "8:2"]).succeeded();
    assert_eq!(run(&["to", "cute", "((2,), 4):((4,), 1)"]).succeeded().stdout, "((2),4):((4),1)\n");
    assert_eq!(run(&["index", "(8,):(2,)", "(3,)"]).succeeded().stdout, "6\n");
    run(&["index", "(8,):(2,)", "(3,,)"]).failed_with(&["unexpected `,`"]);
    assert_eq!(run(&["index", "f32[8]", "(3,)"]).succeeded().stdout, "3\n");
    run(&["index", "f32[8]", "(3,,)"]).failed_with(&["is not a whole number"]);
    run(&["show", "--strict", "(8,):(1,)"]).failed_with(&["expected"]);
    assert_eq!(calc("coalesce((2, (4,)):(4, (8,)))"), "8:4");
}

#[test]
fn a_composed_layout_is_the_layout_that_it_comes_to() {
    // Every offset is the same; the memory is that of the layout that is read, all of it.
    let composed = "(10,2):(16,4) o 0 o (3,4):(1,5)";
    let same = run(&["same", composed, "(3,(2,2)):(16,(80,4))", "--json"]).answered_no().json();
    assert_eq!((&same["same"], &same["same_offsets"]), (&json!(false), &json!(true)));
    // Element n lies at (n mod 4)*8 + n div 4, as element (n div 4, n mod 4) of the other does.
    let bitcast = run(&["bitcast", "(4,8):(8,1) o 0 o 32:1", "(8,4):(1,8)"]).succeeded();
    assert_eq!(bitcast.stdout, "reshape\n");
}

#[test]
fn coordinates_have_no_offset() {
    let identity = "(4,8):(1@0,1@1)";
    let at = run(&["index", identity, "2,3", "--json"]).succeeded().json();
    assert_eq!(at, json!({ "offset": null, "coordinate": "2@0+3@1" }));
    run(&["index", identity, "--inverse", "3"]).failed_with(&["no offset"]);
    run(&["index", identity, "4,3"]).failed_with(&["index 4"]);
    let shown = run(&["show", identity, "--json"]).succeeded().json();
    assert_eq!((&shown["elements"], &shown["bytes"]), (&json!(32), &json!(null)));
    assert_eq!(shown["index_expression"], json!("@0 i0, @1 i1"));
    run(&["same", identity, "(4,(2,4)):(1@0,(1@1,2@1))"]).succeeded();
    run(&["same", identity, "(4,8):(1@0,2@1)"]).answered_no();
    run(&["same", identity, "(4,8):(1,4)"]).answered_no();
}

#[test]
fn onednn_tags_and_numpy_strides_are_layouts() {
    let tagged = "f32[2,35,7,7] aBcd16b";
    run(&["same", tagged, "f32[2,35,7,7]{3,2,1,0:T(1,16,1,1)}"]).succeeded();
    run(&["same", "dst:f32::blocked:aBcd16b::f0 2x35x7x7", tagged]).succeeded();
    run(&["same", "s8[64,64,3,3] OIhw4i16o4i", "s8[64,64,3,3]{3,2,1,0:T(16,16,1,1)(16,4,1,1)}"])
        .succeeded();
    run(&["same", "f32[3,5] strides=(20,4)", "f32[3,5]{1,0}"]).succeeded();
    run(&["same", "f32[3,5] (4,12)", "f32[3,5]{0,1}"]).succeeded();
    assert_eq!(run(&["to", "onednn", tagged]).succeeded().stdout, "aBcd16b\n");
    assert_eq!(run(&["to", "numpy", "f32[3,5] (4,12)"]).succeeded().stdout, "(4, 12)\n");
    assert_eq!(run(&["index", tagged, "1,17,0,0"]).succeeded().stdout, "3137\n");
    run(&["show", "f32[3,5] aBz4b"]).failed_with(&["`z`", "^"]);
    run(&["show", "f32[3,5] (20,3)"]).failed_with(&["multiple of the 4 bytes"]);
    run(&["show", "--strict", tagged]).failed_with(&[]);
}

#[test]
fn the_algebra_of_parts() {
    for (expression, outcome) in [
        ("group((2,3,4,5):(1,2,6,24),1,3)", "(2,(3,4),5):(1,(2,6),24)"),
        ("take((2,3,4,5):(1,2,6,24),1,3)", "(3,4):(2,6)"),
        ("select((2,3,(4,5)):(1,2,(6,24)),2,0)", "((4,5),2):((6,24),1)"),
        ("append((2,3):(1,2),4:6)", "(2,3,4):(1,2,6)"),
        ("prepend((2,3):(1,2),4:6)", "(4,2,3):(6,1,2)"),
        ("replace((2,3):(1,2),1,4:6)", "(2,4):(1,6)"),
        ("get((2,(3,4)):(1,(2,6)),1,0)", "3:2"),
        ("slice((_,3),(4,8):(8,1))", "(4):(8)"),
        ("slice_and_offset((_,3),(4,8):(8,1))", "(4):(8) at 3"),
        ("coalesce((2,(1,6)):(1,(6,2)),(1,1))", "(2,6):(1,2)"),
        ("idx2crd(16,(3,(2,3)))", "(1,(1,2))"),
        ("crd2crd((1,1),(2,3),(3,2))", "(0,1)"),
        ("compact_row_major((2,3,4))", "(12,4,1)"),
        ("domain_distribute(((15,14),6),6)", "(3,2):(1,15)"),
        ("max(3,(4,2),9)", "9"),
        ("shape_div((6,4),3)", "(2,4)"),
        ("size((4,8):(8,1))", "32"),
        ("congruent((1,(2,3)),(4,(5,6)))", "yes"),
        ("make_layout((2,3),(3,1),(2,2))", "(2,3):(3,1):(2,2)"),
    ] {
        assert_eq!(calc(expression), outcome, "{expression}");
    }
    run(&["calc", "take((2,3):(1,2),1,9)"]).failed_with(&["do not exist"]);
    run(&["calc", "composition(4:1)"]).failed_with(&["1 arguments do not fit composition(A, B)"]);
}

#[test]
fn the_algebra_of_swizzles() {
    let swizzled = "Sw<3,0,3> o 0 o (8,8):(8,1)";
    assert_eq!(calc("composition(Sw<3,0,3>,(8,8):(8,1))"), swizzled);
    // Row 3 begins at 24; a slice keeps what it fixes between the two.
    assert_eq!(calc(&format!("slice((3,_),{swizzled})")), "Sw<3,0,3> o 24 o (8):(1)");
    assert_eq!(calc(&format!("at({swizzled},(3,1))")), "26");
    assert_eq!(calc("swizzle(Sw<3,4,3>,128)"), "144");
    assert_eq!(calc("upcast(Sw<3,4,3> o 0 o (8,64):(64,1),8)"), "Sw<3,1,3> o 0 o (8,8):(8,1)");
    assert_eq!(calc("compose((4,6,8):(2,3,5),6:3)"), "(4,6,8):(2,3,5) o 0 o 6:3");
    run(&["calc", &format!("right_inverse({swizzled})")]).failed_with(&["is composed"]);
}

#[test]
fn what_is_asked_of_a_layout_before_it_is_used() {
    for (expression, outcome) in [
        ("injective((4,8):(1,5))", "yes"),
        ("injective((4,8):(1,3))", "no"),
        ("surjective((4,8):(1,3))", "yes"),
        ("bijective((4,8):(8,1))", "yes"),
        // Offsets 0 to 24.
        ("image((4,8):(1,3))", "25"),
        ("contiguity(bf16[30,300]{1,0:T(8,128)},1)", "128"),
        ("vector_width(bf16[64,64],1,16)", "8"),
        ("dims_by_stride(f32[3,5]{0,1})", "[0, 1]"),
    ] {
        assert_eq!(calc(expression), outcome, "{expression}");
    }
    assert!(calc("bank_conflicts((32):(32),32)").contains("32"));
    assert!(calc("gaps(f32[3,5]{1,0:T(2,2)})").contains('9'));
}

#[test]
fn every_operation_is_listed_and_known() {
    let listed = run(&["calc", "--list", "--json"]).succeeded().json();
    let usages = listed["operations"].as_array().unwrap();
    assert!(usages.len() > 80);
    for usage in usages {
        let name = usage.as_str().unwrap().split('(').next().unwrap();
        let failed = run(&["calc", &format!("{name}(")]).failed_with(&[]);
        assert!(!failed.stderr.contains("panicked"), "{name}");
        let wrong = run(&["calc", &format!("{name}(?)")]).failed_with(&[]);
        assert!(!wrong.stderr.contains("no operation"), "{name}: {}", wrong.stderr);
    }
}
