//! Layouts and relayouts as source code, in the language of whoever asks.
//!
//! In comes an [`Array`], an index map with the width of an element and what its padding holds, and perhaps another that
//! it is to become; out comes a text. Of one array the text has the offset of an index, the index of an offset with its
//! padding test, and the sizes; of two, the relayout as well.
//!
//! ```
//! use tilewright::notation::Described;
//! use tilewright_emit::{Array, Request, Target, offset_formula};
//!
//! let tiles = Array::of(&"f32[3,5]{1,0:T(2,2)}".parse::<Described>()?)?;
//! assert_eq!(offset_formula(tiles.map()).evaluate(&[2, 3])?, Some(vec![17]));
//!
//! let code = Request { array: &tiles, other: None, name: "tiles", dynamic: &[] }.emit(Target::Python)?;
//! assert!(code.contains("def tiles_offset(i0, i1):"));
//! assert!(code.contains("t0 = (i0 >> 1) * 12  # dimension 0: which block of 2, stride 12"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The idea
//! A map's digits become integer [expressions](expression) that know the range of their values. From that follows what
//! a division is (a shift, a product, or nothing), which remainders vanish, and whether 32 bits hold everything. A
//! [`Formula`] is such expressions with named inputs; every language prints the same one, and
//! [`evaluate`](Formula::evaluate) works it out, checking each range. A [`Relayout`] is the planner's boxes as loops
//! of runs and transposes, which [`run`](Relayout::run) goes through step by step; on GPUs a [`Kernel`] has a thread for
//! each word of the destination, which finds its word of the source by one formula; where the relayout transposes,
//! [`Staged`] tiles go through memory that the threads of a block share.
//!
//! # Conventions
//! Offsets count elements, from the beginning of the allocation or below it where strides are negative. Elements below a
//! byte fill bytes from the low bits on; those of several bytes are little-endian. Slots without an element get the
//! padding byte of the layout's library, or 0; bits behind the last slot are 0. Values that a library stores with
//! flipped bits are flipped on their way.
//!
//! # What is not here
//! No compiler. What a language cannot say is refused with the reason: padding in CuTe, offsets of 64 bits in WGSL,
//! elements that begin within bytes in kernels. Where digits overlap, no formula takes an offset apart: C, Rust and
//! Python then search or list the elements, and there are no kernels.

#![forbid(unsafe_code)]

// To be read in this order: expressions (`range`, `divide`, `expression`, `quotient`, `interpret`), formulas of a map (`formula`,
// `offset`, `index`, `dynamic`), what code is for (`array`, `words`), relayouts (`relayout`, `run`, `packed`, `kernel`, `staged`), and the
// languages (`print`, `code`, `targets`).
mod array;
mod bits;
mod code;
pub mod divide;
mod dynamic;
mod error;
pub mod expression;
mod formula;
mod index;
mod interpret;
mod kernel;
mod offset;
mod packed;
mod print;
mod quotient;
pub mod range;
mod relayout;
mod run;
mod staged;
mod targets;
mod words;

pub use array::Array;
pub use error::Error;
pub use formula::{Formula, Input};
pub use index::index_formula;
pub use kernel::{Kernel, Word};
pub use offset::offset_formula;
pub use relayout::{Body, Fill, Loop, Nest, Relayout, Transfer, Way};
pub use staged::{Arrangement, Staged, StagedBox};
pub use targets::{Request, Target};
