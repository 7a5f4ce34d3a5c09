//! What is wrong with a text, where, and what would be right.

use std::fmt;
use std::ops::Range;

use super::escape::{beginning, columns, end, escaped, shown};

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` to before `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// From the start of this span to the end of the other.
    pub fn to(self, end: Span) -> Self {
        Span { start: self.start, end: end.end }
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Span { start: range.start, end: range.end }
    }
}

/// Whether the text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The text is refused.
    Error,
    /// The text is read, and something in it is worth knowing.
    Warning,
}

/// One finding about a text: a message, the place, what was expected, what would be right.
///
/// What it says is fit for a terminal, whatever the text: characters that would act on one are
/// [escaped](super::escaped), and of a long line a window around the place is shown. Only
/// [`source_text`](Self::source_text) is the text as it was given.
///
/// `Display` draws it with a caret:
///
/// ```
/// use tilewright::Shape;
/// let error = "f32[3,5]{1,0:T(0,2)}".parse::<Shape>().unwrap_err();
/// assert_eq!(error.to_string(), "\
/// error: tile dimension 0 must be 1 or more, or `*`
///   |
///   | f32[3,5]{1,0:T(0,2)}
///   |                ^ expected a size of 1 or more, or `*`
///   = help: leave the dimension whole with a tile dimension of 1 or of its full size");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostic(Box<Parts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    severity: Severity,
    source: String,
    span: Span,
    message: String,
    expected: Option<String>,
    help: Option<String>,
}

impl Diagnostic {
    /// An error in `source` at `span`.
    #[cold]
    pub(crate) fn error(source: &str, span: Span, message: impl Into<String>) -> Self {
        Diagnostic(Box::new(Parts {
            severity: Severity::Error,
            source: source.to_owned(),
            span,
            message: shown(message.into()),
            expected: None,
            help: None,
        }))
    }

    /// The same finding as a warning.
    pub(crate) fn into_warning(mut self) -> Self {
        self.0.severity = Severity::Warning;
        self
    }

    /// The same with what was expected in this place.
    pub(crate) fn expected(mut self, what: impl Into<String>) -> Self {
        self.0.expected = Some(shown(what.into()));
        self
    }

    /// The same with what would be right.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(shown(help.into()));
        self
    }

    /// The same finding in a longer text, of which the text that was read begins at byte `start`.
    pub fn within(mut self, source: &str, start: usize) -> Self {
        let Span { start: from, end } = self.0.span;
        self.0.span = Span { start: from.saturating_add(start), end: end.saturating_add(start) };
        self.0.source = source.to_owned();
        self
    }

    /// Whether the text was refused.
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// The text that was read.
    pub fn source_text(&self) -> &str {
        &self.0.source
    }

    /// The bytes of the text that it is about.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// What is wrong: lower case, no full stop.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What was expected in that place.
    pub fn expectation(&self) -> Option<&str> {
        self.0.expected.as_deref()
    }

    /// What would be right.
    pub fn help_text(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { severity, source, span, message, expected, help } = &*self.0;
        let word = if *severity == Severity::Error { "error" } else { "warning" };
        write!(f, "{word}: {message}\n  |\n")?;
        let excerpt = Excerpt::of(source, *span);
        write!(
            f,
            "  | {}{}{}\n  | {}{}",
            excerpt.lead,
            escaped(excerpt.line),
            excerpt.tail,
            " ".repeat(excerpt.indent),
            "^".repeat(excerpt.width)
        )?;
        if let Some(expected) = expected {
            write!(f, " expected {expected}")?;
        }
        match help {
            Some(help) => write!(f, "\n  = help: {help}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Diagnostic {}

/// The part of the source's line that is shown, and where the carets go below it.
///
/// All is counted in columns of what is printed: a character that is
/// [escaped](super::escaped) takes as many as its escape, so that of `"a\u{1b}?"` with a caret at
/// `?` the line is `a\u{1b}?` and the caret is in column 8, not 3. Of a long line a window of
/// [`MAX_COLUMNS`](Self::MAX_COLUMNS) is shown, with `…` where it is cut.
struct Excerpt<'a> {
    lead: &'static str,
    line: &'a str,
    tail: &'static str,
    /// The columns before the first caret, those of `lead` among them.
    indent: usize,
    /// The number of carets, 1 or more.
    width: usize,
}

impl<'a> Excerpt<'a> {
    /// The most columns of the line that are shown.
    const MAX_COLUMNS: usize = 160;

    /// The most columns that are shown before the place.
    const CONTEXT: usize = 60;

    fn of(source: &'a str, span: Span) -> Self {
        let start = floor_char_boundary(source, span.start);
        let line_start = source[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let from_start = source[start..].lines().next().unwrap_or("");
        let line_end = start + from_start.len();
        let place_end = floor_char_boundary(source, span.end).clamp(start, line_end);

        let before = end(&source[line_start..start], Self::CONTEXT);
        let after = beginning(from_start, Self::MAX_COLUMNS - 2 - columns(before));
        let place = &after[..after.len().min(place_end - start)];
        let (first, last) = (start - before.len(), start + after.len());
        let lead = if first > line_start { "…" } else { "" };
        Excerpt {
            lead,
            line: &source[first..last],
            tail: if last < line_end { "…" } else { "" },
            indent: columns(lead) + columns(before),
            width: columns(place).max(1),
        }
    }
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
