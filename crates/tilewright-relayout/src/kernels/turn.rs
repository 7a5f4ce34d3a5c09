//! Blocks that lie together on both sides, turned.
//!
//! Tiles such as `T(8,128)(2,1)` keep two rows side by side, element by element. Transposed to tiles
//! of the same form, every 2 × 2 elements stay together, rows and columns changed. Such a block is
//! moved as one larger element, whose bytes are put in order on the way through a register.

use crate::nest::Loop;

/// Where each of the bytes that a register puts in order at a time comes from.
pub(super) type Order = [u8; 16];

/// How the bytes of a block are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// The bytes of a block: 4, 8 or 16.
    pub(super) unit: usize,
    /// The order, block by block.
    pub(super) order: Order,
    /// The loops of a block, which count elements.
    pub(super) loops: [Loop; 2],
}

impl Turn {
    /// Takes the loops of blocks out of a box of elements of `unit` bytes, if it is one of turned
    /// blocks that lie apart on both sides; the loops that are left then count blocks.
    pub(super) fn take(loops: &mut Vec<Loop>, unit: usize) -> Option<Turn> {
        let [across, along] = Self::places(loops, unit)?;
        let (inner, outer) = (loops[across], loops[along]);
        loops.remove(across.max(along));
        loops.remove(across.min(along));
        let block = inner.extent * outer.extent;
        for l in loops {
            (l.src, l.dst) = (l.src / block, l.dst / block);
        }
        Some(Turn::new(inner, outer, unit))
    }

    /// Has a loop that counts blocks count elements again.
    pub(super) fn count_elements(&self, l: &mut Loop) {
        let block = self.loops[0].extent * self.loops[1].extent;
        (l.src, l.dst) = (l.src * block, l.dst * block);
    }

    /// The order of blocks of the destination's neighbours and the source's.
    fn new(inner: Loop, outer: Loop, unit: usize) -> Turn {
        let (across, along) = (inner.extent as usize, outer.extent as usize);
        let bytes = across * along * unit;
        let mut order = Order::default();
        for (place, from) in order.iter_mut().enumerate() {
            let (block, element) = (place / bytes, place % bytes / unit);
            let source = element % across * along + element / across;
            *from = (block * bytes + source * unit + place % unit) as u8;
        }
        Turn { unit: bytes, order, loops: [outer, inner] }
    }

    /// Where the loops of the destination's and of the source's neighbours stand, if together they
    /// are a block on both sides.
    fn places(loops: &[Loop], unit: usize) -> Option<[usize; 2]> {
        if loops.iter().any(Loop::is_run) {
            return None;
        }
        let across = loops.iter().rposition(|l| l.dst == 1)?;
        let along = loops.iter().rposition(|l| l.src == 1)?;
        let (inner, outer) = (loops[across], loops[along]);
        let block = inner.extent.checked_mul(outer.extent)?;
        let is_block = inner.src == outer.extent && outer.dst == inner.extent;
        if !is_block || ![4, 8, 16].contains(&block.checked_mul(unit as i64)?) {
            return None;
        }
        let others = || loops.iter().enumerate().filter(|(p, _)| *p != across && *p != along);
        let are_whole = others().all(|(_, l)| l.src % block == 0 && l.dst % block == 0);
        let goes_on = |stride: fn(&Loop) -> i64| others().any(|(_, l)| stride(l) == block);
        let is_run = others().any(|(_, l)| l.src == block && l.dst == block);
        let is_grid = goes_on(|l| l.src) && goes_on(|l| l.dst) && !is_run;
        (are_whole && is_grid).then_some([across, along])
    }
}

/// A block with its bytes in order.
pub(super) fn turned<const N: usize>(block: [u8; N], order: &Order) -> [u8; N] {
    let mut turned = block;
    for (byte, &from) in turned.iter_mut().zip(order) {
        *byte = block.get(usize::from(from)).copied().unwrap_or_default();
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn l(extent: i64, src: i64, dst: i64) -> Loop {
        Loop { extent, src, dst }
    }

    #[test]
    fn blocks_are_taken_out() {
        // 2 × 2 elements of 2 bytes, which lie in columns of 8 here and in rows of 8 there.
        let mut loops = vec![l(4, 4, 32), l(8, 16, 4), l(2, 1, 2), l(2, 2, 1)];
        let turn = Turn::take(&mut loops, 2).unwrap();
        assert_eq!(loops, [l(4, 1, 8), l(8, 4, 1)]);
        assert_eq!(turn.unit, 8);
        assert_eq!(turn.order, [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]);
        assert_eq!(turned([1u8, 2, 3, 4, 5, 6, 7, 8], &turn.order), [1, 2, 5, 6, 3, 4, 7, 8]);
    }

    #[test]
    fn two_by_four() {
        // Source: a0 a1 a2 a3 b0 b1 b2 b3; destination: a0 b0 a1 b1 a2 b2 a3 b3.
        let turn = Turn::new(l(2, 4, 1), l(4, 1, 2), 1);
        assert_eq!(turned(*b"abcdABCD", &turn.order), *b"aAbBcCdD");
    }

    #[test]
    fn what_is_no_block_stays() {
        let no_block = [l(4, 4, 32), l(8, 16, 4), l(2, 1, 2), l(2, 3, 1)];
        let not_whole = [l(4, 4, 32), l(8, 17, 4), l(2, 1, 2), l(2, 2, 1)];
        let too_large = [l(4, 16, 128), l(8, 64, 16), l(4, 1, 4), l(4, 4, 1)];
        for (loops, unit) in [(no_block, 2), (not_whole, 2), (too_large, 4)] {
            assert_eq!(Turn::take(&mut loops.to_vec(), unit), None, "{loops:?}");
        }
    }
}
