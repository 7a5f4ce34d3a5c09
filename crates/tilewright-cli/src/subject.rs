//! What a command is about: a layout as somebody typed it, in any notation.

use std::io::{self, BufRead};

use tilewright::xla::{ParseOptions, parse_shape};
use tilewright::{ArrayShape, IndexMap, Shape};

use crate::console::Console;
use crate::failure::Failure;

/// Reads layouts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    /// Only what XLA's own parser takes.
    pub(crate) strict: bool,
}

impl Reader {
    /// The shape that a text says; warnings go to stderr.
    pub(crate) fn shape(self, text: &str, console: &Console) -> Result<Shape, Failure> {
        let options = ParseOptions { strict: self.strict, ..ParseOptions::default() };
        let parsed = parse_shape(text, options)?;
        for warning in parsed.warnings {
            console.note(&warning.to_string());
        }
        Ok(parsed.value)
    }

    /// The array that a text says.
    pub(crate) fn array(self, text: &str, console: &Console) -> Result<Subject, Failure> {
        let shape = self.shape(text, console)?;
        let array = shape.as_array()?.clone();
        let map = array.index_map()?;
        Ok(Subject { array, map })
    }
}

/// An array and where its elements lie.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) array: ArrayShape,
    pub(crate) map: IndexMap,
}

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
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        match each(line.trim(), console) {
            Err(failure) if !failure.is_broken_pipe() => console.line_failed(&failure)?,
            outcome => outcome?,
        }
    }
    Ok(())
}
