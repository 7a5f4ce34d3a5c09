//! `cargo xtask faults`: `convert` failed, killed and interrupted at each system call that it makes.
//!
//! One run of a scenario under strace says which calls there are and how many of each. Then the
//! scenario is run again and again, each time with another fault at another of these calls, and each
//! time it is checked that
//!
//! * the output is the old one whole or the new one whole, with its own layout, as `inspect` reads it
//!   and byte for byte;
//! * the exit status is right: 0 and the output is the new one; 2, said why, and it is the old one,
//!   unless it is said to be in place; 130 or 143 after a signal;
//! * nothing is left that should not be: at once if the process could clean up, and after the next
//!   output to the folder if it was killed.
//!
//! A call that fails in the loader, before the command begins, is a fault like any other: nothing
//! may have changed.

mod race;
mod scenario;
mod state;
mod strace;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::environment::{root, succeed};
use crate::say;
use scenario::{SCENARIOS, Scenario};
use state::{Outcomes, check};
use strace::{Fault, Injection};

/// Runs every fault, or with `--quick` a part of each kind.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let step = match arguments {
        [] => 1,
        [quick] if quick == "--quick" => 7,
        _ => {
            say("usage: cargo xtask faults [--quick]");
            return ExitCode::from(2);
        }
    };
    match all(step) {
        Ok(tally) => tally.said(),
        Err(message) => {
            say(&format!("error: {message}"));
            ExitCode::from(2)
        }
    }
}

/// What came of it.
#[derive(Default)]
struct Tally {
    /// Faults by what they were, for each kind of call.
    runs: BTreeMap<String, usize>,
    complaints: Vec<String>,
}

impl Tally {
    fn said(&self) -> ExitCode {
        let all: usize = self.runs.values().sum();
        for (what, runs) in &self.runs {
            say(&format!("{runs:>7}  {what}"));
        }
        say(&format!("{all:>7}  in all, {} went wrong", self.complaints.len()));
        if self.complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn all(step: usize) -> Result<Tally, String> {
    let root = root()?;
    succeed(
        Command::new("cargo").args(["build", "--quiet", "-p", "tilewright-cli"]).current_dir(&root),
    )?;
    strace::require()?;
    let command = root.join("target/debug/tilewright");
    let scratch = root.join("target/faults");
    let mut tally = Tally::default();
    for scenario in SCENARIOS {
        let place = Place { command: &command, scratch: &scratch, scenario };
        let before = tally.complaints.len();
        place.inject_everywhere(step, &mut tally)?;
        tally.complaints.iter().skip(before).for_each(|complaint| say(&format!("  {complaint}")));
    }
    race::run(&command, &scratch, step, &mut tally)?;
    let _ = std::fs::remove_dir_all(&scratch);
    Ok(tally)
}

/// A scenario and where it is run.
struct Place<'a> {
    command: &'a Path,
    scratch: &'a Path,
    scenario: &'a Scenario,
}

impl Place<'_> {
    /// The scenario, ready to begin.
    fn fresh(&self) -> Result<PathBuf, String> {
        let folder = self.scratch.join("here");
        self.scenario.prepare(self.command, &folder)?;
        Ok(folder)
    }

    fn inject_everywhere(&self, step: usize, tally: &mut Tally) -> Result<(), String> {
        let outcomes = Outcomes::of(self.command, self.scenario, &self.fresh()?)?;
        let folder = self.fresh()?;
        let always = self.scenario.always(self.command, &folder)?;
        let counts =
            strace::counts(self.command, self.scenario.arguments, &self.fresh()?, &always)?;
        let (mut number, before) = (0, tally.complaints.len());
        for (call, count) in counts {
            for (fault, at) in
                faults_of(&call).into_iter().flat_map(|f| (1..=count).map(move |n| (f, n)))
            {
                number += 1;
                if number % step != 0 {
                    continue;
                }
                let injection = Injection { call: &call, at, fault };
                let folder = self.fresh()?;
                let run = strace::run(
                    self.command,
                    self.scenario.arguments,
                    &folder,
                    &always,
                    &injection,
                )?;
                *tally.runs.entry(fault.to_string()).or_default() += 1;
                if let Err(wrong) =
                    check(self.command, self.scenario, &folder, &outcomes, &injection, &run)
                {
                    let name = self.scenario.name;
                    tally.complaints.push(format!("{name}, {injection}: {wrong}"));
                }
            }
        }
        let wrong = tally.complaints.len() - before;
        say(&format!("{}: {} faults, {wrong} went wrong", self.scenario.name, number / step));
        Ok(())
    }
}

/// What can happen at a call: any can fail, and any can be the last; what takes room can find none.
fn faults_of(call: &str) -> Vec<Fault> {
    let mut faults = vec![
        Fault::Error("EIO"),
        Fault::Signal("KILL"),
        Fault::Signal("TERM"),
        Fault::Signal("INT"),
    ];
    if [
        "write",
        "pwrite64",
        "fallocate",
        "fsync",
        "fdatasync",
        "linkat",
        "mkdir",
        "openat",
        "rename",
    ]
    .contains(&call)
    {
        faults.push(Fault::Error("ENOSPC"));
    }
    if ["flock", "fallocate", "renameat2", "linkat", "fsync"].contains(&call) {
        faults.push(Fault::Error("EOPNOTSUPP"));
    }
    faults
}
