//! The report as a person reads it, from the sums down to single instructions.

mod asked;
mod lists;
mod peak;
mod sums;

use tilewright_hlo::Report;

pub(super) use asked::{budgets, changed, counted, what_if};
pub(super) use lists::movements;
use lists::{buffers, donations, refused, values};
use peak::{peaks, timelines};
use sums::{headline, needs, totals};

pub(in crate::hlo) fn text(report: &Report, top: usize) -> String {
    let sections = [
        headline(report),
        needs(report),
        totals(report),
        timelines(report.timeline.as_deref().unwrap_or_default()),
        peaks(report.peak.as_deref().unwrap_or_default(), top),
        donations(&report.donations, top),
        values("parameters", &report.parameters, top),
        values("outputs", &report.outputs, top),
        buffers(report, top),
        movements("relayouts", &report.relayouts, top),
        refused(&report.bitcasts, top),
    ];
    let sections: Vec<String> = sections.into_iter().filter(|text| !text.is_empty()).collect();
    sections.join("\n\n")
}

/// Whether a memory space holds semaphores and scalars, of some bytes.
pub(in crate::hlo) fn is_of_flags(space: &str) -> bool {
    space.starts_with("S(")
}

/// The characters that a name has room for in a table.
const NAME: usize = 32;

/// A name, cut behind.
fn cut(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// A path, cut in front.
fn cut_front(path: &str) -> String {
    match path.char_indices().rev().nth(NAME - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &path[start..]),
        _ => path.to_owned(),
    }
}

/// `name`, or `name, the first 12 of 30`.
pub(in crate::hlo) fn title(name: &str, shown: usize, all: usize) -> String {
    if shown == all { name.to_owned() } else { format!("{name}, the first {shown} of {all}") }
}

/// As many rows as asked for.
pub(in crate::hlo) fn first<T>(rows: &[T], top: usize) -> &[T] {
    let n = if top == 0 { rows.len() } else { top.min(rows.len()) };
    rows.get(..n).unwrap_or(rows)
}

/// A table under its title.
pub(in crate::hlo) fn indented(table: &str) -> String {
    table.lines().map(|line| format!("\n  {line}")).collect()
}
