//! Layouts and relayouts as source code.
#![forbid(unsafe_code)]

pub mod divide;
mod error;
pub mod expression;
mod formula;
mod index;
mod interpret;
mod offset;
pub mod range;

pub use error::Error;
pub use formula::{Formula, Input};
pub use index::index_formula;
pub use offset::offset_formula;
