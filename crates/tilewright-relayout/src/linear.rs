//! Boxes for any two maps, found by trying.
//!
//! Where a tile straddles dimensions, divisors do not divide each other, or bits are swizzled, there
//! is no one radix on whose digits both maps are linear. There still are boxes. Begin with the whole
//! array, one axis a dimension, and work the offset out as a sum of a start and a step for each axis.
//! Where that fails, a division is to blame: of a value that crosses a multiple of its divisor on
//! the way. Then the array is cut, and each part is tried again:
//!
//! * an axis whose steps come round to a multiple of the divisor is cut into that many steps and
//!   the rounds around them;
//! * any other is cut in two where the value crosses.
//!
//! Element *i* of 24 goes from tiles of 4 to tiles of 6 so: `i mod 4` makes 6 rounds of 4 steps;
//! `i mod 6`, which starts again with every third round, makes 2 rounds of 3 of them; and of the
//! three, the second crosses 6 in its middle. That is 4 boxes: steps 0 to 3, 4 and 5, 6 and 7, 8 to
//! 11, each of them twice.
//!
//! Two values make a line, whatever they are: of a bit that is flipped by others (`(a + b) mod 2`)
//! only the others are cut.

use crate::nest::{Loop, Nest, gcd, walk};
use tilewright::IndexMap;
use tilewright::map::{Digit, Source};

/// Boxes hold at least as many elements as this on average, which are moved one by one in less time
/// than it takes to find a box; or there are few of them.
const MIN_ELEMENTS: usize = 256;

/// As many boxes as this are few.
const FEW_BOXES: usize = 64;

/// At most this many slots are looked at to find two elements in one.
const MAX_SLOTS: i64 = 1 << 20;

/// A part of an array that begins at some index, as far as its axes go.
#[derive(Clone, Debug)]
struct Part {
    index: Vec<i64>,
    axes: Vec<Axis>,
}

/// Some steps along a dimension.
#[derive(Clone, Copy, Debug)]
struct Axis {
    dim: usize,
    step: i64,
    extent: i64,
}

/// A value over a part: what it is at the start, and what a step of each axis adds to it.
#[derive(Clone, Debug)]
struct Linear {
    start: i64,
    steps: Vec<i64>,
}

/// Where a part has to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// This axis into rounds of so many steps.
    Rounds { axis: usize, steps: i64 },
    /// This axis before this step.
    Before { axis: usize, step: i64 },
}

/// The elements of an array as boxes, each element in exactly one; `None` where there would be too
/// many, or elements lie outside memory.
pub(crate) fn boxes(from: &IndexMap, to: &IndexMap, max_boxes: usize) -> Option<Vec<Nest>> {
    let limit = worth_finding(from).min(max_boxes);
    let mut boxes = Vec::new();
    let mut parts = if from.elements() == 0 { vec![] } else { vec![Part::whole(from.dims())] };
    while let Some(part) = parts.pop() {
        match part.nest(from, to) {
            Ok(nest) => boxes.push(nest),
            Err(cut) => parts.extend(part.cut(cut)),
        }
        if boxes.len() + parts.len() > limit {
            return None;
        }
    }
    Some(boxes)
}

/// How many boxes of an array it is worth while to find.
pub(crate) fn worth_finding(map: &IndexMap) -> usize {
    let elements = usize::try_from(map.elements()).unwrap_or(usize::MAX);
    (elements / MIN_ELEMENTS).max(FEW_BOXES)
}

impl Part {
    fn whole(dims: &[i64]) -> Self {
        let axis = |(dim, &extent)| Axis { dim, step: 1, extent };
        let axes = dims.iter().enumerate().map(axis).collect();
        Part { index: vec![0; dims.len()], axes }.without_points()
    }

    /// The loops of both maps, if both are linear here.
    fn nest(&self, from: &IndexMap, to: &IndexMap) -> Result<Nest, Cut> {
        let (src, dst) = (self.offset(from)?, self.offset(to)?);
        let steps = src.steps.iter().zip(&dst.steps);
        let loops = self.axes.iter().zip(steps);
        let loops = loops.map(|(axis, (&src, &dst))| Loop { extent: axis.extent, src, dst });
        Ok(Nest { src: src.start, dst: dst.start, loops: loops.collect() }.tidied())
    }

    fn offset(&self, map: &IndexMap) -> Result<Linear, Cut> {
        let mut merged = Vec::with_capacity(map.merged().len());
        for coordinate in map.merged() {
            merged.push(self.sum(coordinate.base(), coordinate.digits(), &merged)?);
        }
        self.sum(map.base(), map.digits(), &merged)
    }

    fn sum(&self, base: i64, digits: &[Digit], merged: &[Linear]) -> Result<Linear, Cut> {
        let mut sum = Linear { start: base, steps: vec![0; self.axes.len()] };
        for digit in digits {
            let value = match digit.source {
                Source::Dim(dim) => self.along(dim),
                Source::Merged(number) => merged[number].clone(),
            };
            let mut value = self.divided(value, digit.divisor)?;
            if let Some(modulus) = digit.modulus {
                value = self.wrapped(&value, modulus)?;
            }
            sum.start += value.start * digit.stride;
            sum.steps
                .iter_mut()
                .zip(&value.steps)
                .for_each(|(to, step)| *to += step * digit.stride);
        }
        Ok(sum)
    }

    /// The index along a dimension.
    fn along(&self, dim: usize) -> Linear {
        let step = |axis: &Axis| if axis.dim == dim { axis.step } else { 0 };
        Linear { start: self.index[dim], steps: self.axes.iter().map(step).collect() }
    }

    fn divided(&self, value: Linear, divisor: i64) -> Result<Linear, Cut> {
        if divisor == 1 {
            return Ok(value);
        }
        let at = |value: i64| value.div_euclid(divisor);
        let is_line = self.stays_or_turns(&value, divisor)?;
        let quotient = |&step: &i64| match step % divisor {
            0 => step / divisor,
            _ if is_line => at(value.start + step) - at(value.start),
            _ => 0,
        };
        Ok(Linear { start: at(value.start), steps: value.steps.iter().map(quotient).collect() })
    }

    fn wrapped(&self, value: &Linear, modulus: i64) -> Result<Linear, Cut> {
        let at = |value: i64| value.rem_euclid(modulus);
        let is_line = self.stays_or_turns(value, modulus)?;
        let rest = |&step: &i64| match step % modulus {
            0 => 0,
            _ if is_line => at(value.start + step) - at(value.start),
            _ => step,
        };
        Ok(Linear { start: at(value.start), steps: value.steps.iter().map(rest).collect() })
    }

    /// Whether a value has only one axis that does not go in multiples of a divisor, and that of
    /// two values. If not, what is left of the value apart from multiples stays between two of
    /// them.
    fn stays_or_turns(&self, value: &Linear, divisor: i64) -> Result<bool, Cut> {
        let is_low = |&axis: &usize| value.steps[axis] % divisor != 0;
        let low: Vec<usize> = (0..self.axes.len()).filter(is_low).collect();
        if let [only] = low[..]
            && self.axes[only].extent == 2
        {
            return Ok(true);
        }
        let range = Range::of(self, value, low.iter().copied());
        match range.is_between(divisor) {
            true => Ok(false),
            false => Err(self.cut_of(value, divisor, &low)),
        }
    }

    /// How to cut a value that crosses a multiple of a divisor on the way along some axes.
    fn cut_of(&self, value: &Linear, divisor: i64, low: &[usize]) -> Cut {
        let period = |axis: usize| divisor / gcd(divisor, value.steps[axis]);
        let reach = |axis: &usize| value.steps[*axis].abs() * (self.axes[*axis].extent - 1);
        let comes_round = |axis: &&usize| self.axes[**axis].extent / period(**axis) > 1;
        if let Some(&axis) = low.iter().filter(comes_round).max_by_key(|axis| reach(axis)) {
            return match value.steps_to_multiple(axis, divisor) {
                Some(step) if low.len() == 1 => Cut::Before { axis, step },
                _ => Cut::Rounds { axis, steps: period(axis) },
            };
        }
        // Axes that were first come first, of those that reach as far.
        let axis = low.iter().copied().rev().max_by_key(reach).unwrap_or(0);
        let others = Range::of(self, value, low.iter().copied().filter(|&other| other != axis));
        let step = others.steps_between(value.steps[axis], divisor);
        Cut::Before { axis, step: step.clamp(1, self.axes[axis].extent - 1) }
    }

    fn without_points(mut self) -> Self {
        self.axes.retain(|axis| axis.extent > 1);
        self
    }

    fn cut(self, cut: Cut) -> impl Iterator<Item = Part> {
        let (axis, first) = match cut {
            Cut::Rounds { axis, steps } => (axis, self.axes[axis].extent / steps * steps),
            Cut::Before { axis, step } => (axis, step),
        };
        let mut rest = self.clone();
        rest.index[self.axes[axis].dim] += first * self.axes[axis].step;
        rest.axes[axis].extent -= first;
        let mut begin = self;
        let whole = begin.axes[axis];
        begin.axes[axis].extent = first;
        if let Cut::Rounds { steps, .. } = cut {
            let rounds = Axis { step: whole.step * steps, extent: first / steps, ..whole };
            begin.axes[axis] = rounds;
            begin.axes.insert(axis + 1, Axis { extent: steps, ..whole });
        }
        let parts = [begin, rest].into_iter();
        parts.filter(|part| part.axes.iter().all(|axis| axis.extent > 0)).map(Part::without_points)
    }
}

/// The lowest and the highest of some values.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: i64,
    high: i64,
}

impl Linear {
    /// How many steps of an axis it is to a multiple of a divisor, if the value reaches the next
    /// one and is none at the start.
    fn steps_to_multiple(&self, axis: usize, divisor: i64) -> Option<i64> {
        let (step, before) = (self.steps[axis], (-self.start).rem_euclid(divisor));
        (step > 0 && before > 0 && before % step == 0).then(|| before / step)
    }
}

impl Range {
    /// Of a value along some axes.
    fn of(part: &Part, value: &Linear, axes: impl Iterator<Item = usize>) -> Self {
        let mut range = Range { low: value.start, high: value.start };
        for axis in axes {
            let reach = value.steps[axis] * (part.axes[axis].extent - 1);
            range.low += reach.min(0);
            range.high += reach.max(0);
        }
        range
    }

    /// Whether no multiple of the divisor is crossed.
    fn is_between(self, divisor: i64) -> bool {
        self.low.div_euclid(divisor) == self.high.div_euclid(divisor)
    }

    /// How many steps all values can go, the first being none, until one crosses a multiple of the
    /// divisor; 0 if some already have.
    fn steps_between(self, step: i64, divisor: i64) -> i64 {
        let below = self.low.rem_euclid(divisor);
        let above = divisor - 1 - self.high.rem_euclid(divisor);
        match step > 0 {
            _ if !self.is_between(divisor) => 0,
            true => above / step + 1,
            false => below / -step + 1,
        }
    }
}

/// Whether no two elements of some boxes go to the same slot. What takes too long to find out is
/// not said to be so.
///
/// Slots are looked at one by one, but for the runs that all boxes are made of and the steps of
/// the longest stride, which are ranges.
pub(crate) fn are_disjoint(boxes: &[Nest]) -> bool {
    let grain = boxes.iter().map(Nest::dst_grain).fold(0, gcd).max(1);
    let strides = boxes.iter().flat_map(|nest| &nest.loops).map(|l| l.dst);
    let longest = strides.filter(|&stride| stride > 1).max().unwrap_or(i64::MAX);
    let (mut taken, mut left) = (Vec::new(), MAX_SLOTS);
    for nest in boxes {
        let (outer, inner): (Vec<Loop>, Vec<Loop>) =
            nest.loops.iter().partition(|l| l.dst == longest);
        let inner: Vec<Loop> = inner.into_iter().map(|l| in_grains(l, grain)).collect();
        left -= inner.iter().map(|l| l.extent).product::<i64>();
        if left < 0 || outer.len() > 1 {
            return false;
        }
        let count = outer.first().map_or(1, |l| l.extent);
        walk(&inner, (0, nest.dst), &mut |(_, slot)| {
            let first = slot.div_euclid(longest);
            taken.push((slot.rem_euclid(longest), first..first + count));
        });
    }
    taken.sort_unstable_by_key(|(slot, steps)| (*slot, steps.start));
    taken.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1.end <= pair[1].1.start)
}

/// A loop with its run, if it is one, in steps of a grain.
fn in_grains(l: Loop, grain: i64) -> Loop {
    match l.dst {
        1 => Loop { extent: l.extent / grain, dst: grain, ..l },
        _ => l,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tilewright::Shape;

    fn loops(loops: &[(i64, i64, i64)]) -> Vec<Loop> {
        loops.iter().map(|&(extent, src, dst)| Loop { extent, src, dst }).collect()
    }

    #[test]
    fn the_worked_example() {
        let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
        // Of tiles of 4 numbers, 5 apart, and tiles of 6.
        let (fours, sixes) = (map("u8[24]{0:T(4)}"), map("u8[24]{0:T(6)}"));
        assert_eq!(boxes(&fours, &sixes, 99).unwrap().len(), 1, "both are rows");
        let fives = map("u8[24,2]{0,1:T(2,4)}");
        let sixes = map("u8[24,2]{0,1:T(2,6)}");
        let mut found = boxes(&fives, &sixes, 99).unwrap();
        found.sort_by_key(|nest| nest.dst);
        let nest = |src, dst, steps| Nest {
            src,
            dst,
            loops: loops(&[(2, 24, 24), (2, 4, 6), (steps, 1, 1)]),
        };
        let expected = [nest(0, 0, 4), nest(8, 4, 2), nest(10, 12, 2), nest(16, 14, 4)];
        assert_eq!(found, expected);
    }

    #[test]
    fn no_more_boxes_than_asked_for() {
        let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
        let (fours, sixes) = (map("u8[24,2]{0,1:T(2,4)}"), map("u8[24,2]{0,1:T(2,6)}"));
        assert!(boxes(&fours, &sixes, 4).is_some());
        assert!(boxes(&fours, &sixes, 3).is_none());
    }

    #[test]
    fn what_has_no_elements_has_no_boxes() {
        let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
        let empty = boxes(&map("u8[0,5]"), &map("u8[0,5]{0,1:T(2)}"), 9);
        assert_eq!(empty, Some(vec![]));
    }

    fn some_loops() -> impl Strategy<Value = Vec<(i64, i64, i64)>> {
        prop::collection::vec((1..5i64, Just(0), 0..24i64), 0..4)
    }

    proptest! {
        #[test]
        fn disjoint_is_what_shares_no_slot(
            nests in prop::collection::vec((0..40i64, some_loops()), 1..4)
        ) {
            let nests: Vec<Nest> = nests
                .iter()
                .map(|(dst, l)| Nest { src: 0, dst: *dst, loops: loops(l) }.tidied())
                .collect();
            let mut slots = Vec::new();
            for nest in &nests {
                walk(&nest.loops, (0, nest.dst), &mut |(_, slot)| slots.push(slot));
            }
            let count = slots.len();
            slots.sort_unstable();
            slots.dedup();
            prop_assert_eq!(are_disjoint(&nests), slots.len() == count);
        }
    }
}
