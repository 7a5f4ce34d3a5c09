//! The lexer that every notation shares.

use std::iter::repeat_n;

use super::{Diagnostic, MAX_TEXT, Span, abridged};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenKind {
    /// Letters, digits, `_` and `.`, not beginning with a digit.
    Word,
    /// Decimal digits.
    Number,
    /// One character of punctuation. `∗` (U+2217) is read as itself.
    Symbol(char),
    /// `<=`.
    AtMost,
    /// The end of the text.
    End,
}

/// A piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind,
    /// As it is written.
    pub text: &'a str,
    /// Where it is.
    pub span: Span,
}

impl Token<'_> {
    /// The token as an error message names it.
    pub(crate) fn described(&self) -> String {
        match self.kind {
            TokenKind::End => "the end".to_owned(),
            _ => format!("`{}`", abridged(self.text)),
        }
    }
}

/// A whole number and where it stands. Digits beyond 64 bits are `None`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integer {
    pub(crate) value: Option<i64>,
    pub(crate) span: Span,
}

/// Reads a text token by token, one ahead. Blanks and comments (`/* */`, `//`) are skipped.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    source: &'a str,
    next: Token<'a>,
    /// The end of the last token taken.
    last_end: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(source: &'a str) -> Result<Self, Diagnostic> {
        if source.len() > MAX_TEXT {
            let span = Span::new(0, 0);
            let message = format!("the text has {} bytes, more than {MAX_TEXT}", source.len());
            return Err(Diagnostic::error("", span, message));
        }
        let next = lex(source, 0)?;
        Ok(Cursor { source, next, last_end: 0 })
    }

    /// The text being read.
    pub(crate) fn source(&self) -> &'a str {
        self.source
    }

    /// The next token, not taken.
    pub(crate) fn peek(&self) -> Token<'a> {
        self.next
    }

    /// The token after the next one.
    pub(crate) fn peek_second(&self) -> Result<Token<'a>, Diagnostic> {
        lex(self.source, self.next.span.end)
    }

    /// Takes the next token.
    pub(crate) fn take(&mut self) -> Result<Token<'a>, Diagnostic> {
        let token = self.next;
        self.last_end = token.span.end;
        self.next = lex(self.source, token.span.end)?;
        Ok(token)
    }

    /// Whether the next token is this symbol.
    pub(crate) fn at(&self, symbol: char) -> bool {
        self.next.kind == TokenKind::Symbol(symbol)
    }

    /// Takes the next token if it is this symbol.
    pub(crate) fn eat(&mut self, symbol: char) -> Result<bool, Diagnostic> {
        let found = self.at(symbol);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    /// Takes this symbol, or says that it is missing.
    pub(crate) fn expect(&mut self, symbol: char) -> Result<Token<'a>, Diagnostic> {
        if self.at(symbol) { self.take() } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    /// Says that something is left, where a text is to end after `what`.
    pub(crate) fn expect_end(&self, what: &str) -> Result<(), Diagnostic> {
        if self.next.kind == TokenKind::End {
            return Ok(());
        }
        let span = Span::new(self.next.span.start, self.source.len());
        Err(self.error(span, format!("extra content after {what}")).expected("the end"))
    }

    /// Takes a whole number, a minus sign before it if there is one.
    pub(crate) fn integer(&mut self, what: &str) -> Result<Integer, Diagnostic> {
        let start = self.next.span;
        let negative = self.eat('-')?;
        if self.next.kind != TokenKind::Number {
            return Err(self.unexpected(what));
        }
        let digits = self.take()?;
        let magnitude: Option<i128> = digits.text.parse().ok();
        let value = magnitude.map(|m| if negative { -m } else { m });
        let value = value.and_then(|value| i64::try_from(value).ok());
        Ok(Integer { value, span: start.to(digits.span) })
    }

    /// Takes a whole number that fits 64 bits.
    pub(crate) fn fitting_integer(&mut self, what: &str) -> Result<(i64, Span), Diagnostic> {
        let Integer { value, span } = self.integer(what)?;
        let value = value.ok_or_else(|| {
            self.error(span, "the number does not fit in 64 bits")
                .expected(format!("{what} of at most {}", i64::MAX))
        })?;
        Ok((value, span))
    }

    /// From the start of a token to the end of the last one taken.
    pub(crate) fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.last_end.max(start.start))
    }

    /// An error about these bytes.
    pub(crate) fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.source, span, message)
    }

    /// An error: the next token is not what was expected.
    pub(crate) fn unexpected(&self, expected: &str) -> Diagnostic {
        self.error(self.next.span, format!("unexpected {}", self.next.described()))
            .expected(expected)
    }
}

/// The token that begins at or after byte `at`.
fn lex(source: &str, at: usize) -> Result<Token<'_>, Diagnostic> {
    let start = skip_blanks(source, at)?;
    let rest = &source[start..];
    let mut characters = rest.chars();
    let Some(first) = characters.next() else {
        return Ok(Token { kind: TokenKind::End, text: "", span: Span::new(start, start) });
    };
    let (kind, len) = match first {
        '0'..='9' => (TokenKind::Number, run(rest, |c| c.is_ascii_digit())),
        'a'..='z' | 'A'..='Z' | '_' => {
            (TokenKind::Word, run(rest, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
        }
        '<' if characters.next() == Some('=') => (TokenKind::AtMost, 2),
        other => (TokenKind::Symbol(other), other.len_utf8()),
    };
    Ok(Token { kind, text: &rest[..len], span: Span::new(start, start + len) })
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// The text with blanks in place of every comment, so that what is found in it is where it was. A
/// comment that is never closed is left, for a reader to point at.
pub(crate) fn blank_comments(source: &str) -> String {
    let mut kept = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((before, comment)) = rest.split_once('/') {
        kept.push_str(before);
        let end = match comment.as_bytes().first() {
            Some(b'/') => Some(comment.find('\n').unwrap_or(comment.len())),
            Some(b'*') => comment[1..].find("*/").map(|len| len + 3),
            _ => Some(0),
        };
        let Some(end) = end else { return kept + &rest[before.len()..] };
        match end {
            0 => kept.push('/'),
            end => kept.extend(repeat_n(' ', end + 1)),
        }
        rest = &comment[end..];
    }
    kept + rest
}

/// The first byte at or after `at` that is neither blank nor in a comment.
fn skip_blanks(source: &str, mut at: usize) -> Result<usize, Diagnostic> {
    loop {
        let rest = &source[at..];
        let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if let Some(comment) = trimmed.strip_prefix("/*") {
            let Some(len) = comment.find("*/") else {
                let span = Span::new(at, at + 2);
                return Err(Diagnostic::error(source, span, "the comment is never closed")
                    .help("end it with `*/`"));
            };
            at += len + 4;
        } else {
            return Ok(at);
        }
    }
}
