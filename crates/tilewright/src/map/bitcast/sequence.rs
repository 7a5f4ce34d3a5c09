//! A map read as sequences of digits.

use std::collections::BTreeSet;
use std::ops::Bound;

use crate::Permutation;
use crate::error::Error;
use crate::map::{Digit, IndexMap, Source};

/// Each dimension of a map as its digits, which are all there is to it: the index is read as a
/// mixed-radix number, no digit is left out, and an offset can be taken apart into them.
///
/// A dimension is *ragged* where its size is no whole number of steps of its largest digit.
#[derive(Debug)]
pub(super) struct Sequences<'a> {
    map: &'a IndexMap,
    /// The digits of each dimension, smallest divisor first.
    digits: Vec<Vec<Digit>>,
}

/// A part of memory that one digit walks: from its stride to where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Piece {
    pub(super) start: i64,
    pub(super) end: i128,
}

impl<'a> Sequences<'a> {
    /// The map's sequences, or `None` if it has merged coordinates, overlapping or negative
    /// strides, or elements that share a place.
    pub(super) fn of(map: &'a IndexMap) -> Option<Self> {
        if !map.is_separable() || !map.is_ordered() || map.elements == 0 {
            return None;
        }
        let mut digits = vec![Vec::new(); map.dims.len()];
        for digit in &map.digits {
            if let Source::Dim(dim) = digit.source {
                digits[dim].push(*digit);
            }
        }
        for (digits, &size) in digits.iter_mut().zip(&map.dims) {
            digits.sort_by_key(|digit| digit.divisor);
            if !counts_all(digits, size) {
                return None;
            }
        }
        Some(Sequences { map, digits })
    }

    pub(super) fn dims(&self) -> &[i64] {
        &self.map.dims
    }

    pub(super) fn strides(&self) -> BTreeSet<i64> {
        self.map.digits.iter().map(|digit| digit.stride).collect()
    }

    /// The pieces of memory that each dimension walks, most major first, when digits are cut where
    /// a stride of `starts` falls.
    ///
    /// A digit is not cut beyond the next larger stride of its own map, from where memory is that
    /// digit's, even if the two overlap as 0 3 and 0 4 do. So no two pieces of a map begin alike.
    pub(super) fn pieces(&self, starts: &BTreeSet<i64>) -> Vec<Vec<Piece>> {
        let strides = self.strides();
        let of_dim = |digits: &Vec<Digit>| {
            digits.iter().rev().flat_map(|digit| self.cut(digit, &strides, starts)).collect()
        };
        self.digits.iter().map(of_dim).collect()
    }

    fn cut(&self, digit: &Digit, strides: &BTreeSet<i64>, starts: &BTreeSet<i64>) -> Vec<Piece> {
        let mut end = i128::from(digit.stride) * i128::from(self.map.extent(digit));
        let next = strides.range((Bound::Excluded(digit.stride), Bound::Unbounded)).next();
        let limit = next.map_or(end, |&next| end.min(next.into()));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let inside = starts.range(digit.stride..limit);
        let piece = |&start: &i64| Piece { start, end: std::mem::replace(&mut end, start.into()) };
        inside.rev().map(piece).collect()
    }

    /// Whether the maps agree at every index when each has its dimensions in this order and both
    /// are read as row-major arrays of the same elements.
    ///
    /// Both are brought to the dimensions of their runs: maps that agree have the same, and over
    /// those neither has merged coordinates, so that comparing looks at no elements.
    pub(super) fn agrees(&self, other: &Self, orders: &[Permutation; 2]) -> Result<bool, Error> {
        let [order, others] = orders;
        let runs = self.runs(order);
        if runs != other.runs(others) {
            return Ok(false);
        }
        let own = self.map.permuted(order)?.reshaped(&runs)?;
        Ok(own.first_difference(&other.map.permuted(others)?.reshaped(&runs)?)?.is_none())
    }

    /// The dimensions, most major first, of the same elements in the same row-major order in which
    /// offsets go on evenly: one for each cut, unless it does not divide the one above it, as in
    /// ragged dimensions.
    fn runs(&self, order: &Permutation) -> Vec<i64> {
        let mut above = self.map.elements;
        let mut runs = Vec::new();
        for cut in self.cuts(order).into_iter().rev() {
            if above % cut == 0 {
                runs.push(above / cut);
                above = cut;
            }
        }
        runs
    }

    /// The numbers of elements, in row-major order, after which offsets stop to go on evenly.
    fn cuts(&self, order: &Permutation) -> Vec<i64> {
        let mut cuts = Vec::new();
        let mut n_inside = 1;
        let mut end = None;
        for &dim in order.iter().rev() {
            let size = self.map.dims[dim];
            for digit in &self.digits[dim] {
                if end != Some(i128::from(digit.stride)) {
                    cuts.push(n_inside * digit.divisor);
                }
                end = (size % digit.divisor == 0)
                    .then(|| i128::from(digit.stride) * i128::from(self.map.extent(digit)));
            }
            n_inside *= size;
        }
        cuts
    }

    /// The number in row-major order of an element that lies elsewhere if the other map is this one
    /// reshaped; `None` only if there is none, or none was found.
    ///
    /// Between cuts the cuts before decide where elements lie, so the first element that moves is
    /// one after a cut of either map. If ragged dimensions of both happen to end at the same
    /// offset, it is one that comes as far after a cut as another cut.
    pub(super) fn moved_by_reshape(&self, other: &Self) -> Option<i64> {
        let maps = [self.map, other.map];
        let cuts = [self, other].map(|map| map.cuts(&Permutation::identity(map.dims().len())));
        let cuts: BTreeSet<i64> = cuts.into_iter().flatten().chain([0]).collect();
        let is_moved = |number: &i64| {
            let [own, others] = maps.map(|map| map.offset_unchecked(&map.index_of(*number)));
            own != others
        };
        cuts.iter().copied().find(is_moved).or_else(|| {
            let sums = cuts.iter().flat_map(|a| cuts.iter().map(move |b| a.checked_add(*b)));
            let sums: BTreeSet<i64> = sums.flatten().collect();
            sums.into_iter().take_while(|&sum| sum < self.map.elements).find(is_moved)
        })
    }
}

/// Whether digits, smallest divisor first, make up every index below `size`.
fn counts_all(digits: &[Digit], size: i64) -> bool {
    let mut counted = Some(1i64);
    for digit in digits {
        if counted != Some(digit.divisor) {
            return false;
        }
        counted = digit.modulus.and_then(|modulus| digit.divisor.checked_mul(modulus));
    }
    counted.is_none_or(|counted| counted >= size)
}
