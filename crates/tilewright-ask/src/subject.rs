//! What a question is about: a layout as somebody typed it, in any notation.

use tilewright::algebra::Composition;
use tilewright::formats::catalogue::NamedArray;
use tilewright::map::{Notation, Untranslatable};
use tilewright::notation::Described;
use tilewright::xla::ParseOptions;
use tilewright::{ArrayShape, ElementType, Error as LayoutError, IndexMap, Shape, tla};

use crate::error::Error;

/// Reads layouts.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// Only what XLA's own parser takes.
    pub strict: bool,
    /// Is told what is worth knowing beside the answer, such as warnings of what was read.
    pub note: &'a dyn Fn(&str),
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("strict", &self.strict).finish_non_exhaustive()
    }
}

impl Reader<'_> {
    /// What a text says.
    ///
    /// # Errors
    /// If it says nothing, with the place.
    pub fn read(self, text: &str) -> Result<Described, Error> {
        let options = ParseOptions { strict: self.strict, ..ParseOptions::default() };
        let parsed = Described::parse(text, options)?;
        for warning in parsed.warnings {
            (self.note)(&warning.to_string());
        }
        Ok(parsed.value)
    }

    /// The array that a text says, as XLA has it: with an element type, and a layout if one is said.
    ///
    /// # Errors
    /// If the text says no array, or one that XLA's notation cannot say.
    pub fn xla_array(self, text: &str) -> Result<ArrayShape, Error> {
        Ok(self.read(text)?.to_array()?)
    }

    /// The array that a text says.
    ///
    /// # Errors
    /// If it says none, or one whose places are not known.
    pub fn array(self, text: &str) -> Result<Subject, Error> {
        Ok(Subject::of(self.read(text)?)?)
    }
}

/// An array and where its elements lie.
#[derive(Clone, Debug)]
pub struct Subject {
    said: Described,
    map: IndexMap,
}

impl Subject {
    /// Of what was said.
    ///
    /// # Errors
    /// If it is no array, a dimension is unbounded, or a number does not fit 64 bits.
    pub fn of(said: Described) -> Result<Self, LayoutError> {
        let map = said.index_map()?;
        Ok(Subject { said, map })
    }

    pub(crate) fn of_array(array: ArrayShape) -> Result<Self, LayoutError> {
        Self::of(Described::Xla(Shape::Array(array)))
    }

    /// Where its elements lie.
    pub fn map(&self) -> &IndexMap {
        &self.map
    }

    /// The canonical text.
    pub fn text(&self) -> String {
        self.said.to_string()
    }

    /// The name of the notation it was said in.
    pub fn notation(&self) -> &'static str {
        self.said.notation()
    }

    /// The array, where it was said in XLA's notation.
    pub fn as_xla_array(&self) -> Option<&ArrayShape> {
        match &self.said {
            Described::Xla(shape) => shape.as_array().ok(),
            _ => None,
        }
    }

    /// The layout, where it was said as shape and stride, composed or not.
    pub fn composition(&self) -> Option<&Composition> {
        match &self.said {
            Described::Tla(typed) => Some(&typed.layout),
            Described::Named(array) => array.composition(),
            _ => None,
        }
    }

    /// The array, where it was said by a name of the catalogue.
    pub fn as_named(&self) -> Option<&NamedArray> {
        match &self.said {
            Described::Named(array) => Some(array),
            _ => None,
        }
    }

    /// The type of its elements, where it is said.
    pub fn element_type(&self) -> Option<ElementType> {
        self.said.element_type()
    }

    /// The bits of an element, where the type is said.
    pub fn element_bits(&self) -> Option<u32> {
        self.said.element_bits()
    }

    /// The bytes of the allocation, where the type is said.
    pub(crate) fn bytes(&self) -> Result<Option<i64>, LayoutError> {
        self.element_bits().map(|bits| self.map.bytes(bits)).transpose()
    }

    /// The bytes of the elements alone, where the type is said.
    pub(crate) fn logical_bytes(&self) -> Option<i64> {
        let bits = i128::from(self.element_bits()?) * i128::from(self.map.elements());
        i64::try_from((bits + 7) / 8).ok()
    }

    /// The text in XLA's notation: of an array, or, where no type is said, of a layout.
    ///
    /// # Errors
    /// If XLA's notation cannot say it.
    pub fn xla_text(&self) -> Result<String, Error> {
        if let Some(array) = self.as_xla_array() {
            return Ok(array.to_string());
        }
        match self.element_type() {
            None => Ok(self.map.to_xla_layout().map_err(Error::of)?.to_string()),
            Some(_) => Ok(self.said.to_array()?.to_string()),
        }
    }

    /// The text in another notation.
    ///
    /// # Errors
    /// If there is no exact translation.
    pub fn to_notation(&self, notation: Notation) -> Result<String, Untranslatable> {
        match (self.composition(), notation) {
            (Some(layout), Notation::Tla) => Ok(layout.to_string()),
            (Some(Composition::Layout(layout)), Notation::Cute) => {
                Ok(layout.clone().without_org_shape().to_string())
            }
            (Some(composed), Notation::Cute) => Ok(composed.to_string()),
            _ => self.map.to_notation(notation, self.element_bits().unwrap_or(8)),
        }
    }
}

/// The layout, where what was said leads to coordinates and not to offsets.
pub(crate) fn coordinate_layout(said: &Described) -> Option<&tla::Layout> {
    match said {
        Described::Tla(typed) => match &typed.layout {
            Composition::Layout(layout) if layout.has_coordinate_strides() => Some(layout),
            _ => None,
        },
        _ => None,
    }
}
