//! What a layout says.

use serde::{Deserialize, Serialize};
use tilewright::formats::catalogue::NamedArray;
use tilewright::map::Notation;
use tilewright::notation::Described;
use tilewright::tla::Layout;
use tilewright::{ArrayShape, ElementType, Shape};

use crate::coordinates;
use crate::error::Error;
use crate::layouts::CarrierRow;
use crate::subject::{Reader, Subject, coordinate_layout};

/// What does a layout say?
///
/// ```
/// use tilewright_ask::{Reader, Show};
/// let reader = Reader { strict: false, note: &|_| {} };
/// let shown = Show { layout: "f32[3,5]{1,0:T(2,2)}".to_owned() }.answer(reader)?;
/// assert_eq!((shown.bytes, shown.padding_bytes), (Some(96), Some(36)));
/// # Ok::<(), tilewright_ask::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// The layout, in any notation.
    pub layout: String,
}

/// What is known of a shape; what does not apply is null.
#[derive(Clone, Debug, Serialize, Default)]
pub struct Shown {
    /// The canonical text.
    pub text: String,
    /// The notation that it is in: `xla`, `tla`, `onednn`, `numpy`, `named`.
    pub notation: &'static str,
    /// The type of its elements.
    pub element_type: Option<&'static str>,
    /// The sizes of its dimensions; null where one has no bound.
    pub dims: Option<Vec<Option<i64>>>,
    /// The order of its dimensions.
    pub minor_to_major: Option<Vec<usize>>,
    /// The dims of the array that memory is, in row-major order.
    pub physical_dims: Option<Vec<i64>>,
    /// How many elements it has.
    pub elements: Option<i64>,
    /// How many its memory has room for.
    pub allocation_elements: Option<i64>,
    /// The bytes of its memory.
    pub bytes: Option<i64>,
    /// The bytes of its elements alone.
    pub logical_bytes: Option<i64>,
    /// The bytes by XLA's own count, which looks at the first tile only.
    pub xla_bytes: Option<i64>,
    /// The bytes of its padding.
    pub padding_bytes: Option<i64>,
    /// The offset of an element, by its index.
    pub index_expression: Option<String>,
    /// The same as shape, stride and original shape.
    pub tla: Option<String>,
    /// The same in XLA's notation.
    pub xla: Option<String>,
    /// What the library that named the layout stores it as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carrier: Option<CarrierRow>,
    /// What it XORs codes of this type with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xor: Option<u64>,
    /// The parts of a tuple, and the array in a buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves: Option<Vec<Shown>>,
    /// What it is.
    #[serde(skip)]
    pub about: About,
}

/// What a shape is, beside what can be said of it.
#[derive(Clone, Debug, Default)]
pub enum About {
    /// An array.
    Array(Box<Subject>),
    /// A layout that leads to coordinates, and has no size.
    Coordinates,
    /// An array with a dimension that has no bound.
    Unbounded,
    /// What holds arrays and is none: a tuple, or a buffer, which XLA too keeps as a shape with one
    /// shape inside of it. Sizes and offsets are those of the parts.
    #[default]
    Parts,
    /// No array at all: `token`, `opaque`.
    NoArray(&'static str),
}

impl Show {
    /// The answer.
    ///
    /// # Errors
    /// If the text says no layout, or a number does not fit 64 bits.
    pub fn answer(&self, reader: Reader<'_>) -> Result<Shown, Error> {
        Shown::of(reader.read(&self.layout)?)
    }
}

impl Shown {
    fn of(said: Described) -> Result<Self, Error> {
        if let Described::Xla(shape) = &said {
            return Shown::of_shape(shape);
        }
        match coordinate_layout(&said) {
            Some(layout) => Shown::of_coordinates(layout, &said),
            None => Shown::of_array(Subject::of(said)?),
        }
    }

    fn of_coordinates(layout: &Layout, said: &Described) -> Result<Self, Error> {
        Ok(Shown {
            text: said.to_string(),
            notation: said.notation(),
            dims: Some(layout.org_shape()?.values().into_iter().map(Some).collect()),
            elements: Some(layout.org_shape()?.product()?.value()),
            index_expression: Some(coordinates::expressions(layout)?),
            tla: Some(layout.to_string()),
            about: About::Coordinates,
            ..Shown::default()
        })
    }

    fn of_shape(shape: &Shape) -> Result<Self, Error> {
        let text = shape.to_string();
        let shown = Shown { xla: Some(text.clone()), text, notation: "xla", ..Shown::default() };
        match shape {
            Shape::Array(array) => match Subject::of_array(array.clone()) {
                Ok(subject) => Shown::of_array(subject),
                Err(error) if error.is_unbounded() => Ok(Shown::of_unbounded(array, shown)),
                Err(error) => Err(error.into()),
            },
            Shape::Buffer(array) => shown.with_parts([&array.clone().into()]),
            Shape::Tuple(_) => shown.with_parts(shape.leaves()),
            Shape::Token | Shape::Opaque => {
                Ok(Shown { about: About::NoArray(shape.kind_name()), ..shown })
            }
        }
    }

    fn of_unbounded(array: &ArrayShape, shown: Shown) -> Self {
        Shown {
            element_type: Some(array.element_type().xla_name()),
            dims: Some(array.dims().iter().map(|dim| dim.bound()).collect()),
            minor_to_major: Some(array.layout_or_default().minor_to_major().to_vec()),
            about: About::Unbounded,
            ..shown
        }
    }

    fn with_parts<'s>(self, parts: impl IntoIterator<Item = &'s Shape>) -> Result<Self, Error> {
        let leaves = parts.into_iter().map(Shown::of_shape).collect::<Result<_, _>>()?;
        Ok(Shown { leaves: Some(leaves), ..self })
    }

    fn of_array(subject: Subject) -> Result<Self, Error> {
        let map = subject.map();
        let array = subject.as_xla_array();
        let (bytes, logical_bytes) = (subject.bytes()?, subject.logical_bytes());
        let order = array.map(|array| array.layout_or_default().minor_to_major().to_vec());
        Ok(Shown {
            carrier: subject.as_named().map(|named| CarrierRow::of(named.carrier())),
            xor: subject.as_named().map(NamedArray::xor_mask),
            text: subject.text(),
            notation: subject.notation(),
            element_type: subject.element_type().map(ElementType::xla_name),
            dims: Some(map.dims().iter().copied().map(Some).collect()),
            minor_to_major: order,
            physical_dims: Some(map.physical_dims().to_vec()),
            elements: Some(map.elements()),
            allocation_elements: Some(map.allocation()),
            bytes,
            logical_bytes,
            xla_bytes: array.map(ArrayShape::xla_bytes).transpose()?.flatten(),
            padding_bytes: bytes.zip(logical_bytes).map(|(bytes, logical)| bytes - logical),
            index_expression: Some(map.index_expression()),
            tla: subject.to_notation(Notation::Tla).ok(),
            xla: subject.xla_text().ok(),
            leaves: None,
            about: About::Array(Box::new(subject)),
        })
    }
}
