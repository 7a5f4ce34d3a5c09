//! Maps of merged coordinates: where a shape and stride has their offsets it is said, and only there.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use tilewright::map::{Notation, fit};
use tilewright::{IndexMap, Shape};

fn map(text: &str) -> IndexMap {
    text.parse::<Shape>().unwrap().index_map().unwrap()
}

/// Every tile of up to this many dimensions, of sizes 1 to 3 and `*` before a size.
fn tiles(most_dims: usize) -> Vec<String> {
    let sizes = ["1", "2", "3"].map(str::to_owned).to_vec();
    let mut all = sizes.clone();
    let mut longest = sizes;
    for _ in 1..most_dims {
        let before = |tile: &String| ["1", "2", "3", "*"].map(|size| format!("{size},{tile}"));
        longest = longest.iter().flat_map(before).collect();
        all.extend_from_slice(&longest);
    }
    all
}

fn both<'a>(ones: &'a [String], others: &'a [String]) -> impl Iterator<Item = (&'a str, &'a str)> {
    ones.iter().flat_map(|one| others.iter().map(|other| (one.as_str(), other.as_str())))
}

/// Every layout of up to 4 x 4 under two such tiles. Whether there is a shape and stride is asked of the table of
/// offsets, by `fit`, which `fit.rs` holds to every list of digits.
#[test]
fn what_has_a_shape_and_stride_is_said() {
    let (mut n_found, mut n_none) = (0, 0);
    let (first, second) = (tiles(2), tiles(3));
    for dims in (1..=4).flat_map(|rows| (1..=4).map(move |columns| [rows, columns])) {
        for order in ["1,0", "0,1"] {
            for (first, second) in both(&first, &second) {
                let text = format!("u8[{},{}]{{{order}:T({first})({second})}}", dims[0], dims[1]);
                let map = map(&text);
                let offsets = map.offsets().unwrap();
                let fitted = fit(&dims, &offsets).unwrap();
                match map.to_notation(Notation::Tla, 8) {
                    Ok(lifted) => {
                        let layout = lifted.parse().unwrap();
                        let again = IndexMap::from_tla(&layout).unwrap();
                        assert_eq!(again.offsets().unwrap(), offsets, "{text}: {lifted}");
                        n_found += usize::from(!map.is_separable());
                    }
                    Err(reason) if reason.to_string().contains("the allocation is") => {}
                    Err(reason) => {
                        assert!(fitted.is_err(), "{text}: {reason}, and there is {fitted:?}");
                        n_none += 1;
                    }
                }
                if let Ok(layout) = map.to_xla_layout() {
                    let again = IndexMap::from_layout(&dims, &layout).unwrap();
                    assert_eq!(again.offsets().unwrap(), offsets, "{text}: {layout}");
                }
            }
        }
    }
    assert!(n_found > 10, "{n_found} were found by their offsets");
    assert!(n_none > 1000, "{n_none} are none");
}

/// What a dimension is made of again is one digit of it, and is cut as that, however large it is.
#[test]
fn a_dimension_that_is_merged_again_is_one() {
    for text in ["u8[4,4]{0,1:T(2)(2,*,3)}", "u8[4000,400000]{0,1:T(2)(2,*,3)}"] {
        assert!(map(text).is_separable(), "{text}");
    }
    let lifted = map("u8[4,4]{0,1:T(2)(2,*,3)}").to_notation(Notation::Tla, 8).unwrap();
    assert_eq!(lifted, "((3,2),(2,2)):((1,6),(3,12)):(4,4)");
}

/// A merged coordinate stays, and the offsets are looked through.
#[test]
fn offsets_say_it_where_the_form_does_not() {
    let text = "f32[3,2]{1,0:T(4)(*,*,6)(10)}";
    let map = map(text);
    assert!(!map.is_separable());
    assert_eq!(map.offsets().unwrap(), [0, 1, 4, 5, 12, 13]);
    let layout = map.to_xla_layout().unwrap();
    let again = IndexMap::from_layout(map.dims(), &layout).unwrap();
    assert_eq!(again.offsets().unwrap(), map.offsets().unwrap(), "{layout}");
    // `T(4)` pads each row to 4.
    assert_eq!(map.padded_dims(), Some(vec![4, 4]));
}

/// Of dimensions that are merged and have more than 2^20 elements together, nothing is looked through; others may be
/// as large as they like.
#[test]
fn the_limit_is_of_the_dimensions_that_are_merged() {
    let at = |n: i64| map(&format!("f32[{n},3,2]{{2,1,0:T(4)(*,*,6)(10)}}"));
    let lifted = at(1 << 40).to_notation(Notation::Tla, 32).unwrap();
    let n = 1i64 << 40;
    assert_eq!(lifted, format!("({n},(2,2),4):(20,(4,12),1):({n},3,2)"));
    let merged = |n: i64| {
        // Rows from the middle one on are behind the cut, and the last ends before a second one.
        let half = n / 2 + 1;
        map(&format!("f32[{n},2]{{1,0:T(4)(*,*,{})({})}}", 4 * half - 2, 4 * half + 2))
    };
    // Columns are in no merged coordinate: to cut 4*i0 + i1 by an even number is to cut 2*i0 by half of it.
    let small = merged(1 << 20);
    assert!(!small.is_separable() && small.to_xla_layout().is_ok());
    let reason = merged((1 << 20) + 1).to_xla_layout().unwrap_err().to_string();
    assert!(reason.contains("more than 1048576 elements"), "{reason}");
}

/// Tiles of 35 in tiles of 98 straddle the pieces of one dimension each; tiles of 7 across rows take both dimensions
/// together. Either array has four million elements.
#[test]
fn the_limit_is_of_a_group() {
    let is_too_large = |text: &str| {
        let reason = map(text).to_xla_layout().unwrap_err().to_string();
        reason.contains("more than 1048576 elements")
    };
    assert!(!is_too_large("f32[2000,2000]{1,0:T(98,98)(35,35)}"));
    assert!(is_too_large("f32[2000,2000]{1,0:T(*,7)(3,1)}"));
}

/// Dimensions that no merged coordinate takes together are looked at one by one, so that the limit and the time are of
/// each and not of the array: the largest offset of the fuzzers' slowest array is found along its five dimensions.
#[test]
fn dimensions_that_are_not_tied_together_are_looked_at_apart() {
    let text =
        "f8e4m3b11fnuz[640,640,4096,24,1000]{1,4,2,3,0:T(98,102,49,54,1)(64,9,128,8,2,8,35,16)}";
    let map = map(text);
    assert!(!map.is_separable());
    let along = |dim: usize| {
        let at = |value: i64| {
            let mut index = vec![0; 5];
            index[dim] = value;
            map.offset(&index).unwrap()
        };
        (0..map.dims()[dim]).map(at).max().unwrap()
    };
    assert_eq!(map.max_offset().unwrap(), Some((0..5).map(along).sum()));
}
