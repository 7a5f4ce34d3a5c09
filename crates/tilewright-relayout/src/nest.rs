//! Loop nests: dense boxes of elements, with a stride for each loop on either side.

/// One loop: `extent` steps, each this many slots further in the source and the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub(crate) extent: i64,
    pub(crate) src: i64,
    pub(crate) dst: i64,
}

impl Loop {
    /// Whether neighbours in the source stay neighbours in the destination.
    pub(crate) fn is_run(&self) -> bool {
        self.src == 1 && self.dst == 1
    }
}

/// Whether the boxes that are so have most of the elements.
pub(crate) fn are_most<'n>(
    boxes: impl IntoIterator<Item = &'n Nest>,
    are_so: impl Fn(&Nest) -> bool,
) -> bool {
    let (mut so, mut all) = (0i64, 0i64);
    for nest in boxes {
        all = all.saturating_add(nest.elements());
        so = so.saturating_add(if are_so(nest) { nest.elements() } else { 0 });
    }
    so > all / 2
}

/// A box of elements: where its first one lies on either side, and a loop per direction.
///
/// [`tidied`](Self::tidied) nests have their loops in the order of the destination's strides,
/// largest first, none of them negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Nest {
    pub(crate) src: i64,
    pub(crate) dst: i64,
    pub(crate) loops: Vec<Loop>,
}

impl Nest {
    /// The same moves with the destination's strides positive and in order, loops of one step
    /// left out and loops that run together joined.
    pub(crate) fn tidied(mut self) -> Self {
        self.loops.retain(|l| l.extent != 1);
        self.face_forward();
        order_by_destination(&mut self.loops);
        self.loops.dedup_by(|inner, outer| {
            let joins = runs_on(outer, inner);
            if joins {
                *outer = Loop { extent: outer.extent * inner.extent, ..*inner };
            }
            joins
        });
        self
    }

    /// Turns loops round that walk the destination backwards.
    fn face_forward(&mut self) {
        for l in self.loops.iter_mut().filter(|l| l.dst < 0) {
            self.src += (l.extent - 1) * l.src;
            self.dst += (l.extent - 1) * l.dst;
            *l = Loop { extent: l.extent, src: -l.src, dst: -l.dst };
        }
    }

    /// The number of elements.
    pub(crate) fn elements(&self) -> i64 {
        self.loops.iter().map(|l| l.extent).product()
    }

    /// Whether every element goes to the slot that it comes from.
    pub(crate) fn stays(&self) -> bool {
        self.src == self.dst && self.loops.iter().all(|l| l.src == l.dst)
    }

    /// How many slots lie side by side on the side of these strides, in whatever order they are moved.
    pub(crate) fn side_by_side(&self, stride: fn(&Loop) -> i64) -> i64 {
        side_by_side(1, || self.loops.iter().map(|l| (l.extent, stride(l).abs(), 0)))
    }

    /// The same moves counted in bits, for elements of this many bits on both sides.
    pub(crate) fn in_bits(&self, bits: i64) -> Self {
        let scaled = |l: &Loop| Loop { extent: l.extent, src: l.src * bits, dst: l.dst * bits };
        let mut loops = Vec::with_capacity(self.loops.len() + 1);
        loops.extend(self.loops.iter().map(scaled));
        loops.push(Loop { extent: bits, src: 1, dst: 1 });
        Nest { src: self.src * bits, dst: self.dst * bits, loops }.tidied()
    }

    /// How far apart in the destination `count` elements end up that lie together in the source,
    /// or as many of them as there are; gaps of up to as much again are passed over.
    pub(crate) fn dst_reach_of(&self, count: i64) -> i64 {
        let (mut length, mut reach) = (1i64, 0i64);
        while length < count
            && let near = self.loops.iter().filter(|l| l.extent > 1 && l.src / length == 1)
            && let Some(l) = near.min_by_key(|l| l.src)
        {
            let steps = l.extent.min((count + l.src - 1) / l.src);
            reach = reach.max(steps.saturating_mul(l.dst));
            length = l.src.saturating_mul(l.extent);
        }
        reach
    }

    /// The largest number that everything is a multiple of: where the nest starts, the length of
    /// its runs, and every other stride.
    pub(crate) fn grain(&self) -> i64 {
        let start = gcd(self.src, self.dst);
        let run = self.loops.iter().find(|l| l.is_run()).map_or(1, |l| l.extent);
        let others = self.loops.iter().filter(|l| !l.is_run());
        others.fold(gcd(start, run), |grain, l| gcd(grain, gcd(l.src, l.dst)))
    }

    /// The same of the destination alone. Of two runs, which overlap, it is 1: each begins within the other.
    pub(crate) fn dst_grain(&self) -> i64 {
        let part = |l: &Loop| if l.dst == 1 { l.extent } else { l.dst };
        let others = self.loops.iter().map(part).fold(self.dst, gcd);
        if self.loops.iter().filter(|l| l.dst == 1).count() == 1 { others } else { 1 }
    }

    /// The same moves counted in steps of `unit`, which must divide the [`grain`](Self::grain). A
    /// tidied nest stays one: strides keep their order, and what runs together in units did before.
    pub(crate) fn in_units(&self, unit: i64) -> Self {
        let scaled = |l: &Loop| match l.is_run() {
            true => Loop { extent: l.extent / unit, ..*l },
            false => Loop { extent: l.extent, src: l.src / unit, dst: l.dst / unit },
        };
        let mut loops = Vec::with_capacity(self.loops.len());
        loops.extend(self.loops.iter().map(scaled).filter(|l| l.extent != 1));
        Nest { src: self.src / unit, dst: self.dst / unit, loops }
    }
}

/// Calls `visit` with every place of a loop nest, the last loop varying fastest.
pub(crate) fn walk(loops: &[Loop], at: (i64, i64), visit: &mut impl FnMut((i64, i64))) {
    match loops {
        [] => visit(at),
        [l] => (0..l.extent).for_each(|step| visit((at.0 + step * l.src, at.1 + step * l.dst))),
        [l, inner @ ..] => {
            for step in 0..l.extent {
                walk(inner, (at.0 + step * l.src, at.1 + step * l.dst), visit);
            }
        }
    }
}

/// What steps have side by side, of which `len` is one place: counts, strides, and how much shorter the last of them are.
pub(crate) fn side_by_side<I: Iterator<Item = (i64, i64, i64)>>(
    mut len: i64,
    steps: impl Fn() -> I,
) -> i64 {
    while let Some((count, _, back)) = steps().find(|(count, step, _)| *step == len && *count > 1) {
        len = len.saturating_mul(count) - back;
    }
    len
}

/// Puts loops in the order of the destination's strides, largest first.
pub(crate) fn order_by_destination(loops: &mut [Loop]) {
    loops.sort_by_key(|l| (std::cmp::Reverse(l.dst), std::cmp::Reverse(l.src)));
}

fn runs_on(outer: &Loop, inner: &Loop) -> bool {
    inner.src.checked_mul(inner.extent) == Some(outer.src)
        && inner.dst.checked_mul(inner.extent) == Some(outer.dst)
}

pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Boxes for tests.
#[cfg(test)]
pub(crate) mod drawn {
    use super::Loop;

    /// Numbers that look random and are the same every time.
    pub(crate) struct Draw(pub(crate) u64);

    impl Draw {
        /// A number below `n`.
        pub(crate) fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % n
        }

        /// A permutation of a dense array of up to four dimensions, with room between rows or none, tidied but for runs.
        /// `None` if it has more than `most` elements.
        pub(crate) fn permutation(&mut self, most: i64) -> Option<Vec<Loop>> {
            let rank = 1 + self.below(4);
            let mut extent = || {
                let most = [3, 9, 40, 150][self.below(4)];
                1 + self.below(most) as i64
            };
            let extents: Vec<i64> = (0..rank).map(|_| extent()).collect();
            if extents.iter().product::<i64>() > most {
                return None;
            }
            let (src, dst) = (self.strides(&extents), self.strides(&extents));
            let mut loops: Vec<Loop> =
                (0..rank).map(|k| Loop { extent: extents[k], src: src[k], dst: dst[k] }).collect();
            loops.sort_by_key(|l| std::cmp::Reverse(l.dst));
            Some(loops)
        }

        /// The bits of a value, and of its slots on either side.
        pub(crate) fn widths(&mut self) -> (i64, i64, i64) {
            let widths = [
                (8, 8, 8),
                (4, 4, 4),
                (16, 16, 16),
                (1, 1, 1),
                (2, 2, 2),
                (32, 32, 32),
                (64, 64, 64),
                (4, 8, 4),
                (4, 4, 8),
                (1, 8, 1),
                (1, 1, 8),
                (3, 3, 3),
                (2, 4, 8),
                (5, 6, 7),
                (24, 24, 24),
            ];
            widths[self.below(widths.len())]
        }

        fn strides(&mut self, extents: &[i64]) -> Vec<i64> {
            let rank = extents.len();
            let mut order: Vec<usize> = (0..rank).collect();
            (1..rank).for_each(|k| order.swap(k, self.below(k + 1)));
            let mut strides = vec![0; rank];
            let mut step = if self.below(9) == 0 { 2 } else { 1 };
            for number in order {
                strides[number] = step;
                let room = if self.below(3) == 0 { self.below(5) as i64 } else { 0 };
                step = step * extents[number] + room;
            }
            strides
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest(loops: &[(i64, i64, i64)]) -> Nest {
        let loops = loops.iter().map(|&(extent, src, dst)| Loop { extent, src, dst }).collect();
        Nest { src: 0, dst: 0, loops }
    }

    #[test]
    fn loops_that_run_together_are_joined() {
        let joined = nest(&[(1, 7, 7), (5, 1, 1), (3, 5, 5)]).tidied();
        assert_eq!(joined, nest(&[(15, 1, 1)]));
        let apart = nest(&[(3, 6, 5), (5, 1, 1)]).tidied();
        assert_eq!(apart, nest(&[(3, 6, 5), (5, 1, 1)]));
    }

    #[test]
    fn backward_destinations_are_turned_round() {
        let turned = Nest { src: 0, dst: 4, loops: nest(&[(5, 2, -1)]).loops }.tidied();
        assert_eq!(turned, Nest { src: 8, dst: 0, loops: nest(&[(5, -2, 1)]).loops });
    }

    #[test]
    fn units_grow_as_far_as_everything_is_a_multiple() {
        // Rows of 128 nibbles, 512 apart in the source.
        let bits = nest(&[(8, 512, 128), (128, 1, 1)]).in_bits(4);
        assert_eq!(bits.grain(), 512);
        assert_eq!(bits.in_units(128), nest(&[(8, 16, 4), (4, 1, 1)]));
        assert_eq!(bits.in_units(128), bits.in_units(128).tidied());
        assert_eq!(bits.in_units(512), nest(&[(8, 4, 1)]));
        // Single nibbles, taken apart.
        assert_eq!(nest(&[(8, 2, 1)]).in_bits(4).grain(), 4);
    }
}
