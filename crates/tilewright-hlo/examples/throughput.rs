//! How fast modules are read: `cargo run --release -p tilewright-hlo --example throughput FILE [MB]`.
//!
//! The file's text is repeated until there are so many megabytes. What is timed is one thread:
//! reading alone, and reading with the whole report.

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use tilewright_hlo::{Dump, Report};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let megabytes: usize = arguments.next().map_or(Ok(120), |number| number.parse())?;
    let module = std::fs::read_to_string(file)?;
    let text = module.repeat((megabytes * 1_000_000).div_ceil(module.len()));
    for _ in 0..3 {
        let start = Instant::now();
        let dump = Dump::read(&text);
        let read = start.elapsed().as_secs_f64();
        let report = Report::of(&dump);
        let both = start.elapsed().as_secs_f64();
        let size = text.len() as f64 / 1e6;
        let instructions = dump.module.map_or(0, |module| module.instructions.len());
        writeln!(
            std::io::stdout(),
            "{size:.0} MB, {instructions} instructions, {} buffers: read at {:.0} MB/s, with the report {:.0} MB/s",
            report.totals.buffers.count,
            size / read,
            size / both
        )?;
    }
    Ok(())
}
