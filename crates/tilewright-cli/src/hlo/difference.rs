//! What changed between two dumps, as a person reads it.

use std::sync::Arc;

use tilewright::text::escaped;
use tilewright_hlo::{Change, ChangedPeak, ChangedValue};

use super::words::{changed, first, indented, is_of_flags, movements, title};
use crate::size::in_words;
use crate::table::{self, Left, Right};

pub(crate) fn text(change: &Change, top: usize) -> String {
    let sections = [
        table::aligned(&totals(change), &[Left, Right, Right, Right]),
        values("parameters", &change.parameters, top),
        values("outputs", &change.outputs, top),
        movements("relayouts that are gone", &change.relayouts.gone, top),
        movements("relayouts that are new", &change.relayouts.new, top),
        values("buffers with most change", &change.buffers, top),
    ];
    let sections: Vec<String> = sections.into_iter().filter(|text| !text.is_empty()).collect();
    sections.join("\n\n")
}

/// The same in Markdown, for a pull request.
pub(crate) fn markdown(change: &Change, top: usize) -> String {
    let mut text = rows_of_markdown(&totals(change));
    for (name, movements) in [
        ("Relayouts that are gone", &change.relayouts.gone),
        ("Relayouts that are new", &change.relayouts.new),
    ] {
        let mut rows = vec![["from", "to", "bytes moved", "times", "source"].map(str::to_owned)];
        rows.extend(first(movements, top).iter().map(|m| {
            let times = m.executions.map_or_else(|| "?".to_owned(), |times| times.to_string());
            let source = m.source.as_ref().map_or_else(String::new, ToString::to_string);
            let moved = in_words(m.bytes_read.saturating_add(m.bytes_written));
            [code(&m.from), code(&m.to), moved, times, source]
        }));
        text += &section_of_markdown(name, &rows, movements.len());
    }
    for (name, values) in [
        ("Parameters", &change.parameters),
        ("Outputs", &change.outputs),
        ("Buffers", &change.buffers),
    ] {
        let shown = |text: &Option<Arc<str>>| text.as_ref().map_or_else(String::new, |t| code(t));
        let mut rows = vec![["before", "after", "change"].map(str::to_owned)];
        rows.extend(
            first(values, top).iter().map(|value| {
                [shown(&value.before), shown(&value.after), signed(value.bytes_change)]
            }),
        );
        text += &section_of_markdown(name, &rows, values.len());
    }
    text
}

/// A table that one can open, if it has any rows but the heading.
fn section_of_markdown<const N: usize>(name: &str, rows: &[[String; N]], all: usize) -> String {
    if rows.len() < 2 {
        return String::new();
    }
    let title = title(name, rows.len() - 1, all);
    format!("\n\n<details><summary>{title}</summary>\n\n{}\n\n</details>", rows_of_markdown(rows))
}

/// Names and lines of programs hold anything, which is not to end a cell or begin a tag.
fn rows_of_markdown<const N: usize>(rows: &[[String; N]]) -> String {
    let cell = |cell: &String| {
        let cell = escaped(cell).to_string().replace('|', "\\|");
        if cell.starts_with('`') { cell } else { cell.replace('<', "&lt;") }
    };
    let line = |row: &[String; N]| format!("| {} |", row.each_ref().map(cell).join(" | "));
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.insert(1.min(lines.len()), format!("|{}", " --- |".repeat(N)));
    lines.join("\n")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn totals(change: &Change) -> Vec<[String; 4]> {
    let (before, after) = (&change.before, &change.after);
    let rows = [
        ("parameters", before.parameters.bytes, after.parameters.bytes),
        ("  padding", before.parameters.padding_bytes, after.parameters.padding_bytes),
        ("outputs", before.outputs.bytes, after.outputs.bytes),
        ("donated", before.aliases.bytes, after.aliases.bytes),
        ("buffers", before.buffers.bytes, after.buffers.bytes),
        ("  padding", before.buffers.padding_bytes, after.buffers.padding_bytes),
        ("relayouts read", before.relayouts.bytes_read, after.relayouts.bytes_read),
        ("relayouts write", before.relayouts.bytes_written, after.relayouts.bytes_written),
    ];
    let mut lines = vec![["", "before", "after", "change"].map(str::to_owned)];
    let of_space = |what: &str, spaces: &[ChangedPeak]| -> Vec<[String; 4]> {
        let large = spaces.iter().filter(|peak| !is_of_flags(&peak.space));
        let named = |peak: &ChangedPeak| (format!("{}{what}", peak.space), peak.before, peak.after);
        large.map(named).map(|(name, before, after)| changed(&name, before, after)).collect()
    };
    lines.extend(of_space(" in all", &change.needs));
    lines.extend(of_space(" temporaries", &change.peaks));
    lines.extend(rows.into_iter().map(|(name, before, after)| changed(name, before, after)));
    let (before, after) = (before.relayouts.count, after.relayouts.count);
    let difference = after.cast_signed().wrapping_sub(before.cast_signed());
    lines.push([
        "relayouts".to_owned(),
        before.to_string(),
        after.to_string(),
        if difference == 0 { "same".to_owned() } else { format!("{difference:+}") },
    ]);
    lines
}

fn signed(bytes: i64) -> String {
    match bytes {
        0 => "same".to_owned(),
        1.. => format!("+{}", in_words(bytes)),
        _ => in_words(bytes),
    }
}

fn values(name: &str, values: &[ChangedValue], top: usize) -> String {
    if values.is_empty() {
        return String::new();
    }
    let shown = first(values, top);
    let mut rows = vec![["name", "before", "after", "change"].map(str::to_owned)];
    rows.extend(shown.iter().map(|value| {
        let shown = |text: &Option<_>| text.as_ref().map_or("-".to_owned(), ToString::to_string);
        [value.name.clone(), shown(&value.before), shown(&value.after), signed(value.bytes_change)]
    }));
    let table = table::aligned(&rows, &[Left, Left, Left, Right]);
    title(name, shown.len(), values.len()) + &indented(&table)
}
