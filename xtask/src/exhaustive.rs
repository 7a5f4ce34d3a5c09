//! `cargo xtask exhaustive`: every layout of small arrays, held to an arithmetic that is worked out by hand, and every divisor
//! that is divided by without dividing.

use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::environment::{root, succeed};
use crate::say;

/// Optimised: it looks at tens of millions of offsets.
const PROGRAM: [&str; 7] =
    ["run", "--release", "--quiet", "--package", "tilewright-fuzz", "--example", "exhaustive"];

/// The test of the core that goes through every divisor where the environment says so.
const DIVISORS: [&str; 7] =
    ["test", "--release", "--quiet", "--package", "tilewright", "--lib", "holds_for_every_divisor"];

/// What the divisors are called.
const OF_DIVISORS: &str = "divisors";

/// Runs it, the ranges whose names have this in them. The exit status is 1 where a law does not hold.
pub(crate) fn run(range: &[String]) -> ExitCode {
    let asked = range.first().map_or("", String::as_str);
    let layouts =
        || succeed(Command::new("cargo").args(PROGRAM).arg("--").args(range).current_dir(root()?));
    let divisors = || {
        let begin = Instant::now();
        let mut test = Command::new("cargo");
        test.args(DIVISORS).env("TILEWRIGHT_EXHAUSTIVE", "1").current_dir(root()?);
        succeed(&mut test)?;
        say(&format!("all divisors below 2³¹: {} s", begin.elapsed().as_secs()));
        Ok(())
    };
    let outcome = if asked == OF_DIVISORS { Ok(()) } else { layouts() };
    let is_wanted = OF_DIVISORS.contains(asked);
    match outcome.and_then(|()| if is_wanted { divisors() } else { Ok(()) }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("exhaustive: {message}"));
            ExitCode::FAILURE
        }
    }
}
