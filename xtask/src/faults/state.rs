//! What is there after a fault, held against what may be.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::scenario::{INPUTS, Scenario, done};
use super::strace::{Fault, Injection, Run};

/// The output in one state: its files, and what `inspect` says of it. `None` where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State(Option<Output>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Output {
    files: BTreeMap<String, Vec<u8>>,
    inspected: String,
}

/// The two states that there may be.
pub(crate) struct Outcomes {
    old: State,
    new: State,
}

impl Outcomes {
    /// By running the scenario without a fault.
    pub(crate) fn of(command: &Path, scenario: &Scenario, folder: &Path) -> Result<Self, String> {
        let old = State::in_folder(command, scenario, folder)?;
        done(command, scenario.arguments, folder)?;
        let new = State::in_folder(command, scenario, folder)?;
        if old == new {
            return Err(format!("{}: nothing is changed", scenario.name));
        }
        Ok(Outcomes { old, new })
    }
}

impl State {
    /// What is there, its side file left aside, which has more than one good state on the way.
    pub(crate) fn in_folder(
        command: &Path,
        scenario: &Scenario,
        folder: &Path,
    ) -> Result<Self, String> {
        let target = folder.join(scenario.target);
        let mut files = BTreeMap::new();
        if target.is_dir() {
            for name in names(&target)? {
                let path = target.join(&name);
                files
                    .insert(name, fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?);
            }
        } else if target.exists() {
            files.insert(String::new(), fs::read(&target).map_err(|e| e.to_string())?);
        } else {
            return Ok(State(None));
        }
        let output =
            Command::new(command).args(["inspect", scenario.target]).current_dir(folder).output();
        let output = output.map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("it cannot be read: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(State(Some(Output {
            files,
            inspected: String::from_utf8_lossy(&output.stdout).into_owned(),
        })))
    }
}

/// Whether all is as it may be after a fault.
pub(crate) fn check(
    command: &Path,
    scenario: &Scenario,
    folder: &Path,
    outcomes: &Outcomes,
    injection: &Injection<'_>,
    run: &Run,
) -> Result<(), String> {
    let found = State::in_folder(command, scenario, folder)?;
    let is_new = found == outcomes.new;
    let is_between =
        found.0.is_none() && scenario.has_moment_without() && !could_clean_up(injection, run);
    if !is_new && found != outcomes.old && !is_between {
        return Err(format!("neither old nor new: {found:?}"));
    }
    check_status(injection, run, is_new)?;
    if could_clean_up(injection, run) {
        let left: Vec<String> =
            names(folder)?.into_iter().filter(|name| name.starts_with('.')).collect();
        // What could not be removed is left to the next output.
        let could_remove = run.code != Some(2) && !["unlink", "rmdir"].contains(&injection.call);
        if !left.is_empty() && could_remove {
            return Err(format!("left {left:?}"));
        }
    }
    check_next(command, scenario, folder, outcomes, is_new)
}

/// Whether the process ended by itself.
fn could_clean_up(injection: &Injection<'_>, run: &Run) -> bool {
    !matches!(injection.fault, Fault::Signal("KILL")) && run.code.is_some()
}

fn check_status(injection: &Injection<'_>, run: &Run, is_new: bool) -> Result<(), String> {
    let Run { code, stderr } = run;
    let signal = match injection.fault {
        Fault::Signal("INT") => 130,
        Fault::Signal("TERM") => 143,
        Fault::Signal(_) => return Ok(()),
        Fault::Error(_) => 0,
    };
    let holds = match code {
        Some(0) => is_new,
        Some(2) => stderr.contains("error: ") && is_new == stderr.contains("is in place"),
        // The loader could not load, or strace passes on a signal that came before all.
        Some(127) | None => !is_new,
        Some(code) => *code == signal && signal != 0 && stderr.contains("error: ended by SIG"),
    };
    match holds {
        true => Ok(()),
        false => Err(format!(
            "exit status {code:?}, the output is the {}, and it said {stderr:?}",
            if is_new { "new" } else { "old" }
        )),
    }
}

/// The next output to the folder clears it, and leaves what is there as it is.
fn check_next(
    command: &Path,
    scenario: &Scenario,
    folder: &Path,
    outcomes: &Outcomes,
    is_new: bool,
) -> Result<(), String> {
    done(
        command,
        &["convert", "in.npy", "-o", "next.npy", "--to", "row-major", "--force"],
        folder,
    )?;
    let expected = if is_new { &outcomes.new } else { &outcomes.old };
    if State::in_folder(command, scenario, folder)? != *expected {
        return Err("the next output changed it".to_owned());
    }
    let side = format!("{}.layout.json", scenario.target);
    let allowed = |name: &String| {
        INPUTS.contains(&name.as_str())
            || *name == scenario.target
            || *name == "next.npy"
            || *name == side
    };
    let left: Vec<String> = names(folder)?.into_iter().filter(|name| !allowed(name)).collect();
    if !left.is_empty() {
        return Err(format!("after the next output there still are {left:?}"));
    }
    let record = fs::read_to_string(folder.join(&side)).unwrap_or_default();
    match record.contains("\"replacing\"") || (!record.is_empty() && expected.0.is_none()) {
        true => Err(format!("after the next output the side file still is {record}")),
        false => Ok(()),
    }
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
