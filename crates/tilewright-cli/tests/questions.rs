//! `show`, `index`, `same`, `to`, `completions`: what is asked of a layout.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use std::io::Read;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::{Folder, run};

#[test]
fn show_as_json_has_the_contracts_keys() {
    let shown = run(&["show", "bf16[30,300]{1,0:T(8,128)(2,1)}", "--json"]).succeeded().json();
    let expected = json!({
        "text": "bf16[30,300]{1,0:T(8,128)(2,1)}",
        "notation": "xla",
        "element_type": "bf16",
        "dims": [30, 300],
        "minor_to_major": [1, 0],
        "physical_dims": [4, 3, 4, 128, 2, 1],
        "elements": 9000,
        "allocation_elements": 12288,
        "bytes": 24576,
        "logical_bytes": 18000,
        "xla_bytes": 24576,
        "padding_bytes": 6576,
        "index_expression": "(i0 div 8)*3072 + (i1 div 128)*1024 + ((i0 div 2) mod 4)*256 \
                             + (i1 mod 128)*2 + (i0 mod 2)",
        "tla": "((2,4,4),(128,3)):((1,256,3072),(2,1024)):(30,300)",
        "xla": "bf16[30,300]{1,0:T(8,128)(2,1)}",
    });
    assert_eq!(shown, expected);
}

#[test]
fn show_of_what_is_no_array() {
    let token = run(&["show", "token[]", "--json"]).succeeded().json();
    assert_eq!((&token["text"], &token["bytes"]), (&json!("token[]"), &Value::Null));
    let tuple = run(&["show", "(f32[3,5]{1,0:T(2,2)}, s8[])", "--json"]).succeeded().json();
    assert_eq!(tuple["leaves"][0]["bytes"], json!(96));
    let unbounded = run(&["show", "f32[?,5]", "--json"]).succeeded().json();
    assert_eq!((&unbounded["dims"], &unbounded["bytes"]), (&json!([null, 5]), &Value::Null));
}

/// A buffer is where an array lives, and no array: it holds one as a tuple does.
#[test]
fn what_holds_arrays_is_shown_as_itself_with_the_arrays_in_it() {
    let array = run(&["show", "f32[8]{0:T(128)}", "--json"]).succeeded().json();
    for text in ["b(f32[8]{0:T(128)})", "(f32[8]{0:T(128)})"] {
        let shown = run(&["show", text, "--json"]).succeeded().json();
        assert_eq!((&shown["text"], &shown["xla"]), (&json!(text), &json!(text)));
        let of_array = ["element_type", "dims", "bytes", "index_expression", "tla"];
        assert!(of_array.iter().all(|key| shown[key] == Value::Null), "{shown}");
        assert_eq!(shown["leaves"], json!([array]));
        let words = run(&["show", text]).succeeded().stdout;
        assert!(words.starts_with(&format!("{text}\n\nf32[8]{{0:T(128)}}\n")), "{words}");
    }
    let nested = run(&["show", "(b(f32[?]), token[])", "--json"]).succeeded().json();
    assert_eq!(nested["leaves"][0]["text"], json!("b(f32[?]{0})"));
    assert_eq!(nested["leaves"][0]["leaves"][0]["text"], json!("f32[?]{0}"));
}

/// And no command takes one of these for an array.
#[test]
fn what_is_no_array_is_refused_where_one_is_asked_for() {
    for (text, found) in [
        ("b(f32[8]{0})", "a buffer"),
        ("(f32[8]{0})", "a tuple"),
        ("token[]", "a token"),
        ("opaque[]", "an opaque value"),
    ] {
        let refusal = format!("expected an array shape, found {found}");
        let array = "f32[8]{0}";
        for command in [
            &["index", text, "3"][..],
            &["index", text, "--all"],
            &["same", text, array],
            &["same", array, text],
            &["bitcast", text, array],
            &["plan", array, text],
            &["to", "tla", text],
            &["to", "numpy", text],
            &["tpu", text, "--chip", "v5e"],
            &["formats", text, "--chip", "v5e"],
        ] {
            run(command).failed_with(&[&refusal]);
        }
        assert_eq!(run(&["to", "xla", text]).succeeded().stdout, format!("{text}\n"));
    }
}

#[test]
fn show_for_a_person() {
    let shown = run(&["show", "F32[3,5]{1,0:T(2,2)}"]).succeeded().stdout;
    let expected = "\
f32[3,5]{1,0:T(2,2)}
  element type   f32 (float32), 32 bits
  order          minor to major 1,0
  physical dims  [2,3,2,2]
  elements       15 in an allocation of 24: 37.5 % is padding
  bytes          96: 60 of data, 36 of padding
  offset         (i0 div 2)*12 + (i1 div 2)*4 + (i0 mod 2)*2 + (i1 mod 2)
  tla            ((2,2),(2,3)):((2,12),(1,4)):(3,5)
  numpy strides  none: dimension 0 is cut in 2 digits, and numpy has one stride per dimension
  mlir           affine_map<(d0, d1) -> ((d0 floordiv 2) * 12 + (d1 floordiv 2) * 4 + (d0 mod 2) * 2 + (d1 mod 2))>

  as pad, reshape and transpose
    start     [3,5]
    pad       [4,6]
    reshape   [2,2,3,2]
    transpose [2,3,2,2]  by 0,2,1,3

  the offset of each element; x is padding
     0  1  4  5  8  x
     2  3  6  7 10  x
    12 13 16 17 20  x
     x  x  x  x  x  x

  memory, elements numbered in row-major order; . is padding
    0 1 5 6 2 3 7 8 4 . 9 . 10 11 . . 12 13 . . 14 . . .
";
    assert_eq!(shown, expected);
    let inexact = run(&["show", "f32[7,9]{1,0:T(2,4)(3,1)}"]).succeeded().stdout;
    assert!(inexact.contains("576: 252 of data"), "{inexact}");
    assert!(inexact.contains("384 by its own count"), "{inexact}");
}

#[test]
fn index_both_ways() {
    let layout = "f32[3,5]{1,0:T(2,2)}";
    assert_eq!(run(&["index", layout, "2,3", "--json"]).json(), json!({ "offset": 17 }));
    assert_eq!(run(&["index", layout, "(2, 3)"]).succeeded().stdout, "17\n");
    assert_eq!(
        run(&["index", layout, "--inverse", "17", "--json"]).json(),
        json!({ "index": [2, 3] })
    );
    assert_eq!(
        run(&["index", layout, "--inverse", "9", "--json"]).json(),
        json!({ "index": null })
    );
    assert_eq!(run(&["index", layout, "--inverse", "9"]).succeeded().stdout, "padding\n");
    assert_eq!(run(&["index", "f32[]{:T(128)}", "", "--json"]).json(), json!({ "offset": 0 }));
    run(&["index", layout, "3,0"]).failed_with(&["index 3 is out of bounds for dimension 0"]);
    run(&["index", layout, "-1,0"]).failed_with(&["index -1 is out of bounds for dimension 0"]);
    run(&["index", layout, "2"]).failed_with(&["the index has 1 dimensions, expected 2"]);
    run(&["index", layout, "2,x"]).failed_with(&["`x` in the index `2,x`"]);
    run(&["index", layout, "--inverse", "24"]).failed_with(&["outside the allocation of 24"]);
    run(&["index", layout]).failed_with(&[]);
}

#[test]
fn all_offsets() {
    let folder = Folder::new();
    let offsets =
        json!({ "dims": [3, 5], "offsets": [0, 1, 4, 5, 8, 2, 3, 6, 7, 10, 12, 13, 16, 17, 20] });
    let layout = "f32[3,5]{1,0:T(2,2)}";
    assert_eq!(folder.run(&["index", layout, "--all", "--json"]).json(), offsets);
    let text = folder.run(&["index", layout, "--all"]).succeeded().stdout;
    assert_eq!(text, "0,1,4,5,8\n2,3,6,7,10\n12,13,16,17,20\n");
    folder.run(&["index", layout, "--all", "-o", "o.npy"]).succeeded();
    let rows = folder.run(&["inspect", "o.npy", "--json"]).succeeded().json();
    assert_eq!(rows[0]["text"], json!("s64[3,5]{1,0}"));
    assert_eq!(folder.read("o.npy")[128..144], [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    folder.run(&["index", layout, "--all", "-o", "o.npy"]).failed_with(&["exists"]);
    folder.run(&["index", layout, "--all", "-o", "o.npy", "--force"]).succeeded();
}

#[test]
fn same_answers_by_exit_status() {
    let same = run(&["same", "f32[24,128]{1,0:T(8,128)}", "f32[24,128]", "--json"]);
    assert_eq!((same.code, same.json()["same"].clone()), (0, json!(true)));
    let different = run(&["same", "f32[3,5]{1,0:T(2,2)}", "f32[3,5]", "--json"]);
    assert_eq!(different.code, 1);
    let document = different.json();
    assert_eq!(document["same_offsets"], json!(false));
    assert_eq!(document["first_difference"], json!({ "index": [0, 2], "offsets": [4, 2] }));
    let padded = run(&["same", "f32[1,5]{1,0:T(8,128)}", "f32[1,5]", "--json"]);
    assert_eq!((padded.code, padded.json()["same_offsets"].clone()), (1, json!(true)));
    let other_dims = run(&["same", "f32[3,5]", "f32[5,3]", "--json"]);
    assert_eq!((other_dims.code, other_dims.json()["first_difference"].clone()), (1, Value::Null));
    run(&["same", "f32[3,5]", "f32[3"]).failed_with(&["unexpected the end"]);
}

#[test]
fn bitcasts() {
    let reshape =
        run(&["bitcast", "f32[16,128]{1,0:T(8,128)}", "f32[2,8,128]{2,1,0:T(8,128)}", "--json"]);
    assert_eq!(reshape.code, 0);
    let expected =
        json!({ "bitcast": true, "kind": "reshape", "permutation": null, "reason": null });
    assert_eq!(reshape.json(), expected);
    let transpose =
        run(&["bitcast", "f32[3,5]{1,0:T(2,2)}", "f32[5,3]{0,1:T(2,2)}", "--json"]).json();
    assert_eq!(
        (&transpose["kind"], &transpose["permutation"]),
        (&json!("transpose"), &json!([1, 0]))
    );
    let no =
        run(&["bitcast", "f32[12,128]{1,0:T(8,128)}", "f32[2,6,128]{2,1,0:T(8,128)}", "--json"]);
    assert_eq!(
        (no.code, no.json()["bitcast"].clone(), no.json()["kind"].clone()),
        (1, json!(false), Value::Null)
    );
    assert!(no.json()["reason"].is_string());
    let widths = run(&["bitcast", "f32[2]", "bf16[2]"]);
    assert_eq!((widths.code, widths.stdout.contains("32 bits")), (1, true));
}

/// The layout algebra, with the cases that implementations get wrong.
#[test]
fn algebra() {
    #[track_caller]
    fn check(expression: &str, expected: &str) {
        let text = run(&["calc", expression, "--json"]).succeeded().json();
        assert_eq!(text, json!({ "text": expected }), "{expression}");
    }
    check("composition((10,2):(16,4),(3,4):(1,5))", "(3,(2,2)):(16,(80,4))");
    check("composition((4,2,8):(3,12,97),3:3)", "3:9");
    check("composition((32,128):(128,1),(30,128):(1,32))", "(30,128):(128,1)");
    check("left_inverse((4,8):(1,5))", "(5,8):(1,4)");
    check("complement(4:2)", "2:1");
    check("complement(4:1,24)", "6:4");
    check("coalesce((2,(1,6)):(1,(6,2)))", "12:1");
    check("zN(f16,28,40)", "((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)");
    check(
        "tile(zN(f16,100,100),(32,48),(80,64))",
        "((_16,2),(_16,3)):((_16,_256),(_1,1792)):(20,36)",
    );
    check("crd2idx(((4,2),(4,3)):((4,16),(1,32)),(1,5))", "37");
    check("idx2crd(16,(3,(2,3)))", "(1,(1,2))");
    check("tag(zN(f16,28,40),f16)", "zN 28 x 40");
    check("size(composition((8,8):(8,1),(4,2)))", "8");
    run(&["calc", "composition((4,6,8):(2,3,5),6:3)"])
        .failed_with(&["in composition", "is no layout"]);
    run(&["calc", "composition((4,2:(1,2),3)"]).failed_with(&["in a tuple", "^"]);
    run(&["calc", "frobnicate(4:1)"]).failed_with(&["no operation `frobnicate`", "--list"]);
    run(&["calc", "complement()"]).failed_with(&[]);
    run(&["calc", &"coalesce(".repeat(5000)]).failed_with(&[]);
    let deep = format!("{}4:1{}", "coalesce(".repeat(500), ")".repeat(500));
    run(&["calc", &deep]).failed_with(&["deeper"]);
    let explained =
        run(&["calc", "--explain", "composition((10,2):(16,4),(3,4):(1,5))"]).succeeded();
    assert!(explained.stdout.ends_with("= (3,(2,2)):(16,(80,4))\n"), "{}", explained.stdout);
}

/// The same questions of hierarchical layouts, and across notations.
#[test]
fn shapes_and_strides() {
    let zn = "f16 ((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)";
    let tiled = "f16[28,40]{0,1:T(16,16)(16,1)}";
    assert_eq!(run(&["same", tiled, zn, "--json"]).succeeded().json()["same"], json!(true));
    assert_eq!(run(&["bitcast", tiled, zn, "--json"]).json()["kind"], json!("identity"));
    let shown = run(&["show", zn, "--json"]).succeeded().json();
    assert_eq!(shown["text"], json!(zn));
    assert_eq!((&shown["notation"], &shown["bytes"]), (&json!("tla"), &json!(3072)));
    assert_eq!((&shown["dims"], &shown["minor_to_major"]), (&json!([28, 40]), &Value::Null));
    let lifted = shown["xla"].as_str().unwrap();
    assert_eq!(run(&["same", lifted, zn]).code, 0);
    let nested = "((4,2),(4,3)):((4,16),(1,32))";
    for coordinate in ["1,5", "(1,5)", "((1,0),(1,1))", "(1,(1,1))", "41"] {
        assert_eq!(run(&["index", nested, coordinate]).succeeded().stdout, "37\n", "{coordinate}");
    }
    assert_eq!(run(&["index", nested, "--inverse", "37"]).succeeded().stdout, "1,5\n");
    run(&["index", nested, "8,0"]).failed_with(&["index 8 is out of bounds"]);
    run(&["index", nested, "96"]).failed_with(&["96"]);
    run(&["index", nested, "(1,2,3)"]).failed_with(&["(1,2,3)"]);
    run(&["show", "(4,8:(1,5)"]).failed_with(&["`,` or `)` in a tuple"]);
    run(&["show", "(4,8):(1)"]).failed_with(&["nested differently"]);
    run(&["to", "xla", "(2,2):(2,3)"]).failed_with(&["do not nest"]);
    assert_eq!(
        run(&["to", "cute", zn]).succeeded().stdout,
        "((_16,2),(_16,3)):((_16,_256),(_1,512))\n"
    );
    let grid = run(&["show", "((4,2),(4,3)):((4,16),(1,32)):(6,10)"]).succeeded().stdout;
    assert!(grid.contains("    20 21 22 23 52 53 54 55 84 85  x  x\n     x  x"), "{grid}");
}

#[test]
fn other_notations() {
    #[track_caller]
    fn check(notation: &str, layout: &str, expected: &str) {
        let text = run(&["to", notation, layout, "--json"]).succeeded().json();
        assert_eq!(text, json!({ "text": expected }));
    }
    check("xla", "F32[3,5]{1,0:S(1)T(2,2)}", "f32[3,5]{1,0:T(2,2)S(1)}");
    check("tla", "f16[28,40]{0,1:T(16,16)(16,1)}", "(32,(16,3)):(16,(1,512)):(28,40)");
    check("tla", "f32[2,4]{1,0:T(12)}", "(2,12):(12,1):(2,4)");
    check("cute", "f32[4,8]{1,0:T(2,4)(2,1)}", "((2,2),8):((1,16),2)");
    check("numpy", "f32[3,5]{0,1}", "(4, 12)");
    check("numpy", "f32[3,5]{1,0:T(8,128)}", "(512, 4)");
    check("mlir", "f32[6]{0:T(4)}", "affine_map<(d0) -> (d0)>");
    let straddles = "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}";
    run(&["to", "tla", straddles]).failed_with(&["tile 3 straddles dim 4 of extent 10"]);
    run(&["to", "tla", "f32[10,10]{1,0:T(5,10)(2,1)}"]).failed_with(&["tile 2", "dimension 0"]);
}

#[test]
fn lines_from_stdin() {
    let folder = Folder::new();
    let lines = "f32[3]\n\nf32[3]{0:T(0)}\nf32[5]{0:T(4)}\n";
    let batch = folder.run_with(&["show", "-", "--json"], lines);
    assert_eq!(batch.code, 2);
    let documents: Vec<Value> =
        batch.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(documents.len(), 3);
    assert_eq!(documents[0]["bytes"], json!(12));
    assert_eq!(documents[1]["error"]["span"], json!([11, 12]));
    assert_eq!(documents[2]["bytes"], json!(32));
    let good = folder.run_with(&["to", "xla", "-"], "F32[3]\nBF16[2,2]{0,1}\n").succeeded();
    assert_eq!(good.stdout, "f32[3]{0}\nbf16[2,2]{0,1}\n");
    let all = folder.run_with(&["index", "-", "--all", "--json"], "f32[2]\ns8[1]\n").succeeded();
    assert_eq!(all.stdout.lines().count(), 2);
}

#[test]
fn errors_point_at_the_place() {
    let plain = run(&["show", "f32[3,5]{1,0:S(300)}"]);
    assert_eq!((plain.code, plain.stdout.as_str()), (2, ""));
    assert!(
        plain.stderr.contains("\n  | f32[3,5]{1,0:S(300)}\n  |                ^^^ expected"),
        "{plain:?}"
    );
    let machine = run(&["show", "f32[3,5]{1,0:S(300)}", "--json"]);
    let error: Value = serde_json::from_str(&machine.stderr).unwrap();
    assert_eq!(error["error"]["span"], json!([15, 18]));
    assert_eq!(error["error"]["message"], json!("the memory space cannot be 300"));
    assert!(error["error"].as_object().unwrap().contains_key("help"));
}

#[test]
fn wrong_usage_is_exit_2() {
    for arguments in [&["shw"][..], &["show"], &[], &["to", "latex", "f32[3]"], &["show", "a", "b"]]
    {
        assert_eq!(run(arguments).code, 2, "{arguments:?}");
    }
    let machine = run(&["shw", "--json"]);
    let error: Value = serde_json::from_str(&machine.stderr).unwrap();
    assert!(error["error"]["message"].as_str().unwrap().contains("shw"));
    assert_eq!(run(&["--help"]).code, 0);
    assert_eq!(run(&["--version"]).code, 0);
}

#[test]
fn strict_reads_what_xla_reads() {
    assert_eq!(run(&["show", "F32[3]"]).code, 0);
    run(&["show", "--strict", "F32[3]"]).failed_with(&["unknown element type `F32`"]);
    run(&["--strict", "show", "f32[3,5]{1,0:S(1)T(2,2)}"]).failed_with(&["out of place"]);
}

#[test]
fn warnings_do_not_spoil_the_answer() {
    let warned = run(&["show", "f32[3]{0:#(u32)}", "--json"]).succeeded();
    assert_eq!(warned.json()["text"], json!("f32[3]{0:#(u32)}"));
    assert!(warned.stderr.contains("warning: the layout has index type u32"), "{warned:?}");
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell]).succeeded().stdout;
        assert!(script.contains("convert") && script.contains("inspect"), "{shell}");
    }
}

/// Whoever reads our output may stop: no error, no panic.
#[test]
fn a_broken_pipe_is_quiet() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .args(["index", "f32[1000,1000]", "--all"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 4];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[cfg(unix)]
#[test]
fn arguments_and_lines_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .args([OsStr::new("show"), OsStr::from_bytes(b"\xff\xfe"), OsStr::new("--json")])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert!(error["error"]["message"].is_string());

    let mut child = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .args(["show", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"\xff\xfe\nf32[2]\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines[0]["error"]["message"].as_str().unwrap().contains("UTF-8"));
    assert_eq!((lines.len(), &lines[1]["bytes"], output.status.code()), (2, &json!(8), Some(2)));
}

/// What is shown of a long layout is not longer than the layout by orders of magnitude.
#[test]
fn long_layouts_show_short() {
    let layout = format!("f32[2]{{0:T{}}}", "(2)".repeat(20_000));
    let shown = run(&["show", &layout]).succeeded().stdout;
    assert!(shown.len() < 10 * layout.len(), "{} bytes", shown.len());
}

/// What there is no memory for is said so, and XLA's count is left out where XLA has none.
#[test]
fn questions_too_large() {
    run(&["index", "f32[4611686018427387904]{0:E(1)}", "--all"]).failed_with(&["bytes"]);
    run(&["index", "s8[4611686018427387904]", "--all"]).failed_with(&["not enough memory"]);
    let combined = run(&["show", "f32[6,4]{1,0:T(*,3)}", "--json"]).succeeded().json();
    assert_eq!((&combined["xla_bytes"], &combined["bytes"]), (&Value::Null, &json!(96)));
}
