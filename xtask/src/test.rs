//! `cargo xtask test`: everything that must hold before a change lands.

use std::process::ExitCode;

use crate::check::{self, By, Check, Lane};
use crate::{command, python, say};

const CHECKS: &[Check] = &[
    by_cargo("format", &["fmt", "--all", "--check"]),
    Check {
        name: "clippy",
        by: By::Cargo,
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
        by: By::Cargo,
        arguments: &["doc", "--workspace", "--no-deps", "--all-features", "--quiet"],
        environment: &[("RUSTDOCFLAGS", "-D warnings"), command::ANY_PYTHON],
    },
    Check {
        name: "the core without features",
        by: By::Cargo,
        arguments: &["check", "-p", "tilewright", "--no-default-features", "--quiet"],
        environment: &[("RUSTFLAGS", "-D warnings")],
    },
    by_cargo("format of the fuzz targets", &["fmt", "--manifest-path", FUZZ, "--check"]),
    by_cargo("format of what runs WGSL", &["fmt", "--manifest-path", WGSL, "--check"]),
    by_cargo(BUILT, &command::EVERYTHING),
    by_cargo("tests a to d", &tests("[a-d]*")),
    by_cargo("tests of crates", &[TESTS[0], TESTS[1], TESTS[2], TESTS[3], "--lib", "--bins"]),
    by_cargo("tests of docs", &[TESTS[0], TESTS[1], TESTS[2], TESTS[3], "--doc"]),
];

const TESTS: [&str; 4] = ["test", "--workspace", "--all-features", "--no-fail-fast"];

/// Those whose files have such names.
const fn tests(names: &'static str) -> [&'static str; 6] {
    let [test, workspace, features, on] = TESTS;
    [test, workspace, features, on, "--test", names]
}

const fn by_cargo(name: &'static str, arguments: &'static [&'static str]) -> Check {
    Check { name, by: By::Cargo, arguments, environment: &[command::ANY_PYTHON] }
}

const fn by_itself(name: &'static str, arguments: &'static [&'static str]) -> Check {
    Check { name, by: By::Itself, arguments, environment: &[] }
}

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
        checks: &[by_itself(MADE, &["page", "--made"]), by_itself(BESIDE, &["python", "--beside"])],
    },
    // Many tests take one processor.
    Lane { after: &[BUILT], checks: &[by_cargo("tests e to z", &tests("[!a-d]*"))] },
    Lane { after: &[BUILT, BESIDE], checks: &[by_itself("the Python package", &["python"])] },
    Lane { after: &[BUILT, MADE], checks: &[by_itself("the page", &["page", "--used"])] },
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
