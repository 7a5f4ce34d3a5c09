//! What a layout is composed with or divided by: a layout, or one tiler for each mode.

use std::fmt;
use std::str::FromStr;

use super::mode::{Mode, layout_of};
use crate::error::Error;
use crate::text::{Cursor, Diagnostic, Span, TokenKind, TupleReader};
use crate::tla::{Int, IntTuple, Layout, Nested};

/// The right side of a composition, a division or a product.
///
/// ```
/// use tilewright::algebra::Tiler;
/// let by_mode: Tiler = "(4:1,_,(2,8):(1,16))".parse()?;
/// assert!(matches!(&by_mode, Tiler::Modes(modes) if modes.len() == 3));
/// assert_eq!(by_mode.to_string(), "(4:1,_,(2,8):(1,16))");
/// let shape: Tiler = "(4,8)".parse()?; // each integer n is the layout n:1
/// assert_eq!(shape.to_string(), "(4:_1,8:_1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler {
    /// A layout, for the whole of the left side. An integer `n` is the layout `n:1`.
    Layout(Layout),
    /// A tiler for each of the first modes of the left side.
    Modes(Vec<Tiler>),
    /// `_`: the left side stays as it is.
    Keep,
}

impl Tiler {
    /// A tiler for each integer of a shape: `(4,8)` is `(4:1,8:1)`.
    ///
    /// # Errors
    /// If an integer is negative.
    pub fn of_shape(shape: &IntTuple) -> Result<Self, Error> {
        match shape {
            Nested::Leaf(extent) => {
                layout_of(&[Mode::elements(*extent, Int::fixed(1))]).map(Tiler::Layout)
            }
            Nested::Tuple(shapes) => {
                let tilers = shapes.iter().map(Tiler::of_shape);
                tilers.collect::<Result<_, _>>().map(Tiler::Modes)
            }
        }
    }
}

impl From<Layout> for Tiler {
    fn from(layout: Layout) -> Self {
        Tiler::Layout(layout)
    }
}

impl From<&Layout> for Tiler {
    fn from(layout: &Layout) -> Self {
        Tiler::Layout(layout.clone())
    }
}

impl From<&Tiler> for Tiler {
    fn from(tiler: &Tiler) -> Self {
        tiler.clone()
    }
}

impl fmt::Display for Tiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modes = match self {
            Tiler::Layout(layout) => return layout.fmt(f),
            Tiler::Keep => return f.write_str("_"),
            Tiler::Modes(modes) => modes,
        };
        f.write_str("(")?;
        for (position, mode) in modes.iter().enumerate() {
            if position > 0 {
                f.write_str(",")?;
            }
            mode.fmt(f)?;
        }
        f.write_str(")")
    }
}

impl FromStr for Tiler {
    type Err = Diagnostic;

    /// Reads a layout, an integer, `_`, or a tuple of these in parentheses.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let mut cursor = Cursor::new(text)?;
        let tiler = tiler(&mut cursor)?;
        cursor.expect_end("the tiler")?;
        Ok(tiler)
    }
}

/// A layout, an integer, `_`, or a tuple of these.
pub(crate) fn tiler(cursor: &mut Cursor<'_>) -> Result<Tiler, Diagnostic> {
    let start = cursor.peek().span;
    let written = TilerReader { cursor }.element()?;
    let failed = |error: Error| cursor.error(cursor.since(start), error.to_string());
    written.tiler().map_err(failed)
}

/// What is written, before it is known whether integers are a shape's or tilers.
enum Written {
    Int(Int),
    Tuple(Vec<Written>),
    Done(Tiler),
}

impl Written {
    fn tiler(self) -> Result<Tiler, Error> {
        match self {
            Written::Int(extent) => Tiler::of_shape(&Nested::Leaf(extent)),
            Written::Done(tiler) => Ok(tiler),
            Written::Tuple(parts) => {
                let tilers = parts.into_iter().map(Written::tiler);
                tilers.collect::<Result<_, _>>().map(Tiler::Modes)
            }
        }
    }

    /// The same as a shape, if all of it is integers.
    fn shape(&self) -> Option<IntTuple> {
        match self {
            Written::Int(extent) => Some(Nested::Leaf(*extent)),
            Written::Done(_) => None,
            Written::Tuple(parts) => {
                parts.iter().map(Written::shape).collect::<Option<_>>().map(Nested::Tuple)
            }
        }
    }
}

/// Integers, `_`, and tuples; each of the first and the last may be the shape of a layout.
struct TilerReader<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
}

impl<'a> TupleReader<'a> for TilerReader<'_, 'a> {
    type Element = Written;

    fn cursor(&mut self) -> &mut Cursor<'a> {
        self.cursor
    }

    fn leaf(&mut self, _depth: usize) -> Result<Written, Diagnostic> {
        let next = self.cursor.peek();
        if next.text == "_" && self.cursor.peek_second()?.kind != TokenKind::Symbol('-') {
            self.cursor.take()?;
            return Ok(Written::Done(Tiler::Keep));
        }
        let extent = crate::tla::parse::int(self.cursor)?;
        self.with_strides(next.span, Written::Int(extent))
    }

    fn tuple(&mut self, start: Span, parts: Vec<Written>) -> Result<Written, Diagnostic> {
        self.with_strides(start, Written::Tuple(parts))
    }
}

impl TilerReader<'_, '_> {
    /// What was written, or the layout of which it is the shape.
    fn with_strides(&mut self, start: Span, written: Written) -> Result<Written, Diagnostic> {
        if !self.cursor.eat(':')? {
            return Ok(written);
        }
        let failed =
            |cursor: &Cursor<'_>, message: String| cursor.error(cursor.since(start), message);
        let Some(shape) = written.shape() else {
            return Err(failed(self.cursor, "a shape is made of integers".to_owned()));
        };
        let stride = crate::tla::parse::strides(self.cursor)?;
        let layout = Layout::new(shape, stride);
        layout
            .map(|layout| Written::Done(layout.into()))
            .map_err(|error| failed(self.cursor, error.to_string()))
    }
}
