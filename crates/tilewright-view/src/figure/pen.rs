//! Marks put down in any order, and gathered by kind: one path a colour, one group a font.

use crate::drawing::{Anchor, Area, Arrow, Font, Hit, Mark, Point, Stroke, Text, hatch};
use crate::scene::{Cell, Kind};
use crate::theme::Palette;

/// Lines of a hatch are this far apart.
const HATCH: f64 = 8.0;

/// Gathers marks in layers: areas lie below hatches, these below lines, outlines, arrows and letters.
pub(crate) struct Pen {
    pub(crate) palette: &'static Palette,
    areas: Vec<(String, Vec<Area>)>,
    hatches: Vec<Area>,
    lines: Vec<(Stroke, Vec<[Point; 2]>)>,
    outlines: Vec<(Stroke, f64, Vec<Area>)>,
    arrows: Vec<Mark>,
    dots: Vec<(String, Vec<Area>)>,
    texts: Vec<(Font, Vec<Text>)>,
    /// Where one can point.
    pub(crate) hits: Vec<Hit>,
    /// Where tiles are, by their level.
    pub(crate) blocks: Vec<(usize, Area)>,
    /// Where what was pointed at is in the grid, and where in memory: ends of an arrow.
    pub(crate) in_grid: Option<Point>,
    pub(crate) in_memory: Option<Point>,
    /// Where runs of elements move from, and where to, by their numbers.
    pub(crate) leaves: Vec<(usize, Area)>,
    pub(crate) arrives: Vec<(usize, Area)>,
    /// Whether memory after stands beside memory before, and not below it.
    pub(crate) moves_across: bool,
}

impl Font {
    pub(crate) fn bold(self) -> Self {
        Font { is_bold: true, ..self }
    }
}

impl Pen {
    pub(crate) fn new(palette: &'static Palette) -> Self {
        Pen {
            palette,
            areas: Vec::new(),
            hatches: Vec::new(),
            lines: Vec::new(),
            outlines: Vec::new(),
            arrows: Vec::new(),
            dots: Vec::new(),
            texts: Vec::new(),
            hits: Vec::new(),
            blocks: Vec::new(),
            in_grid: None,
            in_memory: None,
            leaves: Vec::new(),
            arrives: Vec::new(),
            moves_across: false,
        }
    }

    pub(crate) fn mono(&self, size: f64, color: &str, anchor: Anchor) -> Font {
        Font { size, color: color.to_owned(), is_mono: true, is_bold: false, anchor }
    }

    pub(crate) fn sans(&self, size: f64, color: &str, anchor: Anchor) -> Font {
        Font { is_mono: false, ..self.mono(size, color, anchor) }
    }

    pub(crate) fn fill(&mut self, area: Area, color: &str) {
        match self.areas.iter_mut().find(|(fill, _)| fill == color) {
            Some((_, areas)) => areas.push(area),
            None => self.areas.push((color.to_owned(), vec![area])),
        }
    }

    /// Padding: grey and hatched.
    pub(crate) fn pad(&mut self, area: Area) {
        self.fill(area, self.palette.padding);
        self.hatches.push(area);
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, stroke: &Stroke) {
        match self.lines.iter_mut().find(|(kind, _)| kind == stroke) {
            Some((_, lines)) => lines.push([from, to]),
            None => self.lines.push((stroke.clone(), vec![[from, to]])),
        }
    }

    pub(crate) fn outline(&mut self, area: Area, radius: f64, stroke: &Stroke) {
        let same = |(kind, r, _): &&mut (Stroke, f64, Vec<Area>)| kind == stroke && *r == radius;
        match self.outlines.iter_mut().find(same) {
            Some((_, _, boxes)) => boxes.push(area),
            None => self.outlines.push((stroke.clone(), radius, vec![area])),
        }
    }

    pub(crate) fn arrow(&mut self, arrow: Arrow, stroke: Stroke) {
        self.arrows.push(Mark::Arrow { stroke, arrow });
    }

    /// The arrows of what moves, from where it was to where it will be.
    pub(crate) fn arrows_of_moves(&mut self) {
        let (leaves, arrives) =
            (std::mem::take(&mut self.leaves), std::mem::take(&mut self.arrives));
        for (run, to) in arrives {
            let Some((_, from)) = leaves.iter().find(|(leaving, _)| *leaving == run) else {
                continue;
            };
            let is_across = self.moves_across;
            let (from, to) = match is_across {
                true => {
                    let from = Point { x: from.right(), y: from.center().y };
                    (from, Point { x: to.x, y: to.center().y })
                }
                false => {
                    let from = Point { x: from.center().x, y: from.bottom() };
                    (from, Point { x: to.center().x, y: to.y })
                }
            };
            self.arrow(Arrow { from, to, is_across }, Stroke::solid(self.palette.ink, 2.0));
        }
    }

    pub(crate) fn write(&mut self, at: Point, text: &str, font: Font) {
        if text.is_empty() {
            return;
        }
        let text = Text { at, text: text.to_owned() };
        match self.texts.iter_mut().find(|(kind, _)| *kind == font) {
            Some((_, texts)) => texts.push(text),
            None => self.texts.push((font, vec![text])),
        }
    }

    /// Where a cell is, for those who point at it.
    pub(crate) fn hit(&mut self, area: Area, cell: &Cell) {
        let offset = cell.offset.map_or(String::new(), |offset| format!("offset {offset}"));
        let index: Vec<String> = cell.index.iter().map(i64::to_string).collect();
        let index = index.join(",");
        let says = match cell.kind {
            Kind::Gap => return,
            Kind::Padding if cell.index.is_empty() => format!("padding: {offset}"),
            Kind::Padding => format!("({index}) is padding: {offset}"),
            Kind::Element | Kind::Repeat => format!("({index}): {offset}"),
        };
        self.hits.push(Hit { area, index: cell.index.clone(), offset: cell.offset, says });
    }

    /// Three dots side by side, or one below another: no font has to have them.
    pub(crate) fn dots(&mut self, at: Point, is_down: bool) {
        let color = self.palette.soft;
        for step in [-4.0, 0.0, 4.0] {
            let (x, y) = if is_down { (at.x, at.y + step) } else { (at.x + step, at.y) };
            let area = Area { x: x - 0.8, y: y - 0.8, width: 1.6, height: 1.6 };
            match self.dots.last_mut() {
                Some((fill, areas)) if fill == color => areas.push(area),
                _ => self.dots.push((color.to_owned(), vec![area])),
            }
        }
    }

    /// All marks, from the bottom up.
    pub(crate) fn finish(self) -> Vec<Mark> {
        let mut marks = Vec::new();
        marks.extend(self.areas.into_iter().map(|(fill, boxes)| Mark::Areas { fill, boxes }));
        if !self.hatches.is_empty() {
            let lines = self.hatches.into_iter().flat_map(|area| hatch(area, HATCH)).collect();
            marks.push(Mark::Lines { stroke: Stroke::solid(self.palette.hatch, 1.0), lines });
        }
        marks.extend(self.lines.into_iter().map(|(stroke, lines)| Mark::Lines { stroke, lines }));
        let outlines = self.outlines.into_iter();
        marks.extend(outlines.map(|(stroke, radius, boxes)| Mark::Outlines {
            stroke,
            radius,
            boxes,
        }));
        marks.extend(self.dots.into_iter().map(|(fill, boxes)| Mark::Areas { fill, boxes }));
        marks.extend(self.arrows);
        marks.extend(self.texts.into_iter().map(|(font, texts)| Mark::Texts { font, texts }));
        marks
    }
}
