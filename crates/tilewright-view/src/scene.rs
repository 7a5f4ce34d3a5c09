//! A picture before anybody has decided how it is written: what is there, and not where.
//!
//! A scene is panels in rows. Every writer (the terminal, SVG, TikZ, HTML) draws the same scene, so
//! that no two of them can disagree about a layout.

use crate::axis::Axis;

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The layout, as it is written.
    pub title: String,
    /// What it comes to, in a sentence.
    pub subtitle: String,
    /// Panels, those of one row side by side.
    pub rows: Vec<Vec<Panel>>,
}

/// A part of a picture.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Panel {
    /// Cells in rows and columns.
    Grid(Grid),
    /// Memory, from one place to the next.
    Strip(Strip),
    /// Memory as a whole: how much of each tile is data.
    Bar(Bar),
    /// All tiles at scale.
    Overview(Overview),
    /// Bytes with the elements in them.
    Bytes(Vec<Byte>),
    /// How often each bank of memory is hit.
    Hits(Hits),
    /// What the colours mean.
    Legend(Vec<(Fill, String)>),
    /// A line of words or of arithmetic.
    Words(Words),
}

/// Cells in rows and columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// What it is, above it.
    pub caption: String,
    /// Which rows are drawn.
    pub rows: Axis,
    /// Which columns are drawn.
    pub columns: Axis,
    /// Whether rows have labels: a single row has none.
    pub has_row_labels: bool,
    /// A cell for each slot of the rows and each slot of the columns, row by row.
    pub cells: Vec<Cell>,
    /// The slot of a column that is read at once.
    pub outlined: Option<usize>,
}

impl Grid {
    /// The cell at these slots.
    pub fn cell(&self, row: usize, column: usize) -> Option<&Cell> {
        let width = self.columns.slots.len();
        let place = row.checked_mul(width)?.checked_add(column)?;
        self.cells.get(place).filter(|_| column < width)
    }
}

/// One place of a grid or a strip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What is there.
    pub kind: Kind,
    /// What is written in it.
    pub label: String,
    /// Its colour.
    pub fill: Fill,
    /// How it stands out.
    pub mark: Mark,
    /// The index of the place, padding included; empty where there is none.
    pub index: Vec<i64>,
    /// Where it lies, in elements.
    pub offset: Option<i64>,
}

/// What is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// An element.
    Element,
    /// An element that another one shares its place with, and that is drawn first.
    Repeat,
    /// Padding.
    Padding,
    /// Nothing that is drawn: part of a gap.
    Gap,
}

/// A colour, by what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fill {
    /// None.
    Plain,
    /// One of the eight that are told apart.
    Group(usize),
    /// One of the eight that follow each other.
    Ramp(usize),
}

/// How a cell stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mark {
    /// Not at all.
    None,
    /// It was pointed at.
    At,
    /// The other layout has something else here, and nowhere before.
    FirstDifference,
    /// The other layout has something else here.
    Difference,
    /// It moves from here. The first place of a run has the run's number: an arrow begins at it.
    Leaves(Option<usize>),
    /// It moves to here, and at the first place of a run its arrow ends.
    Arrives(Option<usize>),
}

/// Memory, from one place to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// What it is.
    pub caption: String,
    /// Whether that stands below it: arrows come from above.
    pub has_caption_below: bool,
    /// What stands at its end on the right.
    pub note: String,
    /// Which offsets are drawn.
    pub places: Axis,
    /// A cell for each slot.
    pub cells: Vec<Cell>,
    /// What stands below each slot.
    pub labels: Vec<String>,
}

/// Memory as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it comes to.
    pub caption: String,
    /// Its parts, in the order of memory.
    pub segments: Vec<Segment>,
}

/// A tile in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// What is written below it.
    pub label: String,
    /// Its share of memory, of all that is drawn 1.
    pub share: f64,
    /// How much of it is data, 0 to 1.
    pub data: f64,
    /// Its colour.
    pub fill: Fill,
}

/// All tiles at scale, the last two dimensions of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Overview {
    /// The sizes with padding, in elements: rows, columns.
    pub padded: [f64; 2],
    /// The sizes without.
    pub data: [f64; 2],
    /// The sizes of a tile.
    pub tile: [f64; 2],
    /// The colour of each tile, row by row; empty where there are too many to be drawn.
    pub fills: Vec<Fill>,
}

/// A byte and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Byte {
    /// Which byte of memory.
    pub number: i64,
    /// The elements, from the low bits up: how many bits each takes, and its cell.
    pub elements: Vec<(u32, Cell)>,
}

/// How often each bank of memory is hit when a column is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hits {
    /// For each bank its colour, and how many elements are in it.
    pub counts: Vec<(Fill, usize)>,
    /// What that comes to.
    pub text: String,
    /// Whether elements wait for each other.
    pub is_conflict: bool,
}

/// A line of words or of arithmetic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The line.
    pub text: String,
    /// What kind of line.
    pub tone: Tone,
}

/// What kind of line words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Arithmetic, in letters of one width.
    Arithmetic,
    /// What the next row is.
    Heading,
    /// A remark.
    Soft,
    /// What is wrong, or differs.
    Alarm,
}
