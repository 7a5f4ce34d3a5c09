//! The tests of the Python package, in an environment of their own.
//!
//! `pip` builds and installs the package as a user's would, but in the profile `dev` (wheels of a release are
//! tried by `cargo xtask installed`), into a virtual environment under `target`, beside the pinned packages that
//! its tests compare it with; then `pytest` runs, and the code that `tilewright-emit` writes for numpy, which is
//! among those packages. Where there is no Python of a version that the package is for, there is nothing to test
//! it with, and the check says so.

use std::process::{Command, Stdio};

use crate::environment::{Environment, root, succeed};
use crate::say;

/// The oldest Python that the package is for.
const OLDEST: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// Installs and tests the package. `Err` is what failed.
pub(crate) fn test() -> Result<(), String> {
    let root = root()?;
    let package = root.join("crates/tilewright-python");
    let Some(system) = ["python3", "python3.11", "python"].into_iter().find(|p| is_new_enough(p))
    else {
        say("skipped: there is no Python of version 3.11 or later");
        return Ok(());
    };
    let home = root.join("target/python");
    let environment = Environment {
        system,
        home: &home,
        requirements: &package.join("tests/requirements.txt"),
        options: &[],
        pip_options: &[],
    };
    let python = environment.python()?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"]);
    // As the other tests are built, with every check. In a target folder of its own: pip builds with other flags than the rest.
    install.env("MATURIN_PEP517_ARGS", "--profile dev");
    succeed(install.arg(&package).env("CARGO_TARGET_DIR", home.join("build")))?;
    let mut tests = Command::new(&python);
    tests.args(["-m", "pytest", "-p", "no:cacheprovider"]).arg(package.join("tests"));
    // Not from the package's own folder, where Python would find it without its extension module.
    succeed(tests.current_dir(&home).env("PYTHONDONTWRITEBYTECODE", "1"))?;
    // Code for numpy and Triton is run where there is numpy.
    let mut emitted = Command::new("cargo");
    emitted.args([
        "test",
        "--quiet",
        "-p",
        "tilewright-emit",
        "--test",
        "python",
        "--test",
        "dynamic",
    ]);
    succeed(emitted.current_dir(&root).env("TILEWRIGHT_PYTHON", &python))
}

fn is_new_enough(python: &str) -> bool {
    let status = Command::new(python).args(["-c", OLDEST]).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
