//! `tilewright formats`: what formats an array could have, on a TPU or by name.

use tilewright::ArrayShape;
use tilewright::formats::tpu::{argument_bytes, padding_in_words};
use tilewright_ask::{Format, Formats, Reader};

use crate::Answer;
use crate::args::FormatsArgs;
use crate::batch::for_each_text;
use crate::console::Console;
use crate::failure::Failure;
use crate::table;

/// How many formats a person is shown without asking for all.
const SHOWN: usize = 10;

pub(crate) fn run(
    args: &FormatsArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    for_each_text(&args.shape, console, |text, console| {
        let question =
            Formats { shape: text.to_owned(), chip: args.chip.map(|chip| chip.name().to_owned()) };
        let answer = question.answer(reader)?;
        let compared = compared_with(&answer.from, args.chip.is_some())?;
        let rows = &answer.formats;
        let n_shown = if args.all { rows.len() } else { rows.len().min(SHOWN) };
        console.answer(&answer, || described(&compared, rows, n_shown))
    })?;
    Ok(Answer::Yes)
}

/// The format that all are compared with; what it takes on a TPU is what the device's tiles make of it.
fn compared_with(from: &ArrayShape, is_on_tpu: bool) -> Result<String, Failure> {
    Ok(match is_on_tpu {
        true => {
            format!(
                "from  {from}  {} bytes\n      {}",
                argument_bytes(from)?,
                padding_in_words(from)?
            )
        }
        false => format!("from  {from}  {} bytes", from.bytes()?),
    })
}

fn described(compared: &str, rows: &[Format], n_shown: usize) -> String {
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
