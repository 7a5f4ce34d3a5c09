//! `tilewright calc`: the layout algebra, as expressions.

use tilewright_ask::{Calc, Error, Explain, Operations};

use crate::Answer;
use crate::args::CalcArgs;
use crate::batch::for_each_text;
use crate::console::Console;
use crate::failure::Failure;

pub(crate) fn run(args: &CalcArgs, console: &mut Console) -> Result<Answer, Failure> {
    let Some(expression) = &args.expression else {
        console.answer(&Operations {}.answer(), tilewright_calc::list)?;
        return Ok(Answer::Yes);
    };
    for_each_text(expression, console, |text, console| {
        let expression = text.to_owned();
        if args.explain {
            let explained = Explain { expression }.answer().map_err(explained)?;
            return console.answer(&explained, || explained.explanation.to_string());
        }
        let value = Calc { expression }.answer().map_err(explained)?;
        console.answer(&value, || value.text.clone())
    })?;
    Ok(Answer::Yes)
}

/// An error with where to find what there is.
fn explained(error: Error) -> Failure {
    match error.is_unknown_operation() {
        true => Failure::message(&format!("{error}; --list shows all of them")),
        false => error.into(),
    }
}
