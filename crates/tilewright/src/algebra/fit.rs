//! The layout, if there is one, that a list of offsets is.

use super::mode::{Mode, layout_of, same_place};
use crate::error::Error;
use crate::tla::{Int, Layout, Stride};

/// The shortest modes whose offsets, leftmost fastest, are these; `None` if there are none.
///
/// The first mode is as long as the offsets go on in even steps: a layout of shorter modes would
/// coalesce to that, and one of longer modes would go on in even steps longer. So the search has
/// one way to go, and where it ends there is no layout.
pub(super) fn fit(values: &[Stride], is_static: bool) -> Result<Option<Vec<Mode>>, Error> {
    let mut modes = Vec::new();
    let mut rest: Vec<&Stride> = values.iter().collect();
    while let [first, second, ..] = rest[..] {
        let step = difference(second, first)?;
        let run = even_run(&rest, &step)?;
        if !rest.len().is_multiple_of(run) || !repeats(&rest, run)? {
            return Ok(None);
        }
        let extent = i64::try_from(run).unwrap_or(i64::MAX);
        let extent = if is_static { Int::fixed(extent) } else { Int::dynamic(extent) };
        modes.push(Mode::new(extent, step));
        rest = rest.into_iter().step_by(run).collect();
    }
    Ok(Some(modes))
}

/// How many values follow one another by `step`.
fn even_run(values: &[&Stride], step: &Stride) -> Result<usize, Error> {
    for (position, pair) in values.windows(2).enumerate() {
        if let [before, after] = pair
            && !same_place(after, &before.plus(step)?)
        {
            return Ok(position + 1);
        }
    }
    Ok(values.len())
}

/// Whether each run is the first one moved.
fn repeats(values: &[&Stride], run: usize) -> Result<bool, Error> {
    let Some(first) = values.first() else { return Ok(true) };
    for chunk in values.chunks(run) {
        let Some(start) = chunk.first() else { continue };
        let moved = difference(start, first)?;
        for (&value, &original) in chunk.iter().zip(values) {
            if !same_place(value, &original.plus(&moved)?) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn difference(a: &Stride, b: &Stride) -> Result<Stride, Error> {
    a.plus(&b.times(Int::fixed(-1))?)
}

/// The shortest layout that goes through these offsets, or `None` if no layout does.
///
/// * Requires that the first offset is 0, where layouts begin.
/// * Ensures `R(i) = offsets[i]` for each `i`, and `None` only where no layout of any shape of
///   that size has these offsets.
///
/// ```
/// use tilewright::algebra::fit_offsets;
/// let fitted = fit_offsets(&[0, 4, 1, 5, 2, 6])?;
/// assert_eq!(fitted.map(|layout| layout.to_string()).as_deref(), Some("(2,3):(4,1)"));
/// assert_eq!(fit_offsets(&[0, 1, 3])?, None);
/// # Ok::<(), tilewright::Error>(())
/// ```
///
/// # Errors
/// If a difference of offsets does not fit 64 bits.
pub fn fit_offsets(offsets: &[i64]) -> Result<Option<Layout>, Error> {
    match offsets {
        [] => layout_of(&[Mode::elements(Int::dynamic(0), Int::dynamic(0))]).map(Some),
        [0, ..] => {
            let values: Vec<Stride> =
                offsets.iter().map(|&offset| Int::dynamic(offset).into()).collect();
            fit(&values, false)?.map(|modes| layout_of(&modes)).transpose()
        }
        _ => Ok(None),
    }
}
