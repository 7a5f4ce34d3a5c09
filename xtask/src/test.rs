//! `cargo xtask test`: everything that must hold before a change lands.

use std::process::ExitCode;

use crate::check::{self, Check, Lane, Own};
use crate::{command, python, say};

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
        environment: &[command::ANY_PYTHON],
    },
    Check {
        name: "docs",
        arguments: &["doc", "--workspace", "--no-deps", "--all-features", "--quiet"],
        environment: &[("RUSTDOCFLAGS", "-D warnings"), command::ANY_PYTHON],
    },
    Check {
        name: "the core without features",
        arguments: &["check", "-p", "tilewright", "--no-default-features", "--quiet"],
        environment: &[("RUSTFLAGS", "-D warnings")],
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
    Check { name: BUILT, arguments: &command::EVERYTHING, environment: &[command::ANY_PYTHON] },
    Check {
        name: "tests",
        arguments: &["test", "--workspace", "--all-features", "--no-fail-fast"],
        environment: &[command::ANY_PYTHON],
    },
];

/// A workspace of its own, so that nothing else pulls libFuzzer in.
const FUZZ: &str = "fuzz/Cargo.toml";

/// A workspace of its own, so that nothing else pulls `wgpu` in.
const WGSL: &str = "xtask/oracle/emit_wgsl/Cargo.toml";

/// What the lanes of Python and of the browser wait for: the crates, the command, and the page with all that it is used with.
const BUILT: &str = "tests, built";
const MADE: &str = "the page as it is made";
const BESIDE: &str = "what the Python package is tested beside";

const LANES: &[Lane] = &[
    Lane {
        after: &[],
        commands: &[
            Own { name: MADE, arguments: &["page", "--made"] },
            Own { name: BESIDE, arguments: &["python", "--beside"] },
        ],
    },
    Lane {
        after: &[BUILT, BESIDE],
        commands: &[Own { name: "the Python package", arguments: &["python"] }],
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

/// Runs the tests of the Python package alone, or (`--beside`) only installs what it is tested beside.
pub(crate) fn python(arguments: &[String]) -> ExitCode {
    let done = match arguments {
        [] => python::test(),
        [only] if only == "--beside" => python::beside().map(drop),
        _ => Err("usage: cargo xtask python [--beside]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}
