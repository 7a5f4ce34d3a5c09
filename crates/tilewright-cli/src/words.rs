//! Words on stderr.

use std::io::{self, Write};

use tilewright::text::escaped;

/// Writes lines to stderr, with nothing in them that acts on a terminal.
pub(crate) fn write_words(words: &str) {
    let lines = words.split('\n').map(|line| format!("{}\n", escaped(line)));
    // Where stderr cannot be written to there is nobody to tell.
    let _ = io::stderr().write_all(lines.collect::<String>().as_bytes());
}
