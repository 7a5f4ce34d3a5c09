//! Running cargo and what is tested beside it, and saying what failed.

use std::io::Write;
use std::process::{Command, ExitCode, Output};
use std::thread;

use crate::say;

/// One thing to check: what it is called, cargo's arguments, and the environment it wants.
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) environment: &'static [(&'static str, &'static str)],
}

/// A command of this program: what it checks, and its arguments.
pub(crate) struct Own {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [&'static str],
}

/// A check that is neither: what it is called, and whether it passes.
pub(crate) type Other = (&'static str, fn() -> bool);

/// Runs every check, and says at the end which failed: cargo's one after another; at the same time what
/// is beside them, whose words come when it has ended; then the last.
///
/// Cargo's checks end in links and in tests that take one processor, and what is beside them waits for
/// the network and for Python: together they take little longer than the longer.
pub(crate) fn run(checks: &[Check], beside: &'static [Own], last: &[Other]) -> ExitCode {
    let beside = thread::spawn(move || beside.iter().map(outcome).collect::<Vec<_>>());
    let mut failed: Vec<&str> =
        checks.iter().filter(|check| !passes(check)).map(|check| check.name).collect();
    for (name, output) in beside.join().unwrap_or_default() {
        say(&format!("== {name}"));
        failed.extend((!told(output)).then_some(name));
    }
    failed.extend(last.iter().filter(|(_, passes)| !passes()).map(|(name, _)| *name));
    if failed.is_empty() {
        say("all checks passed");
        return ExitCode::SUCCESS;
    }
    say(&format!("failed: {}", failed.join(", ")));
    ExitCode::FAILURE
}

fn outcome(own: &Own) -> (&'static str, std::io::Result<Output>) {
    let program = std::env::current_exe();
    (own.name, program.and_then(|program| Command::new(program).args(own.arguments).output()))
}

/// Passes on what a command said. Whether it passed.
fn told(output: std::io::Result<Output>) -> bool {
    match output {
        Ok(output) => {
            // Where nobody reads, nothing can be said.
            let _ = std::io::stdout().write_all(&output.stdout);
            let _ = std::io::stderr().write_all(&output.stderr);
            output.status.success()
        }
        Err(error) => {
            say(&error.to_string());
            false
        }
    }
}

fn passes(check: &Check) -> bool {
    say(&format!("== {}", check.name));
    // Not `$CARGO`: that is one toolchain's cargo, and knows no `+nightly`.
    let status = Command::new("cargo")
        .args(check.arguments)
        .envs(check.environment.iter().copied())
        .status();
    status.is_ok_and(|status| status.success())
}
