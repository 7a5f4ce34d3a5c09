//! What was done, and what came of it.

use std::collections::BTreeMap;
use std::process::ExitCode;

use super::{Failing, say};

/// What a fault led to, all of which is sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Survival {
    /// The command did what it was asked all the same.
    Done,
    /// It said why it could not, with exit status 2.
    Refused,
    /// It ended by the signal that came, or was killed.
    Ended,
    /// The system's loader or Rust's runtime gave up.
    Aborted,
}

#[derive(Default)]
pub(crate) struct Tally {
    /// For each part and row: how many of each kind.
    counts: BTreeMap<(&'static str, String), BTreeMap<String, usize>>,
    /// What is counted beside them.
    beside: BTreeMap<(&'static str, String), BTreeMap<String, usize>>,
    survivals: BTreeMap<(&'static str, Survival), usize>,
    pub(crate) complaints: Vec<String>,
}

impl Tally {
    /// Takes note of one fault. What went wrong is said at once.
    pub(crate) fn add(
        &mut self,
        part: &'static str,
        (row, column): (&str, &str),
        (what, outcome): (&str, Failing<Survival>),
    ) {
        let row = self.counts.entry((part, row.to_owned())).or_default();
        *row.entry(column.to_owned()).or_default() += 1;
        match outcome {
            Ok(survival) => *self.survivals.entry((part, survival)).or_default() += 1,
            Err(wrong) => {
                let complaint = format!("{part}, {what}: {wrong}");
                say(&format!("  {complaint}"));
                self.complaints.push(complaint);
            }
        }
    }

    /// Takes note of a number beside the faults.
    pub(crate) fn count(&mut self, part: &'static str, row: &str, column: &str, count: usize) {
        let row = self.beside.entry((part, row.to_owned())).or_default();
        *row.entry(column.to_owned()).or_default() += count;
    }

    /// Says all of it.
    pub(crate) fn said(&self) -> ExitCode {
        let mut part_before = "";
        let mut all = 0;
        for ((part, row), columns) in &self.counts {
            if *part != part_before {
                self.say_sums(part);
                part_before = part;
            }
            let of_row: usize = columns.values().sum();
            all += of_row;
            let beside = self.beside.get(&(*part, row.clone()));
            let columns = columns.iter().chain(beside.into_iter().flatten());
            let parts: Vec<String> =
                columns.map(|(column, count)| format!("{column} {count}")).collect();
            say(&format!("{of_row:>8}  {row}: {}", parts.join(", ")));
        }
        say(&format!("{all:>8}  in all, {} went wrong", self.complaints.len()));
        if self.complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn say_sums(&self, part: &str) {
        let of_part = self.survivals.iter().filter(|((of, _), _)| *of == part);
        let sums: Vec<String> = of_part.map(|((_, how), n)| format!("{how:?} {n}")).collect();
        say(&format!("{part}: {}", sums.join(", ")));
    }
}
