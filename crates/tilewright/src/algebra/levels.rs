//! A layout as the function of one integer, which it takes apart level by level.

use super::fit::fit;
use super::mode::{Mode, joined, modes_of};
use super::trace::Trace;
use crate::error::{Error, invalid};
use crate::tla::{Int, Layout, Stride};

/// How many elements are looked at one by one, where the rules do not decide.
pub(super) const MAX_LOOKED_AT: i64 = 1 << 12;

/// The levels that an integer `x` is taken apart in: `x mod 4`, `(x div 4) mod 8`, and so on; the
/// last level takes what is left, so that the function goes on beyond the layout's size.
///
/// No two neighbours run on (`4:1` and `8:4` are one level): so a carry from a level into the
/// next is always seen in the offset.
#[derive(Debug)]
pub(super) struct Levels(Vec<Mode>);

/// What one mode `s:d` of the right side becomes.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The modes of the composition; their extents multiply to `s`.
    pub(super) modes: Vec<Mode>,
    /// For each level, the most that the mode adds to it.
    pub(super) tops: Vec<i64>,
    /// Whether `d` is negative.
    pub(super) is_negative: bool,
}

impl Levels {
    /// The function of a layout, the same at *every* integer: unlike coalescing, a last mode of
    /// one coordinate stays, for `(4,1):(1,0)` is 0 at 4 and `4:1` is not.
    pub(super) fn of(layout: &Layout) -> Result<Self, Error> {
        let modes = modes_of(layout);
        let last = modes.len().saturating_sub(1);
        let kept = modes.into_iter().enumerate();
        let kept = kept.filter(|(position, mode)| *position == last || mode.extent.value() != 1);
        let mut levels = joined(kept.map(|(_, mode)| mode))?;
        if levels.is_empty() {
            levels.push(Mode::trivial());
        }
        let inner = levels.len() - 1;
        if levels.iter().take(inner).any(|level| level.extent.value() == 0) {
            return invalid(format!(
                "{layout} has a mode of 0 elements, which no integer can be taken apart by"
            ));
        }
        levels.truncate(n_reached(&levels));
        Ok(Levels(levels))
    }

    pub(super) fn modes(&self) -> &[Mode] {
        &self.0
    }

    /// The value at an integer. At `-x` it is the negative of the value at `x`.
    pub(super) fn at(&self, integer: Int) -> Result<Stride, Error> {
        at(&self.0, integer)
    }

    /// What `extent:stride` becomes, or which rule it breaks.
    pub(super) fn compose(
        &self,
        extent: Int,
        stride: Int,
        trace: &mut Trace,
    ) -> Result<Result<Part, String>, Error> {
        let is_negative = stride.value() < 0;
        let magnitude = if is_negative { stride.times(Int::fixed(-1))? } else { stride };
        let outcome = if extent.value() <= 1 || magnitude.value() == 0 {
            Ok(self.single(extent, magnitude)?)
        } else {
            self.walk(extent, magnitude, trace)?
        };
        let Ok(mut part) = outcome else { return Ok(outcome) };
        if is_negative {
            for mode in &mut part.modes {
                mode.stride = mode.stride.times(Int::fixed(-1))?;
            }
        }
        Ok(Ok(Part { is_negative, ..part }))
    }

    /// At most one coordinate, or one place: `1:d` becomes `1:A(d)`, `s:0` stays.
    fn single(&self, extent: Int, stride: Int) -> Result<Part, Error> {
        let mode = match stride.value() {
            0 => Mode::elements(extent, stride),
            _ => Mode::new(extent, self.at(stride)?),
        };
        Ok(Part { modes: vec![mode], tops: vec![0; self.0.len()], is_negative: false })
    }

    /// Goes through the levels with what is left of the stride and of the extent.
    fn walk(
        &self,
        extent: Int,
        stride: Int,
        trace: &mut Trace,
    ) -> Result<Result<Part, String>, Error> {
        let mut walk = Walk { extent, stride, modes: Vec::new(), tops: vec![0; self.0.len()] };
        for number in 0..self.0.len() {
            match walk.step(number, &self.0, trace)? {
                Step::On => {}
                Step::Done => break,
                Step::Broken(rule) => {
                    if let Some(rest) = self.fitted(number, &mut walk)? {
                        trace.say(|| format!("{rule}; looked at one by one, it still fits"));
                        walk.modes.extend(rest);
                        break;
                    }
                    return Ok(Err(rule));
                }
            }
        }
        Ok(Ok(Part { modes: walk.modes, tops: walk.tops, is_negative: false }))
    }

    /// What is left of a walk, if its values, looked at one by one, are those of some modes.
    fn fitted(&self, number: usize, walk: &mut Walk) -> Result<Option<Vec<Mode>>, Error> {
        let (extent, stride) = (walk.extent, walk.stride);
        if extent.value() > MAX_LOOKED_AT {
            return Ok(None);
        }
        let levels = &self.0[number..];
        let mut values = Vec::new();
        for index in 0..extent.value() {
            let mut place = stride.times(Int::fixed(index))?;
            values.push(at(levels, place)?);
            let inner = &levels[..levels.len().saturating_sub(1)];
            for (top, level) in walk.tops[number..].iter_mut().zip(inner) {
                *top = (*top).max(place.modulo(level.extent)?.value());
                place = place.over(level.extent)?;
            }
        }
        fit(&values, extent.is_static())
    }
}

/// How many levels an integer of 64 bits can reach: `x div (4*8*…)` is 0 for every `x` below that
/// product. As all but the last have 2 elements or more, that is 63 levels at most, however many
/// modes there are.
fn n_reached(levels: &[Mode]) -> usize {
    let mut below = Some(1i64);
    let reached = levels.iter().take_while(|level| {
        let is_reached = below.is_some();
        below = below.and_then(|below| below.checked_mul(level.extent.value()));
        is_reached
    });
    reached.count()
}

fn at(levels: &[Mode], integer: Int) -> Result<Stride, Error> {
    let mut rest = integer;
    let mut sum = Stride::from(Int::fixed(0));
    let inner = levels.len().saturating_sub(1);
    for level in &levels[..inner] {
        sum.add(level.stride.times(rest.modulo(level.extent)?)?)?;
        rest = rest.over(level.extent)?;
    }
    if let Some(last) = levels.last() {
        sum.add(last.stride.times(rest)?)?;
    }
    Ok(sum)
}

/// One mode of the right side on its way through the levels: `extent:stride` is left of it, the
/// stride in steps of the level it has come to.
struct Walk {
    extent: Int,
    stride: Int,
    modes: Vec<Mode>,
    tops: Vec<i64>,
}

enum Step {
    On,
    Done,
    Broken(String),
}

impl Walk {
    fn step(&mut self, number: usize, levels: &[Mode], trace: &mut Trace) -> Result<Step, Error> {
        let Some(level) = levels.get(number) else { return Ok(Step::Done) };
        let is_last = number + 1 == levels.len();
        let (extent, stride) = (self.extent, self.stride);
        // The last level goes on without end.
        if is_last || self.stays_within(level.extent) {
            let mode = self.take(number, level, extent)?;
            trace.say(|| format!("{extent} steps of {stride} stay within {level}: {mode}"));
            return Ok(Step::Done);
        }
        if stride.value() % level.extent.value() == 0 {
            self.stride = stride.over(level.extent)?;
            let rest = self.stride;
            trace.say(|| format!("steps of {stride} pass over {level} and are {rest} beyond it"));
            return Ok(Step::On);
        }
        if level.extent.value() % stride.value() != 0 {
            return Ok(Step::Broken(self.stride_rule(level)));
        }
        let taken = level.extent.over(stride)?;
        if extent.value() % taken.value() != 0 {
            return Ok(Step::Broken(self.shape_rule(level, taken)));
        }
        let mode = self.take(number, level, taken)?;
        self.extent = extent.over(taken)?;
        let rest = self.extent;
        trace.say(|| {
            format!("{taken} steps of {stride} go through {level}: {mode}, {rest} times over")
        });
        self.stride = stride.ceil_div(level.extent)?;
        Ok(Step::On)
    }

    fn stays_within(&self, size: Int) -> bool {
        let last = i128::from(self.extent.value() - 1) * i128::from(self.stride.value());
        last < i128::from(size.value())
    }

    fn take(&mut self, number: usize, level: &Mode, extent: Int) -> Result<Mode, Error> {
        let mode = Mode::new(extent, level.stride.times(self.stride)?);
        self.modes.push(mode.clone());
        let top = (extent.value() - 1).saturating_mul(self.stride.value());
        if let Some(place) = self.tops.get_mut(number) {
            *place = top;
        }
        Ok(mode)
    }

    fn stride_rule(&self, level: &Mode) -> String {
        format!(
            "its steps of {} neither divide the {} elements of {level} nor are a multiple of them",
            self.stride, level.extent
        )
    }

    fn shape_rule(&self, level: &Mode, taken: Int) -> String {
        format!(
            "its steps of {} leave {level} after {taken} elements, which do not divide its {}",
            self.stride, self.extent
        )
    }
}
