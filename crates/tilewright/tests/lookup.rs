//! The offsets of listed indices are the offsets of each.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

use tilewright::IndexMap;
use tilewright::notation::Described;

fn map(text: &str) -> IndexMap {
    let described: Described = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    described.index_map().unwrap_or_else(|error| panic!("{text}: {error}"))
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
    for count in [1, 3, 5, if cfg!(miri) { 20 } else { 2000 }] {
        let indices = some_indices(map.dims(), count);
        let each = (0..count).map(|entry| map.offset(&indices[entry * rank..][..rank]).unwrap());
        let expected: Vec<i64> = each.collect();
        let mut offsets = vec![-1; count];
        map.offsets_at(&indices, &mut offsets).unwrap();
        assert_eq!(offsets, expected, "{text}, {count} at once");
        offsets.fill(-1);
        let lookup = map.lookup().unwrap();
        lookup.offsets_at(&indices, &mut offsets).unwrap();
        assert_eq!(offsets, expected, "{text}, {count} looked up");
        let short: Result<Vec<u32>, _> = indices.iter().map(|&index| index.try_into()).collect();
        if let Ok(short) = short {
            offsets.fill(-1);
            lookup.offsets_at(&short, &mut offsets).unwrap();
            assert_eq!(offsets, expected, "{text}, {count} of 32 bits");
        }
    }
}

/// Every index of a map with few enough elements.
fn check_all(text: &str) {
    check(text);
    let map = map(text);
    let mut indices = vec![];
    let mut index = vec![0; map.dims().len()];
    for _ in 0..map.elements() {
        indices.extend_from_slice(&index);
        for (value, extent) in index.iter_mut().zip(map.dims()).rev() {
            *value = if *value + 1 < *extent { *value + 1 } else { 0 };
            if *value > 0 {
                break;
            }
        }
    }
    let of_each = |index: &[i64]| map.offset(index).unwrap();
    let expected: Vec<i64> = indices.chunks(map.dims().len()).map(of_each).collect();
    let mut offsets = vec![-1; expected.len()];
    map.offsets_at(&indices, &mut offsets).unwrap();
    assert_eq!(offsets, expected, "{text}");
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
    // Merged coordinates of merged coordinates.
    check_all("f32[7,9]{1,0:T(*,8)(3)(5)}");
    check_all("f32[11,13]{1,0:T(*,4)(*,3)(5,2)}");
    check_all("u8[4,5]{1,0:T(*,4)(3)(5)(4)(7)(3)}");
    check("f32[7,9]{1,0:T(*,8)(2,1)}");
    check("f32[5,7,9]{2,1,0:T(*,*,8)(2,1)}");
    check("f32[70000,90]{1,0:T(*,8)(2,1)}");
}

/// Dimensions that are cut from no time to five times, by powers of two and by others.
#[test]
fn every_number_of_terms() {
    check_all("f32[30,50]");
    check_all("f32[30,50]{0,1:T(4,8)}");
    check_all("f32[30,50]{1,0:T(8,16)(2,1)}");
    check_all("f32[30,50]{1,0:T(8,16)(4,4)(2,2)}");
    check_all("f32[70,50]{1,0:T(32,16)(16,2)(8,1)(4,1)(2,1)}");
    check_all("f32[30,50]{1,0:T(6,10)}");
    check_all("f32[50,70]{1,0:T(18,36)(9,6)}");
    check_all("f32[60,77]{1,0:T(30,25)(15,5)(5,1)}");
    check_all("f32[70,77]{1,0:T(60,25)(30,5)(10,5)(5,1)}");
    check_all("f32[77]{0:T(12)(4,3)}");
    check_all("f32[7,11,13]{2,1,0:T(4,8)}");
    check_all("f32[7,11,13]{2,1,0:T(3,5)}");
    check_all("f32[7,11,13]{1,2,0:T(2,6,10)(3,1)}");
    check_all("f32[5,7,6,7]{3,2,1,0:T(4,2)(2,1)}");
    check_all("f32[5,7,6,7]{3,1,2,0:T(3,5)(3,1)}");
    check_all("f32[3,2,5,3,4]{4,3,2,1,0:T(2,2)}");
}

/// Indices of up to 31 bits take other ways than longer ones, and so do offsets of up to 32 bits.
#[test]
fn numbers_around_the_length_of_words() {
    for extent in [1i64 << 31, 1 << 32] {
        for extent in [extent - 1, extent, extent + 1] {
            check(&format!("u8[{extent}]"));
            check(&format!("u8[{extent},2]{{0,1}}"));
            check(&format!("u8[{extent},2]{{1,0:T(8,2)}}"));
            check(&format!("u8[{extent},3]{{1,0:T(6,2)}}"));
            check(&format!("u8[3,{extent}]{{1,0:T(*,8)(2,1)}}"));
        }
    }
    check("u8[65536,65536]{1,0:T(8,128)}");
    check("u8[65537,65536]{1,0:T(8,128)}");
    check("u8[65536,65537]{1,0:T(6,10)}");
    check("u8[65536,65536] strides=(-65536,1)");
    check("u8[65537,65536] strides=(-65536,-1)");
    check("u8[2147483647,2147483647] strides=(2147483647,-1)");
    check("u8[3,5] strides=(4294967296,8589934592)");
    check("((4,65536),65536):((3,131072),-2)");
}

#[test]
fn other_notations() {
    check_all("f32[3,5] strides=(-20,4)");
    check_all("f32[3,5,7] strides=(-20,0,80)");
    check_all("f16 Sw<3,0,3> o 0 o (8,8):(8,1)");
    check_all("f16 Sw<3,4,3> o 0 o (64,128):(128,1)");
    check_all("f16 ((2,2),(2,3)):((2,12),(1,4)):(3,5)");
    check_all("((4,2),(2,3)):((-7,2),(30,-5))");
    check_all("((2,3,4),(5,6)):((60,-20,5),(1,120))");
    check_all("((3,4),5):((0,1),4)");
    check_all("((6,4),(3,5)):((0,1),(0,4))");
    check_all("((3,5,4),(3,2)):((0,2,10),(0,1))");
    check_all("(7,(3,5),(3,5)):(0,(1,9),(3,45))");
    check_all("(500,40):(40,1) o 9 o (40,30):(31,1)");
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
    let expected = "entry 0: index -7 is out of bounds for dimension 0, which has 4096 elements";
    assert_eq!(refused("f32[4096,4096]{1,0:T(8,128)}", &[-7, 0, 0, 4096]), expected);
    let expected = "entry 0: index 0 is out of bounds for dimension 1, which has 0 elements";
    assert_eq!(refused("f32[3,0]", &[0, 0, 0, 0]), expected);
}

/// Anywhere in a list, whichever way is taken, and in numbers of whichever length.
#[test]
fn what_is_out_of_bounds_is_found_in_every_block() {
    for text in [
        "f32[9,11]{1,0:T(2,4)}",
        "f32[9,11]{1,0:T(3,4)}",
        "f32[9,11]{1,0:T(*,8)(2,1)}",
        "f32[9,11] strides=(-44,4)",
        "f32[9,11]{1,0:T(64,4)(32,2)(16,1)(8,1)(4,1)(2,1)}",
        "f32[9,11,1,1,1]{1,0,4,3,2:T(2,4)}",
        "u8[9,11] strides=(4294967296,1)",
    ] {
        let map = map(text);
        let rank = map.dims().len();
        let lookup = map.lookup().unwrap();
        let mut offsets = vec![0; 1300];
        for entry in [0, 1, 255, 256, 511, 512, 1299] {
            for (dim, index, extent) in [(0, 9, 9), (1, 11, 11), (1, -1, 11), (0, i32::MIN, 9)] {
                let mut indices = vec![0; 1300 * rank];
                indices[entry * rank + dim] = index;
                let error = lookup.offsets_at(&indices, &mut offsets).unwrap_err().to_string();
                let what = format!("index {index} is out of bounds for dimension {dim}");
                assert_eq!(error, format!("entry {entry}: {what}, which has {extent} elements"));
                let long: Vec<i64> = indices.iter().map(|&index| index.into()).collect();
                let of_long = lookup.offsets_at(&long, &mut offsets).unwrap_err();
                assert_eq!(of_long.to_string(), error, "{text}");
            }
        }
    }
}

/// A number of another's making, shorter in memory than what it stands for.
#[derive(Clone, Copy)]
struct Shifted(u8);

impl From<Shifted> for i64 {
    fn from(shifted: Shifted) -> i64 {
        i64::from(shifted.0) << 40
    }
}

#[test]
fn numbers_longer_than_they_look() {
    let map = map("f32[4096,4096]{1,0:T(8,128)}");
    let mut indices = [Shifted(0); 20];
    map.offsets_at(&indices, &mut [7; 10]).unwrap();
    indices[13] = Shifted(1);
    let error = map.offsets_at(&indices, &mut [7; 10]).unwrap_err().to_string();
    assert!(error.starts_with("entry 6: index 1099511627776 is out of bounds"), "{error}");
    let error = map.indices_at(&indices, &mut [7; 40]).unwrap_err().to_string();
    assert!(error.starts_with("entry 13: offset 1099511627776 is outside"), "{error}");
}

#[test]
fn lists_are_as_long_as_they_say() {
    let map = map("f32[3,5]");
    let error = map.offsets_at(&[0i64; 5], &mut [0; 2]).unwrap_err();
    assert_eq!(error.to_string(), "5 numbers are not 2 indices of rank 2");
    let error = map.lookup().unwrap().offsets_at(&[0i64; 5], &mut [0; 2]).unwrap_err();
    assert_eq!(error.to_string(), "5 numbers are not 2 indices of rank 2");
    assert!(map.offsets_at(&[0i64; 0], &mut []).is_ok());
}
