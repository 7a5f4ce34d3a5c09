//! Hand-worked cases, the older rule, and what is refused.

use tilewright::formats::tpu::{Chip, argument_bytes, default_shape, documented_shape};
use tilewright::{ArrayShape, ElementType};

fn shape(text: &str) -> ArrayShape {
    text.parse().unwrap()
}

#[track_caller]
fn gives(chip: Chip, text: &str, expected: &str) {
    assert_eq!(default_shape(&shape(text), chip).unwrap().to_string(), expected, "on {chip}");
}

/// As XLA's tests, its documents and dumps of programs have them.
#[test]
fn layouts_seen_elsewhere() {
    gives(Chip::V5e, "bf16[4096]", "bf16[4096]{0:T(1024)(128)(2,1)}");
    gives(Chip::V5e, "bf16[128]", "bf16[128]{0:T(256)(128)(2,1)}");
    gives(Chip::V5e, "s32[]", "s32[]{:T(128)}");
    gives(Chip::V5e, "bf16[]", "bf16[]{:T(256)}");
    gives(Chip::V3, "bf16[]", "bf16[]{:T(512)}");
    gives(Chip::V5e, "pred[]", "pred[]{:T(512)}");
    gives(Chip::V6e, "f8e4m3fn[1,1,6144,768]", "f8e4m3fn[1,1,6144,768]{3,2,1,0:T(32,128)(4,1)}");
    gives(Chip::V6e, "f8e4m3fn[16,4,256]", "f8e4m3fn[16,4,256]{2,1,0:T(4,128)(4,1)}");
    gives(Chip::V5e, "f32[1000,3]", "f32[1000,3]{0,1:T(4,128)}");
}

#[test]
fn a_layout_that_is_there_already_does_not_matter() {
    gives(Chip::V4, "f32[3,5]{0,1:T(8,128)S(1)}", "f32[3,5]{1,0:T(4,128)}");
    gives(Chip::V4, "f32[<=300,5]", "f32[<=300,5]{0,1:T(8,128)}");
}

#[test]
fn without_elements() {
    gives(Chip::V4, "f32[0]", "f32[0]{0}");
    gives(Chip::V4, "f32[7,0,3]", "f32[7,0,3]{2,1,0}");
    gives(Chip::V4, "s4[0,3]", "s4[0,3]{1,0:E(4)}");
    gives(Chip::V2, "s4[0,3]", "s4[0,3]{1,0}");
    gives(Chip::V4, "f32[0,<=5]", "f32[0,<=5]{1,0:M(1024)}");
    assert_eq!(argument_bytes(&shape("f32[0,<=5]{1,0:M(1024)}")).unwrap(), 1024);
}

#[test]
fn refused() {
    for element_type in [ElementType::F6E3M2Fn, ElementType::F6E2M3Fn] {
        let array = ArrayShape::new(element_type, &[3, 5]).unwrap();
        let error = default_shape(&array, Chip::V7x).unwrap_err().to_string();
        assert_eq!(error, format!("no TPU compiler takes arrays of {element_type}"));
    }
    assert!(default_shape(&shape("f32[?,5]"), Chip::V4).unwrap_err().is_unbounded());
    assert!(argument_bytes(&shape("f32[4,4]{1,0:T(*,2)}")).is_err());
    // Fewest rows are 4: 2^64 bytes.
    let huge = default_shape(&shape("s8[4611686018427387904,1,1]"), Chip::V4).unwrap();
    assert!(argument_bytes(&huge).unwrap_err().is_overflow());
}

/// Time must not grow with the square of the rank. Beside 1000 columns a dimension of 1 is the
/// cheapest second-minor, and the last of those is taken.
#[test]
fn of_very_high_rank() {
    let mut sizes = vec![1; 100_000];
    sizes[7] = 1000;
    sizes[99_000] = 3;
    let array = ArrayShape::new(ElementType::F32, &sizes).unwrap();
    let layout = default_shape(&array, Chip::V5e).unwrap().layout_or_default();
    assert_eq!(layout.minor_to_major()[..3], [7, 99_999, 99_998]);
    assert_eq!(layout.tiles()[0].to_string(), "(1,128)");
}

#[test]
fn chips() {
    for chip in Chip::ALL {
        assert_eq!(chip.name().parse::<Chip>().unwrap(), chip);
        assert_eq!(chip.device_kind().parse::<Chip>().unwrap(), chip);
        assert_eq!(chip.name().to_uppercase().parse::<Chip>().unwrap(), chip);
    }
    let error = "v9".parse::<Chip>().unwrap_err().to_string();
    assert_eq!(error, "no TPU generation is called `v9`; there are v2, v3, v4, v5e, v5p, v6e, v7x");
}

/// The sentences of the tiled-layout document, items 2 to 6 of its examples.
#[test]
fn the_tiled_layout_document() {
    let documented = |text: &str| documented_shape(&shape(text)).unwrap().to_string();
    assert_eq!(documented("f32[1,9]"), "f32[1,9]{1,0:T(2,128)}");
    assert_eq!(documented("s32[5,2,9]"), "s32[5,2,9]{2,1,0:T(2,128)}");
    assert_eq!(documented("f32[3,9]"), "f32[3,9]{1,0:T(4,128)}");
    assert_eq!(documented("f32[4,9]"), "f32[4,9]{1,0:T(4,128)}");
    assert_eq!(documented("f32[5,9]"), "f32[5,9]{1,0:T(8,128)}");
    assert_eq!(documented("bf16[1,9]"), "bf16[1,9]{1,0:T(8,128)(2,1)}");
    assert_eq!(documented("s8[64,9]"), "s8[64,9]{1,0:T(8,128)(4,1)}");
    assert_eq!(documented("pred[64,9]"), "pred[64,9]{1,0:T(8,128)E(32)}");
    for none in ["f32[]", "f32[5]", "f64[5,5]", "s4[5,5]"] {
        assert!(documented_shape(&shape(none)).is_err(), "{none}");
    }
}
