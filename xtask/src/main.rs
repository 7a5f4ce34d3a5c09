//! `cargo xtask`: what is done to this repository from the outside.
//!
//! * `test`: everything that must hold before a change lands. Needs the Rust toolchain, Node and
//!   Chromium, of which the last two are installed where that can be done; where there is Python 3.11,
//!   the Python package is tested too.
//! * `page`: the page of `tilewright explore` alone, made again and used in a browser.
//! * `site`: the book as a folder for any web server, with search and the explorer, which a module of WebAssembly
//!   answers.
//! * `renderers`: pictures as Chromium, resvg and CairoSVG draw them, compared. Needs Python and libcairo.
//! * `miri`: the core's tests, the plain kernels' and the readers' under Miri, for three kinds of processor. Needs a nightly
//!   toolchain with Miri.
//! * `asan`: the kernels' tests, all registers, under AddressSanitizer. Needs a nightly toolchain.
//! * `tsan`: the tests of threads under ThreadSanitizer. Needs a nightly toolchain with the standard library's source.
//! * `neon`: the kernels' tests with NEON's registers, run by QEMU. Needs a linker and a C library for aarch64.
//! * `fuzz`: the targets of `fuzz/` with libFuzzer, for as long as is said; needs a nightly toolchain and cargo-fuzz. Or many
//!   mutations of their seeds in an ordinary build; or what of the code they reach.
//! * `exhaustive`: every layout of small arrays against an arithmetic worked out by hand. Takes minutes.
//! * `faults`: what is written while calls, memory, disks and power fail. Needs strace and a C compiler.
//! * `oracle`: makes the frozen test data again from jaxlib, libtpu and numpy, or runs emitted code by its tools
//!   (`oracle emit`). Needs Python.
//! * `dist`: what a release is made of: crates, static binaries, Debian packages, wheels. Needs Python, and rustup.
//! * `installed`: what `dist` made, used where nothing else is. Needs root.
//! * `audit`: licences and holes of dependencies, what is public, the oldest versions that are promised. Needs a
//!   nightly toolchain, and rustup.
//! * `readmes`: the crates' README files, from their documentation.
//! * `bench`: the side-by-side benchmark. Takes oneDNN and the Python peers in where it can.

#![forbid(unsafe_code)]

mod audit;
mod bench;
mod check;
mod command;
mod dist;
mod environment;
mod exhaustive;
mod faults;
mod fuzz;
mod installed;
mod memory;
mod micro;
mod neon;
mod oracle;
mod page;
mod python;
mod readmes;
mod renderers;
mod site;
mod test;
mod tools;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test             format, clippy and docs with warnings denied, and every test
  python [--beside]
                   the tests of the Python package alone; or only what it is tested beside, installed
  page             the page of `tilewright explore` alone, made again and used in Chromium, with Node
  site [--test] [FOLDER]
                   the book as a folder for any web server, with search and the page, answered in WebAssembly
  renderers        pictures as Chromium, resvg and CairoSVG draw them, compared
  miri [PART…]     the core, the plain kernels and what reads headers under Miri, here, with the highest byte
                   first, and with 32 bits; with a nightly toolchain
  asan             all kernels under AddressSanitizer, with a nightly toolchain
  tsan             threads that share work under ThreadSanitizer, with a nightly toolchain
  neon             the kernels' tests with NEON's registers, under QEMU, with gcc-aarch64-linux-gnu and qemu-user
  fuzz [OPTION…] [TARGET…]
                   the targets of fuzz/ with libFuzzer, a nightly toolchain and cargo-fuzz, or many more inputs
                   without these; --help lists options
  exhaustive [RANGE]
                   every layout of small arrays, held to an arithmetic worked out by hand: minutes
  faults [--quick] [--only COMMAND] [PART…]
                   what is written while the system fails; parts are syscalls, power, memory, disk, races
  oracle [NAME…]   make the frozen test data again from jaxlib, libtpu and numpy; `emit` runs emitted code
  dist [--compare] [PART…]
                   what a release is made of, in target/dist, or that made again elsewhere and compared; parts are
                   crates, binaries, packages, wheels, bill
  installed [--debian] [--rust]
                   what dist made, used where nothing else is: an empty folder, a new environment, a new Debian; or
                   its sources, where only Rust is
  audit [PART…]    dependencies and what is public; parts are deny, advisories, api, msrv, minimal, semver
  readmes          the crates' README files, from their documentation
  bench [OPTION…]  relayouts beside plain copies and beside other libraries; --help lists options
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "test" && rest.is_empty() => test::run(),
        Some((command, rest)) if command == "python" => test::python(rest),
        Some((command, rest)) if command == "page" => page::run(rest),
        Some((command, rest)) if command == "site" => site::run(rest),
        Some((command, rest)) if command == "renderers" && rest.is_empty() => renderers::run(),
        Some((command, rest)) if command == "miri" => memory::miri(rest),
        Some((command, rest)) if command == "asan" && rest.is_empty() => memory::asan(),
        Some((command, rest)) if command == "tsan" && rest.is_empty() => memory::tsan(),
        Some((command, rest)) if command == "neon" && rest.is_empty() => neon::tests(),
        Some((command, rest)) if command == "fuzz" => fuzz::run(rest),
        Some((command, rest)) if command == "exhaustive" && rest.len() < 2 => exhaustive::run(rest),
        Some((command, rest)) if command == "faults" => faults::run(rest),
        Some((command, rest)) if command == "oracle" => oracle::run(rest),
        Some((command, rest)) if command == "installed" => installed::run(rest),
        Some((command, rest)) if command == "audit" => audit::run(rest),
        Some((command, rest)) if command == "dist" => dist::run(rest),
        Some((command, rest)) if command == "readmes" && rest.is_empty() => readmes::run(),
        Some((command, rest)) if command == "bench" => bench::run(rest),
        _ => {
            say(USAGE);
            ExitCode::from(2)
        }
    }
}

/// Words to the person who runs it.
#[expect(clippy::print_stderr, reason = "xtask talks to a terminal")]
fn say(words: &str) {
    eprintln!("{words}");
}
