//! What is said of the figures: a table, JSON and a chart.

pub(crate) mod chart;
pub(crate) mod distribution;
pub(crate) mod machine;
pub(crate) mod table;

use anyhow::Result;
use serde::Serialize;

/// An array with a row a line.
pub(crate) fn json(rows: &[impl Serialize]) -> Result<String> {
    let rows = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("[\n{}\n]\n", rows.join(",\n")))
}
