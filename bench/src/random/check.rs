//! Whether a destination is what a relayout defines: all of it where it is small, and a sample of
//! its slots where it is large.

use anyhow::Result;
use tilewright_relayout::Placement;

use super::dice::Dice;
use crate::definition;

/// Destinations and sources of up to so many bytes are compared byte for byte.
const SMALL: usize = 4 << 20;

/// The slots of a large destination that are compared, besides those of its ends.
const SAMPLED: usize = 2_000_000;

/// The bytes at each end of which every slot is compared.
const END: usize = 64 << 10;

/// The slots whose elements are looked up together.
const BLOCK: usize = 4096;

/// Whether every element that is looked at is where the maps say, and all padding zero.
pub(super) fn is_relayout(src: &[u8], dst: &[u8], sides: &[Placement; 2]) -> Result<bool> {
    let [from, to] = sides;
    if src.len().max(dst.len()) <= SMALL
        && let Ok(expected) = definition::relayout(src, from, to)
    {
        return Ok(expected == dst);
    }
    let count = usize::try_from(to.map().allocation())?;
    let end = END * 8 / to.element_bits() as usize;
    // Without padding, elements are as good as slots, and quick to find in any layout.
    if to.map().elements() == to.map().allocation() {
        return holds(slots(count, end), src, dst, sides);
    }
    is_right_at(slots(count, end), src, dst, sides)
}

/// Whether these elements, by their numbers in the order of rows, are where they are to be.
fn holds(
    elements: impl Iterator<Item = usize>,
    src: &[u8],
    dst: &[u8],
    [from, to]: &[Placement; 2],
) -> Result<bool> {
    let (sources, targets) = (from.map().lookup()?, to.map().lookup()?);
    let dims = to.map().dims();
    let (from_bits, to_bits) = (from.element_bits() as usize, to.element_bits() as usize);
    let value = u128::MAX >> (128 - from_bits.min(to_bits));
    let mut elements = elements.peekable();
    let (mut source, mut target) = (vec![0; BLOCK], vec![0; BLOCK]);
    while elements.peek().is_some() {
        let mut indices = Vec::with_capacity(BLOCK * dims.len());
        let mut count = 0;
        for element in elements.by_ref().take(BLOCK) {
            let mut rest = element as i64;
            let first = indices.len();
            for dim in dims.iter().rev() {
                indices.push(rest % dim);
                rest /= dim;
            }
            indices[first..].reverse();
            count += 1;
        }
        sources.offsets_at(&indices, &mut source[..count])?;
        targets.offsets_at(&indices, &mut target[..count])?;
        for (&source, &target) in source[..count].iter().zip(&target) {
            let held = bits_at(src, source as usize * from_bits, from_bits) & value;
            if bits_at(dst, target as usize * to_bits, to_bits) != held {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// About [`SAMPLED`] of so many slots and so many at either end, in order.
///
/// The slots are cut into as many equal parts, of which each gives one at random: a slot at the same
/// place of each part would be in the same lane of a register every time.
fn slots(count: usize, end: usize) -> impl Iterator<Item = usize> {
    let end = end.min(count / 2);
    let inner = end..count - end;
    let part = inner.len().div_ceil(SAMPLED).max(1);
    let mut dice = Dice::new(count as u64);
    let limit = inner.end;
    let sampled = inner.step_by(part).map(move |first| (first + dice.below(part)).min(limit - 1));
    (0..end).chain(sampled).chain(limit..count)
}

/// Whether these slots hold what they are to hold.
fn is_right_at(
    slots: impl Iterator<Item = usize>,
    src: &[u8],
    dst: &[u8],
    [from, to]: &[Placement; 2],
) -> Result<bool> {
    let (offsets, elements) = (from.map().lookup()?, to.map().inverse_lookup()?);
    let rank = to.map().dims().len();
    let (from_bits, to_bits) = (from.element_bits() as usize, to.element_bits() as usize);
    let value = u128::MAX >> (128 - from_bits.min(to_bits));
    let mut slots = slots.peekable();
    let mut indices = vec![0; BLOCK * rank];
    let mut sources = vec![0; BLOCK];
    while slots.peek().is_some() {
        let block: Vec<i64> = slots.by_ref().take(BLOCK).map(|slot| slot as i64).collect();
        let indices = &mut indices[..block.len() * rank];
        elements.indices_at(&block, indices)?;
        let padding: Vec<bool> = indices.chunks(rank).map(|index| index[0] < 0).collect();
        // Any element will do for padding, whose own is not looked at.
        indices.iter_mut().for_each(|index| *index = (*index).max(0));
        let sources = &mut sources[..block.len()];
        offsets.offsets_at(indices, sources)?;
        for ((&slot, &source), padding) in block.iter().zip(&*sources).zip(padding) {
            let found = bits_at(dst, slot as usize * to_bits, to_bits);
            let held = bits_at(src, source as usize * from_bits, from_bits) & value;
            if found != if padding { 0 } else { held } {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// So many bits, 128 at most, from a bit on.
fn bits_at(bytes: &[u8], bit: usize, bits: usize) -> u128 {
    let (first, shift) = (bit / 8, bit % 8);
    let end = (bit + bits).div_ceil(8);
    let mut low = [0; 16];
    let taken = &bytes[first..end.min(first + 16)];
    low[..taken.len()].copy_from_slice(taken);
    let mut value = u128::from_le_bytes(low) >> shift;
    if end > first + 16 {
        value |= u128::from(bytes[first + 16]) << (128 - shift);
    }
    value & (u128::MAX >> (128 - bits))
}

#[cfg(test)]
mod tests {
    use super::super::pair::Pair;
    use super::*;

    fn sides(from: &str, to: &str) -> [Placement; 2] {
        Pair::named([from.to_owned(), to.to_owned()]).unwrap().sides
    }

    #[test]
    fn one_wrong_bit_is_seen_in_every_slot() {
        for (from, to) in [
            ("s4[30,70]{1,0:E(4)}", "s4[30,70]{0,1:T(64,128)(8,1)E(4)}"),
            ("pred[30,70]", "pred[30,70]{1,0:T(32,128)(32,1)E(1)}"),
            ("s2[5,16]{1,0:E(2)}", "s2[5,16]{0,1:E(2)}"),
            ("c128[7,9]", "c128[7,9]{0,1:T(8,4)}"),
            ("f16[16,64]", "f16 Sw<3,3,3> o 0 o (16,64):(64,1)"),
        ] {
            let sides = sides(from, to);
            let mut src = vec![0; sides[0].bytes()];
            definition::fill(&mut src, 0xff);
            let mut dst = definition::relayout(&src, &sides[0], &sides[1]).unwrap();
            let count = sides[1].map().allocation() as usize;
            let is_full = sides[1].map().elements() == sides[1].map().allocation();
            let is_right = |dst: &[u8]| {
                let all = is_right_at(0..count, &src, dst, &sides).unwrap();
                if is_full {
                    assert_eq!(all, holds(0..count, &src, dst, &sides).unwrap());
                }
                assert_eq!(all, is_relayout(&src, dst, &sides).unwrap());
                all
            };
            assert!(is_right(&dst), "{to}");
            for at in (0..dst.len()).step_by(211) {
                dst[at] ^= 1 << (at % 8);
                assert!(!is_right(&dst), "{to}, byte {at}");
                dst[at] ^= 1 << (at % 8);
            }
        }
    }

    #[test]
    fn a_sample_has_both_ends_and_something_of_each_part() {
        let slots: Vec<usize> = slots(100_000_000, 1000).collect();
        assert!(slots[..1000].iter().copied().eq(0..1000));
        assert_eq!(slots.last(), Some(&99_999_999));
        assert!(
            slots.is_sorted() && slots.len() > SAMPLED * 9 / 10 && slots.len() <= SAMPLED + 2000
        );
        assert!(slots.windows(2).all(|pair| pair[1] - pair[0] < 2 * 51));
        assert!(super::slots(1000, 600).eq(0..1000));
        assert!(super::slots(0, 600).eq(0..0));
    }

    #[test]
    fn bits_are_read_anywhere() {
        let bytes: Vec<u8> = (1..=20).collect();
        assert_eq!(bits_at(&bytes, 0, 8), 1);
        assert_eq!(bits_at(&bytes, 12, 4), 0);
        assert_eq!(
            bits_at(&bytes, 4, 128),
            u128::from_le_bytes(std::array::from_fn(|at| { bytes[at] >> 4 | bytes[at + 1] << 4 }))
        );
        assert_eq!(bits_at(&bytes, 152, 8), 20);
    }
}
