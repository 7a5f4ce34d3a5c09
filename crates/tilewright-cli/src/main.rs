//! The `tilewright` command: say, ask, see and move tiled array layouts.
//!
//! Text and files come in, answers go to stdout and words to stderr. What the answers mean is the
//! libraries' to say; here is only how they are asked for and shown.
//!
//! Exit status: 0 yes or done, 1 a well-formed question whose answer is no, 2 bad input or usage.

#![forbid(unsafe_code)]

mod args;
mod batch;
mod console;
mod failure;
mod json;
mod layouts;
mod signals;
mod words;

mod bitcast;
mod calc;
mod draw;
mod emit;
mod explore;
mod grid;
mod identify;
mod index;
mod same;
mod show;
mod to;

mod formats;
mod tpu;

mod assign;
mod convert;
mod dump;
mod hlo;
mod input;
mod inspect;
mod offsets_file;
mod plan;
mod progress;
mod size;
mod table;
mod verify;

mod completions;
mod man;

use std::process::ExitCode;

use tilewright_ask::Reader;

use args::{Arguments, Command};
use console::Console;
use failure::Failure;

/// A question's answer, as the exit status tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Yes, or done.
    Yes,
    /// The question was well formed, and the answer is no.
    No,
}

fn main() -> ExitCode {
    let arguments = match Arguments::read() {
        Ok(arguments) => arguments,
        Err(exit) => return exit,
    };
    signals::survive_large_files();
    let mut console = Console::new(arguments.json);
    match run(arguments, &mut console).and_then(|answer| console.finish(answer)) {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(failure) => {
            console.report(&failure);
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Arguments, console: &mut Console) -> Result<Answer, Failure> {
    let reader = Reader { strict: arguments.strict, note: &words::write_words };
    match arguments.command {
        Command::Show(args) => show::run(&args, reader, console),
        Command::Index(args) => index::run(&args, reader, console),
        Command::Same(args) => same::run(&args, reader, console),
        Command::Plan(args) => plan::run(&args, reader, console),
        Command::Bitcast(args) => bitcast::run(&args, reader, console),
        Command::To(args) => to::run(&args, reader, console),
        Command::Emit(args) => emit::run(&args, reader, console),
        Command::Tpu(args) => tpu::run(&args, reader, console),
        Command::Layouts(args) => layouts::run(&args, console),
        Command::Formats(args) => formats::run(&args, reader, console),
        Command::Draw(args) => draw::run(&args, reader, console),
        Command::Explore(args) => explore::run(&args, console),
        Command::Calc(args) => calc::run(&args, console),
        Command::Convert(args) => convert::run(&args, arguments.strict, console),
        Command::Identify(args) => identify::run(&args, arguments.strict, console),
        Command::Verify(args) => verify::run(&args, arguments.strict, console),
        Command::Inspect(args) => inspect::run(&args, arguments.strict, console),
        Command::Hlo(args) => hlo::run(&args, reader, console),
        Command::Assign(args) => assign::run(&args, console),
        Command::Completions(args) => completions::run(&args, console),
        Command::Man(args) => man::run(&args, console),
    }
}
