//! A grid in letters.

use super::block::{Block, Line, Style};
use crate::axis::{Axis, Slot};
use crate::scene::{Cell, Grid, Kind, Mark};

/// The grid with its labels. Lines are drawn around it and between tiles; where the data ends they are
/// broken.
pub(crate) fn block(grid: &Grid) -> Block {
    let widest = grid.cells.iter().map(|cell| written(cell, 0).chars().count());
    let labels = grid.columns.indices().map(|index| index.to_string().len());
    let cell = widest.chain(labels).max().unwrap_or(1);
    let label = match grid.has_row_labels {
        true => grid.rows.indices().map(|index| index.to_string().len()).max().unwrap_or(1),
        false => 0,
    };
    let letters = Letters { grid, cell, label };
    let mut block = Block::default();
    if !grid.caption.is_empty() {
        block.add(Block::of_line(&grid.caption, Style::Bold));
    }
    block.push(letters.column_labels());
    block.push(letters.rule('┌', '┬', '┐', '─'));
    let data_edge = grid.rows.data_edge();
    for (row, slot) in grid.rows.slots.iter().enumerate() {
        if let (Slot::Place { border: Some(0), .. }, true) = (slot, row > 0) {
            let line = if data_edge == Some(row) { '╌' } else { '─' };
            block.push(letters.rule('├', '┼', '┤', line));
        } else if data_edge == Some(row) {
            block.push(letters.rule('├', '┼', '┤', '╌'));
        }
        block.push(letters.row(row, *slot));
    }
    block.push(letters.rule('└', '┴', '┘', '─'));
    block
}

struct Letters<'a> {
    grid: &'a Grid,
    /// The width of a cell, and of a row's label.
    cell: usize,
    label: usize,
}

impl Letters<'_> {
    /// What stands before a slot: the line between tiles, the broken line where the data ends, or
    /// nothing.
    fn separator(&self, column: usize, slot: Slot) -> Option<char> {
        if column == 0 {
            return None;
        }
        if self.grid.columns.data_edge() == Some(column) {
            return Some('╎');
        }
        match slot {
            Slot::Place { border: Some(0), .. } => Some('│'),
            _ => None,
        }
    }

    fn width(&self, slot: Slot) -> usize {
        if slot.index().is_some() { self.cell } else { 1 }
    }

    fn column_labels(&self) -> Line {
        let mut line = Line::default();
        line.put(&" ".repeat(self.indent() + 1), Style::Plain);
        for (column, slot) in self.grid.columns.slots.iter().enumerate() {
            if self.separator(column, *slot).is_some() {
                line.put("  ", Style::Plain);
            }
            let width = self.width(*slot);
            let label = slot.index().map_or("⋯".to_owned(), |index| index.to_string());
            line.put(&format!(" {label:>width$}"), Style::Soft);
        }
        line
    }

    fn indent(&self) -> usize {
        if self.label == 0 { 0 } else { self.label + 1 }
    }

    /// A line across the grid.
    fn rule(&self, left: char, cross: char, right: char, line: char) -> Line {
        let mut text = " ".repeat(self.indent());
        text.push(left);
        for (column, slot) in self.grid.columns.slots.iter().enumerate() {
            if self.separator(column, *slot).is_some() {
                text.push(line);
                text.push(cross);
            }
            text.extend(std::iter::repeat_n(line, self.width(*slot) + 1));
        }
        text.push(line);
        text.push(right);
        let mut out = Line::default();
        out.put(&text, Style::Plain);
        out
    }

    fn row(&self, row: usize, slot: Slot) -> Line {
        let mut line = Line::default();
        if self.label > 0 {
            let (width, label) =
                (self.label, slot.index().map_or("⋮".to_owned(), |i| i.to_string()));
            line.put(&format!("{label:>width$} "), Style::Soft);
        }
        line.put("│", Style::Plain);
        for (column, slot) in self.grid.columns.slots.iter().enumerate() {
            let before = self.grid.cell(row, column.wrapping_sub(1)).map(style);
            let Some(cell) = self.grid.cell(row, column) else { continue };
            if let Some(separator) = self.separator(column, *slot) {
                line.put(" ", Style::Plain);
                line.put(&separator.to_string(), Style::Plain);
                line.put(" ", Style::Plain);
            } else {
                // Between two cells of one colour there is that colour.
                let joins = before == Some(style(cell));
                line.put(" ", if joins { style(cell) } else { Style::Plain });
            }
            let width = self.width(*slot);
            let text = match (cell.kind, self.is_row_gap(row)) {
                (Kind::Gap, true) if slot.index().is_some() => "⋮".to_owned(),
                (Kind::Gap, false) => "⋯".to_owned(),
                _ => written(cell, width),
            };
            line.put(&format!("{text:>width$}"), style(cell));
        }
        line.put(" │", Style::Plain);
        line
    }

    fn is_row_gap(&self, row: usize) -> bool {
        is_gap(&self.grid.rows, row)
    }
}

fn is_gap(axis: &Axis, at: usize) -> bool {
    axis.slots.get(at).is_some_and(|slot| slot.index().is_none())
}

/// What is written for a cell of this width; padding is shaded.
pub(crate) fn written(cell: &Cell, width: usize) -> String {
    match (cell.kind, cell.mark) {
        (Kind::Padding, _) if cell.label.is_empty() => "░".repeat(width.min(3)),
        (Kind::Repeat, _) => format!("={}", cell.label),
        (_, Mark::FirstDifference) => format!("›{}", cell.label),
        (_, Mark::Difference) => format!("·{}", cell.label),
        (_, Mark::At | Mark::Leaves(_) | Mark::Arrives(_)) => format!("[{}]", cell.label),
        _ => cell.label.clone(),
    }
}

/// The colour of a cell, and whether it stands out.
pub(crate) fn style(cell: &Cell) -> Style {
    match (cell.kind, cell.mark) {
        (Kind::Padding | Kind::Repeat | Kind::Gap, Mark::None) => Style::Soft,
        (_, Mark::At | Mark::FirstDifference | Mark::Leaves(_) | Mark::Arrives(_)) => {
            Style::Marked(cell.fill)
        }
        _ => Style::On(cell.fill),
    }
}
