//! Shapes: what a value is before anyone says how it lies in memory.
//!
//! A [`Shape`] is an array of some [`ElementType`] and [dimensions](Dim), or a tuple of shapes,
//! or one of XLA's three kinds of handle: a token, an opaque value, a buffer. An array may carry
//! the [`Layout`](crate::xla::Layout) that says where its elements lie.
//!
//! # Dimension numbers
//! The dimensions of an array of rank *N* are numbered 0 to *N*−1, and are listed in that order.
//! Negative numbers count from the end, as in Python: −1 is the last dimension. The numbers are
//! labels: which dimension is minor (varies fastest in memory) is the layout's to say.
//!
//! The *rank* counts dimensions; the *true rank* counts those of size above 1.
//!
//! By convention the dimensions of small arrays have letters:
//!
//! | rank | letters, dimension 0 first |
//! |---|---|
//! | 2 | y x |
//! | 3 | z y x |
//! | 4 | p z y x |
//!
//! Source: XLA, *Shapes and layout*, "Terminology, notation, and conventions".

mod array;
mod dim;
mod indices;
mod tree;

pub use array::ArrayShape;
pub use dim::{Dim, dimension_letters, resolve_dimension};
pub use indices::Indices;

pub use crate::arithmetic::check_index;

use crate::ElementType;
use crate::error::{Error, Kind};

/// The shape of a value: an array, a tuple of shapes, or a handle.
///
/// ```
/// use tilewright::Shape;
/// let shape: Shape = "(f32[3,5]{1,0:T(2,2)}, token[])".parse()?;
/// assert_eq!(shape.to_string(), "(f32[3,5]{1,0:T(2,2)}, token[])");
/// assert_eq!(shape.leaves().count(), 2);
/// # Ok::<(), tilewright::text::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// An array.
    Array(ArrayShape),
    /// A tuple, possibly empty.
    Tuple(Vec<Shape>),
    /// A token: orders side effects, holds no data.
    Token,
    /// A value known only to the device.
    Opaque,
    /// A buffer that an array lives in, `b(f32[8])`.
    Buffer(ArrayShape),
}

impl Shape {
    /// The array shape.
    ///
    /// # Errors
    /// If this is not an array.
    pub fn as_array(&self) -> Result<&ArrayShape, Error> {
        match self {
            Shape::Array(array) => Ok(array),
            other => Err(Error::new(Kind::NotAnArray { found: other.kind_name() })),
        }
    }

    /// What kind of shape this is, in words.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Shape::Array(_) => "an array",
            Shape::Tuple(_) => "a tuple",
            Shape::Token => "a token",
            Shape::Opaque => "an opaque value",
            Shape::Buffer(_) => "a buffer",
        }
    }

    /// Every shape that is not a tuple, left to right, depth first.
    pub fn leaves(&self) -> impl Iterator<Item = &Shape> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Shape::Tuple(elements) => stack.extend(elements.iter().rev()),
                    leaf => return Some(leaf),
                }
            }
        })
    }

    /// Every array among the [leaves](Self::leaves), buffers' arrays included.
    pub fn arrays(&self) -> impl Iterator<Item = &ArrayShape> {
        self.leaves().filter_map(|leaf| match leaf {
            Shape::Array(array) | Shape::Buffer(array) => Some(array),
            _ => None,
        })
    }

    /// The shape at a path of tuple positions: `[1, 0]` is the first element of the second.
    /// `None` where there is none. The empty path is the shape itself.
    pub fn at(&self, path: &[usize]) -> Option<&Shape> {
        path.iter().try_fold(self, |shape, &position| match shape {
            Shape::Tuple(elements) => elements.get(position),
            _ => None,
        })
    }

    /// The number of elements in all arrays together.
    ///
    /// # Errors
    /// If a dimension is unbounded or the count overflows.
    pub fn elements_recursive(&self) -> Result<i64, Error> {
        self.arrays().try_fold(0i64, |sum, array| {
            crate::error::checked(sum.checked_add(array.elements()?), "the element count")
        })
    }

    /// The number in `xla_data.proto`'s `PrimitiveType` for this kind of shape.
    pub fn proto_number(&self) -> i32 {
        match self {
            Shape::Array(array) => array.element_type().proto_number(),
            Shape::Tuple(_) => 13,
            Shape::Opaque => 14,
            Shape::Token => 17,
            Shape::Buffer(_) => 34,
        }
    }

    /// An array shape without layout.
    ///
    /// # Errors
    /// If a dimension is negative or the element count overflows.
    pub fn array(element_type: ElementType, dims: &[i64]) -> Result<Self, Error> {
        ArrayShape::new(element_type, dims).map(Shape::Array)
    }
}

impl From<ArrayShape> for Shape {
    fn from(array: ArrayShape) -> Self {
        Shape::Array(array)
    }
}
