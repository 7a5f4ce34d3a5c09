//! Cutting a layout into tiles.

use super::complement::Chain;
use super::composition::{by_mode, composition_traced};
use super::tiler::Tiler;
use super::trace::Trace;
use crate::error::Error;
use crate::tla::Layout;
use crate::xla::invalid;

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
    match tiler {
        Tiler::Keep => Ok(a.clone().without_org_shape()),
        Tiler::Modes(tilers) => by_mode(a, tilers, |mode, tiler| {
            trace.say(|| format!("mode {mode} by {tiler}:"));
            logical_divide_traced(mode, tiler, trace)
        }),
        Tiler::Layout(tile) => {
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
    }
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
    let (tiles, rests) = unzip(&logical_divide(a, &tiler)?, &tiler)?;
    Ok(Layout::from_modes(&[tiles, rests]))
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

/// `(first,(a,b))` as `(first,a,b)`.
pub(super) fn spread_second(zipped: &Layout) -> Result<Layout, Error> {
    let mut modes = vec![zipped.mode(&[0])?];
    modes.extend(zipped.mode(&[1])?.modes());
    Ok(Layout::from_modes(&modes))
}

/// `((a,b),(c,d))` as `(a,b,c,d)`.
pub(super) fn spread_both(zipped: &Layout) -> Result<Layout, Error> {
    let mut modes = zipped.mode(&[0])?.modes();
    modes.extend(zipped.mode(&[1])?.modes());
    Ok(Layout::from_modes(&modes))
}

/// A divided (or multiplied) layout taken apart as the tiler was: the first parts, and the second
/// parts with the modes that the tiler did not touch.
pub(super) fn unzip(divided: &Layout, tiler: &Tiler) -> Result<(Layout, Layout), Error> {
    let Tiler::Modes(tilers) = tiler else {
        return Ok((divided.mode(&[0])?, divided.mode(&[1])?));
    };
    let (mut tiles, mut rests) = (Vec::new(), Vec::new());
    for (position, mode) in divided.modes().iter().enumerate() {
        match tilers.get(position) {
            None | Some(Tiler::Keep) => rests.push(mode.clone()),
            Some(tiler) => {
                let (tile, rest) = unzip(mode, tiler)?;
                tiles.push(tile);
                rests.push(rest);
            }
        }
    }
    Ok((Layout::from_modes(&tiles), Layout::from_modes(&rests)))
}
