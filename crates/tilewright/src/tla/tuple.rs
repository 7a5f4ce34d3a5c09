//! Nested tuples.

use std::fmt;

use super::Int;
use crate::error::{Error, Kind};

/// A value, or a tuple of nested tuples.
///
/// A value and a tuple of one are different: `4` has depth 0, `(4)` has depth 1.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Nested<T> {
    /// A value.
    Leaf(T),
    /// A tuple, possibly empty.
    Tuple(Vec<Nested<T>>),
}

/// A nested tuple of integers: a shape, a stride or a coordinate.
///
/// ```
/// use tilewright::tla::IntTuple;
/// let shape: IntTuple = "((_16,2),(_16,3))".parse()?;
/// assert_eq!((shape.rank(), shape.depth()), (2, 2));
/// assert_eq!(shape.get(&[1, 1])?.to_string(), "3");
/// assert_eq!(shape.product()?.value(), 1536);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type IntTuple = Nested<Int>;

impl<T> Nested<T> {
    /// The number of elements at the top: 1 for a value.
    pub fn rank(&self) -> usize {
        match self {
            Nested::Leaf(_) => 1,
            Nested::Tuple(elements) => elements.len(),
        }
    }

    /// 0 for a value, one more than the deepest element for a tuple.
    pub fn depth(&self) -> usize {
        match self {
            Nested::Leaf(_) => 0,
            Nested::Tuple(elements) => 1 + elements.iter().map(Nested::depth).max().unwrap_or(0),
        }
    }

    /// Whether it is a value and not a tuple.
    pub fn is_leaf(&self) -> bool {
        matches!(self, Nested::Leaf(_))
    }

    /// The elements at the top; a value is its own only one.
    pub fn elements(&self) -> &[Nested<T>] {
        match self {
            Nested::Leaf(_) => std::slice::from_ref(self),
            Nested::Tuple(elements) => elements,
        }
    }

    /// The element at a path of positions: `[0, 1]` is the second of the first. The empty path is
    /// the whole.
    ///
    /// # Errors
    /// If there is no such element.
    pub fn get(&self, path: &[usize]) -> Result<&Self, Error> {
        path.iter().try_fold(self, |tuple, &position| {
            tuple.elements().get(position).ok_or_else(|| {
                let message =
                    format!("there is no element {position} in a tuple of {}", tuple.rank());
                Error::new(Kind::Invalid { message })
            })
        })
    }

    /// The values, left to right.
    pub fn leaves(&self) -> impl Iterator<Item = &T> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Nested::Leaf(value) => return Some(value),
                    Nested::Tuple(elements) => stack.extend(elements.iter().rev()),
                }
            }
        })
    }

    /// The same nesting with each value changed.
    ///
    /// # Errors
    /// The first that `change` makes.
    pub fn try_map<U, E>(
        &self,
        change: &mut impl FnMut(&T) -> Result<U, E>,
    ) -> Result<Nested<U>, E> {
        Ok(match self {
            Nested::Leaf(value) => Nested::Leaf(change(value)?),
            Nested::Tuple(elements) => {
                let changed = elements.iter().map(|element| element.try_map(change));
                Nested::Tuple(changed.collect::<Result<_, E>>()?)
            }
        })
    }

    /// The same nesting with each value changed.
    pub fn map<U>(&self, mut change: impl FnMut(&T) -> U) -> Nested<U> {
        let mapped: Result<_, std::convert::Infallible> =
            self.try_map(&mut |value| Ok(change(value)));
        match mapped {
            Ok(mapped) => mapped,
        }
    }

    /// Whether the nesting is the same, whatever the values.
    pub fn is_congruent<U>(&self, other: &Nested<U>) -> bool {
        match (self, other) {
            (Nested::Leaf(_), Nested::Leaf(_)) => true,
            (Nested::Tuple(a), Nested::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_congruent(b))
            }
            _ => false,
        }
    }

    /// Whether this nesting is where the other's begins: each value here is a value or any tuple
    /// there.
    pub fn is_weakly_congruent<U>(&self, other: &Nested<U>) -> bool {
        match (self, other) {
            (Nested::Leaf(_), _) => true,
            (Nested::Tuple(a), Nested::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_weakly_congruent(b))
            }
            _ => false,
        }
    }
}

impl<T: Clone> Nested<T> {
    /// The values as a tuple of depth 1; a value stays one.
    pub fn flatten(&self) -> Self {
        match self {
            Nested::Leaf(_) => self.clone(),
            Nested::Tuple(_) => Nested::Tuple(self.leaves().cloned().map(Nested::Leaf).collect()),
        }
    }
}

impl IntTuple {
    /// A flat tuple of dynamic integers.
    pub fn dynamic(values: &[i64]) -> Self {
        Nested::Tuple(values.iter().map(|&value| Nested::Leaf(Int::dynamic(value))).collect())
    }

    /// The product of all integers; 1 for the empty tuple.
    ///
    /// # Errors
    /// If it does not fit 64 bits.
    pub fn product(&self) -> Result<Int, Error> {
        self.leaves().try_fold(Int::fixed(1), |product, &value| product.times(value))
    }

    /// The product of each element at the top, as a flat tuple; of a value, the value.
    ///
    /// # Errors
    /// If one does not fit 64 bits.
    pub fn product_each(&self) -> Result<Self, Error> {
        match self {
            Nested::Leaf(_) => Ok(self.clone()),
            Nested::Tuple(elements) => {
                let products = elements.iter().map(|element| element.product().map(Nested::Leaf));
                products.collect::<Result<_, _>>().map(Nested::Tuple)
            }
        }
    }

    /// Whether every integer is static.
    pub fn is_static(&self) -> bool {
        self.leaves().all(|value| value.is_static())
    }

    /// The same integers, all dynamic.
    pub fn to_dynamic(&self) -> Self {
        self.map(|value| Int::dynamic(value.value()))
    }

    /// The numbers alone, left to right.
    pub fn values(&self) -> Vec<i64> {
        self.leaves().map(|value| value.value()).collect()
    }

    /// Whether coordinates of this shape are coordinates of the other too: at each integer here,
    /// the other has as many elements, nested or not.
    ///
    /// # Errors
    /// If a product does not fit 64 bits.
    pub fn is_compatible(&self, other: &IntTuple) -> Result<bool, Error> {
        match (self, other) {
            (Nested::Leaf(value), other) => Ok(value.value() == other.product()?.value()),
            (Nested::Tuple(a), Nested::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(b).try_fold(true, |all, (a, b)| Ok(all && a.is_compatible(b)?))
            }
            _ => Ok(false),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Nested<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nested::Leaf(value) => value.fmt(f),
            Nested::Tuple(elements) => {
                f.write_str("(")?;
                for (position, element) in elements.iter().enumerate() {
                    if position > 0 {
                        f.write_str(",")?;
                    }
                    element.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

impl<T: fmt::Display> fmt::Debug for Nested<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
