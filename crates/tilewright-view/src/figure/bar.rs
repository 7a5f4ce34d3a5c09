//! The memory bar on the page.

use super::pen::Pen;
use crate::drawing::{Anchor, Area, Point, Stroke};
use crate::scene::Bar;

/// It is as wide as what is above it, within these bounds.
const WIDTHS: [f64; 2] = [480.0, 1100.0];

const HEIGHT: f64 = 24.0;
const CAPTION: f64 = 24.0;

/// The size of a bar below what is so wide.
pub(crate) fn size(above: f64) -> [f64; 2] {
    [above.clamp(WIDTHS[0], WIDTHS[1]), CAPTION + HEIGHT + 20.0]
}

/// A segment for each tile, filled as far as data goes.
pub(crate) fn draw(bar: &Bar, width: f64, pen: &mut Pen, at: Point) {
    let palette = pen.palette;
    let caption = pen.sans(14.0, palette.ink, Anchor::Start).bold();
    pen.write(Point { x: at.x, y: at.y + 8.0 }, &bar.caption, caption);
    let heavy = Stroke::solid(palette.ink, 1.8);
    let y = at.y + CAPTION;
    let mut x = at.x;
    for segment in &bar.segments {
        let whole = Area { x, y, width: segment.share * width, height: HEIGHT };
        let data = Area { width: whole.width * segment.data, ..whole };
        let padding = Area { x: data.right(), width: whole.width - data.width, ..whole };
        if data.width > 0.0 {
            pen.fill(data, palette.fill(segment.fill));
        }
        if padding.width > 0.0 {
            pen.pad(padding);
        }
        if whole.width > 44.0 && segment.data < 1.0 {
            let text = format!("{:.0} %", 100.0 * segment.data);
            let font = pen.mono(11.0, palette.ink, Anchor::Start);
            pen.write(Point { x: x + 5.0, y: whole.center().y }, &text, font);
        }
        let font = pen.mono(10.5, palette.soft, Anchor::Middle);
        if crate::drawing::mono_width(&segment.label, 10.5) < whole.width {
            let below = Point { x: whole.center().x, y: whole.bottom() + 11.0 };
            pen.write(below, &segment.label, font);
        }
        if x > at.x {
            pen.line(Point { x, y }, Point { x, y: y + HEIGHT }, &heavy);
        }
        x += whole.width;
    }
    pen.outline(Area { x: at.x, y, width, height: HEIGHT }, 2.0, &heavy);
}
