//! Maps of merged coordinates that a shape and stride has the offsets of.
//!
//! A tile may straddle two dimensions and yet never cut a row of the one, since the array ends before it would.
//! `f32[3,2]{1,0:T(4)(*,*,6)(10)}` cuts `x = 4*i0 + i1` by 6 and takes `(x div 6)*10 + x mod 6`; its map keeps the
//! merged coordinate `2*i0`, cut by 3. Rows begin at 0, 4 and 12, and no row of two is cut: the offsets are those of
//! `((2,2),2):((4,12),1)`, whose form has no merged coordinate. So the form alone does not say whether there is
//! a shape and stride. The offsets do: along each dimension digits are read off them as [`fit`](super::fit())
//! does, and then the two maps are compared.

use std::borrow::Cow;

use super::fit::digits;
use super::untranslatable::{Untranslatable, refused};
use crate::error::Error;
use crate::map::{Digit, IndexMap, Source};

/// Dimensions that are tied together are looked through up to so many elements of them, which takes less than a tenth of a
/// second.
const MAX_LOOKED_THROUGH: i64 = 1 << 20;

impl IndexMap {
    /// The same function without merged coordinates, which notations of shapes and strides do not have.
    ///
    /// Complete for maps in which no group of dimensions that merged coordinates tie together has more than 2²⁰
    /// elements. Of others, those are found of which the canonical form has no merged coordinate.
    pub(super) fn separated(&self) -> Result<Cow<'_, IndexMap>, Untranslatable> {
        self.refuse_empty()?;
        if self.is_separable() {
            return Ok(Cow::Borrowed(self));
        }
        let groups = self.merged_groups();
        if groups.iter().any(|group| self.n_elements_of(group) > MAX_LOOKED_THROUGH) {
            return refused(format!(
                "{}, and its dimensions have more than {MAX_LOOKED_THROUGH} elements together, which are not looked through for a shape and stride",
                self.cut_reason()
            ));
        }
        self.fitted(&groups).map_or_else(|| refused(self.cut_reason()), |map| Ok(Cow::Owned(map)))
    }

    /// How many elements the dimensions of a group have together.
    fn n_elements_of(&self, group: &[bool]) -> i64 {
        self.dims.iter().zip(group).filter(|(_, is_in)| **is_in).map(|(size, _)| size).product()
    }

    /// The shape and stride of the same offsets, if there is one.
    fn fitted(&self, groups: &[Vec<bool>]) -> Option<IndexMap> {
        let merged = self.merged_dims(self);
        let mut map = self.clone();
        map.merged.clear();
        map.digits.retain(|digit| digit.dim().is_some_and(|dim| !merged[dim]));
        map.base = self.offset_unchecked(&vec![0; self.dims.len()]);
        for dim in (0..self.dims.len()).filter(|&dim| merged[dim]) {
            map.digits.extend(self.digits_along(dim).ok()??);
        }
        let map = map.canonical();
        let is_same = |group: &Vec<bool>| {
            let difference = map.restricted(group).first_difference(&self.restricted(group));
            matches!(difference, Ok(None))
        };
        groups.iter().all(is_same).then_some(map)
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
