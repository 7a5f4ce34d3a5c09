//! Memory in letters: the strip, the bytes and the bar.

use super::block::{Block, Line, Style};
use super::grid::{style, written};
use crate::axis::Slot;
use crate::scene::{Bar, Byte, Hits, Strip};

/// Places of memory and below each where it is, in as many lines as they need.
pub(crate) fn block(strip: &Strip, width: usize) -> Block {
    let caption = match strip.note.is_empty() {
        true => strip.caption.clone(),
        false => format!("{}   {}", strip.caption, strip.note),
    };
    let mut block = Block::of_line(&caption, Style::Bold);
    let cells = strip.cells.iter().map(|cell| written(cell, 0).chars().count());
    let labels = strip.labels.iter().map(|label| label.chars().count());
    let wide = cells.chain(labels).max().unwrap_or(1);
    let (mut above, mut below) = (Line::default(), Line::default());
    for (number, slot) in strip.places.slots.iter().enumerate() {
        let Some(cell) = strip.cells.get(number) else { continue };
        let is_border = matches!(slot, Slot::Place { border: Some(0), .. });
        if above.width() + wide + 4 > width && above.width() > 0 {
            block.push(std::mem::take(&mut above));
            block.push(std::mem::take(&mut below));
        }
        let between = match (above.width(), is_border) {
            (0, _) => "",
            (_, true) => " │ ",
            (_, false) => " ",
        };
        above.put(between, Style::Plain);
        below.put(&" ".repeat(between.chars().count()), Style::Plain);
        let (text, label) = match slot {
            Slot::Gap { .. } => ("⋯".to_owned(), ""),
            Slot::Place { .. } => {
                (written(cell, wide), strip.labels.get(number).map_or("", String::as_str))
            }
        };
        let cell_width = if slot.index().is_some() { wide } else { 1 };
        above.put(&format!("{text:>cell_width$}"), style(cell));
        below.put(&format!("{label:>cell_width$}"), Style::Soft);
    }
    block.push(above);
    block.push(below);
    block
}

/// Bytes with their elements, the high bits on the left.
pub(crate) fn bytes(bytes: &[Byte], width: usize) -> Block {
    let caption = "bytes, their first element in the low bits (on the right)";
    let mut block = Block::of_line(caption, Style::Bold);
    let elements = bytes.iter().flat_map(|byte| &byte.elements);
    let wide = elements.map(|(_, cell)| cell.label.chars().count()).max().unwrap_or(1).max(1);
    let (mut above, mut below) = (Line::default(), Line::default());
    for byte in bytes {
        let n_elements = byte.elements.len().max(1);
        let all = n_elements * (wide + 1) + 1;
        if above.width() + all + 2 > width && above.width() > 0 {
            block.push(std::mem::take(&mut above));
            block.push(std::mem::take(&mut below));
        }
        above.put("[", Style::Plain);
        for (number, (_, cell)) in byte.elements.iter().rev().enumerate() {
            if number > 0 {
                above.put("|", Style::Plain);
            }
            above.put(&format!("{:>wide$}", written(cell, wide)), style(cell));
        }
        above.put("] ", Style::Plain);
        below.put(&format!("{:<all$} ", format!("byte {}", byte.number)), Style::Soft);
        let missing = above.width().saturating_sub(below.width());
        below.put(&" ".repeat(missing), Style::Plain);
        above.put(&" ".repeat(below.width().saturating_sub(above.width())), Style::Plain);
    }
    block.push(above);
    block.push(below);
    block
}

/// How often each bank is hit.
pub(crate) fn hits(hits: &Hits, width: usize) -> Block {
    let mut block = Block::default();
    let mut line = Line::default();
    for (fill, count) in &hits.counts {
        if line.width() + 5 > width {
            block.push(std::mem::take(&mut line));
        }
        let (text, style) = match count {
            0 => ("·".to_owned(), Style::Soft),
            count => (format!("×{count}"), Style::On(*fill)),
        };
        line.put(&format!("{text:>3}"), style);
        line.put(" ", Style::Plain);
    }
    block.push(line);
    block.add(Block::of_line(
        &hits.text,
        if hits.is_conflict { Style::Accent } else { Style::Soft },
    ));
    block
}

/// Memory as a bar of at most 64 letters.
pub(crate) fn bar(bar: &Bar, width: usize) -> Block {
    let mut block = Block::of_line(&bar.caption, Style::Bold);
    let wide = width.min(64).max(bar.segments.len()) as f64;
    let mut line = Line::default();
    let mut done = 0.0;
    for segment in &bar.segments {
        let (begin, end) = (done, done + segment.share);
        let [from, data, to] = [begin, begin + segment.share * segment.data, end]
            .map(|at| (at * wide).round() as usize);
        line.put(&"█".repeat(data.saturating_sub(from)), Style::Plain);
        line.put(&"░".repeat(to.saturating_sub(data)), Style::Soft);
        done = end;
    }
    block.push(line);
    block
}
