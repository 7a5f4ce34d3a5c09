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

use crate::options::{MAX_ROOM, Room, Theme};
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

/// The most rows of cells in a terminal, which is scrolled.
const ROWS: usize = 40;

/// The fewest columns of cells: the ends of an axis, what is left out, and one more.
const FEWEST: usize = 4;

/// Two grids of fewer columns together, if they have more, say so little that one is better below the
/// other.
const FEWEST_BESIDE: usize = 20;

impl Terminal {
    /// More room than any grid that fits has.
    pub fn room(&self) -> Room {
        Room { columns: self.width.clamp(FEWEST + 1, MAX_ROOM), rows: ROWS }
    }

    /// The scene with as many columns as fit between the sides of the terminal: side by side where it
    /// has two grids, else each grid by itself. Where not even a few fit, these.
    ///
    /// ```
    /// use tilewright_view::{Options, Scene, Terminal};
    /// use tilewright::notation::Described;
    /// let layout: Described = "f32[4096,4096]{1,0:T(8,128)}".parse()?;
    /// let terminal = Terminal { width: 60, ..Terminal::default() };
    /// let scene = terminal.fit(|room| {
    ///     Scene::of(layout.clone(), &Options { room, ..Options::default() })
    /// })?;
    /// assert!(scene.to_text(terminal).lines().all(|line| line.chars().count() <= 60));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As of the scene.
    pub fn fit<E>(&self, scene: impl Fn(Room) -> Result<Scene, E>) -> Result<Scene, E> {
        let of = |columns| scene(Room { columns, rows: ROWS });
        let most = self.room().columns;
        let (fewest, some) = (of(FEWEST)?, of(FEWEST_BESIDE)?);
        let is_beside = width(&some, true) <= self.width;
        let (mut best, mut fits, mut too_many) = (fewest, FEWEST, most);
        while too_many - fits > 1 {
            let middle = fits.midpoint(too_many);
            let tried = of(middle)?;
            match width(&tried, is_beside) <= self.width {
                true => (best, fits) = (tried, middle),
                false => too_many = middle,
            }
        }
        Ok(best)
    }
}

/// How wide the grids of a scene are in letters: two of a row together if they are to be side by side.
fn width(scene: &Scene, is_beside: bool) -> usize {
    let of_row = |row: &Vec<Panel>| {
        let grids = row.iter().filter_map(|panel| match panel {
            Panel::Grid(grid) => Some(grid::block(grid).width()),
            _ => None,
        });
        let widths: Vec<usize> = grids.collect();
        match widths[..] {
            [one, other] if is_beside => one + ACROSS + other,
            _ => widths.into_iter().max().unwrap_or(0),
        }
    };
    scene.rows.iter().map(of_row).max().unwrap_or(0)
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
