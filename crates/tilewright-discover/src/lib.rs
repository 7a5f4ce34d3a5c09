//! Finding a layout: from a function that packs, or from data before and after.
//!
//! In comes a function from an array of codes to packed bytes, of which nothing is known; out goes
//! a [`Discovery`]: the layout of the bits that it writes, what it flips, and what it pads with.
//!
//! ```
//! use tilewright_discover::discover;
//! // Two nibbles a byte, the rows of each column next to each other, and every code minus 8.
//! let pack = |codes: &[u32], dims: &[i64]| -> Result<Vec<u8>, std::convert::Infallible> {
//!     let [rows, columns] = *dims else { return Ok(Vec::new()) };
//!     let mut bytes = vec![0; codes.len() / 2];
//!     for (place, code) in codes.iter().enumerate() {
//!         let (row, column) = (place / columns as usize, place % columns as usize);
//!         let nibble = column * rows as usize + row;
//!         bytes[nibble / 2] |= ((*code as u8 ^ 8) & 15) << (nibble % 2 * 4);
//!     }
//!     Ok(bytes)
//! };
//! let found = discover(pack, &[8, 6], 4)?;
//! assert_eq!(found.text(), "(8,6):(1,8)");
//! assert_eq!(found.xla().map(|layout| layout.to_string()).as_deref(), Some("{0,1:E(4)}"));
//! assert_eq!(found.xor_mask(), 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How
//! A layout writes each bit of each code to a place of its own, perhaps flipped. So a bit of the
//! packed bytes says, call by call, one bit of the name of the code bit that it holds:
//!
//! | call | codes | says of each packed bit |
//! |---|---|---|
//! | 1 | *c*, without a pattern | with the rest: what padding holds, and what is flipped |
//! | for each code bit *b* | `c ^ 1 << b` | whether it holds bit *b* of some code |
//! | for each *b* and *d* | `c ^ (id >> d & 1) << b` | bit *d* of that code's number in row-major order |
//!
//! These are `bits * (1 + ceil(log2 n)) + 1` calls for *n* codes, 69 for 256 × 256 nibbles.
//! [`tilewright::map::fit`] then finds the layout of the places, if there is one. That the codes have no
//! pattern is what shows a codebook: to 0 and powers of two that may well do what a layout would.
//!
//! [`discover_over`] asks at several shapes, and finds the layout as a function of the shape.
//! [`identify`] has no function to ask: it looks for the layout between an array and its packed
//! bytes, among candidates and then in the data; [`identify_named`] does with the catalogue's.
//!
//! Absent: I/O, and layouts that depend on the values.

#![forbid(unsafe_code)]

mod bits;
mod discovery;
mod error;
mod fields;
mod form;
mod formula;
mod identify;
mod marginals;
mod merging;
mod named;
mod over;
mod owners;
mod padding;
mod probe;
mod runs;
mod swizzles;
mod xla;

pub use discovery::{Discovery, discover};
pub use error::{Error, Refusal};
pub use fields::{BitField, Record, RecordField};
pub use form::{Form, Grain};
pub use formula::{Formula, LayoutFormula};
pub use identify::{Candidate, Guess, Identification, Match, identify};
pub use named::{Codes, Identified, identify_named};
pub use over::{Over, discover_over};
pub use padding::{PadValue, Padding};
