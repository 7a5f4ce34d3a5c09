//! What an expression comes to.

use std::fmt;

use tilewright::algebra::{Composed, Composition, Swizzle};
use tilewright::tla::{Int, IntTuple, Layout, Nested, Stride};

/// A value of the algebra. `Display` writes it in its notation, a truth value as `yes` or `no`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value {
    /// A layout, or layouts composed.
    Layout(Composition),
    /// A swizzle.
    Swizzle(Swizzle),
    /// Integers, nested, or one.
    Tuple(IntTuple),
    /// Whether it is so.
    Truth(bool),
    /// How many.
    Count(usize),
    /// An answer in words, the argument of nothing.
    Answer(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Layout(layout) => layout.fmt(f),
            Value::Swizzle(swizzle) => swizzle.fmt(f),
            Value::Tuple(tuple) => tuple.fmt(f),
            Value::Truth(truth) => f.pad(if *truth { "yes" } else { "no" }),
            Value::Count(count) => count.fmt(f),
            Value::Answer(text) => text.fmt(f),
        }
    }
}

impl From<Layout> for Value {
    fn from(layout: Layout) -> Self {
        Value::Layout(layout.into())
    }
}

impl From<Composed> for Value {
    fn from(composed: Composed) -> Self {
        Value::Layout(composed.into())
    }
}

impl From<Composition> for Value {
    fn from(composition: Composition) -> Self {
        Value::Layout(composition)
    }
}

impl From<Swizzle> for Value {
    fn from(swizzle: Swizzle) -> Self {
        Value::Swizzle(swizzle)
    }
}

impl From<IntTuple> for Value {
    fn from(tuple: IntTuple) -> Self {
        Value::Tuple(tuple)
    }
}

impl From<Int> for Value {
    fn from(int: Int) -> Self {
        Value::Tuple(Nested::Leaf(int))
    }
}

/// An integer where it counts elements.
impl From<Stride> for Value {
    fn from(place: Stride) -> Self {
        match place {
            Stride::Elements(offset) => offset.into(),
            steps @ Stride::Steps(_) => Value::Answer(steps.to_string()),
        }
    }
}

impl From<Nested<Stride>> for Value {
    fn from(strides: Nested<Stride>) -> Self {
        let elements = strides.try_map(&mut |stride: &Stride| stride.elements());
        elements.map_or_else(|_| Value::Answer(strides.to_string()), Value::Tuple)
    }
}

impl From<bool> for Value {
    fn from(answer: bool) -> Self {
        Value::Truth(answer)
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Value::Count(count)
    }
}
