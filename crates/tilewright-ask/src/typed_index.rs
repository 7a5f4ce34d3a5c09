//! An index as somebody typed it.

use crate::error::Error;

/// The numbers of `2,3`, parentheses or brackets around them or not, and of Python's `(2,)`.
///
/// # Errors
/// If one of them is no whole number.
pub fn parse_index(text: &str) -> Result<Vec<i64>, Error> {
    let inner = text.trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
    if inner.trim().is_empty() {
        return Ok(Vec::new());
    }
    let number = |part: &str| {
        let part = part.trim();
        let refused = || format!("`{part}` in the index `{text}` is not a whole number");
        part.parse().map_err(|_| Error::message(&refused()))
    };
    let inner = inner.trim_end();
    let inner = inner.strip_suffix(',').unwrap_or(inner);
    inner.split(',').map(number).collect()
}
