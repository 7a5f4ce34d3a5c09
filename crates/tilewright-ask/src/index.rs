//! Where an element lies, and which one lies somewhere.

use serde::{Deserialize, Serialize};
use tilewright::IndexMap;
use tilewright::algebra::Composition;
use tilewright::tla::{Int, IntTuple, Layout, Nested, crd2int};

use crate::error::Error;
use crate::subject::{Reader, Subject, coordinate_layout};
use crate::typed_index::parse_index;

/// Where does an element lie, or which one lies at an offset?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// The layout.
    pub layout: String,
    /// The index, `2,3`; of a hierarchical layout a coordinate, as deep as one likes.
    #[serde(default)]
    pub index: Option<String>,
    /// The offset whose element is wanted, in elements.
    #[serde(default)]
    pub inverse: Option<i64>,
}

/// Where it lies, or which one it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Found {
    /// An offset, in elements.
    Offset {
        /// It.
        offset: i64,
    },
    /// A coordinate, where strides are steps of one.
    Coordinate {
        /// There is none.
        offset: Option<i64>,
        /// It.
        coordinate: String,
    },
    /// The index of an element; `None` for padding.
    Index {
        /// It.
        index: Option<Vec<i64>>,
    },
}

/// The offsets of all elements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AllOffsets {
    /// The sizes of the dimensions.
    pub dims: Vec<i64>,
    /// The offset of each element in row-major order.
    pub offsets: Vec<i64>,
}

impl Index {
    /// The answer.
    ///
    /// # Errors
    /// If the text says no layout, the index is none of its, or the offset is outside of memory.
    pub fn answer(&self, reader: Reader<'_>) -> Result<Found, Error> {
        let said = reader.read(&self.layout)?;
        if let Some(layout) = coordinate_layout(&said) {
            return self.coordinate(layout);
        }
        let subject = Subject::of(said)?;
        if let Some(offset) = self.inverse {
            return Ok(Found::Index { index: subject.map().index(offset)? });
        }
        let text = self.index.as_deref().unwrap_or("");
        Ok(Found::Offset { offset: offset_of(&subject, text)? })
    }

    /// Where a layout leads whose strides are steps of a coordinate.
    fn coordinate(&self, layout: &Layout) -> Result<Found, Error> {
        let Some(text) = self.index.as_deref().filter(|_| self.inverse.is_none()) else {
            return Err(Error::message("a coordinate has no offset to be found again"));
        };
        let index = nested(text)?;
        check_coordinate(&index, layout.shape(), &layout.org_shape()?.values())?;
        Ok(Found::Coordinate { offset: None, coordinate: layout.at(&index)?.to_string() })
    }
}

impl AllOffsets {
    /// Of the array that a text says.
    ///
    /// # Errors
    /// If it says none, or there is no memory for as many offsets as it has elements.
    pub fn of(layout: &str, reader: Reader<'_>) -> Result<Self, Error> {
        let subject = reader.array(layout)?;
        let map = subject.map();
        Ok(AllOffsets { dims: map.dims().to_vec(), offsets: map.offsets()? })
    }
}

fn offset_of(subject: &Subject, text: &str) -> Result<i64, Error> {
    match subject.composition() {
        Some(layout) => hierarchical(subject.map(), layout, text),
        None => Ok(subject.map().offset(&parse_index(text)?)?),
    }
}

/// The offset of a coordinate of a hierarchical layout.
fn hierarchical(map: &IndexMap, layout: &Composition, text: &str) -> Result<i64, Error> {
    let coordinate = nested(text)?;
    check_coordinate(&coordinate, layout.shape(), map.dims())?;
    Ok(layout.at(&coordinate)?.elements()?.value())
}

/// One integer per mode, nested as deep as one likes, or an integer for all.
fn nested(text: &str) -> Result<IntTuple, Error> {
    let is_list = !text.trim_start().starts_with('(') && text.contains(',');
    Ok(if is_list { format!("({text})").parse()? } else { text.parse()? })
}

/// Whether a coordinate lies within the dimensions. An integer for all runs over the padded shape.
fn check_coordinate(coordinate: &IntTuple, shape: &IntTuple, dims: &[i64]) -> Result<(), Error> {
    if let Nested::Leaf(index) = coordinate
        && shape.rank() != 1
    {
        let size = shape.product()?.value();
        return match (0..size).contains(&index.value()) {
            true => Ok(()),
            false => Err(Error::message(&format!("coordinate {index} is not below {size}"))),
        };
    }
    let pairs = coordinate.elements().iter().zip(shape.elements());
    let index: Vec<i64> = pairs
        .map(|(part, shape)| crd2int(part, shape).map(Int::value))
        .collect::<Result<_, _>>()?;
    Ok(tilewright::shape::check_index(&index, dims)?)
}
