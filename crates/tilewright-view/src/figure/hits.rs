//! How often each bank is hit, on the page.

use super::pen::Pen;
use crate::drawing::{Anchor, Area, Point, Stroke, sans_width};
use crate::scene::{Hits, Tone};

const WIDTH: f64 = 38.0;
const HEIGHT: f64 = 28.0;
const GAP: f64 = 6.0;

/// Banks in a row, before the next row begins.
const ACROSS: usize = 16;

pub(crate) fn size(hits: &Hits) -> [f64; 2] {
    let columns = hits.counts.len().min(ACROSS) as f64;
    let rows = hits.counts.len().div_ceil(ACROSS) as f64;
    let width = (columns * (WIDTH + GAP)).max(sans_width(&hits.text, 14.0));
    [width, rows * (HEIGHT + GAP) + 22.0]
}

pub(crate) fn draw(hits: &Hits, pen: &mut Pen, at: Point) {
    let frame = Stroke::solid(pen.palette.hatch, 1.0);
    for (number, (fill, count)) in hits.counts.iter().enumerate() {
        let (row, column) = ((number / ACROSS) as f64, (number % ACROSS) as f64);
        let (x, y) = (at.x + column * (WIDTH + GAP), at.y + row * (HEIGHT + GAP));
        let area = Area { x, y, width: WIDTH, height: HEIGHT };
        let (text, color) = match count {
            0 => ("·".to_owned(), pen.palette.soft),
            count => (format!("×{count}"), pen.palette.ink),
        };
        if *count > 0 {
            pen.fill(area, pen.palette.fill(*fill));
        }
        pen.outline(area, 3.0, &frame);
        pen.write(area.center(), &text, pen.mono(13.0, color, Anchor::Middle));
    }
    let rows = hits.counts.len().div_ceil(ACROSS) as f64;
    let tone = if hits.is_conflict { Tone::Alarm } else { Tone::Soft };
    super::words(&hits.text, tone, pen, Point { x: at.x, y: at.y + rows * (HEIGHT + GAP) + 12.0 });
}
