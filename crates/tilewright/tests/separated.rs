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

/// Every layout of up to 4 x 4 under two such tiles. Whether there is a shape and stride is asked of the table of
/// offsets, by `fit`, which `fit.rs` holds to every list of digits.
#[test]
fn what_has_a_shape_and_stride_is_said() {
    let (mut n_kept, mut n_found, mut n_none) = (0, 0, 0);
    let second = tiles(3);
    for dims in (1..=4).flat_map(|rows| (1..=4).map(move |columns| [rows, columns])) {
        for order in ["1,0", "0,1"] {
            for (first, second) in tiles(2).iter().flat_map(|t| second.iter().map(move |u| (t, u))) {
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
                n_kept += usize::from(!map.is_separable() && fitted.is_ok());
                if let Ok(layout) = map.to_xla_layout() {
                    let again = IndexMap::from_layout(&dims, &layout).unwrap();
                    assert_eq!(again.offsets().unwrap(), offsets, "{text}: {layout}");
                }
            }
        }
    }
    eprintln!("kept {n_kept} found {n_found} none {n_none}");
    assert!(n_found > 10, "{n_found} were found by their offsets");
    assert!(n_none > 1000, "{n_none} are none");
}
