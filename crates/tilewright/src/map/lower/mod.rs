//! Lowering: from each notation to an index map.
//!
//! All by the two moves of [`build`](super::build), merge and split. What each notation's layout
//! means is said at its function: [`from_layout`](super::IndexMap::from_layout) for XLA,
//! [`from_tla`](super::IndexMap::from_tla) for shape and stride,
//! [`from_composed`](super::IndexMap::from_composed) for composed layouts and swizzles,
//! [`from_onednn`](super::IndexMap::from_onednn) for tags. The values of a notation get their
//! `index_map` here, so that no notation knows of maps.

mod composed;
mod onednn;
mod strided;
mod tla;
mod xla;

pub(in crate::map) use composed::swizzled;
