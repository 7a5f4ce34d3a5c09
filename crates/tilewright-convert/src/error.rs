//! Why a file is not converted or compared.

use std::error;
use std::fmt;

use tilewright::text::Diagnostic;

/// Why a file could not be converted or compared.
///
/// One word wide; what happened is inside. `Display` says the outermost of it, such as which array of which file;
/// [`source`](error::Error::source) goes on to its cause, and `{:#}` is all of them in one line.
///
/// ```
/// use tilewright_convert::Targets;
/// let error = Targets::parse(Some("{1,0:T(0,2)}"), &[], false).unwrap_err();
/// assert_eq!(error.diagnostic().map(|it| it.span().start), Some(7));
/// ```
pub struct Error(anyhow::Error);

impl Error {
    pub(crate) fn new(error: anyhow::Error) -> Self {
        Error(error)
    }

    /// An error that is none of this crate's, as [`Progress::advance`](crate::Progress::advance) may end with.
    ///
    /// ```
    /// assert_eq!(tilewright_convert::Error::other("interrupted").to_string(), "interrupted");
    /// ```
    pub fn other(error: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        Error(anyhow::Error::from_boxed(error.into()))
    }

    /// What is wrong with a text, and where in it, if it is that.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        let own = || self.0.downcast_ref::<Error>()?.diagnostic();
        self.0.downcast_ref().or_else(own)
    }

    /// What is wrong with a file, if it is that.
    ///
    /// # Errors
    ///
    /// It is something else: this error again.
    pub fn into_file(self) -> Result<tilewright_files::Error, Self> {
        if !self.is_of_file() {
            return Err(self);
        }
        match self.0.downcast::<tilewright_files::Error>() {
            Ok(error) => Ok(error),
            Err(error) => {
                error.downcast::<Error>().map_or_else(|e| Err(Error(e)), Error::into_file)
            }
        }
    }

    fn is_of_file(&self) -> bool {
        let is_own = || self.0.downcast_ref().is_some_and(Error::is_of_file);
        self.0.is::<tilewright_files::Error>() || is_own()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.0.source()
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use anyhow::Context;

    use super::*;

    /// A file's error is told from others, also where a function of this crate has passed it on within others.
    #[test]
    fn the_kind_is_found_below_what_was_said_of_it() {
        let of_file = || tilewright_files::OpenOptions::new().open("no such file.npy").unwrap_err();
        let inner = Error::new(of_file().into());
        let outer =
            Error::new(anyhow::Result::<()>::Err(inner.into()).context("outer").unwrap_err());
        assert_eq!(outer.to_string(), "outer");
        assert_eq!(outer.source().unwrap().to_string(), of_file().to_string());
        assert!(outer.diagnostic().is_none());
        assert!(outer.into_file().unwrap().is_not_found());
        let other = Error::other("interrupted").into_file().unwrap_err();
        assert_eq!(
            (other.to_string(), format!("{other:#}")),
            ("interrupted".into(), "interrupted".into())
        );
    }

    #[test]
    fn causes_follow_one_another() {
        let error = Error::new(anyhow::anyhow!("inner").context("middle").context("outer"));
        assert_eq!(format!("{error:#}"), "outer: middle: inner");
        let middle = error.source().unwrap();
        assert_eq!(
            (middle.to_string(), middle.source().unwrap().to_string()),
            ("middle".into(), "inner".into())
        );
    }
}
