//! Reading `Sw<3,0,3> o _0 o (_8,_8):(_8,_1)`.

use std::str::FromStr;

use super::composed::{Composed, Composition, Outer};
use super::swizzle::Swizzle;
use crate::text::{Cursor, Diagnostic, Span};
use crate::tla::Typed;
use crate::tla::parse::{int, layout};

impl FromStr for Swizzle {
    type Err = Diagnostic;

    /// Reads `Sw<3,0,3>`.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        whole(text, "the swizzle", swizzle)
    }
}

impl FromStr for Composed {
    type Err = Diagnostic;

    /// Reads `Sw<3,0,3> o _0 o (_8,_8):(_8,_1)` or `(4,8):(8,1) o 2 o 4:2`.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        whole(text, "the layout", composed)
    }
}

impl FromStr for Composition {
    type Err = Diagnostic;

    /// Reads a layout or a composed layout.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        whole(text, "the layout", composition)
    }
}

impl FromStr for Typed<Composition> {
    type Err = Diagnostic;

    /// Reads `f16 Sw<3,3,3> o _0 o (_8,_64):(_64,_1)`, or either without the type.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Typed::read(text, composition)
    }
}

fn whole<T>(
    text: &str,
    what: &str,
    read: impl FnOnce(&mut Cursor<'_>) -> Result<T, Diagnostic>,
) -> Result<T, Diagnostic> {
    let mut cursor = Cursor::new(text)?;
    let value = read(&mut cursor)?;
    cursor.expect_end(what)?;
    Ok(value)
}

/// `Sw<B,M,S>`.
pub(crate) fn swizzle(cursor: &mut Cursor<'_>) -> Result<Swizzle, Diagnostic> {
    let start = cursor.peek().span;
    word(cursor, "Sw")?;
    cursor.expect('<')?;
    let bits = small(cursor, "a number of bits")?;
    cursor.expect(',')?;
    let base = small(cursor, "a number of bits")?;
    cursor.expect(',')?;
    let (shift, span) = cursor.fitting_integer("a shift")?;
    cursor.expect('>')?;
    let shift = i32::try_from(shift)
        .map_err(|_| cursor.error(span, "the shift must be between -63 and 63"))?;
    Swizzle::new(bits, base, shift)
        .map_err(|error| cursor.error(cursor.since(start), error.to_string()))
}

fn small(cursor: &mut Cursor<'_>, what: &str) -> Result<u32, Diagnostic> {
    let (value, span) = cursor.fitting_integer(what)?;
    u32::try_from(value).map_err(|_| cursor.error(span, "a number of bits is between 0 and 63"))
}

fn word(cursor: &mut Cursor<'_>, expected: &str) -> Result<(), Diagnostic> {
    if cursor.peek().text != expected {
        return Err(cursor.unexpected(&format!("`{expected}`")));
    }
    cursor.take().map(drop)
}

/// `outer o offset o layout`.
fn composed(cursor: &mut Cursor<'_>) -> Result<Composed, Diagnostic> {
    let start = cursor.peek().span;
    let outer = outer(cursor)?;
    under(cursor, start, outer)
}

/// A layout, or `outer o offset o layout`.
pub(crate) fn composition(cursor: &mut Cursor<'_>) -> Result<Composition, Diagnostic> {
    let start = cursor.peek().span;
    match outer(cursor)? {
        Outer::Layout(layout) if cursor.peek().text != "o" => Ok(layout.into()),
        outer => under(cursor, start, outer).map(Composition::from),
    }
}

fn outer(cursor: &mut Cursor<'_>) -> Result<Outer, Diagnostic> {
    if cursor.peek().text == "Sw" {
        return swizzle(cursor).map(Outer::Swizzle);
    }
    layout(cursor).map(Outer::Layout)
}

/// What follows the outer function: `o offset o layout`.
fn under(cursor: &mut Cursor<'_>, start: Span, outer: Outer) -> Result<Composed, Diagnostic> {
    word(cursor, "o")?;
    let offset = int(cursor)?;
    word(cursor, "o")?;
    let inner = layout(cursor)?;
    Composed::new(outer, offset, inner)
        .map_err(|error| cursor.error(cursor.since(start), error.to_string()))
}
