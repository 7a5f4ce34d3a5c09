//! HLO modules and out-of-memory reports.

use pyo3::prelude::*;
use serde::Serialize;
use tilewright_hlo::{Assignment, Change, Dump, DumpFolder, Report, decoded};

use crate::error::Failure;

/// The report on a dump, as JSON: what `tilewright hlo --json` writes.
#[pyfunction]
pub(crate) fn hlo_report(py: Python<'_>, bytes: &[u8]) -> Result<String, Failure> {
    as_json(&py.detach(|| report(bytes))?)
}

/// The name of the module that says most, of a dump's files with these names and sizes.
#[pyfunction]
pub(crate) fn hlo_module_of(files: Vec<(String, u64)>) -> Option<String> {
    DumpFolder::of(&files).map(|folder| folder.module)
}

/// The report as a self-contained page of HTML.
#[pyfunction]
pub(crate) fn hlo_page(py: Python<'_>, bytes: &[u8]) -> Result<String, Failure> {
    py.detach(|| Ok(report(bytes)?.to_html()))
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
