//! `tilewright layouts`: the layouts with names.

mod pages;

use serde_json::json;
use tilewright_ask::{Layouts, NamedRow};

use crate::Answer;
use crate::args::LayoutsArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::signals;
use crate::table::{self, Left};

pub(crate) fn run(args: &LayoutsArgs, console: &mut Console) -> Result<Answer, Failure> {
    let answer = Layouts { names: args.names.clone() }.answer()?;
    if let Some(folder) = &args.pages {
        signals::leave_nothing(console.is_json())?;
        let n = pages::write(folder, &answer.rows, args.force)?;
        console.done(format!("{} is in place", folder.display()));
        let document = json!({ "folder": folder, "pages": n });
        console.answer(&document, || format!("wrote {n} pages to {}", folder.display()))?;
        return Ok(Answer::Yes);
    }
    console.answer(&answer, || match answer.rows.as_slice() {
        [one] => whole(one),
        rows => listed(rows),
    })?;
    Ok(Answer::Yes)
}

fn listed(rows: &[NamedRow]) -> String {
    let mut lines = vec![["name", "dims", "stored as", "for"].map(str::to_owned)];
    lines.extend(rows.iter().map(|row| {
        let logical = row.example.split('@').next().unwrap_or("");
        let stored = format!("{logical} as {}", carrier(row));
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
    let mut lines =
        vec![["name".to_owned(), row.name.clone()], ["for".to_owned(), row.summary.to_owned()]];
    lines.extend(facts(row).into_iter().map(|(key, said)| [key.to_owned(), said]));
    table::aligned(&lines, &[Left, Left])
}

/// What is known beside its name and what it is for.
fn facts(row: &NamedRow) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("elements", row.element_types.join(" ")),
        ("dims", row.dims.to_owned()),
        ("extents", row.extents.to_owned()),
        ("example", row.example.clone()),
        ("stored as", carrier(row)),
    ];
    facts.extend(row.cute.clone().map(|text| ("shape:stride", text)));
    facts.extend(row.xla.clone().map(|text| ("xla", text)));
    if row.pad != 0 {
        facts.push(("padding", format!("{:#04x}", row.pad)));
    }
    if !row.xor_types.is_empty() {
        let types = row.xor_types.join(", ");
        facts.push(("xor", format!("{:#x}, of codes that are {types}", row.xor)));
    }
    facts.push(("source", row.source.to_owned()));
    facts
}

/// What the library stores the example as.
fn carrier(row: &NamedRow) -> String {
    format!("{}{}", row.carrier.dtype, list(&row.carrier.dims))
}

fn list(dims: &[i64]) -> String {
    let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
    format!("[{}]", dims.join(","))
}
