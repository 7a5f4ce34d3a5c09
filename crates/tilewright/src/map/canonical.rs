//! The canonical form of a map, which is unique where there are no merged coordinates.
//!
//! Each list of digits, the offset's and every merged coordinate's, is taken apart into
//! [floors](super::floors) and put together again, which is unique per source: digits that run
//! together become one, digits of the same part of a source add up, and what adds nothing is left
//! out. Merged coordinates that are used whole are replaced by their digits.
//!
//! `Sw<2,0,2> o 0 o 16:4` is `4*i0 + (i0 mod 4)` at first, and `(i0 mod 4)*5 + (i0 div 4)*16` in
//! canonical form, as `((4,4)):((5,16))` is.
//!
//! An offset is `base + Σ f(source)`, each `f(0) = 0`. Without merged coordinates the sources are
//! the indices, which are independent of each other, so `base` and each `f` follow from the
//! offsets: maps that agree at every index have equal forms. A merged coordinate depends on
//! several dimensions and need not take all values below its extent: there, maps of equal form
//! agree, and maps that agree may differ in form.

use std::cmp::Reverse;

use super::digit::{scaled, source_extent};
use super::floors::{Floor, added_up, digits_of, floors_of};
use super::{Digit, IndexMap, Merged, Source};

impl IndexMap {
    /// The same function in canonical form.
    ///
    /// Digits of a merged coordinate refer to coordinates of lower number only, so each list is
    /// made of finished ones when they are brought into form in this order.
    pub(super) fn canonical(mut self) -> Self {
        if self.elements == 0 {
            (self.digits, self.merged, self.base) = (Vec::new(), Vec::new(), 0);
        }
        for list in 0..=self.merged.len() {
            loop {
                self.simplify(list);
                if !self.dissolve(list) {
                    break;
                }
            }
        }
        self.drop_unused();
        self.is_ordered = self.digits_are_ordered();
        self
    }

    /// The digits and the constant of the merged coordinate of this number, or of the offset.
    fn list(&mut self, list: usize) -> (&mut Vec<Digit>, &mut i64) {
        match self.merged.get_mut(list) {
            Some(merged) => (&mut merged.digits, &mut merged.base),
            None => (&mut self.digits, &mut self.base),
        }
    }

    fn simplify(&mut self, list: usize) {
        let digits = std::mem::take(self.list(list).0);
        *self.list(list).0 = simplified(&self.dims, &self.merged, digits);
    }

    /// The sum as floors, by source and divisor, each once and none that is always 0.
    pub(super) fn floors(&self, digits: &[Digit]) -> Option<Vec<Floor>> {
        floors(&self.dims, &self.merged, digits)
    }

    /// Replaces digits that are whole merged coordinates by those coordinates' digits. Says
    /// whether there were any.
    fn dissolve(&mut self, list: usize) -> bool {
        let whole = |digit: &Digit| {
            matches!(digit.source, Source::Merged(_))
                && digit.divisor == 1
                && digit.modulus.is_none()
        };
        let mut dissolved = false;
        let (digits, base) = self.list(list);
        let (digits, mut base) = (std::mem::take(digits), *base);
        let mut parts = Vec::with_capacity(digits.len());
        for digit in digits {
            let replaced = whole(&digit).then(|| self.parts_of(&digit)).flatten();
            match replaced.and_then(|(new, add)| Some((new, base.checked_add(add)?))) {
                Some((new, sum)) => {
                    parts.extend(new);
                    base = sum;
                    dissolved = true;
                }
                None => parts.push(digit),
            }
        }
        let (digits, constant) = self.list(list);
        (*digits, *constant) = (parts, base);
        dissolved
    }

    /// The digits and the constant that a whole merged coordinate comes to.
    fn parts_of(&self, whole: &Digit) -> Option<(Vec<Digit>, i64)> {
        let Source::Merged(number) = whole.source else { return None };
        let Merged { digits, base, .. } = &self.merged[number];
        Some((scaled(digits, whole.stride).ok()?, base.checked_mul(whole.stride)?))
    }

    /// Leaves out merged coordinates that nothing refers to, and numbers the rest anew.
    fn drop_unused(&mut self) {
        let mut used = vec![false; self.merged.len()];
        mark_used(&self.digits, &mut used);
        for number in (0..self.merged.len()).rev() {
            if used[number] {
                mark_used(&self.merged[number].digits, &mut used);
            }
        }
        let renumbered: Vec<usize> = used
            .iter()
            .scan(0, |next, &used| Some(std::mem::replace(next, *next + usize::from(used))))
            .collect();
        let mut keep = used.iter();
        self.merged.retain(|_| keep.next().copied().unwrap_or(false));
        let lists = self.merged.iter_mut().map(|merged| &mut merged.digits);
        for digit in lists.chain([&mut self.digits]).flatten() {
            if let Source::Merged(number) = &mut digit.source {
                *number = renumbered[*number];
            }
        }
    }

    /// The same map over an array in which the dimensions not `kept` have one element.
    pub(super) fn restricted(&self, kept: &[bool]) -> Self {
        let mut map = self.clone();
        for (size, kept) in map.dims.iter_mut().zip(kept) {
            if !kept {
                *size = 1.min(*size);
            }
        }
        map.elements = map.dims.iter().product();
        for number in 0..map.merged.len() {
            let reach: i64 = map.merged[number]
                .digits
                .iter()
                .map(|d| (d.extent(source_extent(&map.dims, &map.merged, d.source)), d.stride))
                .map(|(extent, stride)| (extent - 1) * stride.max(0))
                .sum();
            map.merged[number].extent = map.merged[number].base + reach + 1;
        }
        map.canonical()
    }
}

/// The unique digits of this sum, largest stride first.
///
/// Their strides are differences of offsets, which fit 64 bits. A sum of which that is not
/// true keeps the digits it has.
pub(super) fn simplified(dims: &[i64], merged: &[Merged], digits: Vec<Digit>) -> Vec<Digit> {
    let unique = floors(dims, merged, &digits).and_then(|floors| digits_of(&floors));
    let mut digits = unique.unwrap_or(digits);
    digits.sort_unstable_by_key(|digit| {
        (Reverse(digit.stride.unsigned_abs()), digit.source, digit.divisor)
    });
    digits
}

fn floors(dims: &[i64], merged: &[Merged], digits: &[Digit]) -> Option<Vec<Floor>> {
    let is_ever_more_than_0 =
        |floor: &Floor| floor.divisor < source_extent(dims, merged, floor.source);
    added_up(digits.iter().flat_map(floors_of).filter(is_ever_more_than_0).collect())
}

fn mark_used(digits: &[Digit], used: &mut [bool]) {
    for digit in digits {
        if let Source::Merged(number) = digit.source {
            used[number] = true;
        }
    }
}
