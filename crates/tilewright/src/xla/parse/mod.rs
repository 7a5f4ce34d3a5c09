//! Reading XLA's text: `shape` reads shapes, `layout` the part in braces, `order` and `tiles` parts of
//! that.

mod layout;
mod options;
mod order;
mod parser;
mod shape;
mod tiles;

use std::str::FromStr;

pub use options::{ParseOptions, Parsed};

use self::layout::LayoutParser;
use self::parser::Parser;
use crate::shape::{ArrayShape, Shape};
use crate::text::{Diagnostic, Span, TupleReader};
use crate::xla::{Layout, Tile};

/// Reads a shape in XLA's notation.
///
/// ```
/// use tilewright::xla::{ParseOptions, parse_shape};
/// let shape = parse_shape("F32[3,5]{1,0:E(32)T(2,2)}", ParseOptions::default())?;
/// assert_eq!(shape.value.to_string(), "f32[3,5]{1,0:T(2,2)E(32)}");
/// let strict = ParseOptions { strict: true, ..ParseOptions::default() };
/// assert!(parse_shape("F32[3,5]", strict).is_err());
/// # Ok::<(), tilewright::text::Diagnostic>(())
/// ```
///
/// # Errors
/// If the text is not a shape; the diagnostic points at the place.
pub fn parse_shape(text: &str, options: ParseOptions) -> Result<Parsed<Shape>, Diagnostic> {
    let mut parser = Parser::new(text, options)?;
    let value = parser.element()?;
    parser.cursor.expect_end("the shape")?;
    Ok(Parsed { value, warnings: parser.warnings })
}

/// Reads a layout in XLA's notation, braces included.
///
/// # Errors
/// If the text is not a layout; the diagnostic points at the place.
pub fn parse_layout(text: &str, options: ParseOptions) -> Result<Parsed<Layout>, Diagnostic> {
    let mut parser = Parser::new(text, options)?;
    let value = LayoutParser::new(&mut parser, None).layout()?;
    parser.cursor.expect_end("the layout")?;
    Ok(Parsed { value, warnings: parser.warnings })
}

/// Reads one tile, `(8,128)`.
fn parse_tile(text: &str) -> Result<Tile, Diagnostic> {
    let mut parser = Parser::new(text, ParseOptions::default())?;
    let tile = LayoutParser::new(&mut parser, None).tile()?;
    parser.cursor.expect_end("the tile")?;
    Ok(tile)
}

impl FromStr for Shape {
    type Err = Diagnostic;

    /// Reads XLA's notation with the default [`ParseOptions`].
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        parse_shape(text, ParseOptions::default()).map(|parsed| parsed.value)
    }
}

impl FromStr for ArrayShape {
    type Err = Diagnostic;

    /// Reads the shape of an array in XLA's notation.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        match text.parse()? {
            Shape::Array(array) => Ok(array),
            other => {
                let message = format!("expected an array shape, found {}", other.kind_name());
                Err(Diagnostic::error(text, Span::new(0, text.len()), message))
            }
        }
    }
}

impl FromStr for Layout {
    type Err = Diagnostic;

    /// Reads XLA's notation with the default [`ParseOptions`].
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        parse_layout(text, ParseOptions::default()).map(|parsed| parsed.value)
    }
}

impl FromStr for Tile {
    type Err = Diagnostic;

    /// Reads `(8,128)` or `(*,2)`.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        parse_tile(text)
    }
}
