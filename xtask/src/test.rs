//! `cargo xtask test`: everything that must hold before a change lands.

use std::process::{Command, ExitCode};

use crate::{python, say};

/// One thing to check: what it is called, cargo's arguments, and the environment it wants.
struct Check {
    name: &'static str,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

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

/// What Miri looks at: the core, without the tests that read data files or walk large arrays.
const MIRI: Check = Check {
    name: "Miri",
    arguments: &[
        "+nightly",
        "miri",
        "test",
        "-p",
        "tilewright",
        "--lib",
        "--test",
        "maps",
        "--test",
        "diagnostics",
        "--",
        "--skip",
        "numpy",
        "--skip",
        "xla_bytes",
        "--skip",
        "document_formats",
        "--skip",
        "every_layout",
    ],
    environment: &[("MIRIFLAGS", "-Zmiri-disable-isolation")],
};

/// Runs the core's own tests under Miri.
pub(crate) fn miri() -> ExitCode {
    if passes(&MIRI) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs every check, and says at the end which failed.
pub(crate) fn run() -> ExitCode {
    let mut failed: Vec<&str> =
        CHECKS.iter().filter(|check| !passes(check)).map(|check| check.name).collect();
    if !python_passes() {
        failed.push("the Python package");
    }
    if failed.is_empty() {
        say("all checks passed");
        return ExitCode::SUCCESS;
    }
    say(&format!("failed: {}", failed.join(", ")));
    ExitCode::FAILURE
}

/// Runs the tests of the Python package alone.
pub(crate) fn python() -> ExitCode {
    if python_passes() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn python_passes() -> bool {
    say("== the Python package");
    python::test().inspect_err(|message| say(message)).is_ok()
}

fn passes(check: &Check) -> bool {
    say(&format!("== {}", check.name));
    // Not `$CARGO`: that is one toolchain's cargo, and knows no `+nightly`.
    let status = Command::new("cargo")
        .args(check.arguments)
        .envs(check.environment.iter().copied())
        .status();
    status.is_ok_and(|status| status.success())
}
