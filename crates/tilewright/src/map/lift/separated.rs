//! Maps of merged coordinates that a shape and stride has the offsets of.
//!
//! A tile may straddle two dimensions and cut nothing by it, since the array ends before the cut comes.
//! `f32[3,2]{1,0:T(1,4)(*,6)}` cuts `4*i0 + i1` by 6. It is a merged coordinate, since its values 1 and
//! 4 could make 5 and more; and 0, 4, 8 and 1, 5, 9 are all that there is of it. So the form alone does
//! not say whether there is a shape and stride. The offsets do: along each dimension those of digits are
//! read off as [`fit`](super::fit) does, and then the two maps are compared.

use std::borrow::Cow;

use super::fit::digits;
use super::untranslatable::Untranslatable;
use crate::error::Error;
use crate::map::{Digit, IndexMap, Source};

/// Dimensions that are merged are looked through up to so many elements of them together: some
/// milliseconds.
pub(super) const MAX_LOOKED_THROUGH: i64 = 1 << 20;

impl IndexMap {
    /// The same function without merged coordinates, which notations of shapes and strides do not have.
    ///
    /// Complete for maps whose merged dimensions have up to 2²⁰ elements together. Of larger ones, those are
    /// found of which the canonical form has no merged coordinate.
    pub(super) fn separated(&self) -> Result<Cow<'_, IndexMap>, Untranslatable> {
        self.refuse_empty()?;
        if self.is_separable() {
            return Ok(Cow::Borrowed(self));
        }
        let found = if self.n_merged_elements() > MAX_LOOKED_THROUGH { None } else { self.fitted() };
        found.map_or_else(|| self.refuse_merged(), |map| Ok(Cow::Owned(map)))
    }

    /// How many elements the dimensions of merged coordinates have together.
    pub(super) fn n_merged_elements(&self) -> i64 {
        let merged = self.merged_dims(self);
        self.dims.iter().zip(merged).filter(|(_, merged)| *merged).map(|(size, _)| size).product()
    }

    /// The shape and stride of the same offsets, if there is one.
    fn fitted(&self) -> Option<IndexMap> {
        let merged = self.merged_dims(self);
        let mut map = self.clone();
        map.merged.clear();
        map.digits.retain(|digit| digit.dim().is_some_and(|dim| !merged[dim]));
        map.base = self.offset_unchecked(&vec![0; self.dims.len()]);
        for dim in (0..self.dims.len()).filter(|&dim| merged[dim]) {
            map.digits.extend(self.digits_along(dim).ok()??);
        }
        let map = map.canonical();
        matches!(map.first_difference(self), Ok(None)).then_some(map)
    }

    /// The digits of the offsets along a dimension, all other indices 0, if they are that.
    fn digits_along(&self, dim: usize) -> Result<Option<Vec<Digit>>, Error> {
        let alone: Vec<bool> = (0..self.dims.len()).map(|other| other == dim).collect();
        let Ok(found) = digits(&self.restricted(&alone).offsets()?)? else { return Ok(None) };
        let mut divisor = 1i64;
        let n_found = found.len();
        let digit = |(place, (count, stride)): (usize, (i64, i64))| {
            let modulus = (place + 1 < n_found).then_some(count);
            let digit = Digit { source: Source::Dim(dim), divisor, modulus, stride };
            divisor = divisor.saturating_mul(count);
            digit
        };
        Ok(Some(found.into_iter().enumerate().map(digit).collect()))
    }
}
