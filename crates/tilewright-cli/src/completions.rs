//! `tilewright completions`: a completion script for a shell.

use crate::Answer;
use crate::args::{Arguments, CompletionsArgs};
use crate::console::Console;
use crate::failure::Failure;

pub(crate) fn run(args: &CompletionsArgs, console: &mut Console) -> Result<Answer, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::definition(), "tilewright", &mut script);
    console.write(&script)?;
    Ok(Answer::Yes)
}
