//! The lines of strace's log, taken apart. Texts are written byte by byte (`-xx`).

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::Failing;

/// A call that has come back.
pub(crate) struct Call {
    pub(crate) line: String,
    pub(crate) name: String,
    /// Less than 0 of one that failed.
    pub(crate) result: i64,
    words: Vec<String>,
    /// The bytes of those that are texts.
    texts: Vec<Option<Vec<u8>>>,
}

/// The calls of a log, in the order in which they came back. A call during which another thread was heard is
/// on two lines.
pub(crate) fn calls(log: &str) -> Vec<Call> {
    let mut begun: HashMap<&str, &str> = HashMap::new();
    let mut calls = Vec::new();
    for line in log.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(begin) = rest.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, begin);
            continue;
        }
        let whole = match rest.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
            Some((_, end)) => format!("{}{end}", begun.remove(thread).unwrap_or_default()),
            None => rest.to_owned(),
        };
        calls.extend(Call::of(whole));
    }
    calls
}

impl Call {
    fn of(line: String) -> Option<Self> {
        let (name, rest) = line.split_once('(')?;
        let (arguments, result) = rest.rsplit_once(" = ")?;
        let arguments = arguments.trim_end().strip_suffix(')')?;
        let result: i64 = result.split_whitespace().next()?.parse().ok()?;
        let words: Vec<String> =
            split(arguments).into_iter().map(|word| word.trim().to_owned()).collect();
        let texts = words.iter().map(|word| text(word)).collect();
        Some(Call { name: name.to_owned(), result, words, texts, line })
    }

    pub(crate) fn word(&self, at: usize) -> Failing<&str> {
        self.words.get(at).map(String::as_str).ok_or_else(|| format!("no argument {at}"))
    }

    pub(crate) fn number(&self, at: usize) -> Failing<i64> {
        self.word(at)?.parse().map_err(|error| format!("argument {at}: {error}"))
    }

    pub(crate) fn bytes(&self, at: usize) -> Failing<Vec<u8>> {
        let text = self.texts.get(at).cloned().flatten();
        text.ok_or_else(|| format!("argument {at} is no whole text"))
    }

    pub(crate) fn path(&self, at: usize) -> Failing<&Path> {
        let text = self.texts.get(at).and_then(Option::as_ref);
        let text = text.ok_or_else(|| format!("argument {at} is no whole text"))?;
        Ok(Path::new(std::ffi::OsStr::from_bytes(text)))
    }
}

/// Arguments, at the commas that are in no brackets and no text.
fn split(arguments: &str) -> Vec<&str> {
    let (mut depth, mut is_text, mut begin) = (0, false, 0);
    let mut words = Vec::new();
    for (at, byte) in arguments.bytes().enumerate() {
        match byte {
            b'"' => is_text = !is_text,
            b'[' | b'{' | b'(' if !is_text => depth += 1,
            b']' | b'}' | b')' if !is_text => depth -= 1,
            b',' if !is_text && depth == 0 => {
                words.push(&arguments[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    words.push(&arguments[begin..]);
    words
}

/// `"\x61\x62"`; `None` for what is cut off or no text.
fn text(word: &str) -> Option<Vec<u8>> {
    let inside = word.strip_prefix('"')?.strip_suffix('"')?;
    let bytes = inside.split("\\x").skip(1).map(|hex| u8::from_str_radix(hex, 16).ok());
    bytes.collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let log = "7 pwrite64(5, \"\\x61\\x2c\", 2, 10 <unfinished ...>\n8 close(3) = 0\n\
                   7 <... pwrite64 resumed>) = 2\n7 statx(3, {a=1, b=2}, 0) = -1 EIO (no)\n";
        let calls = calls(log);
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["close", "pwrite64", "statx"]);
        let write = &calls[1];
        assert_eq!(
            (write.number(0), write.bytes(1), write.number(3)),
            (Ok(5), Ok(b"a,".into()), Ok(10))
        );
        assert_eq!((write.result, calls[2].result), (2, -1));
        assert_eq!(calls[2].word(1), Ok("{a=1, b=2}"));
    }
}
