//! Taking many sums apart, digit by digit, the largest stride first.
//!
//! A block of sums goes through one digit after the other. Where the smaller digits never add up to
//! a larger stride there is one way to take a sum apart, and each digit is a division by its stride,
//! which is mostly a shift or a multiplication. Negative strides count down: `v` times `-s` is
//! `e - 1 - v` times `s`, less a constant.
//!
//! Offset 5055633 of `f32[4096,4096]{1,0:T(8,128)}` is 154 times 32768, the stride of rows of tiles;
//! the rest, 9361, is 9 times 1024, of tiles; then 1 times 128, and 17. So the index is
//! (154·8 + 1, 9·128 + 17) = (1233, 1169).

use super::divisor::{Divisor, high_product};
use super::word::{BLOCK, Bounds, Column, Word};
use super::{Digit, IndexMap, Source};

/// A map's digits prepared for taking offsets apart.
#[derive(Clone, Debug)]
pub(super) struct Decoder<W> {
    lowest: i64,
    /// The last place from the lowest offset on.
    last: W,
    /// How far from the lowest offset digits that are all 0 are, and whether that is after it.
    base: W,
    begins_late: bool,
    /// The offset, then the merged coordinates, each before those that it is made of.
    sums: Vec<Sum<W>>,
    /// What each dimension and then each merged coordinate begins with.
    starts: Vec<W>,
    /// The dimensions whose digits can reach further than they do, and the last index of each.
    ends: Vec<(usize, W)>,
    rank: usize,
}

/// A sum to be taken apart.
#[derive(Clone, Debug)]
struct Sum<W> {
    /// Where its values are, unless they are the offsets, and the constant that is in them.
    merged: Option<(usize, W)>,
    parts: Vec<Part<W>>,
    /// Whether something may be left that no digit is made of.
    leaves: bool,
}

/// A digit of a sum.
#[derive(Clone, Copy, Debug)]
struct Part<W> {
    divisor: Divisor,
    /// The length of the stride.
    stride: W,
    /// The largest value, where one could be larger.
    most: Option<W>,
    /// The dimension or merged coordinate, and how many of it one step is.
    slot: usize,
    step: Step<W>,
}

/// What the value of a digit is multiplied by.
#[derive(Clone, Copy, Debug)]
enum Step<W> {
    PowerOfTwo(u32),
    Number(W),
}

/// Some sums on their way through the digits.
pub(super) struct Block<W> {
    /// What is left of each.
    rest: Column<W>,
    /// All bits where there is no element; they make an index -1.
    padding: Column<W>,
    /// What each dimension and then each merged coordinate has come to.
    slots: Vec<Column<W>>,
}

impl<W: Word> Decoder<W> {
    /// `None` for a map whose offsets may come apart in several ways, or that has no elements, or
    /// whose numbers are no words.
    pub(super) fn new(map: &IndexMap) -> Option<Self> {
        if map.elements == 0 || !map.digits_nest() {
            return None;
        }
        let rank = map.dims.len();
        let mut decoder = Decoder {
            lowest: map.lowest_offset,
            last: word(map.allocation.unsigned_abs().checked_sub(1)?)?,
            base: W::of(0),
            begins_late: false,
            sums: Vec::new(),
            starts: vec![W::of(0); rank + map.merged.len()],
            ends: Vec::new(),
            rank,
        };
        let mut reach = vec![0; decoder.starts.len()];
        let base = decoder.add(map, None, &map.digits, map.base, &mut reach)?;
        let base = i64::try_from(base - i128::from(map.lowest_offset)).ok()?;
        (decoder.base, decoder.begins_late) = (W::of(base as u64), base > 0);
        for (number, coordinate) in map.merged.iter().enumerate().rev() {
            let (digits, base) = (&coordinate.digits, coordinate.base);
            decoder.add(map, Some(rank + number), digits, base, &mut reach)?;
        }
        for (dim, extent) in map.dims.iter().map(|extent| extent.unsigned_abs()).enumerate() {
            if reach[dim] >= extent {
                decoder.ends.push((dim, word(extent - 1)?));
            }
        }
        reach.iter().all(|&reach| reach < W::BELOW).then_some(decoder)
    }

    /// Adds a sum of digits. Says what the least is that it can come to, as far as the digits say.
    fn add(
        &mut self,
        map: &IndexMap,
        slot: Option<usize>,
        digits: &[Digit],
        base: i64,
        reach: &mut [u64],
    ) -> Option<i128> {
        let span = |digit: &Digit| i128::from(map.extent(digit) - 1) * i128::from(digit.stride);
        let least = digits.iter().map(span).fold(i128::from(base), |sum, span| sum + span.min(0));
        let most = match slot {
            None => i128::from(map.lowest_offset) + i128::from(map.allocation) - 1,
            Some(slot) => i128::from(reach[slot]),
        };
        let most = word::<W>(u64::try_from((most - least).max(0)).ok()?)?;
        let mut below = most.number() + 1;
        let mut parts = Vec::with_capacity(digits.len());
        for digit in digits {
            parts.push(self.part(map, digit, below, reach)?);
            below = below.min(digit.stride.unsigned_abs());
        }
        let merged = match slot {
            None => None,
            Some(slot) => Some((slot, word(u64::try_from(least).ok()?)?)),
        };
        self.sums.push(Sum { merged, parts, leaves: below > 1 });
        Some(least)
    }

    /// A digit, of a sum that what is left of is `below` this.
    fn part(
        &mut self,
        map: &IndexMap,
        digit: &Digit,
        below: u64,
        reach: &mut [u64],
    ) -> Option<Part<W>> {
        let slot = match digit.source {
            Source::Dim(dim) => dim,
            Source::Merged(number) => self.rank + number,
        };
        let stride = digit.stride.unsigned_abs();
        let most = (map.extent(digit) - 1).unsigned_abs();
        let divisor = digit.divisor.unsigned_abs();
        let span = most.checked_mul(divisor)?;
        reach[slot] = reach[slot].checked_add(span)?;
        let is_downward = digit.stride < 0;
        self.starts[slot] = self.starts[slot].plus(W::of(if is_downward { span } else { 0 }));
        Some(Part {
            divisor: Divisor::new(stride, below),
            stride: word(stride)?,
            most: if (below - 1) / stride > most { Some(word(most)?) } else { None },
            slot,
            step: match is_downward {
                true => Step::Number(W::of(divisor.wrapping_neg())),
                false if divisor.is_power_of_two() => Step::PowerOfTwo(divisor.trailing_zeros()),
                false => Step::Number(word(divisor)?),
            },
        })
    }

    pub(super) fn block(&self) -> Block<W> {
        let zeros = [W::of(0); BLOCK];
        Block { rest: zeros, padding: zeros, slots: vec![zeros; self.starts.len()] }
    }

    /// Finds the indices at as many offsets as a block has places for, or fewer, and writes them one
    /// after the other; -1 throughout where there is padding. Says whether all offsets are within the
    /// allocation; if one is not, nothing is written.
    pub(super) fn decode<O: Copy + Into<i64>>(
        &self,
        block: &mut Block<W>,
        offsets: &[O],
        indices: &mut [i64],
    ) -> bool {
        if !self.begin(block, offsets) {
            return false;
        }
        self.take_apart(block, offsets.len());
        self.write(block, indices);
        true
    }

    /// Takes offsets into a block. Says whether all are within the allocation.
    fn begin<O: Copy + Into<i64>>(&self, block: &mut Block<W>, offsets: &[O]) -> bool {
        let mut bounds = Bounds::default();
        for (rest, &offset) in block.rest.iter_mut().zip(offsets) {
            // The lowest offset is not above 0, so that no offset wraps into the allocation.
            let place = offset.into().wrapping_sub(self.lowest) as u64;
            *rest = bounds.look_at(place, self.last).minus(self.base);
        }
        let padding = &mut block.padding[..offsets.len()];
        padding.fill(W::of(0));
        if self.begins_late {
            for (padding, rest) in padding.iter_mut().zip(&block.rest) {
                *padding = self.base.is_above(rest.plus(self.base));
            }
        }
        bounds.are_kept()
    }

    /// Takes the first `count` of a block's sums apart. What is no element's is marked as padding.
    fn take_apart(&self, block: &mut Block<W>, count: usize) {
        let Block { rest, padding, slots } = block;
        let (rest, padding) = (&mut rest[..count], &mut padding[..count]);
        for (slot, start) in slots.iter_mut().zip(&self.starts) {
            slot[..count].fill(*start);
        }
        for sum in &self.sums {
            if let Some((slot, base)) = sum.merged {
                take_off(base, &slots[slot], rest, padding);
            }
            for part in &sum.parts {
                part.take(rest, padding, &mut slots[part.slot]);
            }
            if sum.leaves {
                mark_above(W::of(0), rest, padding);
            }
        }
        for &(dim, last) in &self.ends {
            mark_above(last, &slots[dim], padding);
        }
    }

    fn write(&self, block: &Block<W>, indices: &mut [i64]) {
        match self.rank {
            1 => write_rank::<1, W>(block, indices),
            2 => write_rank::<2, W>(block, indices),
            3 => write_rank::<3, W>(block, indices),
            4 => write_rank::<4, W>(block, indices),
            rank => {
                for (slot, values) in block.slots.iter().enumerate().take(rank) {
                    let of_dim = indices.iter_mut().skip(slot).step_by(rank);
                    for ((index, value), padding) in of_dim.zip(values).zip(&block.padding) {
                        *index = index_of(*value, *padding);
                    }
                }
            }
        }
    }
}

/// A number that is a word of its own.
fn word<W: Word>(number: u64) -> Option<W> {
    (number < W::BELOW).then(|| W::of(number))
}

fn write_rank<const RANK: usize, W: Word>(block: &Block<W>, indices: &mut [i64]) {
    let Some(slots) = block.slots.first_chunk::<RANK>() else { return };
    let indices = indices.as_chunks_mut::<RANK>().0;
    let count = indices.len().min(BLOCK);
    let indices = &mut indices[..count];
    for place in 0..count {
        for dim in 0..RANK {
            indices[place][dim] = index_of(slots[dim][place], block.padding[place]);
        }
    }
}

/// A number of an index, or -1 where there is padding.
#[inline(always)]
fn index_of<W: Word>(value: W, padding: W) -> i64 {
    // The sign of a word of 32 bits is that of the number.
    value.or(padding).signed()
}

/// What is left of the values of a merged coordinate without what it begins at.
fn take_off<W: Word>(base: W, values: &[W], rest: &mut [W], padding: &mut [W]) {
    if base.number() == 0 {
        return rest.copy_from_slice(&values[..rest.len()]);
    }
    for ((rest, padding), value) in rest.iter_mut().zip(padding).zip(values) {
        *padding = padding.or(base.is_above(*value));
        *rest = value.minus(base);
    }
}

/// Marks what is above the last number that there is.
fn mark_above<W: Word>(last: W, values: &[W], padding: &mut [W]) {
    for (padding, value) in padding.iter_mut().zip(values) {
        *padding = padding.or(value.is_above(last));
    }
}

impl<W: Word> Part<W> {
    fn take(&self, rest: &mut [W], padding: &mut [W], slot: &mut [W]) {
        match self.divisor {
            Divisor::PowerOfTwo(power) => {
                let below = self.stride.minus(W::of(1));
                let divide = |n: W| (n.shifted(power), n.and(below));
                self.take_by(divide, rest, padding, slot);
            }
            Divisor::Product(product) => {
                self.take_by(|n| self.with_rest(n, n.quotient(product)), rest, padding, slot);
            }
            Divisor::Reciprocal(reciprocal) => {
                let divide = |n: W| W::of(high_product(n.number(), reciprocal));
                self.take_by(|n| self.with_rest(n, divide(n)), rest, padding, slot);
            }
            Divisor::Number(divisor) => {
                let divide = |n: W| W::of(n.number() / divisor);
                self.take_by(|n| self.with_rest(n, divide(n)), rest, padding, slot);
            }
        }
    }

    #[inline(always)]
    fn with_rest(&self, number: W, quotient: W) -> (W, W) {
        (quotient, number.minus(quotient.times(self.stride)))
    }

    /// What is padding may be out of all bounds: its numbers wrap.
    #[inline(always)]
    fn take_by(
        &self,
        divide: impl Fn(W) -> (W, W) + Copy,
        rest: &mut [W],
        padding: &mut [W],
        slot: &mut [W],
    ) {
        if let Some(most) = self.most {
            for (padding, rest) in padding.iter_mut().zip(&*rest) {
                *padding = padding.or(divide(*rest).0.is_above(most));
            }
        }
        match self.step {
            Step::PowerOfTwo(power) => take_all(rest, slot, divide, |value| value.raised(power)),
            Step::Number(step) => take_all(rest, slot, divide, |value| value.times(step)),
        }
    }
}

#[inline(always)]
fn take_all<W: Word>(
    rest: &mut [W],
    slot: &mut [W],
    divide: impl Fn(W) -> (W, W),
    times: impl Fn(W) -> W,
) {
    for (rest, sum) in rest.iter_mut().zip(slot) {
        let (quotient, left) = divide(*rest);
        *rest = left;
        *sum = sum.plus(times(quotient));
    }
}
