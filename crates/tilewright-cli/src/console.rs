//! Where answers and words go.

use std::io::{self, BufWriter, IsTerminal, Write};

use serde::Serialize;

use crate::Answer;
use crate::failure::Failure;
use crate::table::{self, Align};

/// The way out: data to stdout, words to stderr, JSON where it was asked for.
pub(crate) struct Console {
    json: bool,
    out: BufWriter<io::StdoutLock<'static>>,
    failed: bool,
}

impl Console {
    pub(crate) fn new(json: bool) -> Self {
        Console { json, out: BufWriter::new(io::stdout().lock()), failed: false }
    }

    /// Whether to show how far a long job is: to a person, and not beside JSON.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.json && io::stderr().is_terminal()
    }

    /// Writes an answer: as a document, or as text with its own line ends.
    pub(crate) fn answer<T: Serialize>(
        &mut self,
        document: &T,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json {
            serde_json::to_writer(&mut self.out, document).map_err(io::Error::from)?;
            writeln!(self.out)?;
        } else {
            writeln!(self.out, "{}", text().trim_end())?;
        }
        Ok(())
    }

    /// Writes an answer: as a document, or as a table for people, whose rows are asked for one by one
    /// and more than once.
    pub(crate) fn table<const N: usize, Cell: AsRef<str>, Rows: Iterator<Item = [Cell; N]>>(
        &mut self,
        document: &impl Serialize,
        alignment: &[Align; N],
        rows: impl Fn() -> Rows,
    ) -> Result<(), Failure> {
        if self.json {
            return self.answer(document, String::new);
        }
        Ok(table::write(&mut self.out, alignment, rows)?)
    }

    /// Writes raw bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.out.write_all(bytes)?)
    }

    /// Writes a line of words beside the answer.
    pub(crate) fn note(&self, words: &str) {
        let _ = writeln!(io::stderr(), "{words}");
    }

    /// One line of a batch that failed: a document among the others, or words. The rest goes on.
    pub(crate) fn line_failed(&mut self, failure: &Failure) -> Result<(), Failure> {
        self.failed = true;
        if self.json {
            writeln!(self.out, "{}", failure.as_json())?;
        } else {
            failure.write_text();
        }
        Ok(())
    }

    /// Reports the failure that ends the command.
    pub(crate) fn report(&mut self, failure: &Failure) {
        let _ = self.out.flush();
        match failure {
            Failure::Reported => {}
            failure if self.json => failure.write_json(),
            failure => failure.write_text(),
        }
    }

    /// Brings everything out. A batch in which a line failed has failed.
    pub(crate) fn finish(&mut self, answer: Answer) -> Result<Answer, Failure> {
        self.out.flush()?;
        if self.failed { Err(Failure::Reported) } else { Ok(answer) }
    }
}
