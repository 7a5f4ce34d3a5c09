//! Regrouping modes. Nothing here changes what a mode does.

use std::ops::Range;

use super::mode::{flat_layout_of, layout_of, modes_of};
use crate::error::{Error, Kind, invalid};
use crate::tla::{Layout, Nested};

/// The layout without nesting: a tuple of integers, or the integer it already is.
///
/// * Ensures the same offset at every flat coordinate and every integer.
///
/// ```
/// use tilewright::{algebra::flatten, tla::Layout};
/// let layout: Layout = "((4,2),3):((1,8),4)".parse()?;
/// assert_eq!(flatten(&layout)?.to_string(), "(4,2,3):(1,8,4)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None today.
pub fn flatten(layout: &Layout) -> Result<Layout, Error> {
    if layout.shape().is_leaf() {
        return Ok(layout.clone().without_org_shape());
    }
    flat_layout_of(&modes_of(layout))
}

/// The layout nested like a profile, whose values do not matter: [`flatten`] backwards.
///
/// * Requires as many integers in the layout as values in the profile.
///
/// ```
/// use tilewright::{algebra::unflatten, tla::{IntTuple, Layout}};
/// let layout: Layout = "(4,2,3):(1,8,4)".parse()?;
/// let profile: IntTuple = "((0,0),0)".parse()?;
/// assert_eq!(unflatten(&layout, &profile)?.to_string(), "((4,2),3):((1,8),4)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are more or fewer.
pub fn unflatten<T>(layout: &Layout, profile: &Nested<T>) -> Result<Layout, Error> {
    let modes = modes_of(layout);
    let expected = profile.leaves().count();
    if modes.len() != expected {
        let what = "the flattened layout";
        return Err(Error::new(Kind::RankMismatch { what, expected, found: modes.len() }));
    }
    Ok(nested_like(&mut modes.iter().map(|mode| layout_of(std::slice::from_ref(mode))), profile)?
        .without_org_shape())
}

fn nested_like<T>(
    leaves: &mut impl Iterator<Item = Result<Layout, Error>>,
    profile: &Nested<T>,
) -> Result<Layout, Error> {
    match profile {
        Nested::Leaf(_) => leaves.next().unwrap_or_else(|| layout_of(&[])),
        Nested::Tuple(profiles) => {
            let modes = profiles.iter().map(|profile| nested_like(leaves, profile));
            Ok(Layout::from_modes(&modes.collect::<Result<Vec<_>, _>>()?))
        }
    }
}

/// The modes of a range as one mode, in the place of the first.
///
/// ```
/// use tilewright::{algebra::group, tla::Layout};
/// let layout: Layout = "(2,3,4,5):(1,2,6,24)".parse()?;
/// assert_eq!(group(&layout, 1..3)?.to_string(), "(2,(3,4),5):(1,(2,6),24)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the range goes beyond the modes.
pub fn group(layout: &Layout, range: Range<usize>) -> Result<Layout, Error> {
    let grouped = take(layout, range.clone())?;
    let mut modes = layout.modes();
    modes.splice(range, [grouped]);
    Ok(Layout::from_modes(&modes))
}

/// The modes at these positions, in this order.
///
/// ```
/// use tilewright::{algebra::select, tla::Layout};
/// let layout: Layout = "(2,3,(4,5)):(1,2,(6,24))".parse()?;
/// assert_eq!(select(&layout, &[2, 0])?.to_string(), "((4,5),2):((6,24),1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there is no such mode.
pub fn select(layout: &Layout, positions: &[usize]) -> Result<Layout, Error> {
    let modes = positions.iter().map(|&position| layout.mode(&[position]));
    Ok(Layout::from_modes(&modes.collect::<Result<Vec<_>, _>>()?))
}

/// The modes of a range.
///
/// ```
/// use tilewright::{algebra::take, tla::Layout};
/// let layout: Layout = "(2,3,4,5):(1,2,6,24)".parse()?;
/// assert_eq!(take(&layout, 1..3)?.to_string(), "(3,4):(2,6)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the range goes beyond the modes.
pub fn take(layout: &Layout, range: Range<usize>) -> Result<Layout, Error> {
    let modes = layout.modes();
    match modes.get(range.clone()) {
        Some(modes) => Ok(Layout::from_modes(modes)),
        None => invalid(format!(
            "the modes {} to {} do not exist in a layout of {}",
            range.start,
            range.end,
            modes.len()
        )),
    }
}

/// The layout with one more mode at the end. An integer becomes the first of a tuple.
///
/// ```
/// use tilewright::{algebra::append, tla::Layout};
/// let layout: Layout = "(2,3):(1,2)".parse()?;
/// assert_eq!(append(&layout, &"4:6".parse()?).to_string(), "(2,3,4):(1,2,6)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn append(layout: &Layout, mode: &Layout) -> Layout {
    let mut modes = layout.modes();
    modes.push(mode.clone());
    Layout::from_modes(&modes)
}

/// The layout with one more mode at the beginning. An integer becomes the last of a tuple.
///
/// ```
/// use tilewright::{algebra::prepend, tla::Layout};
/// let layout: Layout = "(2,3):(1,2)".parse()?;
/// assert_eq!(prepend(&layout, &"4:6".parse()?).to_string(), "(4,2,3):(6,1,2)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prepend(layout: &Layout, mode: &Layout) -> Layout {
    let mut modes = layout.modes();
    modes.insert(0, mode.clone());
    Layout::from_modes(&modes)
}

/// The layout with `_1:_0` appended until it has this many modes.
///
/// ```
/// use tilewright::{algebra::append_to_rank, tla::Layout};
/// let layout: Layout = "4:2".parse()?;
/// assert_eq!(append_to_rank(&layout, 3)?.to_string(), "(4,_1,_1):(2,_0,_0)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None today.
pub fn append_to_rank(layout: &Layout, rank: usize) -> Result<Layout, Error> {
    if rank <= layout.rank() {
        return Ok(layout.clone().without_org_shape());
    }
    let mut modes = layout.modes();
    modes.resize(rank, layout_of(&[])?);
    Ok(Layout::from_modes(&modes))
}

/// The layout with one mode in the place of another.
///
/// ```
/// use tilewright::{algebra::replace, tla::Layout};
/// let layout: Layout = "(2,3):(1,2)".parse()?;
/// assert_eq!(replace(&layout, 0, &"(4,5):(6,24)".parse()?)?.to_string(), "((4,5),3):((6,24),2)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there is no such mode.
pub fn replace(layout: &Layout, position: usize, mode: &Layout) -> Result<Layout, Error> {
    layout.mode(&[position])?;
    let mut modes = layout.modes();
    if let Some(place) = modes.get_mut(position) {
        *place = mode.clone();
    }
    Ok(Layout::from_modes(&modes))
}

/// Two layouts of the same rank, mode by mode: mode `i` is the pair of the modes `i`.
///
/// ```
/// use tilewright::{algebra::zip, tla::Layout};
/// let (a, b): (Layout, Layout) = ("(2,5):(5,1)".parse()?, "(3,4):(10,30)".parse()?);
/// assert_eq!(zip(&a, &b)?.to_string(), "((2,3),(5,4)):((5,10),(1,30))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the ranks differ.
pub fn zip(a: &Layout, b: &Layout) -> Result<Layout, Error> {
    if a.rank() != b.rank() {
        let what = "the second layout";
        return Err(Error::new(Kind::RankMismatch { what, expected: a.rank(), found: b.rank() }));
    }
    let pairs = a.modes().into_iter().zip(b.modes());
    let modes: Vec<Layout> = pairs.map(|(a, b)| Layout::from_modes(&[a, b])).collect();
    Ok(Layout::from_modes(&modes))
}
