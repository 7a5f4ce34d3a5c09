//! The language of tiled array layouts.
//!
//! What an array's memory looks like on a TPU, an Ascend NPU, a GPU or a CPU, as values one can
//! read, print, ask and compare. Text and protos come in; answers and an [`IndexMap`] go out.
//!
//! ```
//! use tilewright::Shape;
//!
//! let shape: Shape = "bf16[30,300]{1,0:T(8,128)(2,1)}".parse()?;
//! let array = shape.as_array()?;
//! assert_eq!(array.bytes()?, 24_576); // the data is 18 000
//!
//! let map = shape.index_map()?;
//! assert_eq!(map.offset(&[1, 0])?, 1); // rows pair up in 32-bit words
//! assert_eq!(map.physical_dims(), [4, 3, 4, 128, 2, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Read the modules in this order: [`element`] and [`shape`] say what an array is, [`xla`] how
//! XLA writes where it lies, [`tla`] how shapes and strides do, [`map`] what either means,
//! [`formats`] names the common ones. [`text`] is what all readers share.
//!
//! The modules stand in layers: texts and errors, maps beside notations, lowering and lifting
//! between them, named formats on top. A file uses only what is below it.
//!
//! There is deliberately no I/O here, no `unsafe`, no thread, and nothing that looks at the value
//! of an element; [`literal`] reads the one that padding holds.

//!
//! # Features
//! * `proto`, on by default: reads and writes the bytes of XLA's `ShapeProto` and `LayoutProto` (`prost`).
//! * `serde`: shapes, layouts, tags and names are their canonical text to serde, and are read by the same parsers:
//!   `"bf16[30,300]{1,0:T(8,128)(2,1)}"` is a [`Shape`] in a configuration as in a dump.

#![forbid(unsafe_code)]

mod addressing;
pub mod algebra;
mod arithmetic;
#[cfg(feature = "serde")]
mod as_text;
mod bare;
pub mod element;
mod error;
pub mod formats;
pub mod literal;
pub mod map;
pub mod notation;
pub mod onednn;
mod permutation;
pub mod shape;
pub mod strided;
pub mod text;
pub mod tla;
pub mod xla;

pub use element::{ElementClass, ElementType};
pub use error::Error;
pub use map::IndexMap;
pub use permutation::Permutation;
pub use shape::{ArrayShape, Dim, Shape};
