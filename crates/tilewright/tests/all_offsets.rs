//! All offsets of a map, as a list, by rows and iterated over, are the offsets of each element.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

use tilewright::IndexMap;
use tilewright::map::OffsetRows;
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

/// Each element's offset, one by one.
fn truth(map: &IndexMap) -> Vec<i64> {
    let dims = map.dims();
    (0..map.elements()).map(|number| map.offset(&row_major_index(dims, number)).unwrap()).collect()
}

fn by_rows(rows: &OffsetRows) -> Vec<i64> {
    let mut offsets = vec![-7; rows.n_rows() * rows.row_len()];
    for (number, row) in offsets.chunks_mut(rows.row_len().max(1)).enumerate() {
        rows.fill(number, row);
    }
    rows.fill(rows.n_rows(), &mut offsets); // No such row.
    offsets
}

/// Checks all ways to all offsets of a map with few enough elements.
#[track_caller]
fn check(text: &str) {
    let map = map(text);
    let expected = truth(&map);
    assert!(map.offsets().unwrap() == expected, "{text}, as a list");
    let mut offsets = vec![-7; expected.len()];
    map.offsets_into(&mut offsets).unwrap();
    assert!(offsets == expected, "{text}, into a list");
    let rows = map.rows().unwrap();
    assert!(by_rows(&rows) == expected, "{text}, by rows");
    check_iterated(text, &rows, &expected);
}

fn check_iterated(text: &str, rows: &OffsetRows, expected: &[i64]) {
    assert!(rows.iter().eq(expected.iter().copied()), "{text}, one by one");
    let mut together = Vec::new();
    rows.into_iter().for_each(|offset| together.push(offset));
    assert!(together == expected, "{text}, all at once");
    // From everywhere on: before, in, and after the offsets that are ready.
    for first in [1, 2, 511, 512, 1000, 1023, 1024, 1025, 3000, expected.len()] {
        let mut offsets = rows.iter();
        if let Some(after) = offsets.next() {
            assert_eq!(
                (after, offsets.nth(first)),
                (expected[0], expected.get(first + 1).copied())
            );
        }
        let mut offsets = rows.iter();
        assert_eq!(offsets.nth(first), expected.get(first).copied(), "{text}, number {first}");
        let rest = expected.get(first + 1..).unwrap_or_default();
        assert_eq!(offsets.size_hint(), (rest.len(), Some(rest.len())), "{text} after {first}");
        let mut together = Vec::new();
        offsets.clone().for_each(|offset| together.push(offset));
        assert!(together == rest, "{text}, all after {first}");
        assert!(offsets.by_ref().eq(rest.iter().copied()), "{text}, one by one after {first}");
        assert_eq!(
            (offsets.next(), offsets.nth(3), offsets.size_hint()),
            (None, None, (0, Some(0)))
        );
    }
}

#[test]
fn tiles_of_every_rank() {
    check("f32[]");
    check("f32[]{:T(256)}");
    check("f32[700]{0:T(128)}");
    check("f32[5000]");
    check("bf16[30,300]{1,0:T(8,128)(2,1)}");
    check("f32[60,60]{0,1:T(8,128)}");
    check("f32[70,90]{1,0:T(6,10)(3,1)}");
    check("f32[5,30,31]{0,2,1:T(8,128)}");
    check("s8[3,5,30,7]{3,2,1,0:T(8,16)(4,1)}");
    check("f32[2,3,4,5,6,7]{1,3,5,0,2,4:T(2,3)(2,1)}");
}

#[test]
fn rows_of_every_length() {
    for columns in [1, 2, 3, 255, 256, 257, 511, 512, 513, 1023, 1025, 4097] {
        check(&format!("f32[3,{columns}]{{1,0:T(2,128)}}"));
        check(&format!("f32[{columns},3]{{1,0:T(8,2)}}"));
        check(&format!("f32[3,{columns}]{{1,0:T(*,8)(2,1)}}"));
    }
}

/// Dimensions that are cut into pieces, equal or not, and, where no cut leaves all digits whole, are
/// not cut at all.
#[test]
fn long_dimensions() {
    check("f32[16384]{0:T(1024)}");
    check("f32[16389]{0:T(1024)}");
    check("f32[5003,2]{1,0:T(1021,2)}");
    if !cfg!(miri) {
        check("f32[40000]{0:T(1000)}");
        check("f32[3,20000,2]{2,1,0:T(8,2)}");
        check("f32[30000,3]{0,1:T(6,10)}");
        check("f32[2,65536]{0,1:T(8,128)(2,1)}");
        check("f32[1048583]");
        check("f32[1048583]{0:T(1031)}");
        check("f32[349529,4]{1,0:T(8,2)}");
        check("f32[3,20011]{1,0:T(*,8)(2,1)}");
        check("((64,1024),3):((3,192),1)");
    }
}

/// How long rows are does not depend on the layout.
#[test]
fn rows_of_part_of_a_dimension() {
    let row_len = |text: &str| map(text).rows().unwrap().row_len();
    assert_eq!(row_len("f32[16777216]"), 4096);
    assert_eq!(row_len("f32[16777216]{0:T(1000)}"), 4096);
    assert_eq!(row_len("f32[15000000]"), 4000);
    assert_eq!(row_len("f32[15000000,2]{0,1:T(2,1024)}"), 4000);
    assert_eq!(row_len("f32[4,15000000]{1,0:T(2,1024)}"), 4000);
    assert_eq!(row_len("f32[16777213]"), 1);
    assert_eq!(row_len("f32[3,16777213]"), 1);
    assert_eq!(row_len("f32[4096,4096]{1,0:T(8,128)}"), 4096);
    assert_eq!(row_len("f32[4096,50257]{1,0:T(8,128)}"), 50257);
    assert_eq!(row_len("f32[7,9]{1,0:T(*,8)(2,1)}"), 63);
    assert_eq!(row_len("f32[0,9]"), 0);
}

#[test]
fn tiles_that_straddle_dimensions() {
    check("f32[7,9]{1,0:T(*,8)(2,1)}");
    check("f32[5,7,9]{2,1,0:T(*,*,8)(2,1)}");
    check("f32[33,41,3]{2,1,0:T(*,8)(2,1)}");
    check("f32[3,1111]{1,0:T(*,8)(2,1)(3,1)}");
    check("f32[70,11]{1,0:T(*,8)(3)(5)}");
    check("f32[50,13]{1,0:T(*,4)(*,3)(5,2)}");
}

#[test]
fn strides_of_either_sign_and_of_none() {
    check("f32[3,5] strides=(-20,4)");
    check("f32[30,50] strides=(-200,-4)");
    check("f32[3,500] strides=(0,4)");
    check("f32[3,500] strides=(0,0)");
    check("((2,2),(2,3)):((2,-12),(1,4)):(3,5)");
}

#[test]
fn swizzles_and_composed_layouts() {
    check("f16 Sw<3,0,3> o 0 o (8,8):(8,1)");
    check("f16 Sw<2,4,3> o 0 o (32,64):(64,1)");
    check("(6,4):(4,1) o 3 o (4,3):(3,1)");
    check("(5,40):(40,1) o 4 o (4,3):(3,1)");
    check("(500,40):(40,1) o 9 o (40,30):(31,1)");
}

#[test]
fn arrays_without_elements() {
    for text in ["f32[0]", "f32[0,3]", "f32[3,0]{1,0:T(2,2)}", "f32[0,9]{1,0:T(*,8)(2,1)}"] {
        check(text);
        let map = map(text);
        assert_eq!((map.rows().unwrap().n_rows(), map.offsets().unwrap()), (0, vec![]));
    }
}

/// Offsets and merged coordinates beyond 32 bits; as many as there are elements would be too many.
#[test]
fn rows_of_maps_too_large_to_list() {
    for text in [
        "f32[1048576,1048576]{1,0:T(8,128)}",
        "f32[70000,700000]{1,0:T(*,8)(2,1)}",
        "u8[2000000000,2000000] strides=(-2000000000,1)",
        "u8[5000000000]{0:T(1000)}",
    ] {
        let map = map(text);
        let rows = map.rows().unwrap();
        let mut row = vec![-7; rows.row_len()];
        for number in [0, 1, rows.n_rows() / 3, rows.n_rows() - 1] {
            rows.fill(number, &mut row);
            let first = number * rows.row_len();
            let iterated: Vec<i64> = rows.iter().skip(first).take(3).collect();
            assert_eq!(iterated, row[..iterated.len()], "{text}, row {number}");
            for place in [0, 1, row.len() / 2, row.len() - 1] {
                let index = row_major_index(map.dims(), i64::try_from(first + place).unwrap());
                assert_eq!(row[place], map.offset(&index).unwrap(), "{text} at {index:?}");
            }
        }
    }
}

#[test]
fn parts_of_rows() {
    for text in ["f32[30,700]{1,0:T(8,128)}", "f32[30,700]{1,0:T(*,8)(2,1)}"] {
        let map = map(text);
        let (rows, expected) = (map.rows().unwrap(), truth(&map));
        for count in [0, 1, 255, 256, 300, 700, 800] {
            let mut part = vec![-7; count];
            rows.fill(2, &mut part);
            let n_filled = count.min(700);
            assert_eq!(part[..n_filled], expected[1400..][..n_filled], "{text}, {count} of a row");
            assert!(part[n_filled..].iter().all(|offset| *offset == -7));
        }
    }
}

#[test]
fn lists_are_as_long_as_they_should_be() {
    let map = map("f32[3,5]{1,0:T(2,2)}");
    for count in [0, 14, 16] {
        let error = map.offsets_into(&mut vec![0; count]).unwrap_err();
        let expected = format!("{count} numbers are not the offsets of 15 elements");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn what_no_memory_holds_is_refused() {
    let error = map("u8[9223372036854775807]").offsets().unwrap_err();
    assert!(error.to_string().contains("memory"), "{error}");
}
