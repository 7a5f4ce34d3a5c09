//! Reading tags.

use std::str::FromStr;

use super::{Block, LETTERS, MAX_BLOCKS, Tag, names};
use crate::Permutation;
use crate::error::Error;
use crate::text::{Cursor, Diagnostic, Span, Token, TokenKind, abridged};

const A_TAG: &str = "a oneDNN tag, such as `aBcd16b` or `nChw16c`";

impl FromStr for Tag {
    type Err = Diagnostic;

    /// Reads `aBcd16b` or `nChw16c`.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let mut cursor = Cursor::new(text)?;
        let word = cursor.peek();
        if word.kind != TokenKind::Word {
            return Err(cursor.unexpected(A_TAG));
        }
        let tag = Reader { cursor: &cursor, word }.tag()?;
        cursor.take()?;
        cursor.expect_end("the tag")?;
        Ok(tag)
    }
}

/// Reads the tag that a word of a text is. Places are counted in bytes from the word's first.
struct Reader<'a> {
    cursor: &'a Cursor<'a>,
    word: Token<'a>,
}

impl Reader<'_> {
    fn tag(&self) -> Result<Tag, Diagnostic> {
        let text = self.word.text;
        if let Some(meant) = names::misnamed(text) {
            return meant.parse();
        }
        if matches!(text, "any" | "undef") {
            let message = format!("`{text}` leaves the layout open");
            return Err(self.error(0, text.len(), message).expected(A_TAG));
        }
        let outer = &text[..text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len())];
        let row = self.row(outer)?;
        let blocks = self.blocks(outer.len(), row)?;
        self.check_capitals(outer, row, &blocks)?;
        let order: Vec<usize> = outer.chars().filter_map(|c| dim_of(row, c)).collect();
        let tag = Permutation::new(order).and_then(|order| Tag::new(order, blocks));
        tag.map_err(|error: Error| self.error(0, text.len(), error.to_string()))
    }

    /// The letters that number the dimensions: the name in row-major order.
    fn row(&self, outer: &str) -> Result<&'static str, Diagnostic> {
        let small = outer.to_ascii_lowercase();
        if small.is_empty() {
            return Err(self.error(0, 1, "a tag begins with its dimensions").expected(A_TAG));
        }
        for (at, letter) in small.char_indices() {
            if !names::is_known(letter) {
                let message = format!("`{letter}` is the letter of no dimension");
                return Err(self.error(at, at + 1, message).expected(A_TAG));
            }
            if small[..at].contains(letter) {
                let message = format!("dimension `{letter}` is listed twice");
                return Err(self.error(at, at + 1, message));
            }
        }
        names::row_major(&small).ok_or_else(|| self.no_such_array(&small))
    }

    /// Letters that are no array's: abstract ones with a gap, or of several kinds of array.
    fn no_such_array(&self, letters: &str) -> Diagnostic {
        let missing = LETTERS.chars().find(|&letter| !letters.contains(letter));
        let message = match missing.filter(|_| letters.chars().all(|c| LETTERS.contains(c))) {
            Some(letter) => format!("dimension `{letter}` is missing"),
            None => format!("no array of oneDNN has the dimensions `{}`", abridged(letters)),
        };
        self.error(0, letters.len(), message).expected(A_TAG)
    }

    /// The blocks from byte `at` on.
    fn blocks(&self, mut at: usize, row: &str) -> Result<Vec<Block>, Diagnostic> {
        let mut blocks = Vec::new();
        while at < self.word.text.len() {
            let (size, end) = self.size(at)?;
            let dim = self.blocked_dim(end, row)?;
            if blocks.len() == MAX_BLOCKS {
                let message = format!("a tag has at most {MAX_BLOCKS} blocks");
                return Err(self.error(at, self.word.text.len(), message));
            }
            blocks.push(Block { size, dim });
            at = end + 1;
        }
        Ok(blocks)
    }

    /// The size of a block, and where its digits end.
    fn size(&self, at: usize) -> Result<(i64, usize), Diagnostic> {
        const EXPECTED: &str = "the size of a block, 1 or more";
        let rest = &self.word.text[at..];
        let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
        let end = at + digits.len();
        let message = match digits.parse() {
            Ok(0) => "a block has no elements",
            Ok(size) => return Ok((size, end)),
            Err(_) if digits.is_empty() => "a block begins with its size",
            Err(_) => "the number does not fit in 64 bits",
        };
        Err(self.error(at, end.max(at + 1), message).expected(EXPECTED))
    }

    /// The dimension of a block.
    fn blocked_dim(&self, at: usize, row: &str) -> Result<usize, Diagnostic> {
        let letter = self.word.text[at..].chars().next();
        let small = letter.filter(|c| !c.is_ascii_uppercase());
        if let Some(dim) = small.and_then(|letter| dim_of(row, letter)) {
            return Ok(dim);
        }
        let message = match letter {
            None => "a block ends with its dimension".to_owned(),
            Some(c) if c.is_ascii_uppercase() => format!("the dimension of a block is not `{c}`"),
            Some(c) => format!("the tag has no dimension `{c}`"),
        };
        let expected = format!("one of the letters `{row}`");
        Err(self.error(at, at + 1, message).expected(expected))
    }

    /// Capitals are the dimensions with blocks, and no others.
    fn check_capitals(&self, outer: &str, row: &str, blocks: &[Block]) -> Result<(), Diagnostic> {
        for (at, letter) in outer.char_indices() {
            let is_blocked = blocks.iter().any(|block| dim_of(row, letter) == Some(block.dim));
            if is_blocked == letter.is_ascii_uppercase() {
                continue;
            }
            let (message, right) = match is_blocked {
                true => ("has blocks, and no capital", letter.to_ascii_uppercase()),
                false => ("has a capital, and no blocks", letter.to_ascii_lowercase()),
            };
            let message = format!("dimension `{}` {message}", letter.to_ascii_lowercase());
            return Err(self.error(at, at + 1, message).expected(format!("`{right}`")));
        }
        Ok(())
    }

    /// An error about these bytes of the word, or about what is missing after it.
    fn error(&self, from: usize, to: usize, message: impl Into<String>) -> Diagnostic {
        let Span { start, end } = self.word.span;
        let span = Span::new(start + from, (start + to).min(end).max(start + from));
        self.cursor.error(span, message)
    }
}

/// The number of a dimension by its letter, small or capital.
fn dim_of(row: &str, letter: char) -> Option<usize> {
    row.find(letter.to_ascii_lowercase())
}
