//! Walking over text by its brackets: what every part of the reader stands on.
//!
//! Nothing here recurses or goes back, so the time is in the length of what is walked over.

/// Where a walk over text stands: how deep in brackets, and whether in a string or comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Depth {
    brackets: usize,
    within: Within,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Text,
    String,
    Comment,
}

impl Depth {
    /// After an opening bracket.
    pub(crate) fn within_bracket() -> Self {
        Depth { brackets: 1, ..Depth::default() }
    }

    /// Whether some bracket is open.
    pub(crate) fn is_open(self) -> bool {
        self.brackets > 0
    }

    /// The place of the first byte in `bytes` that `wanted` holds of, outside of all brackets,
    /// strings and comments. A bracket that closes what was open before counts as outside.
    ///
    /// Walks on from where it stood, so that a text can be given line by line.
    pub(crate) fn find(&mut self, bytes: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.within {
                Within::String => at += self.string(byte),
                Within::Comment => at += self.comment(byte, bytes.get(at + 1)),
                Within::Text => {
                    if self.brackets == 0 && wanted(byte) {
                        return Some(at);
                    }
                    at += self.text(byte, bytes.get(at + 1));
                    if self.brackets == 0 && is_closing(byte) && wanted(byte) {
                        return Some(at - 1);
                    }
                }
            }
        }
        // A string ends with its line at the latest: a quote too few spoils one line only.
        if self.within == Within::String {
            self.within = Within::Text;
        }
        None
    }

    fn text(&mut self, byte: u8, next: Option<&u8>) -> usize {
        match byte {
            b'"' => self.within = Within::String,
            b'(' | b'[' | b'{' => self.brackets += 1,
            b')' | b']' | b'}' => self.brackets = self.brackets.saturating_sub(1),
            b'/' if next == Some(&b'*') => {
                self.within = Within::Comment;
                return 2;
            }
            _ => {}
        }
        1
    }

    fn string(&mut self, byte: u8) -> usize {
        match byte {
            b'\\' => return 2,
            b'"' => self.within = Within::Text,
            _ => {}
        }
        1
    }

    fn comment(&mut self, byte: u8, next: Option<&u8>) -> usize {
        if byte == b'*' && next == Some(&b'/') {
            self.within = Within::Text;
            return 2;
        }
        1
    }
}

fn is_closing(byte: u8) -> bool {
    matches!(byte, b')' | b']' | b'}')
}

/// One past the bracket that closes the one at the start of `text`.
pub(crate) fn closing(text: &str) -> Option<usize> {
    Depth::default().find(text.as_bytes(), is_closing).map(|at| at + 1)
}

/// The parts of a text between commas outside of brackets, trimmed; none of an empty text.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text).filter(|text| !text.trim().is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let comma = Depth::default().find(text.as_bytes(), |byte| byte == b',');
        rest = comma.and_then(|at| text.get(at + 1..));
        Some(without_comments(comma.and_then(|at| text.get(..at)).unwrap_or(text)))
    })
}

/// The text without blanks and comments at its start, and without blanks at its end.
pub(crate) fn without_comments(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(rest) = text.strip_prefix("/*") {
        text = rest.split_once("*/").map_or("", |(_, rest)| rest).trim_start();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_strings_and_comments() {
        assert_eq!(closing("(a(b)\")\"/*)*/)c"), Some(14));
        assert_eq!(closing("(a"), None);
        assert_eq!(closing("(\"\\\")\")"), Some(7));
    }

    #[test]
    fn parts_between_commas() {
        let all: Vec<&str> = parts("a, f32[2,3]{1,0}, /*index=5*/c, d={1,2}").collect();
        assert_eq!(all, ["a", "f32[2,3]{1,0}", "c", "d={1,2}"]);
        assert_eq!(parts(" ").count(), 0);
        assert_eq!(parts("a,").collect::<Vec<_>>(), ["a", ""]);
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let deep = "(".repeat(1 << 20);
        assert_eq!(closing(&deep), None);
    }
}
