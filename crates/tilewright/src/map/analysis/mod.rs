//! What people ask of a layout before they use it.
//!
//! | question | answered by |
//! |---|---|
//! | has every element a place of its own? is every place used? | [`is_injective`](IndexMap::is_injective), [`is_surjective`](IndexMap::is_surjective), [`is_bijective`](IndexMap::is_bijective) |
//! | which elements share a place? | [`first_alias`](IndexMap::first_alias), [`aliases`](IndexMap::aliases), [`sharing`](IndexMap::sharing) |
//! | which places are idle? | [`gaps`](IndexMap::gaps) |
//! | how many elements can be loaded at once? | [`contiguity`](IndexMap::contiguity), [`vector_width`](IndexMap::vector_width) |
//! | do the threads of a load get in each other's way? | [`Access`], [`Banks`] |
//! | in which order do the dimensions lie? what does the layout do as a permutation? | [`dims_by_stride`](IndexMap::dims_by_stride), [`cycles`](IndexMap::cycles) |
//!
//! # How
//! Mostly the digits know. Where the smaller digits never add up to a larger stride, an offset
//! tells the value of every digit. Then each dimension is a *part* of its own: two indices share
//! an offset exactly if, dimension by dimension, their digits agree. And the digits of a
//! dimension are a mixed-radix number in which some places may be missing, so that counting the
//! indices that agree is arithmetic. Bits that are flipped by others, as a swizzle does it, are
//! flipped back first (`shears.rs`): that changes offsets, but not which indices share one. Only
//! dimensions whose digits overlap, or that are merged, have to be looked at element by element,
//! and only they.

mod access;
mod aliases;
mod banks;
mod clusters;
mod contiguity;
mod gaps;
mod order;
mod parts;
mod radix;
mod sharing;
mod shears;

pub use access::{Access, Segments};
pub use aliases::{Alias, AliasGroup, Aliases};
pub use banks::{BankConflicts, Banks, Phase, Word};
pub use gaps::Gaps;
pub use order::Cycles;
pub use sharing::Sharing;

use super::IndexMap;
use super::compare::row_major_index;
use crate::error::{Error, Kind};

/// At most this many elements are looked at where the digits do not tell.
const MAX_ENUMERATED: i64 = 1 << 24;

impl IndexMap {
    /// Whether no two elements share an offset.
    ///
    /// ```
    /// use tilewright::IndexMap;
    /// let map = |text: &str| IndexMap::from_tla(&text.parse().unwrap()).unwrap();
    /// assert!(map("(4,8):(1,5)").is_injective()?);
    /// assert!(!map("(4,8):(1,0)").is_injective()?); // the rows are one row
    /// assert!(!map("(4,8):(1,3)").is_injective()?); // (3,0) and (0,1) share offset 3
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// If dimensions of more than 2²⁴ elements together would have to be looked at one by one,
    /// and no two of the first 2²⁴ share an offset.
    pub fn is_injective(&self) -> Result<bool, Error> {
        let mut undecided = None;
        for part in self.parts_that_may_share() {
            match part.first_alias(self) {
                Ok(None) => {}
                Ok(Some(_)) => return Ok(false),
                Err(error) => undecided = Some(error),
            }
        }
        undecided.map_or(Ok(true), Err)
    }

    /// Whether every offset of the [`allocation`](Self::allocation) has an element: there is no
    /// padding.
    ///
    /// # Errors
    /// As [`sharing`](Self::sharing).
    pub fn is_surjective(&self) -> Result<bool, Error> {
        Ok(self.elements >= self.allocation && self.distinct_offsets()? == self.allocation)
    }

    /// Whether every offset of the [`allocation`](Self::allocation) has one element: the map is a
    /// permutation, see [`cycles`](Self::cycles).
    ///
    /// # Errors
    /// As [`is_injective`](Self::is_injective).
    pub fn is_bijective(&self) -> Result<bool, Error> {
        Ok(self.elements == self.allocation && self.is_injective()?)
    }

    /// The offsets of all elements, in row-major order.
    ///
    /// # Errors
    /// If they are more than may be looked at.
    fn enumerated(&self) -> Result<Vec<i64>, Error> {
        self.check_enumerable()?;
        self.first_offsets(self.elements)
    }

    fn check_enumerable(&self) -> Result<(), Error> {
        match self.elements <= MAX_ENUMERATED {
            true => Ok(()),
            false => Err(self.too_large()),
        }
    }

    fn too_large(&self) -> Error {
        Error::new(Kind::TooLarge { elements: self.elements, limit: MAX_ENUMERATED })
    }

    /// The offsets of the first `count` elements in row-major order. All of them come from
    /// tables, unless those of a merged coordinate would be larger than the array.
    fn first_offsets(&self, count: i64) -> Result<Vec<i64>, Error> {
        let fits = |coordinate: &super::Merged| coordinate.extent() <= MAX_ENUMERATED;
        if count == self.elements && self.merged.iter().all(fits) {
            return self.offsets();
        }
        let mut index = vec![0; self.dims.len()];
        let mut offsets = Vec::new();
        for _ in 0..count {
            offsets.push(self.offset_unchecked(&index));
            self.bump(&mut index);
        }
        Ok(offsets)
    }

    /// The next index in row-major order; after the last comes the first.
    fn bump(&self, index: &mut [i64]) {
        for (value, size) in index.iter_mut().zip(&self.dims).rev() {
            *value += 1;
            if *value < *size {
                break;
            }
            *value = 0;
        }
    }

    /// The index of the element that comes after `number` others in row-major order.
    fn index_of_number(&self, number: usize) -> Vec<i64> {
        row_major_index(&self.dims, number)
    }

    /// The offset of the element with this index along `dim` and 0 along all others.
    fn offset_along(&self, dim: usize, value: i64) -> i64 {
        let mut index = vec![0; self.dims.len()];
        index[dim] = value;
        self.offset_unchecked(&index)
    }

    fn check_dim(&self, dim: usize) -> Result<(), Error> {
        let rank = self.dims.len();
        let dimension = i64::try_from(dim).unwrap_or(i64::MAX);
        match dim < rank {
            true => Ok(()),
            false => Err(Error::new(Kind::DimensionOutOfRange { dimension, rank })),
        }
    }
}
