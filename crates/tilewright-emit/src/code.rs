//! Lines of code, indented by blocks.

use std::fmt::Write;

/// A text of lines that is being written.
#[derive(Debug, Default)]
pub(crate) struct Code {
    text: String,
    depth: usize,
}

impl Code {
    /// Adds a line; an empty one is a blank line.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        let indent = if line.is_empty() { 0 } else { self.depth * 4 };
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    /// Adds each line of a text.
    pub(crate) fn lines(&mut self, text: &str) {
        for line in text.lines() {
            self.line(line);
        }
    }

    /// Adds lines one deeper.
    pub(crate) fn indented(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    /// Adds a line, lines one deeper, and a line.
    pub(crate) fn block(
        &mut self,
        first: impl AsRef<str>,
        last: &str,
        write: impl FnOnce(&mut Self),
    ) {
        self.line(first);
        self.indented(write);
        self.line(last);
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}
