//! Walking the loops around a kernel.

use super::place::At;
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
