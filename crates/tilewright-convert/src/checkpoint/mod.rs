//! Quantised models: the folder of one library as another's.
//!
//! A layer's codes go the way of any array, by the maps of the two layouts. Its zero points and the groups of its rows
//! are small; they are read, counted on and written as a whole ([`tables`]). What a target has no place for is refused
//! where it says something, and left where it does not: `g_idx` that only counts, zero points that are all the middle.
//!
//! | module | holds |
//! |---|---|
//! | `method` | what each method calls the parts of a layer, and how they lie |
//! | `config` | what a model's configuration says of it, read and written |
//! | `facts` | what only the elements say |
//! | `layer` | the layers of a folder |
//! | `tables` | zero points, the groups of rows: read, checked, made |
//! | `plan` | what becomes of each array |
//! | `shuffled` | weights and scales of 8 and 4 bits in the order of AITER's kernels |

mod config;
mod facts;
mod layer;
mod method;
mod plan;
mod shuffled;
pub(crate) mod tables;

pub use config::Scheme;
pub use facts::Facts;
pub(crate) use facts::Look;
pub(crate) use layer::{Checkpoint, Layer};
pub use method::Method;
pub(crate) use plan::{Planned, plan};
pub(crate) use shuffled::shuffled;
pub(crate) use tables::Made;
