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
//! of dimensions alone. These ask the maps. Where nothing is tiled they say yes whenever XLA does:
//! in the order of memory, any two untiled arrays of as many elements are each other reshaped.
//!
//! # What is decided
//! Where both maps are separable and their digits nest in memory, which covers every layout whose
//! tiles straddle no dimensions, the answer is exact at any rank and takes time in the number of
//! digits: [`sequence`] reads a map as sequences of digits and [`chains`] joins the sequences of
//! two. For other maps what is [`tried`] is bounded; *yes* is always proved.

mod chains;
mod sequence;
mod tried;

use std::fmt;

use self::sequence::Sequences;
use super::compare::row_major_index;
use super::{Difference, IndexMap};
use crate::Permutation;
use crate::error::Error;

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
#[non_exhaustive]
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

impl fmt::Display for NoBitcast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoBitcast::Elements([a, b]) => write!(f, "the arrays have {a} and {b} elements"),
            NoBitcast::Allocation([a, b]) => write!(f, "memory holds {a} and {b} elements"),
            NoBitcast::Padding { index, offset } => write!(
                f,
                "the element {index:?} of the first is at offset {offset}, where the second has \
                 padding"
            ),
            NoBitcast::Moved(Difference { index, offsets: [first, reshaped] }) => write!(
                f,
                "the element {index:?} of the first is at offset {first}, and reshaped it would \
                 be at {reshaped}"
            ),
        }
    }
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
    /// Exact for separable maps whose digits nest in memory, at any rank. For other maps a
    /// transposition is found at any rank if no two elements share a place, and two transpositions
    /// about a reshape if at most 4 dimensions on each side have more than one element; beyond
    /// that, if they put dimensions in the order of memory.
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
        if self.elements == 0 {
            return Ok(Bitcast::Reshape);
        }
        match (Sequences::of(self), Sequences::of(other)) {
            (Some(own), Some(others)) => self.bitcast_nested(other, &own, &others),
            _ => self.bitcast_tried(other),
        }
    }

    /// The way between two maps whose digits nest.
    fn bitcast_nested(
        &self,
        other: &IndexMap,
        own: &Sequences<'_>,
        others: &Sequences<'_>,
    ) -> Result<Bitcast, Error> {
        let unmoved = [self.dims.len(), other.dims.len()].map(Permutation::identity);
        if own.agrees(others, &unmoved)? {
            return Ok(Bitcast::Reshape);
        }
        if let Some(permutation) = self.transposition(other)? {
            return Ok(Bitcast::Transpose(permutation));
        }
        if let Some(orders) = chains::orders(own, others)
            && own.agrees(others, &orders)?
        {
            return Ok(between(orders, other));
        }
        match own.moved_by_reshape(others) {
            Some(number) => Ok(Bitcast::No(self.proof(other, number)?)),
            None => self.bitcast_tried(other),
        }
    }

    /// The way between two maps, of those that are tried.
    fn bitcast_tried(&self, other: &IndexMap) -> Result<Bitcast, Error> {
        let difference = self.reshaped(&other.dims)?.first_difference(other)?;
        let Some(Difference { index, .. }) = difference else { return Ok(Bitcast::Reshape) };
        if let Some(permutation) = self.transposition(other)? {
            return Ok(Bitcast::Transpose(permutation));
        }
        if let Some(orders) = self.orders_tried(other)? {
            return Ok(between(orders, other));
        }
        let number = index.iter().zip(&other.dims).fold(0, |number, (i, size)| number * size + i);
        Ok(Bitcast::No(self.proof(other, number)?))
    }

    fn different_memory(&self, other: &IndexMap) -> Option<NoBitcast> {
        if self.elements != other.elements {
            return Some(NoBitcast::Elements([self.elements, other.elements]));
        }
        let memory = |map: &IndexMap| (map.lowest_offset, map.allocation);
        (memory(self) != memory(other))
            .then_some(NoBitcast::Allocation([self.allocation, other.allocation]))
    }

    /// Why there is no bitcast: the element after so many others in row-major order lies in the
    /// other's padding, or a reshape would move it.
    fn proof(&self, other: &IndexMap, number: i64) -> Result<NoBitcast, Error> {
        let index = self.index_of(number);
        let offset = self.offset_unchecked(&index);
        if other.index(offset)?.is_none() {
            return Ok(NoBitcast::Padding { index, offset });
        }
        let offsets = [offset, other.offset_unchecked(&other.index_of(number))];
        Ok(NoBitcast::Moved(Difference { index, offsets }))
    }

    /// The index of the element after so many others in row-major order.
    fn index_of(&self, number: i64) -> Vec<i64> {
        row_major_index(&self.dims, usize::try_from(number).unwrap_or(usize::MAX))
    }
}

/// Both sides' dimensions in an order in which one is the other reshaped, as a bitcast to `other`.
fn between([first, order]: [Permutation; 2], other: &IndexMap) -> Bitcast {
    let dims = order.permute(&other.dims);
    Bitcast::TransposeReshapeTranspose { first, dims, second: order.inverse() }
}
