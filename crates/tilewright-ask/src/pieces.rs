//! What each piece of a layout's text means, for whoever points at it.

use serde::{Deserialize, Serialize};
use tilewright::ElementType;

use crate::error::{Error, ErrorDocument};
use crate::subject::Reader;

/// What does each piece of a text mean, and where is it wrong?
///
/// ```
/// use tilewright_ask::Read;
/// let answer = Read { text: "bf16[30,300]{1,0:T(8,128)(2,1)}".to_owned() }.answer(false);
/// let tile = &answer.pieces[3];
/// assert_eq!((tile.span, tile.says.as_str()), ([18, 25], "tiles of 8 × 128"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The text.
    pub text: String,
}

/// The pieces of a text, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pieces {
    /// Its pieces, from left to right, as far as they are understood.
    pub pieces: Vec<Piece>,
    /// What is wrong, if it says no layout.
    pub error: Option<ErrorDocument>,
    /// What is worth knowing.
    pub warnings: Vec<String>,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// Its bytes.
    pub span: [usize; 2],
    /// `type`, `dims`, `order`, `tile`, `attribute`, `shape`, `stride` or `original`.
    pub kind: &'static str,
    /// Of a tile, its level: 0 is the outermost.
    pub level: Option<usize>,
    /// What it means.
    pub says: String,
}

impl Read {
    /// The answer. There is always one, since a text that says nothing is one too.
    pub fn answer(&self, strict: bool) -> Pieces {
        let warnings = std::cell::RefCell::new(Vec::new());
        let note = |words: &str| warnings.borrow_mut().push(words.to_owned());
        let read = Reader { strict, note: &note }.read(&self.text);
        let error = read.err().as_ref().map(Error::document);
        Pieces { pieces: pieces(&self.text), error, warnings: warnings.take() }
    }
}

/// The pieces of a text in XLA's notation, or of one of shape and stride.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut scanner = Scanner { text, at: 0, pieces: Vec::new() };
    scanner.scan();
    scanner.pieces
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    pieces: Vec<Piece>,
}

impl Scanner<'_> {
    fn scan(&mut self) {
        self.skip_blanks();
        let start = self.at;
        let word = self.word();
        if let Some(element_type) = ElementType::from_xla_name(&word.to_ascii_lowercase()) {
            let bits = element_type.bits();
            let plural = if bits == 1 { "bit" } else { "bits" };
            let says = format!("{} elements of {bits} {plural}", element_type.numpy_name());
            self.piece(start, "type", None, says);
        } else {
            self.at = start;
        }
        self.skip_blanks();
        if self.next_is('[') {
            self.dims();
        }
        self.skip_blanks();
        match self.rest().chars().next() {
            Some('{') => self.layout(),
            Some('(' | '_' | '0'..='9') => self.modes(),
            _ => {}
        }
    }

    fn dims(&mut self) {
        let start = self.at;
        let Some(inner) = self.group('[', ']') else { return };
        let sizes: Vec<&str> = inner.split(',').map(str::trim).filter(|s| !s.is_empty()).collect();
        let says = match sizes.len() {
            0 => "a single element".to_owned(),
            1 => format!("1 dimension of {}", sizes[0]),
            n => format!("{n} dimensions: {}", sizes.join(" × ")),
        };
        self.piece(start, "dims", None, says);
    }

    /// `{1,0:T(8,128)(2,1)E(4)}`.
    fn layout(&mut self) {
        self.at += 1;
        let start = self.at;
        let end = self.rest().find([':', '}']).map_or(self.text.len(), |end| self.at + end);
        let order: Vec<&str> = self.text[start..end].split(',').map(str::trim).collect();
        self.at = end;
        if let [minor, .., major] = order[..] {
            let says = format!(
                "the order, minor to major: along dimension {minor} neighbours lie side by side, along {major} farthest apart"
            );
            self.piece(start, "order", None, says);
        } else if !order[0].is_empty() {
            self.piece(start, "order", None, "the order: one dimension".to_owned());
        }
        while let Some(next) = self.rest().chars().next().filter(|&next| next != '}') {
            let start = self.at;
            let name = self.word().to_owned();
            if name.is_empty() {
                self.at += next.len_utf8();
                continue;
            }
            // Attributes are upper case; of `#(u32)` the type is none.
            if !next.is_ascii_uppercase() {
                continue;
            }
            match name.as_str() {
                "T" => self.tiles(),
                name => self.attribute(start, name),
            }
        }
    }

    fn tiles(&mut self) {
        for level in 0.. {
            let start = self.at;
            let Some(inner) = self.group('(', ')') else {
                // One that is not closed yet is all that is left.
                self.at = if self.next_is('(') { self.text.len() } else { self.at };
                return;
            };
            let tile = inner.split(',').map(str::trim).collect::<Vec<_>>().join(" × ");
            let says = match level {
                0 => format!("tiles of {tile}"),
                _ => format!("in each of these, tiles of {tile}"),
            };
            self.piece(start, "tile", Some(level), says);
        }
    }

    fn attribute(&mut self, start: usize, name: &str) {
        let inner = self.group('(', ')').unwrap_or_default();
        let says = match name {
            "E" => format!("each element is stored in {inner} bits"),
            "L" => format!("memory is padded to a multiple of {inner} elements at its end"),
            "S" => format!("in memory space {inner}"),
            "D" => "how each dimension is stored".to_owned(),
            "PAD" => format!("dimensions padded to {inner} before they are tiled"),
            "M" => "how many elements the padding in front of the first tile takes".to_owned(),
            "SC" => "where the array is split".to_owned(),
            _ => "an attribute".to_owned(),
        };
        self.piece(start, "attribute", None, says);
    }

    /// `((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)`.
    fn modes(&mut self) {
        let kinds = [
            ("shape", "the shape: a mode for each dimension, the innermost part first"),
            ("stride", "the strides: how far on in memory a step along each part goes"),
            ("original", "the original shape: what of it is no padding"),
        ];
        for (kind, says) in kinds {
            let start = self.at;
            let mut depth = 0_usize;
            let end = self.rest().find(|c: char| {
                depth = match c {
                    '(' => depth + 1,
                    ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                c == ':' && depth == 0
            });
            self.at = end.map_or(self.text.len(), |end| self.at + end);
            if self.at > start {
                self.piece(start, kind, None, says.to_owned());
            }
            if end.is_none() {
                return;
            }
            self.at += 1;
        }
    }

    /// What is between two brackets here, and passes over them.
    fn group(&mut self, open: char, close: char) -> Option<String> {
        let rest = self.rest().strip_prefix(open)?;
        let end = rest.find(close)?;
        let inner = rest[..end].to_owned();
        self.at += open.len_utf8() + end + close.len_utf8();
        Some(inner)
    }

    fn word(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let len = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn next_is(&self, c: char) -> bool {
        self.rest().starts_with(c)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn piece(&mut self, start: usize, kind: &'static str, level: Option<usize>, says: String) {
        self.pieces.push(Piece { span: [start, self.at], kind, level, says });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = pieces(text);
        let found: Vec<(&str, &str)> =
            found.iter().map(|p| (p.kind, &text[p.span[0]..p.span[1]])).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn pieces_of_each_notation() {
        let all = [("type", "bf16"), ("dims", "[30,300]"), ("order", "1,0")];
        let tiles = [("tile", "(8,128)"), ("tile", "(2,1)"), ("attribute", "S(1)")];
        check("bf16[30,300]{1,0:T(8,128)(2,1)S(1)}", &[&all[..], &tiles[..]].concat());
        let modes = [("shape", "((_16,2),3)"), ("stride", "((1,2),4)"), ("original", "(28,3)")];
        check("f16 ((_16,2),3):((1,2),4):(28,3)", &[&[("type", "f16")], &modes[..]].concat());
        check("4:2", &[("shape", "4"), ("stride", "2")]);
        let sparse = [("type", "f32"), ("dims", "[4]"), ("order", "0"), ("attribute", "D(C)")];
        check("f32[4]{0:D(C)#(u32)}", &sparse);
        check("f32[2,3] aB8b", &[("type", "f32"), ("dims", "[2,3]")]);
    }

    #[test]
    fn texts_that_are_not_whole() {
        check("", &[]);
        check("bf", &[]);
        check("f32[3,5", &[("type", "f32")]);
        check("f32[3]{0:T(2", &[("type", "f32"), ("dims", "[3]"), ("order", "0")]);
        check("f32[]{β:ß(", &[("type", "f32"), ("dims", "[]"), ("order", "β")]);
        check("((4", &[("shape", "((4")]);
    }
}
