//! Hierarchical layouts: TLA's `shape:stride:original shape`, and CuTe's `shape:stride`.
//!
//! A [`Layout`] is a function from coordinates to offsets. Its shape is a nested tuple; the
//! coordinate has a part for each integer of the shape, and the offset is the sum of each part
//! times its stride:
//!
//! | `((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)` | |
//! |---|---|
//! | mode 0, the rows | 16 rows in a fractal, 16 elements apart; 2 fractals, 256 apart |
//! | mode 1, the columns | 16 columns, next to each other; 3 fractals, 512 apart |
//! | original shape | of the 32 × 48 places, 28 × 40 are the array |
//!
//! Row 17 is row 1 of fractal 1, so element (17, 5) lies at 1·16 + 1·256 + 5·1 + 0·512 = 277.
//!
//! An integer for a nested mode is taken apart with the *leftmost* part varying fastest, and the
//! last part takes what is left without wrapping.
//!
//! Integers are static (`_16`, known when a kernel is compiled) or dynamic (`16`). The difference
//! is kept through arithmetic and printing, and changes no answer.
//!
//! [`Tag`]s name the layouts that Ascend's libraries have, and recognise them. [`tile_at`] cuts a
//! layout; a [`Tensor`] keeps where the cut was made, which an offset cannot say.
//!
//! Source: CATLASS, *TLA Tensor: Layouts*; CUTLASS, *CuTe Layout Algebra*.

mod batched;
mod coord;
mod int;
mod layout;
pub(crate) mod parse;
mod stride;
pub mod tags;
mod tensor;
mod tile;
mod tuple;
mod typed;

pub use batched::{make_batched_layout, prepend_dim};
pub use coord::{compact_col_major, crd2crd, crd2idx, crd2int, idx2crd};
pub use int::Int;
pub use layout::Layout;
pub use stride::Stride;
pub use tags::{FilterPosition, NotATag, Recognised, Tag, c0_elements, fractal_elements};
pub use tensor::Tensor;
pub use tile::{make_layout_tile, tile_at};
pub use tuple::{IntTuple, Nested};
pub use typed::{Typed, TypedLayout};
