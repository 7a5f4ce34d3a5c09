//! The tests of the Python package, in an environment of their own.
//!
//! `pip` builds and installs the package as a user's would, into a virtual environment under
//! `target`, beside the pinned packages that its tests compare it with; then `pytest` runs. Where
//! there is no Python of a version that the package is for, there is nothing to test it with, and
//! the check says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::say;

/// The oldest Python that the package is for.
const OLDEST: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// Installs and tests the package. `Err` is what failed.
pub(crate) fn test() -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let package = root.join("crates/tilewright-python");
    let Some(system) = ["python3", "python3.11", "python"].into_iter().find(|p| is_new_enough(p))
    else {
        say("skipped: there is no Python of version 3.11 or later");
        return Ok(());
    };
    let home = root.join("target/python");
    let python = environment(system, &home, &package.join("tests/requirements.txt"))?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"]);
    // A target folder of its own: pip builds with other flags than the rest.
    succeed(install.arg(&package).env("CARGO_TARGET_DIR", home.join("build")))?;
    let mut tests = Command::new(&python);
    tests.args(["-m", "pytest", "-p", "no:cacheprovider"]).arg(package.join("tests"));
    // Not from the package's own folder, where Python would find it without its extension module.
    succeed(tests.current_dir(&home).env("PYTHONDONTWRITEBYTECODE", "1"))
}

fn is_new_enough(python: &str) -> bool {
    let status = Command::new(python).args(["-c", OLDEST]).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The virtual environment's Python, made and filled when it is missing or its pins have changed.
fn environment(system: &str, home: &Path, requirements: &Path) -> Result<PathBuf, String> {
    let python = home.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let stamp = home.join("requirements.txt");
    let pins = fs::read(requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    if fs::read(&stamp).is_ok_and(|installed| installed == pins) {
        return Ok(python);
    }
    succeed(Command::new(system).args(["-m", "venv", "--clear"]).arg(home))?;
    let mut install = Command::new(&python);
    succeed(install.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(requirements))?;
    // Last, so that a stopped installation starts again.
    fs::write(&stamp, pins).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(python)
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let shown = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{shown}: {status}")),
        Err(error) => Err(format!("cannot run {shown}: {error}")),
    }
}
