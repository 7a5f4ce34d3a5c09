//! `cargo xtask miri`, `cargo xtask asan` and `cargo xtask tsan`: what looks at every access to memory.
//!
//! Miri interprets: it finds every undefined behaviour there is on the way, but knows no vector
//! registers, and is slow. It knows other processors too: one whose numbers begin with their highest byte, and
//! one of 32 bits. AddressSanitizer is compiled in: it finds accesses beyond a buffer, with
//! the kernels of every register that the processor has, on the whole of the tests. ThreadSanitizer finds accesses of two
//! threads of which neither comes first.

use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::check::{Check, run};
use crate::say;

/// What of a crate Miri runs, with what of cargo's and of Miri's options. Cases are fewer and smaller there: tests say
/// `cfg!(miri)`.
struct Part {
    name: &'static str,
    arguments: &'static [&'static str],
    miri: &'static str,
    rust: &'static str,
}

const PARTS: [Part; 3] = [
    // The core without the tests that read data files or walk large arrays.
    Part {
        name: "core",
        arguments: &[
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
            "--skip",
            "only_so_many",
            "--skip",
            "shears",
        ],
        miri: "",
        rust: "",
    },
    // The kernels with plain bytes for registers. The threads of rayon's pool outlive the tests; its queues are trees of
    // borrows.
    Part {
        name: "moving",
        arguments: &["-p", "tilewright-relayout", "--lib", "--test", "small", "--test", "errors"],
        miri: "-Zmiri-ignore-leaks -Zmiri-tree-borrows -Zmiri-permissive-provenance",
        rust: "",
    },
    // What reads headers and records. Rustix calls the kernel in assembly unless it is told not to.
    Part {
        name: "files",
        arguments: &[
            "-p",
            "tilewright-files",
            "--lib",
            "--",
            "header",
            "descr",
            "rules",
            "record",
            "index",
        ],
        miri: "",
        rust: "--cfg rustix_use_libc",
    },
];

/// Processors that Miri knows beside the one that it runs on: one whose numbers begin with their highest byte, and one whose
/// addresses have 32 bits.
const PROCESSORS: [(&str, &str); 2] =
    [("big-endian", "s390x-unknown-linux-gnu"), ("32-bit", "i686-unknown-linux-gnu")];

const USAGE: &str = "\
usage: cargo xtask miri [core] [moving] [files] [here] [big-endian] [32-bit]

  Parts and processors; all of those of which none is named.
";

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
        SANITIZED,
    ],
    environment: &[("RUSTFLAGS", "-Zsanitizer=address -Cdebug-assertions --cfg tilewright_asan")],
}];

/// The processor that this is built for.
const SANITIZED: &str = if cfg!(target_arch = "aarch64") {
    "aarch64-unknown-linux-gnu"
} else {
    "x86_64-unknown-linux-gnu"
};

/// Threads that share work: the crew that moves bytes, and that of a conversion. The standard library is built as well, since its
/// locks are what orders the threads.
const TSAN: &[Check] = &[
    Check {
        name: "ThreadSanitizer: moving bytes",
        arguments: &[
            "+nightly",
            "test",
            "-Zbuild-std",
            "-p",
            "tilewright-relayout",
            "--lib",
            "--test",
            "threads",
            "--target",
            SANITIZED,
            "--",
            "run::",
            "pool::",
            "desk::",
            "slabs_",
            "many_callers_at_once",
            "few_chunks_for_many_threads",
            "rows_that_share_lines_of_the_source",
        ],
        environment: &[("RUSTFLAGS", "-Zsanitizer=thread")],
    },
    Check {
        name: "ThreadSanitizer: converting",
        arguments: &[
            "+nightly",
            "test",
            "-Zbuild-std",
            "-p",
            "tilewright-convert",
            "--lib",
            "--target",
            SANITIZED,
            "--",
            "crew::",
            "memory::",
            "cut::",
        ],
        environment: &[("RUSTFLAGS", "-Zsanitizer=thread")],
    },
];

/// Runs the tests that Miri is for, or the parts that are named, and says how long each took.
pub(crate) fn miri(words: &[String]) -> ExitCode {
    let processors =
        [("here", None)].into_iter().chain(PROCESSORS.map(|(name, of)| (name, Some(of))));
    let parts = || PARTS.iter().map(|part| part.name);
    let is_known = |word: &String| {
        parts().chain(processors.clone().map(|(name, _)| name)).any(|name| name == word)
    };
    if !words.iter().all(is_known) {
        say(USAGE);
        return ExitCode::from(2);
    }
    let is_said = |name: &str| words.iter().any(|word| word == name);
    let (any_part, any_processor) =
        (parts().any(is_said), processors.clone().any(|(name, _)| is_said(name)));
    let mut failed = Vec::new();
    for (processor, target) in processors.filter(|(name, _)| !any_processor || is_said(name)) {
        for part in PARTS.iter().filter(|part| !any_part || is_said(part.name)) {
            let name = format!("Miri: {}, {processor}", part.name);
            let begin = Instant::now();
            say(&format!("== {name}"));
            let passes = part.passes(target);
            say(&format!("== {name}: {} s", begin.elapsed().as_secs()));
            failed.extend((!passes).then_some(name));
        }
    }
    if failed.is_empty() {
        say("all checks passed");
        return ExitCode::SUCCESS;
    }
    say(&format!("failed: {}", failed.join("; ")));
    ExitCode::FAILURE
}

impl Part {
    /// Whether its tests pass on a processor, the one that they run on where none is named.
    fn passes(&self, target: Option<&'static str>) -> bool {
        // Not `$CARGO`: that is one toolchain's cargo, and knows no `+nightly`.
        let mut cargo = Command::new("cargo");
        cargo.args(["+nightly", "miri", "test"]);
        cargo.args(target.into_iter().flat_map(|target| ["--target", target]));
        let has_filters = self.arguments.contains(&"--");
        cargo
            .args(self.arguments)
            .args((!has_filters).then_some("--"))
            // What is slow there is seen: minutes in a test mean that it should be smaller under `cfg!(miri)`.
            .args(["-Zunstable-options", "--report-time"])
            .env("MIRIFLAGS", format!("-Zmiri-disable-isolation {}", self.miri));
        cargo.env("RUSTFLAGS", self.rust).status().is_ok_and(|status| status.success())
    }
}

/// Runs the tests of moving bytes under AddressSanitizer.
pub(crate) fn asan() -> ExitCode {
    run(ASAN, &[])
}

/// Runs the tests of threads under ThreadSanitizer.
pub(crate) fn tsan() -> ExitCode {
    run(TSAN, &[])
}
