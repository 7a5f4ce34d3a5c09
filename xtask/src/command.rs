//! The command `tilewright` as this repository builds it.

use std::path::PathBuf;
use std::process::Command;

use crate::environment::{root, succeed, target};

/// Builds it, with the features of `cargo test --workspace --all-features`, which builds it too.
pub(crate) fn built() -> Result<(), String> {
    let arguments = ["build", "--workspace", "--all-features", "--bin", "tilewright"];
    succeed(Command::new("cargo").args(arguments).current_dir(root()?))
}

/// Where it is; `TILEWRIGHT` names another.
pub(crate) fn command() -> Result<PathBuf, String> {
    if let Some(command) = std::env::var_os("TILEWRIGHT") {
        return Ok(command.into());
    }
    let command = target()?.join("debug").join("tilewright");
    match command.is_file() {
        true => Ok(command),
        false => Err(format!("{} has not been built", command.display())),
    }
}
