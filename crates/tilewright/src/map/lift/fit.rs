//! The layout, if there is one, that a table of offsets or any other function is.

use std::fmt;

use crate::algebra::digit_counts;
use crate::arithmetic::checked_product;
use crate::error::{Error, Kind, checked, invalid};
use crate::map::IndexMap;
use crate::map::compare::row_major_index;
use crate::tla::{Int, IntTuple, Layout, Nested, Stride};

/// A function of at most so many elements is asked for the offset of each.
const MAX_ELEMENTS_ASKED: i64 = 1 << 28;

/// A layout found in a table or another function, and the offset of its first element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The offset at the index of zeros.
    pub base: i64,
    /// The layout of the offsets beyond the base.
    pub layout: Layout,
}

/// Why offsets are no layout's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    let elements = n_elements(dims)?;
    if i64::try_from(offsets.len()) != Ok(elements) {
        return invalid(format!(
            "a table of {} offsets is not one for each of {elements} elements",
            offsets.len()
        ));
    }
    fit_places(dims, |place| offsets.get(place).copied().unwrap_or(0))
}

/// The layout that is this function from an index to an offset.
///
/// Complete as [`fit`] is, and as it does asks for every element: for those along each dimension
/// first, then for all in row-major order until one is not where the layout says. There may be at
/// most 2²⁸.
///
/// ```
/// use tilewright::map::fit_function;
/// let fitted = fit_function(&[6, 10], |index| match *index {
///     [row, column] => 100 + (row * 16 + column) * 4,
///     _ => 0,
/// })??;
/// assert_eq!((fitted.base, fitted.layout.to_string().as_str()), (100, "(6,10):(64,4):(6,10)"));
/// let swizzled = fit_function(&[4, 4], |index| index[0] * 4 + (index[0] ^ index[1]))?;
/// assert_eq!(
///     swizzled.unwrap_err().to_string(),
///     "the offset at [1, 1] is not what the offsets along single dimensions add up to"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The outer one: if a dimension is negative, there are more elements, or a number does not fit 64
/// bits. The inner one: why there is no layout.
pub fn fit_function(
    dims: &[i64],
    mut offset: impl FnMut(&[i64]) -> i64,
) -> Result<Result<Fitted, NotALayout>, Error> {
    let (elements, limit) = (n_elements(dims)?, MAX_ELEMENTS_ASKED);
    if elements > limit {
        return Err(Error::new(Kind::TooLarge { elements, limit }));
    }
    fit_places(dims, |place| offset(&row_major_index(dims, place)))
}

/// The layout that is this function of an element's number in row-major order.
fn fit_places(
    dims: &[i64],
    mut offset: impl FnMut(usize) -> i64,
) -> Result<Result<Fitted, NotALayout>, Error> {
    if dims.contains(&0) {
        let modes: Vec<_> = dims.iter().map(|&size| vec![(size, 0)]).collect();
        return Ok(Ok(Fitted { base: 0, layout: layout_of(&modes, dims)? }));
    }
    let base = offset(0);
    let mut modes = Vec::new();
    for (dim, (&size, step)) in dims.iter().zip(row_major_steps(dims)).enumerate() {
        match digits(&along(size, step, &mut offset))? {
            Ok(digits) => modes.push(digits),
            Err(index) => return Ok(Err(NotALayout::NotDigits { dim, index })),
        }
    }
    let layout = layout_of(&modes, dims)?;
    Ok(match first_other(&layout, base, offset)? {
        Some(place) => Err(NotALayout::NotASum { index: row_major_index(dims, place) }),
        None => Ok(Fitted { base, layout }),
    })
}

fn n_elements(dims: &[i64]) -> Result<i64, Error> {
    match dims.iter().find(|size| **size < 0) {
        Some(size) => invalid(format!("a dimension cannot have {size} elements")),
        None => checked_product(dims.iter().copied()),
    }
}

/// For each dimension the product of the sizes after it: how many elements in row-major order lie
/// between neighbours along it.
fn row_major_steps(dims: &[i64]) -> Vec<i64> {
    let mut steps = vec![1; dims.len()];
    for dim in (1..dims.len()).rev() {
        steps[dim - 1] = steps[dim] * dims[dim];
    }
    steps
}

/// The offsets along one dimension, all other indices 0.
fn along(size: i64, step: i64, offset: &mut impl FnMut(usize) -> i64) -> Vec<i64> {
    let places = (0..size).map(|index| usize::try_from(index * step).unwrap_or(usize::MAX));
    places.map(offset).collect()
}

/// The (count, stride) of each digit, smallest first; or the first index that breaks step.
pub(super) fn digits(values: &[i64]) -> Result<Result<Vec<(i64, i64)>, i64>, Error> {
    let step = |[from, to]: [usize; 2]| i128::from(values[to]) - i128::from(values[from]);
    let counts = match digit_counts(values.len(), |a, b| Ok(step(a) == step(b)))? {
        Ok(counts) => counts,
        Err(place) => return Ok(Err(i64::try_from(place).unwrap_or(i64::MAX))),
    };
    let mut digits = Vec::new();
    let mut taken = 1usize;
    for count in counts {
        let stride = checked(i64::try_from(step([0, taken])).ok(), "a stride")?;
        digits.push((i64::try_from(count).unwrap_or(i64::MAX), stride));
        taken = taken.saturating_mul(count);
    }
    Ok(Ok(digits))
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

/// The number in row-major order of the first element that the layout leads elsewhere.
fn first_other(
    layout: &Layout,
    base: i64,
    mut offset: impl FnMut(usize) -> i64,
) -> Result<Option<usize>, Error> {
    let rows = IndexMap::from_tla(layout)?.rows()?;
    let is_other = |(place, found): (usize, i64)| {
        i128::from(found) + i128::from(base) != i128::from(offset(place))
    };
    Ok(rows.iter().enumerate().position(is_other))
}
