//! Why the command could not do what was asked.

use std::fmt;
use std::io;

use tilewright::text::Diagnostic;
use tilewright_ask::{Error, ErrorDocument, with_causes};

use crate::json;
use crate::words::write_words;

/// A failure to be reported: exit status 2.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A question has no answer; where a text is why, it knows the place.
    Asked(Error),
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
            Failure::Asked(error) => error.document(),
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
            Failure::Asked(error) => write_words(&asked(error)),
            Failure::Other(_) | Failure::Output(_) => write_words(&format!("error: {self}")),
            Failure::Reported => {}
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Asked(error) => error.fmt(f),
            Failure::Other(error) | Failure::Output(error) => f.write_str(&with_causes(&**error)),
            Failure::Reported => f.write_str("some lines could not be read"),
        }
    }
}

/// As a person reads it: with the place, where it is a text's.
fn asked(error: &Error) -> String {
    match error.diagnostic() {
        Some(diagnostic) => diagnostic.to_string(),
        None => format!("error: {error}"),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Asked(error)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Asked(diagnostic.into())
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<Diagnostic>() {
            Ok(diagnostic) => Failure::Asked(diagnostic.into()),
            Err(error) => {
                match error.downcast_ref().and_then(tilewright_convert::Error::diagnostic) {
                    Some(diagnostic) => Failure::Asked(diagnostic.clone().into()),
                    None => Failure::Other(error),
                }
            }
        }
    }
}

impl From<tilewright_convert::Error> for Failure {
    fn from(error: tilewright_convert::Error) -> Self {
        anyhow::Error::from(error).into()
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
