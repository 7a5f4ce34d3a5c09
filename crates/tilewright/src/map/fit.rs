//! The layout, if there is one, that a table of offsets is.

use std::fmt;

use super::IndexMap;
use super::compare::row_major_index;
use crate::error::Error;
use crate::shape::checked_product;
use crate::tla::{Int, IntTuple, Layout, Nested, Stride};

/// A layout found in a table, and the offset of its first element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The offset at the index of zeros.
    pub base: i64,
    /// The layout of the offsets beyond the base.
    pub layout: Layout,
}

/// Why a table of offsets is no layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotALayout {
    /// The offset at an index is not what the offsets along the single dimensions add up to.
    NotASum {
        /// The first such index.
        index: Vec<i64>,
    },
    /// Along a dimension the offsets do not repeat as digits do.
    NotDigits {
        /// The dimension.
        dim: usize,
        /// The first index along it that breaks the pattern.
        index: i64,
    },
}

impl fmt::Display for NotALayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotALayout::NotASum { index } => write!(
                f,
                "the offset at {index:?} is not what the offsets along single dimensions add up to"
            ),
            NotALayout::NotDigits { dim, index } => {
                write!(f, "along dimension {dim} the offsets fall out of step at index {index}")
            }
        }
    }
}

impl std::error::Error for NotALayout {}

/// The layout whose offsets, in row-major order of the dimensions, are these.
///
/// Complete: where this finds none, no shape and stride has these offsets. Along each dimension
/// the first digit is as long as the offsets go on in even steps, since a layout of shorter
/// digits would coalesce to that.
///
/// ```
/// use tilewright::map::fit;
/// let fitted = fit(&[3, 5], &[0, 1, 4, 5, 8, 2, 3, 6, 7, 10, 12, 13, 16, 17, 20])??;
/// assert_eq!(fitted.layout.to_string(), "((2,2),(2,3)):((2,12),(1,4)):(3,5)");
/// assert!(fit(&[4], &[0, 1, 3, 5])?.is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The outer one: if the table has not one offset per element, or a number does not fit 64 bits.
/// The inner one: why there is no layout.
pub fn fit(dims: &[i64], offsets: &[i64]) -> Result<Result<Fitted, NotALayout>, Error> {
    let elements = checked_product(dims.iter().copied())?;
    if i64::try_from(offsets.len()) != Ok(elements) {
        return crate::xla::invalid(format!(
            "a table of {} offsets is not one for each of {elements} elements",
            offsets.len()
        ));
    }
    let base = offsets.first().copied().unwrap_or(0);
    let mut modes = Vec::new();
    for dim in 0..dims.len() {
        match digits(&along(dims, offsets, dim, base)) {
            Ok(digits) => modes.push(digits),
            Err(index) => return Ok(Err(NotALayout::NotDigits { dim, index })),
        }
    }
    let layout = layout_of(&modes, dims)?;
    Ok(match first_other(&layout, base, dims, offsets)? {
        Some(index) => Err(NotALayout::NotASum { index }),
        None => Ok(Fitted { base, layout }),
    })
}

/// The offsets beyond the base along one dimension, all other indices 0.
fn along(dims: &[i64], offsets: &[i64], dim: usize, base: i64) -> Vec<i64> {
    let step: i64 = dims[dim + 1..].iter().product();
    let places = (0..dims[dim]).map(|index| usize::try_from(index * step).unwrap_or(usize::MAX));
    places.filter_map(|place| offsets.get(place)).map(|offset| offset.wrapping_sub(base)).collect()
}

/// The (count, stride) of each digit, smallest first; or the first index that breaks step.
fn digits(values: &[i64]) -> Result<Vec<(i64, i64)>, i64> {
    let mut digits = Vec::new();
    let mut taken = 1usize;
    while taken < values.len() {
        let stride = values[taken];
        let count = (0..).take_while(|&n| is_at(values, n, taken, stride)).count();
        let run = taken * count;
        let broken = (run..values.len())
            .find(|&i| values[i] != values[i % run].wrapping_add(values[i - i % run]));
        if let Some(index) = broken {
            return Err(i64::try_from(index).unwrap_or(i64::MAX));
        }
        digits.push((i64::try_from(count).unwrap_or(i64::MAX), stride));
        taken = run;
    }
    Ok(digits)
}

/// Whether the value `n` steps of `taken` on is `n` strides.
fn is_at(values: &[i64], n: usize, taken: usize, stride: i64) -> bool {
    let value = n.checked_mul(taken).and_then(|place| values.get(place));
    let expected = i64::try_from(n).ok().and_then(|n| n.checked_mul(stride));
    value.is_some() && value.copied() == expected
}

fn layout_of(modes: &[Vec<(i64, i64)>], dims: &[i64]) -> Result<Layout, Error> {
    let nested = |pick: fn(&(i64, i64)) -> i64| {
        Nested::Tuple(modes.iter().map(|mode| mode_of(mode, pick)).collect())
    };
    let shape: IntTuple = nested(|digit| digit.0).map(|&value| Int::dynamic(value));
    let stride = nested(|digit| digit.1).map(|&value| Stride::from(Int::dynamic(value)));
    Layout::new(shape, stride)?.with_org_shape(IntTuple::dynamic(dims))
}

fn mode_of(digits: &[(i64, i64)], pick: fn(&(i64, i64)) -> i64) -> Nested<i64> {
    match digits {
        [] => Nested::Leaf(pick(&(1, 0))),
        [digit] => Nested::Leaf(pick(digit)),
        _ => Nested::Tuple(digits.iter().map(|digit| Nested::Leaf(pick(digit))).collect()),
    }
}

/// The first index at which the layout is not the table.
fn first_other(
    layout: &Layout,
    base: i64,
    dims: &[i64],
    offsets: &[i64],
) -> Result<Option<Vec<i64>>, Error> {
    let found = IndexMap::from_tla(layout)?.offsets()?;
    let other = found.iter().zip(offsets).position(|(a, b)| a.wrapping_add(base) != *b);
    Ok(other.map(|place| row_major_index(dims, place)))
}
