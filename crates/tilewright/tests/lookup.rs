//! The offsets of listed indices are the offsets of each.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

use tilewright::{IndexMap, Shape};

fn map(text: &str) -> IndexMap {
    let shape: Shape = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    shape.index_map().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// So many indices within these dims, the last element's among them.
fn some_indices(dims: &[i64], count: usize) -> Vec<i64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut indices: Vec<i64> = dims.iter().map(|extent| extent - 1).collect();
    for _ in 1..count {
        for extent in dims {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            indices.push(((state >> 1) % extent.unsigned_abs()) as i64);
        }
    }
    indices
}

/// Checks a list of indices against one at a time: with tables and, being too few for them,
/// without.
fn check(text: &str) {
    let map = map(text);
    let rank = map.dims().len();
    for count in [1, 3, if cfg!(miri) { 20 } else { 2000 }] {
        let indices = some_indices(map.dims(), count);
        let each = (0..count).map(|entry| map.offset(&indices[entry * rank..][..rank]).unwrap());
        let expected: Vec<i64> = each.collect();
        let mut offsets = vec![-1; count];
        map.offsets_at(&indices, &mut offsets).unwrap();
        assert_eq!(offsets, expected, "{text}, {count} at once");
        offsets.fill(-1);
        map.lookup().unwrap().offsets_at(&indices, &mut offsets).unwrap();
        assert_eq!(offsets, expected, "{text}, {count} looked up");
    }
}

#[test]
fn tiles_of_every_rank() {
    check("f32[]");
    check("f32[]{:T(256)}");
    check("f32[700]{0:T(128)}");
    check("bf16[30,300]{1,0:T(8,128)(2,1)}");
    check("f32[5,30,300]{0,2,1:T(8,128)}");
    check("s8[3,5,30,70]{3,2,1,0:T(8,128)(4,1)}");
    check("f32[2147483647,3]{1,0:T(8,128)}");
    check("f32[2147483648,3]{1,0:T(8,128)}");
    check("s4[300,500]{1,0:T(64,128)(16,2)(8,1)(4,1)}");
    check("s4[300,500]{1,0:T(64,128)(32,2)(16,1)(8,1)(4,1)}");
    check("f32[2,3,4,5,6,7]{1,3,5,0,2,4:T(2,3)(2,1)}");
}

#[test]
fn divisors_that_are_no_powers_of_two() {
    check("f32[1000,1000]{1,0:T(6,10)(3,1)}");
    check("f32[3000,7,11]{0,2,1:T(3,5,7)}");
}

#[test]
fn dimensions_too_long_for_a_table() {
    check("f32[4000000000,3]{1,0:T(6,10)}");
    check("f32[3,4000000000]{1,0:T(8,128)}");
    check("u8[300000000000,3]{1,0:T(6,10)}");
    check("u8[300000000000,3]{1,0:T(8,128)(4,1)}");
}

#[test]
fn tiles_that_straddle_dimensions() {
    check("f32[7,9]{1,0:T(*,8)(2,1)}");
    check("f32[5,7,9]{2,1,0:T(*,*,8)(2,1)}");
    check("f32[70000,90]{1,0:T(*,8)(2,1)}");
}

#[test]
fn other_notations() {
    let check = |text: &str| {
        let described: tilewright::notation::Described = text.parse().unwrap();
        let map = described.index_map().unwrap();
        let expected = map.offsets().unwrap();
        let indices: Vec<i64> = (0..map.dims()[0])
            .flat_map(|row| (0..map.dims()[1]).flat_map(move |column| [row, column]))
            .collect();
        let mut offsets = vec![-1; expected.len()];
        map.offsets_at(&indices, &mut offsets).unwrap();
        assert_eq!(offsets, expected, "{text}");
    };
    check("f32[3,5] strides=(-20,4)");
    check("f16 Sw<3,0,3> o 0 o (8,8):(8,1)");
    check("f16 ((2,2),(2,3)):((2,12),(1,4)):(3,5)");
}

#[test]
fn narrower_numbers_will_do() {
    let map = map("f32[3,5]{1,0:T(2,2)}");
    let mut offsets = [0; 2];
    map.offsets_at(&[2u8, 3, 1, 4], &mut offsets).unwrap();
    assert_eq!(offsets, [17, 10]);
    map.offsets_at(&[0u32, 1, 2, 3], &mut offsets).unwrap();
    assert_eq!(offsets, [1, 17]);
}

#[test]
fn what_is_out_of_bounds_is_named() {
    let refused = |text: &str, indices: &[i64]| {
        let error = map(text).offsets_at(indices, &mut [0; 2]).unwrap_err();
        assert!(error.is_out_of_bounds(), "{text}");
        error.to_string()
    };
    let expected = "entry 1: index -1 is out of bounds for dimension 0, which has 3 elements";
    assert_eq!(refused("f32[3,5]{1,0:T(2,2)}", &[2, 4, -1, 9]), expected);
    for index in [3, 1 << 31, 1 << 32, (1 << 32) + 1, i64::MAX, i64::MIN, i64::MIN + 1] {
        let expected = format!(
            "entry 0: index {index} is out of bounds for dimension 0, which has 3 elements"
        );
        assert_eq!(refused("f32[3,5]{1,0:T(2,2)}", &[index, 0, 0, 0]), expected);
        assert_eq!(refused("f32[3,5]{1,0:T(3,2)}", &[index, 0, 0, 0]), expected);
    }
    let expected = "entry 0: index 9 is out of bounds for dimension 1, which has 9 elements";
    assert_eq!(refused("f32[7,9]{1,0:T(*,8)(2,1)}", &[6, 9, 9, 0]), expected);
    let expected =
        "entry 1: index 4000000000 is out of bounds for dimension 0, which has 4000000000 elements";
    assert_eq!(refused("f32[4000000000]", &[3_999_999_999, 4_000_000_000]), expected);
    let expected = "entry 0: index 0 is out of bounds for dimension 1, which has 0 elements";
    assert_eq!(refused("f32[3,0]", &[0, 0, 0, 0]), expected);
}

#[test]
fn lists_are_as_long_as_they_say() {
    let map = map("f32[3,5]");
    let error = map.offsets_at(&[0i64; 5], &mut [0; 2]).unwrap_err();
    assert_eq!(error.to_string(), "5 numbers are not 2 indices of rank 2");
    assert!(map.offsets_at(&[0i64; 0], &mut []).is_ok());
}
