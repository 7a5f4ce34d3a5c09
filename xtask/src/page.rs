//! `cargo xtask page`: the page of `tilewright explore`, made again and used in a browser.
//!
//! What is committed under `assets` has to be what `page` comes to, byte for byte.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::say;

/// What the page is made into.
const ASSETS: [&str; 2] = ["explorer.js", "explorer.css"];

/// Installs what the page is made with, checks its types, makes it, and runs its tests in Chromium.
pub(crate) fn run() -> ExitCode {
    match checked() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

fn checked() -> Result<(), String> {
    npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    npm(&["run", "check"])?;
    let committed = assets()?;
    npm(&["run", "build"])?;
    if assets()? != committed {
        return Err("the assets were not what the page comes to, and are now: commit them".into());
    }
    run_in(root(), Command::new(env!("CARGO")).args(["build", "-p", "tilewright-cli"]))?;
    npm(&["test"])
}

fn assets() -> Result<Vec<Vec<u8>>, String> {
    let read = |name| {
        let path = root().join("crates/tilewright-explore/assets").join(name);
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    ASSETS.into_iter().map(read).collect()
}

fn npm(arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new("npm");
    command.args(arguments).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    if std::env::var_os("TILEWRIGHT").is_none() {
        command.env("TILEWRIGHT", target().join("debug").join("tilewright"));
    }
    run_in(root().join("crates/tilewright-explore/page"), &mut command)
}

fn run_in(folder: PathBuf, command: &mut Command) -> Result<(), String> {
    let status = command.current_dir(folder).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
