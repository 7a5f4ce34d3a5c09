//! The lists: parameters, buffers, relayouts, bitcasts, and what would mend them.

use tilewright_hlo::{Buffer, CheckedBitcast, Donation, Fault, Hint, Movement, Report, Value};

use super::{cut, cut_front, first, indented, title};
use crate::size::in_words;
use crate::table::{self, Left, Right};

/// What could be donated, if it is of some size.
pub(super) fn donations(donations: &[Donation], top: usize) -> String {
    let large = donations.iter().take_while(|donation| donation.bytes >= LEAST_DONATION).count();
    let shown = first(donations.get(..large).unwrap_or(donations), top);
    if shown.is_empty() {
        return String::new();
    }
    let mut rows = vec![["saves", "parameter", "result", "array"].map(str::to_owned)];
    rows.extend(shown.iter().map(|donation| {
        let Donation { parameter, output, text, bytes, .. } = donation;
        [in_words(*bytes), cut(parameter), cut(output), text.to_string()]
    }));
    let table = table::aligned(&rows, &[Right, Left, Left, Left]);
    let title = title(
        "parameters that could be donated, if nobody reads them afterwards",
        shown.len(),
        large,
    );
    title + &indented(&table)
}

pub(super) fn values(name: &str, values: &[Value], top: usize) -> String {
    if values.is_empty() {
        return String::new();
    }
    let shown = first(values, top);
    let is_split = shown.iter().any(|value| value.sharding.is_some());
    let part = if is_split { "part of" } else { "" };
    let mut rows = vec![["name", "array", "bytes", "of data", part].map(str::to_owned)];
    rows.extend(shown.iter().map(|value| {
        let [bytes, data] = [value.bytes, value.logical_bytes].map(in_words);
        let part = value.sharding.as_ref().map_or_else(String::new, |sharding| {
            let how = if sharding.replicated == sharding.devices { "," } else { " cut" };
            format!("{}{how} {}", sharding.global, sharding.in_words())
        });
        [cut(&value.name), value.text.to_string(), bytes, data, part]
    }));
    let table = table::aligned(&rows, &[Left, Left, Right, Right, Left]);
    title(name, shown.len(), values.len()) + &indented(&table)
}

/// The buffers with most padding, and under the table what would mend them.
pub(super) fn buffers(report: &Report, top: usize) -> String {
    let buffers = &report.buffers;
    // Of a report that memory ran out, all that it lists, the largest first.
    let (name, listed) = match report.out_of_memory {
        Some(_) => ("allocations", buffers.len()),
        None => {
            let padded = buffers.iter().take_while(|buffer| buffer.padding_bytes > 0).count();
            ("buffers by padding", padded)
        }
    };
    let shown = first(buffers.get(..listed).unwrap_or(buffers), top);
    if shown.is_empty() {
        return String::new();
    }
    let heading = ["name", "array", "bytes", "padding", "op", "computation"];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(shown.iter().map(|buffer| {
        [
            cut(&buffer.name),
            buffer.text.to_string(),
            bytes(buffer),
            in_words(buffer.padding_bytes),
            buffer.op.to_string(),
            cut(&buffer.computation),
        ]
    }));
    let table = table::aligned(&rows, &[Left, Left, Right, Right, Left, Left]);
    let title = title(name, shown.len(), listed);
    let named = shown
        .iter()
        .map(|b| (&*b.text, b.kernel.as_deref(), b.fault.as_deref(), b.hint.as_deref()));
    title + &indented(&table) + &advice(named)
}

/// The bytes, and whether they are what an out-of-memory report says instead of what the shape does.
pub(super) fn bytes(buffer: &Buffer) -> String {
    match &buffer.reported {
        Some(reported) if !reported.agrees => {
            format!("{} (reported: {})", in_words(buffer.bytes), reported.size)
        }
        _ => in_words(buffer.bytes),
    }
}

/// What is at fault with some arrays, and what would mend them; each array once.
pub(super) fn advice<'b>(
    buffers: impl Iterator<Item = (&'b str, Option<&'b str>, Option<&'b Fault>, Option<&'b Hint>)>,
) -> String {
    let mut said: Vec<&str> = Vec::new();
    let mut lines = String::new();
    for (text, kernel, fault, hint) in buffers {
        let (Some(fault), Some(hint)) = (fault, hint) else { continue };
        if !said.contains(&text) {
            said.push(text);
            let kernel = kernel.map_or_else(String::new, |kernel| {
                format!("    its format is fixed by the kernel {}\n", cut(kernel))
            });
            lines += &format!("\n  {text}\n    {}\n{kernel}{}", fault.text, suggestions(hint));
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
pub(in crate::hlo) fn movements(name: &str, movements: &[Movement], top: usize) -> String {
    if movements.is_empty() {
        return String::new();
    }
    let shown = first(movements, top);
    let heading = [
        "name",
        "kind",
        "from",
        "to",
        "reads",
        "writes",
        "times",
        "cycles",
        "source",
        "computation",
    ];
    let mut rows = vec![heading.map(str::to_owned)];
    let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
    rows.extend(shown.iter().map(|movement| {
        let source = movement.source.as_ref();
        [
            cut(&movement.name),
            movement.kind.name().to_owned(),
            movement.from.to_string(),
            movement.to.to_string(),
            in_words(movement.bytes_read),
            in_words(movement.bytes_written),
            number(movement.executions),
            number(movement.cycles),
            source.map_or_else(String::new, |source| cut_front(&source.to_string())),
            cut(&movement.computation),
        ]
    }));
    let alignment = [Left, Left, Left, Left, Right, Right, Right, Right, Left, Left];
    title(name, shown.len(), movements.len()) + &indented(&table::aligned(&rows, &alignment))
}

/// The bitcasts that are none, or of which that is not known.
pub(super) fn refused(bitcasts: &[CheckedBitcast], top: usize) -> String {
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

/// Less is not worth a line.
pub(super) const LEAST_DONATION: i64 = 1 << 20;
