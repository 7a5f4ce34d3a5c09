//! Reading a tagged array, in either of its spellings.

use std::str::FromStr;

use super::array::check_rank;
use super::{Tag, TaggedArray, verbose};
use crate::bare;
use crate::text::{Diagnostic, Span, blank_comments};

impl FromStr for TaggedArray {
    type Err = Diagnostic;

    /// Reads `f32[2,35,7,7] aBcd16b` or `f32::blocked:aBcd16b::f0 2x35x7x7`.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let said = blank_comments(text);
        if said.split('[').next().is_some_and(|before| before.contains(':')) {
            return verbose::read(text);
        }
        let ((element_type, dims), end) = bare::read(text)?;
        let tag: Tag = text[end..].parse().map_err(|e: Diagnostic| e.within(text, end))?;
        check_rank(text, &tag, dims.len(), Span::new(end, text.len()))?;
        Ok(TaggedArray { element_type, dims, tag })
    }
}
