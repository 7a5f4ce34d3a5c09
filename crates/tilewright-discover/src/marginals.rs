//! Which bit of the place each bit of the index is, seen in data alone.
//!
//! Where the offset is the index with its bits in another order, the elements whose index has bit
//! *i* set are those whose place has bit *j* set. So the sums of a hash of the values over either
//! are equal; of other bits they are not, unless the data is alike along both:
//!
//! ```text
//! S(i) = Σ hash(x[id])  over id with bit i        T(j) = Σ hash(p[at])  over places with bit j
//! ```
//!
//! `T(j)` that is the sum of all less `S(i)` is the bit flipped, as in an index `row ^ 8`.

use crate::probe::scrambled;

/// Where each bit of an element's number goes.
pub(crate) struct BitOrder {
    /// For each bit of the place, the bit of the number, and whether it is flipped.
    bits: Vec<(u32, bool)>,
    /// Bits of the number that the data cannot tell apart.
    pub(crate) alike: Vec<(u32, u32)>,
}

impl BitOrder {
    /// The order of bits that data and packed data show, if there are as many, a power of two.
    pub(crate) fn of(logical: &[u32], packed: &[u32]) -> Option<Self> {
        if logical.len() != packed.len() || !logical.len().is_power_of_two() {
            return None;
        }
        let all = sum(logical);
        if all != sum(packed) {
            return None;
        }
        let n_bits = logical.len().trailing_zeros();
        let (of_number, of_place) = (sums(logical, n_bits), sums(packed, n_bits));
        let mut free: Vec<u32> = (0..n_bits).collect();
        let mut bits = Vec::new();
        for sum in &of_place {
            let sum_of = |bit: &u32| of_number.get(usize::try_from(*bit).ok()?).copied();
            let is = |bit: &u32| sum_of(bit) == Some(*sum);
            let is_flipped = |bit: &u32| sum_of(bit).map(|s| all.wrapping_sub(s)) == Some(*sum);
            let straight = free.iter().position(is).map(|at| (at, false));
            let found = straight.or_else(|| free.iter().position(is_flipped).map(|at| (at, true)));
            let (at, flipped) = found?;
            bits.push((free.remove(at), flipped));
        }
        Some(BitOrder { bits, alike: alike(&of_number) })
    }

    /// The place of each element in row-major order.
    pub(crate) fn offsets(&self, n_elements: usize) -> Vec<i64> {
        let offset = |id: i64| {
            (0u32..).zip(&self.bits).fold(0, |offset, (place, &(bit, flipped))| {
                offset | i64::from((id >> bit & 1 == 1) != flipped) << place
            })
        };
        (0..).take(n_elements).map(offset).collect()
    }
}

fn hash(value: &u32) -> u64 {
    scrambled(u64::from(*value))
}

/// The sum of all hashes, which no order changes.
fn sum(values: &[u32]) -> u64 {
    values.iter().map(hash).fold(0, u64::wrapping_add)
}

/// For each bit of an element's number the sum of the hashes of those that have it.
fn sums(values: &[u32], n_bits: u32) -> Vec<u64> {
    let mut sums = vec![0u64; usize::try_from(n_bits).unwrap_or(0)];
    for (id, value) in values.iter().enumerate() {
        let hash = hash(value);
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum = sum.wrapping_add(hash * u64::from(id >> bit & 1 == 1));
        }
    }
    sums
}

/// Pairs of bits with one sum.
fn alike(sums: &[u64]) -> Vec<(u32, u32)> {
    let pairs = (0u32..).zip(sums).flat_map(|(a, sum)| {
        let later = (0u32..).zip(sums).filter(move |(b, other)| *b > a && *other == sum);
        later.map(move |(b, _)| (a, b))
    });
    pairs.collect()
}
