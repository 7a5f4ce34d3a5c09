//! The layout that a table or a function is, and that there is none where none is found.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use tilewright::algebra::fit_offsets;
use tilewright::map::{Fitted, NotALayout, fit, fit_function};
use tilewright::tla::{Int, Nested};
use tilewright::{ArrayShape, IndexMap};

/// Every list of radices, the fastest first, whose last one begins below `n`: the products of those
/// before each.
fn radices(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    let mut begun = vec![vec![1usize]];
    while let Some(products) = begun.pop() {
        let last = *products.last().unwrap();
        if last < n {
            begun.extend((2..=n).map(|radix| [&products[..], &[last * radix]].concat()));
            all.push(products);
        }
    }
    all
}

/// Whether values are sums of digits of these radices, the last of which never wraps.
fn are_digits(values: &[i64], products: &[usize]) -> bool {
    (0..values.len()).all(|place| {
        let mut rest = place;
        let parts = products.iter().rev().map(|&product| {
            let digit = rest / product;
            rest %= product;
            i64::try_from(digit).unwrap() * values[product]
        });
        values[place] == parts.sum::<i64>()
    })
}

/// Every list of this many values below 4 that begins with 0.
fn tables(n: usize) -> impl Iterator<Item = Vec<i64>> {
    (0..4i64.pow(u32::try_from(n - 1).unwrap())).map(move |number| {
        (0..n).map(|place| if place == 0 { 0 } else { number >> (2 * (place - 1)) & 3 }).collect()
    })
}

#[test]
fn a_layout_is_found_exactly_where_there_is_one() {
    for n in 1..=8 {
        let lists = radices(n);
        let size = i64::try_from(n).unwrap();
        for values in tables(n) {
            let padded = lists.iter().any(|products| are_digits(&values, products));
            let found = fit(&[size], &values).unwrap();
            assert_eq!(found.is_ok(), padded, "{values:?}");
            if let Ok(Fitted { base, layout }) = found {
                assert_eq!(base, 0);
                assert_eq!(IndexMap::from_tla(&layout).unwrap().offsets().unwrap(), values);
            }
            let divides = |products: &&Vec<usize>| products.iter().all(|product| n % product == 0);
            let whole = lists.iter().filter(divides).any(|products| are_digits(&values, products));
            let found = fit_offsets(&values).unwrap();
            assert_eq!(found.is_some(), whole, "{values:?}");
            if let Some(layout) = found {
                assert_eq!(layout.size().unwrap().value(), size);
                let at = |index| layout.offset(&Nested::Leaf(Int::dynamic(index))).unwrap();
                assert_eq!((0..size).map(at).collect::<Vec<_>>(), values);
            }
        }
    }
}

#[test]
fn functions() {
    for text in [
        "f32[3,5]{1,0:T(2,2)}",
        "bf16[30,300]{1,0:T(8,128)(2,1)}",
        "f32[5,1,7]{0,2,1}",
        "f32[]",
        "f32[10,10]{1,0:T(5,10)(2,1)}",
    ] {
        let map = text.parse::<ArrayShape>().unwrap().index_map().unwrap();
        let of_table = fit(map.dims(), &map.offsets().unwrap()).unwrap();
        let of_function = fit_function(map.dims(), |index| map.offset(index).unwrap()).unwrap();
        assert_eq!(of_table, of_function, "{text}");
        assert_eq!(of_table.is_ok(), map.is_separable(), "{text}");
    }
    let steps = fit_function(&[7], |index| index[0] * index[0]).unwrap();
    assert_eq!(steps.unwrap_err(), NotALayout::NotDigits { dim: 0, index: 3 });
}

#[test]
fn tables_of_nothing_and_tables_that_are_none() {
    let empty = fit(&[0, 5], &[]).unwrap().unwrap();
    assert_eq!(empty.layout.to_string(), "(0,5):(0,0):(0,5)");
    assert_eq!(fit_function(&[0, 5], |_| 1).unwrap().unwrap(), empty);
    assert!(fit(&[2, 2], &[0, 1, 2]).is_err());
    assert!(fit(&[-1], &[]).is_err());
    assert!(fit_function(&[-2, -2], |_| 0).is_err());
    let error = fit_function(&[1 << 20, 1 << 20], |_| 0).unwrap_err();
    assert!(error.to_string().contains("268435456"), "{error}");
    assert!(fit(&[2], &[i64::MIN, i64::MAX]).is_err());
}
