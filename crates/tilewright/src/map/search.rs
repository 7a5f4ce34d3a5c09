//! Finding the index at an offset where digits overlap.

use super::{Digit, IndexMap, Source};
use crate::error::{Error, Kind};

/// How many choices are tried before a search is given up.
const MAX_TRIED: i64 = 1 << 26;

impl IndexMap {
    /// Whether no stride is negative and the smaller digits never add up to a larger stride, so
    /// that an offset can be taken apart in one way only. Every layout of tiles is so.
    pub fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    pub(super) fn digits_are_ordered(&self) -> bool {
        self.lists().all(|digits| self.list_is_ordered(digits)) && self.parts_are_used_once()
    }

    /// Whether that would be so if no stride were negative.
    pub(super) fn digits_nest(&self) -> bool {
        self.lists().all(|digits| self.list_nests(digits)) && self.parts_are_used_once()
    }

    fn lists(&self) -> impl Iterator<Item = &Vec<Digit>> {
        self.merged.iter().map(|coordinate| &coordinate.digits).chain([&self.digits])
    }

    /// Whether every part of a merged coordinate is written somewhere, and no part of anything
    /// twice, so that taking digits apart gives back the whole.
    fn parts_are_used_once(&self) -> bool {
        let mut used: Vec<&Digit> = self.lists().flatten().collect();
        used.sort_by_key(|digit| (digit.source, digit.divisor));
        let once = used.windows(2).all(|pair| {
            pair[0].source != pair[1].source || pair[0].end().is_some_and(|e| e <= pair[1].divisor)
        });
        once && (0..self.merged.len()).all(|number| {
            let source = Source::Merged(number);
            let first = used.partition_point(|digit| digit.source < source);
            let n_digits = used[first..].partition_point(|digit| digit.source == source);
            self.is_written_whole(number, &used[first..first + n_digits])
        })
    }

    /// Whether the digits of a merged coordinate, sorted by divisor, go through all of it.
    fn is_written_whole(&self, number: usize, digits: &[&Digit]) -> bool {
        let mut end = Some(1);
        for digit in digits {
            if end != Some(digit.divisor) {
                return false;
            }
            end = digit.end();
        }
        end.is_none_or(|end| end >= self.merged[number].extent)
    }

    /// Whether the digits nest and nothing of an index is left out, so that every element has an
    /// offset of its own: all that is written is told by the offset, and all is written.
    pub(super) fn tells_every_index(&self) -> bool {
        self.is_ordered && (0..self.dims.len()).all(|dim| self.writes_whole_dim(dim))
    }

    /// Whether the digits of a dimension, wherever they are, go through all of it.
    fn writes_whole_dim(&self, dim: usize) -> bool {
        let mut end = Some(1);
        while let Some(place) = end.filter(|&end| end < self.dims[dim]) {
            let begins_here = |digit: &&Digit| digit.dim() == Some(dim) && digit.divisor == place;
            match self.lists().flatten().find(begins_here) {
                Some(digit) => end = digit.end(),
                None => return false,
            }
        }
        true
    }

    pub(super) fn list_is_ordered(&self, digits: &[Digit]) -> bool {
        digits.iter().all(|digit| digit.stride > 0) && self.list_nests(digits)
    }

    fn list_nests(&self, digits: &[Digit]) -> bool {
        let mut reach = Some(0u64);
        digits.iter().rev().all(|digit| {
            let stride = digit.stride.unsigned_abs();
            let above = reach.is_some_and(|reach| reach < stride);
            let span = (self.extent(digit) - 1).unsigned_abs().checked_mul(stride);
            reach = reach.zip(span).and_then(|(reach, span)| reach.checked_add(span));
            above
        })
    }

    /// An index at this offset, digits tried one after the other, as far as the rest can make up
    /// what is missing.
    pub(super) fn search(&self, offset: i64) -> Result<Option<Vec<i64>>, Error> {
        if self.elements == 0 {
            return Ok(None);
        }
        if !self.is_separable() || !self.parts_are_used_once() {
            return self.search_rows(offset);
        }
        let mut index = vec![0; self.dims.len()];
        let mut n_tried = 0;
        let found = self.choose(&self.digits, offset - self.base, &mut index, &mut n_tried)?;
        Ok(found.then_some(index))
    }

    /// Chooses values for these digits that add up to `rest`. Says whether there are any.
    fn choose(
        &self,
        digits: &[Digit],
        rest: i64,
        index: &mut [i64],
        n_tried: &mut i64,
    ) -> Result<bool, Error> {
        *n_tried += 1;
        if *n_tried > MAX_TRIED {
            return Err(Error::new(Kind::TooLarge { elements: self.elements, limit: MAX_TRIED }));
        }
        let Some((digit, others)) = digits.split_first() else { return Ok(rest == 0) };
        let Source::Dim(dim) = digit.source else { return Ok(false) };
        let (low, high) = self.range(others);
        let used = index[dim];
        for value in values(digit, self.extent(digit), rest - high, rest - low) {
            index[dim] = used + value * digit.divisor;
            if index[dim] < self.dims[dim]
                && self.choose(others, rest - value * digit.stride, index, n_tried)?
            {
                return Ok(true);
            }
        }
        index[dim] = used;
        Ok(false)
    }

    /// The least and the most that digits can add.
    fn range(&self, digits: &[Digit]) -> (i64, i64) {
        digits.iter().fold((0, 0), |(low, high), digit| {
            let span = (self.extent(digit) - 1) * digit.stride;
            (low + span.min(0), high + span.max(0))
        })
    }

    /// An index at this offset, by looking at every element.
    fn search_rows(&self, offset: i64) -> Result<Option<Vec<i64>>, Error> {
        if self.elements > MAX_TRIED {
            return Err(Error::new(Kind::TooLarge { elements: self.elements, limit: MAX_TRIED }));
        }
        let number = self.rows()?.iter().position(|other| other == offset);
        Ok(number.map(|number| super::compare::row_major_index(&self.dims, number)))
    }
}

/// The values of a digit that bring its part of the offset between two bounds.
fn values(digit: &Digit, extent: i64, least: i64, most: i64) -> std::ops::RangeInclusive<i64> {
    let (least, most) = if digit.stride < 0 { (-most, -least) } else { (least, most) };
    let stride = digit.stride.abs();
    let first = -(-least).div_euclid(stride);
    let last = most.div_euclid(stride);
    first.max(0)..=last.min(extent - 1)
}
