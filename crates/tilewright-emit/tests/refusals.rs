//! What is refused, with the reason; and that no text that somebody gives becomes code.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use tilewright::notation::Described;
use tilewright_emit::{Array, Request, Target};

fn array(text: &str) -> Array {
    Array::of(&text.parse::<Described>().unwrap()).unwrap()
}

#[track_caller]
fn refused(target: Target, from: &str, to: Option<&str>, reason: &str) {
    let (from, to) = (array(from), to.map(array));
    let request = Request { array: &from, other: to.as_ref(), name: "tw", dynamic: &[] };
    let error = request.emit(target).unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
}

#[test]
fn what_a_language_cannot_say_is_refused() {
    for &target in Target::ALL {
        refused(target, "u8[4,5]", Some("u8[5,4]"), "[4, 5]");
        refused(target, "u8[4,5]", Some("u8[4,5] strides=(1,1)"), "share");
    }
    refused(Target::Cute, "f32[3,5]{1,0:T(2,2)}", None, "CuTe has no padding");
    refused(Target::Wgsl, "f32[70000,70000]", None, "WGSL has integers of 32 bits");
    refused(Target::Cuda, "u8[90]", Some("u8[90]{0:E(6)}"), "elements of 6 bits");
    // Strides of 2 and 3: 6 and what is above could be made in several ways, and no two elements share a slot.
    for target in [Target::Cuda, Target::OpenCl, Target::Triton, Target::Wgsl] {
        let reason = "no formula takes an offset apart";
        refused(target, "u8 (3,2):(2,1)", Some("u8 (3,2):(2,3)"), reason);
    }
}

#[test]
fn names_are_identifiers() {
    let array = array("u8[4]");
    let emit = |name: &str, target| {
        Request { array: &array, other: None, name, dynamic: &[] }.emit(target)
    };
    for &target in Target::ALL {
        for name in
            ["", "1a", "a b", "a;b", "a(", "_a", "a__b", "a_", "é", "a\n", "x*/", &"a".repeat(65)]
        {
            let error = emit(name, target).unwrap_err().to_string();
            assert!(error.contains("cannot begin the names of functions"), "{name:?}: {error}");
        }
        for name in ["a", "A1", "if", "my_layout"] {
            assert!(emit(name, target).unwrap().contains(name), "{name}");
        }
    }
}

/// A text with all that ends comments, strings and lines, in any language, is in no line that is not a comment.
#[test]
fn texts_stay_in_comments() {
    let evil = "evil */ // /* \\ \n evil \r evil \u{2028} evil \u{85} evil ??/\n #evil \"\"\" ''' `${evil}` *\\\n/ evil";
    let map = "f32[3,5]{1,0:T(2,2)}".parse::<Described>().unwrap().index_map().unwrap();
    let dense = "f32[3,5]".parse::<Described>().unwrap().index_map().unwrap();
    let [from, to] = [dense, map].map(|map| Array::new(evil.to_owned(), map, 32).unwrap());
    for &target in Target::ALL {
        let request = Request { array: &from, other: Some(&to), name: "tw", dynamic: &[] };
        let Ok(code) = request.emit(target) else {
            assert_eq!(target, Target::Cute);
            continue;
        };
        let lines: Vec<&str> = code.split(['\n', '\r', '\u{2028}', '\u{85}']).collect();
        let with = lines.iter().filter(|line| line.contains("evil")).count();
        assert!(with >= 2, "{target}: {with}");
        for line in lines.iter().filter(|line| line.contains("evil")) {
            assert!(
                [" *   ", "//   ", "#   "].iter().any(|start| line.starts_with(start)),
                "{target}: {line}"
            );
            assert!(
                !line.contains("*/") && !line.contains("/*") && !line.contains('\\'),
                "{target}: {line}"
            );
            assert!(!line.contains("??/") && line.is_ascii(), "{target}: {line}");
        }
    }
}
