//! All tiles at scale.

use super::pen::Pen;
use crate::drawing::{Area, Point, Stroke};
use crate::scene::Overview;

/// It fits in a box of these sides.
const SIDE: [f64; 2] = [240.0, 150.0];

/// One side is at most so many times the other: what would be thinner is drawn wider than at scale.
const SQUAT: f64 = 3.0;

pub(crate) fn size(view: &Overview) -> [f64; 2] {
    let [high, wide] = view.padded;
    let (high, wide) = (high.max(wide / SQUAT), wide.max(high / SQUAT));
    let scale = (SIDE[0] / wide).min(SIDE[1] / high);
    [wide * scale, high * scale]
}

pub(crate) fn draw(view: &Overview, pen: &mut Pen, at: Point) {
    let [width, height] = size(view);
    let scale = [height / view.padded[0], width / view.padded[1]];
    let whole = Area { x: at.x, y: at.y, width, height };
    // However little it is, it is seen.
    let seen = |length: f64| if length > 0.0 { length.max(2.0) } else { 0.0 };
    let (wide, high) = (seen(view.data[1] * scale[1]), seen(view.data[0] * scale[0]));
    let data = Area { width: wide, height: high, ..whole };
    let ink = Stroke::solid(pen.palette.ink, 1.2);
    let beside = Area { x: data.right(), width: width - data.width, ..whole };
    let below = Area { y: data.bottom(), height: height - data.height, width: data.width, ..whole };
    for padding in [beside, below].into_iter().filter(|area| area.width > 0.0 && area.height > 0.0)
    {
        pen.pad(padding);
    }
    if view.fills.is_empty() {
        pen.fill(data, pen.palette.fill(crate::scene::Fill::Group(0)));
    }
    let columns = (view.padded[1] / view.tile[1]).ceil().max(1.0) as usize;
    for (number, fill) in view.fills.iter().enumerate() {
        let (row, column) = ((number / columns) as f64, (number % columns) as f64);
        let [high, wide] = [view.tile[0] * scale[0], view.tile[1] * scale[1]];
        let tile =
            Area { x: at.x + column * wide, y: at.y + row * high, width: wide, height: high };
        let clipped = Area {
            width: (data.right() - tile.x).clamp(0.0, wide),
            height: (data.bottom() - tile.y).clamp(0.0, high),
            ..tile
        };
        if clipped.width > 0.0 && clipped.height > 0.0 {
            pen.fill(clipped, pen.palette.fill(*fill));
        }
        if wide > 3.0 && high > 3.0 {
            pen.outline(tile, 0.0, &ink);
        }
    }
    pen.outline(whole, 0.0, &ink);
}
