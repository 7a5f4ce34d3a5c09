//! Where answers and words go.

use std::io::{self, BufWriter, IsTerminal, Write};

use anyhow::Context;
use serde::Serialize;
use tilewright::text::escaped;

use crate::Answer;
use crate::failure::Failure;
use crate::json;
use crate::table::{self, Align};
use crate::words::write_words;

/// The way out: data to stdout, words to stderr, JSON where it was asked for.
///
/// Nothing that acts on a terminal comes through, whoever wrote the names that are shown.
///
/// Where nobody reads stdout any more (`| head`), that is no failure: the rest goes nowhere, and the
/// exit status is what it would have been.
pub(crate) struct Console {
    json: bool,
    out: BufWriter<io::StdoutLock<'static>>,
    is_read: bool,
    failed: bool,
    done: Option<String>,
}

impl Console {
    pub(crate) fn new(json: bool) -> Self {
        let out = BufWriter::new(io::stdout().lock());
        Console { json, out, is_read: true, failed: false, done: None }
    }

    /// Whether to show how far a long job is: to a person, and not beside JSON.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.json && io::stderr().is_terminal()
    }

    /// Whether answers are documents.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether anybody still reads the answers.
    pub(crate) fn is_read(&self) -> bool {
        self.is_read
    }

    /// What has been done however the answer gets out: what a failure to write it has to add.
    pub(crate) fn done(&mut self, what: String) {
        self.done = Some(what);
    }

    /// Writes an answer: as a document, or as text with its own line ends.
    pub(crate) fn answer<T: Serialize>(
        &mut self,
        document: &T,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        let is_json = self.json;
        self.put(|out| match is_json {
            true => json::write(out, document),
            false => text()
                .trim_end()
                .split('\n')
                .try_for_each(|line| writeln!(out, "{}", escaped(line))),
        })
    }

    /// Writes an answer: as a document, or as lines without their ends, of which there is never more than one in
    /// memory.
    pub(crate) fn lines(
        &mut self,
        document: &impl Serialize,
        lines: impl Iterator<Item = String>,
    ) -> Result<(), Failure> {
        if self.json {
            return self.answer(document, String::new);
        }
        let mut lines = lines.peekable();
        self.put(|out| match lines.peek() {
            // As of any answer without a text.
            None => writeln!(out),
            Some(_) => lines.try_for_each(|line| writeln!(out, "{line}")),
        })
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
        self.put(|out| table::write(out, alignment, rows))
    }

    /// Writes raw bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.put(|out| out.write_all(bytes))
    }

    /// Brings out what has been written so far, where the command goes on for long.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.put(Write::flush)
    }

    /// Writes a line of words beside the answer.
    pub(crate) fn note(&self, words: &str) {
        write_words(words);
    }

    /// One line of a batch that failed: a document among the others, or words. The rest goes on.
    pub(crate) fn line_failed(&mut self, failure: &Failure) -> Result<(), Failure> {
        self.failed = true;
        if self.json {
            return self.put(|out| json::write(out, &failure.as_json()));
        }
        failure.write_text();
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
        self.flush()?;
        if self.failed { Err(Failure::Reported) } else { Ok(answer) }
    }

    fn put(
        &mut self,
        write: impl FnOnce(&mut BufWriter<io::StdoutLock<'static>>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if !self.is_read {
            return Ok(());
        }
        match write(&mut self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_read = false;
                Ok(())
            }
            outcome => outcome
                .with_context(|| match &self.done {
                    Some(done) => format!("{done}, but the answer cannot be written to stdout"),
                    None => "cannot write to stdout".to_owned(),
                })
                .map_err(Failure::Output),
        }
    }
}
