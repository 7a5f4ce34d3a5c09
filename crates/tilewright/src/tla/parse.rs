//! Reading `shape:stride` and `shape:stride:original shape`.

use std::str::FromStr;

use super::{Int, IntTuple, Layout, Nested, Stride};
use crate::error::Error;
use crate::text::{Cursor, Diagnostic, MAX_NESTING, Span, TokenKind};

impl FromStr for Layout {
    type Err = Diagnostic;

    /// Reads `((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)`, blanks allowed anywhere.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let mut cursor = Cursor::new(text)?;
        let layout = layout(&mut cursor)?;
        finish(&cursor)?;
        Ok(layout)
    }
}

impl FromStr for IntTuple {
    type Err = Diagnostic;

    /// Reads `((_16,2),3)`, blanks allowed anywhere.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let mut cursor = Cursor::new(text)?;
        let tuple = int_tuple(&mut cursor)?;
        finish(&cursor)?;
        Ok(tuple)
    }
}

pub(super) fn finish(cursor: &Cursor<'_>) -> Result<(), Diagnostic> {
    let next = cursor.peek();
    if next.kind == TokenKind::End {
        return Ok(());
    }
    let span = Span::new(next.span.start, cursor.source().len());
    Err(cursor.error(span, "extra content after the layout").expected("the end"))
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
    nested(cursor, &mut int)
}

/// A nested tuple of strides.
pub(crate) fn strides(cursor: &mut Cursor<'_>) -> Result<Nested<Stride>, Diagnostic> {
    nested(cursor, &mut stride)
}

/// A value, or a nested tuple of values. Open tuples are kept on a stack.
pub(crate) fn nested<'a, T>(
    cursor: &mut Cursor<'a>,
    leaf: &mut impl FnMut(&mut Cursor<'a>) -> Result<T, Diagnostic>,
) -> Result<Nested<T>, Diagnostic> {
    let mut open: Vec<Vec<Nested<T>>> = Vec::new();
    loop {
        let mut value = match open_tuple(cursor, &mut open)? {
            Some(empty) => empty,
            None => Nested::Leaf(leaf(cursor)?),
        };
        loop {
            let Some(elements) = open.last_mut() else { return Ok(value) };
            elements.push(value);
            if cursor.eat(',')? {
                break;
            }
            if !cursor.at(')') {
                return Err(cursor.unexpected("`,` or `)` in a tuple"));
            }
            cursor.take()?;
            value = Nested::Tuple(open.pop().unwrap_or_default());
        }
    }
}

/// Takes every `(` in a row. The empty tuple, if one is closed at once.
fn open_tuple<T>(
    cursor: &mut Cursor<'_>,
    open: &mut Vec<Vec<Nested<T>>>,
) -> Result<Option<Nested<T>>, Diagnostic> {
    while cursor.at('(') {
        let parenthesis = cursor.take()?;
        if cursor.eat(')')? {
            return Ok(Some(Nested::Tuple(Vec::new())));
        }
        open.push(Vec::new());
        if open.len() > MAX_NESTING {
            let message = format!("tuples nest deeper than {MAX_NESTING}");
            return Err(cursor.error(parenthesis.span, message));
        }
    }
    Ok(None)
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
