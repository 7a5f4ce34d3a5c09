//! `tilewright layouts`: the layouts with names.

use tilewright_ask::{Layouts, NamedRow};

use crate::Answer;
use crate::args::LayoutsArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::table::{self, Left};

pub(crate) fn run(args: &LayoutsArgs, console: &mut Console) -> Result<Answer, Failure> {
    let answer = Layouts { names: args.names.clone() }.answer()?;
    console.answer(&answer, || match answer.rows.as_slice() {
        [one] => whole(one),
        rows => listed(rows),
    })?;
    Ok(Answer::Yes)
}

fn listed(rows: &[NamedRow]) -> String {
    let mut lines = vec![["name", "dims", "stored as", "for"].map(str::to_owned)];
    lines.extend(rows.iter().map(|row| {
        let stored = format!("{}{}", row.carrier.dtype, list(&row.carrier.dims));
        let stored = format!("{} as {stored}", row.example.split('@').next().unwrap_or(""));
        [row.name.clone(), row.dims.to_owned(), stored, first_words(row.summary)]
    }));
    table::aligned(&lines, &[Left, Left, Left, Left])
}

/// A summary up to where it goes into detail.
fn first_words(summary: &str) -> String {
    summary.split([':', ',', '.']).next().unwrap_or(summary).to_owned()
}

/// All that is known of a layout.
fn whole(row: &NamedRow) -> String {
    let stored = format!("{}{}", row.carrier.dtype, list(&row.carrier.dims));
    let mut lines = vec![
        ("name", row.name.clone()),
        ("for", row.summary.to_owned()),
        ("elements", row.element_types.join(" ")),
        ("dims", row.dims.to_owned()),
        ("extents", row.extents.to_owned()),
        ("example", row.example.clone()),
        ("stored as", stored),
    ];
    lines.extend(row.cute.clone().map(|text| ("shape:stride", text)));
    lines.extend(row.xla.clone().map(|text| ("xla", text)));
    if row.pad != 0 {
        lines.push(("padding", format!("{:#04x}", row.pad)));
    }
    if !row.xor_types.is_empty() {
        lines.push((
            "xor",
            format!("{:#x}, of codes that are {}", row.xor, row.xor_types.join(", ")),
        ));
    }
    lines.push(("source", row.source.to_owned()));
    let lines: Vec<[String; 2]> =
        lines.into_iter().map(|(key, said)| [key.to_owned(), said]).collect();
    table::aligned(&lines, &[Left, Left])
}

fn list(dims: &[i64]) -> String {
    let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
    format!("[{}]", dims.join(","))
}
