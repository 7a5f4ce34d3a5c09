//! HLO modules and out-of-memory reports.

use pyo3::prelude::*;
use tilewright_hlo::{Dump, Report, decoded};

use crate::error::Failure;

/// The report on a dump, as JSON: what `tilewright hlo --json` writes.
#[pyfunction]
pub(crate) fn hlo_report(py: Python<'_>, bytes: &[u8]) -> Result<String, Failure> {
    let report = py.detach(|| report(bytes))?;
    serde_json::to_string(&report).map_err(|error| Failure::value(error.to_string()))
}

/// The report as a self-contained page of HTML.
#[pyfunction]
pub(crate) fn hlo_page(py: Python<'_>, bytes: &[u8]) -> Result<String, Failure> {
    py.detach(|| Ok(report(bytes)?.to_html()))
}

fn report(bytes: &[u8]) -> Result<Report, Failure> {
    let (text, replaced) = decoded(bytes);
    let dump = Dump::read(&text);
    if dump.module.is_none() && dump.memory_report.is_none() {
        return Err(Failure::value("there is no HLO module and no out-of-memory report in it"));
    }
    let mut report = Report::of(&dump);
    report.findings.extend(replaced);
    Ok(report)
}
