//! Orders of dimensions that are tried one by one.

use super::chains::with_units;
use crate::Permutation;
use crate::error::Error;
use crate::map::{Digit, IndexMap, Source};

/// Up to so many dimensions of more than one element on both sides, every order is tried: at most
/// 24 on each side.
const MAX_DIMS_TRIED: usize = 4;

/// What a dimension does, as far as it is looked at: its size, how far its first and its last step
/// lead, and its digits.
type Part = (i64, [i64; 2], Vec<(i64, Option<i64>, i64)>);

impl IndexMap {
    /// The permutation under which the other is this map, if there is one. Dimensions that play
    /// the same part in both maps are matched.
    ///
    /// Dimensions of one map that play the same part can be exchanged, or lead two elements to the
    /// same place; only if there are merged coordinates too does it matter how they are matched.
    pub(super) fn transposition(&self, other: &IndexMap) -> Result<Option<Permutation>, Error> {
        if self.dims.len() != other.dims.len() {
            return Ok(None);
        }
        let mut parts = [self.parts(), other.parts()];
        let is_separable = self.is_separable() && other.is_separable();
        if !is_separable {
            // Merged coordinates can say the same in several ways.
            parts.iter_mut().flatten().for_each(|((_, _, digits), _)| digits.clear());
        }
        let mut candidates: Vec<Permutation> = matched(parts).into_iter().collect();
        if !is_separable {
            candidates.extend(self.all_orders().into_iter().flatten());
        }
        for permutation in candidates {
            if permutation.permute(&self.dims) == other.dims
                && self.permuted(&permutation)?.first_difference(other)?.is_none()
            {
                return Ok(Some(permutation));
            }
        }
        Ok(None)
    }

    /// The part that each dimension plays, with its number.
    fn parts(&self) -> Vec<(Part, usize)> {
        let origin = vec![0; self.dims.len()];
        let start = self.offset_unchecked(&origin);
        let mut parts: Vec<(Part, usize)> = Vec::new();
        let mut index = origin;
        for (dim, &size) in self.dims.iter().enumerate() {
            let reach = [1, size - 1].map(|value| {
                index[dim] = value.min(size - 1);
                self.offset_unchecked(&index) - start
            });
            index[dim] = 0;
            parts.push(((size, reach, Vec::new()), dim));
        }
        for digit in &self.digits {
            if let Source::Dim(dim) = digit.source {
                let Digit { divisor, modulus, stride, .. } = *digit;
                parts[dim].0.2.push((divisor, modulus, stride));
            }
        }
        parts
    }

    /// An order of each map's dimensions in which one is the other reshaped.
    pub(super) fn orders_tried(&self, other: &IndexMap) -> Result<Option<[Permutation; 2]>, Error> {
        let (firsts, seconds) = match (self.all_orders(), other.all_orders()) {
            (Some(firsts), Some(seconds)) => (firsts, seconds),
            _ => (self.likely_orders(), other.likely_orders()),
        };
        for first in &firsts {
            let here = self.permuted(first)?;
            for second in &seconds {
                let there = other.permuted(second)?;
                if here.reshaped(&there.dims)?.first_difference(&there)?.is_none() {
                    return Ok(Some([first.clone(), second.clone()]));
                }
            }
        }
        Ok(None)
    }

    /// Every order of the dimensions of more than one element, the order there is first; `None`
    /// if there are too many.
    fn all_orders(&self) -> Option<Vec<Permutation>> {
        let larger: Vec<usize> = (0..self.dims.len()).filter(|&dim| self.dims[dim] != 1).collect();
        let order = |order: Permutation| with_units(order.permute(&larger), &self.dims);
        (larger.len() <= MAX_DIMS_TRIED)
            .then(|| Permutation::all(larger.len()).into_iter().map(order).collect())
    }

    /// The order there is, and the order of memory: dimensions by how far they reach.
    fn likely_orders(&self) -> Vec<Permutation> {
        let mut reaches = self.parts();
        reaches.sort_by_key(|((_, [_, reach], _), dim)| (std::cmp::Reverse(*reach), *dim));
        let by_reach = reaches.into_iter().map(|(_, dim)| dim);
        let by_reach = by_reach.filter(|&dim| self.dims[dim] != 1);
        vec![Permutation::identity(self.dims.len()), with_units(by_reach, &self.dims)]
    }
}

/// For each dimension of the second map, the dimension of the first that plays the same part.
fn matched(mut parts: [Vec<(Part, usize)>; 2]) -> Option<Permutation> {
    parts.iter_mut().for_each(|parts| parts.sort());
    let [own, others] = &parts;
    let mut entries = vec![0; own.len()];
    for ((part, dim), (other, other_dim)) in own.iter().zip(others) {
        if part != other {
            return None;
        }
        entries[*other_dim] = *dim;
    }
    Permutation::new(entries).ok()
}
