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
use std::cmp::Ordering;
use tilewright::IndexMap;
use tilewright::map::{Digit, Merged, Source};

/// Arrays that fall into more boxes than this go through rows if they can.
pub(crate) const MAX_BOXES: usize = 4096;

/// Two maps as loops.
#[derive(Clone, Debug)]
pub(crate) struct Refined {
    /// Every digit of every dimension, as far as it ever goes.
    pub(crate) digits: Vec<Loop>,
    /// The array's elements, each in exactly one box.
    pub(crate) boxes: Vec<Nest>,
    /// The destination's slots that hold no element, each in exactly one box, both sides its
    /// own; `None` where they are not just what its digits reach beyond the dimensions.
    pub(crate) padding: Option<Vec<Nest>>,
    /// Whether no two elements go to one slot, as far as is known.
    pub(crate) is_injective: bool,
}

/// The loops of two maps over the same dimensions, counted in elements. `None` where the maps
/// have merged coordinates, their divisors do not divide each other, or there are too many boxes.
pub(crate) fn refine(from: &IndexMap, to: &IndexMap) -> Option<Refined> {
    if !from.is_separable() || !to.is_separable() {
        return None;
    }
    let dims: Vec<Radix> =
        (0..from.dims().len()).map(|dim| Radix::of(from, to, dim)).collect::<Option<_>>()?;
    let mut boxes = vec![Nest { src: from.base(), dst: to.base(), loops: Vec::new() }];
    for radix in &dims {
        boxes = products(&boxes, &radix.boxes())?;
    }
    let boxes: Vec<Nest> = boxes.into_iter().map(Nest::tidied).collect();
    let inside = boxes.iter().all(|nest| lies_inside(nest, from.allocation(), to.allocation()));
    let digits = dims.into_iter().flat_map(|radix| radix.digits).collect();
    let (padding, is_injective) = (padding(to), to.is_ordered());
    inside.then_some(Refined { digits, boxes, padding, is_injective })
}

/// The loops of any two maps over the same dimensions, in no more than `max_boxes`: of the maps as
/// they are, or with the dimensions that either merges as one, whichever takes fewer.
pub(crate) fn refine_any(from: &IndexMap, to: &IndexMap, max_boxes: usize) -> Option<Refined> {
    let merged = with_merged_dims(from, to);
    if let Some(refined) = merged.as_ref().and_then(|(from, to)| refine(from, to)) {
        return Some(refined);
    }
    let as_they_are = linear::boxes(from, to, max_boxes);
    let max_boxes = as_they_are.as_ref().map_or(max_boxes, Vec::len);
    let boxes =
        merged.and_then(|(from, to)| linear::boxes(&from, &to, max_boxes)).or(as_they_are)?;
    let inside = boxes.iter().all(|nest| lies_inside(nest, from.allocation(), to.allocation()));
    let digit = |digit: &Digit| Loop { extent: to.extent(digit), src: 0, dst: digit.stride };
    let digits = to.digits().iter().map(digit).collect();
    let is_injective = to.is_ordered() || are_disjoint(&boxes);
    inside.then(|| Refined { digits, boxes, padding: padding(to), is_injective })
}

/// Both maps over dimensions of which those that either merges, and those between them, are one.
fn with_merged_dims(from: &IndexMap, to: &IndexMap) -> Option<(IndexMap, IndexMap)> {
    let coordinates = || from.merged().iter().chain(to.merged());
    let dims = coordinates().flat_map(Merged::digits).filter_map(|digit| match digit.source {
        Source::Dim(dim) => Some(dim),
        Source::Merged(_) => None,
    });
    let (first, last) = (dims.clone().min()?, dims.max()?);
    let sizes = from.dims();
    let one = sizes.get(first..=last)?.iter().product();
    let sizes = [sizes.get(..first)?, &[one], sizes.get(last + 1..)?].concat();
    (first < last).then(|| Some((from.reshaped(&sizes).ok()?, to.reshaped(&sizes).ok()?)))?
}

/// The slots of a map's memory that hold no element: the room between digits, and for every
/// dimension what its digits reach beyond it, inside all dimensions before it and as far as the
/// digits of those after it reach.
fn padding(to: &IndexMap) -> Option<Vec<Nest>> {
    if !to.is_separable() {
        return None;
    }
    let rank = to.dims().len();
    let dims: Vec<Radix> = (0..rank).map(|dim| Radix::of(to, to, dim)).collect::<Option<_>>()?;
    let mut padding = room_between(&dims, to.allocation());
    for beyond in 0..rank {
        let mut boxes = vec![Nest { src: 0, dst: 0, loops: Vec::new() }];
        for (dim, radix) in dims.iter().enumerate() {
            let ranges = match dim.cmp(&beyond) {
                Ordering::Less => radix.boxes(),
                Ordering::Equal => radix.boxes_beyond(),
                Ordering::Greater => vec![radix.whole()],
            };
            boxes = products(&boxes, &ranges)?;
        }
        padding.extend(boxes);
    }
    let filled = to.elements().checked_add(n_slots(&padding)?)?;
    let is_all = to.is_ordered() && to.base() == 0 && filled == to.allocation();
    (is_all && padding.len() <= MAX_BOXES).then(|| padding.into_iter().map(onto_itself).collect())
}

/// The same slots with the destination as the source, so that all loops that can be are joined.
fn onto_itself(mut nest: Nest) -> Nest {
    nest.src = nest.dst;
    nest.loops.iter_mut().for_each(|l| l.src = l.dst);
    nest.tidied()
}

/// The slots between the end of each digit's steps and the next larger stride.
fn room_between(dims: &[Radix], allocation: i64) -> Vec<Nest> {
    let mut digits: Vec<Loop> = dims.iter().flat_map(|radix| &radix.digits).copied().collect();
    digits.retain(|digit| digit.extent > 1);
    digits.sort_by_key(|digit| digit.dst);
    let inner = [Loop { extent: 1, src: 0, dst: 1 }];
    let ends: Vec<i64> =
        inner.iter().chain(&digits).map(|l| l.extent.saturating_mul(l.dst)).collect();
    let next = digits.iter().map(|digit| digit.dst).chain([allocation]);
    let room = ends.iter().zip(next).enumerate();
    room.filter(|(_, (end, next))| next > *end)
        .map(|(place, (&end, next))| {
            let mut loops = digits[place..].to_vec();
            loops.push(Loop { extent: next - end, src: 0, dst: 1 });
            Nest { src: 0, dst: end, loops }
        })
        .collect()
}

/// The number of slots in some boxes.
fn n_slots(boxes: &[Nest]) -> Option<i64> {
    boxes.iter().try_fold(0i64, |sum, nest| {
        let slots = nest.loops.iter().try_fold(1i64, |slots, l| slots.checked_mul(l.extent))?;
        sum.checked_add(slots)
    })
}

/// One dimension as a mixed-radix number.
struct Radix {
    size: i64,
    /// What one step of each digit is worth along the dimension, smallest first; the first is 1.
    divisors: Vec<i64>,
    /// The digits, in the same order.
    digits: Vec<Loop>,
}

impl Radix {
    fn of(from: &IndexMap, to: &IndexMap, dim: usize) -> Option<Self> {
        let size = *from.dims().get(dim)?;
        let divisors = nested_divisors(from, to, dim, size)?;
        let ends = divisors.iter().skip(1).copied().chain([size]);
        let digit = |(&divisor, end): (&i64, i64)| Loop {
            extent: end / divisor + i64::from(end % divisor != 0),
            src: contribution(from, dim, divisor),
            dst: contribution(to, dim, divisor),
        };
        let digits = divisors.iter().zip(ends).map(digit).collect();
        Some(Radix { size, divisors, digits })
    }

    /// The indices along the dimension as boxes of digits: for each digit of the size itself, the
    /// numbers that agree with the size above that digit and are below it there.
    fn boxes(&self) -> Vec<Nest> {
        let mut boxes = Vec::new();
        let mut corner = Nest { src: 0, dst: 0, loops: Vec::new() };
        let mut rest = self.size;
        for (place, (&divisor, digit)) in self.divisors.iter().zip(&self.digits).enumerate().rev() {
            let count = rest / divisor;
            rest %= divisor;
            if count > 0 {
                let mut loops = self.digits[..place].to_vec();
                loops.push(Loop { extent: count, ..*digit });
                boxes.push(Nest { loops, ..corner });
            }
            corner.src += count * digit.src;
            corner.dst += count * digit.dst;
        }
        boxes
    }

    /// Everything that the digits reach.
    fn whole(&self) -> Nest {
        Nest { src: 0, dst: 0, loops: self.digits.clone() }
    }

    /// What the digits reach from the size on, as boxes: for each digit, the numbers that agree
    /// with the size above that digit and exceed it there, the last digit's own included.
    fn boxes_beyond(&self) -> Vec<Nest> {
        let mut boxes = Vec::new();
        let mut corner = Nest { src: 0, dst: 0, loops: Vec::new() };
        let mut rest = self.size;
        for (place, (&divisor, digit)) in self.divisors.iter().zip(&self.digits).enumerate().rev() {
            let own = rest / divisor;
            rest %= divisor;
            let first = own + i64::from(place > 0);
            if first < digit.extent {
                let mut loops = self.digits[..place].to_vec();
                loops.push(Loop { extent: digit.extent - first, ..*digit });
                boxes.push(Nest { loops, dst: corner.dst + first * digit.dst, ..corner });
            }
            if own >= digit.extent {
                // The size is all that the digits reach.
                break;
            }
            corner.dst += own * digit.dst;
        }
        boxes
    }
}

/// The divisors of both maps along a dimension, from 1 up; `None` if one does not divide the next.
fn nested_divisors(from: &IndexMap, to: &IndexMap, dim: usize, size: i64) -> Option<Vec<i64>> {
    let mut divisors = vec![1];
    for digit in digits_of(from, dim).chain(digits_of(to, dim)) {
        divisors.push(digit.divisor);
        divisors.extend(digit.modulus.and_then(|modulus| modulus.checked_mul(digit.divisor)));
    }
    divisors.retain(|&divisor| divisor < size.max(2));
    divisors.sort_unstable();
    divisors.dedup();
    divisors.is_sorted_by(|a, b| b % a == 0).then_some(divisors)
}

fn digits_of(map: &IndexMap, dim: usize) -> impl Iterator<Item = &Digit> {
    map.digits().iter().filter(move |digit| digit.source == Source::Dim(dim))
}

/// What the index `value` along a dimension adds to the offset.
fn contribution(map: &IndexMap, dim: usize, value: i64) -> i64 {
    digits_of(map, dim).map(|digit| digit.value(value) * digit.stride).sum()
}

fn products(major: &[Nest], minor: &[Nest]) -> Option<Vec<Nest>> {
    let count = major.len().checked_mul(minor.len())?;
    let product = |a: &Nest, b: &Nest| Nest {
        src: a.src + b.src,
        dst: a.dst + b.dst,
        loops: a.loops.iter().chain(&b.loops).copied().collect(),
    };
    let all = major.iter().flat_map(|a| minor.iter().map(move |b| product(a, b)));
    (count <= MAX_BOXES).then(|| all.collect())
}

/// Whether no element of a box lies outside either allocation.
fn lies_inside(nest: &Nest, src_allocation: i64, dst_allocation: i64) -> bool {
    let side = |start: i64, stride: fn(&Loop) -> i64, allocation: i64| {
        let steps = || nest.loops.iter().map(|l| (l.extent - 1) * stride(l));
        let first: i64 = start + steps().filter(|&step| step < 0).sum::<i64>();
        let last: i64 = start + steps().filter(|&step| step > 0).sum::<i64>();
        first >= 0 && last < allocation
    };
    side(nest.src, |l| l.src, src_allocation) && side(nest.dst, |l| l.dst, dst_allocation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::walk;
    use tilewright::Shape;

    fn refined(from: &str, to: &str) -> Option<Refined> {
        let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
        refine(&map(from), &map(to))
    }

    #[test]
    fn the_worked_example() {
        let refined = refined("f32[20,5]{1,0}", "f32[20,5]{1,0:T(8,2)}").unwrap();
        let digit = |extent, src, dst| Loop { extent, src, dst };
        assert_eq!(refined.digits[..2], [digit(8, 5, 2), digit(3, 40, 48)]);
        assert_eq!(refined.boxes.len(), 4);
        let sizes = refined.boxes.iter().map(|b| b.loops.iter().map(|l| l.extent).product::<i64>());
        assert_eq!(sizes.sum::<i64>(), 100);
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
}
