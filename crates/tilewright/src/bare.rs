//! `f32[3,5]`: an array's type and sizes, which notations for its memory begin with.

use std::fmt::{self, Display as _};

use crate::text::{Diagnostic, Span, blank_comments};
use crate::{ArrayShape, ElementType};

/// The type and the sizes of an array.
pub(crate) type Bare = (ElementType, Vec<i64>);

/// Reads `f32[3,5]` at the start of a text. Also says at which byte the rest begins.
pub(crate) fn read(text: &str) -> Result<(Bare, usize), Diagnostic> {
    let end = blank_comments(text).find(']').map_or(text.len(), |bracket| bracket + 1);
    let array: ArrayShape = text[..end].parse().map_err(|e: Diagnostic| e.within(text, 0))?;
    if array.dims().iter().any(|dim| dim.is_dynamic()) {
        let start = text.find('[').unwrap_or(0);
        let error = Diagnostic::error(text, Span::new(start, end), "a dimension is dynamic");
        return Err(error.expected("sizes that are known"));
    }
    let sizes = array.dims().iter().filter_map(|dim| dim.bound());
    Ok(((array.element_type(), sizes.collect()), end))
}

/// Writes `f32[3,5]`.
pub(crate) fn write(
    f: &mut fmt::Formatter<'_>,
    element_type: ElementType,
    dims: &[i64],
) -> fmt::Result {
    element_type.fmt(f)?;
    let sizes: Vec<String> = dims.iter().map(i64::to_string).collect();
    write!(f, "[{}]", sizes.join(","))
}
