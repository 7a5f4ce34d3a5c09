//! What is said of each bad text: the message, the very characters, and what would be right.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use tilewright::Shape;
use tilewright::text::{Diagnostic, Severity};
use tilewright::xla::{Layout, ParseOptions, parse_layout, parse_shape};

fn refused(text: &str) -> Diagnostic {
    match text.parse::<Shape>() {
        Ok(shape) => panic!("{text} is read as {shape}"),
        Err(error) => error,
    }
}

/// The text is refused with this message, pointing at these characters.
#[track_caller]
fn check(text: &str, message: &str, place: &str) {
    let error = refused(text);
    assert_eq!(error.message(), message, "{text}");
    let span = error.span();
    assert_eq!(&text[span.start..span.end], place, "{text}");
}

/// The same, and the text says what was expected or what would be right.
#[track_caller]
fn check_help(text: &str, message: &str, place: &str, expected: &str, help: &str) {
    check(text, message, place);
    let error = refused(text);
    assert_eq!(error.expectation().unwrap_or(""), expected, "{text}");
    assert_eq!(error.help_text().unwrap_or(""), help, "{text}");
}

/// XLA's `LayoutUtil::ValidateLayoutForShape` and `ShapeUtil::ValidateShape`.
#[test]
fn validation() {
    check("(f32[3],s8[2]){0}", "extra content after the shape", "{0}");
    check_help(
        "f32[3,5]{0}",
        "the layout orders 1 dimensions, but the shape has 2 dimensions",
        "{0",
        "2 dimension numbers",
        "the default order is {1,0}",
    );
    check_help(
        "f32[3,5]{2,0}",
        "dimension 2 does not exist in a shape of rank 2",
        "2",
        "a number from 0 to 1",
        "",
    );
    check_help(
        "f32[3,5]{-1,0}",
        "dimension -1 does not exist in a shape of rank 2",
        "-1",
        "a number from 0 to 1",
        "",
    );
    check_help(
        "f32[3,5]{0,0}",
        "dimension 0 appears twice in the minor-to-major order",
        "0",
        "each dimension exactly once",
        "missing: 1",
    );
    check_help("f32[3]{0:L(0)}", "the tail padding alignment cannot be 0", "0", "1 or more", "");
    check("f32[3]{0:L(-3)}", "the tail padding alignment cannot be -3", "-3");
    check(
        "f32[3]{0:P(s32[3]{0})}",
        "the layout has a physical shape, but the array is not sparse",
        "P",
    );
    check("f32[3,5]{1,0:T()}", "a tile needs at least one dimension", "()");
    check("f32[3,5]{1,0:T(2,2)()}", "a tile needs at least one dimension", "()");
    check_help(
        "f32[3,5]{1,0:T(0,2)}",
        "tile dimension 0 must be 1 or more, or `*`",
        "0",
        "a size of 1 or more, or `*`",
        "leave the dimension whole with a tile dimension of 1 or of its full size",
    );
    check("f32[3,5]{1,0:T(-7,2)}", "tile dimension -7 must be 1 or more, or `*`", "-7");
    check("f32[3,5]{1,0:E(-4)}", "the element size in bits cannot be -4", "-4");
    check("f32[3,5]{1,0:SC(5:2)}", "the split dimension does not exist in a layout of rank 2", "5");
    check("f32[3,5]{1,0:SC(0:1)(0:2)}", "dimension 0 is split twice", "(0:1)(0:2)");
    check(
        "f32[9,5]{1,0:SC(0:3,2,1)}",
        "split indices [3, 2, 1] must be positive and strictly increasing",
        "(0:3,2,1)",
    );
    check(
        "f32[9,5]{1,0:SC(0:0)}",
        "split indices [0] must be positive and strictly increasing",
        "(0:0)",
    );
    check(
        "f32[3,5]{1,0:SC(1:5)}",
        "split index 5 is not inside physical dimension 1, which has 5 elements",
        "(1:5)",
    );
    check(
        "f32[4611686018427387904,2]",
        "the element count does not fit in 64 bits",
        "[4611686018427387904,2]",
    );
    check(
        "f32[4611686018427387904,2,0]",
        "the element count does not fit in 64 bits",
        "[4611686018427387904,2,0]",
    );
    check(
        "f32[4611686018427387904]",
        "the size in bytes does not fit in 64 bits",
        "[4611686018427387904]",
    );
}

/// Inputs on which XLA's parser dies, or that it reads as something else.
#[test]
fn traps() {
    check_help(
        "f32[3,5]{1,0:T(2,*)}",
        "the last `*` of a tile has no more minor dimension to merge into",
        "*",
        "a size",
        "a `*` merges a dimension into the next one to its right",
    );
    check(
        "f32[3,5]{1,0:T(*)}",
        "the last `*` of a tile has no more minor dimension to merge into",
        "*",
    );
    check_help(
        "f32[3,5]{1,0:T(2,2}",
        "unexpected `}`",
        "}",
        "`,` or `)` in a tile",
        "every tile is closed with `)`",
    );
    check("f32[3,5]{1,0:S(300)}", "the memory space cannot be 300", "300");
    check("f32[3,5]{1,0:S(128)}", "the memory space cannot be 128", "128");
    check("token[3]", "a token has no dimensions", "3");
    check("opaque[3]", "an opaque value has no dimensions", "3");
    check("f32[3]{0:#(f32)}", "the index type cannot be f32", "f32");
    check("f32[3]{0:*(bf16)}", "the pointer type cannot be bf16", "bf16");
    check("f32[3]{0:S(1}", "unexpected `}`", "}");
    check("f32[9223372036854775808]", "the number does not fit in 64 bits", "9223372036854775808");
    check(
        "f32[3]{0:T(9223372036854775808)}",
        "the number does not fit in 64 bits",
        "9223372036854775808",
    );
    check("f32[3x5]", "unexpected `x5`", "x5");
    check("f32[3,,5]", "unexpected `,`", ",");
    check("f32[3,5,]", "unexpected `]`", "]");
    check("f32[-3]", "a dimension cannot have -3 elements", "-3");
    check("f32[<=?]", "unexpected `?`", "?");
    check("(f32[3],)", "unexpected `)`", ")");
    check("(f32[3] s8[2])", "unexpected `s8`", "s8");
    check("b(b(f32[3]))", "a buffer cannot hold a buffer", "b");
    check("b(token[])", "a buffer holds an array, not a token", "token[]");
    check("b((f32[3]))", "unexpected `(`", "(");
    check("f32[3]{0:D(X)}", "unexpected `X`", "X");
    check("f32[3,5]{1,0:T(2,2)T(2,1)}", "the attribute is given twice", "T");
    check_help(
        "f32[3,5]{1,0:t(2,2)}",
        "unexpected `t`",
        "t",
        "a layout attribute (`T L # * E S SC P M`) or `}`",
        "attributes are upper case: `T`",
    );
    check_help(
        "f32[3,5]{1,0:T(2,2),S(1)}",
        "unexpected `,`",
        ",",
        "a layout attribute (`T L # * E S SC P M`) or `}`",
        "attributes follow one another with no comma",
    );
    check_help(
        "f32[3,5]{1,0:T(2,2)",
        "unexpected the end",
        "",
        "a layout attribute (`T L # * E S SC P M`) or `}`",
        "close the layout with `}`",
    );
    check("", "unexpected the end", "");
    check("f32", "unexpected the end", "");
    check("f32[3,5] f", "extra content after the shape", "f");
    check("f32[3]/*", "the comment is never closed", "/*");
    check("f32[2,3]{1,0:PAD(3)}", "the padding has 1 widths, but the rank is 2", "PAD(3)");
    check(
        "f32[2,3]{1,0:PAD(3,2)}",
        "dimension 1 has 3 elements and cannot be padded to 2",
        "PAD(3,2)",
    );
    check("f32[2,3]{1,0:PAD(3,5;2)}", "unexpected `2`", "2");
}

#[test]
fn meant_names() {
    #[track_caller]
    fn check(text: &str, help: &str) {
        assert_eq!(refused(text).help_text(), Some(help));
    }
    check("float32[3]", "XLA calls it `f32`");
    check("bfloat16[3]", "XLA calls it `bf16`");
    check("bool[3]", "XLA calls it `pred`");
    check("i32[3]", "XLA calls it `s32`");
    check("opaque_type[]", "XLA calls it `opaque`");
    assert_eq!(refused("tf32[3]").help_text(), None);
}

#[test]
fn superset_is_read_and_strict_refuses_it() {
    #[track_caller]
    fn check(text: &str, printed: &str) {
        assert_eq!(text.parse::<Shape>().unwrap().to_string(), printed);
        let strict = ParseOptions { strict: true, ..ParseOptions::default() };
        assert!(parse_shape(text, strict).is_err(), "{text} strictly");
    }
    check("F32[3,5]{1,0}", "f32[3,5]{1,0}");
    check("BF16[3]", "bf16[3]{0}");
    check("PRED[]", "pred[]");
    check("f32[3,5]{1,0:T(∗,2)}", "f32[3,5]{1,0:T(*,2)}");
    check("f32[3,5]{1,0:T(-1,2)}", "f32[3,5]{1,0:T(*,2)}");
    check("f32[3,5]{1,0:S(1)E(32)T(2,2)}", "f32[3,5]{1,0:T(2,2)E(32)S(1)}");
    check("f32[3,5]{}", "f32[3,5]{1,0}");
    check("f32[]{}", "f32[]");
    check("f32[3,5]{1,0:(2,2)(2,1)}", "f32[3,5]{1,0:T(2,2)(2,1)}");
    check("f32[2,3]{0,1:PAD(3,5)}", "f32[2,3]{0,1:PAD(3,5)}");
    check("f32[2,3]{0,1:PAD(3,5;lowest)T(2,2)}", "f32[2,3]{0,1:T(2,2)PAD(3,5;lowest)}");
}

/// Layouts on their own, as `ParseLayout` in XLA reads them.
#[test]
fn lone_layouts() {
    for text in [
        "{3,2,1,0:T(42,123)(4,5)L(100)E(42)}",
        "{0,1:SC(0:3)(1:0,4)}",
        "{0,1:P(s32[10,20]{1,0})}",
        "{0,1:M(123)}",
        "{3,2,1,0:#(u32)}",
        "{3,2,1,0:*(u16)}",
        "{}",
    ] {
        let layout = text.parse::<Layout>();
        match text {
            // XLA's parser reads a split at 0, its validation refuses it.
            "{0,1:SC(0:3)(1:0,4)}" => assert!(layout.is_err()),
            _ => assert_eq!(layout.unwrap().to_string(), text),
        }
    }
    assert!(parse_layout("{}", ParseOptions { strict: true, ..Default::default() }).is_ok());
}

#[test]
fn warnings_point_too() {
    #[track_caller]
    fn check(text: &str, message: &str, place: &str) {
        let parsed = parse_shape(text, ParseOptions::default()).unwrap();
        let [warning] = &parsed.warnings[..] else { panic!("{text}: {:?}", parsed.warnings) };
        assert_eq!(warning.severity(), Severity::Warning);
        assert_eq!(warning.message(), message);
        assert_eq!(&text[warning.span().start..warning.span().end], place);
    }
    check(
        "f32[3]{0:#(u32)}",
        "the layout has index type u32, but the array is not sparse",
        "#(u32)",
    );
    check(
        "f32[3]{0:*(u32)}",
        "the layout has pointer type u32, but the array is not sparse",
        "*(u32)",
    );
    check(
        "f32[3,5]{1,0:D(D,C+~)T(2,2)}",
        "dimension level types are no longer part of a layout and are left out",
        "D(D,C+~)",
    );
}

#[test]
fn the_caret_stands_under_its_place() {
    let error = refused("f32[3,5]{1,0:T(2,2)S(300)}");
    assert_eq!(
        error.to_string(),
        "error: the memory space cannot be 300
  |
  | f32[3,5]{1,0:T(2,2)S(300)}
  |                      ^^^ expected a number from -128 to 127"
    );
    let long = format!("({}f33[3])", "f32[3],".repeat(40));
    let text = refused(&long).to_string();
    let lines: Vec<&str> = text.lines().collect();
    let caret = lines[3].find("^^^").unwrap();
    assert_eq!(&lines[2].replace('…', ".")[caret..caret + 3], "f33");
}

#[test]
fn nesting_is_bounded() {
    let deep = format!("{}f32[]{}", "(".repeat(200), ")".repeat(200));
    assert!(deep.parse::<Shape>().is_ok());
    let error = refused(&"(".repeat(100_000));
    assert_eq!(error.message(), "tuples nest deeper than 256");
    assert!(refused(&"f32[3]".repeat(1_000_000)).message().contains("more than"));
}

/// Reading takes time in the length of the text, whatever the text.
#[test]
fn long_texts_are_read_or_refused_at_once() {
    let n = if cfg!(miri) { 40 } else { 100_000 };
    let ones = vec!["1"; n].join(",");
    let order: Vec<String> = (0..n).map(|dim| dim.to_string()).collect();
    let ascending = order.join(",");
    let zeros = vec!["0"; n].join(",");
    for text in [
        format!("f32[{ones}]{{{ascending}}}"),
        format!("f32[{ones}]{{{zeros}}}"),
        format!("f32[{ones}]{{{ascending}:T({ones})}}"),
        format!("f32[3]{{0:T{}}}", "(1)".repeat(n)),
        format!("f32[3]{{0:T({}1)}}", "*,".repeat(n)),
        format!("f32[3]{{0:SC{}}}", "(0:1)".repeat(n)),
        format!("f32[{ones}]{{{ascending}:PAD({ones})}}"),
        format!("({}f32[])", "f32[3]{0},".repeat(n / 10)),
        "/* */".repeat(n),
        "/*".repeat(n),
        "(".repeat(n),
        "[".repeat(n),
    ] {
        let shape = text.parse::<Shape>();
        if let Ok(Shape::Array(array)) = shape {
            array.index_map().unwrap();
        }
    }
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 8 } else { 4000 }))]

        /// No text makes reading panic, and every span lies in the text.
        #[test]
        fn is_read_or_refused(text in "[fsubT0-9{}()\\[\\],:*<=?SCLEMPAD#;/ ∗-]{0,40}") {
            if let Err(error) = text.parse::<Shape>() {
                prop_assert!(error.span().end <= text.len());
                prop_assert!(!error.to_string().is_empty());
            }
        }

        #[test]
        fn of_any_characters_is_read_or_refused(text in "\\PC{0,60}") {
            if let Err(error) = text.parse::<Shape>() {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}
