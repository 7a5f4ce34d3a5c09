//! What changed between two dumps, as a person reads it.

use tilewright_hlo::{Change, ChangedValue};

use super::words::{first, indented, movements, title};
use crate::size::in_words;
use crate::table::{self, Left, Right};

pub(crate) fn text(change: &Change, top: usize) -> String {
    let sections = [
        totals(change),
        values("parameters", &change.parameters, top),
        values("outputs", &change.outputs, top),
        movements("relayouts that are gone", &change.relayouts.gone, top),
        movements("relayouts that are new", &change.relayouts.new, top),
        values("buffers with most change", &change.buffers, top),
    ];
    let sections: Vec<String> = sections.into_iter().filter(|text| !text.is_empty()).collect();
    sections.join("\n\n")
}

fn totals(change: &Change) -> String {
    let (before, after) = (&change.before, &change.after);
    let rows = [
        ("parameters", before.parameters.bytes, after.parameters.bytes),
        ("  padding", before.parameters.padding_bytes, after.parameters.padding_bytes),
        ("outputs", before.outputs.bytes, after.outputs.bytes),
        ("buffers", before.buffers.bytes, after.buffers.bytes),
        ("  padding", before.buffers.padding_bytes, after.buffers.padding_bytes),
        ("relayouts read", before.relayouts.bytes_read, after.relayouts.bytes_read),
        ("relayouts write", before.relayouts.bytes_written, after.relayouts.bytes_written),
    ];
    let mut lines = vec![["", "before", "after", "change"].map(str::to_owned)];
    let peaks = change.peaks.iter().filter(|peak| !peak.space.starts_with("S("));
    let peaks: Vec<(String, i64, i64)> = peaks
        .map(|peak| (format!("{} at its peak", peak.space), peak.before, peak.after))
        .collect();
    let peaks = peaks.iter().map(|(name, before, after)| (name.as_str(), *before, *after));
    for (name, before, after) in rows.into_iter().chain(peaks) {
        let change = signed(after.saturating_sub(before));
        lines.push([name.to_owned(), in_words(before), in_words(after), change]);
    }
    let (before, after) = (before.relayouts.count, after.relayouts.count);
    let difference = after.cast_signed().wrapping_sub(before.cast_signed());
    lines.push([
        "relayouts".to_owned(),
        before.to_string(),
        after.to_string(),
        if difference == 0 { "same".to_owned() } else { format!("{difference:+}") },
    ]);
    table::aligned(&lines, &[Left, Right, Right, Right])
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
