//! `cargo xtask exhaustive`: every layout of small arrays, held to an arithmetic that is worked out by hand.

use std::process::{Command, ExitCode};

use crate::environment::{root, succeed};
use crate::say;

/// Optimised: it looks at tens of millions of offsets.
const PROGRAM: [&str; 7] =
    ["run", "--release", "--quiet", "--package", "tilewright-fuzz", "--example", "exhaustive"];

/// Runs it, the ranges whose names have this in them. The exit status is 1 where a law does not hold.
pub(crate) fn run(range: &[String]) -> ExitCode {
    let run =
        |root| succeed(Command::new("cargo").args(PROGRAM).arg("--").args(range).current_dir(root));
    match root().and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("exhaustive: {message}"));
            ExitCode::FAILURE
        }
    }
}
