//! A scenario, and the folder that it is run in.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::fixture;
use super::scenario::{Lacks, Program, SCENARIOS, Scenario, Unit};
use super::strace::{Run, Traced};

/// The programs, and a folder to work in.
pub(crate) struct Bench {
    pub(crate) root: std::path::PathBuf,
    pub(crate) tilewright: std::path::PathBuf,
    pub(crate) written: std::path::PathBuf,
    pub(crate) scratch: std::path::PathBuf,
    /// What the names of the scenarios have in them that are run.
    pub(crate) only: String,
}

impl Bench {
    /// The scenarios that are asked for.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = &'static Scenario> + use<'_> {
        SCENARIOS.iter().filter(|scenario| scenario.name.contains(&self.only))
    }

    /// Those that write something.
    pub(crate) fn writing(&self) -> impl Iterator<Item = &'static Scenario> + use<'_> {
        self.scenarios().filter(|scenario| scenario.unit != Unit::Answer)
    }

    pub(crate) fn program(&self, program: Program) -> &Path {
        match program {
            Program::Tilewright => &self.tilewright,
            Program::Written => &self.written,
        }
    }
}

/// A scenario, ready to begin as often as it is asked for.
pub(crate) struct Place<'a> {
    pub(crate) bench: &'a Bench,
    pub(crate) scenario: &'a Scenario,
    pub(crate) folder: &'a Path,
    /// What the folder is when the scenario begins.
    template: std::path::PathBuf,
}

impl<'a> Place<'a> {
    /// Makes what is there before.
    pub(crate) fn new(
        bench: &'a Bench,
        scenario: &'a Scenario,
        folder: &'a Path,
    ) -> Result<Self, String> {
        let template = bench.scratch.join("template");
        fixture::lay_out(&template, &bench.root)?;
        for arguments in scenario.before {
            done(bench.program(scenario.program), arguments, &template)?;
        }
        Ok(Place { bench, scenario, folder, template })
    }

    /// The folder as it is when the scenario begins.
    pub(crate) fn fresh(&self) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.folder.display());
        if self.folder.exists() {
            fs::remove_dir_all(self.folder).map_err(failed)?;
        }
        fixture::copy(&self.template, self.folder).map_err(failed)
    }

    pub(crate) fn traced<'t>(&'t self, always: &'t [String]) -> Traced<'t> {
        Traced {
            program: self.bench.program(self.scenario.program),
            arguments: self.scenario.arguments,
            folder: self.folder,
            always,
        }
    }

    /// What `inspect` says of the output; `None` of none, and where it is nothing that is inspected.
    pub(crate) fn inspected(&self) -> Result<Option<String>, String> {
        let Some(target) = self.scenario.target().filter(|name| self.folder.join(name).exists())
        else {
            return Ok(None);
        };
        if self.scenario.program != Program::Tilewright
            || self.scenario.unit != Unit::Whole
            || !["w", "w.npy", "w.bin", "w.safetensors"].contains(&target)
        {
            return Ok(None);
        }
        let mut command = Command::new(&self.bench.tilewright);
        let run = Run::of(command.args(["inspect", target]).current_dir(self.folder))?;
        match run.code {
            Some(0) => Ok(Some(String::from_utf8_lossy(&run.stdout).into_owned())),
            _ => Err(format!("it cannot be read: {}", run.stderr)),
        }
    }

    /// Another output to the same folder, which clears away what killed processes left.
    pub(crate) fn next(&self) -> Result<(), String> {
        if self.scenario.unit == Unit::EachFile {
            return done(&self.bench.tilewright, self.scenario.arguments, self.folder);
        }
        let next = [
            "convert",
            "in.npy",
            "-o",
            "next.npy",
            "--to",
            "row-major",
            "--force",
            "--threads",
            "1",
        ];
        done(&self.bench.tilewright, &next, self.folder)?;
        fs::remove_file(self.folder.join("next.npy")).map_err(|error| format!("next.npy: {error}"))
    }

    /// The faults that are there all along.
    pub(crate) fn always(&self) -> Result<Vec<String>, String> {
        match self.scenario.lacks {
            Lacks::Nothing => Ok(Vec::new()),
            Lacks::Exchange => Ok(vec!["inject=renameat2:error=EINVAL".to_owned()]),
            Lacks::UnnamedFiles => {
                self.fresh()?;
                let log = self.traced(&[]).log(&[])?;
                unnamed_file(&log)
                    .map(|(call, at)| vec![format!("inject={call}:error=EOPNOTSUPP:when={at}")])
            }
        }
    }
}

impl Scenario {
    /// What is written, as its arguments name it.
    pub(crate) fn target(&self) -> Option<&'static str> {
        self.arguments.iter().copied().find(|word| *word == "w" || word.starts_with("w."))
    }

    /// Whether there is a moment without any output, of which the next output brings the old one back.
    pub(crate) fn has_moment_without(&self) -> bool {
        self.lacks == Lacks::Exchange
    }
}

/// The call that makes a file without a name: what it is called, and how many of that name the
/// thread has made by then.
fn unnamed_file(log: &str) -> Result<(&str, usize), String> {
    let unnamed = log.lines().find(|line| line.contains("O_TMPFILE"));
    let unnamed = unnamed.ok_or("no file without a name is made here")?;
    let begin = unnamed.split('(').next().unwrap_or_default();
    let call = begin.rsplit(' ').next().unwrap_or_default();
    let same = |line: &&str| line.split('(').next() == Some(begin);
    let before = log.lines().take_while(|line| *line != unnamed).filter(same).count();
    Ok((call, before + 1))
}

/// Runs a command that has to succeed.
pub(crate) fn done(program: &Path, arguments: &[&str], folder: &Path) -> Result<(), String> {
    let run = Run::of(Command::new(program).args(arguments).current_dir(folder))?;
    match run.code {
        Some(0) => Ok(()),
        _ => Err(format!("{arguments:?}: {}", run.stderr)),
    }
}
