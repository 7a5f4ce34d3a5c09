//! What is said of the figures: a table, JSON and a chart.

pub(crate) mod chart;
pub(crate) mod machine;
pub(crate) mod table;

use anyhow::Result;

use crate::row::Row;

/// An array with a row a line.
pub(crate) fn json(rows: &[Row]) -> Result<String> {
    let rows = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("[\n{}\n]\n", rows.join(",\n")))
}
