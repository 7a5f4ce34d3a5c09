//! Index maps: from a logical index to where the element lies.
//!
//! Every notation lowers to one [`IndexMap`], and every question (offset, inverse, size,
//! equality, translation) is asked of it. The map is a sum of *digits*:
//!
//! ```text
//! offset(i) = base + Σ  ((source div divisor) mod modulus) * stride
//! ```
//!
//! Each *source* is one of the array's dimensions, nearly always. Tiling `f32[3,5]` by 2 × 2
//! cuts both dimensions in two, and memory is tile row, tile column, row in the tile, column in
//! the tile:
//!
//! | digit | stride | because |
//! |---|---|---|
//! | `i0 div 2` | 12 | a row of tiles has 3 tiles of 4 elements |
//! | `i1 div 2` | 4 | a tile has 4 elements |
//! | `i0 mod 2` | 2 | a row in a tile has 2 elements |
//! | `i1 mod 2` | 1 | neighbours |
//!
//! so element (2,3) lies at 1·12 + 1·4 + 0·2 + 1·1 = 17, in an allocation of 24.
//!
//! A tile may also merge dimensions (`*`) or cut a digit where it does not divide. Where the
//! outcome is still a sum of digits of single dimensions, that is what the map holds. Where it is
//! not, because a tile *straddles* two dimensions, the source of a digit is a [`Merged`]
//! coordinate, itself a sum of digits. Nothing else is ever needed: two moves, *merge*
//! (`x * bound + y`) and *split* (`x div t`, `x mod t`), generate every layout. A composed layout
//! is its inner layout's offset, merged, split by the outer layout's extents; and a swizzle is
//! such a split too, for the exclusive or of two bits is `(a + b) mod 2`.
//!
//! # Canonical form
//! What one source adds to the offset, written as a sum of `(source div k) * c[k]`, has one factor
//! `c[k]` for each `k` and no other way to be written (`floors.rs` has the proof). From the factors
//! follow the digits: those that run together are one, those of the same part of a source are
//! added up, those that are always 0 are left out. Merged coordinates that are used whole are
//! dissolved, and digits are sorted by stride, largest first.
//!
//! For maps without merged coordinates the form is unique: two of the same dimensions agree at
//! every index exactly if their [`base`](IndexMap::base) and [`digits`](IndexMap::digits) are
//! equal. With merged coordinates, equal forms agree, but maps that agree may differ in form.
//!
//! # Three sizes
//! * [`elements`](IndexMap::elements): what the user indexes, the product of the logical dims.
//! * [`padded_elements`](IndexMap::padded_elements): the product of the physical dims.
//! * [`allocation`](IndexMap::allocation): what memory holds, with the tail rounded up.
//!
//! All are in elements. Arithmetic is checked: what does not fit 64 bits is an error.

mod analysis;
mod bitcast;
mod build;
mod canonical;
mod compare;
mod decode;
mod deduce;
mod digit;
mod dim_tables;
mod divisor;
mod each_offset;
mod expression;
mod extent;
mod fields;
mod floors;
mod groups;
mod inverse;
mod lift;
mod lookup;
mod lower;
mod memory_order;
mod offset_tables;
mod offsets;
mod place_list;
mod products;
mod reached;
mod reshape;
mod search;
mod sums;
mod terms;
mod within;
mod word;

pub use analysis::{
    Access, Alias, AliasGroup, Aliases, BankConflicts, Banks, Cycles, Gaps, Phase, Segments,
    Sharing, Word,
};
pub use bitcast::{Bitcast, NoBitcast};
pub use compare::Difference;
pub use digit::{Digit, Merged, Source};
pub use each_offset::Offsets;
pub use inverse::IndexLookup;
pub use lift::{Fitted, NotALayout, Notation, Untranslatable, fit, fit_function};
pub use lookup::OffsetLookup;
pub use memory_order::MemoryOrder;
pub use offsets::OffsetRows;

use crate::arithmetic::check_index;
use crate::error::{Error, Kind, checked};
use digit::source_extent;

/// The function from a logical index to an element offset, and the sizes that go with it.
///
/// ```
/// use tilewright::Shape;
/// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
/// assert_eq!(map.offset(&[2, 3])?, 17);
/// assert_eq!(map.index(17)?, Some(vec![2, 3]));
/// assert_eq!(map.index(9)?, None); // padding
/// assert_eq!((map.elements(), map.allocation()), (15, 24));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Equality (`==`) is of the whole: dimensions, canonical form, the memory they lie in, and the
/// physical dims, which say how that memory is seen as an array: `f32[24,128]{1,0:T(8,128)}` has
/// physical dims 3,1,8,128 and `f32[24,128]{1,0}` has 24,128. To ask whether two maps place elements
/// alike, use [`same_as`](Self::same_as); for maps without merged coordinates it says so exactly
/// where dimensions, digits, base and memory are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexMap {
    dims: Vec<i64>,
    merged: Vec<Merged>,
    digits: Vec<Digit>,
    base: i64,
    physical_dims: Vec<i64>,
    elements: i64,
    padded_elements: i64,
    lowest_offset: i64,
    allocation: i64,
    is_ordered: bool,
}

impl IndexMap {
    /// The logical dimensions.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// The digits, largest stride first.
    pub fn digits(&self) -> &[Digit] {
        &self.digits
    }

    /// The merged coordinates that digits refer to; mostly none.
    pub fn merged(&self) -> &[Merged] {
        &self.merged
    }

    /// Whether every digit is taken of a single dimension, so that the offset is a sum of one
    /// function of each index.
    pub fn is_separable(&self) -> bool {
        self.merged.is_empty()
    }

    /// The constant term. Where no merged coordinate has a base of its own, the offset of the
    /// element whose index is all zeros.
    pub fn base(&self) -> i64 {
        self.base
    }

    /// The dimensions of the same memory seen as a plain row-major array: the grid of tiles, then
    /// the tile, and so on for each level. Their product is
    /// [`padded_elements`](Self::padded_elements).
    pub fn physical_dims(&self) -> &[i64] {
        &self.physical_dims
    }

    /// The number of logical elements.
    pub fn elements(&self) -> i64 {
        self.elements
    }

    /// The number of elements with each physical dim filled.
    pub fn padded_elements(&self) -> i64 {
        self.padded_elements
    }

    /// The offset at which memory begins: 0 unless strides are negative.
    pub fn lowest_offset(&self) -> i64 {
        self.lowest_offset
    }

    /// The number of elements that memory holds, from the [lowest](Self::lowest_offset) offset on.
    pub fn allocation(&self) -> i64 {
        self.allocation
    }

    /// The bytes that memory holds when each element takes `element_bits`: the bits of the
    /// whole allocation, rounded up to bytes once.
    ///
    /// # Errors
    /// If the number does not fit 64 bits.
    pub fn bytes(&self, element_bits: u32) -> Result<i64, Error> {
        let bits = i128::from(self.allocation) * i128::from(element_bits);
        checked(i64::try_from((bits + 7) / 8).ok(), "the size in bytes")
    }

    /// How many values a digit takes.
    pub fn extent(&self, digit: &Digit) -> i64 {
        digit.extent(self.source_extent(digit.source))
    }

    fn source_extent(&self, source: Source) -> i64 {
        source_extent(&self.dims, &self.merged, source)
    }

    /// The element offset of the element with this index.
    ///
    /// # Errors
    /// If the index has another rank or lies out of bounds.
    pub fn offset(&self, index: &[i64]) -> Result<i64, Error> {
        check_index(index, &self.dims)?;
        Ok(self.offset_unchecked(index))
    }

    /// The index of the element at this offset, or `None` where there is padding. Where several
    /// elements share a place, one of them.
    ///
    /// # Errors
    /// If the offset lies outside the [`allocation`](Self::allocation). For a map whose digits
    /// overlap (as strides that do not nest can make them), if the search for an index takes too
    /// long.
    pub fn index(&self, offset: i64) -> Result<Option<Vec<i64>>, Error> {
        let place = offset.checked_sub(self.lowest_offset);
        if !place.is_some_and(|place| (0..self.allocation).contains(&place)) {
            let allocation = self.allocation;
            return Err(Error::new(Kind::OffsetOutOfBounds { offset, allocation }));
        }
        if self.is_ordered {
            return Ok(self.decode(offset));
        }
        match self.deduce(offset) {
            Some(index) => Ok(index),
            None => self.search(offset),
        }
    }

    fn offset_unchecked(&self, index: &[i64]) -> i64 {
        let mut merged = Vec::new();
        for coordinate in &self.merged {
            merged.push(coordinate.base + sum_of(&coordinate.digits, index, &merged));
        }
        self.base + sum_of(&self.digits, index, &merged)
    }

    /// Takes an offset apart digit by digit, largest stride first. For [ordered](Self::is_ordered)
    /// maps: the smaller digits never add up to a larger stride, so there is at most one way.
    fn decode(&self, offset: i64) -> Option<Vec<i64>> {
        if self.elements == 0 {
            return None;
        }
        let mut dims = vec![0; self.dims.len()];
        let mut merged = vec![0; self.merged.len()];
        self.take_apart(offset - self.base, &self.digits, &mut dims, &mut merged)?;
        for (number, coordinate) in self.merged.iter().enumerate().rev() {
            let value = merged[number] - coordinate.base;
            self.take_apart(value, &coordinate.digits, &mut dims, &mut merged)?;
        }
        let inside = dims.iter().zip(&self.dims).all(|(index, extent)| index < extent);
        inside.then_some(dims)
    }

    fn take_apart(
        &self,
        value: i64,
        digits: &[Digit],
        dims: &mut [i64],
        merged: &mut [i64],
    ) -> Option<()> {
        let mut rest = value;
        for digit in digits {
            let part = rest / digit.stride;
            rest %= digit.stride;
            if !(0..self.extent(digit)).contains(&part) {
                return None;
            }
            match digit.source {
                Source::Dim(dim) => dims[dim] += part * digit.divisor,
                Source::Merged(number) => merged[number] += part * digit.divisor,
            }
        }
        (rest == 0).then_some(())
    }
}

fn sum_of(digits: &[Digit], index: &[i64], merged: &[i64]) -> i64 {
    let term = |digit: &Digit| {
        let source = match digit.source {
            Source::Dim(dim) => index[dim],
            Source::Merged(number) => merged[number],
        };
        digit.value(source) * digit.stride
    };
    digits.iter().map(term).sum()
}
