//! `tilewright same`: do two layouts place every element alike?

use tilewright_ask::{Reader, Same};

use crate::Answer;
use crate::args::SameArgs;
use crate::console::Console;
use crate::failure::Failure;

pub(crate) fn run(
    args: &SameArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let question = Same { a: args.a.clone(), b: args.b.clone() };
    let comparison = question.answer(reader)?;
    console.answer(&comparison, || {
        comparison.reason.clone().unwrap_or_else(|| "the same".to_owned())
    })?;
    Ok(if comparison.same { Answer::Yes } else { Answer::No })
}
