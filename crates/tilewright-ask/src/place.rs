//! One place of a layout, and all that there is to say of it.

use serde::{Deserialize, Serialize};
use tilewright_view::Place as Found;

use crate::error::Error;
use crate::subject::Reader;

/// What is at a place: of an index, of an offset, or of a byte?
///
/// ```
/// use tilewright_ask::{Place, Reader};
/// let reader = Reader { strict: false, note: &|_| {} };
/// let layout = "bf16[30,300]{1,0:T(8,128)(2,1)}".to_owned();
/// let place = Place { layout, offset: Some(1282), ..Place::default() }.answer(reader)?;
/// assert_eq!((place.index, place.byte), (Some(vec![2, 129]), Some(2564)));
/// # Ok::<(), tilewright_ask::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The layout.
    pub layout: String,
    /// The index; that of padding will do.
    #[serde(default)]
    pub index: Option<Vec<i64>>,
    /// The offset, in elements.
    #[serde(default)]
    pub offset: Option<i64>,
    /// The byte of memory.
    #[serde(default)]
    pub byte: Option<i64>,
}

/// What is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceAnswer {
    /// The index of the element, or that which padding would have.
    pub index: Option<Vec<i64>>,
    /// Where it lies, in elements.
    pub offset: Option<i64>,
    /// Whether it is no element.
    pub padding: bool,
    /// The first byte that it has a bit in.
    pub byte: Option<i64>,
    /// Its first bit, counted from the first of memory; within a byte from the low end.
    pub bit: Option<i64>,
    /// The bits of an element.
    pub element_bits: Option<u32>,
    /// Which tile, which tile in that one, and so on; last the place in the innermost.
    pub levels: Vec<PlaceLevel>,
    /// What the offset is the sum of.
    pub terms: Vec<PlaceTerm>,
    /// The sum, written out with its numbers.
    pub sum: Option<String>,
}

/// The tiles of one level, and which of them it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceLevel {
    /// The sizes of such a tile.
    pub sizes: Vec<i64>,
    /// Which one, counted within the level above.
    pub coordinate: Vec<i64>,
}

/// A part of the sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceTerm {
    /// As it is written.
    pub text: String,
    /// The dimension whose index it is of.
    pub dim: Option<usize>,
    /// What it comes to.
    pub value: i64,
}

impl Place {
    /// The answer.
    ///
    /// # Errors
    /// If the text says no array, the index is none of its, the offset or the byte is outside of its
    /// memory, or not one of these is said.
    pub fn answer(&self, reader: Reader<'_>) -> Result<PlaceAnswer, Error> {
        let said = reader.read(&self.layout)?;
        let found = match (&self.index, self.offset, self.byte) {
            (Some(index), None, None) => Found::of_index(&said, index),
            (None, Some(offset), None) => Found::at_offset(&said, offset),
            (None, None, Some(byte)) => Found::at_byte(&said, byte),
            _ => return Err(Error::message("an index, an offset or a byte is asked about")),
        };
        Ok(found.map_err(Error::of)?.into())
    }
}

impl From<Found> for PlaceAnswer {
    fn from(place: Found) -> Self {
        let (byte, bit, sum) = (place.byte(), place.bit(), place.sum());
        let levels = place.levels.into_iter();
        let terms = place.terms.into_iter();
        PlaceAnswer {
            index: place.index,
            offset: place.offset,
            padding: place.is_padding,
            byte,
            bit,
            element_bits: place.element_bits,
            levels: levels
                .map(|level| PlaceLevel { sizes: level.sizes, coordinate: level.coordinate })
                .collect(),
            terms: terms
                .map(|term| PlaceTerm { text: term.text, dim: term.dim, value: term.value })
                .collect(),
            sum,
        }
    }
}
