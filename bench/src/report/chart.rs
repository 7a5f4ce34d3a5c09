//! The chart: a bar for each case, as long as our speed is of the best copy's, with a mark where
//! each peer stands. One SVG file that needs no other, for light and dark pages.

use std::fmt::Write;

use crate::peers::OURS_FROM_PYTHON;
use crate::row::{Figure, Row};

/// In pixels: a row, a group's heading, the margin, and the columns.
const ROW: usize = 19;
const GROUP: usize = 34;
const MARGIN: usize = 20;
const LABELS: usize = 425;
const PLOT: usize = 300;
const FIGURES: usize = 170;
const LINE: usize = 17;

const STYLE: &str = "\
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.small, .layouts { font-size: 11px; fill: #59636e; }
.layouts { font-family: ui-monospace, monospace; font-size: 10px; }
.group { font-weight: 600; }
.case { font-weight: 600; text-anchor: end; }
.page, .halo { fill: #ffffff; }
.track { fill: #eff2f5; }
.ours { fill: #2f6fd6; }
.peer { fill: #818b98; }
.best { fill: #1f2328; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
.copy { stroke: #818b98; stroke-width: 1; }
.axis { font-size: 11px; fill: #59636e; text-anchor: middle; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .small, .layouts, .axis { fill: #9198a1; }
  .page, .halo { fill: #0d1117; }
  .track { fill: #1b222c; }
  .ours { fill: #4c8df0; }
  .peer { fill: #9198a1; }
  .best { fill: #f0f6fc; }
  .grid { stroke: #30363d; }
  .copy { stroke: #9198a1; }
}
";

/// Cases that are shown together, by the size of their arrays.
const GROUPS: [(&str, std::ops::Range<usize>); 3] =
    [("Large arrays", 8 << 20..usize::MAX), ("1 MiB, in cache", 4097..8 << 20), ("1 KiB", 0..4097)];

/// Draws the rows.
pub(crate) fn draw(heading: &[String], rows: &[Row]) -> String {
    let mut threads: Vec<usize> = rows.iter().map(|row| row.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    let mut body = String::new();
    let top = front(&mut body, heading);
    let mut y = top;
    for (group, sizes) in GROUPS {
        let cases = cases_of(rows, &sizes);
        if !cases.is_empty() {
            y = draw_group(&mut body, y, group, &cases, rows, &threads);
        }
    }
    let width = 2 * MARGIN + LABELS + threads.len() * (PLOT + FIGURES);
    let height = y + MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Relayout speed, of the best \
         copy's\">\n<style>\n{STYLE}</style>\n<rect class=\"page\" width=\"{width}\" \
         height=\"{height}\"/>\n{body}</svg>\n"
    )
}

/// Title, key and heading; says where they end.
fn front(body: &mut String, heading: &[String]) -> usize {
    let mut y = MARGIN + LINE;
    text(body, "title", MARGIN, y, "Relayout speed, as a part of the best copy's speed");
    y += LINE + 8;
    rect(body, "ours", MARGIN, y - 9, 26, 10);
    text(body, "small", MARGIN + 34, y, "tilewright");
    rect(body, "best", MARGIN + 110, y - 10, 3, 13);
    text(body, "small", MARGIN + 120, y, "the best peer");
    rect(body, "peer", MARGIN + 210, y - 8, 2, 9);
    text(body, "small", MARGIN + 218, y, "other peers");
    text(body, "small", MARGIN + 300, y, "1.0 is the faster of memcpy and a streaming copy.");
    for line in heading {
        y += LINE;
        text(body, "small", MARGIN, y, line);
    }
    y + LINE
}

/// The names of the cases whose rows move so many bytes, in the order of the rows.
fn cases_of<'a>(rows: &'a [Row], sizes: &std::ops::Range<usize>) -> Vec<&'a str> {
    let mut cases: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| sizes.contains(&row.bytes)) {
        if !cases.contains(&row.case.as_str()) {
            cases.push(&row.case);
        }
    }
    cases
}

fn draw_group(
    body: &mut String,
    top: usize,
    group: &str,
    cases: &[&str],
    rows: &[Row],
    threads: &[usize],
) -> usize {
    let first = top + GROUP;
    let bottom = first + cases.len() * ROW;
    text(body, "group", MARGIN, first - 10, group);
    for (panel, &count) in threads.iter().enumerate() {
        frame(body, panel, count, first, bottom);
    }
    for (place, case) in cases.iter().enumerate() {
        let y = first + place * ROW;
        let of_case = || rows.iter().filter(|row| row.case == *case);
        if let Some(row) = of_case().next() {
            label(body, y, row);
        }
        for row in of_case() {
            let panel = threads.iter().position(|&count| count == row.threads).unwrap_or_default();
            bar(body, panel, y, row);
        }
    }
    bottom
}

/// Where a panel's plot begins.
fn left_of(panel: usize) -> usize {
    MARGIN + LABELS + panel * (PLOT + FIGURES)
}

/// Where in a panel a ratio stands; what is faster than a copy stands at its right edge.
fn x_of(panel: usize, ratio: f64) -> usize {
    left_of(panel) + (ratio.clamp(0.0, RIGHT_EDGE) / RIGHT_EDGE * PLOT as f64).round() as usize
}

/// The ratio at the right edge of a plot.
const RIGHT_EDGE: f64 = 1.1;

/// A panel's title, grid and scale.
fn frame(body: &mut String, panel: usize, threads: usize, top: usize, bottom: usize) {
    let title = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    text(body, "group", left_of(panel), top - 20, &title);
    for (ratio, name) in [(0.0, "0"), (0.25, ""), (0.5, "0.5"), (0.75, ""), (1.0, "1")] {
        let x = x_of(panel, ratio);
        let class = if name == "1" { "copy" } else { "grid" };
        // Into a `String`, writing cannot fail.
        let _ = writeln!(
            body,
            "<line class=\"{class}\" x1=\"{x}\" x2=\"{x}\" y1=\"{}\" y2=\"{bottom}\"/>",
            top - 3
        );
        text(body, "axis", x, top - 6, name);
    }
}

fn label(body: &mut String, y: usize, row: &Row) {
    text(body, "case", MARGIN + 84, y + 13, &row.case);
    let to = row.to.find('{').map_or(row.to.as_str(), |at| &row.to[at..]);
    text(body, "layouts", MARGIN + 94, y + 13, &format!("{} → {to}", row.from));
}

fn bar(body: &mut String, panel: usize, y: usize, row: &Row) {
    let left = left_of(panel);
    let ours = row.of_best_copy.unwrap_or(0.0);
    let _ = writeln!(body, "<g><title>{}</title>", escaped(&details(row)));
    rect(body, "track", left, y + 3, PLOT, ROW - 6);
    rect(body, "ours", left, y + 3, x_of(panel, ours) - left, ROW - 6);
    let is_best = |name: &String| row.best_peer.as_ref() == Some(name);
    let is_peer = |peer: &(&String, &Figure)| peer.0 != OURS_FROM_PYTHON;
    let mut peers: Vec<(&String, &Figure)> = row.peers.iter().filter(is_peer).collect();
    peers.sort_by_key(|(name, _)| is_best(name));
    for (name, figure) in peers {
        if let Figure::Timed { of_best_copy, .. } = figure {
            mark(body, is_best(name), x_of(panel, *of_best_copy), y);
        }
    }
    let _ = writeln!(body, "</g>");
    let x = left + PLOT + 8;
    let ratio = row.of_best_copy.map_or("wrong".to_owned(), |ratio| format!("{ratio:.2}"));
    text(body, "", x, y + 14, &ratio);
    if let (Some(times), Some(peer)) = (row.of_best_peer, &row.best_peer) {
        text(body, "small", x + 36, y + 14, &format!("{times:.1} × {peer}"));
    }
}

/// Where a peer stands, with a halo so that it is seen on a bar and beside it.
fn mark(body: &mut String, is_best: bool, x: usize, y: usize) {
    let (class, width, over) = if is_best { ("best", 3, 1) } else { ("peer", 2, 4) };
    rect(body, "halo", x - 1, y + over, width + 2, ROW - 2 * over);
    rect(body, class, x, y + over, width, ROW - 2 * over);
}

/// What is shown when the pointer rests on a bar.
fn details(row: &Row) -> String {
    let gbps = row.gbps.unwrap_or(0.0);
    let mut details = format!("{}: {gbps:.1} GB/s; copy {:.1}", row.case, row.best_copy_gbps);
    for (name, figure) in &row.peers {
        let _ = match figure {
            Figure::Timed { gbps, .. } => write!(details, "; {name} {gbps:.1}"),
            Figure::Wrong { .. } => write!(details, "; {name} wrong"),
            Figure::Failed { .. } => write!(details, "; {name} failed"),
        };
    }
    details
}

fn rect(body: &mut String, class: &str, x: usize, y: usize, width: usize, height: usize) {
    let _ = writeln!(
        body,
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
    );
}

fn text(body: &mut String, class: &str, x: usize, y: usize, words: &str) {
    let words = escaped(words);
    let _ = writeln!(body, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{words}</text>");
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
