//! What comes with the command: manual pages and completions, which it writes itself, and licences.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::binaries::Binary;
use super::{Release, bill, emptied, named};
use crate::environment::{copy, output, succeed};

/// Shells, and the names of their scripts.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "tilewright.bash"),
    ("zsh", "_tilewright"),
    ("fish", "tilewright.fish"),
    ("powershell", "_tilewright.ps1"),
    ("elvish", "tilewright.elv"),
];

/// Writes all of it beside a binary, where `[package.metadata.deb]` looks for it. The binary that is asked is one that
/// runs here.
pub(super) fn make(own: &Binary, binary: &Binary, release: &Release) -> Result<PathBuf, String> {
    let folder = binary.folder.join("documents");
    emptied(&folder)?;
    let mut man = Command::new(own.path());
    succeed(man.args(["man", "--output"]).arg(folder.join("man")))?;
    write_completions(&own.path(), &folder.join("completions"))?;
    for name in ["README.md", "CHANGELOG.md", "LICENSE"] {
        copy(&release.root.join(name), &folder.join(name))?;
    }
    bill::write_licences(&binary.triple, &folder.join("THIRD-PARTY.txt"), release)?;
    Ok(folder)
}

fn write_completions(command: &Path, folder: &Path) -> Result<(), String> {
    emptied(folder)?;
    for (shell, name) in COMPLETIONS {
        let script = output(Command::new(command).args(["completions", shell]))?;
        let file = folder.join(name);
        fs::write(&file, script).map_err(|error| named(&file, &error))?;
    }
    Ok(())
}
