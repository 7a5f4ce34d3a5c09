//! The layout, if there is one, that a list of offsets is.

use super::mode::{Mode, layout_of, same_place};
use crate::error::Error;
use crate::tla::{Int, Layout, Stride};

/// How many values each digit takes, the fastest first, if a list of values is the sums of digits;
/// else the first place at which it falls out of step.
///
/// The first digit is as long as the values go on in even steps: a list of shorter digits would
/// be one of that too, and one of longer digits would go on in even steps longer. So there is one
/// way to go, and where it ends there are no digits. The last digit may end early: its number is
/// rounded up.
///
/// `is_same_step` says whether the step between the values at two places is the one between two
/// others. It is asked less than twice for each value.
pub(crate) fn digit_counts(
    n_values: usize,
    mut is_same_step: impl FnMut([usize; 2], [usize; 2]) -> Result<bool, Error>,
) -> Result<Result<Vec<usize>, usize>, Error> {
    let mut counts = Vec::new();
    let mut taken = 1usize;
    while taken < n_values {
        let mut run = taken.saturating_mul(2);
        while run < n_values && is_same_step([run - taken, run], [0, taken])? {
            run = run.saturating_add(taken);
        }
        for place in (run..n_values).step_by(taken) {
            if !is_same_step([place - place % run, place], [0, place % run])? {
                return Ok(Err(place));
            }
        }
        counts.push(run / taken);
        taken = run;
    }
    Ok(Ok(counts))
}

/// The shortest modes whose offsets, leftmost fastest, are these; `None` if there are none.
pub(super) fn fit(values: &[Stride], is_static: bool) -> Result<Option<Vec<Mode>>, Error> {
    let step = |[from, to]: [usize; 2]| difference(&values[to], &values[from]);
    let is_same_step = |a, b| Ok(same_place(&step(a)?, &step(b)?));
    let Ok(counts) = digit_counts(values.len(), is_same_step)? else { return Ok(None) };
    let mut modes = Vec::new();
    let mut taken = 1usize;
    for count in counts {
        let extent = i64::try_from(count).unwrap_or(i64::MAX);
        let extent = if is_static { Int::fixed(extent) } else { Int::dynamic(extent) };
        modes.push(Mode::new(extent, step([0, taken])?));
        taken = taken.saturating_mul(count);
    }
    Ok((taken == values.len()).then_some(modes))
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
