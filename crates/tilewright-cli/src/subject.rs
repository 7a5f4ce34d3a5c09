//! What a command is about: a layout as somebody typed it, in any notation.

use std::io::{self, BufRead, Read};

use tilewright::algebra::Composition;
use tilewright::map::{Notation, Untranslatable};
use tilewright::notation::Described;
use tilewright::text::MAX_TEXT;
use tilewright::xla::ParseOptions;
use tilewright::{ArrayShape, ElementType, Error, IndexMap, Shape, tla};

use crate::console::Console;
use crate::failure::Failure;

/// Reads layouts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    /// Only what XLA's own parser takes.
    pub(crate) strict: bool,
}

impl Reader {
    /// What a text says; warnings go to stderr.
    pub(crate) fn read(self, text: &str, console: &Console) -> Result<Described, Failure> {
        let options = ParseOptions { strict: self.strict, ..ParseOptions::default() };
        let parsed = Described::parse(text, options)?;
        for warning in parsed.warnings {
            console.note(&warning.to_string());
        }
        Ok(parsed.value)
    }

    /// The array that a text says, as XLA has it: with an element type, and a layout if one is said.
    pub(crate) fn xla_array(self, text: &str, console: &Console) -> Result<ArrayShape, Failure> {
        Ok(self.read(text, console)?.to_array()?)
    }

    /// The array that a text says.
    pub(crate) fn array(self, text: &str, console: &Console) -> Result<Subject, Failure> {
        Ok(Subject::of(self.read(text, console)?)?)
    }
}

/// An array and where its elements lie.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    said: Described,
    pub(crate) map: IndexMap,
}

impl Subject {
    pub(crate) fn of(said: Described) -> Result<Self, Error> {
        let map = said.index_map()?;
        Ok(Subject { said, map })
    }

    pub(crate) fn of_array(array: ArrayShape) -> Result<Self, Error> {
        Self::of(Described::Xla(Shape::Array(array)))
    }

    /// The canonical text.
    pub(crate) fn text(&self) -> String {
        self.said.to_string()
    }

    /// The name of the notation it was said in.
    pub(crate) fn notation(&self) -> &'static str {
        self.said.notation()
    }

    /// The array, where it was said in XLA's notation.
    pub(crate) fn xla_array(&self) -> Option<&ArrayShape> {
        match &self.said {
            Described::Xla(shape) => shape.as_array().ok(),
            _ => None,
        }
    }

    /// The layout, where it was said as shape and stride, composed or not.
    pub(crate) fn composition(&self) -> Option<&Composition> {
        match &self.said {
            Described::Tla(typed) => Some(&typed.layout),
            _ => None,
        }
    }

    pub(crate) fn element_type(&self) -> Option<ElementType> {
        self.said.element_type()
    }

    /// The bits of an element, where the type is said.
    pub(crate) fn element_bits(&self) -> Option<u32> {
        self.said.element_bits()
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
        if let Some(array) = self.xla_array() {
            return Ok(array.to_string());
        }
        match self.element_type() {
            None => Ok(self.map.to_xla_layout()?.to_string()),
            Some(_) => Ok(self.said.to_array()?.to_string()),
        }
    }

    /// The text in another notation.
    pub(crate) fn to_notation(&self, notation: Notation) -> Result<String, Untranslatable> {
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

/// What may stand around a layout on its line: the blanks of XLA's own reader.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// Of a line that is too long, no more than this is passed over to find its end.
const MAX_SKIPPED: usize = 256 << 20;

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
    let mut lines = io::stdin().lock();
    while let Some(line) = next_line(&mut lines)? {
        let outcome = match line.map(String::from_utf8) {
            Some(Ok(line)) if line.trim_matches(BLANKS).is_empty() => continue,
            Some(Ok(line)) => each(line.trim_matches(BLANKS), console),
            Some(Err(_)) => Err(Failure::message("the line is not UTF-8")),
            None => {
                let message = format!("the line has more than the limit of {MAX_TEXT} bytes");
                Err(Failure::message(&message))
            }
        };
        match outcome {
            Err(failure @ Failure::Output(_)) => return Err(failure),
            Err(failure) => console.line_failed(&failure)?,
            Ok(()) => {}
        }
        // There may be no end to what comes, and nobody wants it.
        if !console.is_read() {
            break;
        }
    }
    Ok(())
}

/// The next line of a stream, without its end; nothing of it where it has more bytes than a text may
/// have. Memory for more is never taken, whatever the stream holds.
fn next_line(stream: &mut impl BufRead) -> Result<Option<Option<Vec<u8>>>, Failure> {
    let (mut line, most) = (Vec::new(), MAX_TEXT + 1);
    if stream.by_ref().take(most as u64).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() == most && line.last() != Some(&b'\n') {
        skip_line(stream)?;
        return Ok(Some(None));
    }
    line.pop_if(|last| *last == b'\n');
    Ok(Some(Some(line)))
}

/// Passes over what is left of a line.
fn skip_line(stream: &mut impl BufRead) -> Result<(), Failure> {
    let mut skipped = 0;
    while skipped <= MAX_SKIPPED {
        let here = stream.fill_buf()?;
        let end = here.iter().position(|byte| *byte == b'\n');
        let len = end.map_or(here.len(), |end| end + 1);
        stream.consume(len);
        skipped += len;
        if end.is_some() || len == 0 {
            return Ok(());
        }
    }
    Err(Failure::message(&format!("a line of stdin has more than {MAX_SKIPPED} bytes")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use std::io::{self, BufReader};

    fn lengths(text: &[u8]) -> Vec<Option<usize>> {
        let mut stream = BufReader::new(text);
        let lines = std::iter::from_fn(|| next_line(&mut stream).unwrap());
        lines.map(|line| line.map(|line| line.len())).collect()
    }

    #[test]
    fn lines_are_what_they_are_up_to_the_limit() {
        assert_eq!(lengths(b""), []);
        assert_eq!(lengths(b"ab\n\nc"), [Some(2), Some(0), Some(1)]);
        let long = |len: usize| [vec![b'x'; len], b"\nab\n".to_vec()].concat();
        assert_eq!(lengths(&long(MAX_TEXT)), [Some(MAX_TEXT), Some(2)]);
        assert_eq!(lengths(&long(MAX_TEXT + 1)), [None, Some(2)]);
        assert_eq!(lengths(&long(3 * MAX_TEXT)), [None, Some(2)]);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut endless = BufReader::new(io::repeat(0));
        let error = next_line(&mut endless).unwrap_err();
        assert_eq!(error.to_string(), "a line of stdin has more than 268435456 bytes");
    }
}
