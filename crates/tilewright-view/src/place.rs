//! One place of a layout, with all that there is to say of it.

use tilewright::map::{Digit, Source};
use tilewright::notation::Described;

use crate::options::Error;
use crate::subject::Subject;

/// A place of an array's memory: an element, or padding.
///
/// ```
/// use tilewright_view::Place;
/// let place = Place::of_index(&"bf16[30,300]{1,0:T(8,128)(2,1)}".parse()?, &[2, 129])?;
/// assert_eq!((place.offset, place.byte()), (Some(1282), Some(2564)));
/// assert_eq!(place.levels[0].coordinate, [0, 1]); // the tile of 8 × 128
/// assert_eq!(place.levels[1].coordinate, [1, 1]); // the pair of rows in it
/// assert_eq!(place.levels[2].coordinate, [0, 0]); // the place in the pair
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The index of the element, or that which padding would have; `None` in what no dimension
    /// reaches.
    pub index: Option<Vec<i64>>,
    /// Where it lies, in elements; `None` where padding is not told apart.
    pub offset: Option<i64>,
    /// Whether it is no element.
    pub is_padding: bool,
    /// The bits of an element, where they are known.
    pub element_bits: Option<u32>,
    /// Which tile, which tile in that one, and so on; last the place in the innermost.
    pub levels: Vec<Level>,
    /// What the offset of an element is the sum of; empty for padding.
    pub terms: Vec<Term>,
}

/// The tiles of one level, and which of them a place is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its sizes along the dimensions, in elements; the sizes of the innermost places are 1.
    pub sizes: Vec<i64>,
    /// Which one, along each dimension, counted within the level above.
    pub coordinate: Vec<i64>,
}

/// A part of a sum: `(129 div 128)·1024`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// As it is written, with its numbers.
    pub text: String,
    /// The dimension whose index it is of; `None` for several in one, and for what is always added.
    pub dim: Option<usize>,
    /// What it comes to.
    pub value: i64,
}

impl Place {
    /// The place with an index; one that lies in the padding is a place too.
    ///
    /// # Errors
    /// If it is no array, or the index is none of its, padding included.
    pub fn of_index(said: &Described, index: &[i64]) -> Result<Self, Error> {
        let subject = Subject::of(said.clone())?;
        if !subject.is_place(index) {
            // The words of whoever knows the dimensions.
            subject.map.offset(index)?;
        }
        Self::of(&subject, Some(index.to_vec()), subject.offset(index))
    }

    /// The place at an offset, in elements.
    ///
    /// # Errors
    /// If it is no array, or the offset is outside of its memory.
    pub fn at_offset(said: &Described, offset: i64) -> Result<Self, Error> {
        let subject = Subject::of(said.clone())?;
        let element = subject.map.index(offset)?;
        let index = element.or_else(|| subject.index(offset));
        Self::of(&subject, index, Some(offset))
    }

    /// The place that has the first bit of a byte of memory; of elements below a byte, the first of those
    /// in it.
    ///
    /// ```
    /// use tilewright_view::Place;
    /// let place = Place::at_byte(&"bf16[30,300]{1,0:T(8,128)(2,1)}".parse()?, 2565)?;
    /// assert_eq!(place.index, Some(vec![2, 129]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it is no array, its elements have no size, or the byte is outside of its memory.
    pub fn at_byte(said: &Described, byte: i64) -> Result<Self, Error> {
        let bits = said.element_bits().filter(|bits| *bits > 0);
        let bits = bits.ok_or_else(|| Error("its elements have no size in bytes".to_owned()))?;
        let offset = (i128::from(byte) * 8).div_euclid(i128::from(bits));
        let outside = || Error(format!("byte {byte} is outside of the memory of the array"));
        said.index_map()?;
        let offset = i64::try_from(offset).map_err(|_| outside())?;
        Self::at_offset(said, offset).map_err(|_| outside())
    }

    fn of(subject: &Subject, index: Option<Vec<i64>>, offset: Option<i64>) -> Result<Self, Error> {
        let is_padding = !index.as_ref().is_some_and(|index| subject.is_data(index));
        let levels = index.as_ref().map_or(Vec::new(), |index| levels(subject, index));
        let terms = match &index {
            Some(index) if !is_padding => terms(subject, index),
            _ => Vec::new(),
        };
        Ok(Place { index, offset, is_padding, element_bits: subject.bits(), levels, terms })
    }

    /// The first byte that it has a bit in.
    pub fn byte(&self) -> Option<i64> {
        let bit = i128::from(self.offset?) * i128::from(self.element_bits?);
        i64::try_from(bit.div_euclid(8)).ok()
    }

    /// Its first bit, counted from the first of memory; within a byte from the low end.
    pub fn bit(&self) -> Option<i64> {
        self.offset?.checked_mul(i64::from(self.element_bits?))
    }

    /// The sum, written out: `(2 mod 8)·2 + … = 4 + … = 1282`.
    pub fn sum(&self) -> Option<String> {
        let offset = self.offset.filter(|_| !self.terms.is_empty())?;
        let written: Vec<&str> = self.terms.iter().map(|term| term.text.as_str()).collect();
        let values: Vec<String> = self.terms.iter().map(|term| term.value.to_string()).collect();
        let values = match values.len() {
            1 => String::new(),
            _ => format!(" = {}", values.join(" + ")),
        };
        Some(format!("{}{values} = {offset}", written.join(" + ")).replace("+ -", "- "))
    }
}

fn levels(subject: &Subject, index: &[i64]) -> Vec<Level> {
    let deepest = (0..subject.rank()).flat_map(|dim| subject.cuts(dim)).map(|cut| cut.level).max();
    let n_levels = deepest.map_or(0, |level| level + 1);
    let mut left = index.to_vec();
    let mut above = subject.padded().to_vec();
    let mut levels = Vec::new();
    for level in 0..=n_levels {
        let size = |dim: usize| match level == n_levels {
            true => 1,
            false => {
                let cut = subject.cuts(dim).iter().find(|cut| cut.level == level);
                cut.map_or(above[dim], |cut| cut.size)
            }
        };
        let sizes: Vec<i64> = (0..index.len()).map(|dim| size(dim).max(1)).collect();
        let coordinate = left.iter().zip(&sizes).map(|(left, size)| left / size).collect();
        left.iter_mut().zip(&sizes).for_each(|(left, size)| *left %= size);
        above.clone_from(&sizes);
        levels.push(Level { sizes, coordinate });
    }
    levels
}

fn terms(subject: &Subject, index: &[i64]) -> Vec<Term> {
    let map = &subject.map;
    let mut merged = Vec::new();
    for coordinate in map.merged() {
        let digits = coordinate.digits().iter();
        let value: i64 = digits.map(|digit| term(digit, index, &merged).value).sum();
        merged.push(coordinate.base() + value);
    }
    let mut terms: Vec<Term> =
        map.digits().iter().map(|digit| term(digit, index, &merged)).collect();
    if map.base() != 0 || terms.is_empty() {
        terms.push(Term { text: map.base().to_string(), dim: None, value: map.base() });
    }
    terms
}

/// A digit with the number of its source, and what it comes to.
fn term(digit: &Digit, index: &[i64], merged: &[i64]) -> Term {
    let (source, dim) = match digit.source {
        Source::Dim(dim) => (index.get(dim), Some(dim)),
        Source::Merged(number) => (merged.get(number), None),
    };
    let source = source.copied().unwrap_or(0);
    let value = digit.value(source).saturating_mul(digit.stride);
    let divided = match digit.divisor {
        1 => source.to_string(),
        divisor => format!("{source} div {divisor}"),
    };
    let taken = match (digit.modulus, digit.divisor) {
        (Some(modulus), 1) => format!("({divided} mod {modulus})"),
        (Some(modulus), _) => format!("(({divided}) mod {modulus})"),
        (None, 1) => divided,
        (None, _) => format!("({divided})"),
    };
    let text = if digit.stride == 1 { taken } else { format!("{taken}·{}", digit.stride) };
    Term { text, dim, value }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    /// Offset → place → offset, for every place of memory; terms add up to what the map says.
    #[test]
    fn places_of_both_ways_agree() {
        for text in [
            "f32[3,5]{1,0:T(2,2)}",
            "bf16[9,130]{0,1:T(8,128)(2,1)}",
            "s4[5,7]{1,0:T(2,4)E(4)}",
            "f32[2,3,5]{2,1,0:T(2,4)}",
            "f16 ((4,2),(4,3)):((4,16),(1,32)):(7,10)",
            "f16 Sw<2,0,3> o 0 o (8,8):(8,1)",
            "f32[2,5,3] aBc4b",
        ] {
            let said: Described = text.parse().unwrap();
            let map = said.index_map().unwrap();
            let mut elements = 0;
            for offset in 0..map.allocation() {
                let place = Place::at_offset(&said, offset).unwrap();
                assert_eq!(place.is_padding, map.index(offset).unwrap().is_none(), "{text}");
                let Some(index) = &place.index else { continue };
                let again = Place::of_index(&said, index).unwrap();
                assert_eq!(again, place, "{text} at {offset}");
                if !place.is_padding {
                    elements += 1;
                    let sum: i64 = place.terms.iter().map(|term| term.value).sum();
                    assert_eq!(sum, offset, "{text} {index:?}");
                }
            }
            assert_eq!(elements, map.elements(), "{text}");
        }
    }

    /// A place is its coordinates at all levels times the sizes there.
    #[test]
    fn levels_come_to_the_index() {
        let said: Described = "bf16[2,30,300]{2,1,0:T(8,128)(2,1)}".parse().unwrap();
        for index in [[0, 0, 0], [1, 29, 299], [1, 13, 130], [0, 31, 383]] {
            let place = Place::of_index(&said, &index).unwrap();
            assert_eq!(place.levels.len(), 3);
            let along = |dim: usize| -> i64 {
                let levels = place.levels.iter();
                levels.map(|level| level.coordinate[dim] * level.sizes[dim]).sum()
            };
            assert_eq!([0, 1, 2].map(along), index);
        }
        assert!(Place::of_index(&said, &[2, 0, 0]).is_err());
        assert!(Place::of_index(&said, &[0, 0]).is_err());
        assert!(Place::at_offset(&said, 1 << 40).is_err());
    }

    #[test]
    fn sums_are_written_out() {
        let said: Described = "f32[3,5]{1,0:T(2,2)}".parse().unwrap();
        let place = Place::of_index(&said, &[2, 3]).unwrap();
        let sum = "(2 div 2)·12 + (3 div 2)·4 + (2 mod 2)·2 + (3 mod 2) = 12 + 4 + 0 + 1 = 17";
        assert_eq!(place.sum().as_deref(), Some(sum));
        assert_eq!(Place::of_index(&said, &[3, 5]).unwrap().sum(), None);
    }
}
