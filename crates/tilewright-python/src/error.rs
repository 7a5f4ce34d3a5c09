//! What went wrong, as a Python exception.

use std::io;

use pyo3::exceptions::{
    PyFileExistsError, PyFileNotFoundError, PyMemoryError, PyOSError, PyValueError,
};
use pyo3::prelude::*;
use tilewright::text::Diagnostic;

/// What went wrong. Where a text is at fault, it becomes a `LayoutError` that carries the
/// diagnostic; where a file cannot be had, an `OSError`.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A text means nothing; the place is known.
    Text(Diagnostic),
    /// Anything else that is wrong with a value.
    Value(String),
    /// An index or an offset that is not there.
    Range(String),
    /// There is not enough memory.
    Memory(String),
    /// A file.
    File(tilewright_files::Error),
    /// What Python itself raised.
    Raised(PyErr),
}

impl Failure {
    pub(crate) fn value(message: impl Into<String>) -> Self {
        Failure::Value(message.into())
    }
}

/// A file's error as one of the system, anything else as a value's, with all that is said of it.
impl From<tilewright_convert::Error> for Failure {
    fn from(error: tilewright_convert::Error) -> Self {
        match error.into_file() {
            Ok(error) => Failure::File(error),
            Err(error) => Failure::Value(format!("{error:#}")),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Text(diagnostic) => {
                layout_error("LayoutError", &diagnostic.to_string(), Some(&diagnostic))
            }
            Failure::Value(message) => layout_error("LayoutError", &message, None),
            Failure::Range(message) => layout_error("OutOfRangeError", &message, None),
            Failure::Memory(message) => PyMemoryError::new_err(message),
            Failure::File(error) => file_error(&error),
            Failure::Raised(error) => error,
        }
    }
}

/// `tilewright.LayoutError(message, diagnostic)`, or one of its kinds.
fn layout_error(class: &str, message: &str, diagnostic: Option<&Diagnostic>) -> PyErr {
    Python::attach(|py| {
        let built = || {
            let module = py.import("tilewright._errors")?;
            let diagnostic = diagnostic.map(|it| found(&module, it)).transpose()?;
            module.getattr(class)?.call1((message, diagnostic))
        };
        built().map_or_else(|error| error, PyErr::from_value)
    })
}

fn found<'py>(module: &Bound<'py, PyModule>, it: &Diagnostic) -> PyResult<Bound<'py, PyAny>> {
    let span = (it.span().start, it.span().end);
    let fields = (it.source_text(), span, it.message(), it.expectation(), it.help_text());
    module.getattr("Diagnostic")?.call1(fields)
}

fn file_error(error: &tilewright_files::Error) -> PyErr {
    let message = match error.help() {
        Some(_) if error.is_exists() => format!("{error}; force=True replaces it"),
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    };
    let cause = std::error::Error::source(error);
    let is_io = cause.is_some_and(<dyn std::error::Error>::is::<io::Error>);
    if error.is_not_found() {
        PyFileNotFoundError::new_err(message)
    } else if error.is_exists() {
        PyFileExistsError::new_err(message)
    } else if is_io {
        PyOSError::new_err(message)
    } else {
        PyValueError::new_err(message)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Text(diagnostic)
    }
}

impl From<tilewright::Error> for Failure {
    fn from(error: tilewright::Error) -> Self {
        let message = error.to_string();
        if error.is_out_of_bounds() {
            Failure::Range(message)
        } else if error.is_out_of_memory() {
            Failure::Memory(message)
        } else {
            Failure::Value(message)
        }
    }
}

impl From<tilewright_files::RuleError> for Failure {
    fn from(error: tilewright_files::RuleError) -> Self {
        Failure::Value(error.to_string())
    }
}

impl From<tilewright::map::Untranslatable> for Failure {
    fn from(error: tilewright::map::Untranslatable) -> Self {
        Failure::Value(error.to_string())
    }
}

impl From<tilewright_relayout::Error> for Failure {
    fn from(error: tilewright_relayout::Error) -> Self {
        Failure::Value(error.to_string())
    }
}

impl From<tilewright_view::Error> for Failure {
    fn from(error: tilewright_view::Error) -> Self {
        Failure::Value(error.to_string())
    }
}

impl From<tilewright_calc::Error> for Failure {
    fn from(error: tilewright_calc::Error) -> Self {
        match error.diagnostic() {
            Some(diagnostic) => Failure::Text(diagnostic.clone()),
            None if error.is_unknown_operation() => Failure::Value(format!(
                "{error}; tilewright.algebra.operations() lists those that there are"
            )),
            None => Failure::Value(error.to_string()),
        }
    }
}

impl From<tilewright_files::Error> for Failure {
    fn from(error: tilewright_files::Error) -> Self {
        Failure::File(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Raised(error)
    }
}
