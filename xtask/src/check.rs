//! Running cargo, and saying what failed.

use std::process::{Command, ExitCode};

use crate::say;

/// One thing to check: what it is called, cargo's arguments, and the environment it wants.
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) environment: &'static [(&'static str, &'static str)],
}

/// A check that is not one of cargo's: what it is called, and whether it passes.
pub(crate) type Other = (&'static str, fn() -> bool);

/// Runs every check, and says at the end which failed.
pub(crate) fn run(checks: &[Check], others: &[Other]) -> ExitCode {
    let mut failed: Vec<&str> =
        checks.iter().filter(|check| !passes(check)).map(|check| check.name).collect();
    failed.extend(others.iter().filter(|(_, passes)| !passes()).map(|(name, _)| *name));
    if failed.is_empty() {
        say("all checks passed");
        return ExitCode::SUCCESS;
    }
    say(&format!("failed: {}", failed.join(", ")));
    ExitCode::FAILURE
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
