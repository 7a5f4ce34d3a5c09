//! Drawings as TikZ: a document of its own, whose picture can be taken into another.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::drawing::{Anchor, Area, Drawing, Font, Mark, Point, Stroke};
use crate::svg::number;

/// Points of TeX for each pixel: 4/3 pixels are a point of print.
const SCALE: f64 = 0.75;

/// The document.
pub(crate) fn write(drawing: &Drawing, title: &str) -> String {
    let mut colors = Colors::default();
    let mut body = String::new();
    let background = colors.name(drawing.background);
    let (width, height) = (number(drawing.width), number(drawing.height));
    let _ = writeln!(body, "\\fill[{background}] (0,0) rectangle ({width},{height});");
    for mark in &drawing.marks {
        body.push_str(&commands(mark, &mut colors));
    }
    let title: String = tilewright::text::escaped(title).to_string().replace('\n', " ");
    format!(
        "% {title}\n\
         \\documentclass{{standalone}}\n\
         \\usepackage[T1]{{fontenc}}\n\
         \\usepackage{{tikz}}\n\
         {}\\begin{{document}}\n\
         \\begin{{tikzpicture}}[x={SCALE}pt, y=-{SCALE}pt, every node/.style={{inner sep=0pt}}]\n\
         {body}\\end{{tikzpicture}}\n\
         \\end{{document}}\n",
        colors.definitions()
    )
}

/// Colours by names, each defined once.
#[derive(Default)]
struct Colors(BTreeMap<String, usize>);

impl Colors {
    fn name(&mut self, color: &str) -> String {
        let next = self.0.len();
        let number = *self.0.entry(color.to_owned()).or_insert(next);
        format!("tw{number}")
    }

    fn definitions(&self) -> String {
        let define = |(color, number): (&String, &usize)| {
            let digits = color.trim_start_matches('#').to_uppercase();
            format!("\\definecolor{{tw{number}}}{{HTML}}{{{digits}}}\n")
        };
        self.0.iter().map(define).collect()
    }
}

fn commands(mark: &Mark, colors: &mut Colors) -> String {
    match mark {
        Mark::Areas { fill, boxes } => {
            let fill = colors.name(fill);
            format!(
                "\\fill[{fill}]{};\n",
                boxes.iter().map(|area| rectangle(*area)).collect::<String>()
            )
        }
        Mark::Lines { stroke, lines } => {
            let path: String = lines
                .iter()
                .map(|[from, to]| format!(" {} -- {}", point(*from), point(*to)))
                .collect();
            format!("\\draw[{}]{path};\n", stroked(stroke, colors))
        }
        Mark::Outlines { stroke, radius, boxes } => {
            let (radius, stroke) = (number(radius * SCALE), stroked(stroke, colors));
            let path: String = boxes.iter().map(|area| rectangle(*area)).collect();
            format!("\\draw[{stroke}, rounded corners={radius}pt]{path};\n")
        }
        Mark::Arrow { stroke, arrow } => {
            let [one, other] = arrow.bends().map(point);
            let stroke = stroked(stroke, colors);
            let (from, to) = (point(arrow.from), point(arrow.to));
            format!("\\draw[{stroke}, ->] {from} .. controls {one} and {other} .. {to};\n")
        }
        Mark::Texts { font, texts } => {
            let options = lettered(font, colors);
            let node = |text: &crate::drawing::Text| {
                format!("\\node[{options}] at {} {{{}}};\n", point(text.at), escaped(&text.text))
            };
            texts.iter().map(node).collect()
        }
    }
}

fn point(at: Point) -> String {
    format!("({},{})", number(at.x), number(at.y))
}

fn rectangle(area: Area) -> String {
    let other = Point { x: area.right(), y: area.bottom() };
    format!(" {} rectangle {}", point(Point { x: area.x, y: area.y }), point(other))
}

fn stroked(stroke: &Stroke, colors: &mut Colors) -> String {
    let mut text =
        format!("{}, line width={}pt", colors.name(&stroke.color), number(stroke.width * SCALE));
    if let [on, off] = stroke.dashes {
        let [on, off] = [on, off].map(|dash| number(dash * SCALE));
        let _ = write!(text, ", line cap=round, dash pattern=on {on}pt off {off}pt");
    }
    text
}

fn lettered(font: &Font, colors: &mut Colors) -> String {
    let family = if font.is_mono { "\\ttfamily" } else { "\\sffamily" };
    let weight = if font.is_bold { "\\bfseries" } else { "" };
    let anchor = match font.anchor {
        Anchor::Start => ", anchor=west",
        Anchor::Middle => "",
        Anchor::End => ", anchor=east",
    };
    let size = number(font.size * SCALE);
    let color = colors.name(&font.color);
    format!("{color}, font=\\fontsize{{{size}}}{{{size}}}\\selectfont{family}{weight}{anchor}")
}

/// Text as TeX has it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in tilewright::text::escaped(text).to_string().chars() {
        match c {
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '\u{a0}' => out.push_str("\\,"),
            '·' => out.push_str("$\\cdot$"),
            '×' => out.push_str("$\\times$"),
            '↦' => out.push_str("$\\mapsto$"),
            '…' => out.push_str("\\dots{}"),
            c if c.is_ascii() => out.push(c),
            // Whatever the document's fonts have of the rest, it is not known here.
            c => {
                let _ = write!(out, "U+{:04X}", u32::from(c));
            }
        }
    }
    out
}
