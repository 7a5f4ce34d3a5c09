//! The command `tilewright` as this repository builds it.

use std::path::PathBuf;
use std::process::Command;

use crate::environment::{root, succeed, target};

/// Builds it for one of its tests, which is as `cargo test --workspace --all-features` does: `cargo build` would build nearly
/// everything again, without the features that crates have for tests alone.
pub(crate) fn built() -> Result<(), String> {
    let arguments = ["test", "--workspace", "--all-features", "--no-run", "--test", "explore"];
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
