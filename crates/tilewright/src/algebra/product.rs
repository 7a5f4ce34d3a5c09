//! Repeating a layout.

use super::complement::Chain;
use super::composition::composition_traced;
use super::make::make_ordered_layout;
use super::regroup::{by_tiler, spread_both, spread_second, zipped};
use super::structure::{append_to_rank, zip};
use super::tiler::Tiler;
use super::trace::Trace;
use crate::error::{Error, Kind, invalid};
use crate::tla::{Int, IntTuple, Layout, Nested};

/// `A` repeated as `B` says: a first mode that walks one `A`, a second that walks the copies.
///
/// * Requires `A` without overlaps (see [`complement`](super::complement())), and its complement to compose with `B`.
/// * Ensures `R = (A, A* ∘ B)`, where `A*` is the complement of `A` up to `size(A) * cosize(B)`, or
///   further where uneven gaps in `A` leave no room for `cosize(B)` copies: so copies at different
///   places never meet, as long as the strides of `B` are not negative.
///
/// ```
/// use tilewright::{algebra::{Tiler, logical_product}, tla::Layout};
/// let tile: Layout = "(2,2):(4,1)".parse()?;
/// let repeated = logical_product(&tile, "6:1".parse::<Tiler>()?)?;
/// assert_eq!(repeated.to_string(), "((2,2),(2,3)):((4,1),(2,8))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With a [`Tiler`] of several modes each repeats a mode of `A`.
///
/// CuTe in C++ does not go further, and copies of `(2,5,4):(96,1,13)` by `2:2` meet there.
///
/// `2:3` by `4:1` is refused: two copies fit into the gap of the first, at 1 and 2, the fourth
/// begins at 6, and 0, 1, 2, 6 is no layout. `pycute` 4.2 returns three copies.
///
/// # Errors
/// If there is no such layout, or a number does not fit 64 bits.
pub fn logical_product(a: &Layout, tiler: impl Into<Tiler>) -> Result<Layout, Error> {
    logical_product_traced(a, &tiler.into(), &mut Trace::off())
}

pub(super) fn logical_product_traced(
    a: &Layout,
    tiler: &Tiler,
    trace: &mut Trace,
) -> Result<Layout, Error> {
    by_tiler(a, tiler, trace, repeated)
}

/// A layout repeated as another says.
fn repeated(a: &Layout, b: &Layout, trace: &mut Trace) -> Result<Layout, Error> {
    let places = places_for_copies(a, b.cosize()?, trace)?;
    trace.say(|| format!("{places} composed with {b}:"));
    let copies = composition_traced(&places, &b.into(), trace)?;
    Ok(Layout::from_modes(&[a.clone(), copies]))
}

/// The complement of `a`, with a place for each of `n` copies.
///
/// The room that CuTe gives it, the elements of the copies, is enough where the strides of `a`
/// leave even gaps. Where they do not, fewer copies fit into it.
fn places_for_copies(a: &Layout, n: Int, trace: &mut Trace) -> Result<Layout, Error> {
    let chain = Chain::of(a)?;
    let room = a.size()?.times(n)?;
    let places = chain.complement(room, &mut Trace::off())?;
    let room = if places.size()?.value() < n.value() { chain.span()?.times(n)? } else { room };
    trace.say(|| format!("the complement of {a} up to {room}:"));
    chain.complement(room, trace)
}

/// [`logical_product`] with the parts in the first mode and their copies in the second.
///
/// ```
/// use tilewright::{algebra::{Tiler, zipped_product}, tla::Layout};
/// let tile: Layout = "(2,5):(1,2)".parse()?;
/// let repeated = zipped_product(&tile, "(3,4)".parse::<Tiler>()?)?;
/// assert_eq!(repeated.to_string(), "((2,5),(3,(2,2))):((1,2),(2,(_1,10)))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`logical_product`].
pub fn zipped_product(a: &Layout, tiler: impl Into<Tiler>) -> Result<Layout, Error> {
    let tiler = tiler.into();
    zipped(&logical_product(a, &tiler)?, &tiler)
}

/// [`zipped_product`] with the modes of the second mode spread out.
///
/// ```
/// use tilewright::{algebra::{Tiler, tiled_product}, tla::Layout};
/// let tile: Layout = "(2,5):(1,2)".parse()?;
/// let repeated = tiled_product(&tile, "(3,4)".parse::<Tiler>()?)?;
/// assert_eq!(repeated.to_string(), "((2,5),3,(2,2)):((1,2),2,(_1,10))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`logical_product`].
pub fn tiled_product(a: &Layout, tiler: impl Into<Tiler>) -> Result<Layout, Error> {
    spread_second(&zipped_product(a, tiler)?)
}

/// [`zipped_product`] with the modes of both modes spread out.
///
/// ```
/// use tilewright::{algebra::{Tiler, flat_product}, tla::Layout};
/// let tile: Layout = "(2,5):(1,2)".parse()?;
/// let repeated = flat_product(&tile, "(3,4)".parse::<Tiler>()?)?;
/// assert_eq!(repeated.to_string(), "(2,5,3,(2,2)):(1,2,2,(_1,10))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`logical_product`].
pub fn flat_product(a: &Layout, tiler: impl Into<Tiler>) -> Result<Layout, Error> {
    spread_both(&zipped_product(a, tiler)?)
}

/// A block at each place of a grid: mode `i` walks the block, then the grid, along `i`.
///
/// * Requires as [`logical_product`]. The layout of lower rank is given modes `_1:_0`.
/// * Ensures mode `i` is `(block_i, copies_i)` of the logical product.
///
/// ```
/// use tilewright::{algebra::blocked_product, tla::Layout};
/// let (block, grid): (Layout, Layout) = ("(2,5):(5,1)".parse()?, "(3,4):(1,3)".parse()?);
/// let blocked = blocked_product(&block, &grid)?;
/// assert_eq!(blocked.to_string(), "((2,3),(5,4)):((5,10),(1,30))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The pairs are not coalesced, as in CuTe in C++ and PyCuTe; NVIDIA's `cute-layout` for Rust
/// does it.
///
/// # Errors
/// As [`logical_product`].
pub fn blocked_product(block: &Layout, grid: &Layout) -> Result<Layout, Error> {
    let (blocks, copies) = ranked_product(block, grid)?;
    zip(&blocks, &copies)
}

/// A block spread over a grid: mode `i` walks the grid, then the block, along `i`.
///
/// * Requires as [`blocked_product`].
/// * Ensures mode `i` is `(copies_i, block_i)` of the logical product.
///
/// ```
/// use tilewright::{algebra::raked_product, tla::Layout};
/// let (block, grid): (Layout, Layout) = ("(2,5):(5,1)".parse()?, "(3,4):(1,3)".parse()?);
/// let raked = raked_product(&block, &grid)?;
/// assert_eq!(raked.to_string(), "((3,2),(4,5)):((10,5),(30,1))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`logical_product`].
pub fn raked_product(block: &Layout, grid: &Layout) -> Result<Layout, Error> {
    let (blocks, copies) = ranked_product(block, grid)?;
    zip(&copies, &blocks)
}

fn ranked_product(block: &Layout, grid: &Layout) -> Result<(Layout, Layout), Error> {
    let rank = block.rank().max(grid.rank());
    let product = logical_product(&append_to_rank(block, rank)?, append_to_rank(grid, rank)?)?;
    Ok((product.mode(&[0])?, product.mode(&[1])?))
}

/// A block repeated until it fills a shape; across which mode first, `order` says (the lowest
/// number first; the first mode if there is none).
///
/// * Requires that the block's mode `i` divides the shape's extent `i`, and that the block has no
///   more modes than the shape.
/// * Ensures that mode `i` has the shape's extent, and is a pair: the block, then the copies.
///
/// ```
/// use tilewright::{algebra::tile_to_shape, tla::Layout};
/// let block: Layout = "(2,4):(4,1)".parse()?;
/// let (shape, order) = ("(4,12)".parse()?, "(2,1)".parse()?); // along the rows first
/// let tiled = tile_to_shape(&block, &shape, Some(&order))?;
/// assert_eq!(tiled.to_string(), "((2,2),(4,3)):((4,24),(1,8))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Where the block does not divide the shape, CuTe in C++ refuses static shapes and rounds
/// dynamic ones up; here both are refused, for a mark changes no answer. Round the shape up first
/// to have the larger layout.
///
/// # Errors
/// If the block does not fit the shape, or as [`logical_product`].
pub fn tile_to_shape(
    block: &Layout,
    shape: &IntTuple,
    order: Option<&IntTuple>,
) -> Result<Layout, Error> {
    if block.rank() > shape.rank() {
        let (what, expected) = ("the block", shape.rank());
        return Err(Error::new(Kind::RankMismatch { what, expected, found: block.rank() }));
    }
    let block = append_to_rank(block, shape.rank())?;
    let sizes = block.modes().into_iter().map(|mode| mode.size());
    let targets = shape.elements().iter().map(IntTuple::product);
    let grid = targets
        .zip(sizes)
        .enumerate()
        .map(|(mode, (target, size))| copies_along(mode, target?, size?).map(Nested::Leaf));
    let grid = Nested::Tuple(grid.collect::<Result<_, _>>()?);
    let copies = match order {
        Some(order) => make_ordered_layout(&grid, order)?,
        None => super::mode::compact(grid)?,
    };
    blocked_product(&block, &copies)
}

fn copies_along(mode: usize, target: Int, size: Int) -> Result<Int, Error> {
    if size.value() == 0 || target.value() % size.value() != 0 {
        return invalid(format!(
            "the {size} elements of the block's mode {mode} do not divide the {target} of the shape"
        ));
    }
    target.over(size)
}
