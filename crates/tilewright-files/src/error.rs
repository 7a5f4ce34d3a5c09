//! What can go wrong with a file, said once and with its path.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use tilewright::text::escaped;

/// Why a file could not be read or written.
///
/// One word wide; what happened is inside. Ask with the `is_…` predicates, show with `Display`
/// (one line: the path, then what is wrong with it), and add [`help`](Error::help) where there is
/// room for advice.
///
/// ```
/// let error = tilewright_files::OpenOptions::new().open("no such file.npy").unwrap_err();
/// assert!(error.is_not_found());
/// assert!(error.to_string().starts_with("no such file.npy: "));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    path: PathBuf,
    fault: Fault,
}

impl Error {
    /// The file that the error is about.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// What the user could do about it, in one line without a full stop.
    pub fn help(&self) -> Option<&str> {
        self.0.fault.help.as_deref()
    }

    /// There is no file of that name.
    pub fn is_not_found(&self) -> bool {
        self.io_kind() == Some(io::ErrorKind::NotFound)
    }

    /// The output is there already, and replacing it was not asked for.
    pub fn is_exists(&self) -> bool {
        matches!(self.kind(), Kind::Exists(_))
            || self.io_kind() == Some(io::ErrorKind::AlreadyExists)
    }

    /// The output is the file that the input is read from.
    pub fn is_same_file(&self) -> bool {
        matches!(self.kind(), Kind::SameFile)
    }

    /// The contents break the rules of the format, or pass one of the [`limits`](crate::limits).
    pub fn is_malformed(&self) -> bool {
        matches!(self.kind(), Kind::Malformed(_))
    }

    /// The contents are legal, but this crate has no way to say them: big-endian numbers,
    /// structured dtypes, an unknown layout version.
    pub fn is_unsupported(&self) -> bool {
        matches!(self.kind(), Kind::Unsupported(_))
    }

    /// The file does not say enough to know its element type or dims; the caller has to.
    pub fn is_ambiguous(&self) -> bool {
        matches!(self.kind(), Kind::Ambiguous(_))
    }

    /// The caller asked for what cannot be: a read past the end of an array, two arrays of one
    /// name, an array that got fewer bytes than it has.
    pub fn is_request(&self) -> bool {
        matches!(self.kind(), Kind::Request(_))
    }

    /// Says that what failed came after the output was put in place.
    pub(crate) fn in_place(mut self) -> Self {
        let help = "the output is in place; what is left of the old one goes with the next output to its folder";
        self.0.fault.help = Some(help.into());
        self
    }

    fn kind(&self) -> &Kind {
        &self.0.fault.kind
    }

    fn io_kind(&self) -> Option<io::ErrorKind> {
        match self.kind() {
            Kind::Io { source, .. } => Some(source.kind()),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", escaped(&self.0.path.to_string_lossy()), self.0.fault)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            Kind::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// An error before anybody has said which file it is about: what the parsers return.
#[derive(Debug)]
pub(crate) struct Fault {
    kind: Kind,
    help: Option<Cow<'static, str>>,
}

/// The structured reasons, private so that more can come.
#[derive(Debug)]
enum Kind {
    Io { doing: &'static str, source: io::Error },
    Malformed(String),
    Unsupported(String),
    Ambiguous(String),
    Exists(&'static str),
    SameFile,
    Request(String),
}

impl Fault {
    #[cold]
    fn new(kind: Kind) -> Self {
        Fault { kind, help: None }
    }

    pub(crate) fn io(doing: &'static str, source: io::Error) -> Self {
        Fault::new(Kind::Io { doing, source })
    }

    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Fault::new(Kind::Malformed(message.into()))
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Fault::new(Kind::Unsupported(message.into()))
    }

    pub(crate) fn ambiguous(message: impl Into<String>) -> Self {
        Fault::new(Kind::Ambiguous(message.into()))
    }

    pub(crate) fn request(message: impl Into<String>) -> Self {
        Fault::new(Kind::Request(message.into()))
    }

    /// `what` is the kind of thing that is in the way: "file", "folder".
    pub(crate) fn exists(what: &'static str) -> Self {
        Fault::new(Kind::Exists(what)).help("ask for it to be replaced, or choose another name")
    }

    pub(crate) fn same_file() -> Self {
        Fault::new(Kind::SameFile).help("ask for it to be changed in place, or choose another name")
    }

    /// A count or a length that passes one of the [`limits`](crate::limits).
    pub(crate) fn limit(what: &str, value: u128, limit: u64) -> Self {
        Fault::malformed(format!("{what} is {value}, over the limit of {limit}"))
    }

    /// The file ends before what it promises.
    pub(crate) fn truncated(what: &str, needs: u128, has: u64) -> Self {
        Fault::malformed(format!(
            "{what} needs {needs} bytes, but the file has {has} left: cut short?"
        ))
    }

    /// Replaces the line of advice.
    pub(crate) fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names the file.
    pub(crate) fn at(self, path: &Path) -> Error {
        Error(Box::new(Inner { path: path.to_owned(), fault: self }))
    }
}

/// What is asked for cannot be: the layout does not allow it.
impl From<tilewright::Error> for Fault {
    fn from(error: tilewright::Error) -> Self {
        Fault::request(error.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Io { doing, source } => write!(f, "cannot {doing}: {source}"),
            Kind::Malformed(message)
            | Kind::Unsupported(message)
            | Kind::Ambiguous(message)
            | Kind::Request(message) => f.write_str(message),
            Kind::Exists(what) => write!(f, "the {what} exists already"),
            Kind::SameFile => f.write_str("the output is the same file as the input"),
        }
    }
}

/// Attaches what was being done, and the file it was done to, to an [`io::Error`].
pub(crate) trait IoContext<T> {
    fn doing(self, doing: &'static str, path: &Path) -> Result<T, Error>;
}

impl<T, E: Into<io::Error>> IoContext<T> for Result<T, E> {
    fn doing(self, doing: &'static str, path: &Path) -> Result<T, Error> {
        self.map_err(|source| Fault::io(doing, source.into()).at(path))
    }
}
