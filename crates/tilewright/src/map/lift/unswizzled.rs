//! Seeing that a map is a swizzle of another one.
//!
//! A bit that a swizzle flips is `(a + b) mod 2`, where the bit `b` stands in the offset as well, some places
//! further up. With `a` alone in its place there is the map that was swizzled. That is a guess, which is
//! then put to the proof: swizzled again, it has to have the form of this one.

use crate::algebra::Swizzle;
use crate::arithmetic::span;
use crate::map::build::{Coordinate, MapBuilder};
use crate::map::lower::swizzled;
use crate::map::{Digit, IndexMap, Merged, Source};

/// A bit of the offset that another one flips.
#[derive(Clone, Copy, Debug)]
struct Flipped {
    /// The number of its digit.
    digit: usize,
    /// Its place, and that of the bit that flips it.
    place: u32,
    by: u32,
    /// What is flipped.
    bit: Digit,
}

impl IndexMap {
    /// The swizzle and the map that give this map together, if this is seen to be a swizzled one: that each of its
    /// offsets is the other map's, swizzled.
    ///
    /// The other map has no merged coordinates; its allocation is this one's, or more if offsets reach beyond
    /// that. Takes some microseconds, whatever the size of the array.
    ///
    /// ```
    /// use tilewright::IndexMap;
    /// let map = |text: &str| IndexMap::from_composition(&text.parse().unwrap()).unwrap();
    /// let (swizzle, rows) = map("Sw<3,3,3> o 0 o (16,64):(64,1)").unswizzled().unwrap();
    /// assert_eq!(swizzle.to_string(), "Sw<3,3,3>");
    /// assert!(rows.same_as(&map("(16,64):(64,1)")).unwrap());
    /// assert_eq!(rows.unswizzled(), None);
    /// ```
    pub fn unswizzled(&self) -> Option<(Swizzle, IndexMap)> {
        let mut flipped: Vec<Flipped> =
            (0..self.digits.len()).filter_map(|digit| self.flipped(digit)).collect();
        flipped.sort_unstable_by_key(|flip| flip.place);
        let lowest = *flipped.first()?;
        let distance = |flip: &Flipped| i64::from(flip.by) - i64::from(flip.place);
        let are_neighbours = flipped
            .iter()
            .zip(lowest.place..)
            .all(|(flip, place)| flip.place == place && distance(flip) == distance(&lowest));
        if !are_neighbours {
            return None;
        }
        let bits = u32::try_from(flipped.len()).ok()?;
        let shift = i32::try_from(distance(&lowest)).ok()?;
        let swizzle = Swizzle::new(bits, lowest.place.min(lowest.by), shift).ok()?;
        let mut map = self.clone();
        for flip in &flipped {
            map.digits[flip.digit] = Digit { stride: self.digits[flip.digit].stride, ..flip.bit };
        }
        let mut map = map.canonical();
        if !map.is_separable() {
            return None;
        }
        let terms: Vec<(i64, i64)> = map.digits.iter().map(|d| (map.extent(d), d.stride)).collect();
        let (below, count) = span(terms.iter()).ok()?;
        if map.base.checked_add(below)? < 0 {
            return None;
        }
        map.allocation = self.allocation.max(map.base.checked_add(below)?.checked_add(count)?);
        (map.physical_dims, map.padded_elements) = (vec![map.allocation], map.allocation);
        let mut builder = MapBuilder::new(&self.dims).ok()?;
        let at = Coordinate::of_digits(map.digits.clone(), map.base, map.allocation);
        let sum = swizzled(&mut builder, &at, swizzle).ok()?;
        let again = builder.over_memory_of(self, sum);
        (again == *self).then_some((swizzle, map))
    }

    /// The digit of this number as a bit that another one flips, if it is one.
    fn flipped(&self, number: usize) -> Option<Flipped> {
        let digit = self.digits.get(number)?;
        let Digit { source: Source::Merged(sum), divisor: 1, modulus: Some(2), stride } = *digit
        else {
            return None;
        };
        let Merged { digits, base: 0, .. } = self.merged.get(sum)? else { return None };
        let [one, other] = digits[..] else { return None };
        let are_bits = [one, other].iter().all(|bit| bit.stride == 1 && self.extent(bit) <= 2);
        let place = place_of(stride).filter(|_| are_bits)?;
        let flipped = |(bit, by): (Digit, Digit)| {
            Some(Flipped { digit: number, place, by: self.place_of_bit(&by)?, bit })
        };
        [(one, other), (other, one)].into_iter().find_map(flipped)
    }

    /// The place of a bit that stands in the offset as it is.
    fn place_of_bit(&self, bit: &Digit) -> Option<u32> {
        place_of(self.stride_of(bit.source, bit.divisor)?)
    }

    /// How far the offset moves with every `divisor` of a source that stands in it: of a merged coordinate that has become
    /// part of the offset as a whole, its lowest digit tells.
    fn stride_of(&self, source: Source, divisor: i64) -> Option<i64> {
        if let Some(whole) = self.digits.iter().find(|digit| digit.covers(source, divisor)) {
            return whole.stride.checked_mul(divisor / whole.divisor);
        }
        let Source::Merged(number) = source else { return None };
        let lowest = self.merged.get(number)?.digits.last()?;
        let stride = self.stride_of(lowest.source, lowest.divisor)?;
        (stride / lowest.stride).checked_mul(divisor)
    }
}

/// The exponent of a power of two.
fn place_of(stride: i64) -> Option<u32> {
    (stride > 0 && stride.count_ones() == 1).then(|| stride.trailing_zeros())
}
