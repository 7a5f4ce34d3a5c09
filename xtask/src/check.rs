//! Running cargo and what is tested beside it, and saying what failed.

use std::io::Write;
use std::process::{Command, ExitCode, Output};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use crate::say;

/// What runs a check.
#[derive(Clone, Copy)]
pub(crate) enum By {
    Cargo,
    /// This program.
    Itself,
}

/// One thing to check: what it is called, what runs it with which arguments, and the environment it wants.
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) by: By,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) environment: &'static [(&'static str, &'static str)],
}

/// Checks that run one after another beside the others.
pub(crate) struct Lane {
    /// The checks, also those of other lanes, after which they begin.
    pub(crate) after: &'static [&'static str],
    pub(crate) checks: &'static [Check],
}

type Outcome = (&'static str, std::io::Result<Output>);

/// What is dropped when something has been done: who waits for it has the other end.
struct Done {
    name: &'static str,
    _end: Sender<()>,
}

/// Runs every check, and says at the end which failed: the first ones one after another, and the lanes at the
/// same time, whose words come when all of the first are done.
///
/// Tests end in what takes one processor, and others wait for the network, for Python and for a browser: together they take
/// little longer than the longest.
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
                let own = |done: &mut Done| lane.checks.iter().any(|own| own.name == done.name);
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
                Err(_) => failed.extend(lane.checks.iter().map(|check| check.name)),
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

/// Runs the checks of a lane when nobody holds the other end of what it waits for.
fn outcomes(lane: &Lane, ready: &Receiver<()>, mut done: Vec<Done>) -> Vec<Outcome> {
    let _ = ready.recv();
    let mut outcomes = Vec::new();
    for check in lane.checks {
        outcomes.push((check.name, command(check).and_then(|mut command| command.output())));
        done.retain(|done| done.name != check.name);
    }
    outcomes
}

fn command(check: &Check) -> std::io::Result<Command> {
    let mut command = match check.by {
        // Not `$CARGO`: that is one toolchain's cargo, and knows no `+nightly`.
        By::Cargo => Command::new("cargo"),
        By::Itself => Command::new(std::env::current_exe()?),
    };
    command.args(check.arguments).envs(check.environment.iter().copied());
    Ok(command)
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
    let status = command(check).and_then(|mut command| command.status());
    status.is_ok_and(|status| status.success())
}
