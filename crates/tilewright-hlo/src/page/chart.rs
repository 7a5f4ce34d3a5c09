//! The timeline as a picture: what a memory space holds over the schedule, and whose it is.
//!
//! Here are the picture as it is without scripts, and the numbers of which `chart.js` draws one to point at.

use std::fmt::Write;

use super::data::{Chart, Texts};
use super::{escaped_markup, tables};
use crate::live::{Life, Peak, Timeline};
use crate::memory_report::printed_size;
use crate::report::Report;

/// The picture in units of its own, which the browser scales.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 200.0;
const BAND: f64 = 10.0;

/// So many of the largest buffers have a band of their own.
const MAX_BANDS: usize = 16;

/// So many times are told at most: more than a picture has columns.
const MAX_STEPS: usize = 4096;

/// The memory spaces that are shown: all but those of semaphores.
pub(super) fn large(report: &Report) -> Vec<(&Timeline, &Peak)> {
    let timelines = report.timeline.iter().flatten();
    let timelines = timelines.filter(|timeline| !timeline.space.starts_with("S("));
    let peak_of = |timeline: &Timeline| {
        report.peak.iter().flatten().find(|peak| peak.space == timeline.space)
    };
    timelines.filter_map(|timeline| Some((timeline, peak_of(timeline)?))).collect()
}

/// What the script has to know, with so many of the largest lives at most. Their rows are as in the table of
/// that number.
pub(super) fn data(
    timeline: &Timeline,
    peak: &Peak,
    table: usize,
    max_lives: usize,
    texts: &mut Texts,
) -> Chart {
    let life = |life: &Life| (life.from, life.to, tables::row(&life.buffer, texts));
    Chart {
        space: timeline.space.clone(),
        lives: timeline.lives.iter().take(max_lives).map(life).collect(),
        n: n(timeline),
        peak: most(&timeline.steps).0,
        at: texts.number(&peak.at),
        steps: highest(&timeline.steps, timeline.instructions),
        table,
    }
}

/// The sum over the schedule, and a band for each of the largest buffers.
pub(super) fn chart(timeline: &Timeline, peak: &Peak) -> String {
    let n = n(timeline) as f64;
    let most = most(&timeline.steps).1;
    let x = |time: f64| time / n * WIDTH;
    let y = |bytes: i64| HEIGHT * (1.0 - bytes as f64 / most.max(1) as f64);
    let mut path = format!("M0 {HEIGHT}");
    for (time, bytes) in highest(&timeline.steps, timeline.instructions) {
        // Writing to a String does not fail.
        let _ = write!(path, "H{:.2}V{:.2}", x(time.into()), y(bytes));
    }
    let space = escaped_markup(&peak.space);
    let mut html = format!(
        "<div class=\"tw-chart\" data-space=\"{space}\"><div class=\"tw-plots\"><div class=\"tw-axis\">\
         <span>{}</span><span>0</span></div><svg class=\"tw-plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{space} over the schedule\">\
         <path class=\"tw-no-color\" d=\"{path}H{WIDTH}V{HEIGHT}Z\"/></svg><div class=\"tw-lanes\">",
        printed_size(most)
    );
    for life in timeline.lives.iter().take(MAX_BANDS) {
        let (from, to) = (x(life.from.into()), x(f64::from(life.to) + 1.0));
        let buffer = &life.buffer;
        let name = escaped_markup(&buffer.name);
        let _ = writeln!(
            html,
            "<div class=\"tw-lane\" title=\"{name} {}\"><span class=\"tw-name\">{name}</span>\
             <span class=\"tw-size\">{}</span><svg class=\"tw-band\" viewBox=\"0 0 {WIDTH} {BAND}\" \
             preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"tw-no-color\" \
             d=\"M{from:.2} 0H{to:.2}V{BAND}H{from:.2}Z\"/></svg></div>",
            escaped_markup(&buffer.text),
            printed_size(buffer.bytes),
        );
    }
    html + "</div></div></div>\n"
}

fn n(timeline: &Timeline) -> usize {
    timeline.instructions.max(1)
}

/// The first of the highest steps.
fn most(steps: &[(u32, i64)]) -> (u32, i64) {
    let higher = |most: (u32, i64), step: &(u32, i64)| if step.1 > most.1 { *step } else { most };
    steps.iter().fold((0, 0), higher)
}

/// The steps, where there are not too many. Else one for each of [`MAX_STEPS`] parts of the time, at its
/// beginning: the most that there is in it. So the peak stays as high as it is, though it may be there a few
/// instructions sooner.
fn highest(steps: &[(u32, i64)], instructions: usize) -> Vec<(u32, i64)> {
    if steps.len() <= MAX_STEPS {
        return steps.to_vec();
    }
    let length = instructions.div_ceil(MAX_STEPS).max(1) as u32;
    let mut parts: Vec<(u32, i64)> = Vec::with_capacity(MAX_STEPS);
    let mut before = 0;
    for steps in steps.chunk_by(|a, b| a.0 / length == b.0 / length) {
        let Some((first, last)) = steps.first().zip(steps.last()) else { continue };
        let begin = first.0 / length * length;
        let most = steps.iter().map(|step| step.1).max().unwrap_or(0);
        // What there was before goes on until the first step.
        parts.push((begin, if first.0 > begin { most.max(before) } else { most }));
        before = last.1;
        // In a part without steps it stays as it was.
        parts.push((begin.saturating_add(length), before));
    }
    parts.dedup_by(|next, step| {
        let is_over = next.0 == step.0;
        if is_over {
            step.1 = next.1;
        }
        is_over
    });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_steps_become_the_highest_of_each_part() {
        let instructions = 3 * MAX_STEPS;
        let steps: Vec<(u32, i64)> =
            (0..instructions as u32).map(|time| (time, i64::from(time % 7) + 1)).collect();
        let few = highest(&steps, instructions);
        assert!(few.len() <= MAX_STEPS + 1, "{}", few.len());
        assert!(few.is_sorted_by(|a, b| a.0 < b.0));
        let value = |steps: &[(u32, i64)], time: u32| {
            steps[steps.partition_point(|step| step.0 <= time) - 1].1
        };
        for time in 0..instructions as u32 {
            let part = (time / 3 * 3)..(time / 3 * 3 + 3);
            let most = part.map(|time| value(&steps, time)).max().unwrap();
            assert_eq!(value(&few, time), most, "{time}");
        }
        assert_eq!(highest(&[(5, 7)], 9), [(5, 7)]);
    }
}
