//! The metadata: keys, and values of thirteen types.

use std::fmt;

use super::cursor::Cursor;
use crate::error::{Error, Fault};
use crate::limits::{
    MAX_GGUF_ENTRIES, MAX_GGUF_HEADER_BYTES, MAX_GGUF_KEY_BYTES, MAX_GGUF_NESTING, MAX_GGUF_SHOWN,
};

/// The bytes of the shortest entry: the lengths of a key and a value's type.
const LEAST_ENTRY: u64 = 8 + 4 + 1;

/// The type of a metadata value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is what it is called")]
pub enum GgufValueType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    Text,
    Array,
    U64,
    I64,
    F64,
}

impl GgufValueType {
    /// By the numbers that files have for them.
    const ALL: [(Self, &str, u64); 13] = [
        (Self::U8, "u8", 1),
        (Self::I8, "i8", 1),
        (Self::U16, "u16", 2),
        (Self::I16, "i16", 2),
        (Self::U32, "u32", 4),
        (Self::I32, "i32", 4),
        (Self::F32, "f32", 4),
        (Self::Bool, "bool", 1),
        (Self::Text, "text", 8),
        (Self::Array, "array", 12),
        (Self::U64, "u64", 8),
        (Self::I64, "i64", 8),
        (Self::F64, "f64", 8),
    ];

    /// What it is called: `u32`, `text`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The bytes of a value, or of the shortest where they differ.
    fn least_bytes(self) -> u64 {
        self.row().2
    }

    fn row(self) -> &'static (Self, &'static str, u64) {
        Self::ALL.iter().find(|row| row.0 == self).unwrap_or(&Self::ALL[0])
    }

    fn read(cursor: &mut Cursor) -> Result<Self, Error> {
        let number = cursor.u32()?;
        let known = usize::try_from(number).ok().and_then(|number| Self::ALL.get(number));
        known.map(|row| row.0).ok_or_else(|| {
            let message = format!("the value's type is {number}, and there are types 0 to 12");
            cursor.fault(&Fault::malformed(message))
        })
    }
}

/// A metadata value.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each is what it is called")]
pub enum GgufValue {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    /// Bytes that are not UTF-8, which some vocabularies have, are replacement characters.
    Text(String),
    Array(GgufArray),
    U64(u64),
    I64(i64),
    F64(f64),
}

/// An array in the metadata: what it is, and how it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct GgufArray {
    /// The type of every element.
    pub element_type: GgufValueType,
    /// How many elements there are.
    pub len: u64,
    /// The first of them, at most [`MAX_GGUF_SHOWN`].
    pub first: Vec<GgufValue>,
}

/// One entry of the metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct GgufEntry {
    /// The key: `general.architecture`.
    pub key: String,
    /// The value.
    pub value: GgufValue,
}

impl GgufValue {
    /// Its type.
    pub fn value_type(&self) -> GgufValueType {
        match self {
            GgufValue::U8(_) => GgufValueType::U8,
            GgufValue::I8(_) => GgufValueType::I8,
            GgufValue::U16(_) => GgufValueType::U16,
            GgufValue::I16(_) => GgufValueType::I16,
            GgufValue::U32(_) => GgufValueType::U32,
            GgufValue::I32(_) => GgufValueType::I32,
            GgufValue::F32(_) => GgufValueType::F32,
            GgufValue::Bool(_) => GgufValueType::Bool,
            GgufValue::Text(_) => GgufValueType::Text,
            GgufValue::Array(_) => GgufValueType::Array,
            GgufValue::U64(_) => GgufValueType::U64,
            GgufValue::I64(_) => GgufValueType::I64,
            GgufValue::F64(_) => GgufValueType::F64,
        }
    }

    /// Reads a value of this type. Arrays in arrays are read no deeper than the limit, which is what
    /// bounds this recursion.
    fn read(cursor: &mut Cursor, value_type: GgufValueType, depth: usize) -> Result<Self, Error> {
        Ok(match value_type {
            GgufValueType::U8 => GgufValue::U8(u8::from_le_bytes(cursor.fixed()?)),
            GgufValueType::I8 => GgufValue::I8(i8::from_le_bytes(cursor.fixed()?)),
            GgufValueType::U16 => GgufValue::U16(u16::from_le_bytes(cursor.fixed()?)),
            GgufValueType::I16 => GgufValue::I16(i16::from_le_bytes(cursor.fixed()?)),
            GgufValueType::U32 => GgufValue::U32(cursor.u32()?),
            GgufValueType::I32 => GgufValue::I32(i32::from_le_bytes(cursor.fixed()?)),
            GgufValueType::F32 => GgufValue::F32(f32::from_le_bytes(cursor.fixed()?)),
            GgufValueType::Bool => GgufValue::Bool(read_bool(cursor)?),
            GgufValueType::Text => {
                let bytes = cursor.text("a text", MAX_GGUF_HEADER_BYTES)?;
                GgufValue::Text(String::from_utf8_lossy(&bytes).into_owned())
            }
            GgufValueType::Array => GgufValue::Array(GgufArray::read(cursor, depth)?),
            GgufValueType::U64 => GgufValue::U64(cursor.u64()?),
            GgufValueType::I64 => GgufValue::I64(i64::from_le_bytes(cursor.fixed()?)),
            GgufValueType::F64 => GgufValue::F64(f64::from_le_bytes(cursor.fixed()?)),
        })
    }
}

impl GgufArray {
    fn read(cursor: &mut Cursor, depth: usize) -> Result<Self, Error> {
        if depth == MAX_GGUF_NESTING {
            let message = format!("arrays are nested deeper than the limit of {MAX_GGUF_NESTING}");
            return Err(cursor.fault(&Fault::malformed(message)));
        }
        let element_type = GgufValueType::read(cursor)?;
        let len = cursor.u64()?;
        cursor.expect("an array", len, element_type.least_bytes())?;
        let mut first = Vec::new();
        let mut left = len;
        while left > 0 && first.len() < MAX_GGUF_SHOWN {
            first.push(GgufValue::read(cursor, element_type, depth.saturating_add(1))?);
            left = left.saturating_sub(1);
        }
        skip(cursor, element_type, left, depth.saturating_add(1))?;
        Ok(GgufArray { element_type, len, first })
    }
}

/// Leaves out so many values: at once where they are of one width.
fn skip(
    cursor: &mut Cursor,
    value_type: GgufValueType,
    count: u64,
    depth: usize,
) -> Result<(), Error> {
    match value_type {
        GgufValueType::Text => (0..count).try_for_each(|_| cursor.skip_text()),
        GgufValueType::Array => {
            (0..count).try_for_each(|_| GgufArray::read(cursor, depth).map(drop))
        }
        _ => cursor.skip("an array", count, value_type.least_bytes()),
    }
}

fn read_bool(cursor: &mut Cursor) -> Result<bool, Error> {
    match cursor.fixed()? {
        [0] => Ok(false),
        [1] => Ok(true),
        [other] => {
            Err(cursor.fault(&Fault::malformed(format!("a bool is {other}, neither 0 nor 1"))))
        }
    }
}

/// Reads so many entries.
pub(super) fn read(cursor: &mut Cursor, count: u64) -> Result<Vec<GgufEntry>, Error> {
    if count > MAX_GGUF_ENTRIES {
        let fault = Fault::limit("the number of metadata entries", count.into(), MAX_GGUF_ENTRIES);
        return Err(cursor.fault(&fault));
    }
    cursor.expect("the metadata", count, LEAST_ENTRY)?;
    let mut entries = Vec::new();
    for number in 0..count {
        cursor.enter("metadata entry", number);
        let key = cursor.name("a key", MAX_GGUF_KEY_BYTES)?;
        cursor.named(&key);
        let value_type = GgufValueType::read(cursor)?;
        let value = GgufValue::read(cursor, value_type, 0)?;
        entries.push(GgufEntry { key, value });
    }
    Ok(entries)
}

impl fmt::Display for GgufValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Texts in quotes, arrays by how they begin: `[0.5, 1, …]`.
impl fmt::Display for GgufValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GgufValue::U8(number) => number.fmt(f),
            GgufValue::I8(number) => number.fmt(f),
            GgufValue::U16(number) => number.fmt(f),
            GgufValue::I16(number) => number.fmt(f),
            GgufValue::U32(number) => number.fmt(f),
            GgufValue::I32(number) => number.fmt(f),
            GgufValue::F32(number) => number.fmt(f),
            GgufValue::Bool(truth) => truth.fmt(f),
            GgufValue::Text(text) => write!(f, "\"{text}\""),
            GgufValue::Array(array) => array.fmt(f),
            GgufValue::U64(number) => number.fmt(f),
            GgufValue::I64(number) => number.fmt(f),
            GgufValue::F64(number) => number.fmt(f),
        }
    }
}

impl fmt::Display for GgufArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first: Vec<String> = self.first.iter().map(ToString::to_string).collect();
        let more = if self.len > first.len() as u64 { ", …" } else { "" };
        write!(f, "[{}{more}]", first.join(", "))
    }
}
