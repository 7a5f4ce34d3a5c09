//! The sums.

use tilewright_hlo::{Cycles, Movement, OutOfMemory, Report, Size, Totals, Traffic, Verdicts};

use super::{cut, is_of_flags};
use crate::size::in_words;

pub(super) fn headline(report: &Report) -> String {
    let module = report.module.as_ref().map(|name| format!("module {name}"));
    let memory = report.out_of_memory.as_ref().map(|OutOfMemory { memory, used, capacity }| {
        match used.is_empty() {
            true => "out of memory".to_owned(),
            false => format!("out of memory: {used} of {capacity} {memory} used"),
        }
    });
    module.into_iter().chain(memory).collect::<Vec<_>>().join("\n")
}

/// What is needed of each memory space in all.
pub(super) fn needs(report: &Report) -> String {
    let large = report.memory_spaces().into_iter().filter(|space| !is_of_flags(space));
    let lines = large.map(|space| {
        let need = report.need_of(&space, 0);
        let parts = [
            ("parameters", need.parameters),
            ("outputs", need.outputs),
            ("temporaries", need.temporaries),
        ];
        let parts = parts.iter().filter(|(_, bytes)| *bytes > 0);
        let parts: Vec<String> =
            parts.map(|(name, bytes)| format!("{} of {name}", in_words(*bytes))).collect();
        let donated = match need.aliases {
            0 => String::new(),
            bytes => format!(", less {} donated", in_words(bytes)),
        };
        format!("\n  {space:<5} {}: {}{donated}", in_words(need.bytes), parts.join(", "))
    });
    let lines: String = lines.collect();
    match report.peak {
        Some(_) if !lines.is_empty() => format!("in all{lines}"),
        _ => String::new(),
    }
}

pub(super) fn totals(report: &Report) -> String {
    let totals = &report.totals;
    let mut lines = Vec::new();
    let mut line = |name: &str, text: Option<String>| {
        lines.extend(text.map(|text| format!("  {name:<11} {text}")));
    };
    line("parameters", size(&totals.parameters));
    line("outputs", size(&totals.outputs));
    let donated = |text| format!("{text}; outputs that take the memory of parameters");
    line("aliases", size(&totals.aliases).map(donated));
    line("host", size(&totals.host_parameters).map(|text| format!("{text}; parameters")));
    line("host", size(&totals.host_outputs).map(|text| format!("{text}; outputs")));
    line("buffers", size(&totals.buffers));
    line("relayouts", traffic(&totals.relayouts).map(|text| of_which(&text, totals)));
    line("copies", traffic(&totals.copies).map(|text| format!("{text}; the format is kept")));
    line("bitcasts", verdicts(&totals.bitcasts));
    line("cycles", totals.cycles.map(|cycles| self::cycles(&cycles, &report.relayouts)));
    lines.join("\n")
}

/// What all takes, what part of that relayouts do, and which of them most.
pub(super) fn cycles(cycles: &Cycles, relayouts: &[Movement]) -> String {
    let share = |part: u64| 100.0 * part as f64 / cycles.all.max(1) as f64;
    fn takes(m: &Movement) -> Option<(u64, &Movement)> {
        Some((m.cycles?.checked_mul(m.executions?)?, m))
    }
    let own = relayouts.iter().filter(|m| m.standalone).filter_map(takes);
    let worst = own.max_by_key(|(cycles, _)| *cycles).map(|(cycles, m)| {
        let place = m.source.as_ref().map_or_else(String::new, |source| format!(" at {source}"));
        format!(" ({:.1} % {}{place})", share(cycles), cut(&m.name))
    });
    format!(
        "{} as the compiler estimates; relayouts take {:.1} %{}, copies {:.1} %",
        cycles.all,
        share(cycles.relayouts),
        worst.unwrap_or_default(),
        share(cycles.copies)
    )
}

fn of_which(text: &str, totals: &Totals) -> String {
    let Traffic { count, bytes_read, bytes_written } = totals.standalone;
    match totals.fused.count {
        0 => text.to_owned(),
        _ => format!(
            "{text}; {count} of them instructions of their own, reading {}, writing {}",
            in_words(bytes_read),
            in_words(bytes_written)
        ),
    }
}

pub(super) fn size(size: &Size) -> Option<String> {
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

pub(super) fn traffic(traffic: &Traffic) -> Option<String> {
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
