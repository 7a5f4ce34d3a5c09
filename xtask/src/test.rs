//! `cargo xtask test`: everything that must hold before a change lands.

use std::process::ExitCode;

use crate::check::{self, Check};

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
];

/// Runs every check, and says at the end which failed.
pub(crate) fn run() -> ExitCode {
    check::run(CHECKS)
}
