//! XLA's notation: `f32[3,5]{1,0:T(2,2)}` and all that may stand in it.
//!
//! * [`Layout`], [`Tile`] and the other attributes are the values.
//! * [`parse_shape`] and [`parse_layout`] read text, `Display` prints exactly what XLA prints.
//! * [`ShapeProto`](proto) bytes go in and out.
//! * What XLA's `LayoutUtil`, `ShapeUtil` and `IndexUtil` do is found as methods of
//!   [`Layout`], [`ArrayShape`](crate::ArrayShape) and [`IndexMap`](crate::map::IndexMap).
//! * [`TilingProgram`] spells a layout out as pad, reshape and transpose.
//!
//! # The text
//! ```text
//! shape  := type [ dims ] layout? | ( shape, … ) | b( array ) | token[] | opaque[]
//! dim    := N | <=N | ?
//! layout := { minor-to-major : attributes }
//! ```
//!
//! | attribute | says |
//! |---|---|
//! | `T(8,128)(2,1)` | tiles, applied left to right; `*` merges a dimension into the next |
//! | `L(n)` | the element count is rounded up to a multiple of n |
//! | `#(u32)` `*(u32)` | index and pointer types of sparse arrays |
//! | `E(n)` | bits per element, when not the type's own |
//! | `S(n)` | memory space |
//! | `SC(d:i,j)` | physical dimension d is split at i and j |
//! | `P(shape)` | physical shape of sparse arrays |
//! | `M(n)` | bytes of dynamic sizes before the data |
//! | `PAD(3,5;0)` | dimensions padded to widths before tiling; an extension |
//!
//! # What is read beyond XLA
//! Upper-case types, attributes in any order, `∗` and `-1` for `*` in a tile, `{}` for the default
//! layout, the old `{1,0:(2,2)}` without `T`, and `PAD`. [`ParseOptions::strict`] refuses these.
//! What XLA's parser lets through or dies on although it means nothing, such as `{0,0}`,
//! `T(0,2)`, `L(0)` or `S(300)`, is refused either way.
//!
//! Source: `hlo_parser.cc`, `layout.cc`, `shape_util.cc` in XLA.

mod attributes;
mod layout;
mod layout_equal;
mod layout_ops;
mod memory_change;
mod order;
mod parse;
mod print;
mod program;
#[cfg(feature = "proto")]
pub mod proto;
mod shape_ops;
mod sizes;
mod tile;

pub use attributes::{Padding, PaddingValue, SplitConfig};
pub use layout::Layout;
pub use layout_equal::Ignore;
pub use parse::{ParseOptions, Parsed, parse_layout, parse_shape};
pub use print::WithoutLayout;
pub use program::{MAX_PROGRAM_SIZES, State, Step, TilingProgram};
pub use tile::{Tile, TileDim};
