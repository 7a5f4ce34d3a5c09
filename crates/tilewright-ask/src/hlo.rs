//! What a module's layouts cost, and what its parameters would do better in.

use serde::{Deserialize, Serialize};
use tilewright_hlo::{Assignment, Change, Dump, Report, Trial, Tried, decoded};

use crate::error::Error;
use crate::subject::Reader;

/// What do a module's layouts cost, or what does an out-of-memory report say?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hlo {
    /// The text of the module, or of the report.
    pub text: String,
    /// Another one, to be compared with.
    #[serde(default)]
    pub other: Option<String>,
}

/// A report, or how two differ.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum HloAnswer {
    /// What it costs.
    Report(Box<Report>),
    /// What changes from the one to the other.
    Change(Box<Change>),
}

impl Hlo {
    /// The answer.
    ///
    /// # Errors
    /// If a text is no module and no report.
    pub fn answer(&self, reader: Reader<'_>) -> Result<HloAnswer, Error> {
        let report = report(self.text.as_bytes(), "the text", reader)?;
        let Some(other) = &self.other else { return Ok(HloAnswer::Report(Box::new(report))) };
        let other = self::report(other.as_bytes(), "the other text", reader)?;
        Ok(HloAnswer::Change(Box::new(Change::between(&report, &other))))
    }
}

/// The report on a dump that is called `name`. What was not understood of it is noted.
///
/// # Errors
/// If it is no module and no out-of-memory report.
pub fn report(bytes: &[u8], name: &str, reader: Reader<'_>) -> Result<Report, Error> {
    let (text, replaced) = decoded(bytes);
    let dump = Dump::read(&text);
    if dump.module.is_none() && dump.memory_report.is_none() {
        return Err(nothing(name, &dump, &text));
    }
    let mut report = Report::of(&dump);
    report.findings.extend(replaced);
    for finding in &report.findings {
        (reader.note)(&format!("warning: {name}: {finding}"));
    }
    if report.more_findings > 0 {
        (reader.note)(&format!("warning: {name}: {} more", report.more_findings));
    }
    Ok(report)
}

/// What would become of a module that is called `name`.
///
/// # Errors
/// If it is no module with an entry, or that cannot be tried on it.
pub fn tried(bytes: &[u8], name: &str, trial: &Trial) -> Result<Tried, Error> {
    let (text, _) = decoded(bytes);
    trial.on(&text).map_err(|untried| Error::message(&format!("{name}: {untried}")))
}

fn nothing(name: &str, dump: &Dump<'_>, text: &str) -> Error {
    if let Some(help) = tilewright_hlo::no_dump(text) {
        let message = format!("{name}: no HLO module and no out-of-memory report");
        return Error::message(&format!("{message}\n  = help: {help}"));
    }
    let lines = match dump.lines_skipped {
        0 => "it is empty".to_owned(),
        1 => "its only line is neither".to_owned(),
        n => format!("none of its {n} lines begins one"),
    };
    Error::message(&format!("{name}: no HLO module and no out-of-memory report: {lines}"))
}

/// What formats would the parameters of a module do better in?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assign {
    /// The text of the module.
    pub text: String,
}

impl Assign {
    /// The answer.
    ///
    /// # Errors
    /// If the text is no module with an entry.
    pub fn answer(&self) -> Result<Assignment, Error> {
        assignment(self.text.as_bytes(), "the text")
    }
}

/// The formats for a module that is called `name`.
///
/// # Errors
/// If it is no module with an entry.
pub fn assignment(bytes: &[u8], name: &str) -> Result<Assignment, Error> {
    let (text, _) = decoded(bytes);
    let dump = Dump::read(&text);
    match dump.missing_entry() {
        Some(missing) => Err(Error::message(&format!("{name}: {missing}"))),
        None => Ok(Assignment::of(&dump)),
    }
}
