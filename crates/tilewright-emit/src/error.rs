//! Why there is no code.

use std::fmt;

/// What a target cannot say, or what was asked that makes no sense; with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
}

impl Error {
    pub(crate) fn message(message: impl Into<String>) -> Self {
        Error { message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<tilewright::Error> for Error {
    fn from(error: tilewright::Error) -> Self {
        Error::message(error.to_string())
    }
}

impl From<tilewright_relayout::Error> for Error {
    fn from(error: tilewright_relayout::Error) -> Self {
        Error::message(error.to_string())
    }
}
