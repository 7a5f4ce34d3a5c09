//! The catalogue: the layouts that hardware and kernel libraries have given names.
//!
//! Weights, scales and tiles are repacked for each kernel, and what comes out is an array of bytes that says nothing
//! of how it was packed. Here each such packing is written down as what it is, a function from a shape to a map:
//!
//! ```text
//! u4[4096,11008]@marlin     name(arguments) behind a shape
//!         │
//!         ├─ map       ((2,4,2,256),(8,2,4,172)):((4,32,1,176128),(128,2,8,1024))
//!         ├─ carrier   I32[256,22016]: the type and dims that the library stores it as
//!         ├─ padding   what fills the places without an element
//!         └─ XOR mask  of codes whose sign is stored the other way round
//! ```
//!
//! An [`Entry`] is one of them, [`entries`] all; a [`NamedLayout`] is a name with its arguments, a [`NamedArray`] that
//! for an array. A name is no notation of its own: whatever is asked of an array is asked of its map.
//!
//! `u4` is a code before packing, the first of a byte in the low bits. Carriers are little-endian: nibble *j* of word
//! *w* of an `I32` array is nibble *8w + j*, so that a carrier changes nothing in the map.

mod all;
mod amd;
mod entry;
mod extents;
mod fragments;
mod named;
mod nvidia;
mod others;
mod place;
mod records;
mod scales;
mod trtllm;
mod weights;

pub use all::entries;
pub use entry::{Argument, Entry, Stored};
pub use named::{NamedArray, NamedLayout};
pub use place::Carrier;

pub(crate) use named::is_named;

use crate::ElementType;

/// The layouts of the catalogue that an array can have; not those whose arguments are numbers, of which there are any
/// many.
///
/// ```
/// use tilewright::ElementType;
/// use tilewright::formats::catalogue::fitting;
/// let names: Vec<String> =
///     fitting(ElementType::U4, &[4096, 11008]).iter().map(|array| array.layout().to_string()).collect();
/// assert!(names.iter().any(|name| name == "marlin(a8)"));
/// assert!(!names.iter().any(|name| name == "sf128x4"));
/// ```
pub fn fitting(element_type: ElementType, dims: &[i64]) -> Vec<NamedArray> {
    let layouts = entries().flat_map(Entry::spellings).filter_map(|name| name.parse().ok());
    layouts.filter_map(|layout: NamedLayout| layout.of(element_type, dims).ok()).collect()
}
