//! Lifting a map to other notations.
//!
//! A translation is exact or it is refused with the reason: what is printed places every element
//! where the map does, and where the notation has a size, it has the map's allocation.

mod fit;
mod notation;
mod numpy;
mod onednn;
mod separated;
mod shape_and_stride;
mod unswizzled;
mod untranslatable;
mod xla;

pub use fit::{Fitted, NotALayout, fit, fit_function};
pub use notation::Notation;
pub use untranslatable::Untranslatable;
