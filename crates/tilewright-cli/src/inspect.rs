//! `tilewright inspect`: the arrays in a file.

use serde::Serialize;

use crate::Answer;
use crate::args::InspectArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input;
use crate::table::{self, Left, Right};

#[derive(Serialize)]
struct Row {
    name: String,
    text: String,
    element_type: &'static str,
    dims: Vec<i64>,
    layout: String,
    stored_dims: Vec<i64>,
    bytes: u64,
    logical_bytes: i64,
}

pub(crate) fn run(
    args: &InspectArgs,
    strict: bool,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let input = input::open(&args.file, args.from.as_deref(), strict)?;
    let mut rows = Vec::new();
    for (array, info) in input.file.arrays().iter().enumerate() {
        let shape = input.shape(array)?;
        rows.push(Row {
            name: info.name().to_owned(),
            text: shape.to_string(),
            element_type: shape.element_type().xla_name(),
            dims: shape.sizes()?,
            layout: shape.layout_or_default().to_string(),
            stored_dims: info.dims().to_vec(),
            bytes: info.byte_len(),
            logical_bytes: shape.logical_bytes()?,
        });
    }
    console.answer(&rows, || as_table(&rows))?;
    Ok(Answer::Yes)
}

fn as_table(rows: &[Row]) -> String {
    let mut lines = vec![["name", "array", "bytes", "of data", "stored as"].map(str::to_owned)];
    for row in rows {
        lines.push([
            row.name.clone(),
            row.text.clone(),
            row.bytes.to_string(),
            row.logical_bytes.to_string(),
            listed(&row.stored_dims),
        ]);
    }
    table::aligned(&lines, &[Left, Left, Right, Right, Left])
}

fn listed(dims: &[i64]) -> String {
    let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
    format!("[{}]", dims.join(","))
}
