//! How a text is read, and what comes of it.

use crate::text::Diagnostic;

/// What the reader accepts, and what it fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// Accept only what XLA's own parser accepts.
    pub strict: bool,
    /// Give arrays without a layout the default one, as XLA's parser does for a lone shape.
    pub fill_missing_layouts: bool,
}

impl Default for ParseOptions {
    /// The superset, missing layouts filled in.
    fn default() -> Self {
        ParseOptions { strict: false, fill_missing_layouts: true }
    }
}

/// What was read, and what is worth knowing about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<T> {
    /// The value.
    pub value: T,
    /// Findings that do not keep the text from being read.
    pub warnings: Vec<Diagnostic>,
}
