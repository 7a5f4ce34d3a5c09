//! A grid on the page.

use std::ops::Range;

use super::pen::Pen;
use crate::axis::{Axis, Slot};
use crate::drawing::{Anchor, Area, Point, Stroke, mono_width, sans_width};
use crate::scene::{Cell, Grid, Kind, Mark, Scene};
use crate::theme::mixed;

/// The sizes of cells: of a grid that is small, and of others.
const LARGE: f64 = 44.0;
const SMALL: f64 = 24.0;

/// The width of a gap across, and its height down.
const GAP: f64 = 22.0;

/// A caption and what is between it and the labels of the columns.
const CAPTION: f64 = 22.0;

/// The room that labels of columns take.
const LABELS: f64 = 20.0;

/// A grid with its places found.
pub(crate) struct GridFigure<'a> {
    grid: &'a Grid,
    /// Where each column begins, and where the last one ends, from the grid's left side.
    x: Vec<f64>,
    y: Vec<f64>,
    font: f64,
    label_width: f64,
}

impl<'a> GridFigure<'a> {
    pub(crate) fn new(grid: &'a Grid, scene: &Scene) -> Self {
        let is_small = grid.rows.slots.len() <= 8
            && grid.columns.slots.len() <= 10
            && scene.rows.first().is_none_or(|row| row.len() <= 2);
        let font = if is_small { 16.0 } else { 12.5 };
        let widest = grid.cells.iter().map(|cell| cell.label.chars().count()).max().unwrap_or(0);
        let column_label = grid.columns.indices().map(|i| i.to_string().len()).max().unwrap_or(1);
        let letters = "0".repeat(widest.max(column_label));
        let height = if is_small { LARGE } else { SMALL };
        let width = (mono_width(&letters, font) + 12.0).max(if is_small { LARGE } else { 30.0 });
        let row_label = grid.rows.indices().map(|i| i.to_string().len()).max().unwrap_or(0);
        let label_width =
            if grid.has_row_labels { mono_width(&"0".repeat(row_label), 12.0) + 10.0 } else { 0.0 };
        let (x, y) = (edges(&grid.columns, width), edges(&grid.rows, height));
        GridFigure { grid, x, y, font, label_width }
    }

    pub(crate) fn size(&self) -> [f64; 2] {
        let caption =
            sans_width(&self.grid.caption, 14.0).max(mono_width(&self.grid.caption, 13.0) * 0.9);
        let width = (self.label_width + last(&self.x)).max(self.label_width + caption.min(600.0));
        [width, self.top() + last(&self.y) + 2.0]
    }

    fn top(&self) -> f64 {
        LABELS + if self.grid.caption.is_empty() { 0.0 } else { CAPTION } + self.edge_label()
    }

    /// Room for the words that say where the data ends, where the axis is elided.
    fn edge_label(&self) -> f64 {
        let is_elided = self.grid.columns.slots.iter().any(|slot| slot.index().is_none());
        if is_elided && self.grid.columns.data_edge().is_some() { 18.0 } else { 0.0 }
    }

    pub(crate) fn draw(&self, pen: &mut Pen, at: Point) {
        let corner = Point { x: at.x + self.label_width, y: at.y + self.top() };
        self.labels(pen, at, corner);
        self.cells(pen, corner);
        self.borders(pen, corner);
        self.inner_blocks(pen, corner);
        self.data_edges(pen, corner);
        self.marks(pen, corner);
        self.blocks(pen, corner);
        if let Some(column) = self.grid.outlined {
            let (x, width) = (corner.x + self.x[column], self.x[column + 1] - self.x[column]);
            let all = Area { x, y: corner.y - 3.0, width, height: last(&self.y) + 6.0 };
            pen.outline(all, 5.0, &Stroke::solid(pen.palette.ink, 4.0));
        }
    }

    fn area(&self, corner: Point, row: usize, column: usize) -> Area {
        let (x, y) = (self.x[column], self.y[row]);
        Area {
            x: corner.x + x,
            y: corner.y + y,
            width: self.x[column + 1] - x,
            height: self.y[row + 1] - y,
        }
    }

    /// Of an array without elements one axis may have slots and the other none.
    fn labels(&self, pen: &mut Pen, at: Point, corner: Point) {
        if !self.grid.caption.is_empty() {
            let font = pen.sans(14.0, pen.palette.ink, Anchor::Start).bold();
            pen.write(Point { x: corner.x, y: at.y + 8.0 }, &self.grid.caption, font);
        }
        for (number, slot) in self.grid.columns.slots.iter().enumerate() {
            let x = corner.x + middle(&self.x, number);
            label(pen, *slot, Point { x, y: corner.y - 11.0 }, Anchor::Middle);
        }
        for (number, slot) in
            self.grid.rows.slots.iter().enumerate().filter(|_| self.grid.has_row_labels)
        {
            let y = corner.y + middle(&self.y, number);
            label(pen, *slot, Point { x: corner.x - 8.0, y }, Anchor::End);
        }
    }

    fn cells(&self, pen: &mut Pen, corner: Point) {
        for row in 0..self.grid.rows.slots.len() {
            for column in 0..self.grid.columns.slots.len() {
                let (area, Some(cell)) =
                    (self.area(corner, row, column), self.grid.cell(row, column))
                else {
                    continue;
                };
                self.cell(pen, area, cell, row, column);
            }
        }
    }

    fn cell(&self, pen: &mut Pen, area: Area, cell: &Cell, row: usize, column: usize) {
        let palette = pen.palette;
        pen.hit(area, cell);
        match cell.kind {
            Kind::Padding => pen.pad(area),
            Kind::Element => pen.fill(area, palette.fill(cell.fill)),
            Kind::Repeat => {
                pen.fill(area, &mixed(palette.fill(cell.fill), palette.background, 0.35));
            }
            Kind::Gap => self.gap(pen, area, row, column),
        }
        let color = match cell.kind {
            Kind::Element => palette.ink,
            _ => palette.soft,
        };
        let label = match cell.kind {
            Kind::Repeat => format!("={}", cell.label),
            _ => cell.label.clone(),
        };
        pen.write(area.center(), &label, pen.mono(self.font, color, Anchor::Middle));
    }

    /// A gap has the colour of what is beside it, paler.
    fn gap(&self, pen: &mut Pen, area: Area, row: usize, column: usize) {
        let (left, above) = (column.wrapping_sub(1), row.wrapping_sub(1));
        let beside = [(row, left), (above, column), (above, left)]
            .into_iter()
            .filter_map(|(row, column)| self.grid.cell(row, column))
            .find(|cell| cell.kind != Kind::Gap);
        match beside.map(|cell| (cell.kind, cell.fill)) {
            Some((Kind::Padding, _)) => pen.pad(area),
            Some((_, fill)) => {
                let color = mixed(pen.palette.fill(fill), pen.palette.background, 0.45);
                pen.fill(area, &color);
            }
            None => {}
        }
        let is_gap =
            |axis: &Axis, at: usize| axis.slots.get(at).is_some_and(|s| s.index().is_none());
        match (is_gap(&self.grid.rows, row), is_gap(&self.grid.columns, column)) {
            (true, false) => pen.dots(area.center(), true),
            (false, true) => pen.dots(area.center(), false),
            _ => {}
        }
    }

    /// Thin lines between elements, heavy ones between tiles and around the whole.
    fn borders(&self, pen: &mut Pen, corner: Point) {
        let (right, bottom) = (corner.x + last(&self.x), corner.y + last(&self.y));
        let thin = Stroke::solid(mixed(pen.palette.ink, pen.palette.background, 0.3), 0.7);
        let heavy = Stroke::solid(pen.palette.ink, 2.2);
        let dotted = Stroke::dotted(pen.palette.ink, 2.0);
        for (number, slot) in self.grid.columns.slots.iter().enumerate() {
            let x = corner.x + self.x[number];
            let ends = |x: f64| [Point { x, y: corner.y }, Point { x, y: bottom }];
            if let Some(stroke) = before(*slot, number, &thin, &heavy) {
                let [from, to] = ends(x);
                pen.line(from, to, stroke);
            }
            if let Slot::Gap { hides_border: true, .. } = slot {
                let [from, to] = ends((x + corner.x + self.x[number + 1]) / 2.0);
                pen.line(from, to, &dotted);
            }
        }
        for (number, slot) in self.grid.rows.slots.iter().enumerate() {
            let y = corner.y + self.y[number];
            let ends = |y: f64| [Point { x: corner.x, y }, Point { x: right, y }];
            if let Some(stroke) = before(*slot, number, &thin, &heavy) {
                let [from, to] = ends(y);
                pen.line(from, to, stroke);
            }
            if let Slot::Gap { hides_border: true, .. } = slot {
                let [from, to] = ends((y + corner.y + self.y[number + 1]) / 2.0);
                pen.line(from, to, &dotted);
            }
        }
        let whole = Area { x: corner.x, y: corner.y, width: last(&self.x), height: last(&self.y) };
        if whole.width > 0.0 && whole.height > 0.0 {
            pen.outline(whole, 3.0, &heavy);
        }
    }

    /// Blocks within tiles as boxes with round corners.
    fn inner_blocks(&self, pen: &mut Pen, corner: Point) {
        let (rows, columns) = (inner_runs(&self.grid.rows), inner_runs(&self.grid.columns));
        if !rows.iter().chain(&columns).any(|run| run.is_inner) {
            return;
        }
        let stroke = Stroke::solid(mixed(pen.palette.ink, pen.palette.background, 0.55), 0.9);
        for row in &rows {
            for column in &columns {
                let [from, to] = [
                    self.area(corner, row.start, column.start),
                    self.area(corner, row.end - 1, column.end - 1),
                ];
                let (width, height) = (to.right() - from.x, to.bottom() - from.y);
                pen.outline(Area { width, height, ..from }.inset(1.7), 4.0, &stroke);
            }
        }
    }

    /// Where the tiles of each level are, for those who point at their sizes in the text.
    fn blocks(&self, pen: &mut Pen, corner: Point) {
        let axes = [&self.grid.rows, &self.grid.columns];
        let levels = axes.iter().flat_map(|axis| &axis.slots).filter_map(|slot| slot.level());
        let Some(last) = levels.max() else { return };
        for level in 0..=last {
            let [rows, columns] = axes.map(|axis| runs_of_level(axis, level));
            for row in &rows {
                for column in &columns {
                    let from = self.area(corner, row.start, column.start);
                    let to = self.area(corner, row.end - 1, column.end - 1);
                    let (width, height) = (to.right() - from.x, to.bottom() - from.y);
                    pen.blocks.push((level, Area { width, height, ..from }));
                }
            }
        }
    }

    fn data_edges(&self, pen: &mut Pen, corner: Point) {
        let column = self.grid.columns.data_edge().map(|slot| corner.x + self.x[slot]);
        let row = self.grid.rows.data_edge().map(|slot| corner.y + self.y[slot]);
        let stroke = Stroke::dashed(pen.palette.accent, 2.2);
        let (right, bottom) =
            (column.unwrap_or(corner.x + last(&self.x)), row.unwrap_or(corner.y + last(&self.y)));
        if let Some(x) = column {
            pen.line(Point { x, y: corner.y }, Point { x, y: bottom }, &stroke);
        }
        if let Some(y) = row {
            pen.line(Point { x: corner.x, y }, Point { x: right, y }, &stroke);
        }
        if let Some(x) = column.filter(|_| self.edge_label() > 0.0) {
            let text = format!("data ends at {}", self.grid.columns.data);
            let font = pen.sans(12.0, pen.palette.accent, Anchor::Start).bold();
            pen.write(Point { x: x + 5.0, y: corner.y - LABELS - 9.0 }, &text, font);
            let tick = Stroke::solid(pen.palette.accent, 1.4);
            pen.line(Point { x, y: corner.y - LABELS - 16.0 }, Point { x, y: corner.y }, &tick);
        }
    }

    fn marks(&self, pen: &mut Pen, corner: Point) {
        for row in 0..self.grid.rows.slots.len() {
            for column in 0..self.grid.columns.slots.len() {
                let Some(cell) = self.grid.cell(row, column) else { continue };
                let stroke = match cell.mark {
                    Mark::None => continue,
                    Mark::At | Mark::Leaves(_) | Mark::Arrives(_) => {
                        Stroke::solid(pen.palette.ink, 2.6)
                    }
                    Mark::FirstDifference => Stroke::solid(pen.palette.accent, 3.0),
                    Mark::Difference => Stroke::dotted(pen.palette.accent, 1.6),
                };
                let area = self.area(corner, row, column);
                pen.outline(area.inset(2.6), 4.0, &stroke);
                match cell.mark {
                    Mark::At => {
                        pen.in_grid = Some(Point { x: area.center().x, y: area.bottom() - 3.0 });
                    }
                    // From one grid to the other, not across what is in them.
                    Mark::Leaves(Some(run)) => {
                        let width = corner.x + last(&self.x) - area.x;
                        pen.leaves.push((run, Area { width, ..area }));
                    }
                    Mark::Arrives(Some(run)) => {
                        let x = corner.x - self.label_width;
                        pen.arrives.push((run, Area { x, ..area }));
                        pen.moves_across = true;
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Slots that an inner block holds side by side.
struct Run {
    start: usize,
    end: usize,
    /// Whether it is a block within a tile, and not all of one.
    is_inner: bool,
}

/// The blocks of the innermost level along an axis, gaps left out.
fn inner_runs(axis: &Axis) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (number, slot) in axis.slots.iter().enumerate() {
        let Slot::Place { border, .. } = slot else { continue };
        let follows = runs.last().is_some_and(|run| run.end == number);
        let is_inner = border.is_some_and(|level| level > 0);
        match runs.last_mut() {
            Some(run) if follows && border.is_none() => run.end = number + 1,
            _ => runs.push(Run { start: number, end: number + 1, is_inner }),
        }
    }
    runs
}

/// The slots of each block of a level. A gap within a block belongs to it; one that may hide where
/// another begins is between blocks.
fn runs_of_level(axis: &Axis, level: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (number, slot) in axis.slots.iter().enumerate() {
        let follows = runs.last().is_some_and(|run| run.end == number);
        let begins = match slot {
            Slot::Place { border, .. } => border.is_some_and(|border| border <= level),
            Slot::Gap { hides_border: false, .. } if level == 0 => false,
            Slot::Gap { .. } => continue,
        };
        match runs.last_mut() {
            Some(run) if follows && !begins => run.end = number + 1,
            _ => runs.push(number..number + 1),
        }
    }
    runs
}

/// The line before a slot: none at the beginning and around gaps.
fn before<'s>(
    slot: Slot,
    number: usize,
    thin: &'s Stroke,
    heavy: &'s Stroke,
) -> Option<&'s Stroke> {
    match slot {
        _ if number == 0 => None,
        Slot::Place { border: Some(0), .. } => Some(heavy),
        Slot::Place { .. } => Some(thin),
        Slot::Gap { .. } => None,
    }
}

/// The index of a slot, or dots for a gap.
fn label(pen: &mut Pen, slot: Slot, at: Point, anchor: Anchor) {
    match slot.index() {
        Some(index) => {
            let font = pen.mono(12.0, pen.palette.soft, anchor);
            pen.write(at, &index.to_string(), font);
        }
        None if anchor == Anchor::End => pen.dots(Point { x: at.x - 4.0, ..at }, true),
        None => pen.dots(at, false),
    }
}

/// Where each slot begins, and where the last one ends.
pub(crate) fn edges(axis: &Axis, size: f64) -> Vec<f64> {
    let mut edges = vec![0.0];
    for slot in &axis.slots {
        let width = if slot.index().is_some() { size } else { GAP };
        edges.push(last(&edges) + width);
    }
    edges
}

fn middle(edges: &[f64], slot: usize) -> f64 {
    (edges[slot] + edges[slot + 1]) / 2.0
}

pub(crate) fn last(edges: &[f64]) -> f64 {
    edges.last().copied().unwrap_or(0.0)
}
