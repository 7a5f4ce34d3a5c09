//! Drawings as SVG that every renderer draws alike: attributes alone, no styles, no references.

use std::fmt::Write;

use tilewright::text::escaped_markup;

use crate::drawing::{Anchor, Area, Arrow, Drawing, Font, Mark, Point, Stroke};

/// The document. `title` is what screen readers say.
pub(crate) fn write(drawing: &Drawing, title: &str) -> String {
    let (width, height) = (number(drawing.width), number(drawing.height));
    let title = escaped_markup(title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">\
         <title>{title}</title>\
         <rect width=\"{width}\" height=\"{height}\" rx=\"10\" fill=\"{}\"/>\n",
        drawing.background
    );
    for mark in &drawing.marks {
        out.push_str(&element(mark));
        out.push('\n');
    }
    out.push_str("</svg>\n");
    out
}

fn element(mark: &Mark) -> String {
    match mark {
        Mark::Areas { fill, boxes } => {
            format!(
                "<path fill=\"{fill}\" d=\"{}\"/>",
                boxes.iter().map(|b| square(*b)).collect::<String>()
            )
        }
        Mark::Lines { stroke, lines } => {
            let path: String = lines.iter().map(|[from, to]| line(*from, *to)).collect();
            format!("<path fill=\"none\"{} d=\"{path}\"/>", stroked(stroke))
        }
        Mark::Outlines { stroke, radius, boxes } => {
            let path: String = boxes.iter().map(|b| rounded(*b, *radius)).collect();
            format!("<path fill=\"none\"{} d=\"{path}\"/>", stroked(stroke))
        }
        Mark::Arrow { stroke, arrow } => path_of(stroke, *arrow),
        Mark::Texts { font, texts } => {
            let mut group = format!("<g{}>", lettered(font));
            for text in texts {
                let (x, y) = (number(text.at.x), number(text.at.y + 0.35 * font.size));
                let _ = write!(
                    group,
                    "<text x=\"{x}\" y=\"{y}\">{}</text>",
                    escaped_markup(&text.text)
                );
            }
            group + "</g>"
        }
    }
}

fn stroked(stroke: &Stroke) -> String {
    let mut text =
        format!(" stroke=\"{}\" stroke-width=\"{}\"", stroke.color, number(stroke.width));
    if !stroke.dashes.is_empty() {
        let dashes: Vec<String> = stroke.dashes.iter().map(|dash| number(*dash)).collect();
        let _ = write!(text, " stroke-dasharray=\"{}\" stroke-linecap=\"round\"", dashes.join(" "));
    }
    text
}

fn lettered(font: &Font) -> String {
    let family = if font.is_mono { "monospace" } else { "sans-serif" };
    let anchor = match font.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let weight = if font.is_bold { " font-weight=\"bold\"" } else { "" };
    let size = number(font.size);
    format!(
        " font-family=\"{family}\" font-size=\"{size}\" fill=\"{}\"{anchor}{weight}",
        font.color
    )
}

fn square(area: Area) -> String {
    let [x, y, width, height] = [area.x, area.y, area.width, area.height].map(number);
    format!("M{x} {y}h{width}v{height}h-{width}z")
}

fn line(from: Point, to: Point) -> String {
    let [x, y, u, v] = [from.x, from.y, to.x, to.y].map(number);
    format!("M{x} {y}L{u} {v}")
}

fn rounded(area: Area, radius: f64) -> String {
    let r = radius.min(area.width / 2.0).min(area.height / 2.0).max(0.0);
    let [x, y, across, down, r] =
        [area.x + r, area.y, area.width - 2.0 * r, area.height - 2.0 * r, r].map(number);
    format!(
        "M{x} {y}h{across}a{r} {r} 0 0 1 {r} {r}v{down}a{r} {r} 0 0 1 -{r} {r}\
         h-{across}a{r} {r} 0 0 1 -{r} -{r}v-{down}a{r} {r} 0 0 1 {r} -{r}z"
    )
}

fn path_of(stroke: &Stroke, arrow: Arrow) -> String {
    let at = |point: Point| format!("{} {}", number(point.x), number(point.y));
    let ([one, other], [left, right]) = (arrow.bends().map(at), arrow.head().map(at));
    let (from, to) = (at(arrow.from), at(arrow.to));
    format!(
        "<path fill=\"none\"{} stroke-linecap=\"round\" stroke-linejoin=\"round\" \
         d=\"M{from}C{one} {other} {to}M{left}L{to}L{right}\"/>",
        stroked(stroke)
    )
}

/// A number with at most two digits after the point.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" || text.is_empty() { "0".to_owned() } else { text.to_owned() }
}
