//! Why the command could not do what was asked.

use std::fmt;
use std::io;

use serde::Serialize;
use tilewright::text::Diagnostic;

use crate::json;
use crate::words::write_words;

/// A failure to be reported: exit status 2.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A text that does not mean what it should; knows the place.
    Text(Diagnostic),
    /// Anything else, with its causes.
    Other(anyhow::Error),
    /// An answer could not be written: there is no use in going on.
    Output(anyhow::Error),
    /// Some lines of a batch failed, and each has been reported where it stood.
    Reported,
}

impl Failure {
    /// A failure of which there is no more to say than this.
    pub(crate) fn message(message: &str) -> Self {
        Failure::Other(anyhow::anyhow!("{message}"))
    }

    /// The failure as the `--json` document.
    pub(crate) fn as_json(&self) -> serde_json::Value {
        let error = match self {
            Failure::Text(diagnostic) => ErrorDocument {
                message: diagnostic.message().to_owned(),
                span: Some([diagnostic.span().start, diagnostic.span().end]),
                expected: diagnostic.expectation().map(str::to_owned),
                help: diagnostic.help_text().map(str::to_owned),
            },
            other => {
                ErrorDocument { message: other.to_string(), span: None, expected: None, help: None }
            }
        };
        serde_json::json!({ "error": error })
    }

    /// Writes the `--json` document to stderr.
    pub(crate) fn write_json(&self) {
        let _ = json::write(&mut io::stderr(), &self.as_json());
    }

    /// Writes it for a person to stderr.
    pub(crate) fn write_text(&self) {
        match self {
            Failure::Text(diagnostic) => write_words(&diagnostic.to_string()),
            Failure::Other(_) | Failure::Output(_) => write_words(&format!("error: {self}")),
            Failure::Reported => {}
        }
    }
}

#[derive(Serialize)]
struct ErrorDocument {
    message: String,
    span: Option<[usize; 2]>,
    expected: Option<String>,
    help: Option<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Text(diagnostic) => f.write_str(diagnostic.message()),
            Failure::Other(error) | Failure::Output(error) => f.write_str(&with_causes(error)),
            Failure::Reported => f.write_str("some lines could not be read"),
        }
    }
}

/// The message and its causes, each of which may have said the next one already.
fn with_causes(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |said, cause| {
        let cause = cause.to_string();
        match said.is_empty() {
            true => cause,
            false if said.contains(&cause) => said,
            false => format!("{said}: {cause}"),
        }
    })
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Text(diagnostic)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<Diagnostic>() {
            Ok(diagnostic) => Failure::Text(diagnostic),
            Err(error) => Failure::Other(error),
        }
    }
}

impl From<tilewright::Error> for Failure {
    fn from(error: tilewright::Error) -> Self {
        Failure::Other(error.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Other(error.into())
    }
}
