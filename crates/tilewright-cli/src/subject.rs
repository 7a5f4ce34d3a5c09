//! What a command is about: a layout as somebody typed it, in any notation.

use std::io::{self, BufRead};

use tilewright::map::{Notation, Untranslatable};
use tilewright::tla::TypedLayout;
use tilewright::xla::{ParseOptions, parse_shape};
use tilewright::{ArrayShape, ElementType, Error, IndexMap, Shape};

use crate::console::Console;
use crate::failure::Failure;

/// Reads layouts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    /// Only what XLA's own parser takes.
    pub(crate) strict: bool,
}

/// What a text says.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    /// A shape in XLA's notation.
    Shape(Shape),
    /// A hierarchical layout.
    Tla(TypedLayout),
}

impl Reader {
    /// What a text says; warnings go to stderr. A bracket makes it XLA's.
    pub(crate) fn read(self, text: &str, console: &Console) -> Result<Said, Failure> {
        let is_tla = text.contains(':') && !text.contains('[') && !self.strict;
        if is_tla {
            return Ok(Said::Tla(text.parse()?));
        }
        let options = ParseOptions { strict: self.strict, ..ParseOptions::default() };
        let parsed = parse_shape(text, options)?;
        for warning in parsed.warnings {
            console.note(&warning.to_string());
        }
        Ok(Said::Shape(parsed.value))
    }

    /// The array that a text says.
    pub(crate) fn array(self, text: &str, console: &Console) -> Result<Subject, Failure> {
        match self.read(text, console)? {
            Said::Shape(shape) => Ok(Subject::of_array(shape.as_array()?.clone())?),
            Said::Tla(layout) => Ok(Subject::of_tla(layout)?),
        }
    }
}

/// An array and where its elements lie.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    source: Source,
    pub(crate) map: IndexMap,
}

#[derive(Clone, Debug)]
enum Source {
    Xla(ArrayShape),
    Tla(TypedLayout),
}

impl Subject {
    pub(crate) fn of_array(array: ArrayShape) -> Result<Self, Error> {
        let map = array.index_map()?;
        Ok(Subject { source: Source::Xla(array), map })
    }

    pub(crate) fn of_tla(layout: TypedLayout) -> Result<Self, Error> {
        let map = IndexMap::from_tla(&layout.layout)?;
        Ok(Subject { source: Source::Tla(layout), map })
    }

    /// The canonical text.
    pub(crate) fn text(&self) -> String {
        match &self.source {
            Source::Xla(array) => array.to_string(),
            Source::Tla(layout) => layout.to_string(),
        }
    }

    /// The name of the notation it was said in.
    pub(crate) fn notation(&self) -> &'static str {
        match &self.source {
            Source::Xla(_) => "xla",
            Source::Tla(_) => "tla",
        }
    }

    /// The array, where it was said in XLA's notation.
    pub(crate) fn xla_array(&self) -> Option<&ArrayShape> {
        match &self.source {
            Source::Xla(array) => Some(array),
            Source::Tla(_) => None,
        }
    }

    /// The layout, where it was said as shape and stride.
    pub(crate) fn tla_layout(&self) -> Option<&TypedLayout> {
        match &self.source {
            Source::Tla(layout) => Some(layout),
            Source::Xla(_) => None,
        }
    }

    pub(crate) fn element_type(&self) -> Option<ElementType> {
        match &self.source {
            Source::Xla(array) => Some(array.element_type()),
            Source::Tla(layout) => layout.element_type,
        }
    }

    /// The bits of an element, where the type is said.
    pub(crate) fn element_bits(&self) -> Option<u32> {
        match &self.source {
            Source::Xla(array) => Some(array.element_bits()),
            Source::Tla(layout) => layout.element_bits(),
        }
    }

    /// The bytes of the allocation, where the type is said.
    pub(crate) fn bytes(&self) -> Result<Option<i64>, Error> {
        self.element_bits().map(|bits| self.map.bytes(bits)).transpose()
    }

    /// The bytes of the elements alone, where the type is said.
    pub(crate) fn logical_bytes(&self) -> Option<i64> {
        let bits = i128::from(self.element_bits()?) * i128::from(self.map.elements());
        i64::try_from((bits + 7) / 8).ok()
    }

    /// The text in XLA's notation: of an array, or, where no type is said, of a layout.
    pub(crate) fn xla_text(&self) -> anyhow::Result<String> {
        let layout = match &self.source {
            Source::Xla(array) => return Ok(array.to_string()),
            Source::Tla(_) => self.map.to_xla_layout()?,
        };
        Ok(match self.element_type() {
            None => layout.to_string(),
            Some(element_type) => {
                let bits = self.element_bits().filter(|&bits| bits != element_type.storage_bits());
                let layout = layout.with_element_size_in_bits(bits.unwrap_or(0));
                ArrayShape::new(element_type, self.map.dims())?.with_layout(layout)?.to_string()
            }
        })
    }

    /// The text in another notation.
    pub(crate) fn to_notation(&self, notation: Notation) -> Result<String, Untranslatable> {
        match (&self.source, notation) {
            (Source::Tla(layout), Notation::Tla) => Ok(layout.layout.to_string()),
            (Source::Tla(layout), Notation::Cute) => {
                Ok(layout.layout.clone().without_org_shape().to_string())
            }
            _ => self.map.to_notation(notation, self.element_bits().unwrap_or(8)),
        }
    }
}

/// What may stand around a layout on its line: the blanks of XLA's own reader.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// Runs `each` on the text, or, when that is `-`, on every line of stdin. In a batch a line that
/// fails is reported and the rest goes on; empty lines are passed over.
pub(crate) fn for_each_text(
    text: &str,
    console: &mut Console,
    mut each: impl FnMut(&str, &mut Console) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if text != "-" {
        return each(text, console);
    }
    for line in io::stdin().lock().split(b'\n') {
        let line = String::from_utf8(line?);
        let outcome = match &line {
            Ok(line) if line.trim_matches(BLANKS).is_empty() => continue,
            Ok(line) => each(line.trim_matches(BLANKS), console),
            Err(_) => Err(Failure::message("the line is not UTF-8")),
        };
        match outcome {
            Err(failure) if !failure.is_broken_pipe() => console.line_failed(&failure)?,
            outcome => outcome?,
        }
    }
    Ok(())
}
