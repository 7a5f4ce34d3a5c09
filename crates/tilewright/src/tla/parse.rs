//! Reading `shape:stride` and `shape:stride:original shape`.

use std::str::FromStr;

use super::{Int, IntTuple, Layout, Nested, Stride};
use crate::error::Error;
use crate::text::{Cursor, Diagnostic, Span, TokenKind, TupleReader};

impl FromStr for Layout {
    type Err = Diagnostic;

    /// Reads `((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)`, blanks allowed anywhere.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let mut cursor = Cursor::new(text)?;
        let layout = layout(&mut cursor)?;
        cursor.expect_end("the layout")?;
        Ok(layout)
    }
}

impl FromStr for IntTuple {
    type Err = Diagnostic;

    /// Reads `((_16,2),3)`, blanks allowed anywhere.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let mut cursor = Cursor::new(text)?;
        let tuple = int_tuple(&mut cursor)?;
        cursor.expect_end("the tuple")?;
        Ok(tuple)
    }
}

/// A layout, two parts or three.
pub(crate) fn layout(cursor: &mut Cursor<'_>) -> Result<Layout, Diagnostic> {
    let start = cursor.peek().span;
    let shape = int_tuple(cursor)?;
    cursor.expect(':')?;
    let stride = strides(cursor)?;
    let layout = Layout::new(shape, stride);
    let layout = layout.map_err(|error| failed(cursor, start, &error))?;
    if !cursor.eat(':')? {
        return Ok(layout);
    }
    let start = cursor.peek().span;
    let org_shape = int_tuple(cursor)?;
    layout.with_org_shape(org_shape).map_err(|error| failed(cursor, start, &error))
}

fn failed(cursor: &Cursor<'_>, start: Span, error: &Error) -> Diagnostic {
    cursor.error(cursor.since(start), error.to_string())
}

/// A nested tuple of integers.
pub(crate) fn int_tuple(cursor: &mut Cursor<'_>) -> Result<IntTuple, Diagnostic> {
    nested(cursor, int)
}

/// A nested tuple of strides.
pub(crate) fn strides(cursor: &mut Cursor<'_>) -> Result<Nested<Stride>, Diagnostic> {
    nested(cursor, stride)
}

/// A value, or a nested tuple of values.
pub(crate) fn nested<'a, T>(
    cursor: &mut Cursor<'a>,
    leaf: impl Fn(&mut Cursor<'a>) -> Result<T, Diagnostic>,
) -> Result<Nested<T>, Diagnostic> {
    NestedReader { cursor, leaf }.element()
}

struct NestedReader<'c, 'a, F> {
    cursor: &'c mut Cursor<'a>,
    leaf: F,
}

impl<'a, T, F> TupleReader<'a> for NestedReader<'_, 'a, F>
where
    F: Fn(&mut Cursor<'a>) -> Result<T, Diagnostic>,
{
    type Element = Nested<T>;

    fn cursor(&mut self) -> &mut Cursor<'a> {
        self.cursor
    }

    fn leaf(&mut self, _depth: usize) -> Result<Nested<T>, Diagnostic> {
        (self.leaf)(self.cursor).map(Nested::Leaf)
    }

    fn tuple(&mut self, _start: Span, elements: Vec<Nested<T>>) -> Result<Nested<T>, Diagnostic> {
        Ok(Nested::Tuple(elements))
    }
}

/// `16`, `_16`, `-3` or `_-3`.
pub(crate) fn int(cursor: &mut Cursor<'_>) -> Result<Int, Diagnostic> {
    const EXPECTED: &str = "an integer, such as `16` or `_16`";
    let token = cursor.peek();
    if token.kind != TokenKind::Word {
        return cursor.fitting_integer(EXPECTED).map(|(value, _)| Int::dynamic(value));
    }
    let Some(digits) = token.text.strip_prefix('_') else {
        return Err(cursor.unexpected(EXPECTED));
    };
    if digits.is_empty() {
        cursor.take()?;
        return cursor.fitting_integer(EXPECTED).map(|(value, _)| Int::fixed(value));
    }
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(cursor.unexpected(EXPECTED));
    }
    let value = digits.parse().map_err(|_| {
        cursor.error(token.span, "the number does not fit in 64 bits").expected(EXPECTED)
    })?;
    cursor.take()?;
    Ok(Int::fixed(value))
}

/// An integer, or steps along a direction: `1@0`, `2@1@0`.
fn stride(cursor: &mut Cursor<'_>) -> Result<Stride, Diagnostic> {
    let count = int(cursor)?;
    let mut direction = Vec::new();
    while cursor.eat('@')? {
        let (place, span) = cursor.fitting_integer("a position, such as `0`")?;
        let place = usize::try_from(place).ok();
        let place = place.ok_or_else(|| cursor.error(span, "a position cannot be negative"))?;
        direction.push(place);
    }
    Ok(Stride::along(count, &direction))
}
