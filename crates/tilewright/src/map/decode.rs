//! Taking many sums apart, digit by digit, the largest stride first.
//!
//! A block of sums goes through one digit after the other. Where the smaller digits never add up to
//! a larger stride there is one way to take a sum apart, and each digit is a division by its stride,
//! which is mostly a multiplication. Negative strides count down: `v` times `-s` is `e - 1 - v`
//! times `s`, less a constant.

use super::divisor::Divisor;
use super::{Digit, IndexMap, Source};

/// How many sums go through the digits together: few enough for the nearest cache.
pub(super) const BLOCK: usize = 256;

/// All bits, where there is no element; they make an index -1.
type Mask = u64;

/// A map's digits prepared for taking offsets apart.
#[derive(Clone, Debug)]
pub(super) struct Decoder {
    /// What is taken off an offset first.
    base: i64,
    /// The offset, then the merged coordinates, each before those that it is made of.
    sums: Vec<Sum>,
    /// What each dimension and then each merged coordinate begins with.
    starts: Vec<u64>,
    /// The dimensions whose digits can reach further than they do, and how far they do.
    ends: Vec<(usize, u64)>,
    rank: usize,
}

/// A sum to be taken apart.
#[derive(Clone, Debug)]
struct Sum {
    /// Where its values are, unless they are the offsets, and the constant that is in them.
    merged: Option<(usize, u64)>,
    parts: Vec<Part>,
    /// Whether something may be left that no digit is made of.
    leaves: bool,
}

/// A digit of a sum.
#[derive(Clone, Copy, Debug)]
struct Part {
    divisor: Divisor,
    /// The length of the stride.
    stride: u64,
    /// The largest value; no limit where none can be larger.
    most: u64,
    /// The dimension or merged coordinate, and how many of it one step is.
    slot: usize,
    step: u64,
}

/// Some sums on their way through the digits.
pub(super) struct Block {
    /// What is left of each.
    rest: [u64; BLOCK],
    padding: [Mask; BLOCK],
    /// What each dimension and then each merged coordinate has come to.
    slots: Vec<[u64; BLOCK]>,
}

impl Decoder {
    /// `None` for a map whose offsets may come apart in several ways, or that has no elements.
    pub(super) fn new(map: &IndexMap) -> Option<Self> {
        if map.elements == 0 || !map.digits_nest() {
            return None;
        }
        let rank = map.dims.len();
        let starts = vec![0; rank + map.merged.len()];
        let mut decoder = Decoder { base: 0, sums: Vec::new(), starts, ends: Vec::new(), rank };
        let mut reach = vec![0; decoder.starts.len()];
        let base = decoder.add(map, None, &map.digits, map.base, &mut reach)?;
        decoder.base = i64::try_from(base).ok()?;
        for (number, coordinate) in map.merged.iter().enumerate().rev() {
            let (digits, base) = (&coordinate.digits, coordinate.base);
            decoder.add(map, Some(rank + number), digits, base, &mut reach)?;
        }
        let ends = map.dims.iter().map(|extent| extent.unsigned_abs()).enumerate();
        decoder.ends = ends.filter(|&(dim, end)| reach[dim] >= end).collect();
        Some(decoder)
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
        let mut below = u64::try_from((most - least).max(0)).ok()?.checked_add(1)?;
        let mut parts = Vec::with_capacity(digits.len());
        for digit in digits {
            parts.push(self.part(map, digit, below, reach)?);
            below = below.min(digit.stride.unsigned_abs());
        }
        let merged = match slot {
            None => None,
            Some(slot) => Some((slot, u64::try_from(least).ok()?)),
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
    ) -> Option<Part> {
        let slot = match digit.source {
            Source::Dim(dim) => dim,
            Source::Merged(number) => self.rank + number,
        };
        let stride = digit.stride.unsigned_abs();
        let most = (map.extent(digit) - 1).unsigned_abs();
        let span = most.checked_mul(digit.divisor.unsigned_abs())?;
        reach[slot] = reach[slot].checked_add(span)?;
        let is_downward = digit.stride < 0;
        self.starts[slot] += if is_downward { span } else { 0 };
        let step = if is_downward { digit.divisor.wrapping_neg() } else { digit.divisor };
        let is_limited = (below - 1) / stride > most;
        Some(Part {
            divisor: Divisor::new(stride, below),
            stride,
            most: if is_limited { most } else { u64::MAX },
            slot,
            step: step as u64,
        })
    }

    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    pub(super) fn block(&self) -> Block {
        let slots = vec![[0; BLOCK]; self.starts.len()];
        Block { rest: [0; BLOCK], padding: [0; BLOCK], slots }
    }

    /// Takes the first `count` of a block's sums apart. What is no element's is marked as padding.
    pub(super) fn take_apart(&self, block: &mut Block, count: usize) {
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
                padding
                    .iter_mut()
                    .zip(&*rest)
                    .for_each(|(padding, rest)| *padding |= mask(*rest != 0));
            }
        }
        for &(dim, end) in &self.ends {
            let values = padding.iter_mut().zip(&slots[dim]);
            values.for_each(|(padding, value)| *padding |= mask(*value >= end));
        }
    }

    /// Writes the index of each of a block's sums, one after the other; -1 throughout of padding.
    pub(super) fn write(&self, block: &Block, indices: &mut [i64]) {
        match self.rank {
            1 => write_rank::<1>(block, indices),
            2 => write_rank::<2>(block, indices),
            3 => write_rank::<3>(block, indices),
            4 => write_rank::<4>(block, indices),
            rank => {
                let indices = indices.chunks_exact_mut(rank.max(1)).zip(&block.padding);
                for (place, (index, padding)) in indices.enumerate() {
                    for (value, slot) in index.iter_mut().zip(&block.slots) {
                        *value = (slot[place] | padding) as i64;
                    }
                }
            }
        }
    }
}

impl Block {
    /// Begins with so many offsets as the block has places for.
    pub(super) fn begin(&mut self, decoder: &Decoder, offsets: impl Iterator<Item = i64>) {
        let places = self.rest.iter_mut().zip(&mut self.padding);
        for ((rest, padding), offset) in places.zip(offsets) {
            *rest = offset.wrapping_sub(decoder.base) as u64;
            *padding = mask(offset < decoder.base);
        }
    }
}

fn write_rank<const RANK: usize>(block: &Block, indices: &mut [i64]) {
    let Some(slots) = block.slots.first_chunk::<RANK>() else { return };
    let indices = indices.as_chunks_mut::<RANK>().0.iter_mut().zip(&block.padding);
    for (place, (index, padding)) in indices.enumerate().take(BLOCK) {
        for (value, slot) in index.iter_mut().zip(slots) {
            *value = (slot[place] | padding) as i64;
        }
    }
}

/// What is left of the values of a merged coordinate without what it begins at.
fn take_off(base: u64, values: &[u64], rest: &mut [u64], padding: &mut [Mask]) {
    for ((rest, padding), value) in rest.iter_mut().zip(padding).zip(values) {
        *padding |= mask(*value < base);
        *rest = value.wrapping_sub(base);
    }
}

impl Part {
    fn take(&self, rest: &mut [u64], padding: &mut [Mask], slot: &mut [u64]) {
        match self.divisor {
            Divisor::PowerOfTwo(power) => self.take_by(|n| n >> power, rest, padding, slot),
            Divisor::Reciprocal(reciprocal) => {
                let divide = |n| ((u128::from(n) * u128::from(reciprocal)) >> 64) as u64;
                self.take_by(divide, rest, padding, slot);
            }
            Divisor::Number(divisor) => self.take_by(|n| n / divisor, rest, padding, slot),
        }
    }

    /// What is padding may be out of all bounds: its numbers wrap.
    #[inline(always)]
    fn take_by(
        &self,
        divide: impl Fn(u64) -> u64,
        rest: &mut [u64],
        padding: &mut [Mask],
        slot: &mut [u64],
    ) {
        let Part { stride, most, step, .. } = *self;
        for ((rest, padding), value) in rest.iter_mut().zip(padding).zip(slot) {
            let quotient = divide(*rest);
            *rest = rest.wrapping_sub(quotient.wrapping_mul(stride));
            *value = value.wrapping_add(quotient.wrapping_mul(step));
            *padding |= mask(quotient > most);
        }
    }
}

/// All bits where there is padding.
fn mask(is_padding: bool) -> Mask {
    u64::from(is_padding).wrapping_neg()
}
