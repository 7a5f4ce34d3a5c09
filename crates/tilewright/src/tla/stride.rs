//! Strides: how far one step along a mode goes.

use std::collections::BTreeMap;
use std::fmt;

use super::Int;
use crate::error::Error;
use crate::xla::invalid;

/// How far one step along a mode goes, and, summed over a coordinate, where it leads.
///
/// Most strides count elements. A *coordinate stride* counts steps along the directions of a
/// coordinate: `1@0` is one step along the first, `2@1@0` two along the second within the first
/// (the innermost position is written last, as CuTe does).
///
/// ```
/// use tilewright::tla::{Int, Stride};
/// let first = Stride::along(Int::fixed(1), &[0]);
/// let second = Stride::along(Int::fixed(1), &[1]);
/// let place = first.times(Int::dynamic(3))?.plus(&second)?;
/// assert_eq!(place.to_string(), "3@0+_1@1");
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stride {
    /// This many elements.
    Elements(Int),
    /// This many steps along each direction; a direction is the positions that lead to it.
    Steps(BTreeMap<Vec<usize>, Int>),
}

impl Stride {
    /// `count` steps along a direction; along the empty one, elements.
    pub fn along(count: Int, direction: &[usize]) -> Self {
        if direction.is_empty() {
            return Stride::Elements(count);
        }
        Stride::Steps([(direction.to_vec(), count)].into())
    }

    /// The number of elements.
    ///
    /// # Errors
    /// If it is a coordinate stride.
    pub fn elements(&self) -> Result<Int, Error> {
        match self {
            Stride::Elements(count) => Ok(*count),
            Stride::Steps(_) => invalid(format!("the stride {self} counts no elements")),
        }
    }

    /// Whether steps lead nowhere.
    pub fn is_zero(&self) -> bool {
        match self {
            Stride::Elements(count) => count.value() == 0,
            Stride::Steps(steps) => steps.values().all(|count| count.value() == 0),
        }
    }

    /// `factor` times as far.
    ///
    /// # Errors
    /// If a count does not fit 64 bits.
    pub fn times(&self, factor: Int) -> Result<Self, Error> {
        Ok(match self {
            Stride::Elements(count) => Stride::Elements(count.times(factor)?),
            Stride::Steps(steps) => Stride::Steps(
                steps
                    .iter()
                    .map(|(direction, count)| Ok((direction.clone(), count.times(factor)?)))
                    .collect::<Result<_, Error>>()?,
            ),
        })
    }

    /// One after the other. Nothing (`0`) and anything is that.
    ///
    /// # Errors
    /// If a count does not fit 64 bits, or one counts elements and the other steps.
    pub fn plus(&self, other: &Stride) -> Result<Self, Error> {
        match (self, other) {
            (Stride::Elements(a), Stride::Elements(b)) => a.plus(*b).map(Stride::Elements),
            (Stride::Elements(zero), steps) | (steps, Stride::Elements(zero))
                if zero.value() == 0 =>
            {
                Ok(steps.clone())
            }
            (Stride::Steps(a), Stride::Steps(b)) => sum(a, b).map(Stride::Steps),
            (a, b) => invalid(format!("{a} and {b} cannot be added: elements and steps")),
        }
    }
}

fn sum(
    a: &BTreeMap<Vec<usize>, Int>,
    b: &BTreeMap<Vec<usize>, Int>,
) -> Result<BTreeMap<Vec<usize>, Int>, Error> {
    let mut sum = a.clone();
    for (direction, count) in b {
        let so_far = sum.get(direction).copied().unwrap_or(Int::fixed(0));
        sum.insert(direction.clone(), so_far.plus(*count)?);
    }
    Ok(sum)
}

impl From<Int> for Stride {
    fn from(count: Int) -> Self {
        Stride::Elements(count)
    }
}

impl fmt::Display for Stride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = match self {
            Stride::Elements(count) => return count.fmt(f),
            Stride::Steps(steps) => steps,
        };
        for (position, (direction, count)) in steps.iter().enumerate() {
            if position > 0 {
                f.write_str("+")?;
            }
            count.fmt(f)?;
            direction.iter().try_for_each(|place| write!(f, "@{place}"))?;
        }
        Ok(())
    }
}
