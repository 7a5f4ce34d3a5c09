//! Reading the head of a file from front to back, by position.

use crate::error::{Error, Fault};
use crate::json::shortened;
use crate::limits::MAX_GGUF_HEADER_BYTES;
use crate::positional::Source;

/// How much is read at once.
const WINDOW: u64 = 1 << 16;

/// Where reading is: nothing before it is looked at again.
///
/// No length is believed before it has been compared with what the file has left, so that memory and
/// time are bounded by bytes that are there, and by [`MAX_GGUF_HEADER_BYTES`].
pub(super) struct Cursor<'a> {
    source: &'a Source,
    at: u64,
    window: Vec<u8>,
    window_start: u64,
    part: &'static str,
    number: u64,
    name: String,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Cursor {
            source,
            at: 0,
            window: Vec::new(),
            window_start: 0,
            part: "the header",
            number: 0,
            name: String::new(),
        }
    }

    /// The byte that is read next.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    /// Says what is read from here on, as errors name it.
    pub(super) fn enter(&mut self, part: &'static str, number: u64) {
        (self.part, self.number) = (part, number);
        self.name.clear();
    }

    /// Says what it is called that is being read.
    pub(super) fn named(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }

    /// An error in what is being read.
    #[cold]
    pub(super) fn fault(&self, fault: &Fault) -> Error {
        let Cursor { part, number, .. } = self;
        let what = match (*part, self.name.as_str()) {
            ("the header", _) => (*part).to_owned(),
            (part, "") => format!("{part} {number}"),
            (part, name) => format!("{part} {number} (`{}`)", shortened(name)),
        };
        self.source.fault(Fault::malformed(format!("{what}: {fault}")))
    }

    /// Checks that `count` things of at least `least` bytes each can still come.
    pub(super) fn expect(&self, what: &str, count: u64, least: u64) -> Result<u64, Error> {
        let left = self.source.len().saturating_sub(self.at);
        let needs = u128::from(count).saturating_mul(u128::from(least));
        if needs > u128::from(left) {
            let what = format!("{what} of {count} at byte {}", self.at);
            return Err(self.fault(&Fault::truncated(&what, needs, left)));
        }
        let needs = u64::try_from(needs).unwrap_or(u64::MAX);
        if self.at.saturating_add(needs) > MAX_GGUF_HEADER_BYTES {
            let end = u128::from(self.at).saturating_add(needs.into());
            let limit = MAX_GGUF_HEADER_BYTES;
            return Err(self.fault(&Fault::limit("the length of the header", end, limit)));
        }
        Ok(needs)
    }

    /// Leaves out `count` things of `width` bytes each.
    pub(super) fn skip(&mut self, what: &str, count: u64, width: u64) -> Result<(), Error> {
        let len = self.expect(what, count, width)?;
        self.advance(len);
        Ok(())
    }

    /// The next `N` bytes.
    pub(super) fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        if let Some(bytes) = self.in_window().and_then(|window| window.first_chunk()) {
            let bytes = *bytes;
            self.advance(N as u64);
            return Ok(bytes);
        }
        self.expect("a number", 1, N as u64)?;
        let len = WINDOW.min(self.source.len().saturating_sub(self.at));
        self.window = self.source.read_vec("the header", self.at, len)?;
        self.window_start = self.at;
        self.advance(N as u64);
        Ok(self.window.first_chunk().copied().unwrap_or([0; N]))
    }

    /// Goes on by so many bytes.
    fn advance(&mut self, len: u64) {
        self.at = self.at.saturating_add(len);
    }

    pub(super) fn u32(&mut self) -> Result<u32, Error> {
        self.fixed().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Error> {
        self.fixed().map(u64::from_le_bytes)
    }

    /// The length of a text, and where it ends: the text itself is left out.
    pub(super) fn skip_text(&mut self) -> Result<(), Error> {
        let len = self.u64()?;
        self.skip("a text", len, 1)
    }

    /// A text of no more than `limit` bytes, as bytes.
    pub(super) fn text(&mut self, what: &str, limit: u64) -> Result<Vec<u8>, Error> {
        let len = self.u64()?;
        if len > limit {
            return Err(self.fault(&Fault::limit(
                &format!("the length of {what}"),
                len.into(),
                limit,
            )));
        }
        self.expect(what, len, 1)?;
        let there = usize::try_from(len).ok().and_then(|len| self.in_window()?.get(..len));
        let bytes = match there {
            Some(bytes) => bytes.to_vec(),
            None => self.source.read_vec(what, self.at, len)?,
        };
        self.advance(len);
        Ok(bytes)
    }

    /// A name of no more than `limit` bytes, which has to be UTF-8.
    pub(super) fn name(&mut self, what: &str, limit: u64) -> Result<String, Error> {
        String::from_utf8(self.text(what, limit)?)
            .map_err(|_| self.fault(&Fault::malformed(format!("{what} is not UTF-8"))))
    }

    /// What has been read from here on, if anything has.
    fn in_window(&self) -> Option<&[u8]> {
        let start = usize::try_from(self.at.checked_sub(self.window_start)?).ok()?;
        self.window.get(start..)
    }
}
