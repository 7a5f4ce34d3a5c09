//! Where everything of a scene is on the page.

mod bar;
mod grid;
mod hits;
mod overview;
mod pen;
mod strip;

use crate::drawing::{Anchor, Arrow, Drawing, Point, Stroke, mono_width, sans_width};
use crate::options::Theme;
use crate::scene::{Fill, Panel, Scene, Tone};
use crate::theme::Palette;
use grid::GridFigure;
use pen::Pen;
use strip::StripFigure;

/// From the border of the page to what is on it.
const MARGIN: f64 = 28.0;

/// The same of a picture without words.
const BARE_MARGIN: f64 = 4.0;

/// Between panels side by side, and between rows of them.
const ACROSS: f64 = 44.0;
const DOWN: f64 = 26.0;

/// Between a heading and what it is of.
const HEADING_GAP: f64 = 6.0;

const TITLE: f64 = 20.0;
const SUBTITLE: f64 = 14.0;
/// Letters of captions and of words.
const CAPTION: f64 = 14.0;

/// A panel that has found its size.
enum Figure<'a> {
    Grid(GridFigure<'a>),
    Strip(StripFigure<'a>),
    Other(&'a Panel, [f64; 2]),
}

/// Draws a scene.
pub(crate) fn draw(scene: &Scene, theme: Theme) -> Drawing {
    let palette = Palette::of(theme);
    let mut rows: Vec<Vec<Figure<'_>>> = Vec::new();
    let mut corner = None;
    for row in &scene.rows {
        let (views, others): (Vec<&Panel>, Vec<&Panel>) =
            row.iter().partition(|panel| matches!(panel, Panel::Overview(_)));
        corner = corner.or(views.into_iter().next());
        rows.push(others.into_iter().map(|panel| Figure::of(panel, scene)).collect());
    }
    let title = mono_width(&scene.title, TITLE).max(sans_width(&scene.subtitle, SUBTITLE));
    let beside = corner.map_or([0.0; 2], |panel| Figure::of(panel, scene).size());
    let top = match corner {
        Some(_) if scene.title.is_empty() => beside[0],
        Some(_) => title + ACROSS + beside[0],
        None => title,
    };
    let columns = columns(&rows);
    let ends = rows.iter().zip(&columns).flat_map(|(row, columns)| {
        row.iter().zip(columns).map(|(figure, column)| column + figure.size()[0])
    });
    let inner = ends.fold(top, f64::max);
    for figure in rows.iter_mut().flatten() {
        if let Figure::Other(Panel::Bar(_), size) = figure {
            *size = bar::size(inner);
        }
    }
    let mut pen = Pen::new(palette);
    let y = header(scene, corner, inner, &mut pen);
    let y = below(&rows, &columns, y, &mut pen);
    if let (Some(from), Some(to)) = (pen.in_grid, pen.in_memory) {
        pen.arrow(Arrow { from, to, is_across: false }, Stroke::solid(palette.ink, 2.0));
    }
    pen.arrows_of_moves();
    let margin = if scene.title.is_empty() { BARE_MARGIN } else { MARGIN };
    let (width, height) = (inner + 2.0 * margin, y + margin);
    let (hits, blocks) = (std::mem::take(&mut pen.hits), std::mem::take(&mut pen.blocks));
    Drawing { width, height, background: palette.background, marks: pen.finish(), hits, blocks }
}

/// Where each panel of a row begins. Rows that follow each other with as many panels have them below
/// each other.
fn columns(rows: &[Vec<Figure<'_>>]) -> Vec<Vec<f64>> {
    let alike = rows.chunk_by(|row, next| row.len() == next.len());
    let columns = alike.flat_map(|rows| {
        let n_columns = rows.first().map_or(0, Vec::len);
        let width =
            |column: usize| rows.iter().map(|row| row[column].size()[0]).fold(0.0, f64::max);
        let mut starts = Vec::with_capacity(n_columns);
        let mut x = 0.0;
        for column in 0..n_columns {
            starts.push(x);
            x += width(column) + ACROSS;
        }
        vec![starts; rows.len()]
    });
    columns.collect()
}

/// The title, what it comes to, and in the corner all tiles; where that ends.
fn header(scene: &Scene, corner: Option<&Panel>, inner: f64, pen: &mut Pen) -> f64 {
    if scene.title.is_empty() {
        let Some(panel) = corner else { return BARE_MARGIN };
        let figure = Figure::of(panel, scene);
        figure.draw(pen, Point { x: BARE_MARGIN, y: BARE_MARGIN });
        return BARE_MARGIN + figure.size()[1];
    }
    let y = MARGIN + TITLE / 2.0;
    let title = pen.mono(TITLE, pen.palette.ink, Anchor::Start).bold();
    pen.write(Point { x: MARGIN, y }, &scene.title, title);
    let y = y + TITLE / 2.0 + 10.0 + SUBTITLE / 2.0;
    let subtitle = pen.sans(SUBTITLE, pen.palette.soft, Anchor::Start);
    pen.write(Point { x: MARGIN, y }, &scene.subtitle, subtitle);
    let end = y + SUBTITLE / 2.0;
    let Some(panel) = corner else { return end };
    let figure = Figure::of(panel, scene);
    let [width, height] = figure.size();
    figure.draw(pen, Point { x: MARGIN + inner - width, y: MARGIN });
    end.max(MARGIN + height)
}

/// The rows of panels one below another; where the last ends.
fn below(rows: &[Vec<Figure<'_>>], columns: &[Vec<f64>], mut y: f64, pen: &mut Pen) -> f64 {
    let mut gap = DOWN;
    for (row, columns) in rows.iter().zip(columns).filter(|(row, _)| !row.is_empty()) {
        y += gap;
        let is_heading = matches!(
            row.as_slice(),
            [Figure::Other(Panel::Words(words), _)] if words.tone == Tone::Heading
        );
        gap = if is_heading { HEADING_GAP } else { DOWN };
        for (figure, column) in row.iter().zip(columns) {
            figure.draw(pen, Point { x: MARGIN + column, y });
        }
        y += row.iter().map(|figure| figure.size()[1]).fold(0.0, f64::max);
    }
    y
}

impl<'a> Figure<'a> {
    fn of(panel: &'a Panel, scene: &Scene) -> Self {
        match panel {
            Panel::Grid(grid) => Figure::Grid(GridFigure::new(grid, scene)),
            Panel::Strip(strip) => Figure::Strip(StripFigure::new(strip)),
            Panel::Hits(hits) => Figure::Other(panel, hits::size(hits)),
            Panel::Bar(_) => Figure::Other(panel, bar::size(0.0)),
            Panel::Overview(view) => Figure::Other(panel, overview::size(view)),
            Panel::Bytes(bytes) => Figure::Other(panel, strip::bytes_size(bytes)),
            Panel::Words(words) => {
                let width = match words.tone {
                    Tone::Arithmetic => mono_width(&words.text, CAPTION),
                    _ => sans_width(&words.text, CAPTION),
                };
                Figure::Other(panel, [width, CAPTION])
            }
            Panel::Legend(entries) => {
                let width: f64 =
                    entries.iter().map(|(_, text)| 34.0 + sans_width(text, CAPTION)).sum();
                Figure::Other(panel, [width, 18.0])
            }
        }
    }

    fn size(&self) -> [f64; 2] {
        match self {
            Figure::Grid(grid) => grid.size(),
            Figure::Strip(strip) => strip.size(),
            Figure::Other(_, size) => *size,
        }
    }

    fn draw(&self, pen: &mut Pen, at: Point) {
        match self {
            Figure::Grid(grid) => grid.draw(pen, at),
            Figure::Strip(strip) => strip.draw(pen, at),
            Figure::Other(Panel::Bar(bar), [width, _]) => bar::draw(bar, *width, pen, at),
            Figure::Other(Panel::Hits(hits), _) => hits::draw(hits, pen, at),
            Figure::Other(Panel::Overview(view), _) => overview::draw(view, pen, at),
            Figure::Other(Panel::Bytes(bytes), _) => strip::draw_bytes(bytes, pen, at),
            Figure::Other(Panel::Words(said), _) => {
                words(&said.text, said.tone, pen, Point { x: at.x, y: at.y + CAPTION / 2.0 });
            }
            Figure::Other(Panel::Legend(entries), _) => legend(entries, pen, at),
            Figure::Other(..) => {}
        }
    }
}

fn words(text: &str, tone: Tone, pen: &mut Pen, at: Point) {
    let font = match tone {
        Tone::Arithmetic => pen.mono(CAPTION, pen.palette.ink, Anchor::Start),
        Tone::Heading => pen.sans(CAPTION, pen.palette.ink, Anchor::Start).bold(),
        Tone::Soft => pen.sans(CAPTION, pen.palette.soft, Anchor::Start),
        Tone::Alarm => pen.sans(CAPTION, pen.palette.accent, Anchor::Start).bold(),
    };
    pen.write(at, text, font);
}

fn legend(entries: &[(Fill, String)], pen: &mut Pen, at: Point) {
    let mut x = at.x;
    for (fill, text) in entries {
        let area = crate::drawing::Area { x, y: at.y, width: 18.0, height: 18.0 };
        pen.fill(area, pen.palette.fill(*fill));
        let font = pen.sans(CAPTION, pen.palette.soft, Anchor::Start);
        pen.write(Point { x: x + 24.0, y: at.y + 9.0 }, text, font);
        x += 34.0 + sans_width(text, CAPTION);
    }
}
