//! The report as a person reads it, from the sums down to single instructions.

use tilewright_hlo::{
    Buffer, CheckedBitcast, Hint, Movement, OutOfMemory, Report, Size, Totals, Traffic, Value,
    Verdicts,
};

use crate::size::in_words;
use crate::table::{self, Left, Right};

pub(crate) fn text(report: &Report, top: usize) -> String {
    let sections = [
        headline(report),
        totals(&report.totals),
        values("parameters", &report.parameters, top),
        values("outputs", &report.outputs, top),
        buffers(&report.buffers, top),
        movements("relayouts", &report.relayouts, top),
        refused(&report.bitcasts, top),
    ];
    let sections: Vec<String> = sections.into_iter().filter(|text| !text.is_empty()).collect();
    sections.join("\n\n")
}

fn headline(report: &Report) -> String {
    let module = report.module.as_ref().map(|name| format!("module {name}"));
    let memory = report.out_of_memory.as_ref().map(|OutOfMemory { memory, used, capacity }| {
        match used.is_empty() {
            true => "out of memory".to_owned(),
            false => format!("out of memory: {used} of {capacity} {memory} used"),
        }
    });
    module.into_iter().chain(memory).collect::<Vec<_>>().join("\n")
}

fn totals(totals: &Totals) -> String {
    let mut lines = Vec::new();
    let mut line = |name: &str, text: Option<String>| {
        lines.extend(text.map(|text| format!("  {name:<11} {text}")));
    };
    line("parameters", size(&totals.parameters));
    line("outputs", size(&totals.outputs));
    line("buffers", size(&totals.buffers));
    line("relayouts", traffic(&totals.relayouts));
    line("copies", traffic(&totals.copies).map(|text| format!("{text}; the format is kept")));
    line("bitcasts", verdicts(&totals.bitcasts));
    lines.join("\n")
}

fn size(size: &Size) -> Option<String> {
    let Size { count, bytes, logical_bytes, padding_bytes } = *size;
    let share = if bytes == 0 { 0.0 } else { 100.0 * padding_bytes as f64 / bytes as f64 };
    (count > 0).then(|| {
        let arrays = if count == 1 { "array" } else { "arrays" };
        format!(
            "{} in {count} {arrays}: {} of data, {} of padding ({share:.1} %)",
            in_words(bytes),
            in_words(logical_bytes),
            in_words(padding_bytes)
        )
    })
}

fn traffic(traffic: &Traffic) -> Option<String> {
    let Traffic { count, bytes_read, bytes_written } = *traffic;
    (count > 0).then(|| {
        format!("{count}, reading {}, writing {}", in_words(bytes_read), in_words(bytes_written))
    })
}

fn verdicts(verdicts: &Verdicts) -> Option<String> {
    let Verdicts { count, confirmed, refused, undecided } = *verdicts;
    (count > 0).then(|| match (refused, undecided) {
        (0, 0) => format!("{count}, all confirmed by the maps"),
        _ => format!("{count}: {confirmed} confirmed, {refused} refused, {undecided} undecided"),
    })
}

/// `name`, or `name, the first 12 of 30`.
pub(super) fn title(name: &str, shown: usize, all: usize) -> String {
    if shown == all { name.to_owned() } else { format!("{name}, the first {shown} of {all}") }
}

/// As many rows as asked for.
pub(super) fn first<T>(rows: &[T], top: usize) -> &[T] {
    let n = if top == 0 { rows.len() } else { top.min(rows.len()) };
    rows.get(..n).unwrap_or(rows)
}

/// A table under its title.
pub(super) fn indented(table: &str) -> String {
    table.lines().map(|line| format!("\n  {line}")).collect()
}

fn values(name: &str, values: &[Value], top: usize) -> String {
    if values.is_empty() {
        return String::new();
    }
    let shown = first(values, top);
    let mut rows = vec![["name", "array", "bytes", "of data"].map(str::to_owned)];
    rows.extend(shown.iter().map(|value| {
        let text = value.text.to_string();
        [value.name.clone(), text, in_words(value.bytes), in_words(value.logical_bytes)]
    }));
    let table = table::aligned(&rows, &[Left, Left, Right, Right]);
    title(name, shown.len(), values.len()) + &indented(&table)
}

/// The buffers with most padding, and under the table what would mend them, each array once.
fn buffers(buffers: &[Buffer], top: usize) -> String {
    let padded = buffers.iter().take_while(|buffer| buffer.padding_bytes > 0).count();
    let shown = first(buffers.get(..padded).unwrap_or(buffers), top);
    if shown.is_empty() {
        return String::new();
    }
    let heading = ["name", "array", "bytes", "padding", "op", "computation"];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(shown.iter().map(|buffer| {
        [
            buffer.name.clone(),
            buffer.text.to_string(),
            bytes(buffer),
            in_words(buffer.padding_bytes),
            buffer.op.to_string(),
            buffer.computation.to_string(),
        ]
    }));
    let table = table::aligned(&rows, &[Left, Left, Right, Right, Left, Left]);
    let title = title("buffers by padding", shown.len(), padded);
    [title + &indented(&table), advice(shown)].join("")
}

/// The bytes, and what an out-of-memory report has instead.
fn bytes(buffer: &Buffer) -> String {
    match &buffer.reported {
        Some(reported) if !reported.agrees => {
            format!("{} (reported as {})", in_words(buffer.bytes), reported.size)
        }
        _ => in_words(buffer.bytes),
    }
}

fn advice(buffers: &[Buffer]) -> String {
    let mut said: Vec<&str> = Vec::new();
    let mut lines = String::new();
    for buffer in buffers {
        let (Some(fault), Some(hint)) = (&buffer.fault, &buffer.hint) else { continue };
        if !said.contains(&&*buffer.text) {
            said.push(&buffer.text);
            lines += &format!("\n  {}\n    {}\n{}", buffer.text, fault.text, suggestions(hint));
        }
    }
    if lines.is_empty() {
        lines
    } else {
        format!("\n\nwhat would mend them{lines}").trim_end().to_owned()
    }
}

fn suggestions(hint: &Hint) -> String {
    let format = hint.format.iter().map(|s| ("in the format", s));
    let shape = hint.shape.iter().map(|s| ("with dimensions joined", s));
    let lines = format.chain(shape);
    lines.map(|(how, s)| format!("    {how} {}: {}\n", s.text, in_words(s.bytes))).collect()
}

/// Moves, one a row.
pub(super) fn movements(name: &str, movements: &[Movement], top: usize) -> String {
    if movements.is_empty() {
        return String::new();
    }
    let shown = first(movements, top);
    let heading = ["name", "kind", "from", "to", "reads", "writes", "computation"];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(shown.iter().map(|movement| {
        [
            movement.name.clone(),
            movement.kind.name().to_owned(),
            movement.from.to_string(),
            movement.to.to_string(),
            in_words(movement.bytes_read),
            in_words(movement.bytes_written),
            movement.computation.to_string(),
        ]
    }));
    let alignment = [Left, Left, Left, Left, Right, Right, Left];
    title(name, shown.len(), movements.len()) + &indented(&table::aligned(&rows, &alignment))
}

/// The bitcasts that are none, or of which that is not known.
fn refused(bitcasts: &[CheckedBitcast], top: usize) -> String {
    let doubtful: Vec<_> = bitcasts.iter().filter(|bitcast| bitcast.holds != Some(true)).collect();
    if doubtful.is_empty() {
        return String::new();
    }
    let shown = first(&doubtful, top);
    let mut rows = vec![["name", "from", "to", "why"].map(str::to_owned)];
    rows.extend(shown.iter().map(|bitcast| {
        let why = bitcast.reason.clone().unwrap_or_default();
        [bitcast.name.clone(), bitcast.from.to_string(), bitcast.to.to_string(), why]
    }));
    let table = table::aligned(&rows, &[Left, Left, Left, Left]);
    title("bitcasts not confirmed", shown.len(), doubtful.len()) + &indented(&table)
}
