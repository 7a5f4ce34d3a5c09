//! Formulas, worked out, against the map: at every element and at every slot.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use support::{Random, all_offsets, any_layout, named, occupied, row_major_index};
use tilewright::IndexMap;
use tilewright_emit::{index_formula, offset_formula};

/// Whether there was a formula for the index too.
fn check(text: &str, map: &IndexMap) -> bool {
    let formula = offset_formula(map);
    let offsets = all_offsets(map);
    for (number, &expected) in offsets.iter().enumerate() {
        let index = row_major_index(map.dims(), number as i64);
        let found = formula.evaluate(&index).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found, Some(vec![expected]), "{text} at {index:?}");
    }
    let Some(inverse) = index_formula(map) else { return false };
    for (slot, is_occupied) in occupied(map).into_iter().enumerate() {
        let offset = map.lowest_offset() + slot as i64;
        let found = inverse.evaluate(&[offset]).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found.is_some(), is_occupied, "{text} at offset {offset}");
        if let Some(index) = found {
            // Of elements that share a slot, any one.
            assert_eq!(map.offset(&index), Ok(offset), "{text}: {index:?} at offset {offset}");
        }
    }
    true
}

#[test]
fn random_layouts() {
    let mut random = Random(20);
    let mut n_without_index = 0;
    for _ in 0..1000 {
        let (text, map) = any_layout(&mut random);
        let has_index = check(&text, &map);
        // What comes apart in one way has a formula.
        assert!(has_index || !map.is_ordered(), "{text}");
        n_without_index += usize::from(!has_index);
    }
    assert!(n_without_index < 300, "{n_without_index} of 1000 have no formula for the index");
}

/// What is worked out for a slot of padding may be no index of the array; no range that the formula stands on is
/// left all the same. Found by the fuzz target `emitted`.
#[test]
fn padding_under_a_swizzle() {
    let text = "Sw<1,3,-3> o 0 o (28,5):(1,29)";
    let map = IndexMap::from_composition(&text.parse().unwrap()).unwrap();
    assert!(check(text, &map));
}

#[test]
fn layouts_with_names() {
    let mut n_checked = 0;
    for array in named() {
        let map = array.index_map();
        if map.allocation() > 1 << 18 {
            continue; // the same layouts are there in smaller sizes, or checked by samples below
        }
        assert!(check(&array.to_string(), map), "{array}");
        n_checked += 1;
    }
    assert!(n_checked > 30, "{n_checked}");
}

/// Tiles that cut what tiles have cut: each coordinate is an expression once, so that formulas grow with the depth.
#[test]
fn deep_tiles() {
    for depth in [1, 5, 12] {
        let text = format!("u8[100,90]{{1,0:T(4,5){}}}", "(*,*,*,7)(2,3)".repeat(depth));
        let map = text.parse::<tilewright::notation::Described>().unwrap().index_map().unwrap();
        assert!(check(&text, &map), "{text}");
        let formula = offset_formula(&map);
        let n_expressions = formula.arena.reachable(&formula.roots()).len();
        assert!(n_expressions < 60 * (depth + 1), "{n_expressions} expressions {depth} deep");
    }
}

/// Of arrays too large to be looked at whole: the index at the offset of an index.
#[test]
fn large_layouts_at_random_elements() {
    let mut random = Random(5);
    let mut texts: Vec<String> = [
        "f32[1000003,999983]{1,0:T(8,128)}",
        "bf16[70001,65521]{0,1:T(7,13)(2,1)}",
        "u8[3000000019]",
        "s8[4000,5000,600]{1,2,0:T(6,10)}",
        "f32[100000,30000] strides=(-480000,4)",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.extend(named().iter().map(ToString::to_string));
    for text in texts {
        let map = text.parse::<tilewright::notation::Described>().unwrap().index_map().unwrap();
        let (formula, inverse) = (offset_formula(&map), index_formula(&map).unwrap());
        for _ in 0..200 {
            let index: Vec<i64> = map.dims().iter().map(|&extent| random.below(extent)).collect();
            let offset = map.offset(&index).unwrap();
            assert_eq!(formula.evaluate(&index).unwrap(), Some(vec![offset]), "{text}");
            assert_eq!(inverse.evaluate(&[offset]).unwrap(), Some(index), "{text}");
            let anywhere = map.lowest_offset() + random.below(map.allocation());
            let found = inverse.evaluate(&[anywhere]).unwrap();
            assert_eq!(found, map.index(anywhere).unwrap(), "{text}");
        }
    }
}

#[test]
fn words_are_as_wide_as_the_allocation_needs() {
    let is_narrow = |text: &str| {
        let map = text.parse::<tilewright::notation::Described>().unwrap().index_map().unwrap();
        (offset_formula(&map).is_narrow(), index_formula(&map).unwrap().is_narrow())
    };
    assert_eq!(is_narrow("f32[8192,8192]{1,0:T(8,128)}"), (true, true));
    assert_eq!(is_narrow("f32[46341,46341]{1,0:T(8,128)}"), (false, false));
}
