//! Texts that somebody gave, made fit to be shown.
//!
//! A terminal obeys what is written to it: `ESC ] 0 ; x BEL` renames the window, U+009B begins a
//! command as `ESC [` does, and U+202E has everything after it read backwards. An array's name, a
//! layout or a line of a dump may hold any of these, so whatever echoes one shows it
//! [`escaped`]; and since it may be as long as its author liked, a name in the middle of a
//! sentence is [`abridged`].
//!
//! | characters | why they are escaped |
//! |---|---|
//! | U+0000 to U+001F, U+007F, U+0080 to U+009F | control a terminal, or end the line |
//! | U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069 | change the direction of text |
//! | U+2028, U+2029 | end the line |
//! | U+00AD, U+200B, U+2060, U+FEFF | are not seen at all, as a byte order mark |
//!
//! Each is written as Rust writes it, `\u{1b}`; every other character is written as it is, a
//! backslash too. So escaping twice changes nothing, and the outcome is for reading: a text that
//! holds the six characters `\u{1b}` looks the same.

use std::fmt::{self, Display};

/// The most columns that [`abridged`] takes.
const MAX_ECHO: usize = 80;

/// How many of these are for the end of the text, where names that begin alike differ.
const ECHO_END: usize = 20;

/// The most columns of a whole message.
const MAX_MESSAGE: usize = 480;

/// A text with every character that would act on a terminal written as `\u{…}`, and all others as
/// they are.
///
/// ```
/// use tilewright::text::escaped;
/// assert_eq!(escaped("layer\u{1b}[2J.weight").to_string(), r"layer\u{1b}[2J.weight");
/// assert_eq!(escaped("β ∗ \u{202e}fed").to_string(), r"β ∗ \u{202e}fed");
/// ```
pub fn escaped(text: &str) -> impl Display + '_ {
    Escaped(text)
}

/// A text [`escaped`], as an element or an attribute of HTML and XML holds it: no markup, whatever
/// somebody wrote.
///
/// ```
/// use tilewright::text::escaped_markup;
/// assert_eq!(escaped_markup("a<b>&'\u{1b}\""), r"a&lt;b&gt;&amp;&#39;\u{1b}&quot;");
/// ```
pub fn escaped_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escaped(text).to_string().chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A text [`escaped`] and, where it is longer than 80 columns, cut to its beginning and its end
/// with `…` in between: how a name stands in a sentence.
///
/// ```
/// use tilewright::text::abridged;
/// assert_eq!(abridged("model.norm").to_string(), "model.norm");
/// let name = format!("{}weight", "layers.".repeat(1000));
/// let shown = abridged(&name).to_string();
/// assert!(shown.starts_with("layers.layers.") && shown.ends_with("…layers.layers.weight"));
/// assert_eq!(shown.chars().count(), 80);
/// ```
pub fn abridged(text: &str) -> impl Display + '_ {
    Abridged::of(text, MAX_ECHO, ECHO_END)
}

/// A message with whatever it echoes fit to be shown: no character that acts on a terminal, and
/// not more than [`MAX_MESSAGE`] columns. What a message quotes stands mostly in the middle of it,
/// so that is where it is cut.
pub(crate) fn shown(message: String) -> String {
    let is_fit = message.len() <= MAX_MESSAGE && !message.contains(acts);
    if is_fit { message } else { Abridged::of(&message, MAX_MESSAGE, MAX_MESSAGE / 2).to_string() }
}

/// How many columns a text takes once it is escaped, each character that is written as it is
/// taken for one.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// The longest beginning of a text that takes no more than these columns.
pub(super) fn beginning(text: &str, columns: usize) -> &str {
    let end = bytes_within(text.chars(), columns);
    &text[..end]
}

/// The longest end of a text that takes no more than these columns.
pub(super) fn end(text: &str, columns: usize) -> &str {
    let len = bytes_within(text.chars().rev(), columns);
    &text[text.len() - len..]
}

/// The bytes of the first of these characters, as many as take no more than these columns.
fn bytes_within(characters: impl Iterator<Item = char>, columns: usize) -> usize {
    let mut taken = 0;
    let fits = |c: &char| {
        taken += columns_of(*c);
        taken <= columns
    };
    characters.take_while(fits).map(char::len_utf8).sum()
}

/// `\u{1b}` has four characters beside its digits.
fn columns_of(c: char) -> usize {
    if acts(c) { c.escape_unicode().len() } else { 1 }
}

/// Whether a character does something to a terminal other than to be seen in it: the table above.
///
/// ```
/// use tilewright::text::acts;
/// assert!(acts('\u{9b}') && acts('\n') && !acts('β'));
/// ```
pub fn acts(c: char) -> bool {
    let is_direction = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    let ends_line = matches!(c, '\u{2028}' | '\u{2029}');
    let is_unseen = matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}');
    c.is_control() || is_direction || ends_line || is_unseen
}

struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(acts) {
            let (plain, from) = rest.split_at(at);
            f.write_str(plain)?;
            let mut characters = from.chars();
            characters.next().map_or(Ok(()), |c| write!(f, "{}", c.escape_unicode()))?;
            rest = characters.as_str();
        }
        f.write_str(rest)
    }
}

/// The beginning of a text and, where that is not all of it, its end.
struct Abridged<'a> {
    beginning: &'a str,
    end: Option<&'a str>,
}

impl<'a> Abridged<'a> {
    /// All of a text, or as much of it as takes `most` columns, `at_end` of them for its end.
    fn of(text: &'a str, most: usize, at_end: usize) -> Self {
        if beginning(text, most).len() == text.len() {
            return Abridged { beginning: text, end: None };
        }
        let beginning = beginning(text, most - at_end - 1);
        Abridged { beginning, end: Some(end(text, at_end)) }
    }
}

impl Display for Abridged<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Escaped(self.beginning).fmt(f)?;
        match self.end {
            Some(end) => write!(f, "…{}", Escaped(end)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_written_out() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(escaped(text).to_string(), expected);
            assert_eq!(columns(text), expected.chars().count());
            assert_eq!(escaped(expected).to_string(), expected);
        }
        check("", "");
        check("f32[3,5]{1,0:T(8,128)} ∗ \\n é 漢", "f32[3,5]{1,0:T(8,128)} ∗ \\n é 漢");
        check("\0\t\n\r\u{1b}\u{7f}", r"\u{0}\u{9}\u{a}\u{d}\u{1b}\u{7f}");
        check("\u{80}\u{9b}\u{9f}\u{a0}", "\\u{80}\\u{9b}\\u{9f}\u{a0}");
        check("a\u{202e}b\u{2066}c\u{2069}", r"a\u{202e}b\u{2066}c\u{2069}");
        check(
            "\u{200e}\u{200f}\u{61c}\u{2028}\u{2029}",
            r"\u{200e}\u{200f}\u{61c}\u{2028}\u{2029}",
        );
        check("\u{feff}f32[3]", r"\u{feff}f32[3]");
    }

    /// Cut where an escape would not fit, never in the middle of one.
    #[test]
    fn parts_of_a_text_take_no_more_columns_than_they_may() {
        assert_eq!(beginning("ab\u{1b}cd", 7), "ab");
        assert_eq!(beginning("ab\u{1b}cd", 8), "ab\u{1b}");
        assert_eq!(end("ab\u{1b}cd", 7), "cd");
        assert_eq!(end("ab\u{1b}cd", 8), "\u{1b}cd");
        assert_eq!((beginning("é", 0), end("é", 0)), ("", ""));
        assert_eq!((beginning("漢字", 1), end("漢字", 1)), ("漢", "字"));
    }

    #[test]
    fn messages_keep_both_of_their_ends() {
        let long = format!("the layout {} has no elements", "(1,".repeat(100_000));
        let shown = shown(long);
        assert!(shown.starts_with("the layout (1,(1,"), "{shown}");
        assert!(shown.ends_with("(1, has no elements"), "{shown}");
        assert_eq!(shown.chars().count(), MAX_MESSAGE);
        assert_eq!(super::shown(shown.clone()), shown);
    }
}
