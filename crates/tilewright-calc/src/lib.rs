//! The layout algebra by name: expressions, read and worked out.
//!
//! In comes a text such as `composition((10,2):(16,4), (3,4):(1,5))`, whose arguments are layouts
//! in any notation, tilers, shapes, integers, or calls in their turn. Out goes a [`Value`].
//!
//! ```
//! use tilewright_calc::Expression;
//! let expression = Expression::parse("composition((10,2):(16,4), (3,4):(1,5))")?;
//! assert_eq!(expression.value()?.to_string(), "(3,(2,2)):(16,(80,4))");
//! # Ok::<(), tilewright_calc::Error>(())
//! ```
//!
//! Each operation is a line of a table, how it is written and what it does; [`usages`] has all of
//! them. The command's `calc` and the Python package stand on this one table.
//!
//! Absent: I/O, and the operations themselves, which are in [`tilewright::algebra`],
//! [`tilewright::tla`] and [`tilewright::map`].

#![forbid(unsafe_code)]

mod call;
mod error;
mod expression;
mod operations;
mod value;

pub use error::Error;
pub use expression::without_marks;
pub use operations::{list, usages};
pub use tilewright::algebra::explain::Explanation;
pub use value::Value;

use expression::Node;

/// An expression that has been read, and not yet worked out.
#[derive(Clone, Debug)]
pub struct Expression<'a>(Node<'a>);

impl<'a> Expression<'a> {
    /// Reads an expression. What the texts in it mean is looked at by [`value`](Self::value).
    ///
    /// # Errors
    /// If calls nest deeper than 64.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        Node::parse(text).map(Expression).map_err(Error::new)
    }

    /// What it comes to.
    ///
    /// # Errors
    /// If there is no such operation, its arguments do not fit, or it has no outcome; see
    /// [`Error`].
    pub fn value(&self) -> Result<Value, Error> {
        call::value(&self.0).map_err(Error::new)
    }

    /// What it comes to, told step by step.
    ///
    /// # Errors
    /// As [`value`](Self::value), and if it is not a call of one of the operations that are told.
    pub fn explained(&self) -> Result<Explanation, Error> {
        operations::explained(&self.0).map_err(Error::new)
    }

    /// Whether some integer in it is static: written with its mark, `_4`, or made by a tag. Where
    /// none is, constants of the algebra itself are better shown [`without_marks`].
    pub fn says_static(&self) -> bool {
        self.0.says_static()
    }
}
