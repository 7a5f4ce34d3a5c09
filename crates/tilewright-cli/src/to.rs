//! `tilewright to`: a layout in another notation.

use anyhow::Context;
use serde_json::json;
use tilewright::map;
use tilewright::notation::Described;

use crate::Answer;
use crate::args::{Notation, ToArgs};
use crate::console::Console;
use crate::failure::Failure;
use crate::subject::{Reader, Subject, for_each_text};

/// What is said before the reason.
const REFUSED: &str = "there is no exact translation";

pub(crate) fn run(args: &ToArgs, reader: Reader, console: &mut Console) -> Result<Answer, Failure> {
    for_each_text(&args.layout, console, |text, console| {
        let translated = translated(args.notation, text, reader, console)?;
        console.answer(&json!({ "text": translated }), || translated.clone())
    })?;
    Ok(Answer::Yes)
}

fn translated(
    notation: Notation,
    text: &str,
    reader: Reader,
    console: &Console,
) -> Result<String, Failure> {
    let notation = match notation {
        Notation::Xla => return to_xla(text, reader, console),
        Notation::Tla => map::Notation::Tla,
        Notation::Cute => map::Notation::Cute,
        Notation::Onednn => map::Notation::OneDnn,
        Notation::Numpy => map::Notation::Numpy,
        Notation::Mlir => map::Notation::Mlir,
    };
    let subject = reader.array(text, console)?;
    Ok(subject.to_notation(notation).context(REFUSED)?)
}

fn to_xla(text: &str, reader: Reader, console: &Console) -> Result<String, Failure> {
    match reader.read(text, console)? {
        Described::Xla(shape) => Ok(shape.to_string()),
        said => Ok(Subject::of(said)?.xla_text().context(REFUSED)?),
    }
}
