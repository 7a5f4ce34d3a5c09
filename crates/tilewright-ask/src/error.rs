//! Why there is no answer.

use std::error;
use std::fmt;
use std::iter;

use serde::Serialize;
use tilewright::text::Diagnostic;

/// Why there is no answer, and where in a text, if that is why.
///
/// ```
/// use tilewright_ask::{Reader, Show};
/// let reader = Reader { strict: false, note: &|_| {} };
/// let error = Show { layout: "f32[3,5]{1,0:T(0,2)}".to_owned() }.answer(reader).unwrap_err();
/// assert_eq!(error.document().span, Some([15, 16]));
/// ```
#[derive(Debug)]
pub struct Error(Kind);

#[derive(Debug)]
enum Kind {
    /// A text that does not mean what it should.
    Text(Diagnostic),
    /// Anything else, with its causes.
    Other(Box<dyn error::Error + Send + Sync>),
}

/// What is not to be had, and why.
#[derive(Debug)]
struct Refused {
    what: String,
    why: Box<dyn error::Error + Send + Sync>,
}

/// An error as JSON has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorDocument {
    /// What is wrong.
    pub message: String,
    /// The bytes of the text that are.
    pub span: Option<[usize; 2]>,
    /// What was expected there.
    pub expected: Option<String>,
    /// What would be right.
    pub help: Option<String>,
}

impl Error {
    /// An error of which there is no more to say than this.
    pub fn message(message: &str) -> Self {
        Error(Kind::Other(message.into()))
    }

    /// Anything that is no text's fault.
    pub(crate) fn of(error: impl error::Error + Send + Sync + 'static) -> Self {
        Error(Kind::Other(error.into()))
    }

    /// What is not to be had, and why.
    pub(crate) fn refused(
        what: impl Into<String>,
        why: impl error::Error + Send + Sync + 'static,
    ) -> Self {
        Self::of(Refused { what: what.into(), why: why.into() })
    }

    /// What is wrong with a text, where that is why.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match &self.0 {
            Kind::Text(diagnostic) => Some(diagnostic),
            Kind::Other(_) => None,
        }
    }

    /// Whether an expression calls an operation that there is not.
    pub fn is_unknown_operation(&self) -> bool {
        match &self.0 {
            Kind::Text(_) => false,
            Kind::Other(error) => error
                .downcast_ref::<tilewright_calc::Error>()
                .is_some_and(tilewright_calc::Error::is_unknown_operation),
        }
    }

    /// The same as JSON has it.
    pub fn document(&self) -> ErrorDocument {
        match &self.0 {
            Kind::Text(diagnostic) => ErrorDocument {
                message: diagnostic.message().to_owned(),
                span: Some([diagnostic.span().start, diagnostic.span().end]),
                expected: diagnostic.expectation().map(str::to_owned),
                help: diagnostic.help_text().map(str::to_owned),
            },
            Kind::Other(_) => {
                ErrorDocument { message: self.to_string(), span: None, expected: None, help: None }
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Text(diagnostic) => f.write_str(diagnostic.message()),
            Kind::Other(error) => f.write_str(&with_causes(&**error)),
        }
    }
}

impl error::Error for Error {}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl error::Error for Refused {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        Some(&*self.why)
    }
}

/// The message and its causes, each of which may have said the next one already.
pub fn with_causes(error: &(dyn error::Error + 'static)) -> String {
    let causes = iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).fold(String::new(), |said, cause| match said.is_empty() {
        true => cause,
        false if said.contains(&cause) => said,
        false => format!("{said}: {cause}"),
    })
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Error(Kind::Text(diagnostic))
    }
}

impl From<tilewright::Error> for Error {
    fn from(error: tilewright::Error) -> Self {
        Error::of(error)
    }
}

impl From<tilewright_calc::Error> for Error {
    fn from(error: tilewright_calc::Error) -> Self {
        match error.diagnostic() {
            Some(diagnostic) => Error(Kind::Text(diagnostic.clone())),
            None => Error::of(error),
        }
    }
}
