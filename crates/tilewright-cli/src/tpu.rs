//! `tilewright tpu`: the format that a TPU's compiler gives an array.

use tilewright_ask::{OnChip, OnChips, Reader, Tpu};

use crate::Answer;
use crate::args::TpuArgs;
use crate::batch::for_each_text;
use crate::console::Console;
use crate::failure::Failure;
use crate::table;

pub(crate) fn run(
    args: &TpuArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let chip = args.chip.map(|chip| chip.name().to_owned());
    for_each_text(&args.shape, console, |text, console| {
        let answer = Tpu { shape: text.to_owned(), chip: chip.clone() }.answer(reader)?;
        console.answer(&answer, || match &answer {
            OnChips::One(one) => in_words(one),
            OnChips::All(all) => as_table(all),
        })
    })?;
    Ok(Answer::Yes)
}

fn in_words(answer: &OnChip) -> String {
    let OnChip { text, bytes, padding, .. } = answer;
    match padding {
        0 => format!("{text}  {bytes} bytes"),
        _ => {
            format!("{text}  {bytes} bytes: {} of data, {padding} of padding", bytes - padding)
        }
    }
}

fn as_table(answers: &[OnChip]) -> String {
    let mut rows = vec![["chip", "format", "bytes", "of padding"].map(str::to_owned)];
    rows.extend(answers.iter().map(|answer| {
        let [bytes, padding] = [answer.bytes, answer.padding].map(|n| n.to_string());
        [answer.chip.to_owned(), answer.text.clone(), bytes, padding]
    }));
    table::aligned(&rows, &[table::Left, table::Left, table::Right, table::Right])
}
