//! Why an expression comes to nothing.

use std::error;
use std::fmt;

use tilewright::text::{Diagnostic, abridged};

/// Why an expression comes to nothing: a text in it that means nothing, arguments that do not fit
/// the operation, or an operation that has no outcome.
///
/// `Display` says it with its causes, from the operation inwards.
pub struct Error(anyhow::Error);

impl Error {
    pub(crate) fn new(error: anyhow::Error) -> Self {
        Error(error)
    }

    /// What is wrong with a text, and where in the whole expression, if it is that.
    ///
    /// ```
    /// use tilewright_calc::Expression;
    /// let error = Expression::parse("coalesce((4,2):(1,x))")?.value().unwrap_err();
    /// let diagnostic = error.diagnostic().expect("it is about a text");
    /// assert_eq!(diagnostic.span().start, 18);
    /// # Ok::<(), tilewright_calc::Error>(())
    /// ```
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        self.0.downcast_ref()
    }

    /// There is no operation of a name in it; [`usages`](crate::usages) has those that there are.
    pub fn is_unknown_operation(&self) -> bool {
        self.0.downcast_ref::<UnknownOperation>().is_some()
    }
}

/// A name that no operation has.
#[derive(Debug)]
pub(crate) struct UnknownOperation(String);

impl UnknownOperation {
    pub(crate) fn new(name: &str) -> Self {
        UnknownOperation(abridged(name).to_string())
    }
}

impl fmt::Display for UnknownOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no operation `{}`", self.0)
    }
}

impl error::Error for UnknownOperation {}

impl fmt::Display for Error {
    /// The message and its causes, each of which may have said the next one already.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = String::new();
        for cause in self.0.chain().map(ToString::to_string) {
            if said.is_empty() {
                said = cause;
            } else if !said.contains(&cause) {
                said = format!("{said}: {cause}");
            }
        }
        f.write_str(&said)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl error::Error for Error {}
