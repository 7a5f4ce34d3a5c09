//! Lines of letters in styles, put beside and below each other.

use std::fmt::Write;

use super::{Colors, Terminal};
use crate::options::Theme;
use crate::scene::Fill;
use crate::theme::Palette;

/// How letters look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Soft,
    Accent,
    /// On a colour.
    On(Fill),
    /// On a colour, and standing out.
    Marked(Fill),
}

/// Letters of one style.
#[derive(Clone, Debug)]
struct Span {
    text: String,
    style: Style,
}

/// Letters side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Vec<Span>);

impl Line {
    pub(crate) fn put(&mut self, text: &str, style: Style) {
        match self.0.last_mut() {
            Some(span) if span.style == style => span.text.push_str(text),
            _ => self.0.push(Span { text: text.to_owned(), style }),
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|span| span.text.chars().count()).sum()
    }

    /// Blanks up to a width.
    fn fill(&mut self, width: usize) {
        let missing = width.saturating_sub(self.width());
        self.put(&" ".repeat(missing), Style::Plain);
    }
}

/// Lines one below another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block(Vec<Line>);

impl Block {
    pub(crate) fn of_line(text: &str, style: Style) -> Self {
        let mut line = Line::default();
        line.put(text, style);
        Block(vec![line])
    }

    /// Words in as many lines as they need.
    pub(crate) fn wrapped(text: &str, style: Style, width: usize) -> Self {
        let mut block = Block::default();
        let mut line = String::new();
        for word in text.split(' ') {
            let is_full = line.chars().count() + 1 + word.chars().count() > width;
            if is_full && !line.is_empty() {
                block.add(Block::of_line(&std::mem::take(&mut line), style));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        block.add(Block::of_line(&line, style));
        block
    }

    pub(crate) fn push(&mut self, line: Line) {
        self.0.push(line);
    }

    pub(crate) fn add(&mut self, other: Block) {
        self.0.extend(other.0);
    }

    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(Line::width).max().unwrap_or(0)
    }

    /// Blocks side by side as far as there is room, and below each other beyond. Their last lines are
    /// on one height.
    pub(crate) fn beside(blocks: Vec<Block>, gap: usize, width: usize) -> Self {
        let mut all = Block::default();
        let mut row: Vec<Block> = Vec::new();
        for block in blocks {
            let taken: usize = row.iter().map(|block| block.width() + gap).sum();
            if taken + block.width() > width && !row.is_empty() {
                all.add(Self::joined(&std::mem::take(&mut row), gap));
                all.add(Block::of_line("", Style::Plain));
            }
            row.push(block);
        }
        all.add(Self::joined(&row, gap));
        all
    }

    fn joined(row: &[Block], gap: usize) -> Self {
        let height = row.iter().map(|block| block.0.len()).max().unwrap_or(0);
        let mut lines = vec![Line::default(); height];
        let mut left = 0;
        for block in row {
            let above = height - block.0.len();
            for (line, part) in lines.iter_mut().skip(above).zip(&block.0) {
                line.fill(left);
                part.0.iter().for_each(|span| line.put(&span.text, span.style));
            }
            left += block.width() + gap;
        }
        Block(lines)
    }

    /// The lines, with the terminal's commands for styles.
    pub(crate) fn text(&self, terminal: Terminal) -> String {
        let mut out = String::new();
        for line in &self.0 {
            let mut written = String::new();
            for Span { text, style } in &line.0 {
                let text = tilewright::text::escaped(text);
                match command(*style, terminal) {
                    Some(command) => {
                        let _ = write!(written, "\u{1b}[{command}m{text}\u{1b}[0m");
                    }
                    None => {
                        let _ = write!(written, "{text}");
                    }
                }
            }
            out.push_str(written.trim_end());
            out.push('\n');
        }
        out
    }
}

/// The command that begins a style, if the terminal has one for it.
fn command(style: Style, terminal: Terminal) -> Option<String> {
    if terminal.colors == Colors::None {
        return None;
    }
    let palette = Palette::of(terminal.theme);
    // Whatever the terminal's own colours are, ink on a colour is that of the palette.
    let on = |fill: Fill| {
        let (ink, ground) =
            (colored(38, palette.ink, terminal), colored(48, palette.fill(fill), terminal));
        format!("{ink};{ground}")
    };
    match style {
        Style::Plain | Style::On(Fill::Plain) => None,
        Style::Bold => Some("1".to_owned()),
        Style::Soft => Some("2".to_owned()),
        Style::Accent => Some(match terminal.theme {
            Theme::Light => "1;31".to_owned(),
            Theme::Dark => "1;91".to_owned(),
        }),
        Style::On(fill) => Some(on(fill)),
        Style::Marked(Fill::Plain) => Some("1;7".to_owned()),
        Style::Marked(fill) => Some(format!("1;7;{}", on(fill))),
    }
}

fn colored(what: u8, color: &str, terminal: Terminal) -> String {
    let part = |at: usize| {
        color.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).unwrap_or(0)
    };
    let [red, green, blue] = [1, 3, 5].map(part);
    match terminal.colors {
        Colors::Any => format!("{what};2;{red};{green};{blue}"),
        _ => format!("{what};5;{}", numbered([red, green, blue])),
    }
}

/// The nearest of the 216 colours of the cube, whose steps are 0, 95, 135, 175, 215, 255.
fn numbered(color: [u8; 3]) -> u32 {
    let step = |part: u8| match part {
        0..48 => 0,
        48..115 => 1,
        _ => (u32::from(part) - 35) / 40,
    };
    color.into_iter().fold(0, |number, part| number * 6 + step(part)) + 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_the_cube() {
        for (color, number) in [([0, 0, 0], 16), ([255, 255, 255], 231), ([95, 135, 175], 67)] {
            assert_eq!(numbered(color), number);
        }
    }

    #[test]
    fn nothing_but_styles_is_a_command() {
        let block = Block::of_line("a\u{1b}[2Jb", Style::Bold);
        let terminal = Terminal { colors: Colors::Any, ..Terminal::default() };
        assert_eq!(block.text(terminal), "\u{1b}[1ma\\u{1b}[2Jb\u{1b}[0m\n");
        assert_eq!(block.text(Terminal::default()), "a\\u{1b}[2Jb\n");
    }
}
