//! The canonical form of a map.

use super::build::scaled;
use super::{Digit, IndexMap, Merged, Source, source_extent};

impl IndexMap {
    /// The same function in canonical form.
    pub(super) fn canonical(mut self) -> Self {
        loop {
            self.simplify_all();
            if !self.dissolve_one() {
                break;
            }
        }
        self.drop_unused();
        self.is_ordered = self.digits_are_ordered();
        self
    }

    fn simplify_all(&mut self) {
        for number in 0..self.merged.len() {
            let digits = std::mem::take(&mut self.merged[number].digits);
            self.merged[number].digits = self.simplified(digits);
        }
        let digits = std::mem::take(&mut self.digits);
        self.digits = self.simplified(digits);
    }

    /// Digits that run together joined, those that add nothing left out, largest stride first.
    fn simplified(&self, mut digits: Vec<Digit>) -> Vec<Digit> {
        self.add_up_repeated(&mut digits);
        let mut joined: Vec<Digit> = Vec::new();
        for digit in digits {
            if self.extent(&digit) <= 1 {
                continue;
            }
            match joined.last_mut() {
                Some(last) if runs_on(last, &digit) => {
                    last.modulus =
                        last.modulus.zip(digit.modulus).and_then(|(a, b)| a.checked_mul(b));
                }
                _ => joined.push(digit),
            }
        }
        joined.retain(|digit| digit.stride != 0);
        joined.sort_by_key(|digit| {
            (std::cmp::Reverse(digit.stride.unsigned_abs()), digit.source, digit.divisor)
        });
        joined
    }

    /// Sorts digits by their sources; those that are written twice become one.
    fn add_up_repeated(&self, digits: &mut Vec<Digit>) {
        for digit in digits.iter_mut() {
            *digit = without_idle_modulus(&self.dims, &self.merged, *digit);
        }
        digits.sort_by_key(|digit| (digit.source, digit.divisor, digit.modulus));
        digits.dedup_by(|next, digit| {
            let is_same = (next.source, next.divisor, next.modulus)
                == (digit.source, digit.divisor, digit.modulus);
            let sum = digit.stride.checked_add(next.stride).filter(|_| is_same);
            digit.stride = sum.unwrap_or(digit.stride);
            sum.is_some()
        });
    }

    /// Replaces one digit that is a whole merged coordinate by that coordinate's digits. Says
    /// whether there was one.
    fn dissolve_one(&mut self) -> bool {
        let whole = |digits: &[Digit]| {
            digits.iter().position(|d| {
                matches!(d.source, Source::Merged(_)) && d.divisor == 1 && d.modulus.is_none()
            })
        };
        for list in 0..=self.merged.len() {
            let digits = self.merged.get(list).map_or(&self.digits, |merged| &merged.digits);
            let Some(position) = whole(digits) else { continue };
            let Some((parts, constant)) = self.parts_of(&digits[position]) else { continue };
            let (digits, base) = match self.merged.get_mut(list) {
                Some(merged) => (&mut merged.digits, &mut merged.base),
                None => (&mut self.digits, &mut self.base),
            };
            let Some(sum) = base.checked_add(constant) else { continue };
            *base = sum;
            digits.splice(position..=position, parts);
            return true;
        }
        false
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

/// The digit without its modulus where the quotient never reaches it.
pub(super) fn without_idle_modulus(dims: &[i64], merged: &[Merged], digit: Digit) -> Digit {
    let free = Digit { modulus: None, ..digit };
    let reached = free.extent(source_extent(dims, merged, digit.source));
    if digit.modulus.is_some_and(|modulus| reached <= modulus) { free } else { digit }
}

/// Whether `next` goes on where `digit` ends, so that the two are one longer digit.
fn runs_on(digit: &Digit, next: &Digit) -> bool {
    digit.source == next.source
        && digit.modulus.is_some_and(|modulus| {
            digit.divisor.checked_mul(modulus) == Some(next.divisor)
                && digit.stride.checked_mul(modulus) == Some(next.stride)
        })
}

fn mark_used(digits: &[Digit], used: &mut [bool]) {
    for digit in digits {
        if let Source::Merged(number) = digit.source {
            used[number] = true;
        }
    }
}
