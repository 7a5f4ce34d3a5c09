//! `cargo xtask faults`: what is written, while the system fails.
//!
//! * `syscalls`: each system call of each command that writes fails, does less than was asked, or is the
//!   last one.
//! * `power`: the power goes after each of them, and the disk holds anything that it may hold then.
//! * `memory`: there is none, at one allocation or from one on.
//! * `disk`: it is full, files may not be longer, the folder vanishes, the input changes.
//! * `races`: several writers of one name, and a reader.
//!
//! After each it is checked that
//!
//! * the output is the old one whole or the new one whole, byte for byte, or as `inspect` reads it where a
//!   side file says of two records which one holds;
//! * the exit status is right: 0 and the output is the new one; 2, said why, and it is the old one, unless
//!   it is said to be in place; 130 or 143 after a signal; and there is no panic;
//! * nothing is left that should not be: at once if the process could clean up, and after the next
//!   output to the folder if it was killed.
//!
//! A call that fails in the loader, before the command begins, is a fault like any other: nothing
//! may have changed.

mod disk;
mod fixture;
mod memory;
mod place;
mod power;
mod race;
mod scenario;
mod shim;
mod state;
mod strace;
mod syscalls;
mod tally;
mod verdict;

use std::fs;
use std::process::{Command, ExitCode};

use crate::environment::{copy, root, succeed, target};
use crate::say;
use place::Bench;
use tally::Tally;

/// What went wrong, in words.
type Failing<T> = Result<T, String>;

/// What there is to run, by name.
type Part = (&'static str, fn(&Bench, usize, &mut Tally) -> Failing<()>);

const PARTS: &[Part] = &[
    ("syscalls", syscalls::run),
    ("power", power::run),
    ("memory", memory::run),
    ("disk", disk::run),
    ("races", race::run),
];

/// Of so many faults a quick run looks at one.
const QUICK: usize = 29;

/// Runs the parts that are named, or all; with `--quick` some faults of each kind, with `--only` some commands.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let Some(asked) = Asked::read(arguments) else {
        let parts: Vec<&str> = PARTS.iter().map(|(part, _)| *part).collect();
        let parts = parts.join(", ");
        say(&format!(
            "usage: cargo xtask faults [--quick] [--only COMMAND] [PART…]; parts: {parts}"
        ));
        return ExitCode::from(2);
    };
    match asked.done() {
        Ok(tally) => tally.said(),
        Err(message) => {
            say(&format!("error: {message}"));
            ExitCode::from(2)
        }
    }
}

/// What is to be run.
#[derive(Default)]
struct Asked {
    /// Of so many faults one.
    step: usize,
    only: String,
    parts: Vec<String>,
}

impl Asked {
    fn read(arguments: &[String]) -> Option<Self> {
        let mut asked = Asked { step: 1, ..Self::default() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => asked.step = QUICK,
                "--only" => asked.only.clone_from(words.next()?),
                part if PARTS.iter().any(|(name, _)| *name == part) => {
                    asked.parts.push(word.clone());
                }
                _ => return None,
            }
        }
        Some(asked)
    }

    fn done(&self) -> Failing<Tally> {
        let bench = Bench::built(&self.only)?;
        strace::require()?;
        let mut tally = Tally::default();
        for (name, part) in PARTS {
            if self.parts.is_empty() || self.parts.iter().any(|asked| asked == name) {
                part(&bench, self.step, &mut tally)?;
            }
        }
        let _ = fs::remove_dir_all(&bench.scratch);
        Ok(tally)
    }
}

impl Bench {
    /// Builds what is disturbed.
    fn built(only: &str) -> Failing<Self> {
        let (root, target) = (root()?, target()?);
        for what in [
            ["tilewright-cli", "--bin", "tilewright"],
            ["tilewright-files", "--example", "written"],
        ] {
            let mut cargo = Command::new("cargo");
            succeed(cargo.args(["build", "--quiet", "-p"]).args(what).current_dir(&root))?;
        }
        let scratch = target.join("faults").join(std::process::id().to_string());
        fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
        // Copies, so that it can be built again meanwhile.
        let (tilewright, written) = (scratch.join("tilewright"), scratch.join("written"));
        let debug = target.join("debug");
        copy(&debug.join("tilewright"), &tilewright)?;
        copy(&debug.join("examples/written"), &written)?;
        Ok(Bench { root, tilewright, written, scratch, only: only.to_owned() })
    }
}
