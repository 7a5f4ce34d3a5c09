//! The algebra of layouts: reading one through another, cutting, repeating, inverting.
//!
//! A layout is a function from the integers `0..size` (or from coordinates, which are the same
//! thing read leftmost fastest) to offsets. All of the algebra follows from reading functions
//! that way:
//!
//! | operation | `A = (4,8):(8,1)`, a row-major array | what it is |
//! |---|---|---|
//! | [`coalesce`] | `(4,8):(8,1)` | the same function in fewest modes |
//! | [`composition`] | `A ∘ 4:8` is `4:2` | `R(c) = A(B(c))`: elements 0, 8, 16, 24 of `A` |
//! | [`complement`] | of `4:8` in 32 is `8:1` | where copies of a layout go without meeting |
//! | [`right_inverse`] | `(8,4):(4,1)` | the element at each offset |
//! | [`logical_divide`] | `A` by `(2,4)` is `((2,2),(4,2)):((8,16),(1,4))` | tiles, and tiles of tiles |
//! | [`logical_product`] | `A` by `3` is `((4,8),3):((8,1),32)` | copies side by side |
//!
//! Composition is the one that everything rests on: dividing by a tile `T` composes with `T` and
//! its complement, `A ∘ (T, T*)`; multiplying composes the complement with the layout of copies,
//! `(A, A* ∘ B)`.
//!
//! # What is promised
//! A result satisfies its operation's equation at *every* coordinate, or there is an error that
//! says which mode does not divide what. In particular `A ∘ B` is not always a layout: elements
//! 0, 3, 6, 9, … of `(4,6,8):(2,3,5)` lie at 0, 6, 7, 8, … which no shape and stride give. Then
//! [`compose`] keeps the two as a [`Composed`] layout. Libraries differ in what they return here,
//! and where one of them returns something else, the operation says so.
//!
//! Nothing looks at elements one by one, so that 2⁴⁰ of them cost what 40 do. The one exception
//! is where the rules do not decide: then up to 4096 elements are looked at, so that a layout of
//! that size is refused only if there is none.
//!
//! Whether integers are static changes no answer; the marks go through the arithmetic. Original
//! shapes (of TLA's three-part layouts) are dropped: what padding becomes under composition is
//! not defined.
//!
//! Beyond shapes and strides: a [`Swizzle`] permutes bits, [`Composed`] puts an offset or a
//! swizzle over a layout, and an [`F2Matrix`] is either of them as a matrix over the field of two
//! elements, for layouts of powers of two. [`explain`] tells an operation step by step.
//!
//! Sources: CUTLASS, *CuTe Layout Algebra*; NVlabs PyCuTe; *CuTe Layout Representation and
//! Algebra*, arXiv 2603.02298.

mod arithmetic;
mod cast;
mod coalesce;
mod complement;
mod composed;
mod composed_parse;
mod composition;
mod divide;
mod domain;
pub mod explain;
mod f2;
mod fit;
mod inverse;
mod levels;
mod make;
mod mode;
mod product;
mod regroup;
mod slice;
mod structure;
mod swizzle;
mod tiler;
mod trace;

pub use arithmetic::{
    ceil_div, colex_less, elem_less, evenly_divides, lex_less, product_like, round_up, shape_div,
};
pub use cast::{downcast, recast, upcast};
pub use coalesce::{coalesce, coalesce_by, filter, filter_zeros};
pub use complement::{complement, complement_within};
pub use composed::{Composed, Composition, Outer, compose};
pub use composition::{at_place, composition, composition_dropping};
pub use divide::{flat_divide, logical_divide, tiled_divide, zipped_divide};
pub use domain::{
    common_coarsening, common_refinement, domain_distribute, greatest_common_domain, layout_add,
    nullspace,
};
pub use explain::Explanation;
pub use f2::F2Matrix;
pub(crate) use fit::digit_counts;
pub use fit::fit_offsets;
pub use inverse::{
    left_inverse, max_alignment, max_common_layout, max_common_vector, right_inverse,
};
pub use make::{
    compact_order, compact_row_major, make_flat_layout, make_fragment_like, make_identity_layout,
    make_layout_like, make_ordered_layout, scale,
};
pub use product::{
    blocked_product, flat_product, logical_product, raked_product, tile_to_shape, tiled_product,
    zipped_product,
};
pub use slice::{Pick, Picks, dice, domain_offset, slice, slice_and_offset};
pub use structure::{
    append, append_to_rank, flatten, group, prepend, replace, select, take, unflatten, zip,
};
pub use swizzle::Swizzle;
pub use tiler::Tiler;
