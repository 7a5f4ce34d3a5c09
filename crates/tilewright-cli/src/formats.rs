//! `tilewright formats`: what formats an array could have on a TPU.

use serde::Serialize;
use tilewright::ArrayShape;
use tilewright::formats::tpu::{
    Candidate, argument_bytes, candidates, compared_shape, padding_in_words,
};

use crate::Answer;
use crate::args::FormatsArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::subject::{Reader, for_each_text};
use crate::table;

/// How many formats a person is shown without asking for all.
const SHOWN: usize = 10;

#[derive(Serialize)]
struct Row {
    text: String,
    bytes: i64,
    padding_bytes: i64,
    /// What a relayout to this format reads and writes; 0 where memory stays as it is.
    moves_bytes: i64,
    bitcast: bool,
    distance: u32,
    /// What the tile pads, in words.
    reason: String,
}

impl Row {
    fn of(candidate: &Candidate) -> Result<Self, Failure> {
        Ok(Row {
            text: candidate.shape.to_string(),
            bytes: candidate.bytes,
            padding_bytes: candidate.padding_bytes,
            moves_bytes: candidate.moves_bytes,
            bitcast: candidate.is_bitcast,
            distance: candidate.distance,
            reason: padding_in_words(&candidate.shape)?,
        })
    }
}

pub(crate) fn run(
    args: &FormatsArgs,
    reader: Reader,
    console: &mut Console,
) -> Result<Answer, Failure> {
    for_each_text(&args.shape, console, |text, console| {
        let shape = reader.xla_array(text, console)?;
        let from = compared_shape(&shape, args.chip)?;
        let list = candidates(&from, args.chip)?;
        let rows: Vec<Row> = list.iter().map(Row::of).collect::<Result<_, _>>()?;
        let compared = compared_with(&from)?;
        let n_shown = if args.all { rows.len() } else { rows.len().min(SHOWN) };
        console.answer(&rows, || described(&compared, &rows, n_shown))
    })?;
    Ok(Answer::Yes)
}

/// The format that all are compared with.
fn compared_with(from: &ArrayShape) -> Result<String, Failure> {
    Ok(format!("from  {from}  {} bytes\n      {}", argument_bytes(from)?, padding_in_words(from)?))
}

fn described(compared: &str, rows: &[Row], n_shown: usize) -> String {
    let mut lines = vec![["format", "bytes", "of padding", "moves"].map(str::to_owned)];
    lines.extend(rows.iter().take(n_shown).map(|row| {
        let moves = if row.bitcast { "nothing".to_owned() } else { row.moves_bytes.to_string() };
        [row.text.clone(), row.bytes.to_string(), row.padding_bytes.to_string(), moves]
    }));
    let table = table::aligned(&lines, &[table::Left, table::Right, table::Right, table::Right]);
    let more = match rows.len() - n_shown {
        0 => String::new(),
        n => format!("\n… and {n} more: --all shows them"),
    };
    let best = rows.first().map_or(String::new(), |row| {
        format!("\nbest  {}  {} bytes\n      {}", row.text, row.bytes, row.reason)
    });
    format!("{compared}{best}\n\n{table}{more}")
}
