//! `tilewright emit`: layouts and relayouts as source code.

use tilewright_ask::{Emit, Reader};

use crate::Answer;
use crate::args::EmitArgs;
use crate::console::Console;
use crate::failure::Failure;

pub(crate) fn run(
    args: &EmitArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let question = Emit {
        lang: args.lang.clone(),
        layout: args.layout.clone(),
        to: args.to.clone(),
        name: Some(args.name.clone()),
        dynamic: args.dynamic.clone(),
    };
    let code = question.answer(reader)?;
    console.answer(&code, || code.text.trim_end().to_owned())?;
    Ok(Answer::Yes)
}
