//! Names of arrays, as people get to see them.

use std::borrow::Cow;

/// More characters than this are cut off.
const SHOWN: usize = 80;

/// A name as a message or a table shows it: one that is long, as up to 4096 bytes may be, is cut.
/// JSON has it whole.
pub(crate) fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}
