//! Every small layout against every law, and how often each law was looked at: what `cargo xtask exhaustive` runs.

#![allow(clippy::print_stdout, reason = "it talks to a terminal")]

use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Instant;

use tilewright_fuzz::exhaustive::{Report, layouts, shapes_and_strides, whole};

fn main() -> ExitCode {
    let threads = available_parallelism().map_or(1, usize::from);
    let mut failed = 0;
    let mut said = |name: &str, begin: Instant, report: &Report| {
        println!("{name}: {:.0} s\n{report}", begin.elapsed().as_secs_f64());
        failed += report.n_failed();
    };
    for (range, pairs) in whole() {
        let begin = Instant::now();
        said(range.name, begin, &layouts(&range, pairs, threads));
    }
    let begin = Instant::now();
    said("shapes and strides", begin, &shapes_and_strides(4, 3, 4, threads));
    println!("{failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
