//! `tilewright tpu`: the format that a TPU's compiler gives an array.

use serde::Serialize;
use tilewright::ArrayShape;
use tilewright::formats::tpu::{Chip, argument_bytes, default_shape};

use crate::Answer;
use crate::args::TpuArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::subject::{Reader, for_each_text};
use crate::table;

#[derive(Serialize)]
struct Document {
    chip: &'static str,
    text: String,
    /// What the device takes.
    bytes: i64,
    #[serde(skip)]
    padding: i64,
}

impl Document {
    fn of(shape: &ArrayShape, chip: Chip) -> Result<Self, Failure> {
        let shape = default_shape(shape, chip)?;
        let bytes = argument_bytes(&shape)?;
        let padding = bytes - shape.logical_bytes()?;
        Ok(Document { chip: chip.name(), text: shape.to_string(), bytes, padding })
    }
}

pub(crate) fn run(
    args: &TpuArgs,
    reader: Reader,
    console: &mut Console,
) -> Result<Answer, Failure> {
    for_each_text(&args.shape, console, |text, console| {
        let shape = reader.xla_array(text, console)?;
        match args.chip {
            Some(chip) => {
                let document = Document::of(&shape, chip)?;
                console.answer(&document, || in_words(&document))
            }
            None => {
                let documents: Vec<Document> = Chip::ALL
                    .into_iter()
                    .map(|chip| Document::of(&shape, chip))
                    .collect::<Result<_, _>>()?;
                console.answer(&documents, || as_table(&documents))
            }
        }
    })?;
    Ok(Answer::Yes)
}

fn in_words(document: &Document) -> String {
    let Document { text, bytes, padding, .. } = document;
    match padding {
        0 => format!("{text}  {bytes} bytes"),
        _ => {
            format!("{text}  {bytes} bytes: {} of data, {padding} of padding", bytes - padding)
        }
    }
}

fn as_table(documents: &[Document]) -> String {
    let mut rows = vec![["chip", "format", "bytes", "of padding"].map(str::to_owned)];
    rows.extend(documents.iter().map(|document| {
        let [bytes, padding] = [document.bytes, document.padding].map(|n| n.to_string());
        [document.chip.to_owned(), document.text.clone(), bytes, padding]
    }));
    table::aligned(&rows, &[table::Left, table::Left, table::Right, table::Right])
}
