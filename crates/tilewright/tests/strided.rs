//! Strides in bytes: against numpy, against the definition, there and back.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use proptest::prelude::*;
use tilewright::map::Notation;
use tilewright::strided::StridedArray;
use tilewright::{ElementType, IndexMap};

fn array(text: &str) -> StridedArray {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn numbers(list: &str) -> Vec<i64> {
    list.split(',').filter(|n| !n.is_empty()).map(|number| number.parse().unwrap()).collect()
}

/// numpy's own views: where each element begins, and what memory they reach over.
#[test]
fn numpys_views() {
    for row in support::rows("numpy-strides.tsv") {
        let array = array(&row[0]);
        let width = i64::from(array.element_bits() / 8);
        let map = array.index_map().unwrap();
        let begins: Vec<i64> = map.offsets().unwrap().iter().map(|o| o * width).collect();
        assert_eq!(begins, numbers(&row[3]), "{}", row[0]);
        assert_eq!((map.lowest_offset() * width).to_string(), row[1], "{}", row[0]);
        assert_eq!(array.bytes().unwrap().to_string(), row[2], "{}", row[0]);
    }
}

/// What a map of numpy's views prints as numpy's strides is that view again.
#[test]
fn numpys_views_and_back() {
    let mut n_back = 0;
    for row in support::rows("numpy-strides.tsv") {
        let array = array(&row[0]);
        if array.dims.contains(&0) {
            continue;
        }
        check_there_and_back(&array);
        n_back += 1;
    }
    assert!(n_back > 300, "{n_back}");
}

#[track_caller]
fn check_there_and_back(array: &StridedArray) {
    let map = array.index_map().unwrap();
    let strides = map.to_notation(Notation::Numpy, array.element_bits()).unwrap();
    let sizes: Vec<String> = array.dims.iter().map(i64::to_string).collect();
    for strides in [strides.clone(), format!("strides={strides}")] {
        let text = format!("{}[{}] {strides}", array.element_type, sizes.join(","));
        let back: StridedArray = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((back.element_type, &back.dims), (array.element_type, &array.dims));
        assert!(back.index_map().unwrap().same_as(&map).unwrap(), "{array} came back as {text}");
    }
}

#[test]
fn text() {
    #[track_caller]
    fn check(text: &str, printed: &str) {
        let read = array(text);
        assert_eq!(read.to_string(), printed, "{text}");
        assert_eq!(array(printed), read);
    }
    let house = "f32[3,5] strides=(20,4)";
    for same in [
        house,
        "f32[3,5] (20,4)",
        "F32[3, 5] strides = (20, 4)",
        "f32[3,5](20,4,)",
        "float32 (3, 5) (20, 4)",
        " float32 (3,5) strides=(20,4) ",
    ] {
        check(same, house);
    }
    check("f32[] ()", "f32[] strides=()");
    check("float32 () ()", "f32[] strides=()");
    check("bf16[7] (-2)", "bf16[7] strides=(-2,)");
    check("bfloat16 (7,) (0,)", "bf16[7] strides=(0,)");
    check("int4 (2,3) (3,1)", "s4[2,3] strides=(3,1)");
    check("bool (2,0) (1,1)", "pred[2,0] strides=(1,1)");
    for &element_type in ElementType::ALL {
        check(
            &format!("{} (2) (0)", element_type.numpy_name()),
            &format!("{element_type}[2] strides=(0,)"),
        );
    }
}

/// Worked by hand: offsets are the strides' sums over the element's bytes.
#[test]
fn by_hand() {
    let map = array("f32[2,3] (-12,4)").index_map().unwrap();
    assert_eq!(map.offsets().unwrap(), [0, 1, 2, -3, -2, -1]);
    assert_eq!((map.lowest_offset(), map.allocation()), (-3, 6));
    assert_eq!(map.index(-2).unwrap(), Some(vec![1, 1]));
    let scalar = array("f64[] ()").index_map().unwrap();
    assert_eq!((scalar.offsets().unwrap(), scalar.allocation()), (vec![0], 1));
    let empty = array("f32[0,5] (20,4)");
    assert_eq!((empty.index_map().unwrap().elements(), empty.bytes().unwrap()), (0, 0));
    let repeated = array("s16[3,2] (0,2)").index_map().unwrap();
    assert_eq!((repeated.offsets().unwrap(), repeated.allocation()), (vec![0, 1, 0, 1, 0, 1], 2));
    let window = array("u8[3,2] (1,1)").index_map().unwrap();
    assert_eq!((window.offsets().unwrap(), window.allocation()), (vec![0, 1, 1, 2, 2, 3], 4));
    // A byte for 4 bits, and none of the bits of a gap.
    assert_eq!(array("s4[3] (2,)").bytes().unwrap(), 5);
}

#[test]
fn refused() {
    #[track_caller]
    fn check(text: &str, message: &str, place: &str) {
        let Err(error) = text.parse::<StridedArray>() else { panic!("{text} is read") };
        assert_eq!(error.message(), message, "{text}");
        assert_eq!(error.source_text(), text);
        let span = error.span();
        assert_eq!(text[span.start..span.end].trim(), place, "{text}");
    }
    check("", "unexpected the end", "");
    check("f32[3,5] (20,6)", "the stride 6 is not a multiple of the 4 bytes of f32", "(20,6)");
    check("bfloat16 (3,) (-1,)", "the stride -1 is not a multiple of the 2 bytes of bf16", "(-1,)");
    check("f32[3,5] (4)", "1 strides for an array of 2 dimensions", "(4)");
    check("f32[] (4)", "1 strides for an array of 0 dimensions", "(4)");
    check("f32[3] strides(4)", "unexpected `(`", "(");
    check("f32[3] stride=(4)", "unexpected `stride`", "stride");
    check("f32[3]", "unexpected the end", "");
    check("f32[3] (4 4)", "unexpected `4`", "4");
    check("f32[3] (,)", "unexpected `,`", ",");
    check("f32[3] (4", "unexpected the end", "");
    check("f32[3] (4) x", "unexpected `x`", "x");
    check("f32[?] (4)", "a dimension is dynamic", "[?]");
    check(
        "f32[3] (99999999999999999999)",
        "the number does not fit in 64 bits",
        "99999999999999999999",
    );
    check("float (3) (4)", "numpy has no element type `float`", "float");
    check("f32 (3) (4)", "numpy has no element type `f32`", "f32");
    check("float32 3 4", "unexpected `3`", "3");
    check("float32 (-3) (4)", "a dimension cannot have -3 elements", "(4)");
    check(
        "u8[3] (9223372036854775807)",
        "the allocation does not fit in 64 bits",
        "(9223372036854775807)",
    );
    // More bytes than 63 bits count, although the strides reach but few: it could not be written as `c64[…]`.
    check(
        "complex64 (3,1,922337208547758072) (-8,8,8)",
        "the size in bytes does not fit in 64 bits",
        "(-8,8,8)",
    );
    let help = "f32 (3) (4)".parse::<StridedArray>().unwrap_err();
    assert_eq!(help.help_text(), Some("numpy calls it `float32`"));
}

/// A value that does not come from text has the same promises.
#[test]
fn values() {
    let value = |dims: &[i64], byte_strides: &[i64]| StridedArray {
        element_type: ElementType::F32,
        dims: dims.to_vec(),
        byte_strides: byte_strides.to_vec(),
    };
    assert!(value(&[3, 5], &[20]).index_map().unwrap_err().is_rank_mismatch());
    assert!(value(&[-3], &[4]).index_map().is_err());
    assert!(value(&[3], &[6]).index_map().is_err());
    assert!(value(&[i64::MAX, 2], &[4, 4]).index_map().unwrap_err().is_overflow());
    assert!(value(&[1], &[i64::MIN]).index_map().is_ok());
    assert!(value(&[i64::MAX], &[i64::MIN]).index_map().unwrap_err().is_overflow());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// An offset is the sum of index times stride; the allocation is what the offsets reach.
    #[test]
    fn lowering_is_the_definition(
        dims in proptest::collection::vec((1i64..=6, -20i64..=20), 0..=4),
        number in 0usize..ElementType::ALL.len(),
    ) {
        let element_type = ElementType::ALL[number];
        let width = i64::from(element_type.storage_bits() / 8);
        let (dims, strides): (Vec<i64>, Vec<i64>) = dims.into_iter().unzip();
        let byte_strides = strides.iter().map(|stride| stride * width).collect();
        let array = StridedArray { element_type, dims, byte_strides };
        let map = array.index_map().unwrap();
        let expected = offsets(&array.dims, &strides);
        prop_assert_eq!(&map.offsets().unwrap(), &expected);
        let (low, high) = (expected.iter().min().unwrap(), expected.iter().max().unwrap());
        prop_assert_eq!((map.lowest_offset(), map.allocation()), (*low, high - low + 1));
        prop_assert_eq!(array.to_string().parse::<StridedArray>().unwrap(), array.clone());
        check_there_and_back(&array);
    }

    /// Any text is read or refused, and what is read has a map.
    #[test]
    fn any_text(text in "(f32|u8|float64)(\\[[0-9,?<=]{0,6}\\]| ?\\([0-9,-]{0,6}\\)) ?(strides=)?\\([0-9, -]{0,8}\\)?") {
        if let Ok(array) = text.parse::<StridedArray>() {
            prop_assert!(array.index_map().is_ok());
            prop_assert_eq!(array.to_string().parse::<StridedArray>().unwrap(), array);
        }
    }
}

/// Every index in row-major order, times the strides.
fn offsets(dims: &[i64], strides: &[i64]) -> Vec<i64> {
    let mut offsets = vec![0];
    for (&size, &stride) in dims.iter().zip(strides) {
        let along = |start: i64| (0..size).map(move |index| start + index * stride);
        offsets = offsets.into_iter().flat_map(along).collect();
    }
    offsets
}

/// Elements that share their place by turns have no one stride.
#[test]
fn lifting_is_refused() {
    for text in ["((4,2)):((1,0))", "((4,2)):((0,1))"] {
        let map = IndexMap::from_tla(&text.parse().unwrap()).unwrap();
        let refusal = map.to_notation(Notation::Numpy, 32).unwrap_err().to_string();
        assert!(refusal.contains("repeats places"), "{text}: {refusal}");
    }
}

/// The strides of a plain array are the ones that numpy gives it, and the map is XLA's default.
#[test]
fn dense() {
    let dense = array("f32[3,5] (20,4)").index_map().unwrap();
    let xla: tilewright::Shape = "f32[3,5]".parse().unwrap();
    assert!(dense.same_as(&xla.index_map().unwrap()).unwrap());
    let tla = IndexMap::from_tla(&"(3,5):(1,3)".parse().unwrap()).unwrap();
    assert!(array("f32[3,5] (4,12)").index_map().unwrap().same_as(&tla).unwrap());
}
