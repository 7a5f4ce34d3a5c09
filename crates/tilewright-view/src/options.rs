//! What somebody may want of a picture.

use std::fmt;
use std::num::NonZeroI64;
use std::str::FromStr;

/// How a layout is to be drawn.
///
/// ```
/// use tilewright_view::{Coloring, Options};
/// let options = Options { coloring: "bank:8x4".parse()?, ..Options::default() };
/// assert_eq!(options.coloring, Coloring::Bank { banks: 8, bytes: 4 });
/// # Ok::<(), tilewright_view::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What has one colour.
    pub coloring: Coloring,
    /// Which way the large grid leads.
    pub direction: Direction,
    /// What the numbers count.
    pub unit: Unit,
    /// Whether padding has its numbers too.
    pub padding_numbers: bool,
    /// An index to be pointed out, with its arithmetic.
    pub at: Option<Vec<i64>>,
    /// An index that is drawn, whatever is elided; that of padding will do.
    pub near: Option<Vec<i64>>,
    /// The tile that the threads of a thread-value layout share out: rows, columns.
    pub tile: Option<[i64; 2]>,
    /// On what the picture stands.
    pub theme: Theme,
    /// The most columns and rows of cells that a grid has; longer axes are elided.
    pub room: Room,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            coloring: Coloring::Tile,
            direction: Direction::Offsets,
            unit: Unit::Elements,
            padding_numbers: false,
            at: None,
            near: None,
            tile: None,
            theme: Theme::Light,
            room: Room::default(),
        }
    }
}

/// What has one colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coloring {
    /// The outermost tile.
    #[default]
    Tile,
    /// The index along this dimension; the first where it is not said.
    Dim(usize),
    /// The offset modulo this many elements.
    Offset(i64),
    /// The line of memory of this many bytes.
    Line(i64),
    /// The bank of memory.
    Bank {
        /// How many banks there are.
        banks: i64,
        /// How many bytes of one follow each other.
        bytes: i64,
    },
    /// The thread, of a layout whose first mode is threads and whose second mode is their values.
    Thread,
}

/// Which way the large grid leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From an index to an offset: a cell for each element, at its place in the array.
    #[default]
    Offsets,
    /// From an offset to an index: a cell for each place of memory, in the order of memory.
    Memory,
}

/// What offsets count.
///
/// ```
/// use tilewright_view::Unit;
/// assert_eq!("bytes".parse::<Unit>()?, Unit::Bytes);
/// assert!(matches!("bytes:16".parse()?, Unit::Blocks(size) if size.get() == 16));
/// # Ok::<(), tilewright_view::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Elements.
    #[default]
    Elements,
    /// Bytes; for elements below a byte, with the bit after a point.
    Bytes,
    /// Blocks of so many bytes, in which makers of hardware draw memory: words, vectors, lines.
    Blocks(NonZeroI64),
}

/// On what the picture stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on black.
    Dark,
}

/// The most columns, and the most rows, that a grid may be given room for: nobody could read more, and
/// all of them are in memory.
pub const MAX_ROOM: usize = 1000;

/// The most cells of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Side by side.
    pub columns: usize,
    /// One below another.
    pub rows: usize,
}

impl Default for Room {
    fn default() -> Self {
        Room { columns: 22, rows: 30 }
    }
}

impl Room {
    /// Whether there is room for something, and not for too much.
    pub(crate) fn check(self) -> Result<(), Error> {
        for (count, what) in [(self.columns, "columns"), (self.rows, "rows")] {
            if !(1..=MAX_ROOM).contains(&count) {
                return Err(Error(format!("{count} {what} of cells: expected 1 to {MAX_ROOM}")));
            }
        }
        Ok(())
    }
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<tilewright::Error> for Error {
    fn from(error: tilewright::Error) -> Self {
        Error(error.to_string())
    }
}

/// The names that a text may begin with, as help texts list them.
const COLORINGS: &str =
    "tile, dim, dim:N, offset:N, line, line:BYTES, bank, bank:BANKSxBYTES, thread";

impl FromStr for Coloring {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, value) = text.split_once(':').map_or((text, None), |(name, v)| (name, Some(v)));
        let wrong = || Error(format!("`{text}` is no way to colour: expected one of {COLORINGS}"));
        let number = |text: &str| text.parse::<i64>().ok().filter(|&n| n > 0).ok_or_else(wrong);
        match (name, value) {
            ("tile", None) => Ok(Coloring::Tile),
            ("thread", None) => Ok(Coloring::Thread),
            ("dim", None) => Ok(Coloring::Dim(0)),
            ("dim", Some(dim)) => dim.parse().map(Coloring::Dim).map_err(|_| wrong()),
            ("offset", Some(n)) => Ok(Coloring::Offset(number(n)?)),
            ("line", None) => Ok(Coloring::Line(64)),
            ("line", Some(bytes)) => Ok(Coloring::Line(number(bytes)?)),
            ("bank", None) => Ok(Coloring::Bank { banks: 32, bytes: 4 }),
            ("bank", Some(both)) => {
                let (banks, bytes) = both.split_once('x').ok_or_else(wrong)?;
                Ok(Coloring::Bank { banks: number(banks)?, bytes: number(bytes)? })
            }
            _ => Err(wrong()),
        }
    }
}

impl Direction {
    /// The names of all, as texts have them.
    pub const NAMES: [&str; 2] = ["offsets", "memory"];
}

impl FromStr for Direction {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "offsets" => Ok(Direction::Offsets),
            "memory" => Ok(Direction::Memory),
            _ => Err(unknown("direction", text, "offsets or memory")),
        }
    }
}

impl Theme {
    /// The names of all, as texts have them.
    pub const NAMES: [&str; 2] = ["light", "dark"];
}

impl FromStr for Theme {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "light" => Ok(Theme::Light),
            "dark" => Ok(Theme::Dark),
            _ => Err(unknown("theme", text, "light or dark")),
        }
    }
}

impl FromStr for Unit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let block = |size: &str| size.parse().ok().filter(|size: &NonZeroI64| size.get() > 0);
        match (text, text.strip_prefix("bytes:").and_then(block)) {
            ("elements", _) => Ok(Unit::Elements),
            ("bytes", _) => Ok(Unit::Bytes),
            (_, Some(size)) => Ok(Unit::Blocks(size)),
            _ => Err(unknown("unit", text, "elements, bytes, or bytes:N for blocks of N bytes")),
        }
    }
}

fn unknown(what: &str, name: &str, expected: &str) -> Error {
    Error(format!("no {what} is called `{name}`: expected {expected}"))
}
