//! `tilewright bitcast`: is one array's memory another's?

use tilewright_ask::{Bitcast, BitcastAnswer, Reader};

use crate::Answer;
use crate::args::SameArgs;
use crate::console::Console;
use crate::failure::Failure;

pub(crate) fn run(
    args: &SameArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let question = Bitcast { a: args.a.clone(), b: args.b.clone() };
    let answer = question.answer(reader)?;
    console.answer(&answer, || described(&answer))?;
    Ok(if answer.bitcast { Answer::Yes } else { Answer::No })
}

fn described(answer: &BitcastAnswer) -> String {
    if let Some(reason) = &answer.reason {
        return format!("no: {reason}");
    }
    let kind = answer.kind.unwrap_or("");
    match (&answer.permutation, &answer.steps) {
        (Some(permutation), _) => format!("{kind} by {permutation:?}"),
        (_, Some(steps)) => format!(
            "{kind}: transpose by {:?}, reshape to {:?}, transpose by {:?}",
            steps.transpose, steps.reshape, steps.then_transpose
        ),
        _ => kind.to_owned(),
    }
}
