//! `cargo xtask test`: everything that must hold before a change lands.

use std::process::ExitCode;

use crate::check::{self, Check, Own};
use crate::{page, python, say};

const CHECKS: &[Check] = &[
    Check { name: "format", arguments: &["fmt", "--all", "--check"], environment: &[] },
    Check {
        name: "clippy",
        arguments: &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ],
        environment: &[],
    },
    Check {
        name: "docs",
        arguments: &["doc", "--workspace", "--no-deps", "--all-features", "--quiet"],
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
    },
    Check {
        name: "the core without features",
        arguments: &["check", "-p", "tilewright", "--no-default-features", "--quiet"],
        environment: &[("RUSTFLAGS", "-D warnings")],
    },
    Check {
        name: "tests",
        arguments: &["test", "--workspace", "--all-features", "--no-fail-fast"],
        environment: &[],
    },
    Check {
        name: "format of the Python package",
        arguments: &["fmt", "--manifest-path", PYTHON, "--check"],
        environment: &[],
    },
    Check {
        name: "clippy of the Python package",
        arguments: &["clippy", "--manifest-path", PYTHON, "--quiet", "--", "-D", "warnings"],
        // With its stable interface it needs no Python to be there.
        environment: &[("PYO3_NO_PYTHON", "1"), ("PYO3_BUILD_EXTENSION_MODULE", "1")],
    },
];

/// A workspace of its own, so that everything else builds without Python.
const PYTHON: &str = "crates/tilewright-python/Cargo.toml";

/// What takes another processor, and the network.
const BESIDE: &[Own] = &[
    Own { name: "the page as it is made", arguments: &["page", "--made"] },
    Own { name: "the Python package", arguments: &["python"] },
];

/// Runs every check, and says at the end which failed.
pub(crate) fn run() -> ExitCode {
    check::run(CHECKS, BESIDE, &[("the page", page_passes)])
}

/// With the command that the tests have built.
fn page_passes() -> bool {
    say("== the page");
    page::test().inspect_err(|message| say(message)).is_ok()
}

/// Runs the tests of the Python package alone.
pub(crate) fn python() -> ExitCode {
    match python::test() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}
