//! The report as a person reads it, from the sums down to single instructions.

use tilewright_hlo::{
    Alive, Buffer, CheckedBitcast, Cycles, Donation, Fault, Hint, Movement, OutOfMemory, Peak,
    Report, Size, Timeline, Totals, Traffic, Value, Verdicts,
};

use super::{Budget, Counted};
use crate::size::in_words;
use crate::table::{self, Left, Right};

pub(crate) fn text(report: &Report, top: usize) -> String {
    let sections = [
        headline(report),
        totals(&report.totals),
        timelines(report.timeline.as_deref().unwrap_or_default()),
        peaks(report.peak.as_deref().unwrap_or_default(), top),
        donations(&report.donations, top),
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
    let donated = |text| format!("{text}; outputs that take the memory of parameters");
    line("aliases", size(&totals.aliases).map(donated));
    line("host", size(&totals.host_parameters).map(|text| format!("{text}; parameters")));
    line("host", size(&totals.host_outputs).map(|text| format!("{text}; outputs")));
    line("buffers", size(&totals.buffers));
    line("relayouts", traffic(&totals.relayouts).map(|text| of_which(&text, totals)));
    line("copies", traffic(&totals.copies).map(|text| format!("{text}; the format is kept")));
    line("bitcasts", verdicts(&totals.bitcasts));
    line("cycles", totals.cycles.map(|cycles| self::cycles(&cycles)));
    lines.join("\n")
}

fn cycles(cycles: &Cycles) -> String {
    let share = |part: u64| 100.0 * part as f64 / cycles.all.max(1) as f64;
    format!(
        "{} as the compiler estimates; relayouts take {:.1} %, copies {:.1} %",
        cycles.all,
        share(cycles.relayouts),
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

/// What the compiler counted beside what the text says.
pub(super) fn counted(counted: &[Counted]) -> String {
    let lines = counted.iter().map(|Counted { space, bytes, compiler }| {
        let share = 100.0 * (*bytes as f64 - *compiler as f64) / (*compiler).max(1) as f64;
        let (ours, theirs) = (in_words(*bytes), in_words(*compiler));
        format!("\n  {space:<5} {theirs}, and {ours} by the text ({share:+.1} %)")
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("in all, as the compiler counted{lines}") }
}

/// Whether there is enough, and what is too much.
pub(super) fn budgets(budgets: &[Budget]) -> String {
    let said = budgets.iter().map(|budget| {
        let Budget { space, bytes, needed, is_over, largest } = budget;
        let (needed, bytes) = (in_words(*needed), in_words(*bytes));
        if !is_over {
            return format!("within the budget: {needed} of {bytes} {space}");
        }
        let mut rows = vec![["bytes", "array", "name"].map(str::to_owned)];
        rows.extend(largest.iter().map(|l| [in_words(l.bytes), l.text.to_string(), cut(&l.name)]));
        let table = table::aligned(&rows, &[Right, Left, Left]);
        format!("over the budget: {needed} of {bytes} {space}; the largest{}", indented(&table))
    });
    said.collect::<Vec<_>>().join("\n\n")
}

/// How wide a timeline is.
const COLUMNS: usize = 64;

/// What each memory space holds over the schedule: in each column the most of its share of the time.
fn timelines(timelines: &[Timeline]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let mut lines = String::new();
    for timeline in timelines.iter().filter(|timeline| !is_of_flags(&timeline.space)) {
        let n = timeline.instructions.max(1);
        let mut most = [0i64; COLUMNS];
        let ends = timeline.steps.iter().skip(1).map(|&(time, _)| time as usize);
        for (&(start, bytes), end) in timeline.steps.iter().zip(ends.chain([n])) {
            let columns = start as usize * COLUMNS / n..=(end.max(1) - 1) * COLUMNS / n;
            for column in most.get_mut(columns).into_iter().flatten() {
                *column = bytes.max(*column);
            }
        }
        let peak = most.iter().copied().max().unwrap_or(0);
        let bar = |bytes: i64| match bytes {
            0 => ' ',
            bytes => {
                BARS[((i128::from(bytes) * 8 - 1) / i128::from(peak.max(1))).clamp(0, 7) as usize]
            }
        };
        let bars: String = most.iter().map(|&bytes| bar(bytes)).collect();
        lines += &format!("\n  {:<5} {bars} {}", timeline.space, in_words(peak));
    }
    if lines.is_empty() {
        lines
    } else {
        format!("temporaries from the first instruction to the last{lines}")
    }
}

/// Whether a memory space holds semaphores and scalars, of some bytes.
fn is_of_flags(space: &str) -> bool {
    space.starts_with("S(")
}

/// What is in memory at the peaks.
fn peaks(peaks: &[Peak], top: usize) -> String {
    let large = peaks.iter().filter(|peak| !is_of_flags(&peak.space));
    large.map(|peak| self::peak(peak, top)).collect::<Vec<_>>().join("\n\n")
}

fn peak(peak: &Peak, top: usize) -> String {
    let shown = first(&peak.alive, top);
    let heading = ["bytes", "padding", "array", "op", "source", "name", "until"];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(shown.iter().map(|buffer| {
        [
            in_words(buffer.bytes),
            in_words(buffer.padding_bytes),
            buffer.text.to_string(),
            buffer.op.clone(),
            source(buffer),
            cut(&buffer.name),
            cut(&buffer.until),
        ]
    }));
    let table = table::aligned(&rows, &[Right, Right, Left, Left, Left, Left, Left]);
    let shared = match peak.bytes_shared < peak.bytes {
        true => format!(", or {} with memory lent within fusions", in_words(peak.bytes_shared)),
        false => String::new(),
    };
    let head = format!(
        "{} at its peak, at {}: {} of temporaries{shared}",
        peak.space,
        cut(&peak.at),
        in_words(peak.bytes)
    );
    let alive = title("alive then", shown.len(), peak.alive.len());
    let named = shown.iter().map(|b| (&*b.text, b.fault.as_deref(), b.hint.as_deref()));
    head + "\n" + &alive + &indented(&table) + &sources(peak) + &advice(named)
}

/// So many lines of the program are named.
const SOURCES: usize = 5;

/// The lines of the program that take most at a peak.
fn sources(peak: &Peak) -> String {
    if peak.by_source.iter().filter(|sum| sum.source.is_some()).count() < 2 {
        return String::new();
    }
    let mut rows = vec![["bytes", "buffers", "source"].map(str::to_owned)];
    rows.extend(peak.by_source.iter().take(SOURCES).map(|sum| {
        let source = sum.source.as_ref().map_or("no line".to_owned(), ToString::to_string);
        [in_words(sum.bytes), sum.count.to_string(), cut_front(&source)]
    }));
    let table = table::aligned(&rows, &[Right, Right, Left]);
    format!("\nby the line of the program{}", indented(&table))
}

/// What could be donated, if it is of some size.
fn donations(donations: &[Donation], top: usize) -> String {
    let large = donations.iter().take_while(|donation| donation.bytes >= LEAST_DONATION).count();
    let shown = first(donations.get(..large).unwrap_or(donations), top);
    if shown.is_empty() {
        return String::new();
    }
    let mut rows = vec![["saves", "parameter", "result", "array"].map(str::to_owned)];
    rows.extend(shown.iter().map(|donation| {
        let Donation { parameter, output, text, bytes } = donation;
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

/// Less is not worth a line.
const LEAST_DONATION: i64 = 1 << 20;

/// Where a buffer comes from: the line of the program, or the operation.
fn source(buffer: &Alive) -> String {
    let line = buffer.source.as_ref().map(|source| cut_front(&source.to_string()));
    line.or_else(|| buffer.op_name.as_deref().map(cut_front)).unwrap_or_default()
}

/// The characters that a name has room for in a table.
const NAME: usize = 32;

/// A name, cut behind.
fn cut(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// A path, cut in front.
fn cut_front(path: &str) -> String {
    match path.char_indices().rev().nth(NAME - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &path[start..]),
        _ => path.to_owned(),
    }
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

/// The buffers with most padding, and under the table what would mend them.
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
            cut(&buffer.name),
            buffer.text.to_string(),
            bytes(buffer),
            in_words(buffer.padding_bytes),
            buffer.op.to_string(),
            cut(&buffer.computation),
        ]
    }));
    let table = table::aligned(&rows, &[Left, Left, Right, Right, Left, Left]);
    let title = title("buffers by padding", shown.len(), padded);
    let named = shown.iter().map(|b| (&*b.text, b.fault.as_deref(), b.hint.as_deref()));
    title + &indented(&table) + &advice(named)
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

/// What is at fault with some arrays, and what would mend them; each array once.
fn advice<'b>(
    buffers: impl Iterator<Item = (&'b str, Option<&'b Fault>, Option<&'b Hint>)>,
) -> String {
    let mut said: Vec<&str> = Vec::new();
    let mut lines = String::new();
    for (text, fault, hint) in buffers {
        let (Some(fault), Some(hint)) = (fault, hint) else { continue };
        if !said.contains(&text) {
            said.push(text);
            lines += &format!("\n  {text}\n    {}\n{}", fault.text, suggestions(hint));
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
