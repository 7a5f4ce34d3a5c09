//! Do two maps place every element alike?

use super::floors::{Floor, added_up};
use super::{Digit, IndexMap, Source};
use crate::error::{Error, Kind, checked, invalid};

/// Maps with merged coordinates whose forms differ are compared index by index over the
/// dimensions that are merged, up to this many.
const MAX_COMPARED: i64 = 1 << 33;

/// An index at which two maps differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first such index in logical row-major order.
    pub index: Vec<i64>,
    /// The element offset each map gives it.
    pub offsets: [i64; 2],
}

impl IndexMap {
    /// Whether both maps give every index the same offset and lie in the same memory: as many
    /// elements from the same [lowest](Self::lowest_offset) offset on. Maps over different
    /// dimensions are never the same.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
    /// assert!(map("f32[24,128]{1,0:T(8,128)}").same_as(&map("f32[24,128]{1,0}"))?);
    /// assert!(!map("f32[24,256]{1,0:T(8,128)}").same_as(&map("f32[24,256]{1,0}"))?);
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`first_difference`](Self::first_difference), except that differing dimensions are an
    /// answer.
    pub fn same_as(&self, other: &IndexMap) -> Result<bool, Error> {
        Ok(self.dims == other.dims
            && self.allocation == other.allocation
            && self.lowest_offset == other.lowest_offset
            && self.first_difference(other)?.is_none())
    }

    /// The first index in logical row-major order that the maps give different offsets, or
    /// `None` where they agree at every index. Allocations are not compared.
    ///
    /// Takes time in the number of digits, not of elements, unless merged coordinates are
    /// involved and the canonical forms differ.
    ///
    /// # Errors
    /// If the maps have different dimensions, or there are merged dimensions of more than 2³³
    /// elements together to compare index by index.
    pub fn first_difference(&self, other: &IndexMap) -> Result<Option<Difference>, Error> {
        if self.dims != other.dims {
            return invalid(format!(
                "the arrays have different dimensions, {:?} and {:?}",
                self.dims, other.dims
            ));
        }
        if self.elements == 0 {
            return Ok(None);
        }
        let origin = vec![0; self.dims.len()];
        let index = match self.offset_unchecked(&origin) == other.offset_unchecked(&origin) {
            true => self.first_differing_index(other)?,
            false => Some(origin),
        };
        Ok(index.map(|index| {
            let offsets = [self.offset_unchecked(&index), other.offset_unchecked(&index)];
            Difference { index, offsets }
        }))
    }

    /// The offset is a sum of one function of each separable dimension and one of all merged
    /// dimensions together. Of any index at which the maps differ, one of these parts differs
    /// too, and the index that is zero in all other dimensions comes no later: so the first
    /// differing index is the first of the parts' own first differing indices.
    fn first_differing_index(&self, other: &IndexMap) -> Result<Option<Vec<i64>>, Error> {
        if self.digits == other.digits && self.merged == other.merged {
            return Ok(None);
        }
        let merged = self.merged_dims(other);
        let of_merged = self.first_difference_of_merged(other, &merged)?;
        let separable = self.first_difference_of_separable(other, &merged)?.map(|(dim, value)| {
            let mut index = vec![0; self.dims.len()];
            index[dim] = value;
            index
        });
        Ok(match (of_merged, separable) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        })
    }

    /// The last dimension along which the maps differ, and the first index at which they do.
    ///
    /// Along a dimension the difference of the maps is a sum of [floors](super::floors), 0 before
    /// the smallest divisor of them and its factor there.
    fn first_difference_of_separable(
        &self,
        other: &IndexMap,
        merged: &[bool],
    ) -> Result<Option<(usize, i64)>, Error> {
        let floors = |map: &IndexMap| {
            let separable = |digit: &&Digit| digit.dim().is_some_and(|dim| !merged[dim]);
            map.floors(&map.digits.iter().filter(separable).copied().collect::<Vec<_>>())
        };
        let minus = |floor: Floor| Floor { factor: -floor.factor, ..floor };
        let difference = floors(self).zip(floors(other)).and_then(|(ours, theirs)| {
            added_up(ours.into_iter().chain(theirs.into_iter().map(minus)).collect())
        });
        let difference = checked(difference, "the difference of the maps")?;
        let by_source = difference.chunk_by(|a, b| a.source == b.source);
        Ok(by_source.last().and_then(|floors| match floors.first()? {
            Floor { source: Source::Dim(dim), divisor, .. } => Some((*dim, *divisor)),
            _ => None,
        }))
    }

    /// The dimensions that a merged coordinate of either map is made of.
    pub(super) fn merged_dims(&self, other: &IndexMap) -> Vec<bool> {
        let mut involved = vec![false; self.dims.len()];
        let lists = self.merged.iter().chain(&other.merged);
        for digit in lists.flat_map(|coordinate| &coordinate.digits) {
            if let Source::Dim(dim) = digit.source {
                involved[dim] = true;
            }
        }
        involved
    }

    /// What the index `value` along `dim` adds to the offset.
    pub(super) fn along(&self, dim: usize, value: i64) -> i64 {
        let digits = self.digits.iter().filter(|digit| digit.source == Source::Dim(dim));
        digits.map(|digit| digit.value(value) * digit.stride).sum()
    }

    fn first_difference_of_merged(
        &self,
        other: &IndexMap,
        involved: &[bool],
    ) -> Result<Option<Vec<i64>>, Error> {
        if !involved.contains(&true) {
            return Ok(None);
        }
        let (a, b) = (self.restricted(involved), other.restricted(involved));
        if a.digits == b.digits && a.merged == b.merged {
            return Ok(None);
        }
        if a.elements > MAX_COMPARED {
            return Err(Error::new(Kind::TooLarge { elements: a.elements, limit: MAX_COMPARED }));
        }
        let (rows_a, rows_b) = (a.rows()?, b.rows()?);
        let differing = rows_a.iter().zip(&rows_b).position(|(a, b)| a != b);
        Ok(differing.map(|number| row_major_index(&a.dims, number)))
    }
}

/// The index of the element that comes after `number` others in row-major order.
pub(super) fn row_major_index(dims: &[i64], number: usize) -> Vec<i64> {
    let mut rest = i64::try_from(number).unwrap_or(i64::MAX);
    let mut index: Vec<i64> = dims
        .iter()
        .rev()
        .map(|&size| {
            let value = rest % size;
            rest /= size;
            value
        })
        .collect();
    index.reverse();
    index
}
