//! The inner loops: moving dense boxes of elements of 1, 2, 4, 8 or 16 bytes.
//!
//! Both sides are slices of `[u8; N]`, so that an index counts elements. What the innermost
//! loops of a box are decides how it is moved:
//!
//! * [`Kernel::Runs`]: neighbours stay neighbours. Whole runs are copied.
//! * [`Kernel::Transpose`]: one loop has neighbours in the destination, another in the source.
//!   Square blocks are read by rows and written by rows, through registers or the stack. Where
//!   one of the two loops is as narrow as 2, 4 or 8 and fills its side without gaps (the second
//!   tile of `T(8,128)(2,1)`), rows are zipped together or taken apart instead.
//! * [`Kernel::Strided`]: anything else, element by element.
//!
//! The remaining loops are walked in the destination's order. Indices that would leave a slice
//! are skipped; the planner makes none.

use crate::lanes::{transposed, unzip_row, zip_rows};
use crate::nest::Loop;

const LINE_BYTES: i64 = 64;

const ONCE: Loop = Loop { extent: 1, src: 0, dst: 0 };

/// What moves the innermost loops of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    /// `rows` times `length` neighbours.
    Runs { rows: Loop, length: usize },
    /// `across` steps to the next element of the destination, `along` to the next of the source.
    Transpose { across: Loop, along: Loop },
    /// Two loops of any strides.
    Strided { outer: Loop, inner: Loop },
}

impl Kernel {
    /// Takes the loops a kernel will see to from the end of `loops`, which are in the order of
    /// the destination's strides, largest first.
    fn choose<const N: usize>(loops: &mut Vec<Loop>) -> Kernel {
        let Some(inner) = loops.pop() else {
            return Kernel::Runs { rows: ONCE, length: 1 };
        };
        if inner.is_run() {
            let rows = loops.pop().unwrap_or(ONCE);
            return Kernel::Runs { rows, length: inner.extent as usize };
        }
        match loops.iter().rposition(|l| l.src == 1) {
            Some(place) if inner.dst == 1 => {
                let along = loops.remove(place);
                share_lines(loops, along.extent, N);
                Kernel::Transpose { across: inner, along }
            }
            _ => Kernel::Strided { outer: loops.pop().unwrap_or(ONCE), inner },
        }
    }
}

/// Where `length` source neighbours of `size` bytes fill only a part of a cache line, makes the
/// loop that goes on from them innermost for as many steps as fill it. Otherwise the line might
/// be gone from the cache when its other part is wanted.
fn share_lines(loops: &mut Vec<Loop>, length: i64, size: usize) {
    let parts = LINE_BYTES / (size as i64).saturating_mul(length).max(1);
    let Some(next) = loops.iter_mut().find(|l| l.src == length) else { return };
    let Some(steps) = (2..=parts).rev().find(|steps| next.extent % steps == 0) else { return };
    let line = Loop { extent: steps, ..*next };
    *next = Loop { extent: next.extent / steps, src: next.src * steps, dst: next.dst * steps };
    loops.push(line);
}

/// Moves a box: `loops`, from element `start.0` of the source and `start.1` of the destination
/// on. Uses up the list of loops.
pub(crate) fn move_box<const N: usize>(
    loops: &mut Vec<Loop>,
    start: (i64, i64),
    src: &[[u8; N]],
    dst: &mut [[u8; N]],
) {
    let kernel = Kernel::choose::<N>(loops);
    let mut both = Both { src, dst };
    walk(loops, start, &mut |at| match kernel {
        Kernel::Runs { rows, length } => both.copy_runs(rows, length, at),
        Kernel::Transpose { across, along } => both.transpose(across, along, at),
        Kernel::Strided { outer, inner } => both.copy_each([outer, inner], at),
    });
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

/// The two sides of a move.
struct Both<'a, const N: usize> {
    src: &'a [[u8; N]],
    dst: &'a mut [[u8; N]],
}

impl<const N: usize> Both<'_, N> {
    /// Moves the elements of two loops one by one.
    fn copy_each(&mut self, loops: [Loop; 2], at: (i64, i64)) {
        walk(&loops, at, &mut |(s, d)| {
            if let (Some(from), Some(to)) = (self.src.get(s as usize), self.dst.get_mut(d as usize))
            {
                *to = *from;
            }
        });
    }

    fn copy_runs(&mut self, rows: Loop, length: usize, at: (i64, i64)) {
        match length {
            1 => self.copy_short_runs::<1>(rows, at),
            2 => self.copy_short_runs::<2>(rows, at),
            3 => self.copy_short_runs::<3>(rows, at),
            4 => self.copy_short_runs::<4>(rows, at),
            _ => self.copy_long_runs(rows, length, at),
        }
    }

    fn copy_long_runs(&mut self, rows: Loop, length: usize, at: (i64, i64)) {
        walk(&[rows], at, &mut |(s, d)| {
            let from = self.src.get(s as usize..).and_then(|src| src.get(..length));
            let to = self.dst.get_mut(d as usize..).and_then(|dst| dst.get_mut(..length));
            if let (Some(from), Some(to)) = (from, to) {
                to.copy_from_slice(from);
            }
        });
    }

    /// As [`copy_long_runs`](Self::copy_long_runs), without a call for each.
    fn copy_short_runs<const L: usize>(&mut self, rows: Loop, at: (i64, i64)) {
        walk(&[rows], at, &mut |(s, d)| {
            let from = self.src.get(s as usize..).and_then(|src| src.first_chunk::<L>());
            let to = self.dst.get_mut(d as usize..).and_then(|dst| dst.first_chunk_mut::<L>());
            if let (Some(from), Some(to)) = (from, to) {
                *to = *from;
            }
        });
    }

    fn transpose(&mut self, across: Loop, along: Loop, at: (i64, i64)) {
        let zips = along.dst == across.extent;
        let unzips = across.src == along.extent;
        let done = match (across.extent, along.extent) {
            (2, _) if zips => self.zip::<2>(across, along, at),
            (4, _) if zips => self.zip::<4>(across, along, at),
            (8, _) if zips => self.zip::<8>(across, along, at),
            (_, 2) if unzips => self.unzip::<2>(across, along, at),
            (_, 4) if unzips => self.unzip::<4>(across, along, at),
            (_, 8) if unzips => self.unzip::<8>(across, along, at),
            (64.., 64..) if N == 1 => self.in_blocks::<64>(across, along, at),
            (32.., 32..) if N <= 2 => self.in_blocks::<32>(across, along, at),
            (16.., 16..) if N <= 4 => self.in_blocks::<16>(across, along, at),
            (8.., 8..) if N <= 8 => self.in_blocks::<8>(across, along, at),
            (4.., 4..) => self.in_blocks::<4>(across, along, at),
            _ => None,
        };
        if done.is_none() {
            self.copy_each([along, across], at);
        }
    }

    /// Zips `K` rows of the source together.
    fn zip<const K: usize>(&mut self, across: Loop, along: Loop, at: (i64, i64)) -> Option<()> {
        let length = along.extent as usize;
        let to = self.dst.get_mut(at.1 as usize..)?.get_mut(..length * K)?;
        let mut rows: [&[[u8; N]]; K] = [&[]; K];
        for (row, step) in rows.iter_mut().zip(0..) {
            let start = (at.0 + step * across.src) as usize;
            *row = self.src.get(start..)?.get(..length)?;
        }
        zip_rows(rows, to.as_chunks_mut::<K>().0);
        Some(())
    }

    /// Takes groups of `K` neighbours of the source apart into `K` rows of the destination.
    fn unzip<const K: usize>(&mut self, across: Loop, along: Loop, at: (i64, i64)) -> Option<()> {
        let length = across.extent as usize;
        let from = self.src.get(at.0 as usize..)?.get(..length * K)?.as_chunks::<K>().0;
        for place in 0..K {
            let start = (at.1 + place as i64 * along.dst) as usize;
            let to = self.dst.get_mut(start..)?.get_mut(..length)?;
            unzip_row(from, place, to);
        }
        Some(())
    }

    /// Moves whole blocks of `B` by `B` elements, and the edges one by one.
    fn in_blocks<const B: usize>(
        &mut self,
        across: Loop,
        along: Loop,
        at: (i64, i64),
    ) -> Option<()> {
        let side = B as i64;
        let (wide, long) =
            (across.extent - across.extent % side, along.extent - along.extent % side);
        for i in (0..wide).step_by(B) {
            let (s, d) = (at.0 + i * across.src, at.1 + i);
            for j in (0..long).step_by(B) {
                self.block::<B>(across.src, along.dst, (s + j, d + j * along.dst))?;
            }
        }
        if wide < across.extent {
            let right = Loop { extent: across.extent - wide, ..across };
            self.copy_each([along, right], (at.0 + wide * across.src, at.1 + wide));
        }
        if long < along.extent {
            let bottom = Loop { extent: along.extent - long, ..along };
            let full = Loop { extent: wide, ..across };
            self.copy_each([bottom, full], (at.0 + long, at.1 + long * along.dst));
        }
        Some(())
    }

    /// Moves one block: `B` rows of the source become `B` columns, by way of a copy that both
    /// sides see as whole rows.
    fn block<const B: usize>(
        &mut self,
        src_step: i64,
        dst_step: i64,
        (s, d): (i64, i64),
    ) -> Option<()> {
        let mut rows = [[[0u8; N]; B]; B];
        for (row, step) in rows.iter_mut().zip(0..) {
            *row = *self.src.get((s + step * src_step) as usize..)?.first_chunk::<B>()?;
        }
        let columns = transposed(&rows);
        for (column, step) in columns.iter().zip(0..) {
            let start = (d + step * dst_step) as usize;
            *self.dst.get_mut(start..)?.first_chunk_mut::<B>()? = *column;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(n: usize) -> Vec<[u8; 2]> {
        (0..n as u16).map(u16::to_le_bytes).collect()
    }

    /// Moves a box both ways: by its kernel, and one by one.
    fn check(loops: &[Loop]) {
        let reach = |stride: fn(&Loop) -> i64| -> usize {
            1 + loops.iter().map(|l| ((l.extent - 1) * stride(l)) as usize).sum::<usize>()
        };
        let src = numbered(reach(|l| l.src));
        let mut expected = vec![[0xff; 2]; reach(|l| l.dst)];
        let mut moved = expected.clone();
        walk(loops, (0, 0), &mut |(s, d)| expected[d as usize] = src[s as usize]);
        move_box(&mut loops.to_vec(), (0, 0), &src, &mut moved);
        assert_eq!(moved, expected, "{loops:?}");
    }

    fn l(extent: i64, src: i64, dst: i64) -> Loop {
        Loop { extent, src, dst }
    }

    #[test]
    fn every_kernel_moves_what_its_loops_say() {
        check(&[]);
        check(&[l(9, 1, 1)]);
        check(&[l(3, 20, 50), l(4, 10, 12), l(9, 1, 1)]);
        check(&[l(3, 1, 50), l(4, 10, 12), l(9, 5, 2)]);
        for (a, b) in [(2, 37), (4, 40), (8, 16), (37, 2), (33, 4), (8, 8), (19, 35), (3, 5)] {
            check(&[l(b, 1, a), l(a, b, 1)]);
            check(&[l(b, 1, a + 3), l(a, b + 5, 1)]);
            check(&[l(b, 1, 3 * a + 3), l(3, b, a), l(a, 3 * b, 1)]);
        }
    }

    #[test]
    fn kernels_are_chosen_by_the_innermost_loops() {
        let mut loops = vec![l(3, 1, 50), l(4, 10, 12), l(9, 5, 1)];
        let kernel = Kernel::choose::<8>(&mut loops);
        assert_eq!(kernel, Kernel::Transpose { across: l(9, 5, 1), along: l(3, 1, 50) });
        assert_eq!(loops, [l(4, 10, 12)]);
    }
}
