//! Walking the loops around a kernel.

use super::place::At;
use super::tile::{self, Around};
use crate::nest::Loop;

/// A loop of one step.
pub(super) const ONCE: Loop = Loop { extent: 1, src: 0, dst: 0 };

/// The most loops around a kernel.
pub(super) const MAX_LOOPS: usize = 24;

/// The innermost of some loops, and the others.
#[inline(always)]
pub(super) fn innermost(loops: &[Loop]) -> (Loop, &[Loop]) {
    match loops.split_last() {
        Some((inner, outer)) => (*inner, outer),
        None => (ONCE, loops),
    }
}

/// The places of some loops, the last varying fastest. Neither recursive nor taking a closure, so
/// that all of it is inlined where instructions are available.
pub(super) struct Places<'t> {
    /// The loops around the innermost one.
    outer: &'t [Loop],
    inner: Loop,
    unit: i64,
    next: Option<At>,
    /// The steps of the innermost loop that are left after the next place.
    left: i64,
    steps: [i64; MAX_LOOPS],
}

impl<'t> Places<'t> {
    #[inline(always)]
    pub(super) fn new(loops: &'t [Loop], unit: usize, at: At) -> Self {
        let (inner, outer) = innermost(loops);
        let unit = unit as i64;
        let inner = Loop { src: inner.src * unit, dst: inner.dst * unit, ..inner };
        let left = inner.extent - 1;
        Places { outer, inner, unit, next: Some(at), left, steps: [0; MAX_LOOPS] }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<At> {
        let here = self.next?;
        if self.left > 0 {
            self.left -= 1;
            self.next = Some(here.plus(self.inner.src, self.inner.dst));
            return Some(here);
        }
        self.left = self.inner.extent - 1;
        self.next =
            self.next_row(here.plus(-self.left * self.inner.src, -self.left * self.inner.dst));
        Some(here)
    }

    /// Where the innermost loop begins the next time, if it does.
    #[inline(always)]
    fn next_row(&mut self, mut at: At) -> Option<At> {
        for (l, step) in self.outer.iter().zip(&mut self.steps).rev() {
            *step += 1;
            if *step < l.extent {
                return Some(at.plus(l.src * self.unit, l.dst * self.unit));
            }
            *step = 0;
            let back = 1 - l.extent;
            at = at.plus(back * l.src * self.unit, back * l.dst * self.unit);
        }
        None
    }
}

/// The same of loops whose last step may share elements with the one before.
///
/// Places are handed on in registers. Two numbers that have just been stored are not there yet for a load of both at once,
/// which would wait longer than a small tile takes.
pub(super) struct AroundPlaces<'t> {
    around: &'t [Around],
    inner: Around,
    pub(super) next: At,
    pub(super) has_next: bool,
    /// The steps of the innermost loop that are left after the next place.
    left: i64,
    steps: Steps,
}

/// How far the loops are that are not the innermost, and whether all are done.
struct Steps {
    of: [i64; MAX_LOOPS + 2],
    are_done: bool,
}

impl<'t> AroundPlaces<'t> {
    #[inline(always)]
    pub(super) fn new(around: &'t [Around], at: At) -> Self {
        let (inner, around) = match around.split_last() {
            Some((inner, around)) => (*inner, around),
            None => (tile::ONCE, around),
        };
        let left = inner.count - 1;
        let steps = Steps { of: [0; MAX_LOOPS + 2], are_done: false };
        AroundPlaces { around, inner, next: at, has_next: true, left, steps }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<At> {
        if !self.has_next {
            return None;
        }
        let (here, l) = (self.next, &self.inner);
        if self.left > 0 {
            self.left -= 1;
            self.next = here.plus(l.src, l.dst);
            if self.left == 0 {
                self.next = self.next.plus(-l.src_back, -l.dst_back);
            }
            return Some(here);
        }
        self.has_next = !self.around.is_empty();
        if self.has_next {
            self.left = l.count - 1;
            self.next = next_row(self.around, &mut self.steps, rewound(here, l));
            self.has_next = !self.steps.are_done;
        }
        Some(here)
    }
}

/// The next place of these loops from one of them on, and any if all are done.
#[inline(never)]
fn next_row(around: &[Around], steps: &mut Steps, mut at: At) -> At {
    for (l, step) in around.iter().zip(&mut steps.of).rev() {
        *step += 1;
        if *step < l.count {
            let next = at.plus(l.src, l.dst);
            let is_last = *step == l.count - 1;
            return if is_last { next.plus(-l.src_back, -l.dst_back) } else { next };
        }
        *step = 0;
        at = rewound(at, l);
    }
    steps.are_done = true;
    at
}

/// From the last place of a loop to its first.
#[inline(always)]
fn rewound(at: At, l: &Around) -> At {
    let steps = 1 - l.count;
    // A loop of one step has nothing to go back.
    let back = if l.count > 1 { (l.src_back, l.dst_back) } else { (0, 0) };
    at.plus(steps * l.src + back.0, steps * l.dst + back.1)
}

/// The places of some loops in bits, the last varying fastest.
pub(super) struct BitPlaces<'t> {
    around: &'t [Around],
    steps: [i64; MAX_LOOPS + 2],
    from: i64,
    to: i64,
    is_over: bool,
}

impl<'t> BitPlaces<'t> {
    pub(super) fn new(around: &'t [Around], (from, to): (i64, i64)) -> Self {
        BitPlaces { around, steps: [0; MAX_LOOPS + 2], from, to, is_over: false }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(i64, i64)> {
        if self.is_over {
            return None;
        }
        let here = (self.from, self.to);
        self.go_on();
        Some(here)
    }

    #[inline(always)]
    fn go_on(&mut self) {
        for (l, step) in self.around.iter().zip(&mut self.steps).rev() {
            *step += 1;
            // The last step is shorter; from there it is as far back.
            let (n, back) = match *step {
                n if n == l.count => (1 - l.count, i64::from(l.count > 1)),
                n if n == l.count - 1 => (1, -1),
                _ => (1, 0),
            };
            self.from += n * l.src + back * l.src_back;
            self.to += n * l.dst + back * l.dst_back;
            if *step < l.count {
                return;
            }
            *step = 0;
        }
        self.is_over = true;
    }
}
