//! Strides: how far one step along a mode goes.

use std::collections::BTreeMap;
use std::fmt;

use super::Int;
use crate::error::{Error, invalid};

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
        let mut sum = self.clone();
        sum.add(other.clone())?;
        Ok(sum)
    }

    /// [`plus`](Self::plus) in place, in time of the other's directions: a sum of `n` strides along
    /// a direction each takes `n` steps of this and not `n²`.
    pub(crate) fn add(&mut self, other: Stride) -> Result<(), Error> {
        match (&mut *self, other) {
            (Stride::Elements(a), Stride::Elements(b)) => *a = a.plus(b)?,
            (Stride::Elements(zero), steps) if zero.value() == 0 => *self = steps,
            (Stride::Steps(_), Stride::Elements(zero)) if zero.value() == 0 => {}
            (Stride::Steps(sum), Stride::Steps(more)) => add_steps(sum, more)?,
            (a, b) => {
                return invalid(format!("{a} and {b} cannot be added: elements and steps"));
            }
        }
        Ok(())
    }

    /// All of these, one after the other.
    pub(crate) fn sum(
        strides: impl IntoIterator<Item = Result<Stride, Error>>,
    ) -> Result<Stride, Error> {
        let mut sum = Stride::from(Int::fixed(0));
        for stride in strides {
            sum.add(stride?)?;
        }
        Ok(sum)
    }
}

fn add_steps(
    sum: &mut BTreeMap<Vec<usize>, Int>,
    more: BTreeMap<Vec<usize>, Int>,
) -> Result<(), Error> {
    for (direction, count) in more {
        let so_far = sum.entry(direction).or_insert(Int::fixed(0));
        *so_far = so_far.plus(count)?;
    }
    Ok(())
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
