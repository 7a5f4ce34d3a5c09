//! What is in memory over the schedule, and at the peak.

use tilewright_hlo::{Alive, Peak, Timeline};

use super::lists::{LEAST_DONATION, advice};
use super::{cut, cut_front, first, indented, is_of_flags, title};
use crate::size::in_words;
use crate::table::{self, Left, Right};

/// How wide a timeline is.
const COLUMNS: usize = 64;

/// What each memory space holds over the schedule: in each column the most of its share of the time.
pub(super) fn timelines(timelines: &[Timeline]) -> String {
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

/// What is in memory at the peaks.
pub(super) fn peaks(peaks: &[Peak], top: usize) -> String {
    let large = peaks.iter().filter(|peak| !is_of_flags(&peak.space));
    large.map(|peak| self::peak(peak, top)).collect::<Vec<_>>().join("\n\n")
}

pub(super) fn peak(peak: &Peak, top: usize) -> String {
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
    let named = shown
        .iter()
        .map(|b| (&*b.text, b.kernel.as_deref(), b.fault.as_deref(), b.hint.as_deref()));
    head + "\n" + &alive + &indented(&table) + &groups(peak) + &gradient(peak) + &advice(named)
}

/// So many lines of the program are named.
const SOURCES: usize = 5;

/// The lines of the program and the layers that take most at a peak.
fn groups(peak: &Peak) -> String {
    let by_source = peak.by_source.iter().map(|sum| {
        let source = sum.source.as_ref().map(|source| cut_front(&source.to_string()));
        (source, sum.bytes, sum.count)
    });
    let by_layer =
        peak.by_layer.iter().map(|sum| (sum.name.as_deref().map(cut_front), sum.bytes, sum.count));
    group("line", "source", by_source.collect()) + &group("layer", "layer", by_layer.collect())
}

fn group(by: &str, heading: &str, sums: Vec<(Option<String>, i64, usize)>) -> String {
    if sums.iter().filter(|(name, ..)| name.is_some()).count() < 2 {
        return String::new();
    }
    let mut rows = vec![["bytes", "buffers", heading].map(str::to_owned)];
    rows.extend(sums.into_iter().take(SOURCES).map(|(name, bytes, count)| {
        let name = name.unwrap_or_else(|| format!("no {by}"));
        [in_words(bytes), count.to_string(), name]
    }));
    let table = table::aligned(&rows, &[Right, Right, Left]);
    format!("\nby the {by} of the program{}", indented(&table))
}

/// What is kept for the gradient at a peak, if that is much.
fn gradient(peak: &Peak) -> String {
    if peak.for_gradient < peak.bytes / 8 || peak.for_gradient < LEAST_DONATION {
        return String::new();
    }
    let (kept, all) = (in_words(peak.for_gradient), in_words(peak.bytes));
    let kept_for = |b: &&Alive| b.for_gradient;
    let most = peak.alive.iter().find(kept_for).map_or_else(String::new, |b| {
        let narrower = b.narrower.as_ref().map_or_else(String::new, |narrower| {
            format!("; as {} it would take {}", narrower.text, in_words(narrower.bytes))
        });
        format!("\n  most of it {}, {}{narrower}", in_words(b.bytes), cut(&b.name))
    });
    format!(
        "\n\nkept for the gradient: {kept} of {all}. What is computed again there (jax.checkpoint) need not \
         be kept{most}"
    )
}

/// Where a buffer comes from: the line of the program, or the operation.
pub(super) fn source(buffer: &Alive) -> String {
    let line = buffer.source.as_ref().map(|source| cut_front(&source.to_string()));
    line.or_else(|| buffer.op_name.as_deref().map(cut_front)).unwrap_or_default()
}
