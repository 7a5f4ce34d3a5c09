//! A box in slabs, each some steps of one of its loops, that threads move into one destination at once.

use super::{Begin, LINE, Means, Mover, Wanted};
use crate::nest::Loop;
use std::marker::PhantomData;

/// A loop of a box, and how many of its steps a slab has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The number of the loop.
    pub(crate) along: usize,
    pub(crate) steps: i64,
}

/// Slabs of a box, no two of which write the same byte.
#[derive(Clone, Debug)]
pub(crate) struct Slabs {
    /// What moves one of so many steps, and the last, if that has fewer.
    movers: Vec<Mover>,
    /// The bits of the source and of the destination that the first begins at.
    start: (i64, i64),
    /// The bits from one to the next.
    step: (i64, i64),
    n: usize,
}

/// Slabs between a source and a destination, within which all of them lie.
pub(crate) struct Over<'d> {
    slabs: &'d Slabs,
    /// Bytes of the source from byte `src_start` on.
    src: &'d [u8],
    src_start: usize,
    dst: *mut u8,
    bytes: usize,
    destination: PhantomData<&'d mut [u8]>,
}

/// One of them, which nobody else has: small, since threads hand them to each other.
pub(crate) struct Slab<'o> {
    over: &'o Over<'o>,
    n: usize,
}

// SAFETY: what is shared of it are numbers, and a pointer that nobody follows but who has a slab.
unsafe impl Sync for Over<'_> {}

impl Slabs {
    /// Of a box which begins at slot `first` of the destination, if they begin at bytes on both sides, and none writes a byte that
    /// another writes.
    pub(crate) fn of(wanted: Wanted<'_>, first: i64, cut: Cut) -> Option<Self> {
        let Wanted { loops, slots, .. } = wanted;
        let along = *loops.get(cut.along)?;
        if !(1..along.extent).contains(&cut.steps) || !are_apart(loops, slots.dst, first, cut) {
            return None;
        }
        let start = (wanted.first.checked_mul(slots.src)?, first.checked_mul(slots.dst)?);
        let bits = |stride: i64, slot: i64| stride.checked_mul(cut.steps)?.checked_mul(slot);
        let step = (bits(along.src, slots.src)?, bits(along.dst, slots.dst)?);
        if (start.0 | start.1 | step.0 | step.1) & 7 != 0 {
            return None;
        }
        let mover = |steps: i64| {
            let mut loops = loops.to_vec();
            loops[cut.along].extent = steps;
            Mover::of(Wanted { loops: &loops, begin: Begin::Bytes, ..wanted })
        };
        let (whole, rest) = (along.extent / cut.steps, along.extent % cut.steps);
        let mut movers = vec![mover(cut.steps)];
        if rest > 0 {
            movers.push(mover(rest));
        }
        let n = usize::try_from(whole).ok()? + usize::from(rest > 0);
        movers.iter().all(Mover::moves_apart).then_some(Slabs { movers, start, step, n })
    }

    #[cfg(test)]
    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// About how many of the processor's cycles they take together in the caches.
    pub(crate) fn cycles(&self) -> f64 {
        let rest = self.movers.get(1);
        let n_whole = (self.n - usize::from(rest.is_some())) as f64;
        let of_one = self.movers.first().map_or(0.0, Mover::cycles);
        n_whole * of_one + rest.map_or(0.0, Mover::cycles)
    }

    /// The bytes that they have allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let movers = self.movers.iter().map(Mover::held_bytes).sum::<usize>();
        movers + self.movers.capacity() * size_of::<Mover>()
    }

    /// These from bytes of a source from byte `src_start` on to a destination, if all of them lie within both.
    pub(crate) fn over<'d>(
        &'d self,
        src: &'d [u8],
        src_start: usize,
        dst: &'d mut [u8],
    ) -> Option<Over<'d>> {
        let are_within = (0..self.n).all(|n| {
            let slab = self.nth(n, src_start);
            slab.is_some_and(|(mover, at)| mover.is_moved_at(at, src.len(), dst.len()))
        });
        let (bytes, dst) = (dst.len(), dst.as_mut_ptr());
        are_within.then_some(Over {
            slabs: self,
            src,
            src_start,
            dst,
            bytes,
            destination: PhantomData,
        })
    }

    /// What moves one of them, and the bits that it begins at.
    fn nth(&self, n: usize, src_start: usize) -> Option<(&Mover, (i64, i64))> {
        let mover = self.movers.get(1).filter(|_| n + 1 == self.n).or(self.movers.first())?;
        let (src, dst) = (n as i64 * self.step.0, n as i64 * self.step.1);
        Some((mover, (self.start.0 + src - src_start as i64 * 8, self.start.1 + dst)))
    }
}

impl Over<'_> {
    /// The destination, before slabs are moved to it or after that.
    pub(crate) fn dst(&mut self) -> &mut [u8] {
        // SAFETY: these are the bytes that `over` has borrowed, and slabs of them borrow this.
        unsafe { std::slice::from_raw_parts_mut(self.dst, self.bytes) }
    }

    /// Each of them once.
    pub(crate) fn each(&mut self) -> Vec<Slab<'_>> {
        let over = &*self;
        (0..over.slabs.n).map(|n| Slab { over, n }).collect()
    }
}

impl Slab<'_> {
    pub(crate) fn run(self, means: Means, room: &mut Vec<Loop>) {
        let Over { slabs, src, src_start, dst, .. } = *self.over;
        if let Some((mover, start)) = slabs.nth(self.n, src_start) {
            // SAFETY: `over` found it within both sides. The destination is borrowed by what all slabs of it borrow, of which this is
            // the only one with these bytes, since each is there once; and a mover that moves apart reads and writes no others.
            unsafe { mover.run_inside(start, src, dst, means, room) };
        }
    }
}

/// Bytes between slots of a box that are no further apart may be read by what moves it, and written as they were: those of a
/// register.
const BESIDE_BITS: i64 = 8 * LINE as i64;

/// Whether slabs of a box of slots of so many bits, which begins at slot `first`, write no byte that another reads or writes.
///
/// The loops inside the one that is cut reach no further than its step, and it no further than that of the loops around it: so a
/// slab has what lies between its first slot and its last in each step of the loops around, which begins at a byte. Where it
/// goes on in the next step there is more in between than anything has [beside](BESIDE_BITS) it.
fn are_apart(loops: &[Loop], slot: i64, first: i64, cut: Cut) -> bool {
    let Some(along) = loops.get(cut.along) else { return false };
    let mut sorted: Vec<&Loop> = loops.iter().filter(|l| l.extent > 1).collect();
    sorted.sort_by_key(|l| l.dst);
    let nest = sorted
        .windows(2)
        .all(|two| two[0].dst.checked_mul(two[0].extent).is_some_and(|reach| reach <= two[1].dst));
    let bits = |slots: i64| slots.checked_mul(slot);
    let are_bytes = |slots: i64| bits(slots).is_some_and(|bits| bits % 8 == 0);
    let Some(slab) = along.dst.checked_mul(cut.steps) else { return false };
    let around = |l: &&&Loop| l.dst > along.dst;
    let is_beyond = |l: &Loop| bits(l.dst - slab).is_some_and(|beyond| beyond >= BESIDE_BITS);
    nest && sorted.first().is_some_and(|l| l.dst > 0)
        && are_bytes(first)
        && are_bytes(slab)
        && sorted.iter().filter(around).all(|l| are_bytes(l.dst) && is_beyond(l))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn l(extent: i64, src: i64, dst: i64) -> Loop {
        Loop { extent, src, dst }
    }

    #[test]
    fn slabs_share_no_byte() {
        let apart = |loops: &[Loop], slot, first, along, steps| {
            are_apart(loops, slot, first, Cut { along, steps })
        };
        let matrix = [l(6, 1, 1000), l(1000, 6, 1)];
        assert!((0..2).all(|along| apart(&matrix, 8, 3, along, 3)));
        // Nibbles: rows of 1000 are bytes, and only an even number of columns are.
        assert!(apart(&matrix, 4, 0, 0, 3) && apart(&matrix, 4, 0, 1, 400));
        assert!(!apart(&matrix, 4, 0, 1, 401) && !apart(&matrix, 4, 3, 0, 3));
        // Rows of 999 are not: an even number of rows are, and no number of columns is, of which every other begins within one.
        let odd = [l(6, 1, 999), l(999, 6, 1)];
        assert!(apart(&odd, 4, 0, 0, 2) && !apart(&odd, 4, 0, 0, 3) && !apart(&odd, 4, 0, 1, 400));
        // What goes on in the next row after what a register may have.
        assert!(apart(&matrix, 8, 0, 1, 936) && !apart(&matrix, 8, 0, 1, 937));
        // Rows that overlap, those that stand still, and those that go backwards.
        for rows in [l(6, 1, 9), l(6, 1, 0), l(6, 1, -9)] {
            let loops = [rows, l(10, 6, 1)];
            assert!((0..2).all(|along| !apart(&loops, 8, 0, along, 3)), "{loops:?}");
        }
    }

    /// The bytes that a slab writes: those of the slots of its steps.
    fn bytes(
        loops: &[Loop],
        slot: i64,
        first: i64,
        cut: Cut,
        steps: std::ops::Range<i64>,
    ) -> Vec<i64> {
        let mut slots = vec![first];
        for (number, l) in loops.iter().enumerate() {
            let steps = if number == cut.along { steps.clone() } else { 0..l.extent };
            let of_one =
                |&at: &i64| steps.clone().map(move |step| at + step * l.dst).collect::<Vec<_>>();
            slots = slots.iter().flat_map(of_one).collect();
        }
        slots.iter().flat_map(|at| at * slot / 8..(at * slot + slot - 1) / 8 + 1).collect()
    }

    /// By all slots of all slabs, and what lies between those of a register, of many boxes that are made up.
    #[test]
    fn slabs_that_are_apart_are_so_byte_by_byte() {
        let strides = [
            [1, 8, 24],
            [1, 6, 420],
            [2, 160, 640],
            [1, 7, 28],
            [600, 1, 3000],
            [8, 1, 3],
            [5, 2000, 1],
        ];
        let extents = [[8, 3, 2], [4, 6, 3], [5, 2, 4], [6, 7, 2]];
        // Enough for who looks at every access.
        let n_boxes = if cfg!(miri) { 2 } else { usize::MAX };
        let cuts = || (0..3).flat_map(|along| (1..4).map(move |steps| Cut { along, steps }));
        let (mut n_apart, mut n_not) = (0, 0);
        let boxes = strides.iter().flat_map(|s| extents.iter().map(move |e| (s, e)));
        for (strides, extents) in boxes.take(n_boxes) {
            let loops = [0, 1, 2].map(|n| l(extents[n], 1, strides[n]));
            let cases = cuts().flat_map(|cut| [1, 4, 8, 16].map(|slot| (cut, slot)));
            for ((cut, slot), first) in cases.flat_map(|case| [0, 3, 8].map(|first| (case, first)))
            {
                if !are_apart(&loops, slot, first, cut) {
                    n_not += 1;
                    continue;
                }
                n_apart += 1;
                let mut owners = std::collections::HashMap::new();
                let extent = loops[cut.along].extent;
                for begin in (0..extent).step_by(cut.steps as usize) {
                    let steps = begin..extent.min(begin + cut.steps);
                    let mut own = bytes(&loops, slot, first, cut, steps);
                    own.sort_unstable();
                    let with_next = own.iter().zip(own.iter().skip(1).chain(own.last()));
                    let all = with_next.flat_map(|(&at, &next)| match next - at {
                        ..64 => at..next.max(at + 1),
                        _ => at..at + 1,
                    });
                    for byte in all {
                        let owner = *owners.entry(byte).or_insert(begin);
                        assert_eq!(owner, begin, "{loops:?} of {slot} from {first}: {cut:?}");
                    }
                }
            }
        }
        let least = if cfg!(miri) { 1 } else { 100 };
        assert!(n_apart >= least && n_not >= least, "{n_apart} {n_not}");
    }
}
