//! The side-by-side benchmark: relayouts by Tilewright, by everybody else who can, and plain
//! copies of as many bytes, in one run.
//!
//! `cargo xtask bench` builds it, prepares the peers and runs it. How a figure comes about:
//!
//! * Everything is in one process, except that numpy, JAX and torch are in one beside it that
//!   waits when it is not their turn. Buffers are prepared, on huge pages, every page present.
//! * Before anybody is timed, their output is compared with the definition of a relayout, every
//!   byte of it. Who is wrong is reported as wrong.
//! * Turns are taken round by round. Before and after each turn as many bytes are copied with
//!   `memcpy`; what counts is a turn's speed relative to those two copies, and the median of that
//!   over the rounds.
//! * *Best copy* is the faster of `memcpy` and a copy with streaming stores.
//! * Work on one thread is timed with that thread's processor time, on several with the wall's.
//! * Each thread of a contest is bound to a processor; JAX's pool is kept to as many processors as
//!   the contest has threads.
//! * Turns shorter than a millisecond are repeated until they are not.
//!
//! `--random` and `--pair` measure other pairs of layouts than the cases, beside copies alone.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("the benchmark is for Linux on x86-64");

// To be read in this order: what is measured, how, by whom, and what is said of it.
mod arguments;
mod cases;
mod definition;
mod strided;

mod clock;
mod contest;
mod copies;
mod measure;
mod memory;
mod processors;

mod peers;
mod session;

mod random;

mod report;
mod row;

use std::io::{Write, stdout};
use std::process::ExitCode;

use anyhow::{Context, Result};
use arguments::{Arguments, USAGE};
use session::{Field, say};

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            say("a relayout of ours was wrong");
            ExitCode::FAILURE
        }
        Err(error) => {
            say(&format!("bench: {error:#}"));
            ExitCode::from(2)
        }
    }
}

/// Measures and reports; whether every output of ours was right.
fn run() -> Result<bool> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    if arguments.help {
        stdout().write_all(USAGE.as_bytes())?;
        return Ok(true);
    }
    if arguments.wants_pairs() {
        return random::run(&arguments);
    }
    cases::chosen(&arguments.cases, arguments.size)?;
    let field = Field::gather(&arguments)?;
    let rows = session::run(&arguments, &field)?;
    let heading = report::machine::heading(&arguments, &field);
    report::table::print(&mut stdout().lock(), &heading, &rows)?;
    if let Some(path) = &arguments.json {
        std::fs::write(path, report::json(&rows)?).context("the JSON file")?;
    }
    if let Some(path) = &arguments.svg {
        std::fs::write(path, report::chart::draw(&heading, &rows)).context("the chart")?;
    }
    Ok(rows.iter().all(row::Row::is_right))
}
