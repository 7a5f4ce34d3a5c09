//! What the readers of shapes and of layouts have in common.

use super::options::ParseOptions;
use crate::ElementType;
use crate::error::Error;
use crate::text::{Cursor, Diagnostic, Span, Token, TokenKind};

/// A reader of shapes, and of the layouts in them.
pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) options: ParseOptions,
    pub(super) warnings: Vec<Diagnostic>,
    /// Whether what is read is an element of a tuple.
    pub(super) in_tuple: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, options: ParseOptions) -> Result<Self, Diagnostic> {
        Ok(Parser { cursor: Cursor::new(text)?, options, warnings: Vec::new(), in_tuple: false })
    }

    /// A name as it is compared: upper case is folded unless reading strictly.
    pub(super) fn spelled(&self, name: &str) -> String {
        if self.options.strict { name.to_owned() } else { name.to_ascii_lowercase() }
    }

    /// An element type's name.
    pub(super) fn element_type(&mut self) -> Result<ElementType, Diagnostic> {
        let name = self.cursor.peek();
        if name.kind != TokenKind::Word {
            return Err(self.cursor.unexpected("an element type, such as `f32`"));
        }
        let found = ElementType::from_xla_name(&self.spelled(name.text));
        let found = found.ok_or_else(|| self.unknown_type(&name))?;
        self.cursor.take()?;
        Ok(found)
    }

    fn unknown_type(&self, name: &Token<'_>) -> Diagnostic {
        let error = self
            .cursor
            .error(name.span, format!("unknown element type {}", name.described()))
            .expected("an element type, such as `f32` or `bf16`");
        match meant_type(name.text) {
            Some(meant) => error.help(format!("XLA calls it `{meant}`")),
            None => error,
        }
    }

    /// A diagnostic of an error about a value that was read at these bytes.
    pub(super) fn failed(&self, span: Span, error: &Error) -> Diagnostic {
        self.cursor.error(span, error.to_string())
    }
}

/// The type that somebody who writes this name means.
fn meant_type(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let renamed = match lower.as_str() {
        "i8" | "i16" | "i32" | "i64" | "i4" | "i2" => format!("s{}", &lower[1..]),
        "half" => "f16".to_owned(),
        "float" => "f32".to_owned(),
        "double" => "f64".to_owned(),
        "opaque_type" => return Some("opaque"),
        _ => lower,
    };
    ElementType::from_xla_name(&renamed)
        .or_else(|| ElementType::from_numpy_name(&renamed))
        .map(ElementType::xla_name)
}
