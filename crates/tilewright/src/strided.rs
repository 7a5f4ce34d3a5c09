//! Arrays with a stride for each dimension, as numpy has them: `f32[3,5] strides=(20,4)`.
//!
//! Strides are in bytes. A negative one runs backwards, one of 0 repeats the same elements. Offsets
//! count from the element whose index is all zeros, so with negative strides memory begins below 0.
//! Types below a byte take a whole one, as in `ml_dtypes`.
//!
//! Source: numpy, `numpy.ndarray.strides`.

use std::fmt;
use std::str::FromStr;

use crate::arithmetic::span;
use crate::error::{Error, Kind, invalid};
use crate::text::{Cursor, Diagnostic, Span, Token, TokenKind, blank_comments};
use crate::{ArrayShape, ElementType, bare};

/// An array with strides in bytes.
///
/// ```
/// use tilewright::strided::StridedArray;
/// let transposed: StridedArray = "f32[3,5] strides=(4,12)".parse()?;
/// assert_eq!(transposed.index_map()?.offset(&[1, 2])?, 7); // (1 * 4 + 2 * 12) / 4
/// let flipped: StridedArray = "float32 (3,5) (-20,4)".parse()?;
/// assert_eq!(flipped.to_string(), "f32[3,5] strides=(-20,4)");
/// assert_eq!(flipped.index_map()?.lowest_offset(), -10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StridedArray {
    /// The type of the elements.
    pub element_type: ElementType,
    /// The sizes of the dimensions, dimension 0 first.
    pub dims: Vec<i64>,
    /// For each dimension, how far apart in bytes consecutive elements along it begin.
    pub byte_strides: Vec<i64>,
}

impl StridedArray {
    /// The strides in elements.
    pub(crate) fn element_strides(&self) -> Result<Vec<i64>, Error> {
        if self.byte_strides.len() != self.dims.len() {
            return Err(Error::new(Kind::RankMismatch {
                what: "the list of strides",
                expected: self.dims.len(),
                found: self.byte_strides.len(),
            }));
        }
        let width = self.element_bytes();
        let in_elements = |&stride: &i64| match stride % width {
            0 => Ok(stride / width),
            _ => invalid(format!(
                "the stride {stride} is not a multiple of the {width} bytes of {}",
                self.element_type
            )),
        };
        self.byte_strides.iter().map(in_elements).collect()
    }

    /// The bits that an element takes, a whole number of bytes.
    pub fn element_bits(&self) -> u32 {
        self.element_type.storage_bits()
    }

    fn element_bytes(&self) -> i64 {
        i64::from(self.element_bits() / 8)
    }

    /// What an array that is read has to hold: that there is a map of it.
    fn check(&self) -> Result<(), Error> {
        if let Some(size) = self.dims.iter().find(|size| **size < 0) {
            return invalid(format!("a dimension cannot have {size} elements"));
        }
        let strides = self.element_strides()?;
        // As many bytes as XLA's `c64[…]` may have, which is what `Display` writes.
        ArrayShape::new(self.element_type, &self.dims)?;
        let leaves: Vec<(i64, i64)> = self.dims.iter().copied().zip(strides).collect();
        span(leaves.iter()).map(drop)
    }
}

impl fmt::Display for StridedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bare::write(f, self.element_type, &self.dims)?;
        let strides: Vec<String> = self.byte_strides.iter().map(i64::to_string).collect();
        let comma = if strides.len() == 1 { "," } else { "" };
        write!(f, " strides=({}{comma})", strides.join(","))
    }
}

impl FromStr for StridedArray {
    type Err = Diagnostic;

    /// Reads `f32[3,5] strides=(20,4)`, `f32[3,5] (20,4)` or `float32 (3,5) (20,4)`.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        match blank_comments(text).contains('[') {
            true => {
                let ((element_type, dims), end) = bare::read(text)?;
                let strides = byte_strides(&text[end..], dims.len());
                let byte_strides = strides.map_err(|error| error.within(text, end))?;
                checked(text, end, StridedArray { element_type, dims, byte_strides })
            }
            false => in_numpys_words(text),
        }
    }
}

/// `float32 (3,5) (20,4)`.
fn in_numpys_words(text: &str) -> Result<StridedArray, Diagnostic> {
    let mut cursor = Cursor::new(text)?;
    let name = cursor.peek();
    let element_type = match ElementType::from_numpy_name(name.text) {
        Some(element_type) => element_type,
        None if name.kind == TokenKind::Word => {
            return Err(unknown_type(&cursor, name));
        }
        None => return Err(cursor.unexpected("an array, such as `f32[3,5] strides=(20,4)`")),
    };
    cursor.take()?;
    let dims = tuple(&mut cursor)?;
    let start = cursor.peek().span.start;
    let byte_strides = byte_strides(&text[start..], dims.len());
    let byte_strides = byte_strides.map_err(|error| error.within(text, start))?;
    checked(text, start, StridedArray { element_type, dims, byte_strides })
}

fn unknown_type(cursor: &Cursor<'_>, name: Token<'_>) -> Diagnostic {
    let message = format!("numpy has no element type {}", name.described());
    let error = cursor.error(name.span, message).expected("one such as `float32`");
    match name.text.parse::<ElementType>() {
        Ok(meant) => error.help(format!("numpy calls it `{}`", meant.numpy_name())),
        Err(_) => error,
    }
}

/// `strides=(20,4)` or `(20,4)`, and nothing after it, for an array of any rank.
pub(crate) fn any_byte_strides(text: &str) -> Result<Vec<i64>, Diagnostic> {
    let (strides, _) = read_byte_strides(&mut Cursor::new(text)?)?;
    Ok(strides)
}

/// The same for an array of this rank.
fn byte_strides(text: &str, rank: usize) -> Result<Vec<i64>, Diagnostic> {
    let mut cursor = Cursor::new(text)?;
    let (strides, span) = read_byte_strides(&mut cursor)?;
    if strides.len() != rank {
        let message = format!("{} strides for an array of {rank} dimensions", strides.len());
        return Err(cursor.error(span, message).expected(format!("{rank} strides in bytes")));
    }
    Ok(strides)
}

/// The strides, and where they stand.
fn read_byte_strides(cursor: &mut Cursor<'_>) -> Result<(Vec<i64>, Span), Diagnostic> {
    if cursor.peek().text == "strides" {
        cursor.take()?;
        cursor.expect('=')?;
    }
    let start = cursor.peek().span;
    let strides = tuple(cursor)?;
    let span = cursor.since(start);
    if cursor.peek().kind != TokenKind::End {
        return Err(cursor.unexpected("the end"));
    }
    Ok((strides, span))
}

/// A tuple as Python writes it; the comma after a single element may be missing.
fn tuple(cursor: &mut Cursor<'_>) -> Result<Vec<i64>, Diagnostic> {
    cursor.expect('(')?;
    let mut values = Vec::new();
    while !cursor.eat(')')? {
        let (value, _) = cursor.fitting_integer("a whole number")?;
        values.push(value);
        if !cursor.eat(',')? && !cursor.at(')') {
            return Err(cursor.unexpected("`,` or `)`"));
        }
    }
    Ok(values)
}

/// The array, if its elements have places; `start` is where its strides are written.
fn checked(text: &str, start: usize, array: StridedArray) -> Result<StridedArray, Diagnostic> {
    match array.check() {
        Ok(()) => Ok(array),
        Err(error) => Err(Diagnostic::error(text, Span::new(start, text.len()), error.to_string())),
    }
}
