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

/// Two searches for boxes take turns, and each is to find so many more times as many at its next turn.
const NEXT_TURN: usize = 4;

/// Where a part has to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// This axis into rounds of so many steps.
    Rounds { axis: usize, steps: i64 },
    /// This axis before this step.
    Before { axis: usize, step: i64 },
}

/// The elements of an array as boxes, each element in exactly one; `None` where there would be too
/// many.
pub(crate) fn boxes(from: &IndexMap, to: &IndexMap, max_boxes: usize) -> Option<Vec<Nest>> {
    let mut search = Search::new([from, to]);
    let is_done = search.goes_on(worth_finding(from).min(max_boxes));
    is_done.then_some(search.boxes)
}

/// The boxes of one pair of maps or of another, whichever are fewer, of the first pair if they are as
/// many. Both pairs are of as many elements.
///
/// The two searches take turns, so that one that comes to nothing costs little more than the other.
pub(crate) fn fewer_boxes(
    one: [&IndexMap; 2],
    other: [&IndexMap; 2],
    max_boxes: usize,
) -> Option<Vec<Nest>> {
    let most = worth_finding(one[0]).min(max_boxes);
    let (mut one, mut other) = (Search::new(one), Search::new(other));
    let mut limit = most.min(FEW_BOXES);
    loop {
        if one.goes_on(limit) {
            let is_fewer = other.goes_on(one.boxes.len().saturating_sub(1));
            return Some(if is_fewer { other.boxes } else { one.boxes });
        }
        if other.goes_on(limit) {
            return Some(other.boxes);
        }
        if limit >= most {
            return None;
        }
        limit = limit.saturating_mul(NEXT_TURN).min(most);
    }
}

/// How many boxes of an array it is worth while to find.
pub(crate) fn worth_finding(map: &IndexMap) -> usize {
    let elements = usize::try_from(map.elements()).unwrap_or(usize::MAX);
    (elements / MIN_ELEMENTS).max(FEW_BOXES)
}

/// A search for the boxes of two maps, which can be stopped and gone on with.
///
/// What is worked out on a part holds on what the part is cut into: a sum that is linear here is linear
/// there. So a part keeps the sums that it has come to, and goes on where it failed before it was cut.
struct Search<'a> {
    /// The merged coordinates and the offset of one map and of the other, after as many rows as there are
    /// dimensions.
    sums: Vec<Sum<'a>>,
    rank: usize,
    /// The rows of the two offsets.
    offsets: [usize; 2],
    boxes: Vec<Nest>,
    /// What is still to be looked at, the next one last.
    parts: Vec<Part>,
    /// Parts that are done with, whose lists are used again.
    spare: Vec<Part>,
    /// The value of the digit that is worked out: where it starts, and its steps.
    value: Vec<i64>,
}

/// A sum of digits.
struct Sum<'a> {
    base: i64,
    digits: &'a [Digit],
    /// The row of its map's first merged coordinate.
    merged: usize,
}

/// A part of an array: where it begins, and axes along which it goes on.
///
/// There is a row for each dimension and each sum. Its first value is what it is where the part begins,
/// the others what a step of each axis adds to it. Values are stored column by column.
#[derive(Debug, Default)]
struct Part {
    /// How many steps there are of each axis.
    extents: Vec<i64>,
    values: Vec<i64>,
    /// The sum that is worked out, and the digit that is to be added next.
    sum: usize,
    digit: usize,
}

impl<'a> Search<'a> {
    fn new(maps: [&'a IndexMap; 2]) -> Self {
        let rank = maps[0].dims().len();
        let mut sums = Vec::new();
        let offsets = maps.map(|map| {
            let merged = rank + sums.len();
            let coordinates = map.merged().iter().map(|sum| (sum.base(), sum.digits()));
            let all = coordinates.chain([(map.base(), map.digits())]);
            sums.extend(all.map(|(base, digits)| Sum { base, digits, merged }));
            rank + sums.len() - 1
        });
        let (boxes, parts, spare, value) = Default::default();
        let mut search = Search { sums, rank, offsets, boxes, parts, spare, value };
        if maps[0].elements() > 0 {
            search.parts.push(search.whole(maps[0].dims()));
        }
        search
    }

    fn n_rows(&self) -> usize {
        self.rank + self.sums.len()
    }

    /// The whole array: an axis for each dimension.
    fn whole(&self, dims: &[i64]) -> Part {
        let mut values = vec![0; self.rank];
        values.extend(self.sums.iter().map(|sum| sum.base));
        for dim in (0..self.rank).filter(|&dim| dims[dim] > 1) {
            let row = values.len() + dim;
            values.resize(values.len() + self.n_rows(), 0);
            values[row] = 1;
        }
        let extents = dims.iter().copied().filter(|&size| size > 1).collect();
        Part { extents, values, sum: 0, digit: 0 }
    }

    /// Goes on until all boxes are found, or there are more than `limit` for sure. Says whether they
    /// are found.
    fn goes_on(&mut self, limit: usize) -> bool {
        while self.boxes.len() + self.parts.len() <= limit {
            let Some(mut part) = self.parts.pop() else { return true };
            match self.work_out(&mut part) {
                Ok(()) => {
                    self.boxes.push(self.nest(&part));
                    self.spare.push(part);
                }
                Err(cut) => {
                    let mut rest = self.spare.pop().unwrap_or_default();
                    part.cut(cut, self.n_rows(), &mut rest);
                    self.parts.push(part);
                    match rest.extents.contains(&0) {
                        false => self.parts.push(rest),
                        true => self.spare.push(rest),
                    }
                }
            }
        }
        false
    }

    /// Works out all sums, as long as they are linear.
    fn work_out(&mut self, part: &mut Part) -> Result<(), Cut> {
        while let Some(sum) = self.sums.get(part.sum) {
            for digit in sum.digits.get(part.digit..).unwrap_or_default() {
                let source = match digit.source {
                    Source::Dim(dim) => dim,
                    Source::Merged(number) => sum.merged + number,
                };
                let columns = part.values.chunks_exact(self.rank + self.sums.len());
                self.value.clear();
                self.value.extend(columns.map(|column| column[source]));
                if digit.divisor != 1 {
                    divide(&mut self.value, &part.extents, digit.divisor)?;
                }
                if let Some(modulus) = digit.modulus {
                    wrap(&mut self.value, &part.extents, modulus)?;
                }
                let columns = part.values.chunks_exact_mut(self.rank + self.sums.len());
                for (column, value) in columns.zip(&self.value) {
                    column[self.rank + part.sum] += value * digit.stride;
                }
                part.digit += 1;
            }
            (part.sum, part.digit) = (part.sum + 1, 0);
        }
        Ok(())
    }

    /// The loops of a part on which both maps are linear.
    fn nest(&self, part: &Part) -> Nest {
        let mut columns = part.values.chunks_exact(self.n_rows());
        let [src, dst] = self.offsets;
        let start = columns.next().map_or((0, 0), |column| (column[src], column[dst]));
        let axes = columns.zip(&part.extents);
        let axis =
            |(column, &extent): (&[i64], _)| Loop { extent, src: column[src], dst: column[dst] };
        Nest { src: start.0, dst: start.1, loops: axes.map(axis).collect() }.tidied()
    }
}

impl Part {
    /// Cuts off all but what comes first, which becomes `rest`: nothing may be left of an axis there.
    fn cut(&mut self, cut: Cut, n_rows: usize, rest: &mut Part) {
        let (axis, first) = match cut {
            Cut::Rounds { axis, steps } => (axis, self.extents[axis] / steps * steps),
            Cut::Before { axis, step } => (axis, step),
        };
        rest.extents.clone_from(&self.extents);
        rest.values.clone_from(&self.values);
        (rest.sum, rest.digit) = (self.sum, self.digit);
        rest.extents[axis] -= first;
        let (start, steps) = rest.values.split_at_mut(n_rows);
        let steps = &steps[axis * n_rows..][..n_rows];
        start.iter_mut().zip(steps).for_each(|(start, step)| *start += first * step);
        rest.drop_points(n_rows);
        self.extents[axis] = first;
        if let Cut::Rounds { steps, .. } = cut {
            let column = (1 + axis) * n_rows..(2 + axis) * n_rows;
            self.values.extend_from_within(column.clone());
            self.values[column.start..].rotate_right(n_rows);
            self.values[column].iter_mut().for_each(|step| *step *= steps);
            self.extents[axis] = first / steps;
            self.extents.insert(axis + 1, steps);
        }
        self.drop_points(n_rows);
    }

    /// Leaves out the axes of a single step.
    fn drop_points(&mut self, n_rows: usize) {
        while let Some(axis) = self.extents.iter().position(|&extent| extent == 1) {
            self.extents.remove(axis);
            self.values.drain((1 + axis) * n_rows..(2 + axis) * n_rows);
        }
    }
}

/// Divides a value along axes of these extents.
fn divide(value: &mut [i64], extents: &[i64], divisor: i64) -> Result<(), Cut> {
    let at = |value: i64| value.div_euclid(divisor);
    let is_line = stays_or_turns(value, extents, divisor)?;
    let start = value[0];
    for step in value[1..].iter_mut().filter(|step| **step != 0) {
        *step = match *step % divisor {
            0 => *step / divisor,
            _ if is_line => at(start + *step) - at(start),
            _ => 0,
        };
    }
    value[0] = at(start);
    Ok(())
}

/// What is left of a value when it is divided.
fn wrap(value: &mut [i64], extents: &[i64], modulus: i64) -> Result<(), Cut> {
    let at = |value: i64| value.rem_euclid(modulus);
    let is_line = stays_or_turns(value, extents, modulus)?;
    let start = value[0];
    for step in value[1..].iter_mut().filter(|step| **step != 0) {
        *step = match *step % modulus {
            0 => 0,
            _ if is_line => at(start + *step) - at(start),
            _ => *step,
        };
    }
    value[0] = at(start);
    Ok(())
}

/// Whether a value has only one axis that does not go in multiples of a divisor, and that of
/// two values. If not, what is left of the value apart from multiples stays between two of
/// them.
fn stays_or_turns(value: &[i64], extents: &[i64], divisor: i64) -> Result<bool, Cut> {
    let (start, steps) = (value[0], &value[1..]);
    let mut range = Range { low: start, high: start };
    let (mut n_low, mut last) = (0, 0);
    for (&step, &extent) in steps.iter().zip(extents) {
        if step != 0 && step % divisor != 0 {
            (n_low, last) = (n_low + 1, extent);
            range.add(step, extent);
        }
    }
    match (n_low, last) {
        (1, 2) => Ok(true),
        _ if range.is_between(divisor) => Ok(false),
        _ => Err(cut_of(start, steps, extents, divisor)),
    }
}

/// How to cut a value that crosses a multiple of a divisor on the way along some axes.
fn cut_of(start: i64, steps: &[i64], extents: &[i64], divisor: i64) -> Cut {
    let low: Vec<usize> = (0..steps.len()).filter(|&axis| steps[axis] % divisor != 0).collect();
    let period = |axis: usize| divisor / gcd(divisor, steps[axis]);
    let reach = |axis: &usize| steps[*axis].abs() * (extents[*axis] - 1);
    let comes_round = |axis: &&usize| extents[**axis] / period(**axis) > 1;
    if let Some(&axis) = low.iter().filter(comes_round).max_by_key(|axis| reach(axis)) {
        return match steps_to_multiple(start, steps[axis], divisor) {
            Some(step) if low.len() == 1 => Cut::Before { axis, step },
            _ => Cut::Rounds { axis, steps: period(axis) },
        };
    }
    // Axes that were first come first, of those that reach as far.
    let axis = low.iter().copied().rev().max_by_key(reach).unwrap_or(0);
    let mut others = Range { low: start, high: start };
    for &other in low.iter().filter(|other| **other != axis) {
        others.add(steps[other], extents[other]);
    }
    let step = others.steps_between(steps[axis], divisor);
    Cut::Before { axis, step: step.clamp(1, extents[axis] - 1) }
}

/// How many steps it is to a multiple of a divisor, if they reach the next one and it is not the start.
fn steps_to_multiple(start: i64, step: i64, divisor: i64) -> Option<i64> {
    let before = (-start).rem_euclid(divisor);
    (step > 0 && before > 0 && before % step == 0).then(|| before / step)
}

/// The lowest and the highest of some values.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: i64,
    high: i64,
}

impl Range {
    /// Adds what an axis adds on its way.
    fn add(&mut self, step: i64, extent: i64) {
        let reach = step * (extent - 1);
        self.low += reach.min(0);
        self.high += reach.max(0);
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

    impl Search<'_> {
        fn found(mut self, limit: usize) -> Vec<Nest> {
            assert!(self.goes_on(limit));
            self.boxes
        }
    }

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

    /// Stopped and gone on with, a search comes to what it comes to in one go.
    #[test]
    fn a_search_goes_on_where_it_stopped() {
        let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
        let (from, to) = (map("u8[90,70]{1,0:T(4,7)}"), map("u8[90,70]{0,1:T(*,9)(6,2)}"));
        let all = Search::new([&from, &to]).found(100_000);
        let mut search = Search::new([&from, &to]);
        let n_turns = (0..).take_while(|&limit| !search.goes_on(limit)).count();
        assert_eq!((n_turns, &search.boxes), (all.len(), &all));
        let mut slots = Vec::new();
        for nest in &all {
            walk(&nest.loops, (nest.src, nest.dst), &mut |pair| slots.push(pair));
        }
        slots.sort_unstable();
        let mut expected: Vec<(i64, i64)> =
            from.offsets().unwrap().into_iter().zip(to.offsets().unwrap()).collect();
        expected.sort_unstable();
        assert_eq!(slots, expected);
    }

    #[test]
    fn of_two_searches_the_one_that_finds_fewer() {
        let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
        let (rows, tiled) = (map("u8[64,70]"), map("u8[64,70]{1,0:T(*,32)(3,1)}"));
        let as_one = [&rows, &tiled].map(|map| map.reshaped(&[64 * 70]).unwrap());
        let [one, two] = [[&as_one[0], &as_one[1]], [&rows, &tiled]];
        let [of_one, of_two] = [one, two].map(|maps| Search::new(maps).found(10_000));
        assert!(of_one.len() < of_two.len());
        assert_eq!(fewer_boxes(one, two, 10_000).as_ref(), Some(&of_one));
        assert_eq!(fewer_boxes(two, one, 10_000).as_ref(), Some(&of_one));
        assert_eq!(fewer_boxes(two, one, of_one.len()).as_ref(), Some(&of_one));
        assert_eq!(fewer_boxes(two, one, of_one.len() - 1), None);
    }

    #[test]
    fn what_has_no_elements_has_no_boxes() {
        let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
        let empty = boxes(&map("u8[0,5]"), &map("u8[0,5]{0,1:T(2)}"), 9);
        assert_eq!(empty, Some(vec![]));
    }

    /// Runs one slot apart: 32 and 33, 33 and 34.
    #[test]
    fn runs_within_each_other_share_slots() {
        let overlapping = Nest { src: 0, dst: 32, loops: loops(&[(2, 0, 1), (2, 0, 1)]) };
        assert!(!are_disjoint(&[overlapping]));
        let apart = Nest { src: 0, dst: 32, loops: loops(&[(2, 0, 2), (2, 0, 1)]) };
        assert!(are_disjoint(&[apart]));
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
