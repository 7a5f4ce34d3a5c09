//! Memory on the page: a strip of places, and bytes with their bits.

use super::grid::{edges, last};
use super::pen::Pen;
use crate::axis::Slot;
use crate::drawing::{Anchor, Area, Point, Stroke, mono_width, sans_width};
use crate::scene::{Byte, Cell, Kind, Mark, Strip};
use crate::theme::mixed;

const HEIGHT: f64 = 34.0;
const CAPTION: f64 = 24.0;
const LABELS: f64 = 20.0;

/// A strip with its places found.
pub(crate) struct StripFigure<'a> {
    strip: &'a Strip,
    x: Vec<f64>,
}

impl<'a> StripFigure<'a> {
    pub(crate) fn new(strip: &'a Strip) -> Self {
        let cells = strip.cells.iter().map(|cell| cell.label.chars().count());
        let labels = strip.labels.iter().map(|label| label.chars().count());
        let widest = "0".repeat(cells.chain(labels).max().unwrap_or(1));
        let width = (mono_width(&widest, 12.5) + 10.0).max(30.0);
        StripFigure { strip, x: edges(&strip.places, width) }
    }

    pub(crate) fn size(&self) -> [f64; 2] {
        let caption = sans_width(&self.strip.caption, 14.0);
        let note = mono_width(&self.strip.note, 12.5);
        let between = if self.strip.note.is_empty() { 0.0 } else { 24.0 };
        [last(&self.x).max(caption + between + note), CAPTION + HEIGHT + LABELS]
    }

    pub(crate) fn draw(&self, pen: &mut Pen, at: Point) {
        let palette = pen.palette;
        let caption = pen.sans(14.0, palette.ink, Anchor::Start).bold();
        let (top, line) = match self.strip.has_caption_below {
            true => (at.y, at.y + HEIGHT + LABELS + CAPTION - 8.0),
            false => (at.y + CAPTION, at.y + 8.0),
        };
        pen.write(Point { x: at.x, y: line }, &self.strip.caption, caption);
        let right = Point { x: at.x + self.size()[0], y: line };
        pen.write(right, &self.strip.note, pen.mono(12.5, palette.soft, Anchor::End));
        let thin = Stroke::solid(mixed(palette.ink, palette.background, 0.3), 0.7);
        let heavy = Stroke::solid(palette.ink, 2.2);
        for (number, slot) in self.strip.places.slots.iter().enumerate() {
            let (x, end) = (at.x + self.x[number], at.x + self.x[number + 1]);
            let area = Area { x, y: top, width: end - x, height: HEIGHT };
            if let Some(cell) = self.strip.cells.get(number) {
                place(pen, area, cell);
            }
            let label = self.strip.labels.get(number).map_or("", String::as_str);
            let below = Point { x: area.center().x, y: area.bottom() + 12.0 };
            pen.write(below, label, pen.mono(11.0, palette.soft, Anchor::Middle));
            let stroke = match slot {
                Slot::Place { border: Some(0), .. } => &heavy,
                _ => &thin,
            };
            if number > 0 {
                pen.line(Point { x, y: top }, Point { x, y: top + HEIGHT }, stroke);
            }
        }
        let whole = Area { x: at.x, y: top, width: last(&self.x), height: HEIGHT };
        pen.outline(whole, 3.0, &heavy);
    }
}

fn place(pen: &mut Pen, area: Area, cell: &Cell) {
    let palette = pen.palette;
    pen.hit(area, cell);
    match cell.kind {
        Kind::Padding => pen.pad(area),
        Kind::Element | Kind::Repeat => pen.fill(area, palette.fill(cell.fill)),
        Kind::Gap => pen.dots(area.center(), false),
    }
    pen.write(area.center(), &cell.label, pen.mono(12.5, palette.ink, Anchor::Middle));
    match cell.mark {
        Mark::At => {
            let top = Point { x: area.center().x, y: area.y };
            pen.in_memory = pen.in_memory.or(Some(top));
        }
        Mark::Leaves(run) => {
            let with_label = Area { height: area.height + LABELS, ..area };
            pen.leaves.extend(run.map(|run| (run, with_label)));
        }
        Mark::Arrives(run) => pen.arrives.extend(run.map(|run| (run, area))),
        _ => return,
    }
    pen.outline(area.inset(2.6), 4.0, &Stroke::solid(palette.ink, 2.6));
}

/// The width of a bit.
const BIT: f64 = 15.0;

const BYTE_GAP: f64 = 10.0;

pub(crate) fn bytes_size(bytes: &[Byte]) -> [f64; 2] {
    let each = 8.0 * bit_width(bytes) + BYTE_GAP;
    [each * bytes.len() as f64 - BYTE_GAP, CAPTION + 16.0 + HEIGHT + LABELS]
}

/// Bits are as wide as the longest index of an element needs them.
fn bit_width(bytes: &[Byte]) -> f64 {
    let elements = bytes.iter().flat_map(|byte| &byte.elements);
    elements
        .map(|(bits, cell)| (mono_width(&cell.label, 12.0) + 8.0) / f64::from(*bits))
        .fold(BIT, f64::max)
}

/// Each byte as a box, the high bits on the left as one writes them, elements from the low bits up.
pub(crate) fn draw_bytes(bytes: &[Byte], pen: &mut Pen, at: Point) {
    let palette = pen.palette;
    let bit = bit_width(bytes);
    let caption = pen.sans(14.0, palette.ink, Anchor::Start).bold();
    pen.write(
        Point { x: at.x, y: at.y + 8.0 },
        "bytes, their first element in the low bits",
        caption,
    );
    let top = at.y + CAPTION + 16.0;
    let heavy = Stroke::solid(palette.ink, 2.2);
    let thin = Stroke::solid(mixed(palette.ink, palette.background, 0.5), 0.9);
    for (number, byte) in bytes.iter().enumerate() {
        let left = at.x + number as f64 * (8.0 * bit + BYTE_GAP);
        let mut low = 0.0;
        for (bits, cell) in &byte.elements {
            let width = f64::from(*bits) * bit;
            let x = left + 8.0 * bit - low - width;
            let area = Area { x, y: top, width, height: HEIGHT };
            place(pen, area, cell);
            pen.line(Point { x, y: top }, Point { x, y: top + HEIGHT }, &thin);
            low += width;
        }
        for place in 0..8u32 {
            let x = left + (7.5 - f64::from(place)) * bit;
            let font = pen.mono(9.5, palette.soft, Anchor::Middle);
            pen.write(Point { x, y: top - 8.0 }, &place.to_string(), font);
        }
        let whole = Area { x: left, y: top, width: 8.0 * bit, height: HEIGHT };
        pen.outline(whole, 3.0, &heavy);
        let below = Point { x: whole.center().x, y: whole.bottom() + 12.0 };
        let font = pen.mono(11.0, palette.soft, Anchor::Middle);
        pen.write(below, &format!("byte {}", byte.number), font);
    }
}
