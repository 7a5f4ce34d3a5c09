//! `shim.c` between a program and the C library: counts that are cut short, and memory that there is none of.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::strace::Run;
use crate::environment::succeed;

pub(crate) struct Shim {
    library: PathBuf,
    log: PathBuf,
}

/// What came of a run with the shim.
pub(crate) struct Shimmed {
    pub(crate) run: Run,
    /// Whether what was to happen has happened: the program may have made fewer such calls.
    pub(crate) happened: bool,
    /// How many allocations there were, where the program came to its end.
    pub(crate) n_allocations: Option<usize>,
}

impl Shim {
    /// Compiles it.
    pub(crate) fn built(root: &Path, scratch: &Path) -> Result<Self, String> {
        let library = scratch.join("shim.so");
        let source = root.join("xtask/src/faults/shim.c");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-Wall", "-o"]).arg(&library).arg(source);
        succeed(&mut cc)?;
        Ok(Shim { library, log: scratch.join("shim.log") })
    }

    /// Runs a command with these of the shim's variables.
    pub(crate) fn run(
        &self,
        mut command: Command,
        variables: &[(&str, &str)],
    ) -> Result<Shimmed, String> {
        let _ = fs::remove_file(&self.log);
        command.env("LD_PRELOAD", &self.library).env("FAULTS_LOG", &self.log);
        command.envs(variables.iter().copied());
        let run = Run::of(&command)?;
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let counted = log.lines().find_map(|line| line.strip_prefix("allocations "));
        Ok(Shimmed {
            run,
            happened: log.lines().any(|line| ["short", "failed"].contains(&line)),
            n_allocations: counted.and_then(|count| count.parse().ok()),
        })
    }
}
