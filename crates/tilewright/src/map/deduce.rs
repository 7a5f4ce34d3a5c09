//! Finding the index at an offset where a map writes parts of an index twice.
//!
//! A swizzle does: the bits that flip others stand in the offset as they are, and once more in the
//! sums that the others are taken of, modulo 2. From the bits that are seen the rest follows, one
//! unknown of one sum at a time.

use super::{Digit, IndexMap, Merged, Source};

/// A part of a source whose value is known.
#[derive(Clone, Copy, Debug)]
struct Fact {
    /// Which part; its stride has no meaning.
    digit: Digit,
    value: i64,
}

/// What a round of deduction came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    Nothing,
    Something,
    /// No index has this offset.
    Contradiction,
}

impl IndexMap {
    /// The index at an offset, or that there is none; `None` where it does not follow.
    pub(super) fn deduce(&self, offset: i64) -> Option<Option<Vec<i64>>> {
        if self.elements == 0 || self.is_separable() || !self.list_is_ordered(&self.digits) {
            return None;
        }
        let mut facts = Vec::new();
        let rest = offset.checked_sub(self.base)?;
        if self.add_facts(&self.digits, rest, &mut facts).is_none() {
            return Some(None);
        }
        loop {
            match self.round(&mut facts) {
                Round::Nothing => break,
                Round::Something => {}
                Round::Contradiction => return Some(None),
            }
        }
        let index: Option<Vec<i64>> =
            (0..self.dims.len()).map(|dim| self.value_of(Source::Dim(dim), &facts)).collect();
        let index = index?;
        let inside = index.iter().zip(&self.dims).all(|(index, size)| index < size);
        Some((inside && self.offset_unchecked(&index) == offset).then_some(index))
    }

    /// Looks at every merged coordinate once.
    fn round(&self, facts: &mut Vec<Fact>) -> Round {
        let mut outcome = Round::Nothing;
        for (number, coordinate) in self.merged.iter().enumerate().rev() {
            match self.learn_from(Source::Merged(number), coordinate, facts) {
                Round::Nothing => {}
                Round::Something => outcome = Round::Something,
                Round::Contradiction => return Round::Contradiction,
            }
        }
        outcome
    }

    /// What is known of a merged coordinate, told of the digits it is a sum of: all of them where
    /// its value is known and can be taken apart in one way, or the only one that is unknown.
    fn learn_from(&self, source: Source, coordinate: &Merged, facts: &mut Vec<Fact>) -> Round {
        let mut unknown = coordinate.digits.iter().filter(|d| self.known(d, facts).is_none());
        let (Some(first), another) = (unknown.next(), unknown.next()) else {
            return Round::Nothing;
        };
        let value = self.value_of(source, facts);
        if let Some(value) = value
            && self.list_is_ordered(&coordinate.digits)
        {
            return match self.add_facts(&coordinate.digits, value - coordinate.base, facts) {
                Some(()) => Round::Something,
                None => Round::Contradiction,
            };
        }
        if another.is_some() {
            return Round::Nothing;
        }
        let known: i64 = coordinate
            .digits
            .iter()
            .filter_map(|digit| Some(self.known(digit, facts)? * digit.stride))
            .sum();
        let rest = |whole: i64| whole - coordinate.base - known;
        let solved = match (value, lowest_part(source, facts)) {
            (Some(value), _) if rest(value) % first.stride == 0 => rest(value) / first.stride,
            (None, Some((modulus, value)))
                if first.stride == 1 && self.extent(first) <= modulus =>
            {
                rest(value).rem_euclid(modulus)
            }
            (Some(_), _) => return Round::Contradiction,
            _ => return Round::Nothing,
        };
        if !(0..self.extent(first)).contains(&solved) {
            return Round::Contradiction;
        }
        facts.push(Fact { digit: *first, value: solved });
        Round::Something
    }

    /// Takes a sum apart, the largest stride first; `None` where it is not the digits'.
    fn add_facts(&self, digits: &[Digit], sum: i64, facts: &mut Vec<Fact>) -> Option<()> {
        let mut rest = sum;
        for digit in digits {
            let value = rest / digit.stride;
            rest %= digit.stride;
            if !(0..self.extent(digit)).contains(&value) {
                return None;
            }
            facts.push(Fact { digit: *digit, value });
        }
        (rest == 0).then_some(())
    }

    /// The value of a whole source, if the facts make it up.
    fn value_of(&self, source: Source, facts: &[Fact]) -> Option<i64> {
        self.known(&Digit { source, divisor: 1, modulus: None, stride: 1 }, facts)
    }

    /// The value of a digit, if the facts make it up.
    fn known(&self, digit: &Digit, facts: &[Fact]) -> Option<i64> {
        let extent = self.source_extent(digit.source);
        let end = digit.end().unwrap_or(extent).min(extent);
        let mut place = digit.divisor;
        let mut value = 0;
        while place < end {
            let fact = facts.iter().find(|fact| fact.digit.covers(digit.source, place))?;
            let from_place = fact.value / (place / fact.digit.divisor);
            let next = fact.digit.end().unwrap_or(extent).min(end);
            let kept = match fact.digit.end() {
                Some(fact_end) if fact_end <= next => from_place,
                None if next == extent => from_place,
                _ if next % place == 0 => from_place % (next / place),
                _ => return None,
            };
            value += kept * (place / digit.divisor);
            place = next;
        }
        Some(value)
    }
}

/// What a source is modulo something, as far as that is known: the modulus and the remainder.
fn lowest_part(source: Source, facts: &[Fact]) -> Option<(i64, i64)> {
    let lowest = facts.iter().find(|f| f.digit.source == source && f.digit.divisor == 1)?;
    Some((lowest.digit.modulus?, lowest.value))
}
