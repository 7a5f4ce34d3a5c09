//! Which dimensions the default format makes minor and second-minor.

use std::collections::HashMap;

use super::rule::{COLUMNS, TileRule};
use crate::arithmetic::checked_product;
use crate::error::{Error, invalid};

/// The minor and the second-minor dimension of an array of rank 2 or more that has elements.
pub(super) fn minor_and_second_minor(sizes: &[i64], rule: &TileRule) -> Result<[usize; 2], Error> {
    let elements = i128::from(checked_product(sizes.iter().copied())?);
    let dims = deciding_dims(sizes);
    let pairs = dims.iter().flat_map(|&minor| dims.iter().map(move |&second| [minor, second]));
    let best = pairs
        .filter(|[minor, second]| minor != second)
        .min_by_key(|&[minor, second]| weight(elements, sizes[minor], sizes[second], rule));
    match best {
        Some(pair) => Ok(pair),
        None => invalid(format!("an array of rank {} has no second-minor dimension", sizes.len())),
    }
}

/// The dimensions among which the choice is, the last first: of those of one size, only the last
/// two can be chosen. As the product of all sizes fits 64 bits, few sizes are different: no more
/// than 20 above 1.
fn deciding_dims(sizes: &[i64]) -> Vec<usize> {
    let mut seen: HashMap<i64, u32> = HashMap::new();
    let mut is_deciding = |dim: &usize| {
        let n_later = seen.entry(sizes[*dim]).or_default();
        *n_later += 1;
        *n_later <= 2
    };
    (0..sizes.len()).rev().filter(|dim| is_deciding(dim)).collect()
}

/// What the compiler minimises: first whether there is padding, then the padded elements. Padding
/// multiplies by no more than 128 * 8, so that the number fits.
fn weight(elements: i128, minor: i64, second_minor: i64, rule: &TileRule) -> (bool, i128) {
    let is_padded = minor % COLUMNS != 0 || second_minor % rule.rows(second_minor) != 0;
    let padded = round_up(minor, COLUMNS) * round_up(second_minor, rule.weighed_rows(second_minor));
    let others = elements / (i128::from(minor) * i128::from(second_minor));
    (is_padded, padded * others)
}

/// The least multiple of `multiple` that is not below `size`.
pub(super) fn round_up(size: i64, multiple: i64) -> i128 {
    let [size, multiple] = [i128::from(size), i128::from(multiple)];
    (size + multiple - 1) / multiple * multiple
}
