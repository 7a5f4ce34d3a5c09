//! The shortest layout with the same offsets: coalesce, filter.

use super::mode::{Mode, coalesced_modes, layout_of, modes_of, push_joined};
use super::trace::Trace;
use crate::error::{Error, invalid};
use crate::tla::{Int, Layout, Nested};

/// The layout of the fewest modes that goes through the same offsets in the same order.
///
/// * Requires nothing.
/// * Ensures `size(R) = size(L)`, a depth of at most 1, and `R(i) = L(i)` for every integer `i`
///   from 0 to before the size. Beyond the size the two may differ: `(4,1):(1,0)` is 0 at 4, and
///   its coalesced `4:1` is 4.
///
/// Two neighbours `s:d` and `t:(s*d)` become `s*t:d`; modes of one coordinate are left out; what
/// is left of nothing is `_1:_0`.
///
/// ```
/// use tilewright::{algebra::coalesce, tla::Layout};
/// let layout: Layout = "(2,(1,6)):(1,(6,2))".parse()?;
/// assert_eq!(coalesce(&layout)?.to_string(), "12:1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// CuTe in C++ joins only what it knows when a kernel is compiled; here `12` joins like `_12`.
///
/// # Errors
/// If a size does not fit 64 bits.
pub fn coalesce(layout: &Layout) -> Result<Layout, Error> {
    coalesce_traced(layout, &mut Trace::off())
}

pub(super) fn coalesce_traced(layout: &Layout, trace: &mut Trace) -> Result<Layout, Error> {
    let mut so_far: Vec<Mode> = Vec::new();
    for mode in modes_of(layout) {
        if mode.extent.value() == 1 {
            trace.say(|| format!("{mode} has one coordinate and is left out"));
            continue;
        }
        let before = so_far.last().cloned();
        match (push_joined(&mut so_far, mode.clone())?, before, so_far.last()) {
            (true, Some(before), Some(now)) => {
                trace.say(|| format!("{mode} begins where {before} ends: together {now}"));
            }
            _ => trace.say(|| format!("{mode} stays a mode of its own")),
        }
    }
    layout_of(&so_far)
}

/// [`coalesce`] of each part of a layout that is one value of the profile; modes beyond the
/// profile stay as they are. The profile's values do not matter.
///
/// * Requires that each tuple of the profile meets a tuple of the layout with at least as many
///   elements; an integer is as good as a tuple of one.
/// * Ensures the same offset at every coordinate that has the profile's nesting.
///
/// ```
/// use tilewright::{algebra::coalesce_by, tla::{IntTuple, Layout}};
/// let layout: Layout = "(2,(1,6)):(1,(6,2))".parse()?;
/// let by_mode: IntTuple = "(1,1)".parse()?;
/// assert_eq!(coalesce_by(&layout, &by_mode)?.to_string(), "(2,6):(1,2)");
/// let (integer, one_mode): (Layout, IntTuple) = ("12:2".parse()?, "(1)".parse()?);
/// assert_eq!(coalesce_by(&integer, &one_mode)?.to_string(), "(12):(2)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the profile does not fit, or a size does not fit 64 bits.
pub fn coalesce_by<T>(layout: &Layout, profile: &Nested<T>) -> Result<Layout, Error> {
    let Nested::Tuple(profiles) = profile else { return coalesce(layout) };
    let mut modes = layout.modes();
    if profiles.len() > modes.len() {
        return invalid(format!(
            "a profile of {} modes does not fit the layout {layout}",
            profiles.len()
        ));
    }
    for (mode, profile) in modes.iter_mut().zip(profiles) {
        *mode = coalesce_by(mode, profile)?;
    }
    Ok(Layout::from_modes(&modes))
}

/// The layout with the extent 1 where the stride is 0: each offset of a repeated mode once.
///
/// * Ensures the same set of offsets, and the same nesting.
///
/// ```
/// use tilewright::{algebra::filter_zeros, tla::Layout};
/// let layout: Layout = "(4,(2,3)):(1,(0,8))".parse()?;
/// assert_eq!(filter_zeros(&layout)?.to_string(), "(4,(_1,3)):(1,(0,8))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None today.
pub fn filter_zeros(layout: &Layout) -> Result<Layout, Error> {
    let mut strides = layout.stride().leaves();
    let shape = layout.shape().map(|&extent| match strides.next() {
        Some(stride) if stride.is_zero() => Int::fixed(1),
        _ => extent,
    });
    Layout::new(shape, layout.stride().clone())
}

/// [`filter_zeros`], then [`coalesce`]: the layout without what repeats.
///
/// ```
/// use tilewright::{algebra::filter, tla::Layout};
/// let layout: Layout = "(4,(2,3)):(1,(0,4))".parse()?;
/// assert_eq!(filter(&layout)?.to_string(), "12:1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a size does not fit 64 bits.
pub fn filter(layout: &Layout) -> Result<Layout, Error> {
    coalesce(&filter_zeros(layout)?)
}

/// The modes of [`filter`].
pub(super) fn filtered_modes(layout: &Layout) -> Result<Vec<Mode>, Error> {
    coalesced_modes(&filter_zeros(layout)?)
}
