//! Which notation a text is in: told by what it says, and not by what its comments say.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use tilewright::notation::Described;

const TEXTS: [(&str, &str); 8] = [
    ("xla", "f32[3,5]{1,0:T(2,2)}"),
    ("xla", "()"),
    ("xla", "(f32[3], (s8[2], token[]))"),
    ("xla", "token[]"),
    ("tla", "((2,2),(2,3)):((2,12),(1,4)):(3,5)"),
    ("tla", "f16 (2,3):(3,1)"),
    ("numpy", "f32[3,5] strides=(20,4)"),
    ("numpy", "float32 (3,5) (20,4)"),
];

/// A tag has no room for a comment; the array before it has.
const TAGGED: &str = "f32[2,35,7,7] aBcd16b";

/// Every kind of thing by which a notation is known.
const COMMENTS: [&str; 8] = [
    "/*index=5*/",
    "/**/",
    "/* [3] */",
    "/*(*/",
    "/* a::b */",
    "/*2:1*/",
    "// f32[3](4)\n",
    "/*//*/",
];

#[track_caller]
fn check(notation: &str, text: &str, commented: &str) {
    let described: Described = commented.parse().unwrap_or_else(|e| panic!("{commented}: {e}"));
    assert_eq!(described.notation(), notation, "{commented}");
    assert_eq!(described, text.parse().unwrap(), "{commented}");
}

#[test]
fn a_comment_says_nothing() {
    for (notation, text) in TEXTS {
        for comment in COMMENTS {
            check(notation, text, &format!("{comment}{text} "));
            check(notation, text, &format!(" {comment}{text}"));
            check(notation, text, &format!("{text}{comment}"));
            check("onednn", TAGGED, &format!("{comment}{TAGGED}"));
            for (place, _) in text.match_indices([',', ']', '{']) {
                let (before, after) = text.split_at(place);
                check(notation, text, &format!("{before}{comment}{after}"));
            }
        }
    }
}

#[test]
fn a_comment_that_is_not_closed_is_pointed_at() {
    for text in ["/*", "/* (2,3)", "(2,3):(3,1) /*", "f32[3] /*/", "/*a*//*b"] {
        let error = text.parse::<Described>().unwrap_err();
        assert_eq!(error.message(), "the comment is never closed", "{text}");
        assert_eq!(error.span().start, text.rfind("/*").unwrap(), "{text}");
    }
}

#[test]
fn a_stroke_alone_is_no_comment() {
    for text in ["f32[3]/", "/", "/f32[3]", "(2,3)/:(3,1)", "é/*é*/é"] {
        assert!(text.parse::<Described>().is_err(), "{text}");
    }
}
