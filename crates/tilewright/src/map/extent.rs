//! How far a map reaches, and how far it steps.

use super::{Digit, IndexMap, Source};
use crate::error::{Error, Kind, checked};

/// Where dimensions are merged, at most this many places are tried for the last element, and at most so many
/// before sums are.
const MAX_TRIED: i64 = 1 << 28;
const FEW_TRIED: i64 = 1 << 12;

/// Where there are so many times as many elements as places, sums are gone through: an element takes that much less.
const SHARING: i64 = 4;

/// More places than that.
struct TooMany;

impl IndexMap {
    /// The largest offset of any element, or `None` where there are no elements.
    ///
    /// Everything from one past it to the [`allocation`](Self::allocation) is padding.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
    /// let tiled = map("f32[3,5]{1,0:T(2,2)}");
    /// assert_eq!((tiled.max_offset()?, tiled.allocation()), (Some(20), 24));
    /// // The last element need not be the furthest.
    /// let packed = map("bf16[9,128]{1,0:T(8,128)(2,1,1,1)}");
    /// assert_eq!((packed.offset(&[8, 127])?, packed.max_offset()?), (255, Some(2046)));
    /// assert_eq!(map("f32[0,5]{1,0}").max_offset()?, None);
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// Takes time in the square of the number of digits. Dimensions that merged coordinates tie together are looked at
    /// as a group, apart from all others: the padding after the group's last element is tried place by place. Where that
    /// is much, or a swizzle does not go up, more places are tried, or every element is looked at; where there are more than four times
    /// as many elements as places, or more than 2²⁸, the different sums that merged coordinates and the offset are made of are gone
    /// through instead, unless those are too many.
    ///
    /// # Errors
    /// If a group takes more than 2²⁸ tries.
    pub fn max_offset(&self) -> Result<Option<i64>, Error> {
        if self.elements == 0 {
            return Ok(None);
        }
        let merged = self.merged_dims(self);
        let separable = (0..self.dims.len()).filter(|&dim| !merged[dim]);
        let first = self.offset_unchecked(&vec![0; self.dims.len()]);
        let beside: i64 = separable.map(|dim| self.max_along(dim)).sum();
        self.merged_groups().iter().try_fold(Some(first + beside), |most, group| {
            let of_group = self.restricted(group).max_of_merged()?;
            Ok(most.map(|most| most + (of_group - first)))
        })
    }

    /// How far the offset moves when the index along `dim` grows by one, or `None` where that
    /// depends on the index. For a dimension of fewer than two elements there is nothing to say:
    /// `None`.
    ///
    /// # Errors
    /// As [`first_difference`](Self::first_difference), and if the moves do not fit 64 bits.
    pub(crate) fn constant_step(&self, dim: usize) -> Result<Option<i64>, Error> {
        if self.merged_dims(self).get(dim) == Some(&true) {
            return self.constant_step_of_merged(dim);
        }
        let mut digits = self.digits.iter().filter(|digit| digit.source == Source::Dim(dim));
        Ok(match (digits.next(), digits.next()) {
            (Some(digit), None) if digit.divisor == 1 && digit.modulus.is_none() => {
                Some(digit.stride)
            }
            _ => None,
        })
    }

    /// The step is constant if the map agrees with the one that takes such steps along `dim` and
    /// is otherwise the same.
    fn constant_step_of_merged(&self, dim: usize) -> Result<Option<i64>, Error> {
        let size = self.dims[dim];
        if self.elements == 0 || size < 2 {
            return Ok(None);
        }
        let moved = |value: i64| {
            let mut index = vec![0; self.dims.len()];
            index[dim] = value;
            self.offset_unchecked(&index)
        };
        let step = moved(1) - moved(0);
        if step.checked_mul(size - 1) != Some(moved(size - 1) - moved(0)) {
            return Ok(None);
        }
        checked(self.allocation.checked_mul(2), "the steps of a dimension")?;
        let differs = self.first_difference(&self.with_steps(dim, step))?;
        Ok(differs.is_none().then_some(step))
    }

    /// The map in which `dim` is cut nowhere and takes steps of this many elements.
    fn with_steps(&self, dim: usize, step: i64) -> IndexMap {
        let mut map = self.clone();
        let lists = map.merged.iter_mut().map(|merged| &mut merged.digits);
        for digits in lists.chain([&mut map.digits]) {
            digits.retain(|digit| digit.source != Source::Dim(dim));
        }
        map.digits.push(Digit {
            source: Source::Dim(dim),
            divisor: 1,
            modulus: None,
            stride: step,
        });
        map.canonical()
    }

    /// The most that a dimension of no merged coordinate adds to the offset.
    ///
    /// Its digits are a mixed-radix number, and so is its size. An index is below the size in
    /// one digit and agrees with it in all larger ones; every smaller digit is then free to be
    /// full, or 0 where that is better.
    fn max_along(&self, dim: usize) -> i64 {
        let ends = self.ends_along(dim);
        let size = self.dims[dim];
        let most = |n_values: i64, end: i64| ((n_values - 1) * self.along(dim, end)).max(0);
        let mut free = 0;
        let mut best = i64::MIN;
        for (place, &end) in ends.iter().enumerate() {
            let below = (size / end) % ends.get(place + 1).map_or(i64::MAX, |next| next / end);
            if below > 0 {
                let larger = size - size % end - below * end;
                best = best.max(self.along(dim, larger) + most(below, end) + free);
            }
            free += ends.get(place + 1).map_or(0, |next| most(next / end, end));
        }
        best
    }

    /// Where the digits of a dimension begin and wrap, from 1 up.
    fn ends_along(&self, dim: usize) -> Vec<i64> {
        let of_dim = |digit: &&Digit| digit.source == Source::Dim(dim);
        let ends = self.digits.iter().filter(of_dim).flat_map(Digit::ends);
        let mut ends: Vec<i64> = ends.filter(|&end| end < self.dims[dim]).chain([1]).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// The largest offset of a map over the dimensions of one group only.
    ///
    /// Offsets are ordered as their digits are, the largest stride first. So this tries the
    /// digits' values from the largest down, as far as their sources reach, until one is the
    /// place of an element. Where tiles straddle many may be none: walking through a small group is
    /// quicker then, or through the sums of their digits.
    fn max_of_merged(&self) -> Result<i64, Error> {
        let by_places = |most: i64| {
            let mut sources = vec![0; self.dims.len() + self.merged.len()];
            let mut left = most.min(self.elements);
            let last = self.last_place(&self.digits, self.base, &mut sources, &mut left);
            last.ok().map(|last| last.unwrap_or(self.base))
        };
        let [few, all] = if self.is_ordered { [FEW_TRIED, MAX_TRIED] } else { [0; 2] };
        // Elements that share places, or are too many to be looked at.
        let are_many = self.elements / SHARING > self.allocation || self.elements > MAX_TRIED;
        let by_sums = || if are_many { self.max_of_sums() } else { None };
        let found = by_places(few).or_else(by_sums).or_else(|| by_places(all));
        found.map_or_else(|| self.max_of_rows(), Ok)
    }

    /// The largest offset, by looking at every element.
    fn max_of_rows(&self) -> Result<i64, Error> {
        if self.elements > MAX_TRIED {
            return Err(Error::new(Kind::TooLarge { elements: self.elements, limit: MAX_TRIED }));
        }
        Ok(self.rows()?.iter().max().unwrap_or(self.base))
    }

    /// The last place of an element when these digits are still to be chosen, and the ones before
    /// lead to `offset` and have used up this much of each dimension and merged coordinate.
    fn last_place(
        &self,
        digits: &[Digit],
        offset: i64,
        sources: &mut [i64],
        left: &mut i64,
    ) -> Result<Option<i64>, TooMany> {
        let Some((digit, rest)) = digits.split_first() else {
            return self.place(offset, left);
        };
        let number = match digit.source {
            Source::Dim(dim) => dim,
            Source::Merged(number) => self.dims.len() + number,
        };
        let used = sources[number];
        let room = (self.source_extent(digit.source) - 1 - used) / digit.divisor;
        for value in (0..=room.min(self.extent(digit) - 1)).rev() {
            sources[number] = used + value * digit.divisor;
            let last = self.last_place(rest, offset + value * digit.stride, sources, left)?;
            if last.is_some() {
                return Ok(last);
            }
        }
        sources[number] = used;
        Ok(None)
    }

    /// The offset, if an element is there.
    fn place(&self, offset: i64, left: &mut i64) -> Result<Option<i64>, TooMany> {
        *left = left.checked_sub(1).filter(|&left| left >= 0).ok_or(TooMany)?;
        Ok(self.decode(offset).map(|_| offset))
    }
}
