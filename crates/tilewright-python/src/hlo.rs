//! HLO modules and out-of-memory reports.

use pyo3::prelude::*;
use serde::Serialize;
use tilewright_hlo::{
    Assignment, Change, CompilerReports, Counted, Dump, DumpFolder, Report, Trial, decoded,
};

use crate::error::Failure;

/// A report, and what the compiler counted.
#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    report: Report,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counted: Vec<Counted>,
}

/// The report on a dump, as JSON: what `tilewright hlo --json` writes. Of one that lies in a folder, with the module
/// before it was optimised, and the compiler's reports on its use of memory, its buffers and their lives.
#[pyfunction]
#[pyo3(signature = (bytes, before=None, reports=(None, None, None)))]
pub(crate) fn hlo_report(
    py: Python<'_>,
    bytes: &[u8],
    before: Option<&[u8]>,
    reports: (Option<String>, Option<String>, Option<String>),
) -> Result<String, Failure> {
    let (usage, assignment, live_ranges) = reports;
    let reports = CompilerReports { usage, assignment, live_ranges };
    let document = py.detach(|| {
        let mut report = report(bytes)?;
        if let Some(before) = before {
            report.add_shardings(&Dump::read(&decoded(before).0));
        }
        let counted = reports.beside(&report);
        Ok::<_, Failure>(Document { report, counted })
    });
    as_json(&document?)
}

/// What to read of a dump's files with these names and sizes: the module that says most; if it is there, the same
/// before it was optimised; and the compiler's reports on it.
#[pyfunction]
pub(crate) fn hlo_files_of(
    files: Vec<(String, u64)>,
) -> Option<(String, Option<String>, [Option<String>; 3])> {
    DumpFolder::of(&files).map(|folder| (folder.module, folder.before, folder.reports))
}

/// What would become of a program, as JSON: what `tilewright hlo --format --donate --json` writes as `what_if`.
#[pyfunction]
pub(crate) fn hlo_what_if(
    py: Python<'_>,
    bytes: &[u8],
    formats: Vec<(String, String)>,
    is_assigned: bool,
    donations: Vec<String>,
    is_all_donated: bool,
) -> Result<String, Failure> {
    let trial = Trial { formats, is_assigned, donations, is_all_donated };
    let tried = py.detach(|| trial.on(&decoded(bytes).0));
    as_json(&tried.map_err(|untried| Failure::value(untried.to_string()))?)
}

/// The report as a self-contained page of HTML.
#[pyfunction]
pub(crate) fn hlo_page(py: Python<'_>, bytes: &[u8]) -> Result<String, Failure> {
    py.detach(|| Ok(report(bytes)?.to_html()))
}

/// The timelines of the report, and what is alive at the peaks, as a piece of a page of HTML.
#[pyfunction]
pub(crate) fn hlo_fragment(py: Python<'_>, bytes: &[u8]) -> Result<String, Failure> {
    py.detach(|| Ok(report(bytes)?.to_html_fragment()))
}

/// What another dump does differently, as JSON: what `tilewright hlo --diff --json` writes.
#[pyfunction]
pub(crate) fn hlo_change(py: Python<'_>, before: &[u8], after: &[u8]) -> Result<String, Failure> {
    let change = py.detach(|| Ok::<_, Failure>(Change::between(&report(before)?, &report(after)?)));
    as_json(&change?)
}

/// Better formats for a module's parameters, as JSON: what `tilewright assign --json` writes.
#[pyfunction]
pub(crate) fn hlo_assignment(py: Python<'_>, bytes: &[u8]) -> Result<String, Failure> {
    let assignment = py.detach(|| {
        let (text, _) = decoded(bytes);
        let dump = Dump::read(&text);
        dump.missing_entry().map_or_else(|| Ok(Assignment::of(&dump)), Err)
    });
    as_json(&assignment.map_err(Failure::value)?)
}

fn as_json(document: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(document).map_err(|error| Failure::value(error.to_string()))
}

fn report(bytes: &[u8]) -> Result<Report, Failure> {
    let (text, replaced) = decoded(bytes);
    let dump = Dump::read(&text);
    if dump.module.is_none() && dump.memory_report.is_none() {
        let help = tilewright_hlo::no_dump(&text).map_or(String::new(), |help| format!("; {help}"));
        let message = format!("there is no HLO module and no out-of-memory report in it{help}");
        return Err(Failure::Value(message));
    }
    let mut report = Report::of(&dump);
    report.findings.extend(replaced);
    Ok(report)
}
