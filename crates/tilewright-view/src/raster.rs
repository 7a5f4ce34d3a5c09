//! Drawings as PNG.
//!
//! The marks of a drawing are few and plain, so that they are drawn as they are and not read back from
//! SVG; letters are outlines of fonts that are in the binary, subsets of the DejaVu fonts with the
//! letters that scenes use.

use std::collections::HashMap;

use tiny_skia::{
    Color, FillRule, IntSize, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Rect, Stroke as Pen,
    StrokeDash, Transform,
};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::drawing::{Anchor, Area, Arrow, Drawing, Font, Mark, Point, Stroke, Text};
use crate::options::Error;

/// Dots for each pixel of the drawing.
const SCALE: f32 = 2.0;

/// No side of a picture is longer, in dots.
const MAX_SIDE: f64 = 16_384.0;

const FONTS: [(bool, bool, &[u8]); 4] = [
    (true, false, include_bytes!("../fonts/DejaVuSansMono.ttf")),
    (true, true, include_bytes!("../fonts/DejaVuSansMono-Bold.ttf")),
    (false, false, include_bytes!("../fonts/DejaVuSans.ttf")),
    (false, true, include_bytes!("../fonts/DejaVuSans-Bold.ttf")),
];

/// The picture as the bytes of a PNG file.
pub(crate) fn write(drawing: &Drawing) -> Result<Vec<u8>, Error> {
    let side = |length: f64| {
        let dots = (length * f64::from(SCALE)).ceil();
        (dots <= MAX_SIDE).then_some(dots.max(1.0) as u32)
    };
    let (Some(width), Some(height)) = (side(drawing.width), side(drawing.height)) else {
        return Err(Error(format!(
            "the picture has more than {MAX_SIDE} dots along a side: write SVG"
        )));
    };
    let page = empty(width, height);
    let page =
        page.ok_or_else(|| Error("there is not enough memory for the picture".to_owned()))?;
    let mut canvas = Canvas { page, fonts: HashMap::new() };
    canvas.page.fill(color(drawing.background));
    drawing.marks.iter().for_each(|mark| canvas.draw(mark));
    canvas.page.encode_png().map_err(|error| Error(format!("the picture as PNG: {error}")))
}

/// A picture of these sides, if there is memory for it: four bytes a dot.
fn empty(width: u32, height: u32) -> Option<Pixmap> {
    let len = (width as usize).checked_mul(height as usize)?.checked_mul(4)?;
    let mut dots = Vec::new();
    dots.try_reserve_exact(len).ok()?;
    dots.resize(len, 0);
    Pixmap::from_vec(dots, IntSize::from_wh(width, height)?)
}

struct Canvas {
    page: Pixmap,
    fonts: HashMap<(bool, bool), Option<Face<'static>>>,
}

impl Canvas {
    fn draw(&mut self, mark: &Mark) {
        match mark {
            Mark::Areas { fill, boxes } => boxes.iter().for_each(|area| self.fill(*area, fill)),
            Mark::Lines { stroke, lines } => {
                let mut path = PathBuilder::new();
                for [from, to] in lines {
                    path.move_to(from.x as f32, from.y as f32);
                    path.line_to(to.x as f32, to.y as f32);
                }
                self.stroke(path, stroke, LineCap::Butt);
            }
            Mark::Outlines { stroke, radius, boxes } => {
                let mut path = PathBuilder::new();
                boxes.iter().for_each(|area| rounded(&mut path, *area, *radius));
                self.stroke(path, stroke, LineCap::Butt);
            }
            Mark::Arrow { stroke, arrow } => {
                self.stroke(path_of(*arrow), stroke, LineCap::Round);
            }
            Mark::Texts { font, texts } => texts.iter().for_each(|text| self.write(text, font)),
        }
    }

    fn fill(&mut self, area: Area, fill: &str) {
        let sides = [area.x, area.y, area.width, area.height].map(|side| side as f32);
        if let Some(rect) = Rect::from_xywh(sides[0], sides[1], sides[2], sides[3]) {
            self.page.fill_rect(rect, &paint(fill), scaled(), None);
        }
    }

    fn stroke(&mut self, path: PathBuilder, stroke: &Stroke, cap: LineCap) {
        let Some(path) = path.finish() else { return };
        let dashes = stroke.dashes.iter().map(|dash| *dash as f32).collect::<Vec<_>>();
        let has_dashes = !dashes.is_empty();
        let pen = Pen {
            width: stroke.width as f32,
            line_cap: if has_dashes { LineCap::Round } else { cap },
            line_join: LineJoin::Round,
            dash: if has_dashes { StrokeDash::new(dashes, 0.0) } else { None },
            ..Pen::default()
        };
        self.page.stroke_path(&path, &paint(&stroke.color), &pen, scaled(), None);
    }

    fn write(&mut self, text: &Text, font: &Font) {
        let key = (font.is_mono, font.is_bold);
        let face = self.fonts.entry(key).or_insert_with(|| face(key));
        let Some(face) = face else { return };
        let scale = font.size as f32 / f32::from(face.units_per_em());
        let glyphs: Vec<GlyphId> =
            text.text.chars().map(|c| face.glyph_index(c).unwrap_or_default()).collect();
        let advance =
            |glyph: &GlyphId| f32::from(face.glyph_hor_advance(*glyph).unwrap_or(0)) * scale;
        let width: f32 = glyphs.iter().map(advance).sum();
        let mut x = text.at.x as f32
            - match font.anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => width / 2.0,
                Anchor::End => width,
            };
        let y = (text.at.y + 0.35 * font.size) as f32;
        let mut outline = Outline { path: PathBuilder::new(), scale, x, y };
        for glyph in &glyphs {
            outline.x = x;
            face.outline_glyph(*glyph, &mut outline);
            x += advance(glyph);
        }
        if let Some(path) = outline.path.finish() {
            self.page.fill_path(&path, &paint(&font.color), FillRule::Winding, scaled(), None);
        }
    }
}

fn face((is_mono, is_bold): (bool, bool)) -> Option<Face<'static>> {
    let (_, _, bytes) =
        FONTS.iter().find(|(mono, bold, _)| (*mono, *bold) == (is_mono, is_bold))?;
    Face::parse(bytes, 0).ok()
}

/// A glyph's outline at its place: fonts count upwards, pages downwards.
struct Outline {
    path: PathBuilder,
    scale: f32,
    x: f32,
    y: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, u: f32, v: f32, x: f32, y: f32) {
        let ((u, v), (x, y)) = (self.at(u, v), self.at(x, y));
        self.path.quad_to(u, v, x, y);
    }

    fn curve_to(&mut self, u: f32, v: f32, s: f32, t: f32, x: f32, y: f32) {
        let ((u, v), (s, t), (x, y)) = (self.at(u, v), self.at(s, t), self.at(x, y));
        self.path.cubic_to(u, v, s, t, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// How far the handles of a quarter of a circle are from its ends, of the radius.
const QUARTER: f64 = 0.5523;

fn rounded(path: &mut PathBuilder, area: Area, radius: f64) {
    let r = radius.min(area.width / 2.0).min(area.height / 2.0).max(0.0);
    let (left, top, right, bottom) = (area.x, area.y, area.right(), area.bottom());
    let handle = r * (1.0 - QUARTER);
    let point = |x: f64, y: f64| (x as f32, y as f32);
    let corners = [
        // Where a side ends, both handles, and where the next begins.
        [(right - r, top), (right - handle, top), (right, top + handle), (right, top + r)],
        [
            (right, bottom - r),
            (right, bottom - handle),
            (right - handle, bottom),
            (right - r, bottom),
        ],
        [(left + r, bottom), (left + handle, bottom), (left, bottom - handle), (left, bottom - r)],
        [(left, top + r), (left, top + handle), (left + handle, top), (left + r, top)],
    ];
    let (x, y) = point(left + r, top);
    path.move_to(x, y);
    for corner in corners {
        let [from, one, other, to] = corner.map(|(x, y)| point(x, y));
        path.line_to(from.0, from.1);
        if r > 0.0 {
            path.cubic_to(one.0, one.1, other.0, other.1, to.0, to.1);
        }
    }
    path.close();
}

fn path_of(arrow: Arrow) -> PathBuilder {
    let at = |point: Point| (point.x as f32, point.y as f32);
    let ((x, y), (u, v)) = (at(arrow.from), at(arrow.to));
    let ([one, other], [left, right]) = (arrow.bends().map(at), arrow.head().map(at));
    let mut path = PathBuilder::new();
    path.move_to(x, y);
    path.cubic_to(one.0, one.1, other.0, other.1, u, v);
    path.move_to(left.0, left.1);
    path.line_to(u, v);
    path.line_to(right.0, right.1);
    path
}

fn scaled() -> Transform {
    Transform::from_scale(SCALE, SCALE)
}

fn paint(fill: &str) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(color(fill));
    paint.anti_alias = true;
    paint
}

fn color(text: &str) -> Color {
    let part =
        |at: usize| text.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let [red, green, blue] = [1, 3, 5].map(|at| part(at).unwrap_or(0));
    Color::from_rgba8(red, green, blue, 255)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn every_letter_of_a_scene_is_in_the_fonts() {
        for (is_mono, is_bold, _) in FONTS {
            let face = face((is_mono, is_bold)).unwrap();
            let letters = (' '..='~').chain("\u{a0}·×…".chars());
            let more = if is_mono { "↦" } else { "" };
            for letter in letters.chain(more.chars()) {
                assert!(face.glyph_index(letter).is_some(), "{letter} {is_mono} {is_bold}");
            }
        }
    }

    #[test]
    fn what_is_too_large_is_an_error() {
        let page = |width| Drawing {
            width,
            height: 10.0,
            background: "#ffffff",
            marks: Vec::new(),
            hits: Vec::new(),
            blocks: Vec::new(),
        };
        assert!(write(&page(1e9)).is_err());
        assert!(write(&page(10.0)).unwrap().starts_with(b"\x89PNG\r\n"));
    }
}
