//! What an array is to become, in every way that it is said.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

use tilewright::formats::tpu::{Chip, default_shape};
use tilewright::formats::{NamedFormat, Target, ascend_layout};
use tilewright::{ArrayShape, ElementType, IndexMap, Shape};

#[track_caller]
fn check(text: &str, array: &str, becomes: &str) {
    let array: ArrayShape = array.parse().unwrap();
    let target: Target = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let found = target.applied_to(&array).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(found.to_string(), becomes, "{text}");
    assert_eq!(target.to_string().parse::<Target>().unwrap(), target, "{text}");
    // Whatever layout the array has makes no difference.
    let tiled = array.clone().without_layout();
    assert_eq!(target.applied_to(&tiled).unwrap(), found, "{text}");
}

#[test]
fn every_way_to_say_one() {
    check("{0,1:T(2,2)}", "f32[3,5]", "f32[3,5]{0,1:T(2,2)}");
    check(" {0,1} ", "f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1}");
    check("f32[3,5]{0,1}", "f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1}");
    check("F32[3,5]", "f32[3,5]{0,1}", "f32[3,5]{1,0}");
    check("(3,5):(1,3)", "f32[3,5]", "f32 (3,5):(1,3)");
    check("f32 (3,5):(1,3)", "f32[3,5]", "f32 (3,5):(1,3)");
    check("((2,2),5):((1,10),2):(3,5)", "f32[3,5]", "f32 ((2,2),5):((1,10),2):(3,5)");
    check("Sw<3,0,3> o 0 o (8,8):(8,1)", "u8[8,8]", "u8 Sw<3,0,3> o 0 o (8,8):(8,1)");
    check("aB4b", "f32[3,5]", "f32[3,5] aB4b");
    check("nChw16c", "f32[2,35,7,7]", "f32[2,35,7,7] aBcd16b");
    check("f32[3,5] ba", "f32[3,5]", "f32[3,5] ba");
    check("dst:f32:p:blocked:ba::f0 3x5", "f32[3,5]", "f32[3,5] ba");
    check("strides=(4,12)", "f32[3,5]", "f32[3,5] strides=(4,12)");
    check("strides=(4,)", "f32[3]", "f32[3] strides=(4,)");
    check("f32[3,5] strides=(4,12)", "f32[3,5]", "f32[3,5] strides=(4,12)");
    check("float32 (3,5) (4,12)", "f32[3,5]", "f32[3,5] strides=(4,12)");
    check("row-major", "f32[3,5]{0,1}", "f32[3,5]{1,0}");
    check("column-major", "f32[2,3,5]", "f32[2,3,5]{0,1,2}");
    check("row-major", "f32[]", "f32[]");
    check("tpu:v5e", "bf16[17,1000]", "bf16[17,1000]{1,0:T(8,128)(2,1)}");
    check("tpu:TPU v5 lite", "bf16[17,1000]", "bf16[17,1000]{1,0:T(8,128)(2,1)}");
    check("ascend:zN", "f16[28,40]", "f16[28,40]{0,1:T(16,16)(16,1)}");
    check("ascend:PaddingRowMajor(2,3)", "f16[28,40]", "f16[28,40]{1,0:T(2,3)}");
    check("tpu-8bit", "s8[28,40]", "s8[28,40]{1,0:T(8,128)(4,1)}");
}

/// The names stand for what the functions of those names give.
#[test]
fn names_are_functions_of_the_array() {
    let array: ArrayShape = "s8[28,300]".parse().unwrap();
    let becomes = |text: &str| text.parse::<Target>().unwrap().applied_to(&array).unwrap();
    for chip in Chip::ALL {
        let found = becomes(&format!("tpu:{chip}")).to_array().unwrap();
        assert_eq!(found, default_shape(&array, chip).unwrap());
    }
    for format in NamedFormat::ALL {
        let found = becomes(format.name()).to_array().unwrap();
        assert_eq!(found.layout_or_default(), format.layout(2).unwrap());
    }
    for tag in ["RowMajor", "ColumnMajor", "zN", "nZ", "zZ", "nN", "L0C"] {
        let layout = ascend_layout(tag.parse().unwrap(), ElementType::S8).unwrap();
        assert_eq!(becomes(&format!("ascend:{tag}")).to_array().unwrap().layout(), Some(&layout));
    }
}

/// Notations that say the same make arrays whose elements lie alike.
#[test]
fn notations_agree() {
    let array: ArrayShape = "f32[4,8]".parse().unwrap();
    let map = |text: &str| -> IndexMap {
        text.parse::<Target>().unwrap().applied_to(&array).unwrap().index_map().unwrap()
    };
    let columns = ["{0,1}", "column-major", "(4,8):(1,4)", "ba", "strides=(4,16)"];
    let tiles = ["{1,0:T(2,4)}", "AB2a4b", "((2,2),(4,2)):((4,16),(1,8))"];
    for alike in [&columns[..], &tiles[..]] {
        for text in alike {
            assert!(map(text).same_as(&map(alike[0])).unwrap(), "{text}");
        }
    }
    let array_of = |text: &str| text.parse::<Target>().unwrap().applied_to(&array).unwrap();
    for text in tiles {
        assert_eq!(array_of(text).to_array().unwrap().to_string(), "f32[4,8]{1,0:T(2,4)}");
    }
}

#[track_caller]
fn refuses(text: &str, array: &str, fragments: &[&str]) {
    let array: ArrayShape = array.parse().unwrap();
    let target: Target = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let message = target.applied_to(&array).unwrap_err().to_string();
    assert!(fragments.iter().all(|part| message.contains(part)), "{text}: {message}");
}

#[test]
fn arrays_that_a_layout_is_not_for() {
    refuses("{0,1}", "f32[3]", &["the layout {0,1} orders 2 dimensions, and f32[3] has 1"]);
    refuses("f32[3,5]", "f32[5,3]", &["it is f32[5,3], not f32[3,5]"]);
    refuses("f32[3,5]", "s32[3,5]", &["it is s32[3,5], not f32[3,5]"]);
    refuses("(3,5):(1,3)", "f32[5,3]", &["it is f32[5,3], not f32[3,5]"]);
    refuses("f16 (3,5):(1,3)", "f32[3,5]", &["it is f32[3,5], not f16[3,5]"]);
    refuses("f32[3,5] ba", "f32[5,3]", &["it is f32[5,3], not f32[3,5]"]);
    refuses("abc", "f32[3,5]", &["3", "2"]);
    refuses("strides=(4,)", "f32[3,5]", &["the list of strides has 1 dimensions, expected 2"]);
    refuses("strides=(3,12)", "f32[3,5]", &["not a multiple of the 4 bytes of f32"]);
    refuses("ascend:zN", "f32[2,3,5]", &["orders 2 dimensions, and f32[2,3,5] has 3"]);
    refuses("{1,0:SC(1:5)}", "f32[3,5]", &["{1,0:SC(1:5)} does not fit f32[3,5]"]);
}

#[test]
fn texts_that_are_no_layout() {
    let error = |text: &str| text.parse::<Target>().unwrap_err();
    let check = |text: &str, fragments: &[&str]| {
        let message = error(text).to_string();
        assert!(fragments.iter().all(|part| message.contains(part)), "{text}: {message}");
    };
    check(
        "sideways",
        &["`sideways` is no layout", "row-major, column-major, tpu:CHIP, ascend:TAG"],
    );
    check("", &["`` is no layout"]);
    check("v5e", &["the format of a TPU generation is `tpu:v5e`"]);
    check("zN", &["the layout of an Ascend tag is `ascend:zN`"]);
    check("tpu:v1", &["`v1`", "v7x"]);
    check("ascend:qQ", &["qQ"]);
    check("{0,0}", &["dimension 0 appears twice"]);
    check("T(8,128)", &["is a part of a layout", "write `{1,0:T(8,128)}`"]);
    check("T(8,128)(2,1)", &["write `{1,0:T(8,128)(2,1)}`"]);
    check("1,0:T(8,128)", &["write `{1,0:T(8,128)}`"]);
    check("E(4)", &["write `{1,0:E(4)}`"]);
    check("(f32[2], f32[3])", &["expected an array"]);
    check("strides=4", &["expected `(`"]);
    // The place is counted in the text as it was given.
    assert_eq!(error("  tpu:v1").span().start, 6);
    assert_eq!(error("  sideways ").span(), (2..10).into());
    // What everybody writes first, and no notation has.
    for text in ["T(8,128)", "1,0:T(8,128)"] {
        assert!(text.parse::<tilewright::notation::Described>().unwrap_err().help_text().is_some());
    }
    // XLA's own parser says what it says.
    assert!("T(8,128)".parse::<Shape>().is_err());
}
