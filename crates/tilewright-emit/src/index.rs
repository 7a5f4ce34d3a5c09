//! From an offset to the index of the element there, or that there is padding.
//!
//! A sum of digits whose strides nest comes apart in one way: the largest stride first, a quotient and what is left.
//! Negative strides count down: `v * -s` is `(e - 1 - v) * s` less a constant. What the digits say of each dimension is
//! added up. There is padding where a digit or an index is as large as its extent, or something is left.
//!
//! A swizzle's bits stand in the offset as they are and once more in the sums that others are taken of. There a list of
//! *facts*, parts of sources whose value is known, is completed: of a sum modulo 2 of which all but one are known, the
//! last one follows.
//!
//! Of other maps, whose digits overlap, no formula is known.

use tilewright::IndexMap;
use tilewright::map::{Digit, Source};

use crate::expression::{Arena, Expr};
use crate::formula::{Formula, Input};
use crate::range::Range;

/// The index of the element at an offset; not valid where there is padding. `None` where an offset comes apart in
/// several ways, so that there is no formula.
pub fn index_formula(map: &IndexMap) -> Option<Formula> {
    let mut arena = Arena::default();
    let lowest = map.lowest_offset();
    let range = Range { low: lowest, high: lowest.checked_add((map.allocation() - 1).max(0))? };
    let offset = arena.input(0, range, 1);
    let (valid, outputs) = index_at(map, &mut arena, offset)?;
    let inputs = vec![Input { name: "offset".to_owned(), range }];
    Some(Formula { arena, inputs, valid: Some(valid), outputs })
}

/// Whether there is an element at this offset, and its index.
pub(crate) fn index_at(
    map: &IndexMap,
    arena: &mut Arena,
    offset: Expr,
) -> Option<(Expr, Vec<Expr>)> {
    if map.elements() == 0 {
        let zero = arena.constant(0);
        return Some((zero, vec![zero; map.dims().len()]));
    }
    let (nested, is_swizzled) = (nests(map), !map.is_separable());
    if !nested && !is_swizzled {
        return None;
    }
    let mut decoding = Decoding { map, arena, facts: Vec::new(), conditions: Vec::new() };
    decoding.take_apart(offset, map.digits(), map.base(), false)?;
    let index = if nested { decoding.decode() } else { decoding.deduce(offset) }?;
    let conditions = std::mem::take(&mut decoding.conditions);
    let mut valid = arena.constant(1);
    for condition in conditions {
        valid = arena.both(valid, condition);
    }
    Some((valid, index))
}

struct Decoding<'a> {
    map: &'a IndexMap,
    arena: &'a mut Arena,
    /// Parts of sources whose value is known; strides have no meaning.
    facts: Vec<(Digit, Expr)>,
    /// What holds where there is an element.
    conditions: Vec<Expr>,
}

impl Decoding<'_> {
    fn extent(&self, source: Source) -> i64 {
        match source {
            Source::Dim(dim) => self.map.dims()[dim],
            Source::Merged(number) => self.map.merged()[number].extent(),
        }
    }

    /// Adds the digits of a sum to the facts, the largest stride first. `None` where strides do not nest. What is
    /// `known` to be a sum of these digits needs no test.
    fn take_apart(&mut self, sum: Expr, digits: &[Digit], base: i64, is_known: bool) -> Option<()> {
        if !list_nests(self.map, digits) {
            return None;
        }
        let span = |digit: &Digit| (self.map.extent(digit) - 1).checked_mul(digit.stride);
        let spans = digits.iter().map(span).collect::<Option<Vec<i64>>>()?;
        let least = spans.iter().try_fold(base, |least, &span| least.checked_add(span.min(0)))?;
        let least = self.arena.constant(least);
        let mut rest = self.arena.subtract(sum, least);
        if self.arena.range(rest).low < 0 {
            let is_above = self.arena.at_least(rest, 0);
            self.conditions.push(is_above);
            let high = self.arena.range(rest).high.max(0);
            // What lies below is padding: 0 as well as any other number, and it may be divided.
            rest = self.arena.multiply(rest, is_above);
            self.arena.narrow(rest, Range { low: 0, high });
        }
        for digit in digits {
            let stride = i64::try_from(digit.stride.unsigned_abs()).ok()?;
            let extent = self.map.extent(digit);
            let part = self.arena.divide(rest, stride);
            rest = self.arena.modulo(rest, stride);
            if !is_known {
                let is_inside = self.arena.less_than(part, extent);
                self.conditions.push(is_inside);
            }
            let value = if digit.stride < 0 {
                let last = self.arena.constant(extent - 1);
                self.arena.subtract(last, part)
            } else {
                part
            };
            self.arena.note(value, || crate::offset::words(digit));
            self.facts.push((*digit, value));
        }
        if !is_known {
            let zero = self.arena.constant(0);
            let is_whole = self.arena.equal(rest, zero);
            self.conditions.push(is_whole);
        }
        Some(())
    }

    /// The index, where the digits of every sum nest: what the facts say of a source is added up.
    fn decode(&mut self) -> Option<Vec<Expr>> {
        for (number, merged) in self.map.merged().iter().enumerate().rev() {
            let value = self.added_up(Source::Merged(number));
            self.take_apart(value, merged.digits(), merged.base(), false)?;
        }
        let dims = 0..self.map.dims().len();
        let index: Vec<Expr> = dims.map(|dim| self.added_up(Source::Dim(dim))).collect();
        for (&index, &extent) in index.iter().zip(self.map.dims()) {
            let is_inside = self.arena.less_than(index, extent);
            self.conditions.push(is_inside);
        }
        Some(index)
    }

    fn added_up(&mut self, source: Source) -> Expr {
        let facts = self.facts.clone();
        let mut terms: Vec<Expr> = facts
            .iter()
            .filter(|(digit, _)| digit.source == source)
            .map(|(digit, value)| self.arena.scale(*value, digit.divisor))
            .collect();
        terms.sort_by_key(|term| std::cmp::Reverse(self.arena.range(*term).high));
        self.arena.sum(&terms)
    }

    /// The index, where sums of parts are written that are written elsewhere as well.
    fn deduce(&mut self, offset: Expr) -> Option<Vec<Expr>> {
        while self.round()? {}
        let dims = 0..self.map.dims().len();
        let index =
            dims.map(|dim| self.known(&whole(Source::Dim(dim)))).collect::<Option<Vec<Expr>>>()?;
        for (&index, &extent) in index.iter().zip(self.map.dims()) {
            let is_inside = self.arena.less_than(index, extent);
            self.conditions.push(is_inside);
        }
        let is_full = self.map.elements() == self.map.allocation();
        if is_full && self.map.is_injective() == Ok(true) {
            self.conditions.clear(); // every offset is that of an element
        } else {
            let inside = self.inside(&index);
            let again = crate::offset::offset_of(self.map, self.arena, &inside);
            let is_same = self.arena.equal(again, offset);
            self.conditions.push(is_same);
        }
        Some(index)
    }

    /// The index where it is one, and 0 along the dimensions where it is not, as it may be where there is padding: the
    /// formula of an offset takes its inputs to be indices, from which the ranges of merged coordinates follow.
    fn inside(&mut self, index: &[Expr]) -> Vec<Expr> {
        let mut inside = Vec::with_capacity(index.len());
        for (&index, &extent) in index.iter().zip(self.map.dims()) {
            if self.arena.range(index).is_within(0..=extent - 1) {
                inside.push(index);
                continue;
            }
            let is_inside = self.arena.less_than(index, extent);
            let index_or_zero = self.arena.multiply(index, is_inside);
            self.arena.narrow(index_or_zero, Range::below(extent));
            inside.push(index_or_zero);
        }
        inside
    }

    /// Looks at every merged coordinate once. Whether something was learnt; `None` for a sum that cannot be taken apart.
    fn round(&mut self) -> Option<bool> {
        let mut has_learnt = false;
        let merged = self.map.merged();
        for (number, coordinate) in merged.iter().enumerate().rev() {
            let digits = coordinate.digits();
            let is_known: Vec<Option<Expr>> =
                digits.iter().map(|digit| self.known(digit)).collect();
            let unknown: Vec<&Digit> = digits
                .iter()
                .zip(&is_known)
                .filter(|(_, known)| known.is_none())
                .map(|(d, _)| d)
                .collect();
            let Some(first) = unknown.first() else { continue };
            let source = Source::Merged(number);
            let value = self.known(&whole(source));
            if let Some(value) = value
                && digits.iter().all(|digit| digit.stride > 0)
                && list_nests(self.map, digits)
            {
                self.take_apart(value, digits, coordinate.base(), false)?;
                has_learnt = true;
                continue;
            }
            if unknown.len() > 1 {
                continue;
            }
            let mut others = vec![self.arena.constant(coordinate.base())];
            for (digit, known) in digits.iter().zip(&is_known) {
                if let Some(known) = known {
                    others.push(self.arena.scale(*known, digit.stride));
                }
            }
            let others = self.arena.sum(&others);
            if let Some(solved) = self.solved(source, value, others, first) {
                self.facts.push((**first, solved));
                has_learnt = true;
            }
        }
        Some(has_learnt)
    }

    /// The one unknown digit of a sum whose others are known.
    fn solved(
        &mut self,
        source: Source,
        value: Option<Expr>,
        others: Expr,
        digit: &Digit,
    ) -> Option<Expr> {
        let extent = self.map.extent(digit);
        if let Some(value) = value
            && digit.stride > 0
        {
            // What is no multiple, or out of range, fails the last test: that the index has this offset.
            let rest = self.arena.subtract(value, others);
            let is_above = self.arena.at_least(rest, 0);
            let rest_or_zero = self.arena.multiply(rest, is_above);
            let high = self.arena.range(rest).high.max(0);
            self.arena.narrow(rest_or_zero, Range { low: 0, high });
            let part = self.arena.divide(rest_or_zero, digit.stride);
            return Some(self.arena.modulo(part, extent));
        }
        let (modulus, lowest) = self.facts.iter().find_map(|(fact, value)| {
            let is_lowest = fact.source == source && fact.divisor == 1;
            is_lowest.then_some((fact.modulus?, *value))
        })?;
        if digit.stride != 1 || extent > modulus {
            return None;
        }
        if modulus == 2 {
            let others = self.arena.modulo(others, 2);
            return Some(self.arena.xor(lowest, others));
        }
        let others = self.arena.modulo(others, modulus);
        let raised = {
            let modulus = self.arena.constant(modulus);
            self.arena.add(lowest, modulus)
        };
        let rest = self.arena.subtract(raised, others);
        let high = self.arena.range(rest).high;
        self.arena.narrow(rest, Range { low: 0, high });
        Some(self.arena.modulo(rest, modulus))
    }

    /// The value of a digit, if the facts make it up.
    fn known(&mut self, digit: &Digit) -> Option<Expr> {
        let extent = self.extent(digit.source);
        let end = end_of(digit).unwrap_or(extent).min(extent);
        let mut place = digit.divisor;
        let mut terms = Vec::new();
        while place < end {
            let (fact, value) =
                *self.facts.iter().find(|(fact, _)| covers(fact, digit.source, place))?;
            let from_place = self.arena.divide(value, place / fact.divisor);
            let next = end_of(&fact).unwrap_or(extent).min(end);
            let kept = match end_of(&fact) {
                Some(fact_end) if fact_end <= next => from_place,
                None if next == extent => from_place,
                _ if next % place == 0 => self.arena.modulo(from_place, next / place),
                _ => return None,
            };
            terms.push(self.arena.scale(kept, place / digit.divisor));
            place = next;
        }
        Some(self.arena.sum(&terms))
    }
}

fn whole(source: Source) -> Digit {
    Digit { source, divisor: 1, modulus: None, stride: 1 }
}

/// Where along its source a digit wraps, if it does.
fn end_of(digit: &Digit) -> Option<i64> {
    digit.modulus.and_then(|modulus| modulus.checked_mul(digit.divisor))
}

/// Whether the digit is what this source is from `place` on.
fn covers(digit: &Digit, source: Source, place: i64) -> bool {
    digit.source == source
        && place % digit.divisor == 0
        && end_of(digit).is_none_or(|end| end > place && end % place == 0)
}

/// Whether the smaller digits of a sum never add up to a larger stride.
fn list_nests(map: &IndexMap, digits: &[Digit]) -> bool {
    let mut reach = 0u128;
    digits.iter().rev().all(|digit| {
        let stride = u128::from(digit.stride.unsigned_abs());
        let is_above = reach < stride;
        reach += u128::from((map.extent(digit) - 1).unsigned_abs()) * stride;
        is_above
    })
}

/// Whether all sums nest and no part of anything is written twice, so that taking digits apart gives back the whole.
fn nests(map: &IndexMap) -> bool {
    let lists = || map.merged().iter().map(tilewright::map::Merged::digits).chain([map.digits()]);
    let mut used: Vec<&Digit> = lists().flatten().collect();
    used.sort_by_key(|digit| (digit.source, digit.divisor));
    let is_once = used.windows(2).all(|pair| {
        pair[0].source != pair[1].source
            || end_of(pair[0]).is_some_and(|end| end <= pair[1].divisor)
    });
    let is_written_whole = |number: usize| {
        let of_it = used.iter().filter(|digit| digit.source == Source::Merged(number));
        let mut end = Some(1);
        for digit in of_it {
            if end != Some(digit.divisor) {
                return false;
            }
            end = end_of(digit);
        }
        end.is_none_or(|end| end >= map.merged()[number].extent())
    };
    lists().all(|digits| list_nests(map, digits))
        && is_once
        && (0..map.merged().len()).all(is_written_whole)
}
