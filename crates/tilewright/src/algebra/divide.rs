//! Cutting a layout into tiles.

use super::complement::Chain;
use super::composition::composition_traced;
use super::regroup::{by_tiler, spread_both, spread_second, zipped};
use super::tiler::Tiler;
use super::trace::Trace;
use crate::error::{Error, invalid};
use crate::tla::Layout;

/// `A` cut into tiles of `B`: a first mode that walks a tile, a second that walks the tiles.
///
/// * Requires a tile whose strides leave no uneven gap, and `A` to compose with the tile and with
///   its complement.
/// * Ensures `R = A ∘ (B, B*)`, where `B*` is the complement of `B` up to the size of `A`. Where
///   the span of `B` does not divide that size, the last tile goes beyond the end: `6:1` by `4:1`
///   is `(4,2):(1,4)`, as everywhere in CuTe.
///
/// ```
/// use tilewright::{algebra::{Tiler, logical_divide}, tla::Layout};
/// let layout: Layout = "(4,2,3):(2,1,8)".parse()?;
/// let divided = logical_divide(&layout, "4:2".parse::<Tiler>()?)?;
/// assert_eq!(divided.to_string(), "((2,2),(2,3)):((4,1),(2,8))");
///
/// let by_mode: Tiler = "(3:3,(2,4):(1,8))".parse()?;
/// let layout: Layout = "(9,(4,8)):(59,(13,1))".parse()?;
/// let divided = logical_divide(&layout, &by_mode)?;
/// assert_eq!(divided.to_string(), "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With a [`Tiler`] of several modes each divides a mode of `A`; the others, and those with `_`,
/// stay as they are.
///
/// CuTe in C++ divides `(12,(4,8)):(59,(13,1))`, partly static, by 128 into a layout of 288
/// elements instead of 384; here it is refused.
///
/// # Errors
/// If there is no such layout (see [`composition`](super::composition) and
/// [`complement`](super::complement)), or a number does not fit 64 bits.
pub fn logical_divide(a: &Layout, tiler: impl Into<Tiler>) -> Result<Layout, Error> {
    logical_divide_traced(a, &tiler.into(), &mut Trace::off())
}

pub(super) fn logical_divide_traced(
    a: &Layout,
    tiler: &Tiler,
    trace: &mut Trace,
) -> Result<Layout, Error> {
    by_tiler(a, tiler, trace, divided)
}

/// A layout cut into tiles of another.
fn divided(a: &Layout, tile: &Layout, trace: &mut Trace) -> Result<Layout, Error> {
    let chain = Chain::of(tile)?;
    if let Some(gap) = chain.gap()? {
        return invalid(format!("{a} cannot be divided into tiles of {tile}: {gap}"));
    }
    let size = a.size()?;
    trace.say(|| format!("the complement of the tile {tile} up to {size}:"));
    let rest = chain.complement(size, trace)?;
    let both = Layout::from_modes(&[tile.clone(), rest]);
    trace.say(|| format!("{a} composed with {both}:"));
    composition_traced(a, &both.into(), trace)
}

/// [`logical_divide`] with the tiles in the first mode and the rests in the second:
/// `((tile0,tile1,…),(rest0,rest1,…,untouched modes))`.
///
/// ```
/// use tilewright::{algebra::{Tiler, zipped_divide}, tla::Layout};
/// let layout: Layout = "(9,32):(1,9)".parse()?;
/// let tiler: Tiler = "(3:3,(2,4):(1,8))".parse()?;
/// let divided = zipped_divide(&layout, &tiler)?;
/// assert_eq!(divided.to_string(), "((3,(2,4)),(3,4)):((3,(9,72)),(1,18))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`logical_divide`].
pub fn zipped_divide(a: &Layout, tiler: impl Into<Tiler>) -> Result<Layout, Error> {
    let tiler = tiler.into();
    zipped(&logical_divide(a, &tiler)?, &tiler)
}

/// [`zipped_divide`] with the modes of the second mode spread out: `((tiles),rest0,rest1,…)`.
///
/// ```
/// use tilewright::{algebra::{Tiler, tiled_divide}, tla::Layout};
/// let layout: Layout = "(8,6):(6,1)".parse()?;
/// let divided = tiled_divide(&layout, "(4,2)".parse::<Tiler>()?)?;
/// assert_eq!(divided.to_string(), "((4,2),2,3):((6,1),24,2)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`logical_divide`].
pub fn tiled_divide(a: &Layout, tiler: impl Into<Tiler>) -> Result<Layout, Error> {
    spread_second(&zipped_divide(a, tiler)?)
}

/// [`zipped_divide`] with the modes of both modes spread out: `(tile0,tile1,…,rest0,rest1,…)`.
///
/// ```
/// use tilewright::{algebra::{Tiler, flat_divide}, tla::Layout};
/// let layout: Layout = "(8,6):(6,1)".parse()?;
/// let divided = flat_divide(&layout, "(4,2)".parse::<Tiler>()?)?;
/// assert_eq!(divided.to_string(), "(4,2,2,3):(6,1,24,2)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`logical_divide`].
pub fn flat_divide(a: &Layout, tiler: impl Into<Tiler>) -> Result<Layout, Error> {
    spread_both(&zipped_divide(a, tiler)?)
}
