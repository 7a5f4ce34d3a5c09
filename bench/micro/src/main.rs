//! `tilewright-micro NAME TIMES` does one operation so many times, for Callgrind to count.
//! `tilewright-micro` alone lists the operations whose instructions are worth counting.

use std::io::{Write, stdout};

use anyhow::{Context, Result};
use tilewright_micro::{Operation, operations};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => list(),
        [name, times] => repeat(name, times.parse()?),
        _ => anyhow::bail!("usage: tilewright-micro [NAME TIMES]"),
    }
}

fn list() -> Result<()> {
    let mut out = stdout().lock();
    for operation in operations().filter(|operation| operation.is_counted) {
        writeln!(out, "{}", operation.full_name())?;
    }
    Ok(())
}

fn repeat(name: &str, times: u32) -> Result<()> {
    let is_named = |operation: &&Operation| operation.full_name() == name;
    let operation =
        operations().find(is_named).with_context(|| format!("no operation is `{name}`"))?;
    let mut prepared = operation.prepared()?;
    (0..times).for_each(|_| (prepared.run)());
    Ok(())
}
