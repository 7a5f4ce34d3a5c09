//! The indices at listed offsets are those of the elements that lie there.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

use tilewright::IndexMap;
use tilewright::map::IndexLookup;
use tilewright::notation::Described;

fn map(text: &str) -> IndexMap {
    let described: Described = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    described.index_map().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The index of the element of this number, in row-major order.
fn row_major_index(dims: &[i64], number: i64) -> Vec<i64> {
    let mut rest = number;
    let mut index = vec![0; dims.len()];
    for (value, extent) in index.iter_mut().zip(dims).rev() {
        *value = rest % extent;
        rest /= extent;
    }
    index
}

/// The numbers of the elements at each place of the allocation.
struct Truth<'t> {
    text: &'t str,
    dims: &'t [i64],
    lowest: i64,
    elements_at: Vec<Vec<i64>>,
}

impl<'t> Truth<'t> {
    fn of(text: &'t str, map: &'t IndexMap) -> Self {
        let (dims, lowest) = (map.dims(), map.lowest_offset());
        let mut elements_at = vec![vec![]; usize::try_from(map.allocation()).unwrap()];
        for number in 0..map.elements() {
            let offset = map.offset(&row_major_index(dims, number)).unwrap();
            elements_at[usize::try_from(offset - lowest).unwrap()].push(number);
        }
        Truth { text, dims, lowest, elements_at }
    }

    /// Checks the indices that were found at consecutive offsets.
    fn check(&self, first: i64, indices: &[i64], how: &str) {
        let padding = vec![IndexLookup::PADDING; self.dims.len()];
        for (offset, index) in (first..).zip(indices.chunks_exact(self.dims.len())) {
            let elements = &self.elements_at[usize::try_from(offset - self.lowest).unwrap()];
            let is_right = match elements.is_empty() {
                true => index == padding,
                false => elements.iter().any(|&number| row_major_index(self.dims, number) == index),
            };
            assert!(is_right, "{}, {how}: {index:?} at {offset}", self.text);
        }
    }
}

/// Checks every offset of a map of rank 1 or more: all in one list, which is worth tables, and some
/// in lists too short for that.
fn check(text: &str) {
    let map = map(text);
    let rank = map.dims().len();
    let truth = Truth::of(text, &map);
    let (lowest, end) = (map.lowest_offset(), map.lowest_offset() + map.allocation());
    let offsets: Vec<i64> = (lowest..end).collect();
    let mut indices = vec![7; offsets.len() * rank];
    map.indices_at(&offsets, &mut indices).unwrap();
    truth.check(lowest, &indices, "all at once");
    indices.fill(7);
    map.inverse_lookup().unwrap().indices_at(&offsets, &mut indices).unwrap();
    truth.check(lowest, &indices, "prepared");
    if let Ok(short) =
        offsets.iter().map(|&offset| i32::try_from(offset)).collect::<Result<Vec<_>, _>>()
    {
        indices.fill(7);
        map.inverse_lookup().unwrap().indices_at(&short, &mut indices).unwrap();
        truth.check(lowest, &indices, "of 32 bits");
    }
    let few = 1000.min(offsets.len() / 3 + 1);
    for offsets in offsets.chunks(few).step_by(1 + offsets.len() / few / 8) {
        let indices = &mut indices[..offsets.len() * rank];
        indices.fill(7);
        map.indices_at(offsets, indices).unwrap();
        truth.check(offsets[0], indices, "some");
    }
}

#[test]
fn tiles_of_every_rank() {
    check("f32[700]{0:T(128)}");
    check("bf16[30,300]{1,0:T(8,128)(2,1)}");
    check("f32[5,30,30]{0,2,1:T(8,16)}");
    check("s8[3,5,30,7]{3,2,1,0:T(8,16)(4,1)}");
    check("f32[2,3,4,5,6]{1,3,0,2,4:T(2,3)(2,1)}");
    check("f32[3,5]{1,0:T(2,2)L(100)}");
}

#[test]
fn divisors_that_are_no_powers_of_two() {
    check("f32[100,100]{1,0:T(6,10)(3,1)}");
    check("f32[30,7,11]{0,2,1:T(3,5,7)}");
}

/// Offsets that are fields of bits, or can be made such, in every number of dimensions and of digits.
#[test]
fn digits_that_are_fields() {
    check("f32[64]");
    check("f32[37]");
    check("f32[77]{0:T(12)(4,3)}");
    check("f32[32,64]");
    check("f32[32,64]{0,1}");
    check("f32[32,64]{1,0:T(8,16)}");
    check("f32[31,65]{0,1:T(8,16)}");
    check("f32[32,64]{1,0:T(8,16)(2,1)}");
    check("f32[30,70]{1,0:T(16,16)(8,4)(2,2)}");
    check("f32[64,64]{1,0:T(32,16)(16,2)(8,1)(4,1)(2,1)}");
    check("f32[61,31]{1,0:T(12,10)(6,5)(3,1)}");
    check("f32[7,8,16]{2,1,0:T(4,8)}");
    check("f32[7,11,13]{1,2,0:T(6,10)}");
    check("f32[4,8,4,8]{3,2,1,0:T(2,4)(2,1)}");
    check("f32[3,7,5,6]{3,1,2,0:T(3,5)}");
    check("f32[2,3,2,5,4]{4,3,2,1,0:T(2,2)}");
    check("f32[3,5]{1,0:T(8,128)}");
    check("f32[3,5]{1,0:T(2,2)L(1000)}");
    check("f32[3,5] strides=(64,4)");
    check("f32[3,5] strides=(60,8)");
    check("f32[4,8,2] strides=(32,4,0)");
    check("((2,2),(2,3)):((2,12),(1,4)):(3,5)");
    check("((2,3),(4,2)):((8,16),(1,4))");
    check("((3,2),2):((1,4),8)");
    check("((4,3),(3,2)):((1,16),(4,48))");
    check("f32[3]{0:L(4)}");
    check("f32[7,4]{1,0:T(8,4)}");
    check("f32[4,7]{1,0:T(4,8)}");
    check("((2,2),4):((1,0),2)");
}

/// Allocations of more than one table.
#[test]
fn places_that_are_cut() {
    check("f32[400,500]{1,0:T(8,128)}");
    check("f32[333,599]{1,0:T(6,10)}");
    check("f32[20,60,150]{1,2,0:T(3,50)}");
    check("f32[200000]");
    check("f32[199,1001]");
}

#[test]
fn tiles_that_straddle_dimensions() {
    check("f32[7,9]{1,0:T(*,8)(2,1)}");
    check("f32[5,7,9]{2,1,0:T(*,*,8)(2,1)}");
    check("f32[411,490]{1,0:T(*,8)(2,1)}");
    check("f32[7,9]{1,0:T(*,8)(3)(5)}");
    check("f32[11,13]{1,0:T(*,4)(*,3)(5,2)}");
}

#[test]
fn strides_that_count_down_or_leave_gaps() {
    check("f32[3,5] strides=(-20,4)");
    check("f32[3,5] strides=(-20,-4)");
    check("f32[300,500] strides=(-2400,4)");
    check("f32[300,500] strides=(2800,-4)");
    check("f32[3,5] strides=(40,8)");
    check("f32[200,100,7] strides=(4012,40,4)");
    check("f32[2,200,7] strides=(800012,4000,4)");
    check("f32[4,3,5] strides=(4,160,-32)");
    check("((2,2),(2,3)):((2,-12),(1,4)):(3,5)");
    check("((3,2),(2,3)):((2,-30),(-1,6)):(5,5)");
}

#[test]
fn elements_that_share_a_place() {
    check("f32[3,5] strides=(0,4)");
    check("f32[3,5] strides=(4,4)");
    check("f32[3,5] strides=(16,4)");
    check("f32[30,50] strides=(12,8)");
    check("f32[30,50] strides=(-12,8)");
    check("(6,4):(2,3)");
}

/// Of elements that share a place, a list of places holds the first.
#[test]
fn the_first_of_those_that_share_a_place() {
    let map = map("f32[30,50] strides=(12,8)");
    let offsets: Vec<i64> = (0..map.allocation()).collect();
    let mut indices = vec![7; offsets.len() * 2];
    map.indices_at(&offsets, &mut indices).unwrap();
    let truth = Truth::of("f32[30,50] strides=(12,8)", &map);
    for (elements, index) in truth.elements_at.iter().zip(indices.chunks_exact(2)) {
        let first = elements.first().map(|&number| row_major_index(map.dims(), number));
        assert_eq!(index, first.unwrap_or(vec![-1, -1]));
    }
}

#[test]
fn swizzles_and_composed_layouts() {
    check("f16 Sw<3,0,3> o 0 o (8,8):(8,1)");
    check("f16 Sw<2,4,3> o 0 o (32,64):(64,1)");
    check("f16 Sw<3,4,3> o 0 o (64,1024):(1024,1)");
    check("(8,8):(8,1) o 5 o (4,3):(3,1)");
    check("(6,4):(4,1) o 3 o (4,3):(3,1)");
    check("(17):(1) o 5 o (4,3):(3,1)");
    check("(4,8):(8,1) o 5 o (5,3):(3,1)");
    check("(400000):(1) o 7 o (400,500):(500,1)");
    check("(5,40):(40,1) o 4 o (4,3):(3,1)");
    check("(500,400):(400,1) o 9 o (40,30):(31,1)");
}

#[test]
fn arrays_of_one_element_and_of_none() {
    check("f32[1,1]{1,0:T(2,4)}");
    check("f32[0,3]");
    check("f32[3,0]{1,0:T(2,2)}");
    check("f32[0]{0:L(64)}");
}

/// A number of rank 0 has no index to be marked; its bounds are checked all the same.
#[test]
fn rank_0() {
    for text in ["f32[]", "f32[]{:T(256)}"] {
        let map = map(text);
        let offsets: Vec<i64> = (0..map.allocation()).collect();
        map.indices_at(&offsets, &mut []).unwrap();
        map.inverse_lookup().unwrap().indices_at(&offsets, &mut []).unwrap();
        assert!(map.indices_at(&[map.allocation()], &mut []).is_err(), "{text}");
        assert!(map.indices_at(&[0i64], &mut [1]).is_err(), "{text}");
    }
}

/// A generator of numbers below others.
fn numbers() -> impl FnMut(i64) -> i64 {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        i64::try_from((u128::from(state) * u128::from(below.unsigned_abs())) >> 64).unwrap()
    }
}

/// Some elements are found where they lie, and at some offsets what is found one at a time.
fn check_large(text: &str) {
    let map = map(text);
    let rank = map.dims().len();
    let mut below = numbers();
    for count in [3, if cfg!(miri) { 40 } else { 60_000 }] {
        let indices: Vec<i64> = (0..count)
            .flat_map(|_| map.dims().iter().copied().map(&mut below).collect::<Vec<_>>())
            .collect();
        let mut offsets = vec![0; count];
        map.offsets_at(&indices, &mut offsets).unwrap();
        let mut found = vec![7; count * rank];
        map.indices_at(&offsets, &mut found).unwrap();
        assert!(found == indices, "{text}, {count} elements");
        offsets.fill_with(|| map.lowest_offset() + below(map.allocation()));
        offsets[0] = map.lowest_offset();
        offsets[1] = map.lowest_offset() + map.allocation() - 1;
        map.indices_at(&offsets, &mut found).unwrap();
        for (offset, index) in offsets.iter().zip(found.chunks_exact(rank)).take(3000) {
            let expected = map.index(*offset).unwrap().unwrap_or(vec![-1; rank]);
            assert_eq!(index, expected, "{text} at {offset}");
        }
    }
}

#[test]
fn maps_too_large_to_look_at() {
    check_large("f32[4096,4096]{1,0:T(8,128)}");
    check_large("f32[4095,4097]{0,1:T(8,128)(4,1)}");
    check_large("f32[1048576,1048576]{1,0:T(8,128)}");
    check_large("f32[1048575,1048573]{1,0:T(6,10)}");
    check_large("u8[300000000000,3]{1,0:T(6,10)}");
    check_large("u8[3,300000000001]{1,0:T(6,10)}");
    check_large("u8[70001,70003,70005]{1,0,2:T(3,7)(3,1)}");
    check_large("f32[70000,90]{1,0:T(*,8)(2,1)}");
    check_large("f32[70001,70003]{1,0:T(*,8)(2,1)}");
    check_large("u8[2000000000,2000000000] strides=(-2000000000,1)");
    check_large("u8[32768,65536]{1,0:T(8,128)}");
    check_large("u8[32768,65537]{1,0:T(8,128)}");
    check_large("u8[32761,65521]{1,0:T(6,10)}");
    check_large("u8[46341,46341] strides=(-46341,1)");
    check_large("u8[2147483647]");
    check_large("u8[2147483648]");
    check_large("u8[2147483649]");
    check_large("u8[2,1073741824]{0,1}");
    check_large("u8[3,715827882]{1,0:T(*,2)(2,1)}");
    check_large("u8[3,715827884]{1,0:T(*,2)(2,1)}");
    check_large("u8[9223372036854775807]");
    check_large("u8[3037000499,3037000499] strides=(-3037000499,-1)");
}

/// Too large to be listed: searched for, one by one.
#[test]
fn large_maps_whose_digits_overlap() {
    let map = map("u8[3000,1000] strides=(3,8192)");
    let offsets = [0, 8997, 8192, 999 * 8192 + 8997, 8190 + 8192, 1];
    let mut indices = [7; 12];
    map.inverse_lookup().unwrap().indices_at(&offsets, &mut indices).unwrap();
    for (place, index) in indices.chunks(2).enumerate().take(5) {
        assert_eq!(map.offset(index).unwrap(), offsets[place]);
    }
    assert_eq!(indices[10..], [-1, -1]);
    assert!(map.indices_at(&[-1i64], &mut [0; 2]).unwrap_err().is_out_of_bounds());
}

#[test]
fn narrower_numbers_will_do() {
    let map = map("f32[3,5]{1,0:T(2,2)}");
    let mut indices = [0; 6];
    map.indices_at(&[17u8, 9, 10], &mut indices).unwrap();
    assert_eq!(indices, [2, 3, -1, -1, 1, 4]);
    map.indices_at(&[10i32, 17, 9], &mut indices).unwrap();
    assert_eq!(indices, [1, 4, 2, 3, -1, -1]);
}

#[test]
fn what_is_outside_the_allocation_is_named() {
    let refused = |text: &str, offsets: &[i64]| {
        let map = map(text);
        let mut indices = vec![0; offsets.len() * map.dims().len()];
        let error = map.indices_at(offsets, &mut indices).unwrap_err();
        assert!(error.is_out_of_bounds(), "{text}");
        let prepared = map.inverse_lookup().unwrap().indices_at(offsets, &mut indices).unwrap_err();
        assert_eq!(error, prepared);
        error.to_string()
    };
    let expected = "entry 1: offset 24 is outside the allocation of 24 elements";
    assert_eq!(refused("f32[3,5]{1,0:T(2,2)}", &[23, 24, -1]), expected);
    let expected = "entry 0: offset -1 is outside the allocation of 24 elements";
    assert_eq!(refused("f32[3,5]{1,0:T(2,2)}", &[-1]), expected);
    let expected = "entry 2: offset 5 is outside the allocation of 15 elements";
    assert_eq!(refused("f32[3,5] strides=(-20,4)", &[-10, 4, 5]), expected);
    let expected = "entry 0: offset -9223372036854775808 is outside the allocation of 15 elements";
    assert_eq!(refused("f32[3,5] strides=(-20,4)", &[i64::MIN]), expected);
    let expected = "entry 0: offset 9223372036854775807 is outside the allocation of 64 elements";
    assert_eq!(refused("f16 Sw<3,0,3> o 0 o (8,8):(8,1)", &[i64::MAX]), expected);
    let expected = "entry 0: offset 0 is outside the allocation of 0 elements";
    assert_eq!(refused("f32[0,3]", &[0]), expected);
}

/// Anywhere in a list, whichever way is taken, and in numbers of whichever length.
#[test]
fn what_is_outside_is_found_in_every_block() {
    for text in [
        "f32[9,11]{1,0:T(2,4)}",
        "f32[9,11]{1,0:T(3,4)}",
        "f32[8,16]{1,0:T(2,4)}",
        "f32[9,11]{1,0:T(*,8)(2,1)}",
        "f32[9,11] strides=(-44,4)",
        "f32[9,11] strides=(8,8)",
        "f32[9,11,1,1,1]{1,0,4,3,2:T(2,4)}",
        "f16 Sw<3,0,3> o 0 o (8,8):(8,1)",
        "u8[9,11] strides=(4294967296,1)",
    ] {
        let map = map(text);
        let lookup = map.inverse_lookup().unwrap();
        let (lowest, end) = (map.lowest_offset(), map.lowest_offset() + map.allocation());
        let mut indices = vec![0; 1300 * map.dims().len()];
        for entry in [0, 1, 255, 256, 511, 512, 1299] {
            for outside in [end, lowest - 1, i64::MAX, i64::MIN, end + (1 << 32), end + (1 << 31)] {
                let mut offsets = vec![lowest; 1300];
                offsets[entry] = outside;
                let error = lookup.indices_at(&offsets, &mut indices).unwrap_err().to_string();
                let start = format!("entry {entry}: offset {outside} is outside the allocation");
                assert!(error.starts_with(&start), "{text}: {error}");
                let short: Result<Vec<i32>, _> = offsets.iter().map(|&o| o.try_into()).collect();
                if let Ok(short) = short {
                    let of_short = lookup.indices_at(&short, &mut indices).unwrap_err();
                    assert_eq!(of_short.to_string(), error, "{text}");
                }
            }
        }
    }
}

#[test]
fn lists_are_as_long_as_they_say() {
    let map = map("f32[3,5]");
    let error = map.indices_at(&[0i64, 1], &mut [0; 5]).unwrap_err();
    assert_eq!(error.to_string(), "5 numbers are not 2 indices of rank 2");
    assert!(map.indices_at::<i64>(&[], &mut []).is_ok());
}
