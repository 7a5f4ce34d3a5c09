//! The catalogue of layouts with names.

use pyo3::prelude::*;
use tilewright_ask::Layouts;

use crate::error::Failure;

/// What the catalogue says, as JSON: what `tilewright layouts --json` writes.
#[pyfunction]
#[pyo3(signature = (names=None))]
pub(crate) fn named_layouts(names: Option<String>) -> Result<String, Failure> {
    let wrong = |error: String| Failure::value(error);
    let rows = Layouts { names }.answer().map_err(|error| wrong(error.to_string()))?;
    serde_json::to_string(&rows).map_err(|error| wrong(error.to_string()))
}
