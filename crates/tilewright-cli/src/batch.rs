//! Layouts from stdin, one per line.

use std::io::{self, BufRead, Read};

use tilewright::text::MAX_TEXT;

use crate::console::Console;
use crate::failure::Failure;

/// What may stand around a layout on its line: the blanks of XLA's own reader.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// Of a line that is too long, no more than this is passed over to find its end.
const MAX_SKIPPED: usize = 256 << 20;

/// Runs `each` on the text, or, when that is `-`, on every line of stdin. In a batch a line that
/// fails is reported and the rest goes on; empty lines are passed over.
pub(crate) fn for_each_text(
    text: &str,
    console: &mut Console,
    mut each: impl FnMut(&str, &mut Console) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if text != "-" {
        return each(text, console);
    }
    let mut lines = io::stdin().lock();
    while let Some(line) = next_line(&mut lines)? {
        let outcome = match line.map(String::from_utf8) {
            Some(Ok(line)) if line.trim_matches(BLANKS).is_empty() => continue,
            Some(Ok(line)) => each(line.trim_matches(BLANKS), console),
            Some(Err(_)) => Err(Failure::message("the line is not UTF-8")),
            None => {
                let message = format!("the line has more than the limit of {MAX_TEXT} bytes");
                Err(Failure::message(&message))
            }
        };
        match outcome {
            Err(failure @ Failure::Output(_)) => return Err(failure),
            Err(failure) => console.line_failed(&failure)?,
            Ok(()) => {}
        }
        // There may be no end to what comes, and nobody wants it.
        if !console.is_read() {
            break;
        }
    }
    Ok(())
}

/// The next line of a stream, without its end; nothing of it where it has more bytes than a text may
/// have. Memory for more is never taken, whatever the stream holds.
fn next_line(stream: &mut impl BufRead) -> Result<Option<Option<Vec<u8>>>, Failure> {
    let (mut line, most) = (Vec::new(), MAX_TEXT + 1);
    if stream.by_ref().take(most as u64).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() == most && line.last() != Some(&b'\n') {
        skip_line(stream)?;
        return Ok(Some(None));
    }
    line.pop_if(|last| *last == b'\n');
    Ok(Some(Some(line)))
}

/// Passes over what is left of a line.
fn skip_line(stream: &mut impl BufRead) -> Result<(), Failure> {
    let mut skipped = 0;
    while skipped <= MAX_SKIPPED {
        let here = stream.fill_buf()?;
        let end = here.iter().position(|byte| *byte == b'\n');
        let len = end.map_or(here.len(), |end| end + 1);
        stream.consume(len);
        skipped += len;
        if end.is_some() || len == 0 {
            return Ok(());
        }
    }
    Err(Failure::message(&format!("a line of stdin has more than {MAX_SKIPPED} bytes")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use std::io::{self, BufReader};

    fn lengths(text: &[u8]) -> Vec<Option<usize>> {
        let mut stream = BufReader::new(text);
        let lines = std::iter::from_fn(|| next_line(&mut stream).unwrap());
        lines.map(|line| line.map(|line| line.len())).collect()
    }

    #[test]
    fn lines_are_what_they_are_up_to_the_limit() {
        assert_eq!(lengths(b""), []);
        assert_eq!(lengths(b"ab\n\nc"), [Some(2), Some(0), Some(1)]);
        let long = |len: usize| [vec![b'x'; len], b"\nab\n".to_vec()].concat();
        assert_eq!(lengths(&long(MAX_TEXT)), [Some(MAX_TEXT), Some(2)]);
        assert_eq!(lengths(&long(MAX_TEXT + 1)), [None, Some(2)]);
        assert_eq!(lengths(&long(3 * MAX_TEXT)), [None, Some(2)]);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut endless = BufReader::new(io::repeat(0));
        let error = next_line(&mut endless).unwrap_err();
        assert_eq!(error.to_string(), "a line of stdin has more than 268435456 bytes");
    }
}
