//! Layouts and relayouts as source code.
#![forbid(unsafe_code)]

mod array;
mod code;
pub mod divide;
mod error;
pub mod expression;
mod formula;
mod index;
mod interpret;
mod kernel;
mod offset;
mod print;
pub mod range;
mod relayout;
mod run;
mod targets;
mod words;

pub use array::Array;
pub use error::Error;
pub use formula::{Formula, Input};
pub use index::index_formula;
pub use kernel::{Kernel, Word};
pub use offset::offset_formula;
pub use relayout::{Body, Fill, Loop, Nest, Relayout, Transfer, Way};
pub use targets::{Request, Target};
