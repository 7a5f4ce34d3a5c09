//! What a file says beside its arrays.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::Value;
use tilewright_files::{ArrayFile, GgufEntry, GgufValue};

use crate::Answer;
use crate::args::InspectArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input::explained;
use crate::table::Left;

/// An entry: its key, the type of its value, and the value, or how an array begins.
#[derive(Serialize)]
pub(super) struct Entry<'a> {
    key: &'a str,
    r#type: &'static str,
    value: Shown<'a>,
    /// Of an array's elements.
    element_type: Option<&'static str>,
    /// How many elements an array has.
    len: Option<u64>,
}

/// A value, written when it is asked for.
enum Shown<'a> {
    Text(&'a str),
    Gguf(&'a GgufValue),
}

impl<'a> Entry<'a> {
    pub(super) fn of_gguf(entry: &'a GgufEntry) -> Self {
        let (element_type, len) = match &entry.value {
            GgufValue::Array(array) => (Some(array.element_type.name()), Some(array.len)),
            _ => (None, None),
        };
        let r#type = entry.value.value_type().name();
        Entry { key: &entry.key, r#type, value: Shown::Gguf(&entry.value), element_type, len }
    }

    fn of_text((key, text): (&'a String, &'a String)) -> Self {
        Entry { key, r#type: "text", value: Shown::Text(text), element_type: None, len: None }
    }

    /// `u32`, or `text[32000]` of an array.
    fn type_text(&self) -> Cow<'static, str> {
        match (self.element_type, self.len) {
            (Some(element_type), Some(len)) => format!("{element_type}[{len}]").into(),
            _ => self.r#type.into(),
        }
    }
}

/// The metadata of a file of another format than GGUF.
pub(super) fn run(args: &InspectArgs, console: &mut Console) -> Result<Answer, Failure> {
    let file = ArrayFile::open(&args.file).map_err(explained)?;
    let entries: Vec<Entry> = file.metadata().iter().map(Entry::of_text).collect();
    answer(&entries, console)
}

/// Writes the entries, a row each.
pub(super) fn answer(entries: &[Entry], console: &mut Console) -> Result<Answer, Failure> {
    console.table(&entries, &[Left; 3], || {
        let heading = ["key", "type", "value"].map(Cow::Borrowed);
        let line = |entry: &Entry| {
            [entry.key.to_owned().into(), entry.type_text(), entry.value.text().into()]
        };
        std::iter::once(heading).chain(entries.iter().map(line))
    })?;
    Ok(Answer::Yes)
}

impl Shown<'_> {
    fn text(&self) -> String {
        match self {
            Shown::Text(text) => (*text).to_owned(),
            Shown::Gguf(GgufValue::Text(text)) => text.clone(),
            Shown::Gguf(value) => value.to_string(),
        }
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Shown::Text(text) => serializer.serialize_str(text),
            Shown::Gguf(value) => as_json(value).serialize(serializer),
        }
    }
}

/// A value in JSON: what is no number there (infinite, none) is `null`.
fn as_json(value: &GgufValue) -> Value {
    match value {
        GgufValue::U8(number) => (*number).into(),
        GgufValue::I8(number) => (*number).into(),
        GgufValue::U16(number) => (*number).into(),
        GgufValue::I16(number) => (*number).into(),
        GgufValue::U32(number) => (*number).into(),
        GgufValue::I32(number) => (*number).into(),
        GgufValue::F32(number) => (*number).into(),
        GgufValue::Bool(truth) => (*truth).into(),
        GgufValue::Text(text) => text.as_str().into(),
        GgufValue::Array(array) => array.first.iter().map(as_json).collect(),
        GgufValue::U64(number) => (*number).into(),
        GgufValue::I64(number) => (*number).into(),
        GgufValue::F64(number) => (*number).into(),
    }
}
