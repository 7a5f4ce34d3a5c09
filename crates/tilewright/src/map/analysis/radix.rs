//! The digits of one dimension as a mixed-radix number in which places may be missing.

use std::collections::BTreeMap;

use super::super::Digit;

/// A place of the number: `(index div unit) mod radix`.
#[derive(Clone, Copy, Debug)]
struct Place {
    unit: i64,
    /// `None` for the last place, which takes all that is left.
    radix: Option<i64>,
    /// Whether the map has this digit. Indices that differ in the others alone share an offset.
    is_seen: bool,
}

/// An index below `extent`, its places from the lowest up.
#[derive(Clone, Debug)]
pub(super) struct Radix {
    extent: i64,
    places: Vec<Place>,
}

impl Radix {
    /// The number that these digits are of, or `None` where one begins inside another.
    pub(super) fn new(extent: i64, mut digits: Vec<Digit>) -> Option<Self> {
        digits.sort_by_key(|digit| digit.divisor);
        let mut places = Vec::new();
        let mut reached = Some(1i64);
        for digit in digits {
            let start = reached.filter(|start| digit.divisor % start == 0)?;
            if digit.divisor > start {
                let radix = Some(digit.divisor / start);
                places.push(Place { unit: start, radix, is_seen: false });
            }
            places.push(Place { unit: digit.divisor, radix: digit.modulus, is_seen: true });
            reached = digit.end();
        }
        if let Some(unit) = reached.filter(|&unit| unit < extent) {
            places.push(Place { unit, radix: None, is_seen: false });
        }
        Some(Radix { extent, places })
    }

    /// The first index whose digits are those of an earlier one, which is 0: below the first
    /// missing place, digits tell indices apart.
    pub(super) fn first_alias(&self) -> Option<i64> {
        self.places.iter().find(|place| !place.is_seen).map(|place| place.unit)
    }

    /// Where places begin, the lowest first.
    pub(super) fn units(&self) -> impl Iterator<Item = i64> {
        self.places.iter().map(|place| place.unit)
    }

    /// How many values of the digits are had by how many indices, as (indices, values).
    ///
    /// Place by place from the lowest, this counts for the indices below the *end* of `extent`,
    /// its value in the places so far. One place more: if its digit is below the extent's, all
    /// lower places are free; if it equals that, the lower places stay below the end.
    pub(super) fn counts(&self) -> BTreeMap<i64, i64> {
        let mut below_end = BTreeMap::from([(0, 1)]);
        let (mut values, mut indices) = (1, 1);
        for place in &self.places {
            let quotient = self.extent / place.unit;
            let digit = place.radix.map_or(quotient, |radix| quotient % radix);
            if place.is_seen {
                let above = place.radix.map_or(0, |radix| radix - 1 - digit);
                *below_end.entry(indices).or_insert(0) += digit * values;
                *below_end.entry(0).or_insert(0) += above * values;
                values = values.saturating_mul(place.radix.unwrap_or(1));
            } else {
                let more = |(count, values)| (count + digit * indices, values);
                below_end = below_end.into_iter().map(more).collect();
                indices = indices.saturating_mul(place.radix.unwrap_or(1));
            }
        }
        below_end.retain(|&indices, values| indices > 0 && *values > 0);
        below_end
    }
}
