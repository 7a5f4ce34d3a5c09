//! What a layout leaves out.

use super::coalesce::filtered_modes;
use super::mode::{Mode, joined, layout_of};
use super::trace::Trace;
use crate::error::{Error, invalid};
use crate::tla::{Int, Layout};

/// The layout that goes to the places in between: moved by each of its offsets, `L` covers
/// `0..size`.
///
/// * Requires strides of `L` that are not negative and do not overlap: sorted, each is at least
///   the previous one times its extent. Modes of stride 0 do not count.
/// * Ensures that the offsets of `R` increase, that none but 0 is one of `L`, and that no two
///   pairs `(R, L)` meet. Where each stride of `L` is also a *multiple* of the previous one times
///   its extent, `(L, R)` reaches every offset from 0 to before its size, which is `size`
///   rounded up to a multiple of the span of `L`: the last stride times its extent. Where it is
///   not, nothing can, and `R` has as many steps as fit in each gap.
/// * For the size 0, which rounds up to 0, `R` is empty: it has the extent 0. A single `L` would
///   reach offsets that are not asked for, and dividing an empty layout into tiles of `L` would
///   make elements of nothing.
///
/// ```
/// use tilewright::{algebra::complement, tla::{Int, Layout}};
/// let layout: Layout = "(2,2):(1,6)".parse()?; // 0 1 6 7
/// let rest = complement(&layout, Int::dynamic(24))?; // 0 2 4 12 14 16
/// assert_eq!(rest.to_string(), "(3,2):(2,12)");
/// assert_eq!(complement(&layout, Int::dynamic(0))?.size()?.value(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `(3,3):(1,2)`, whose offset 2 is reached twice, has none: CuTe in C++ and PyCuTe refuse it
/// too, `pycute` 4.2 returns `(0,4):(3,6)` and tensor-layouts 0.3.2 `4:6`.
///
/// Source: CUTLASS, *CuTe Layout Algebra*, "Complement".
///
/// # Errors
/// If strides are negative, overlap or are coordinates, the layout is empty, the size is
/// negative, or a number does not fit 64 bits.
pub fn complement(layout: &Layout, size: Int) -> Result<Layout, Error> {
    Chain::of(layout)?.complement(size, &mut Trace::off())
}

/// [`complement`] up to the layout's own span, as CuTe's `complement(L)` in C++.
///
/// PyCuTe and weaverbird write the same with a last mode of 1 that says where it would go on:
/// `(2,1):(1,8)` for `4:2`.
///
/// ```
/// use tilewright::{algebra::complement_within, tla::Layout};
/// let layout: Layout = "4:2".parse()?;
/// assert_eq!(complement_within(&layout)?.to_string(), "2:_1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`complement`].
pub fn complement_within(layout: &Layout) -> Result<Layout, Error> {
    complement(layout, layout.cosize()?)
}

/// The modes of a layout by stride, none of which overlap.
pub(super) struct Chain<'a> {
    layout: &'a Layout,
    /// Extent and stride, smallest stride first.
    links: Vec<(Int, Int)>,
}

impl<'a> Chain<'a> {
    pub(super) fn of(layout: &'a Layout) -> Result<Self, Error> {
        let modes = filtered_modes(layout)?;
        let strides = super::mode::element_strides(&modes)?;
        let mut links: Vec<(Int, Int)> = modes.iter().map(|m| m.extent).zip(strides).collect();
        links.sort_by_key(|(_, stride)| stride.value());
        let chain = Chain { layout, links };
        chain.check()?;
        Ok(chain)
    }

    fn check(&self) -> Result<(), Error> {
        let layout = self.layout;
        if layout.shape().leaves().any(|extent| extent.value() == 0) {
            return invalid(format!("{layout} has no elements, and so no complement"));
        }
        if let Some((extent, stride)) = self.links.iter().find(|(_, stride)| stride.value() < 0) {
            return invalid(format!(
                "the complement of {layout} is undefined: the stride of {extent}:{stride} is negative"
            ));
        }
        for pair in self.links.windows(2) {
            let [(extent, stride), (next_extent, next)] = pair else { continue };
            if extent.times(*stride)?.value() > next.value() {
                return invalid(format!(
                    "{layout} has no complement: {extent}:{stride} and {next_extent}:{next} overlap"
                ));
            }
        }
        Ok(())
    }

    /// Why a layout and its complement do not cover everything, if they do not.
    pub(super) fn gap(&self) -> Result<Option<String>, Error> {
        let mut end = Int::fixed(1);
        for (extent, stride) in &self.links {
            if stride.value() % end.value() != 0 {
                return Ok(Some(format!(
                    "the stride of {extent}:{stride} is no multiple of the {end} before it"
                )));
            }
            end = extent.times(*stride)?;
        }
        Ok(None)
    }

    /// Where the mode of the largest stride would begin again.
    pub(super) fn span(&self) -> Result<Int, Error> {
        match self.links.last() {
            Some((extent, stride)) => extent.times(*stride),
            None => Ok(Int::fixed(1)),
        }
    }

    pub(super) fn complement(&self, size: Int, trace: &mut Trace) -> Result<Layout, Error> {
        if size.value() < 0 {
            return invalid(format!("a complement cannot have the negative size {size}"));
        }
        let mut modes = Vec::new();
        let mut end = Int::fixed(1);
        for (extent, stride) in &self.links {
            let gap = Mode::elements(stride.over(end)?, end);
            trace.say(|| {
                format!("before {extent}:{stride}, steps of {end} fit {} times: {gap}", gap.extent)
            });
            modes.push(gap);
            end = extent.times(*stride)?;
        }
        let rest = Mode::elements(size.ceil_div(end)?, end);
        trace.say(|| format!("the span of {end} is repeated up to {size}: {rest}"));
        modes.push(rest);
        layout_of(&joined(modes.into_iter().filter(|mode| mode.extent.value() != 1))?)
    }
}
