//! Bytes to text.

use std::borrow::Cow;

use crate::finding::Finding;

/// The bytes as text, borrowed where they are UTF-8. Where they are not, what is wrong is replaced
/// by `\u{fffd}`, and a finding tells the first place.
///
/// ```
/// let (text, finding) = tilewright_hlo::decoded(b"a\nb\xff = f32[] c()");
/// assert_eq!(text, "a\nb\u{fffd} = f32[] c()");
/// assert_eq!(finding.unwrap().line, 2);
/// ```
pub fn decoded(bytes: &[u8]) -> (Cow<'_, str>, Option<Finding>) {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return (Cow::Borrowed(text), None),
        Err(error) => error,
    };
    let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
    let number = memchr::memchr_iter(b'\n', before).count() + 1;
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let line = String::from_utf8_lossy(before.get(start..).unwrap_or_default());
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    let finding = Finding::new(number, &line, line.len(), "bytes that are not UTF-8 were replaced");
    (String::from_utf8_lossy(bytes), Some(finding))
}
