//! JSON that is fit for a terminal as well.
//!
//! JSON itself asks for no more than U+0000 to U+001F to be escaped. What else acts on a terminal
//! (U+009B begins a command as `ESC [` does) is written as `\uXXXX` too, which any reader takes for
//! the same text.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use tilewright::text::acts;

/// Writes a document on one line.
pub(crate) fn write(out: &mut impl Write, document: &impl Serialize) -> io::Result<()> {
    document.serialize(&mut Serializer::with_formatter(&mut *out, Escaping))?;
    writeln!(out)
}

struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| acts(c)) {
            let (plain, from) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = from.get(c.len_utf8()..).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_escaped_and_comes_back() {
        let name = "a\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{7f}\u{2028}β \u{1f980}\"\\\n";
        let mut out = Vec::new();
        write(&mut out, &serde_json::json!({ name: [name, 1.5, null] })).unwrap();
        let text = String::from_utf8(out).unwrap();
        let escaped = r#"a\u001b]0;x\u0007\u009b2J\u202e\u007f\u2028β 🦀\"\\\n"#;
        assert_eq!(text, format!("{{\"{escaped}\":[\"{escaped}\",1.5,null]}}\n"));
        let back: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back[name][0], name);
    }
}
