//! Names and texts from files never act on the terminal they are shown in.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use serde_json::json;
use support::{Folder, Outcome};
use tilewright::text::acts;

/// Renames the window, begins a command in one byte, reads backwards, ends the line.
const NASTY: &str = "w\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{7f}\u{2028}\nz";

/// How it is shown.
const SHOWN: &str = r"w\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{7f}\u{2028}\u{a}z";

/// A safetensors file with this header, and this many bytes of data.
fn safetensors(header: &serde_json::Value, data: usize) -> Vec<u8> {
    let header = header.to_string();
    let length = u64::try_from(header.len()).unwrap().to_le_bytes();
    [&length[..], header.as_bytes(), &vec![0; data]].concat()
}

/// Nothing but line ends acts on the terminal.
#[track_caller]
fn check(outcome: &Outcome) {
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(!text.contains(|c| acts(c) && c != '\n'), "{outcome:?}");
    }
}

#[test]
fn names_of_arrays() {
    let folder = Folder::new();
    let array = json!({ "dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24] });
    folder.write("w.safetensors", &safetensors(&json!({ NASTY: array }), 24));
    for command in [
        &["inspect", "w.safetensors"][..],
        &["convert", "w.safetensors", "-o", "out.safetensors", "--to", "{0,1}", "--force"],
        &["convert", "w.safetensors", "-o", "out.npy", "--to", "{0}"],
        &["verify", "w.safetensors", "w.safetensors"],
    ] {
        let text = folder.run(command);
        check(&text);
        assert!(
            command[0] == "verify" || format!("{text:?}").contains("w\\\\u{1b}]0;x"),
            "{text:?}"
        );
        check(&folder.run(&[command, &["--json"]].concat()));
    }
    let inspected = folder.run(&["inspect", "w.safetensors", "--json"]).succeeded();
    assert_eq!(inspected.json()[0]["name"], json!(NASTY));
    assert!(folder.run(&["inspect", "w.safetensors"]).succeeded().stdout.contains(SHOWN));
}

#[test]
fn what_malformed_files_say() {
    let folder = Folder::new();
    let array = |dtype: &str| json!({ "dtype": dtype, "shape": [1], "data_offsets": [0, 4] });
    let record = json!({ "version": 1, "layouts": { NASTY: { "layout": NASTY, "pad": NASTY } } });
    let layouts = json!({ "tilewright": record.to_string(), NASTY: NASTY });
    let of_w = json!({ "version": 1, "layouts": { "w": { "layout": NASTY, "pad": "0" } } });
    for header in [
        json!({ NASTY: array(NASTY) }),
        json!({ NASTY: array("U8") }),
        json!({ "w": { NASTY: 1 } }),
        json!({ "w": array("F32"), "__metadata__": layouts }),
        json!({ "w": array("F32"), "__metadata__": { "tilewright": of_w.to_string() } }),
        json!({ "w": array("F32"), "__metadata__": { "tilewright": json!({ NASTY: 1 }).to_string() } }),
    ] {
        folder.write("w.safetensors", &safetensors(&header, 4));
        let outcome = folder.run(&["inspect", "w.safetensors"]);
        check(&outcome);
        assert!(!outcome.stderr.is_empty(), "{outcome:?}");
        check(&folder.run(&["inspect", "w.safetensors", "--json"]));
    }
    let index = json!({ "weight_map": { NASTY: NASTY } });
    std::fs::create_dir(folder.path("model")).unwrap();
    folder.write("model/model.safetensors.index.json", index.to_string().as_bytes());
    check(&folder.run(&["inspect", "model"]).failed_with(&[]));
}

#[test]
fn what_was_typed() {
    for command in ["show", "tpu --chip=v5e", "calc", "to xla", "inspect", "hlo"] {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.push(NASTY);
        check(&support::run(&arguments).failed_with(&[]));
        arguments.push("--json");
        check(&support::run(&arguments).failed_with(&["error"]));
    }
    let layout = format!("f32[8]{NASTY}");
    check(&support::run(&["show", &layout]).failed_with(&["^"]));
}

#[test]
fn what_hlo_modules_hold() {
    let folder = Folder::new();
    let name = "p\u{1b}[2J\u{9b}1m\u{202e}";
    let module = format!(
        "HloModule m{name}, is_scheduled=true\n\nENTRY %e{name} (p0: f32[8,100]) -> f32[8,100] {{\n  \
         %{name} = f32[8,100]{{1,0:T(8,128)}} parameter(0), metadata={{op_name=\"x{name}\" source_file=\"y{name}\"}}\n  \
         ROOT %c{name} = f32[8,100]{{0,1:T(8,128)}} copy(%{name}), metadata={{op_name=\"x{name}\"}}\n}}\n"
    );
    folder.write("m.hlo", module.as_bytes());
    for extra in [&[][..], &["--json"], &["--diff", "m.hlo"]] {
        check(&folder.run(&[&["hlo", "m.hlo"][..], extra].concat()));
    }
    check(&folder.run(&["assign", "m.hlo"]));
    folder.run(&["hlo", "m.hlo", "--html", "page.html"]);
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    assert!(!page.contains(|c| acts(c) && c != '\n'), "{page}");
}
