//! Marks on a page: what a scene comes to once it is decided where everything is.
//!
//! Units are pixels of a screen, y goes down. Colours are `#rrggbb`; there are no styles and no
//! references, since renderers that know nothing of them draw black instead.

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Drawing {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) background: &'static str,
    pub(crate) marks: Vec<Mark>,
    /// Where one can point.
    pub(crate) hits: Vec<Hit>,
    /// Where tiles are, by their level.
    pub(crate) blocks: Vec<(usize, Area)>,
}

/// A place that one can point at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hit {
    pub(crate) area: Area,
    /// The index of the place, padding included; empty where there is none.
    pub(crate) index: Vec<i64>,
    /// Where the element lies.
    pub(crate) offset: Option<i64>,
    /// What it is, in letters and digits.
    pub(crate) says: String,
}

/// Something that is drawn. Later ones lie on earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// Areas of one colour.
    Areas { fill: String, boxes: Vec<Area> },
    /// Lines of one kind.
    Lines { stroke: Stroke, lines: Vec<[Point; 2]> },
    /// Outlines with round corners.
    Outlines { stroke: Stroke, radius: f64, boxes: Vec<Area> },
    /// A curve from one point to another, ending in an arrow.
    Arrow { stroke: Stroke, arrow: Arrow },
    /// Letters of one kind.
    Texts { font: Font, texts: Vec<Text> },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn right(self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(self) -> f64 {
        self.y + self.height
    }

    pub(crate) fn center(self) -> Point {
        Point { x: self.x + self.width / 2.0, y: self.y + self.height / 2.0 }
    }

    /// The same, smaller by so much on each side.
    pub(crate) fn inset(self, by: f64) -> Self {
        Area {
            x: self.x + by,
            y: self.y + by,
            width: self.width - 2.0 * by,
            height: self.height - 2.0 * by,
        }
    }
}

/// A curve with a head at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Arrow {
    pub(crate) from: Point,
    pub(crate) to: Point,
    /// Whether it comes from the left, and not from above.
    pub(crate) is_across: bool,
}

/// How far the head of an arrow reaches back, and to each side.
const HEAD: [f64; 2] = [9.0, 5.0];

impl Arrow {
    /// The points that the curve bends to.
    pub(crate) fn bends(self) -> [Point; 2] {
        let Arrow { from, to, is_across } = self;
        match is_across {
            true => [from, to].map(|end| Point { x: (from.x + to.x) / 2.0, y: end.y }),
            false => [from, to].map(|end| Point { x: end.x, y: (from.y + to.y) / 2.0 }),
        }
    }

    /// Where the two strokes of its head begin; both end at its end.
    pub(crate) fn head(self) -> [Point; 2] {
        let ([back, side], Point { x, y }) = (HEAD, self.to);
        [-side, side].map(|side| match self.is_across {
            true => Point { x: x - back, y: y + side },
            false => Point { x: x + side, y: y - back },
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) color: String,
    pub(crate) width: f64,
    /// Lengths of dashes and of the gaps between them; empty for a line in one piece.
    pub(crate) dashes: &'static [f64],
}

impl Stroke {
    pub(crate) fn solid(color: impl Into<String>, width: f64) -> Self {
        Stroke { color: color.into(), width, dashes: &[] }
    }

    pub(crate) fn dashed(color: impl Into<String>, width: f64) -> Self {
        Stroke { color: color.into(), width, dashes: &[6.0, 4.0] }
    }

    pub(crate) fn dotted(color: impl Into<String>, width: f64) -> Self {
        Stroke { color: color.into(), width, dashes: &[1.0, 4.0] }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Font {
    pub(crate) size: f64,
    pub(crate) color: String,
    pub(crate) is_mono: bool,
    pub(crate) is_bold: bool,
    pub(crate) anchor: Anchor,
}

/// On which side of its point a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text at a point: the middle of its letters' height.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) at: Point,
    pub(crate) text: String,
}

/// The width of a text in letters of one width.
pub(crate) fn mono_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.602
}

/// About the width of a text in other letters.
pub(crate) fn sans_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.54
}

/// The parts of 45° lines that lie within an area. All areas of a page are hatched by the same lines,
/// so that those side by side look like one.
pub(crate) fn hatch(area: Area, step: f64) -> Vec<[Point; 2]> {
    let (first, last) = (area.x + area.y, area.right() + area.bottom());
    let mut lines = Vec::new();
    let mut sum = (first / step).ceil() * step;
    while sum < last {
        let left = area.x.max(sum - area.bottom());
        let right = area.right().min(sum - area.y);
        if right > left {
            lines.push([Point { x: left, y: sum - left }, Point { x: right, y: sum - right }]);
        }
        sum += step;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hatches_stay_within_their_area() {
        let area = Area { x: 3.0, y: 5.0, width: 40.0, height: 17.0 };
        let lines = hatch(area, 6.0);
        assert!(lines.len() > 7);
        for [from, to] in lines {
            for point in [from, to] {
                assert!((area.x..=area.right()).contains(&point.x), "{point:?}");
                assert!((area.y - 1e-9..=area.bottom() + 1e-9).contains(&point.y), "{point:?}");
                assert!(((point.x + point.y) / 6.0).fract().abs() < 1e-9);
            }
        }
    }
}
