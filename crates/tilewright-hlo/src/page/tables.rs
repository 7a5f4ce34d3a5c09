//! The tables of a report.

use std::collections::HashMap;

use super::data::Kind::{Bar, Code, Number, Size, Text};
use super::data::{Cell, Column, Table, Texts};
use super::escaped_markup;
use crate::hint::{Fault, Hint, Suggestion};
use crate::live::{Alive, Peak};
use crate::memory_report::printed_size;
use crate::report::{Movement, Report, Value};

/// So many buffers have pictures.
const MAX_PICTURES: usize = 40;

/// So many buffers and relayouts are told of beyond the sums; a browser is slow with many more.
const MAX_TOLD: usize = super::MAX_ROWS;

const ALIVE: [Column; 13] = [
    Column("Bytes", Size, "bytes", true),
    Column("Padding", Size, "padding", true),
    Column("Data and padding", Bar, "", true),
    Column("Array", Code, "array", true),
    Column("Op", Text, "op", true),
    Column("Source", Text, "source", true),
    Column("Layer", Text, "layer", true),
    Column("Name", Text, "name", true),
    Column("Until", Text, "until", true),
    Column("Kernel", Text, "", true),
    Column("Op name", Text, "", false),
    Column("Computation", Text, "", false),
    Column("Line", Number, "", false),
];

const BUFFERS: [Column; 12] = [
    Column("Bytes", Size, "bytes", true),
    Column("Padding", Size, "padding", true),
    Column("Data and padding", Bar, "", true),
    Column("Array", Code, "array", true),
    Column("Memory", Text, "space", true),
    Column("Op", Text, "op", true),
    Column("Source", Text, "source", true),
    Column("Layer", Text, "layer", true),
    Column("Name", Text, "name", true),
    Column("Kernel", Text, "", true),
    Column("Computation", Text, "", false),
    Column("Line", Number, "", false),
];

const MOVES: [Column; 11] = [
    Column("Writes", Size, "bytes", true),
    Column("Reads", Size, "", true),
    Column("Times", Number, "", true),
    Column("Cycles", Number, "", true),
    Column("From", Code, "", true),
    Column("To", Code, "array", true),
    Column("Kind", Text, "op", true),
    Column("Source", Text, "source", true),
    Column("Name", Text, "name", true),
    Column("Computation", Text, "", false),
    Column("Line", Number, "", false),
];

const VALUES: [Column; 8] = [
    Column("Bytes", Size, "bytes", true),
    Column("Data", Size, "", true),
    Column("Array", Code, "array", true),
    Column("Memory", Text, "space", true),
    Column("Name", Text, "name", true),
    Column("Part of", Code, "", true),
    Column("Cut", Text, "", true),
    Column("Sharding", Text, "", false),
];

const DONATIONS: [Column; 4] = [
    Column("Bytes", Size, "bytes", true),
    Column("Array", Code, "array", true),
    Column("Parameter", Text, "name", true),
    Column("Output", Text, "", true),
];

/// Who is alive at a peak.
pub(super) fn alive(peak: &Peak, texts: &mut Texts) -> Table {
    let shown = first(&peak.alive);
    let notes = shown.iter().map(|buffer| {
        let mut notes = notes(buffer.fault.as_deref(), buffer.hint.as_deref(), texts);
        if buffer.for_gradient {
            let advice =
                "kept for the gradient: what is computed again there (jax.checkpoint) need not be";
            notes.push(texts.number(advice));
        }
        notes.extend(buffer.narrower.as_deref().map(|narrower| suggested(narrower, texts)));
        notes
    });
    let notes = some(notes.collect());
    Table {
        title: "Alive at the peak",
        class: "tw-table",
        space: peak.space.clone(),
        all: peak.alive.len(),
        columns: ALIVE.to_vec(),
        rows: shown.iter().map(|buffer| row(buffer, texts)).collect(),
        notes,
        after: String::new(),
    }
}

/// A buffer as a row of the table of those that are alive.
pub(super) fn row(buffer: &Alive, texts: &mut Texts) -> Vec<Cell> {
    vec![
        Cell::Number(buffer.bytes),
        Cell::Number(buffer.padding_bytes),
        Cell::Nothing,
        texts.text(&buffer.text),
        texts.text(&buffer.op),
        texts.text(&source(buffer)),
        texts.text(buffer.layer.as_deref().unwrap_or_default()),
        texts.text(&buffer.name),
        texts.text(&buffer.until),
        texts.text(buffer.kernel.as_deref().unwrap_or_default()),
        texts.text(buffer.op_name.as_deref().unwrap_or_default()),
        texts.text(&buffer.computation),
        Cell::Number(buffer.line.into()),
    ]
}

/// All buffers. Of those with a life in a timeline, or at a peak, it is known where in the program they come
/// from.
pub(super) fn buffers(report: &Report, texts: &mut Texts) -> Table {
    let lives = report.timeline.iter().flatten().flat_map(|timeline| &timeline.lives);
    let alive = report.peak.iter().flatten().flat_map(|peak| &peak.alive);
    let alive = alive.chain(lives.map(|life| &life.buffer));
    let known: HashMap<&str, &Alive> = alive.map(|buffer| (&*buffer.name, buffer)).collect();
    let shown = first(&report.buffers);
    let notes = shown.iter().map(|b| notes(b.fault.as_deref(), b.hint.as_deref(), texts));
    let notes = some(notes.collect());
    let rows = shown.iter().map(|buffer| {
        let known = known.get(&*buffer.name);
        vec![
            Cell::Number(buffer.bytes),
            Cell::Number(buffer.padding_bytes),
            Cell::Nothing,
            texts.text(&buffer.text),
            texts.text(space(&buffer.text)),
            texts.text(&buffer.op),
            texts.text(&known.map(|known| source(known)).unwrap_or_default()),
            texts.text(known.and_then(|known| known.layer.as_deref()).unwrap_or_default()),
            texts.text(&buffer.name),
            texts.text(buffer.kernel.as_deref().unwrap_or_default()),
            texts.text(&buffer.computation),
            Cell::Number(buffer.line.into()),
        ]
    });
    let rows = rows.collect();
    let mut columns = BUFFERS.to_vec();
    if known.is_empty() {
        let is_known = |column: &Column| !matches!(column.2, "source" | "layer");
        columns.iter_mut().for_each(|column| column.3 = is_known(column));
    }
    Table {
        title: "Buffers, by padding",
        class: "tw-table tw-buffers",
        space: String::new(),
        all: report.buffers.len(),
        columns,
        rows,
        notes,
        after: String::new(),
    }
}

/// Pictures of the first buffers that pad, which the script also has where one of them is chosen.
pub(super) fn pictures(report: &Report, picture: &dyn Fn(&str) -> Option<String>) -> String {
    let padded = report.buffers.iter().take(MAX_PICTURES).enumerate();
    let padded = padded.filter(|(_, buffer)| buffer.padding_bytes > 0);
    let figures = padded.filter_map(|(number, buffer)| {
        let picture = picture(&buffer.text)?;
        let text = escaped_markup(&buffer.text);
        Some(format!(
            "<figure data-picture=\"{number}\"><figcaption><code>{text}</code></figcaption>{picture}</figure>\n"
        ))
    });
    let figures: Vec<String> = figures.collect();
    if figures.is_empty() {
        return String::new();
    }
    format!(
        "<details class=\"tw-pictures\"><summary>Where the padding is, of {}</summary>\n{}</details>",
        figures.len(),
        figures.concat()
    )
}

/// The other tables of a page.
pub(super) fn others(report: &Report, texts: &mut Texts) -> Vec<Table> {
    let table = |title, all, columns: &[Column], rows| Table {
        title,
        class: "tw-table",
        space: String::new(),
        all,
        columns: columns.to_vec(),
        rows,
        notes: Vec::new(),
        after: String::new(),
    };
    let moves = first(&report.relayouts).iter().map(|movement| moved(movement, texts)).collect();
    let donations = first(&report.donations).iter().map(|donation| {
        vec![
            Cell::Number(donation.bytes),
            texts.text(&donation.text),
            texts.text(&donation.parameter),
            texts.text(&donation.output),
        ]
    });
    let donations = donations.collect();
    let [parameters, outputs] = [&report.parameters, &report.outputs]
        .map(|values| first(values).iter().map(|value| given(value, texts)).collect());
    vec![
        table("Relayouts", report.relayouts.len(), &MOVES, moves),
        table("Could be donated", report.donations.len(), &DONATIONS, donations),
        table("Parameters", report.parameters.len(), &VALUES, parameters),
        table("Outputs", report.outputs.len(), &VALUES, outputs),
    ]
}

fn moved(movement: &Movement, texts: &mut Texts) -> Vec<Cell> {
    let number = |number: Option<u64>| match number.map(i64::try_from) {
        Some(Ok(number)) => Cell::Number(number),
        _ => Cell::Nothing,
    };
    let source = movement.source.as_ref().map(ToString::to_string).unwrap_or_default();
    vec![
        Cell::Number(movement.bytes_written),
        Cell::Number(movement.bytes_read),
        number(movement.executions),
        number(movement.cycles),
        texts.text(&movement.from),
        texts.text(&movement.to),
        texts.text(movement.kind.name()),
        texts.text(&source),
        texts.text(&movement.name),
        texts.text(&movement.computation),
        Cell::Number(movement.line.into()),
    ]
}

fn given(value: &Value, texts: &mut Texts) -> Vec<Cell> {
    vec![
        Cell::Number(value.bytes),
        Cell::Number(value.logical_bytes),
        texts.text(&value.text),
        texts.text(&value.space),
        texts.text(&value.name),
        texts.text(value.sharding.as_ref().map_or("", |sharding| &sharding.global)),
        texts.text(&value.sharding.as_ref().map_or_else(String::new, |s| s.in_words())),
        texts.text(value.sharding.as_ref().map_or("", |sharding| &sharding.text)),
    ]
}

fn source(buffer: &Alive) -> String {
    buffer.source.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// The memory space of an array, by its text: `f32[8]{0:T(128)S(1)}` is in `vmem`.
fn space(text: &str) -> &str {
    let layout = text.find('{').map_or("", |at| &text[at..]);
    let Some(at) = layout.rfind("S(") else { return "hbm" };
    let space = &layout[at..];
    match space.split_inclusive(')').next().unwrap_or_default() {
        "S(0)" => "hbm",
        "S(1)" => "vmem",
        "S(5)" => "host",
        other => other,
    }
}

/// What is at fault, and what would mend it.
fn notes(fault: Option<&Fault>, hint: Option<&Hint>, texts: &mut Texts) -> Vec<u32> {
    let mut notes: Vec<u32> = fault.iter().map(|fault| texts.number(&fault.text)).collect();
    let suggestions = hint.iter().flat_map(|hint| hint.format.iter().chain(&hint.shape));
    notes.extend(suggestions.map(|suggestion| suggested(suggestion, texts)));
    notes
}

fn suggested(suggestion: &Suggestion, texts: &mut Texts) -> u32 {
    let size = printed_size(suggestion.bytes);
    texts.number(&format!("as {}: {size}", suggestion.text))
}

/// The notes of the rows that have any.
fn some(notes: Vec<Vec<u32>>) -> Vec<(usize, Vec<u32>)> {
    notes.into_iter().enumerate().filter(|(_, notes)| !notes.is_empty()).collect()
}

fn first<T>(all: &[T]) -> &[T] {
    all.get(..MAX_TOLD).unwrap_or(all)
}

#[cfg(test)]
mod tests {
    use super::space;

    #[test]
    fn memory_spaces_of_texts() {
        for (text, expected) in [
            ("f32[8]{0:T(128)}", "hbm"),
            ("f32[]", "hbm"),
            ("f32[8,128]{1,0:T(8,128)S(1)}", "vmem"),
            ("bf16[8]{0:T(128)(2,1)S(5)}", "host"),
            ("s32[1]{0:S(3)}", "S(3)"),
        ] {
            assert_eq!(space(text), expected, "{text}");
        }
    }
}
