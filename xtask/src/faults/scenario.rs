//! What is converted, and what is there before.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::strace;

/// A conversion to be disturbed.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Commands that make what is there before, run in an empty folder with the inputs in it.
    before: &'static [&'static [&'static str]],
    /// The command that is disturbed.
    pub(crate) arguments: &'static [&'static str],
    /// The output.
    pub(crate) target: &'static str,
    lacks: Lacks,
}

/// What the system is made to be unable to do, so that the other way is tested.
enum Lacks {
    Nothing,
    /// Files without a name (`O_TMPFILE`).
    UnnamedFiles,
    /// Letting two folders change places (`RENAME_EXCHANGE`), and renames that replace nothing.
    Exchange,
}

macro_rules! words {
    ($($word:literal)*) => { &[$($word),*] };
}

/// One layout, and another that stores as many bytes in as many dims.
macro_rules! convert {
    ($input:literal $output:literal $to:literal $($more:literal)*) => {
        words!["convert" $input "-o" $output "--to" $to "--threads" "1" $($more)*]
    };
}

pub(crate) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "a new .npy with a layout",
        before: &[],
        arguments: convert!["in.npy" "w.npy" "{1,0:T(2,2)}"],
        target: "w.npy",
        lacks: Lacks::Nothing,
    },
    Scenario {
        name: "a .npy with a layout over one with another",
        before: &[convert!["in.npy" "w.npy" "{1,0:T(2,2)}"]],
        arguments: convert!["in.npy" "w.npy" "{0,1:T(2,2)}" "--force"],
        target: "w.npy",
        lacks: Lacks::Nothing,
    },
    Scenario {
        name: "a .npy with a layout over a plain one",
        before: &[convert!["in.npy" "w.npy" "row-major"]],
        arguments: convert!["in.npy" "w.npy" "{1,0:T(2,2)}" "--force"],
        target: "w.npy",
        lacks: Lacks::Nothing,
    },
    Scenario {
        name: "a plain .npy over one with a layout",
        before: &[convert!["in.npy" "w.npy" "{1,0:T(2,2)}"]],
        arguments: convert!["in.npy" "w.npy" "row-major" "--force"],
        target: "w.npy",
        lacks: Lacks::Nothing,
    },
    Scenario {
        name: "a .npy in place",
        before: &[convert!["in.npy" "w.npy" "{1,0:T(2,2)}"]],
        arguments: convert!["w.npy" "w.npy" "{0,1:T(2,2)}" "--in-place"],
        target: "w.npy",
        lacks: Lacks::Nothing,
    },
    Scenario {
        name: "a .npy over another, without unnamed files",
        before: &[convert!["in.npy" "w.npy" "{1,0:T(2,2)}"]],
        arguments: convert!["in.npy" "w.npy" "{0,1:T(2,2)}" "--force"],
        target: "w.npy",
        lacks: Lacks::UnnamedFiles,
    },
    Scenario {
        name: "a raw file over another",
        before: &[convert!["in.npy" "w.bin" "{1,0:T(2,2)}"]],
        arguments: convert!["in.npy" "w.bin" "{0,1:T(2,2)}" "--force"],
        target: "w.bin",
        lacks: Lacks::Nothing,
    },
    Scenario {
        name: "a new .safetensors",
        before: &[],
        arguments: convert!["in.npy" "w.safetensors" "{1,0:T(2,2)}"],
        target: "w.safetensors",
        lacks: Lacks::Nothing,
    },
    Scenario {
        name: "a .safetensors over another",
        before: &[convert!["in.npy" "w.safetensors" "{1,0:T(2,2)}"]],
        arguments: convert!["in.npy" "w.safetensors" "{0,1:T(2,2)}" "--force"],
        target: "w.safetensors",
        lacks: Lacks::Nothing,
    },
    Scenario {
        name: "a new folder",
        before: &[],
        arguments: convert!["model" "w" "{1,0:T(2,2)}"],
        target: "w",
        lacks: Lacks::Nothing,
    },
    Scenario {
        name: "a folder over another",
        before: &[convert!["model" "w" "{1,0:T(2,2)}"]],
        arguments: convert!["model" "w" "{0,1:T(2,2)}" "--force"],
        target: "w",
        lacks: Lacks::Nothing,
    },
    Scenario {
        name: "a folder over another, without exchange",
        before: &[convert!["model" "w" "{1,0:T(2,2)}"]],
        arguments: convert!["model" "w" "{0,1:T(2,2)}" "--force"],
        target: "w",
        lacks: Lacks::Exchange,
    },
];

/// What is there beside the output.
pub(crate) const INPUTS: &[&str] = &["in.npy", "model"];

impl Scenario {
    /// Makes the folder anew, with the inputs and what is there before.
    pub(crate) fn prepare(&self, command: &Path, folder: &Path) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(failed)?;
        }
        fs::create_dir_all(folder.join("model")).map_err(failed)?;
        fs::write(folder.join("in.npy"), npy()).map_err(failed)?;
        fs::write(folder.join("model/a.safetensors"), safetensors()).map_err(failed)?;
        fs::write(folder.join("model/model.safetensors.index.json"), INDEX).map_err(failed)?;
        self.before.iter().try_for_each(|arguments| done(command, arguments, folder))
    }

    /// Whether there is a moment without any output, of which the next output brings the old one back.
    pub(crate) fn has_moment_without(&self) -> bool {
        matches!(self.lacks, Lacks::Exchange)
    }

    /// The faults that are there all along.
    pub(crate) fn always(&self, command: &Path, folder: &Path) -> Result<Vec<String>, String> {
        match self.lacks {
            Lacks::Nothing => Ok(Vec::new()),
            Lacks::Exchange => Ok(vec!["inject=renameat2:error=EINVAL".to_owned()]),
            Lacks::UnnamedFiles => {
                let log = strace::log(command, self.arguments, folder, &[])?;
                unnamed_file(&log)
                    .map(|(call, at)| vec![format!("inject={call}:error=EOPNOTSUPP:when={at}")])
            }
        }
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
pub(crate) fn done(command: &Path, arguments: &[&str], folder: &Path) -> Result<(), String> {
    let mut process = Command::new(command);
    let status = process.args(arguments).current_dir(folder).stdout(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{arguments:?}: {status}")),
        Err(error) => Err(format!("{}: {error}", command.display())),
    }
}

const INDEX: &str = "{\"weight_map\":{\"w\":\"a.safetensors\"}}";

/// The numbers that are converted: `f32[6,10]` of 0, 1, 2, …
fn elements() -> Vec<u8> {
    (0..60u16).flat_map(|number| f32::from(number).to_le_bytes()).collect()
}

pub(crate) fn npy() -> Vec<u8> {
    let mut header = "{'descr': '<f4', 'fortran_order': False, 'shape': (6, 10), }".to_owned();
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &elements()].concat()
}

fn safetensors() -> Vec<u8> {
    let header = "{\"w\":{\"dtype\":\"F32\",\"shape\":[6,10],\"data_offsets\":[0,240]}}";
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &elements()].concat()
}
