//! `cargo xtask test`: everything that must hold before a change lands.

use std::process::ExitCode;

use crate::check::{self, Check, Lane, Own};
use crate::{python, say};

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
        name: "format of the Python package",
        arguments: &["fmt", "--manifest-path", PYTHON, "--check"],
        environment: &[],
    },
    Check {
        name: "clippy of the Python package",
        // What it stands on has been looked at above, in the same folder.
        arguments: &[
            "clippy",
            "--manifest-path",
            PYTHON,
            "--target-dir",
            "target",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ],
        // With its stable interface it needs no Python to be there.
        environment: &[("PYO3_NO_PYTHON", "1"), ("PYO3_BUILD_EXTENSION_MODULE", "1")],
    },
    Check {
        name: "format of the fuzz targets",
        arguments: &["fmt", "--manifest-path", FUZZ, "--check"],
        environment: &[],
    },
    Check {
        name: "format of what runs WGSL",
        arguments: &["fmt", "--manifest-path", WGSL, "--check"],
        environment: &[],
    },
    Check {
        name: BUILT,
        arguments: &["test", "--workspace", "--all-features", "--no-run", "--quiet"],
        environment: &[],
    },
    Check {
        name: "tests",
        arguments: &["test", "--workspace", "--all-features", "--no-fail-fast"],
        environment: &[],
    },
];

/// A workspace of its own, so that nothing else pulls libFuzzer in.
const FUZZ: &str = "fuzz/Cargo.toml";

/// A workspace of its own, so that nothing else pulls `wgpu` in.
const WGSL: &str = "xtask/oracle/emit_wgsl/Cargo.toml";

/// A workspace of its own, so that everything else builds without Python.
const PYTHON: &str = "crates/tilewright-python/Cargo.toml";

/// What the lane of the browser waits for: the command, and the page with all that it is used with.
const BUILT: &str = "tests, built";
const MADE: &str = "the page as it is made";

const LANES: &[Lane] = &[
    Lane {
        after: &[],
        commands: &[
            Own { name: MADE, arguments: &["page", "--made"] },
            Own { name: "the Python package", arguments: &["python"] },
        ],
    },
    Lane {
        after: &[BUILT, MADE],
        commands: &[Own { name: "the page", arguments: &["page", "--used"] }],
    },
];

/// Runs every check, and says at the end which failed.
pub(crate) fn run() -> ExitCode {
    check::run(CHECKS, LANES)
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
