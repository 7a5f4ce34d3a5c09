//! The tests of the Python package, in an environment of their own.
//!
//! Cargo builds the extension module with the workspace's tests, of the same crates, and it is laid with the Python
//! modules into a virtual environment under `target`, beside the pinned packages that its tests compare it with;
//! then `pytest` runs, and the code that `tilewright-emit` writes for numpy, which is among those packages. What pip
//! installs is tried by `cargo xtask installed`: wheels of a release, and the source. Where there is no Python of a
//! version that the package is for, there is nothing to test it with, and the check says so.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::environment::{Environment, copy, copy_all, output, root, succeed, target};
use crate::{command, say};

/// The oldest Python that the package is for.
const OLDEST: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// Where it is in the repository.
const PACKAGE: &str = "crates/tilewright-python";

/// Installs what the package is tested beside. Its Python, where there is one that the package is for; `Err` is what failed.
pub(crate) fn beside() -> Result<Option<PathBuf>, String> {
    let Some(system) = ["python3", "python3.11", "python"].into_iter().find(|p| is_new_enough(p))
    else {
        say("skipped: there is no Python of version 3.11 or later");
        return Ok(None);
    };
    let environment = Environment {
        system,
        home: &home()?,
        requirements: &root()?.join(PACKAGE).join("tests/requirements.txt"),
        options: &[],
        pip_options: &[],
    };
    environment.python().map(Some)
}

/// Builds, installs and tests the package. `Err` is what failed.
pub(crate) fn test() -> Result<(), String> {
    let Some(python) = beside()? else { return Ok(()) };
    let (root, home) = (root()?, home()?);
    let package = root.join(PACKAGE);
    let emitted = command::tests("tilewright-emit", &["python", "dynamic"])?;
    install(&package.join("python/tilewright"), &packages_of(&python)?.join("tilewright"))?;
    let mut tests = Command::new(&python);
    tests.args(["-m", "pytest", "-p", "no:cacheprovider"]).arg(package.join("tests"));
    // Not from the package's own folder, where Python would find it without its extension module.
    succeed(tests.current_dir(&home).env("PYTHONDONTWRITEBYTECODE", "1"))?;
    // Code for numpy and Triton is run where there is numpy.
    for test in emitted {
        let mut test = Command::new(test);
        test.current_dir(root.join("crates/tilewright-emit"));
        succeed(test.env("TILEWRIGHT_PYTHON", &python))?;
    }
    Ok(())
}

fn home() -> Result<PathBuf, String> {
    target().map(|target| target.join("python"))
}

fn is_new_enough(python: &str) -> bool {
    let status = Command::new(python).args(["-c", OLDEST]).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Where a Python has its packages.
fn packages_of(python: &Path) -> Result<PathBuf, String> {
    let asks = ["-c", "import sysconfig; print(sysconfig.get_path('platlib'), end='')"];
    output(Command::new(python).args(asks)).map(PathBuf::from)
}

/// Lays the Python modules and the extension module that cargo has built into a folder, in place of what was there.
fn install(modules: &Path, folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    copy_all(modules, folder)?;
    let built = target()?.join(format!("debug/{DLL_PREFIX}tilewright_python{DLL_SUFFIX}"));
    let name = if cfg!(windows) { "_tilewright.pyd" } else { "_tilewright.abi3.so" };
    copy(&built, &folder.join(name))
}
