//! Scenes in letters, for a terminal.
//!
//! ```text
//!      0  1    2  3    4  5
//!   ┌───────┬───────┬───────┐
//! 0 │  0  1 │  4  5 │  8 ░░ │
//! 1 │  2  3 │  6  7 │ 10 ░░ │
//!   ├───────┼───────┼───────┤
//! 2 │ 12 13 │ 16 17 │ 20 ░░ │
//! 3 │ ░░ ░░ │ ░░ ░░ │ ░░ ░░ │
//!   └───────┴───────┴───────┘
//! ```
//!
//! Lines are drawn between tiles, padding is shaded, and colour says nothing that is not there without
//! it.

mod block;
mod grid;
mod strip;

use block::{Block, Style};

use tilewright::notation::Described;

use crate::options::{Room, Theme};
use crate::scene::{Panel, Scene, Tone};

/// What a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// How many columns it has.
    pub width: usize,
    /// Its colours.
    pub colors: Colors,
    /// On what it writes.
    pub theme: Theme,
}

/// What colours a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    /// None.
    None,
    /// The 256 that are numbered.
    Numbered,
    /// Any.
    Any,
}

impl Terminal {
    /// The room that a grid of this layout has between the sides of the terminal.
    pub fn room(&self, said: &Described) -> Room {
        let Ok(map) = said.index_map() else { return Room::default() };
        let digits = map.allocation().max(1).ilog10() as usize + 1;
        let label = map.dims().iter().max().copied().unwrap_or(1).max(1).ilog10() as usize + 2;
        // A line between tiles takes two more, at about every fourth cell.
        let columns = (2 * self.width.saturating_sub(label + 4) / (2 * (digits + 1) + 1)).max(4);
        Room { columns: columns * 4 / 5, rows: 40 }
    }
}

impl Default for Terminal {
    fn default() -> Self {
        Terminal { width: 80, colors: Colors::None, theme: Theme::Light }
    }
}

/// Between panels side by side.
const ACROSS: usize = 4;

/// The picture in lines.
pub(crate) fn write(scene: &Scene, terminal: Terminal) -> String {
    let mut page = Block::of_line(&scene.title, Style::Bold);
    page.add(Block::wrapped(&scene.subtitle, Style::Soft, terminal.width));
    let mut follows_heading = false;
    for row in &scene.rows {
        if !follows_heading {
            page.add(Block::of_line("", Style::Plain));
        }
        let blocks: Vec<Block> =
            row.iter().filter_map(|panel| block(panel, terminal.width)).collect();
        page.add(Block::beside(blocks, ACROSS, terminal.width));
        follows_heading =
            matches!(row.as_slice(), [Panel::Words(words)] if words.tone == Tone::Heading);
    }
    page.text(terminal)
}

/// A panel in letters; all tiles at scale are left out, which say nothing at the scale of letters.
fn block(panel: &Panel, width: usize) -> Option<Block> {
    match panel {
        Panel::Grid(grid) => Some(grid::block(grid)),
        Panel::Strip(strip) => Some(strip::block(strip, width)),
        Panel::Bar(bar) => Some(strip::bar(bar, width)),
        Panel::Bytes(bytes) => Some(strip::bytes(bytes, width)),
        Panel::Legend(entries) => {
            let mut block = Block::default();
            entries
                .iter()
                .for_each(|(fill, text)| block.add(Block::of_line(text, Style::On(*fill))));
            Some(block)
        }
        Panel::Words(words) => {
            let style = match words.tone {
                Tone::Arithmetic => Style::Plain,
                Tone::Heading => Style::Bold,
                Tone::Soft => Style::Soft,
                Tone::Alarm => Style::Accent,
            };
            Some(Block::wrapped(&words.text, style, width))
        }
        Panel::Hits(hits) => Some(strip::hits(hits, width)),
        Panel::Overview(_) => None,
    }
}
