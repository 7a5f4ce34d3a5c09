//! `tilewright to`: a layout in another notation.

use anyhow::Context;
use serde_json::json;
use tilewright::map;

use crate::Answer;
use crate::args::{Notation, ToArgs};
use crate::console::Console;
use crate::failure::Failure;
use crate::subject::{Reader, for_each_text};

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
        Notation::Xla => return Ok(reader.shape(text, console)?.to_string()),
        Notation::Tla => map::Notation::Tla,
        Notation::Cute => map::Notation::Cute,
        Notation::Numpy => map::Notation::Numpy,
        Notation::Mlir => map::Notation::Mlir,
    };
    let subject = reader.array(text, console)?;
    let translated = subject.map.to_notation(notation, subject.array.element_bits());
    Ok(translated.context("there is no exact translation")?)
}
