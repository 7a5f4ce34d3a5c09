//! Is one array's memory another array's memory?
//!
//! A *bitcast* claims that the bytes of A, untouched, are the bytes of B: the same elements under
//! other dimensions. Four ways are recognised, tiles and padding included, each a claim about
//! which element of A is which of B:
//!
//! | kind | the element of B at index `j` is the element of A |
//! |---|---|
//! | identity | at the same index |
//! | reshape | that comes after as many others in row-major order |
//! | transpose | at `j` with its numbers permuted |
//! | transpose-reshape-transpose | at `j` permuted, reshaped and permuted again |
//!
//! XLA's own tests (`ReshapeIsBitcast`, `TransposeIsBitcast`, `DecomposeBitcast`) look at the order
//! of dimensions alone. These ask the maps.

use super::compare::row_major_index;
use super::{Difference, Digit, IndexMap, Source};
use crate::Permutation;
use crate::error::Error;

/// Up to this rank on both sides, every pair of transpositions is tried.
const MAX_RANK_TRIED: usize = 4;

/// How the memory of A is the memory of B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bitcast {
    /// The same dimensions, the same places.
    Identity,
    /// The same elements in row-major order.
    Reshape,
    /// Dimension `i` of B is dimension `permutation[i]` of A.
    Transpose(Permutation),
    /// A transposed by `first`, reshaped to `dims`, transposed by `second`, is B.
    TransposeReshapeTranspose {
        /// Dimension `i` after the first transposition is dimension `first[i]` of A.
        first: Permutation,
        /// The dimensions after reshaping.
        dims: Vec<i64>,
        /// Dimension `i` of B is dimension `second[i]` of those.
        second: Permutation,
    },
    /// None of these.
    No(NoBitcast),
}

/// Why memory is not the other's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoBitcast {
    /// The arrays have different numbers of elements.
    Elements([i64; 2]),
    /// The allocations hold different numbers of elements.
    Allocation([i64; 2]),
    /// An element of A lies where B has padding.
    Padding {
        /// The element's index in A.
        index: Vec<i64>,
        /// Where it lies.
        offset: i64,
    },
    /// An element is at different offsets, if the one array is the other reshaped.
    Moved(Difference),
}

impl IndexMap {
    /// How this map's memory is the other map's, the simplest way first.
    ///
    /// ```
    /// use tilewright::{Permutation, Shape, map::Bitcast};
    /// let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
    /// let tiled = map("f32[16,128]{1,0:T(8,128)}");
    /// assert_eq!(tiled.bitcast(&map("f32[2,8,128]{2,1,0:T(8,128)}"))?, Bitcast::Reshape);
    /// let swapped = Permutation::new([1, 0])?;
    /// assert_eq!(
    ///     map("f32[3,5]{1,0:T(2,2)}").bitcast(&map("f32[5,3]{0,1:T(2,2)}"))?,
    ///     Bitcast::Transpose(swapped)
    /// );
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// Between arrays of rank 4 and less every pair of transpositions is tried; above that the
    /// ones that put dimensions in the order of memory.
    ///
    /// # Errors
    /// As [`first_difference`](Self::first_difference), and if a number does not fit 64 bits.
    pub fn bitcast(&self, other: &IndexMap) -> Result<Bitcast, Error> {
        if let Some(no) = self.different_memory(other) {
            return Ok(Bitcast::No(no));
        }
        if self.dims == other.dims && self.first_difference(other)?.is_none() {
            return Ok(Bitcast::Identity);
        }
        let difference = self.reshaped(&other.dims)?.first_difference(other)?;
        let Some(difference) = difference else { return Ok(Bitcast::Reshape) };
        if let Some(permutation) = self.transposition(other)? {
            return Ok(Bitcast::Transpose(permutation));
        }
        if let Some((first, second)) = self.transpositions(other)? {
            let dims = second.inverse().permute(&other.dims);
            return Ok(Bitcast::TransposeReshapeTranspose { first, dims, second });
        }
        Ok(Bitcast::No(self.proof(other, &difference)?))
    }

    fn different_memory(&self, other: &IndexMap) -> Option<NoBitcast> {
        if self.elements != other.elements {
            return Some(NoBitcast::Elements([self.elements, other.elements]));
        }
        let memory = |map: &IndexMap| (map.lowest_offset, map.allocation);
        (memory(self) != memory(other))
            .then_some(NoBitcast::Allocation([self.allocation, other.allocation]))
    }

    /// An element that lies in the other's padding, or else the element that a reshape would move.
    fn proof(&self, other: &IndexMap, moved: &Difference) -> Result<NoBitcast, Error> {
        let number = moved.index.iter().zip(&other.dims).fold(0, |n, (i, size)| n * size + i);
        let index = row_major_index(&self.dims, usize::try_from(number).unwrap_or(usize::MAX));
        let offset = self.offset_unchecked(&index);
        match other.index(offset)? {
            None => Ok(NoBitcast::Padding { index, offset }),
            Some(_) => Ok(NoBitcast::Moved(Difference { index, offsets: moved.offsets })),
        }
    }

    /// The permutation under which the other is this map, if there is one. Dimensions that play
    /// the same part in both maps are matched.
    fn transposition(&self, other: &IndexMap) -> Result<Option<Permutation>, Error> {
        if self.dims.len() != other.dims.len() {
            return Ok(None);
        }
        let candidates = match self.is_separable() && other.is_separable() {
            true => self.matched(other).into_iter().collect(),
            false => Permutation::all(self.dims.len().min(MAX_RANK_TRIED)),
        };
        for permutation in candidates {
            if permutation.len() == self.dims.len() && permutation.permute(&self.dims) == other.dims
            {
                let permuted = self.permuted(&permutation)?;
                if permuted.first_difference(other)?.is_none() {
                    return Ok(Some(permutation));
                }
            }
        }
        Ok(None)
    }

    /// For each dimension of the other, the dimension here with the same size and digits.
    fn matched(&self, other: &IndexMap) -> Option<Permutation> {
        let mut free: Vec<usize> = (0..self.dims.len()).collect();
        let mut entries = Vec::new();
        for dim in 0..other.dims.len() {
            let place = free.iter().position(|&own| self.part(own) == other.part(dim))?;
            entries.push(free.remove(place));
        }
        Permutation::new(entries).ok()
    }

    /// What a dimension does: its size and its digits.
    fn part(&self, dim: usize) -> (i64, Vec<(i64, Option<i64>, i64)>) {
        let of_dim = |digit: &&Digit| digit.source == Source::Dim(dim);
        let mut digits: Vec<_> =
            self.digits.iter().filter(of_dim).map(|d| (d.divisor, d.modulus, d.stride)).collect();
        digits.sort_unstable();
        (self.dims[dim], digits)
    }

    /// Two transpositions with a reshape between them that make this map the other.
    fn transpositions(
        &self,
        other: &IndexMap,
    ) -> Result<Option<(Permutation, Permutation)>, Error> {
        let mut firsts = vec![self.memory_order()];
        let mut seconds = vec![other.memory_order()];
        if self.dims.len().max(other.dims.len()) <= MAX_RANK_TRIED {
            firsts.extend(Permutation::all(self.dims.len()));
            seconds.extend(Permutation::all(other.dims.len()));
        }
        for first in &firsts {
            let here = self.permuted(first)?;
            for second in &seconds {
                let there = other.permuted(second)?;
                if here.reshaped(&there.dims)?.first_difference(&there)?.is_none() {
                    return Ok(Some((first.clone(), second.inverse())));
                }
            }
        }
        Ok(None)
    }

    /// The dimensions by the largest stride of each, most major first; those of size 1 at the end.
    fn memory_order(&self) -> Permutation {
        let largest = |dim: usize| {
            let mut digits = self.digits.iter();
            digits.find(|digit| digit.source == Source::Dim(dim)).map_or(0, |digit| digit.stride)
        };
        let mut order: Vec<usize> = (0..self.dims.len()).collect();
        order.sort_by_key(|&dim| std::cmp::Reverse(largest(dim)));
        Permutation::new(order).unwrap_or_default()
    }
}
