//! From two index maps to loop nests.
//!
//! Along one dimension each map is a mixed-radix number with a stride per digit. Where the
//! divisors of both maps together still divide each other, there is one finer mixed-radix number
//! on whose digits *both* maps are linear. Moving `f32[20,5]` from rows to tiles of 8 × 2 cuts
//! dimension 0 at the divisors 1 and 8:
//!
//! | digit | source stride | destination stride |
//! |---|---|---|
//! | `i0 mod 8` | 5 | 2 |
//! | `i0 div 8` | 40 | 48 |
//!
//! 20 is no multiple of 8, so the digits do not fill a box. Written in that radix, 20 is "2 · 8 +
//! 4 · 1", and that is two boxes: `i0 div 8` in 0..2 with `i0 mod 8` full, and `i0 div 8` fixed
//! at 2 with `i0 mod 8` in 0..4. The boxes of an array are the products of those of its
//! dimensions. Inside a box nothing is ever tested against a bound.
//!
//! Where there is no such number, [`linear`] finds boxes all the same.

use crate::linear::{self, are_disjoint};
use crate::nest::{Loop, Nest};
use crate::overhang::Overhang;
use std::cmp::Ordering;
use std::ops::Range;
use tilewright::IndexMap;
use tilewright::map::{Digit, Merged, Source};

/// Arrays that fall into more boxes than this go through rows if they can.
pub(crate) const MAX_BOXES: usize = 4096;

/// Two maps as loops.
#[derive(Clone, Debug)]
pub(crate) struct Refined {
    /// Every digit of every dimension, as far as it ever goes.
    pub(crate) digits: Vec<Loop>,
    /// The array's elements, each in exactly one box; and the slots of `beyond`, each in one at most.
    pub(crate) boxes: Vec<Nest>,
    /// The destination's slots that hold no element, but for those of `beyond`, each in exactly one box, both sides its
    /// own; `None` where they are not just what its digits reach beyond the dimensions.
    pub(crate) padding: Option<Vec<Nest>>,
    /// Whether no two elements go to one slot, as far as is known.
    pub(crate) is_injective: bool,
    /// The rest of that padding, which boxes may have beside elements: it is filled when they have been moved.
    pub(crate) beyond: Vec<Nest>,
    /// The same elements in rows that overhang, if there are such.
    pub(crate) overhang: Option<Overhang>,
}

impl Refined {
    /// Of boxes of elements alone.
    fn exact(
        digits: Vec<Loop>,
        boxes: Vec<Nest>,
        padding: Option<Vec<Nest>>,
        is_injective: bool,
    ) -> Self {
        Refined { digits, boxes, padding, is_injective, beyond: Vec::new(), overhang: None }
    }
}

/// The loops of two maps over the same dimensions, counted in elements. `None` where the maps
/// have merged coordinates, their divisors do not divide each other, or there are too many boxes.
///
/// Where `is_injective` says that no two elements share a slot of the second map, that is taken for
/// granted.
pub(crate) fn refine(from: &IndexMap, to: &IndexMap, is_injective: bool) -> Option<Refined> {
    if !from.is_separable() || !to.is_separable() {
        return None;
    }
    let radices = Radices::of(from, to)?;
    let mut ranges = Ranges::default();
    radices.iter().for_each(|radix| ranges.add_dim(|ranges| radix.add_boxes(ranges)));
    let boxes = ranges.products((from.base(), to.base()))?;
    let inside = boxes.iter().all(|nest| lies_inside(nest, from.allocation(), to.allocation()));
    let padding = padding(to, is_injective);
    let digits = radices.digits;
    inside.then_some(Refined::exact(digits, boxes, padding, is_injective))
}

/// The loops of any two maps over the same dimensions, in no more than `max_boxes`: of the maps as
/// they are, or with the dimensions that either merges as one, whichever takes fewer.
pub(crate) fn refine_any(
    from: &IndexMap,
    to: &IndexMap,
    is_injective: bool,
    max_boxes: usize,
) -> Option<Refined> {
    let merged = with_merged_dims(from, to);
    if let Some((from, to)) = &merged
        && let Some(refined) = refine(from, to, is_injective)
    {
        return Some(refined);
    }
    let boxes = match &merged {
        Some((merged_from, merged_to)) => {
            linear::fewer_boxes([merged_from, merged_to], [from, to], max_boxes)
        }
        None => linear::boxes(from, to, max_boxes),
    }?;
    let inside = boxes.iter().all(|nest| lies_inside(nest, from.allocation(), to.allocation()));
    let digit = |digit: &Digit| Loop { extent: to.extent(digit), src: 0, dst: digit.stride };
    let digits = to.digits().iter().map(digit).collect();
    let is_injective = is_injective || are_disjoint(&boxes);
    let padding = padding(to, is_injective);
    inside.then_some(Refined::exact(digits, boxes, padding, is_injective))
}

/// Both maps over dimensions of which those that either merges, and those between them, are one;
/// `None` where no coordinate counts through several dimensions as if they were one.
fn with_merged_dims(from: &IndexMap, to: &IndexMap) -> Option<(IndexMap, IndexMap)> {
    let coordinates = || from.merged().iter().chain(to.merged());
    let sizes = from.dims();
    if !coordinates().any(|coordinate| counts_through(coordinate, sizes)) {
        return None;
    }
    let dims = coordinates().flat_map(Merged::digits).filter_map(dim_of);
    let (first, last) = (dims.clone().min()?, dims.max()?);
    let one = sizes.get(first..=last)?.iter().product();
    let sizes = [sizes.get(..first)?, &[one], sizes.get(last + 1..)?].concat();
    (first < last).then(|| Some((from.reshaped(&sizes).ok()?, to.reshaped(&sizes).ok()?)))?
}

fn dim_of(digit: &Digit) -> Option<usize> {
    match digit.source {
        Source::Dim(dim) => Some(dim),
        Source::Merged(_) => None,
    }
}

/// Whether a sum of digits has digits of two dimensions that it steps along as if they were one, in
/// either order: as much for all of one as for a step of the other. A sum of two bits, as a swizzle
/// makes it, has not.
fn counts_through(sum: &Merged, sizes: &[i64]) -> bool {
    let pairs = || sum.digits().iter().flat_map(|a| sum.digits().iter().map(move |b| (a, b)));
    let is_one = |(major, minor): (&Digit, &Digit)| {
        let (Some(outer), Some(inner)) = (dim_of(major), dim_of(minor)) else { return false };
        // A step of a dimension is `stride / divisor` of the sum.
        let passed = if outer < inner { outer + 1..inner + 1 } else { inner..outer };
        let sizes = sizes.get(passed).unwrap_or_default();
        let all_of_minor = sizes
            .iter()
            .fold(i128::from(minor.stride), |all, &size| all.saturating_mul(size.into()));
        outer != inner
            && all_of_minor.saturating_mul(major.divisor.into())
                == i128::from(major.stride).saturating_mul(minor.divisor.into())
    };
    let is_whole = |digit: &Digit| dim_of(digit).is_none() && digit.modulus.is_none();
    sum.digits().iter().any(is_whole) || pairs().any(is_one)
}

/// The slots of a map's memory that hold no element: the room between digits, and for every
/// dimension what its digits reach beyond it, inside all dimensions before it and as far as the
/// digits of those after it reach.
fn padding(to: &IndexMap, is_injective: bool) -> Option<Vec<Nest>> {
    if !to.is_separable() || !to.is_ordered() || to.base() != 0 {
        return None;
    }
    if is_injective && to.elements() == to.allocation() {
        return Some(Vec::new());
    }
    let radices = Radices::of(to, to)?;
    let order: Vec<usize> = (0..radices.ends.len()).collect();
    let (mut padding, of_last) = padding_by(&radices, &order, to)?;
    padding.extend(of_last);
    (padding.len() <= MAX_BOXES).then_some(padding)
}

/// All padding of an ordered map of these digits, dimension by dimension in this order, and that of the last dimension apart, which
/// is inside all others.
pub(crate) fn padding_by(
    radices: &Radices<'_>,
    order: &[usize],
    to: &IndexMap,
) -> Option<(Vec<Nest>, Vec<Nest>)> {
    let mut padding = room_between(&radices.digits, to.allocation());
    let mut of_last = Vec::new();
    for (place, &beyond) in order.iter().enumerate() {
        if !radices.nth(beyond)?.reaches_beyond() {
            continue;
        }
        let mut ranges = Ranges::default();
        for (other, &dim) in order.iter().enumerate() {
            let radix = radices.nth(dim)?;
            ranges.add_dim(|ranges| match other.cmp(&place) {
                Ordering::Less => radix.add_boxes(ranges),
                Ordering::Equal => radix.add_boxes_beyond(ranges),
                Ordering::Greater => ranges.add((0, 0), radix.digits, None),
            });
        }
        let found = if place + 1 == order.len() { &mut of_last } else { &mut padding };
        found.extend(ranges.products((0, 0))?);
    }
    let filled = n_slots(&padding)?.checked_add(n_slots(&of_last)?)?.checked_add(to.elements())?;
    let onto_itself = |nests: Vec<Nest>| nests.into_iter().map(onto_itself).collect();
    (filled == to.allocation()).then(|| (onto_itself(padding), onto_itself(of_last)))
}

/// The same slots with the destination as the source, so that all loops that can be are joined.
fn onto_itself(mut nest: Nest) -> Nest {
    nest.src = nest.dst;
    nest.loops.iter_mut().for_each(|l| l.src = l.dst);
    nest.tidied()
}

/// The slots between the end of each digit's steps and the next larger stride.
fn room_between(digits: &[Loop], allocation: i64) -> Vec<Nest> {
    let mut digits = digits.to_vec();
    digits.retain(|digit| digit.extent > 1);
    digits.sort_by_key(|digit| digit.dst);
    let inner = [Loop { extent: 1, src: 0, dst: 1 }];
    let ends = inner.iter().chain(&digits).map(|l| l.extent.saturating_mul(l.dst));
    let next = digits.iter().map(|digit| digit.dst).chain([allocation]);
    let room = ends.zip(next).enumerate();
    room.filter(|(_, (end, next))| next > end)
        .map(|(place, (end, next))| {
            let mut loops = digits[place..].to_vec();
            loops.push(Loop { extent: next - end, src: 0, dst: 1 });
            Nest { src: 0, dst: end, loops }
        })
        .collect()
}

/// The number of slots in some boxes.
pub(crate) fn n_slots(boxes: &[Nest]) -> Option<i64> {
    boxes.iter().try_fold(0i64, |sum, nest| {
        let slots = nest.loops.iter().try_fold(1i64, |slots, l| slots.checked_mul(l.extent))?;
        sum.checked_add(slots)
    })
}

/// The dimensions of two maps as mixed-radix numbers, one list after the other.
pub(crate) struct Radices<'a> {
    sizes: &'a [i64],
    /// What one step of each digit is worth along its dimension, smallest first; the first is 1.
    divisors: Vec<i64>,
    /// The digits, in the same order.
    digits: Vec<Loop>,
    /// Where each dimension's digits end.
    ends: Vec<usize>,
}

/// One dimension as a mixed-radix number.
#[derive(Clone, Copy)]
pub(crate) struct Radix<'a> {
    pub(crate) size: i64,
    pub(crate) divisors: &'a [i64],
    pub(crate) digits: &'a [Loop],
}

impl<'a> Radices<'a> {
    /// `None` where divisors do not divide each other.
    pub(crate) fn of(from: &'a IndexMap, to: &'a IndexMap) -> Option<Self> {
        let sizes = from.dims();
        let (mut divisors, mut ends) = (Vec::new(), Vec::with_capacity(sizes.len()));
        for (dim, &size) in sizes.iter().enumerate() {
            add_nested_divisors(&mut divisors, from, to, dim, size)?;
            ends.push(divisors.len());
        }
        let mut digits = Vec::with_capacity(divisors.len());
        let mut start = 0;
        for (dim, (&end, &size)) in ends.iter().zip(sizes).enumerate() {
            let divisors = divisors.get(start..end)?;
            let next = divisors.iter().skip(1).copied().chain([size]);
            digits.extend(divisors.iter().zip(next).map(|(&divisor, end)| Loop {
                extent: end / divisor + i64::from(end % divisor != 0),
                src: contribution(from, dim, divisor),
                dst: contribution(to, dim, divisor),
            }));
            start = end;
        }
        Some(Radices { sizes, divisors, digits, ends })
    }

    /// Of a dimension.
    pub(crate) fn nth(&self, dim: usize) -> Option<Radix<'_>> {
        let start = if dim == 0 { 0 } else { *self.ends.get(dim - 1)? };
        let (&end, &size) = (self.ends.get(dim)?, self.sizes.get(dim)?);
        let (divisors, digits) = (self.divisors.get(start..end)?, self.digits.get(start..end)?);
        Some(Radix { size, divisors, digits })
    }

    /// The boxes of all dimensions but for one, each of which is inside that.
    pub(crate) fn boxes_around(&self, dim: usize, start: (i64, i64)) -> Option<Vec<Nest>> {
        let mut ranges = Ranges::default();
        for radix in (0..self.ends.len()).filter(|&other| other != dim).map(|dim| self.nth(dim)) {
            let radix = radix?;
            ranges.add_dim(|ranges| radix.add_boxes(ranges));
        }
        ranges.products(start)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Radix<'_>> {
        (0..self.ends.len()).filter_map(|dim| self.nth(dim))
    }
}

impl Radix<'_> {
    /// Adds the indices along the dimension as boxes of digits: for each digit of the size itself,
    /// the numbers that agree with the size above that digit and are below it there.
    fn add_boxes(&self, ranges: &mut Ranges) {
        let (mut corner, mut rest) = ((0, 0), self.size);
        for (place, (&divisor, digit)) in self.divisors.iter().zip(self.digits).enumerate().rev() {
            let count = rest / divisor;
            rest %= divisor;
            if count > 0 {
                ranges.add(corner, &self.digits[..place], Some(Loop { extent: count, ..*digit }));
            }
            corner.0 += count * digit.src;
            corner.1 += count * digit.dst;
        }
    }

    /// The boxes of the dimension alone.
    pub(crate) fn boxes(&self) -> Option<Vec<Nest>> {
        let mut ranges = Ranges::default();
        ranges.add_dim(|ranges| self.add_boxes(ranges));
        ranges.products((0, 0))
    }

    /// The same dimension as far as its last tile goes, if that is not full.
    pub(crate) fn in_whole_tiles(self) -> Option<Self> {
        let tile = *self.divisors.last().filter(|_| self.reaches_beyond())?;
        Some(Radix { size: (self.size / tile + 1).checked_mul(tile)?, ..self })
    }

    /// Whether the digits reach beyond the size: where it is no multiple of all divisors.
    fn reaches_beyond(&self) -> bool {
        self.divisors.last().is_some_and(|last| self.size % last != 0)
    }

    /// Adds what the digits reach from the size on, as boxes: for each digit, the numbers that agree
    /// with the size above that digit and exceed it there, the last digit's own included.
    fn add_boxes_beyond(&self, ranges: &mut Ranges) {
        let (mut corner, mut rest) = (0, self.size);
        for (place, (&divisor, digit)) in self.divisors.iter().zip(self.digits).enumerate().rev() {
            let own = rest / divisor;
            rest %= divisor;
            let first = own + i64::from(place > 0);
            if first < digit.extent {
                let steps = Loop { extent: digit.extent - first, ..*digit };
                let start = corner + first * digit.dst;
                ranges.add((0, start), &self.digits[..place], Some(steps));
            }
            if own >= digit.extent {
                // The size is all that the digits reach.
                break;
            }
            corner += own * digit.dst;
        }
    }
}

/// Boxes of each of several dimensions, of which one is to be chosen for each.
#[derive(Default)]
pub(crate) struct Ranges {
    loops: Vec<Loop>,
    /// Where each box begins on either side, and which of the loops are its own.
    boxes: Vec<((i64, i64), Range<usize>)>,
    /// Which of the boxes are of which dimension.
    dims: Vec<Range<usize>>,
}

impl Ranges {
    pub(crate) fn add_dim(&mut self, add_boxes: impl FnOnce(&mut Self)) {
        let first = self.boxes.len();
        add_boxes(self);
        self.dims.push(first..self.boxes.len());
    }

    fn add(&mut self, at: (i64, i64), inner: &[Loop], outer: Option<Loop>) {
        let first = self.loops.len();
        self.loops.extend(inner.iter().copied().chain(outer).filter(|l| l.extent != 1));
        self.boxes.push((at, first..self.loops.len()));
    }

    /// All choices, tidied, those of the last dimension changing first; `None` of too many.
    pub(crate) fn products(&self, start: (i64, i64)) -> Option<Vec<Nest>> {
        let count = self.dims.iter().try_fold(1usize, |all, of_dim| all.checked_mul(of_dim.len()));
        let count = count.filter(|&count| count <= MAX_BOXES)?;
        let mut nests = Vec::with_capacity(count);
        let mut chosen: Vec<usize> = self.dims.iter().map(|of_dim| of_dim.start).collect();
        for _ in 0..count {
            let boxes = || chosen.iter().filter_map(|&number| self.boxes.get(number));
            let n_loops = boxes().map(|(_, loops)| loops.len()).sum();
            let loops = Vec::with_capacity(n_loops);
            let mut nest = Nest { src: start.0, dst: start.1, loops };
            for ((src, dst), loops) in boxes() {
                nest.src += src;
                nest.dst += dst;
                nest.loops.extend_from_slice(self.loops.get(loops.clone()).unwrap_or_default());
            }
            nests.push(nest.tidied());
            for (choice, of_dim) in chosen.iter_mut().zip(&self.dims).rev() {
                *choice += 1;
                if *choice < of_dim.end {
                    break;
                }
                *choice = of_dim.start;
            }
        }
        Some(nests)
    }
}

/// Adds the divisors of both maps along a dimension, from 1 up; `None` if one does not divide the
/// next.
fn add_nested_divisors(
    divisors: &mut Vec<i64>,
    from: &IndexMap,
    to: &IndexMap,
    dim: usize,
    size: i64,
) -> Option<()> {
    let first = divisors.len();
    divisors.push(1);
    let mut add = |divisor: i64| {
        if divisor < size {
            let own = divisors.get(first..).unwrap_or_default();
            if let Err(place) = own.binary_search(&divisor) {
                divisors.insert(first + place, divisor);
            }
        }
    };
    for digit in digits_of(from, dim).chain(digits_of(to, dim)) {
        add(digit.divisor);
        if let Some(end) = digit.modulus.and_then(|modulus| modulus.checked_mul(digit.divisor)) {
            add(end);
        }
    }
    divisors.get(first..)?.is_sorted_by(|a, b| b % a == 0).then_some(())
}

fn digits_of(map: &IndexMap, dim: usize) -> impl Iterator<Item = &Digit> {
    map.digits().iter().filter(move |digit| digit.source == Source::Dim(dim))
}

/// What the index `value` along a dimension adds to the offset.
fn contribution(map: &IndexMap, dim: usize, value: i64) -> i64 {
    digits_of(map, dim).map(|digit| digit.value(value) * digit.stride).sum()
}

/// Whether no element of a box lies outside either allocation.
///
/// The kernels read and write by this: an element's place is `start + Σ i * stride` with `0 ≤ i < extent`, so the first one is
/// where every negative stride has gone to its end and no other has begun, and the last one the other way round. Sums are of 128
/// bits and stay at their ends, so that none comes back inside by going round.
pub(crate) fn lies_inside(nest: &Nest, src_allocation: i64, dst_allocation: i64) -> bool {
    let side = |start: i64, stride: fn(&Loop) -> i64, allocation: i64| {
        let (mut first, mut last) = (i128::from(start), i128::from(start));
        for l in &nest.loops {
            let reach = (i128::from(l.extent) - 1) * i128::from(stride(l));
            first = first.saturating_add(reach.min(0));
            last = last.saturating_add(reach.max(0));
        }
        first >= 0 && last < i128::from(allocation)
    };
    side(nest.src, |l| l.src, src_allocation) && side(nest.dst, |l| l.dst, dst_allocation)
}

/// The map that a text describes, for tests.
#[cfg(test)]
pub(crate) fn described(text: &str) -> IndexMap {
    let described: tilewright::notation::Described =
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    described.index_map().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::walk;
    use tilewright::Shape;

    fn refined(from: &str, to: &str) -> Option<Refined> {
        let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
        refine(&map(from), &map(to), true)
    }

    #[test]
    fn the_worked_example() {
        let refined = refined("f32[20,5]{1,0}", "f32[20,5]{1,0:T(8,2)}").unwrap();
        let digit = |extent, src, dst| Loop { extent, src, dst };
        assert_eq!(refined.digits[..2], [digit(8, 5, 2), digit(3, 40, 48)]);
        assert_eq!(refined.boxes.len(), 4);
        assert_eq!(refined.boxes.iter().map(Nest::elements).sum::<i64>(), 100);
    }

    #[test]
    fn what_does_not_nest_is_refused() {
        assert!(refined("f32[24,30]{1,0:T(4,2)}", "f32[24,30]{1,0:T(6,2)}").is_none());
        assert!(refined("f32[7,9]{1,0:T(*,8)(2,1)}", "f32[7,9]{1,0}").is_none());
    }

    /// Every slot of the destination is an element's or padding, once, however the sizes end.
    #[test]
    fn boxes_and_padding_are_all_of_memory() {
        for text in [
            "f32[20,5]{1,0:T(8,2)}",
            "f32[3,5]{1,0:T(8,2)}",
            "f32[16,6]{0,1:T(4,4)}",
            "bf16[19,300]{1,0:T(8,128)(2,1)}",
            "s8[5,3,7]{1,2,0:T(8,4)(4,1)}",
            "f32[7]{0:T(4)(2)}",
        ] {
            let map = text.parse::<Shape>().unwrap().index_map().unwrap();
            let row_major = text.split('{').next().unwrap();
            let Refined { boxes, padding, .. } = refined(row_major, text).unwrap();
            let mut slots = Vec::new();
            for nest in boxes.iter().chain(&padding.unwrap()) {
                walk(&nest.loops, (nest.src, nest.dst), &mut |(_, slot)| slots.push(slot));
            }
            slots.sort_unstable();
            assert_eq!(slots, (0..map.allocation()).collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn an_empty_array_has_no_boxes() {
        assert!(refined("f32[0,5]{1,0}", "f32[0,5]{1,0:T(2,2)}").unwrap().boxes.is_empty());
    }

    /// Every place that loops lead to, worked out one by one.
    fn places(loops: &[(i64, i64)]) -> Vec<i64> {
        loops.iter().fold(vec![0], |places, &(extent, stride)| {
            let steps = || (0..extent).map(move |step| step * stride);
            places.iter().flat_map(|place| steps().map(move |step| place + step)).collect()
        })
    }

    /// Lists of up to `n` loops of up to 3 steps, each of -2 to 2 slots.
    fn all_loops(n: usize) -> Vec<Vec<(i64, i64)>> {
        let one = || (1..=3).flat_map(|extent| (-2..=2).map(move |stride| (extent, stride)));
        let mut all = vec![Vec::new()];
        let mut longest = all.clone();
        for _ in 0..n {
            let longer =
                |loops: &Vec<_>| one().map(move |more| [&loops[..], &[more]].concat()).collect();
            longest = longest.iter().flat_map(|loops| -> Vec<Vec<_>> { longer(loops) }).collect();
            all.extend(longest.iter().cloned());
        }
        all
    }

    /// Every box of up to 3 loops beside every allocation of up to 7 slots, each side by itself: it is said to lie inside
    /// exactly if each of its places does.
    #[test]
    fn every_small_box_lies_inside_or_does_not() {
        let mut n_inside = [0, 0];
        for loops in all_loops(if cfg!(miri) { 1 } else { 3 }) {
            let places = places(&loops);
            for (start, allocation) in
                (-2..=7).flat_map(|start| (0..=7).map(move |end| (start, end)))
            {
                let inside = places.iter().all(|place| (0..allocation).contains(&(start + place)));
                let side = |is_src: bool| {
                    let one = |&(extent, stride): &(i64, i64)| match is_src {
                        true => Loop { extent, src: stride, dst: 0 },
                        false => Loop { extent, src: 0, dst: stride },
                    };
                    let (src, dst) = if is_src { (start, 0) } else { (0, start) };
                    Nest { src, dst, loops: loops.iter().map(one).collect() }
                };
                assert_eq!(lies_inside(&side(true), allocation, 1), inside, "{start} {loops:?}");
                assert_eq!(lies_inside(&side(false), 1, allocation), inside, "{start} {loops:?}");
                n_inside[usize::from(inside)] += 1;
            }
        }
        assert!(n_inside.iter().all(|&n| n > 10), "{n_inside:?}");
    }

    /// As far apart as 64 bits can say, where sums of 64 bits would go round and be inside.
    #[test]
    fn no_box_comes_back_inside() {
        let nest = |loops: &[(i64, i64)]| {
            let one = |&(extent, src): &(i64, i64)| Loop { extent, src, dst: 0 };
            Nest { src: 0, dst: 0, loops: loops.iter().map(one).collect() }
        };
        let half = 1 << 32;
        for loops in [
            &[(half + 1, half)][..],
            &[(half + 1, half / 2), (half + 1, half / 2)],
            &[(i64::MAX, i64::MAX)],
            &[(i64::MAX, i64::MAX), (i64::MAX, i64::MAX), (i64::MAX, i64::MAX)],
            &[(i64::MAX, i64::MIN), (i64::MAX, i64::MIN), (i64::MAX, i64::MIN)],
            &[(2, i64::MAX), (2, i64::MAX), (3, 1)],
        ] {
            assert!(!lies_inside(&nest(loops), i64::MAX, 1), "{loops:?}");
        }
        assert!(lies_inside(&nest(&[(half, half / 2)]), i64::MAX, 1));
    }
}
