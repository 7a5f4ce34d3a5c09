//! `cargo xtask neon`: what moves bytes with NEON's registers, built for aarch64 and run by QEMU's user emulation.
//!
//! Needs a C compiler that links for aarch64 and its C library (`gcc-aarch64-linux-gnu`), and QEMU (`qemu-user`).

use std::process::ExitCode;

use crate::check::{Check, run};
use crate::say;
use crate::tools::provide_target;

const TRIPLE: &str = "aarch64-unknown-linux-gnu";

/// Optimised, since everything is emulated.
const CHECKS: &[Check] = &[Check {
    name: "NEON under QEMU: moving bytes",
    arguments: &[
        "test",
        "--release",
        "-p",
        "tilewright-relayout",
        "--lib",
        "--test",
        "definition",
        "--test",
        "small",
        "--target",
        TRIPLE,
    ],
    environment: &[
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc"),
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-aarch64 -L /usr/aarch64-linux-gnu"),
    ],
}];

/// Runs the tests.
pub(crate) fn tests() -> ExitCode {
    if let Err(error) = provide_target(TRIPLE) {
        say(&error);
        return ExitCode::FAILURE;
    }
    run(CHECKS, &[])
}
