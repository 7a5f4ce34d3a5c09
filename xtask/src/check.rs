//! Running cargo and what is tested beside it, and saying what failed.

use std::io::Write;
use std::process::{Command, ExitCode, Output};
use std::sync::mpsc::{self, Receiver, Sender};
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
    /// The checks and the commands of other lanes after which they begin.
    pub(crate) after: &'static [&'static str],
    pub(crate) commands: &'static [Own],
}

type Outcome = (&'static str, std::io::Result<Output>);

/// What is dropped when something has been done: who waits for it has the other end.
struct Done {
    name: &'static str,
    _end: Sender<()>,
}

/// Runs every check, and says at the end which failed: cargo's one after another, and the lanes at the
/// same time, whose words come when all of cargo's are done.
///
/// Cargo's checks end in links and in tests that take one processor, and what is beside them waits for
/// the network, for Python and for a browser: together they take little longer than the longest.
pub(crate) fn run(checks: &[Check], lanes: &'static [Lane]) -> ExitCode {
    let begin = Instant::now();
    let mut failed = Vec::new();
    let outcomes = thread::scope(|scope| {
        let mut done = Vec::new();
        let mut waiting = Vec::new();
        for lane in lanes {
            let (end, ready) = mpsc::channel();
            done.extend(lane.after.iter().map(|&name| Done { name, _end: end.clone() }));
            waiting.push((lane, ready));
        }
        let running: Vec<_> = waiting
            .into_iter()
            .map(|(lane, ready)| {
                let own = |done: &mut Done| lane.commands.iter().any(|own| own.name == done.name);
                let own: Vec<Done> = done.extract_if(.., own).collect();
                (lane, scope.spawn(move || outcomes(lane, &ready, own)))
            })
            .collect();
        for check in checks {
            failed.extend((!passes(check, begin)).then_some(check.name));
            done.retain(|done| done.name != check.name);
        }
        drop(done);
        let mut outcomes = Vec::new();
        for (lane, running) in running {
            match running.join() {
                Ok(of_lane) => outcomes.extend(of_lane),
                Err(_) => failed.extend(lane.commands.iter().map(|own| own.name)),
            }
        }
        outcomes
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

/// Runs the commands of a lane when nobody holds the other end of what it waits for.
fn outcomes(lane: &Lane, ready: &Receiver<()>, mut done: Vec<Done>) -> Vec<Outcome> {
    let _ = ready.recv();
    let mut outcomes = Vec::new();
    for own in lane.commands {
        outcomes.push(outcome(own));
        done.retain(|done| done.name != own.name);
    }
    outcomes
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
