//! What every notation's reader shares: [spans](Span), a [lexer](Token),
//! [diagnostics](Diagnostic) that point at the character, and how a text that somebody gave is
//! [shown](escaped).
//!
//! Reading never panics, never recurses deeper than a fixed [limit](MAX_NESTING), and takes time
//! in the length of the text.

mod diagnostic;
mod escape;
mod lexer;
mod tuple;

pub use diagnostic::{Diagnostic, Severity, Span};
pub(crate) use escape::shown;
pub use escape::{abridged, acts, escaped, escaped_markup};
pub(crate) use lexer::{Cursor, Integer, blank_comments};
pub use lexer::{Token, TokenKind};
pub(crate) use tuple::TupleReader;

/// How deep parentheses may nest in any notation.
pub const MAX_NESTING: usize = 256;

/// The longest text that is read, in bytes.
pub const MAX_TEXT: usize = 1 << 20;
