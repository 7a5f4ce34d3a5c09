//! `cargo xtask miri` and `cargo xtask asan`: what looks at every access to memory.
//!
//! Miri interprets: it finds every undefined behaviour there is on the way, but knows no vector
//! registers, and is slow. AddressSanitizer is compiled in: it finds accesses beyond a buffer, with
//! the kernels of every register that the processor has, on the whole of the tests.

use std::process::ExitCode;

use crate::check::{Check, run};

/// The core without the tests that read data files or walk large arrays, and the kernels with plain
/// bytes for registers. Cases are fewer and smaller there: tests say `cfg!(miri)`.
const MIRI: &[Check] = &[
    Check {
        name: "Miri: the core",
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
    },
    Check {
        name: "Miri: moving bytes",
        arguments: &[
            "+nightly",
            "miri",
            "test",
            "-p",
            "tilewright-relayout",
            "--lib",
            "--test",
            "small",
            "--test",
            "errors",
        ],
        // The threads of rayon's pool outlive the tests; its queues are trees of borrows.
        environment: &[(
            "MIRIFLAGS",
            "-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-tree-borrows \
             -Zmiri-permissive-provenance",
        )],
    },
];

/// What `-Zsanitizer` is for is a target, named so that build scripts are left alone. Optimised, as
/// the kernels are used, with the standard library's checks of what `unsafe` code promises.
const ASAN: &[Check] = &[Check {
    name: "AddressSanitizer: moving bytes",
    arguments: &[
        "+nightly",
        "test",
        "--release",
        "-p",
        "tilewright-relayout",
        "--lib",
        "--tests",
        "--target",
        ASAN_TARGET,
    ],
    environment: &[("RUSTFLAGS", "-Zsanitizer=address -Cdebug-assertions --cfg tilewright_asan")],
}];

const ASAN_TARGET: &str = if cfg!(target_arch = "aarch64") {
    "aarch64-unknown-linux-gnu"
} else {
    "x86_64-unknown-linux-gnu"
};

/// Runs the tests that Miri is for.
pub(crate) fn miri() -> ExitCode {
    run(MIRI, &[])
}

/// Runs the tests of moving bytes under AddressSanitizer.
pub(crate) fn asan() -> ExitCode {
    run(ASAN, &[])
}
