//! Running cargo and what is tested beside it, and saying what failed.

use std::io::Write;
use std::process::{Command, ExitCode, Output};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;

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

/// Commands of this program that run one after another beside cargo's checks.
pub(crate) struct Lane {
    /// The check of cargo's after which they begin; `None` for at once.
    pub(crate) after: Option<&'static str>,
    pub(crate) commands: &'static [Own],
}

type Outcome = (&'static str, std::io::Result<Output>);

/// Runs every check, and says at the end which failed: cargo's one after another, and the lanes at the
/// same time, whose words come when all of cargo's are done.
///
/// Cargo's checks end in links and in tests that take one processor, and what is beside them waits for
/// the network, for Python and for a browser: together they take little longer than the longest.
pub(crate) fn run(checks: &[Check], lanes: &'static [Lane]) -> ExitCode {
    let begin = Instant::now();
    let mut failed = Vec::new();
    let outcomes = thread::scope(|scope| {
        let mut waiting = Vec::new();
        let lanes: Vec<_> = lanes
            .iter()
            .map(|lane| {
                let (go, ready) = mpsc::channel();
                waiting.extend(lane.after.map(|name| (name, go)));
                scope.spawn(move || outcomes(lane, &ready))
            })
            .collect();
        for check in checks {
            failed.extend((!passes(check, begin)).then_some(check.name));
            // Whoever waits goes on when what it waits on is dropped.
            waiting.retain(|(name, _)| *name != check.name);
        }
        drop(waiting);
        // A lane that panicked has said so.
        let ended = lanes.into_iter().map(|lane| lane.join().unwrap_or_default());
        ended.flatten().collect::<Vec<Outcome>>()
    });
    for (name, output) in outcomes {
        headed(name, begin);
        failed.extend((!told(output)).then_some(name));
    }
    if failed.is_empty() {
        say("all checks passed");
        return ExitCode::SUCCESS;
    }
    say(&format!("failed: {}", failed.join(", ")));
    ExitCode::FAILURE
}

/// Runs the commands of a lane, which nothing is sent to: what it waits for ends the channel.
fn outcomes(lane: &Lane, ready: &Receiver<()>) -> Vec<Outcome> {
    let _ = ready.recv();
    lane.commands.iter().map(outcome).collect()
}

fn outcome(own: &Own) -> Outcome {
    let program = std::env::current_exe();
    (own.name, program.and_then(|program| Command::new(program).args(own.arguments).output()))
}

/// What comes now, and how long after the beginning.
fn headed(name: &str, begin: Instant) {
    let seconds = begin.elapsed().as_secs();
    say(&format!("== {name} ({}:{:02})", seconds / 60, seconds % 60));
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

fn passes(check: &Check, begin: Instant) -> bool {
    headed(check.name, begin);
    // Not `$CARGO`: that is one toolchain's cargo, and knows no `+nightly`.
    let status = Command::new("cargo")
        .args(check.arguments)
        .envs(check.environment.iter().copied())
        .status();
    status.is_ok_and(|status| status.success())
}
