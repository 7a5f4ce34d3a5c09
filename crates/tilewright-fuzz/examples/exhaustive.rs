//! Every small layout against every law, and how often each law was looked at: what `cargo xtask exhaustive` runs. An argument
//! is a part of the names of the ranges that are gone through, all where there is none.

#![allow(clippy::print_stdout, reason = "it talks to a terminal")]

use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Instant;

use tilewright_fuzz::exhaustive::{Report, layouts, shapes_and_strides, whole};

const SHAPES_AND_STRIDES: &str = "shapes and strides";

fn main() -> ExitCode {
    let threads = available_parallelism().map_or(1, usize::from);
    let asked = std::env::args().nth(1).unwrap_or_default();
    let mut failed = 0;
    let mut said = |name: &str, begin: Instant, report: &Report| {
        println!("{name}: {:.0} s\n{report}", begin.elapsed().as_secs_f64());
        failed += report.n_failed();
    };
    for (range, pairs) in whole().into_iter().filter(|(range, _)| range.name.contains(&asked)) {
        let begin = Instant::now();
        said(range.name, begin, &layouts(&range, pairs, threads));
    }
    if SHAPES_AND_STRIDES.contains(&asked) {
        let begin = Instant::now();
        said(SHAPES_AND_STRIDES, begin, &shapes_and_strides(4, 3, 4, threads));
    }
    println!("{failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
