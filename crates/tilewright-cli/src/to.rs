//! `tilewright to`: a layout in another notation.

use tilewright_ask::{Notation, Reader, To};

use crate::Answer;
use crate::args::{self, ToArgs};
use crate::batch::for_each_text;
use crate::console::Console;
use crate::failure::Failure;

pub(crate) fn run(
    args: &ToArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let notation = match args.notation {
        args::Notation::Xla => Notation::Xla,
        args::Notation::Tla => Notation::Tla,
        args::Notation::Cute => Notation::Cute,
        args::Notation::Onednn => Notation::Onednn,
        args::Notation::Numpy => Notation::Numpy,
        args::Notation::Mlir => Notation::Mlir,
    };
    for_each_text(&args.layout, console, |layout, console| {
        let translated = To { notation, layout: layout.to_owned() }.answer(reader)?;
        console.answer(&translated, || translated.text.clone())
    })?;
    Ok(Answer::Yes)
}
