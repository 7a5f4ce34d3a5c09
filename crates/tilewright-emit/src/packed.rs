//! Elements below a byte, a word at a time.
//!
//! Where bytes become packed elements, or packed ones others in another order, a word of the destination is put together
//! of elements whose places relative to each other are known, and where packed elements become bytes, a word of the source
//! is taken apart so. The loops of a box are split in two for that: those *within* a word, and those around, of which all
//! begin at bytes. The innermost one around goes on with a byte on one side and with a word on the other where there is
//! such a loop: compilers make vector instructions of it. Rows of `s4` packed as `T(64,128)(8,1)E(4)` are words of 32 bits, of
//! 8 rows each, and the loop around goes along the 128 columns of a tile.
//!
//! Where the elements of a word lie one behind the other on both sides, eight of them are moved at once in a register of
//! 64 bits, by three shifts and masks.

use crate::relayout::{Body, Loop, Nest, Transfer, joined};

/// A box of packed elements as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// Which side is packed: the words are there.
    pub(crate) side: Side,
    /// The bits of a word: 8, 16, 32 or 64.
    pub(crate) bits: i64,
    /// Where the first element lies and goes, in bits.
    pub(crate) src: i64,
    pub(crate) dst: i64,
    /// The loops around words, outermost first, in bits.
    pub(crate) around: Vec<Loop>,
    /// The loops within, outermost first, in bits.
    pub(crate) within: Vec<Loop>,
}

/// Where words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Words of the destination are put together.
    Destination,
    /// Words of the source are taken apart.
    Source,
}

impl Words {
    /// The words of a nest, if its elements are packed and come in whole ones.
    pub(crate) fn of(nest: &Nest, transfer: Transfer) -> Option<Self> {
        let Transfer { src_bits, dst_bits, .. } = transfer;
        let is_packed = |bits: i64| [1, 2, 4].contains(&bits);
        let side = match (src_bits, dst_bits) {
            (1 | 2 | 4 | 8, dst) if is_packed(dst) => Side::Destination,
            (src, 8) if is_packed(src) => Side::Source,
            _ => return None,
        };
        let mut loops = nest.loops.clone();
        match nest.body {
            Body::Bits => {}
            Body::Pack { elements, src_stride } => {
                loops.push(Loop { extent: elements, src: src_stride, dst: dst_bits });
            }
            _ => return None,
        }
        let loops = joined(loops);
        let all = [8, 16, 32, 64]
            .map(|bits| Self::of_bits(bits, side, (nest.src, nest.dst), &loops, transfer));
        let all = || all.iter().flatten();
        let best = all().find(|words| words.is_run(transfer));
        best.or_else(|| all().find(|words| words.goes_on())).or_else(|| all().next_back()).cloned()
    }

    fn of_bits(
        bits: i64,
        side: Side,
        (src, dst): (i64, i64),
        loops: &[Loop],
        transfer: Transfer,
    ) -> Option<Self> {
        let (own, width): (fn(&Loop) -> i64, i64) = match side {
            Side::Destination => (|l| l.dst, transfer.dst_bits),
            Side::Source => (|l| l.src, transfer.src_bits),
        };
        let (mut around, mut within) = (loops.to_vec(), Vec::new());
        let mut filled = width;
        while filled < bits {
            let next = around.iter_mut().find(|l| own(l) == filled && l.extent > 1)?;
            let most = bits / filled;
            let taken = most.min(1 << next.extent.trailing_zeros());
            if taken == 1 {
                return None;
            }
            within.insert(0, Loop { extent: taken, ..*next });
            *next =
                Loop { extent: next.extent / taken, src: next.src * taken, dst: next.dst * taken };
            filled *= taken;
            around.retain(|l| l.extent > 1);
        }
        let starts = around.iter().flat_map(|l| [l.src, l.dst]).chain([src, dst]);
        if !starts.into_iter().all(|at| at % 8 == 0) {
            return None;
        }
        let mut words = Words { side, bits, src, dst, around, within };
        if let Some(at) = words.around.iter().position(|l| words.is_next(l)) {
            let last = words.around.remove(at);
            words.around.push(last);
        }
        Some(words)
    }

    /// Whether a loop goes on with a byte, or with all bytes of the word, on one side, and with a word on the other.
    fn is_next(&self, l: &Loop) -> bool {
        match self.side {
            Side::Destination => l.dst == self.bits && l.src == 8,
            Side::Source => l.src == self.bits && l.dst == 8,
        }
    }

    fn goes_on(&self) -> bool {
        self.around.last().is_some_and(|l| self.is_next(l))
    }

    /// Whether a word is eight elements that lie one behind the other on both sides, bytes on one.
    pub(crate) fn is_run(&self, transfer: Transfer) -> bool {
        let Transfer { src_bits, dst_bits, .. } = transfer;
        src_bits.max(dst_bits) == 8
            && self.within == [Loop { extent: 8, src: src_bits, dst: dst_bits }]
    }

    /// The elements of a word, in order: how far each is from the first on the other side, in bits.
    pub(crate) fn elements(&self) -> Vec<i64> {
        let mut elements = vec![0];
        for l in &self.within {
            let stride = if self.side == Side::Destination { l.src } else { l.dst };
            elements = elements
                .iter()
                .flat_map(|at| (0..l.extent).map(move |step| at + step * stride))
                .collect();
        }
        elements
    }

    /// A number of 8 bits or fewer in each of the word's elements, of so many bits each.
    pub(crate) fn repeated(&self, number: u64, width: i64) -> u64 {
        (0..self.bits / width).fold(0, |all, place| all | number << (place * width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Array;
    use crate::relayout::{Relayout, Way};

    fn words(from: &str, to: &str) -> Option<Words> {
        let array = |text: &str| Array::of(&text.parse().unwrap()).unwrap();
        let relayout = Relayout::of(&array(from), &array(to)).unwrap();
        let Way::Nests(nests) = &relayout.way else { panic!("{from} to {to} has no nests") };
        Words::of(&nests[0], relayout.transfer)
    }

    #[test]
    fn rows_of_bytes_become_words_of_rows() {
        let words = words("s4[64,128]", "s4[64,128]{1,0:T(64,128)(8,1)E(4)}").unwrap();
        assert_eq!((words.side, words.bits), (Side::Destination, 32));
        assert_eq!(words.within, [Loop { extent: 8, src: 1024, dst: 4 }]);
        assert_eq!(words.around.last(), Some(&Loop { extent: 128, src: 8, dst: 32 }));
    }

    #[test]
    fn neighbouring_columns_of_packed_elements_fill_a_word_together() {
        let words = words("s4[64,128]{1,0:E(4)}", "s4[64,128]{1,0:T(64,128)(8,1)E(4)}").unwrap();
        assert_eq!(words.bits, 64);
        assert_eq!(words.elements()[..3], [0, 512, 1024]);
        assert_eq!(words.elements()[8], 4);
        assert_eq!(words.around.last(), Some(&Loop { extent: 64, src: 8, dst: 64 }));
    }

    #[test]
    fn runs_go_eight_at_a_time() {
        let packed = words("s4[64,128]", "s4[64,128]{1,0:E(4)}").unwrap();
        assert_eq!((packed.bits, packed.elements().len()), (32, 8));
        let unpacked = words("u2[64,128]{1,0:E(2)}", "u2[64,128]").unwrap();
        assert_eq!((unpacked.side, unpacked.bits), (Side::Source, 16));
        assert_eq!(words("s4[5,3]", "s4[5,3]{0,1:E(4)}"), None);
    }
}
