//! With the feature `serde`: values are their canonical text, and what is no layout is refused with the reason.

#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::str::FromStr;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tilewright::algebra::{Composed, Composition, Swizzle};
use tilewright::formats::catalogue::{NamedArray, NamedLayout};
use tilewright::formats::tpu::Chip;
use tilewright::formats::{NamedFormat, Target};
use tilewright::notation::{Described, DescribedArray};
use tilewright::{ArrayShape, ElementType, Shape, onednn, strided, tla, xla};

/// What is read of a text is written as this text, and read again from both a slice and a stream.
#[track_caller]
fn check<T>(text: &str)
where
    T: FromStr<Err: Debug> + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let value: T = text.parse().unwrap();
    let json = serde_json::to_string(&value).unwrap();
    assert_eq!(json, serde_json::to_string(text).unwrap());
    assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value);
    assert_eq!(serde_json::from_reader::<_, T>(json.as_bytes()).unwrap(), value);
}

#[test]
fn values_are_their_text() {
    check::<ElementType>("bf16");
    check::<Shape>("(f32[3,5]{1,0:T(2,2)}, s32[])");
    check::<ArrayShape>("bf16[30,300]{1,0:T(8,128)(2,1)}");
    check::<xla::Layout>("{1,0:T(8,128)(2,1)S(1)}");
    check::<xla::Tile>("(*,128)");
    check::<tla::Layout>("((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)");
    check::<tla::IntTuple>("(2,(_3,4))");
    check::<Swizzle>("Sw<3,0,3>");
    check::<Composed>("Sw<3,0,3> o 0 o (8,8):(8,1)");
    check::<Composition>("Sw<3,0,3> o 0 o (8,8):(8,1)");
    check::<onednn::Tag>("aBcd16b");
    check::<onednn::TaggedArray>("f32[2,35,7,7] aBcd16b");
    check::<strided::StridedArray>("f32[3,5] strides=(4,12)");
    check::<Described>("u4[4096,11008]@marlin");
    check::<DescribedArray>("f16 (10,2):(2,1)");
    check::<NamedFormat>("tpu-16bit");
    check::<Target>("tpu:v5e");
    check::<Chip>("v5e");
    check::<NamedLayout>("sf128x4");
    check::<NamedArray>("u4[4096,11008]@marlin");
}

#[test]
fn a_superset_is_read_and_the_canonical_text_is_written() {
    let shape: Shape = serde_json::from_str("\"F32[3,5]\"").unwrap();
    assert_eq!(serde_json::to_string(&shape).unwrap(), "\"f32[3,5]{1,0}\"");
    let texts = r#"{"w": "f32[3,5]{0,1}", "b": "f32[5]{0}"}"#;
    let shapes: BTreeMap<String, Shape> = serde_json::from_str(texts).unwrap();
    assert_eq!(shapes["w"].to_string(), "f32[3,5]{0,1}");
    let types: BTreeMap<ElementType, i32> = serde_json::from_str(r#"{"u4": 4}"#).unwrap();
    assert_eq!(types[&ElementType::U4], 4);
}

#[test]
fn what_is_wrong_is_told_in_a_line() {
    let told = |json: &str| serde_json::from_str::<Shape>(json).unwrap_err().to_string();
    let zero = told("\"f32[3,5]{1,0:T(0,2)}\"");
    assert!(zero.contains("tile dimension 0 must be 1 or more"), "{zero}");
    assert!(zero.contains("line 1") && !zero.contains('\n'), "{zero}");
    assert!(told("17").contains("expected a text"), "{}", told("17"));
    let chip = serde_json::from_str::<Chip>("\"v9\"").unwrap_err().to_string();
    assert!(chip.contains("v9") && !chip.contains('\n'), "{chip}");
}
