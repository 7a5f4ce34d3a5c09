//! Squares of elements below a byte, transposed: what has neighbours along one loop in the source has
//! neighbours along another in the destination, and either side has several in a byte.
//!
//! A square is as many words of the source as a word has elements. Numbers of 64 bits have 16 elements
//! of 4 bits, or 64 of 1. The upper half of the elements of the first words change places with the
//! lower half of the last ones; then the same is done in each quarter, and so on. All of that is
//! done to several squares at once.

use super::level::{Level, Task};
use super::lies_inside;
use super::place::{At, copy_one};
use super::places::innermost;
use super::register::Register;
use crate::bits::SubByte;
use crate::nest::{Loop, walk};

/// Squares of packed elements. Steps and places are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BitSquares {
    /// The bits of an element.
    pub(crate) width: SubByte,
    /// A word, which has as many elements as a square has words.
    pub(crate) word: Word,
    /// From a word of a square to the next, in the source.
    pub(crate) src_step: i64,
    /// The same in the destination.
    pub(crate) dst_step: i64,
    /// From square to square.
    pub(crate) loops: Vec<Loop>,
    /// Where the first one begins in the source.
    pub(crate) src: i64,
    /// And in the destination.
    pub(crate) dst: i64,
}

/// How many bytes a word has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Eight,
    Four,
    One,
}

impl Word {
    /// All that there are, the best first.
    pub(crate) const ALL: [Word; 3] = [Word::Eight, Word::Four, Word::One];

    /// The number of bytes.
    pub(crate) fn bytes(self) -> i64 {
        match self {
            Word::Eight => 8,
            Word::Four => 4,
            Word::One => 1,
        }
    }
}

/// Moves all squares with the registers there are, if all of them lie within both sides. A plan's
/// squares do, since they are elements of its boxes; of others none is moved.
pub(crate) fn transpose_bits(level: Level, squares: &BitSquares, src: &[u8], dst: &mut [u8]) {
    if !squares.lie_inside(src.len(), dst.len()) {
        return;
    }
    let (inner, outer) = innermost(&squares.loops);
    let start = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
    walk(outer, (squares.src, squares.dst), &mut |(from, to)| {
        let at = start.plus(from, to);
        // SAFETY: all squares lie within the two slices, which cannot overlap.
        unsafe { level.run(Line { squares, inner, at }) };
    });
}

impl BitSquares {
    fn lie_inside(&self, src: usize, dst: usize) -> bool {
        let side = self.word.bytes() * self.width.per_byte();
        let words = Loop { extent: side, src: self.src_step, dst: self.dst_step };
        let bytes = Loop { extent: self.word.bytes(), src: 1, dst: 1 };
        let loops = [self.loops.as_slice(), &[words, bytes]].concat();
        self.loops.iter().all(|l| l.extent > 0)
            && lies_inside(&loops, 1, (self.src, self.dst), src, dst)
    }
}

/// Squares in a row.
#[derive(Clone, Copy)]
struct Line<'t> {
    squares: &'t BitSquares,
    inner: Loop,
    at: At,
}

impl Task for Line<'_> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        // SAFETY: the caller's promise.
        unsafe {
            match (self.squares.word, self.squares.width) {
                (Word::Eight, SubByte::Four) => line::<R, 8, 16, 4>(self),
                (Word::Eight, SubByte::Two) => line::<R, 8, 32, 2>(self),
                (Word::Eight, SubByte::One) => line::<R, 8, 64, 1>(self),
                (Word::Four, SubByte::Four) => line::<R, 4, 8, 4>(self),
                (Word::Four, SubByte::Two) => line::<R, 4, 16, 2>(self),
                (Word::Four, SubByte::One) => line::<R, 4, 32, 1>(self),
                (Word::One, SubByte::Four) => line::<R, 1, 2, 4>(self),
                (Word::One, SubByte::Two) => line::<R, 1, 4, 2>(self),
                (Word::One, SubByte::One) => line::<R, 1, 8, 1>(self),
            }
        }
    }
}

/// A register's worth of words, the same one of several squares.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Words([u8; 64]);

/// Moves a line of squares with registers that it fills.
///
/// # Safety
/// As [`line_by`].
#[inline(always)]
unsafe fn line<R: Register, const W: usize, const K: usize, const BITS: usize>(line: Line<'_>) {
    let bytes = (line.inner.extent as usize).saturating_mul(W);
    // SAFETY: the caller's promise.
    unsafe {
        match bytes >= R::BYTES {
            true => line_by::<R, W, K, BITS>(line),
            false => line_by::<R::Half, W, K, BITS>(line),
        }
    }
}

/// Moves a line of squares of `K` words of `W` bytes, each of `K` elements of `BITS` bits: as many
/// squares at a time as a register has words.
///
/// # Safety
/// The processor has these registers. All words of the squares can be read and written.
#[inline(always)]
unsafe fn line_by<R: Register, const W: usize, const K: usize, const BITS: usize>(line: Line<'_>) {
    let Line { squares, inner, at } = line;
    let (src_step, dst_step) = (squares.src_step, squares.dst_step);
    let together = (R::BYTES / W) as i64;
    let mut words = [Words([0; 64]); K];
    let mut step = 0;
    while step < inner.extent {
        let here = (inner.extent - step).min(together);
        let at = at.plus(step * inner.src, step * inner.dst);
        // SAFETY: the caller's promise; `words` has room for a register in each place.
        unsafe {
            if here == together && inner.src == W as i64 {
                for (place, words) in (0..).zip(&mut words) {
                    R::load(at.plus(place * src_step, 0).src).store(words.0.as_mut_ptr());
                }
            } else {
                for square in 0..here {
                    let at = at.plus(square * inner.src, 0);
                    for (place, words) in (0..).zip(&mut words) {
                        let dst = words.0.as_mut_ptr().wrapping_add(square as usize * W);
                        copy_one::<W>(At { dst, ..at.plus(place * src_step, 0) });
                    }
                }
            }
            exchange_all::<R, W, K, BITS>(&mut words);
            if here == together && inner.dst == W as i64 {
                for (place, words) in (0..).zip(&words) {
                    R::load(words.0.as_ptr()).store(at.plus(0, place * dst_step).dst);
                }
            } else {
                for square in 0..here {
                    let at = at.plus(0, square * inner.dst);
                    for (place, words) in (0..).zip(&words) {
                        let src = words.0.as_ptr().wrapping_add(square as usize * W);
                        copy_one::<W>(At { src, ..at.plus(0, place * dst_step) });
                    }
                }
            }
        }
        step += together;
    }
}

/// Transposes squares.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn exchange_all<R: Register, const W: usize, const K: usize, const BITS: usize>(
    words: &mut [Words; K],
) {
    // SAFETY: the caller's promise.
    unsafe {
        exchange::<R, 32, K, BITS>(words);
        exchange::<R, 16, K, BITS>(words);
        exchange::<R, 8, K, BITS>(words);
        exchange::<R, 4, K, BITS>(words);
        exchange::<R, 2, K, BITS>(words);
        exchange::<R, 1, K, BITS>(words);
    }
}

/// In every `2 * HALF` words, exchanges the upper `HALF` of as many elements of the first words for
/// the lower ones of the last, if there are so many.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn exchange<R: Register, const HALF: usize, const K: usize, const BITS: usize>(
    words: &mut [Words; K],
) {
    if HALF >= K {
        return;
    }
    // SAFETY: the caller's promise; registers are as long as words, or shorter.
    unsafe {
        let lower = R::repeat(const { &lower::<HALF, BITS>() });
        for pair in 0..K / 2 {
            let place = pair / HALF * 2 * HALF + pair % HALF;
            let (first, last) = (words[place].0.as_mut_ptr(), words[place + HALF].0.as_mut_ptr());
            let exchanged = R::load(first).exchange(R::load(last), lower, HALF * BITS);
            exchanged.0.store(first);
            exchanged.1.store(last);
        }
    }
}

/// The bits of the lower `HALF` of every `2 * HALF` elements.
const fn lower<const HALF: usize, const BITS: usize>() -> [u8; 16] {
    let mut bits = 0;
    let mut bit = 0;
    while bit < 128 {
        if (bit / (HALF * BITS)).is_multiple_of(2) {
            bits |= 1 << bit;
        }
        bit += 1;
    }
    u128::to_le_bytes(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;

    fn pattern(n: usize) -> Vec<u8> {
        (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    /// Two squares, each `apart` bytes from word to word on one side, by the definition of packed
    /// elements, one at a time.
    fn check(width: SubByte, of_bytes: Word, apart: i64) {
        let (bits, word) = (8 / width.per_byte() as u32, of_bytes.bytes() as usize);
        let side = word * 8 / bits as usize;
        let reach = (side as i64 - 1) * apart + 2 * word as i64;
        let loops = vec![Loop { extent: 2, src: word as i64, dst: side as i64 * apart }];
        let (src_step, dst_step, word_of) = (apart, apart, of_bytes);
        let squares =
            BitSquares { width, word: word_of, src_step, dst_step, loops, src: 3, dst: 1 };
        let src = pattern(3 + reach as usize);
        let mut expected = vec![0xee; 1 + (2 * side - 1) * apart as usize + word];
        let per_byte = 8 / bits as usize;
        for (square, row, column) in (0..2 * side * side)
            .map(|number| (number / side / side, number / side % side, number % side))
        {
            let from = (3 + row * apart as usize + square * word) * per_byte + column;
            let to = (1 + (square * side + column) * apart as usize) * per_byte + row;
            let element = bits::read(&src, from * bits as usize, bits);
            bits::write(&mut expected, to * bits as usize, bits, element);
        }
        for level in Level::all() {
            let mut dst = vec![0xee; expected.len()];
            transpose_bits(level, &squares, &src, &mut dst);
            assert_eq!(dst, expected, "{bits} bits, words of {word}, {apart} apart, {level:?}");
        }
    }

    #[test]
    fn squares_of_bits() {
        if cfg!(miri) {
            check(SubByte::Four, Word::Four, 16);
            return check(SubByte::One, Word::One, 16);
        }
        for width in [SubByte::Four, SubByte::Two, SubByte::One] {
            for word in Word::ALL {
                [16, 23].iter().for_each(|&apart| check(width, word, apart));
            }
        }
    }

    /// What lies outside is left alone.
    #[test]
    fn squares_outside_are_left_out() {
        let (src_step, dst_step) = (1, 1);
        let at = |src, dst| {
            let (width, word) = (SubByte::Four, Word::One);
            let squares = BitSquares { width, word, src_step, dst_step, loops: vec![], src, dst };
            let mut bytes = [0xee; 3];
            transpose_bits(Level::best(), &squares, &[0x21, 0x43, 0x65], &mut bytes);
            bytes
        };
        assert_eq!(at(1, 0), [0x53, 0x64, 0xee]);
        assert_eq!([at(2, 0), at(0, -1), at(0, 2)], [[0xee; 3]; 3]);
    }
}
