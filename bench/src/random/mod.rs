//! Pairs of layouts that nobody chose: how fast is the engine at what a user could ask for?
//!
//! The cases of [`cases`](crate::cases) are chosen, and what is chosen gets looked after. Here pairs
//! are drawn: a family ([`draw`]), element types, orders and tiles from what that family has, and
//! sizes ([`extents`]) that are powers of two, round, odd or prime. The larger side of a pair has
//! about 1 or about 64 MiB. The same seed draws the same pairs.
//!
//! What counts is a relayout's speed relative to the best copy of *its larger side*: a user who has
//! 8 MiB of bits and wants 64 MiB of bytes would not get them faster than by writing 64 MiB.

mod check;
mod dice;
mod draw;
mod extents;
mod families;
mod neighbours;
mod pair;
mod sketch;
mod trial;

use std::io::{self, StdoutLock, Write, stdout};

use anyhow::{Context, Result};

use crate::arguments::Arguments;
use crate::report::{distribution, machine};
use crate::session::say;
use pair::Pair;
use trial::Bench;

#[cfg(test)]
pub(crate) use trial::PairVerdict;
pub(crate) use trial::{Figures, Measured};

/// Draws and measures what was asked for; whether every output was right.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    if arguments.neighbours {
        return run_neighbours(arguments);
    }
    let named = arguments.pairs.iter().map(|texts| Pair::named(texts.clone()));
    let mut pairs: Vec<Pair> = named.collect::<Result<_>>()?;
    if let Some(count) = arguments.random {
        pairs.extend(draw::pairs(count, arguments.seed, &arguments.megabytes)?);
    }
    let measured = measure(&pairs, arguments.off)?;
    let (named, drawn) = measured.split_at(arguments.pairs.len());
    report(arguments, &measured, |out| distribution::print(out, named, drawn, arguments.seed))
}

/// Measures arrays of odd extents beside their even neighbours.
fn run_neighbours(arguments: &Arguments) -> Result<bool> {
    let all = neighbours::all()?;
    let counts: Vec<usize> = all.iter().map(|one| one.odd.len()).collect();
    let pairs: Vec<Pair> =
        all.into_iter().flat_map(|one| std::iter::once(one.even).chain(one.odd)).collect();
    let measured = measure(&pairs, arguments.off)?;
    let mut rest = measured.as_slice();
    let mut beside = Vec::with_capacity(rest.len());
    for count in counts {
        let (of, others) = rest.split_at(1 + count);
        rest = others;
        beside.extend(of[1..].iter().map(|odd| (&of[0], odd)));
    }
    report(arguments, &measured, |out| distribution::print_neighbours(out, &beside))
}

/// Prints what was measured, and writes the file that was asked for; whether every output was right.
fn report(
    arguments: &Arguments,
    measured: &[Measured],
    print: impl FnOnce(&mut StdoutLock<'_>) -> io::Result<()>,
) -> Result<bool> {
    let mut out = stdout().lock();
    for line in machine::alone() {
        writeln!(out, "{line}  ")?;
    }
    print(&mut out)?;
    if let Some(path) = &arguments.json {
        std::fs::write(path, crate::report::json(measured)?).context("the JSON file")?;
    }
    Ok(!measured.iter().any(Measured::is_wrong))
}

/// Measures pair after pair, in the same memory; if asked for, to a destination off a line too.
fn measure(pairs: &[Pair], off: usize) -> Result<Vec<Measured>> {
    let largest = pairs.iter().map(Pair::larger_bytes).max().unwrap_or_default();
    let mut bench = Bench::with_room(largest, off)?;
    let mut measured = Vec::with_capacity(pairs.len());
    for (number, pair) in pairs.iter().enumerate() {
        let [from, to] = &pair.texts;
        let one = bench.measure(pair).with_context(|| format!("{from} -> {to}"))?;
        say(&format!("{:4} of {}  {}", number + 1, pairs.len(), one.summary()));
        measured.push(one);
    }
    Ok(measured)
}
