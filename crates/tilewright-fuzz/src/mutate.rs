//! Mutations that are the same every time: what is run without libFuzzer.
//!
//! A mutation is one to four changes. A change knows three things of what it changes, none of them of one notation alone:
//! *words* (letters and digits that stand together, as `f32` and `128`, or one other character), *groups* (from a bracket to
//! the one that closes it), and *lines*. So `(4,8):(8,1)` becomes `((4,8),8):(8,1)` sooner than `(4,8:(8,1)`.

use std::ops::Range;

/// Numbers that follow from a seed (xorshift).
pub struct Random(u64);

/// Pieces of texts that readers look for.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    "*",
    "_",
    "<=",
    "-",
    "0",
    "1",
    "9223372036854775807",
    "-1",
    "T(8,128)",
    "(2,1)",
    "E(4)",
    "L(3)",
    "S(1)",
    "PAD(",
    "SC(0:2)",
    "f32",
    "s4",
    " o ",
    "Sw<3,0,3>",
    "@",
    "\"",
    "\\u0000",
    "null",
    "4294967296",
    "\n",
    "\t",
    "é",
    "\u{202e}",
    "bf16[16,16]",
    "strides=",
    "ab",
    "16b",
];

/// Numbers where something begins or ends.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    3,
    7,
    8,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    u32::MAX as u64,
    1 << 32,
    i64::MAX as u64,
    u64::MAX,
];

impl Random {
    /// Other numbers for every seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From 0 to before `end`, which is above 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * end as u128) >> 64) as usize
    }

    /// Changes some bytes in one to four places; `other` is what parts are taken of, and `words` are some to put in.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>, other: &[u8], words: &[Vec<u8>]) {
        for _ in 0..=self.below(4) * self.below(2) {
            match self.below(16) {
                0..=4 => self.change_bytes(bytes, other),
                5..=8 => self.change_words(bytes, other, words),
                9 | 10 => self.change_numbers(bytes),
                11..=13 => self.change_groups(bytes, other),
                14 => self.change_lines(bytes, other),
                _ => self.overwrite(bytes),
            }
        }
    }

    fn range(&mut self, len: usize) -> Range<usize> {
        let start = self.below(len + 1);
        start..(start + 1 + self.below(12)).min(len)
    }

    /// What knows of nothing: bits, bytes, and runs of up to 12 bytes.
    fn change_bytes(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(bytes.len() + 1);
        let range = self.range(bytes.len());
        match self.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 if at < bytes.len() => bytes[at] = self.below(256) as u8,
            2 => drop(bytes.drain(range)),
            3 => drop(bytes.splice(at..at, PIECES[self.below(PIECES.len())].bytes())),
            4 => {
                let copy = bytes[range].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            5 => {
                let from = self.range(other.len());
                drop(bytes.splice(range, other[from].iter().copied()));
            }
            _ => bytes.truncate(at),
        }
    }

    /// Words put in, replaced and left out; and the rest from a word on replaced by the rest of the other input.
    fn change_words(&mut self, bytes: &mut Vec<u8>, other: &[u8], words: &[Vec<u8>]) {
        let own = self.word(bytes);
        let [begin, end] = [own.start, own.end];
        let from = self.word(other);
        match self.below(6) {
            0 | 1 if !words.is_empty() => {
                let word = &words[self.below(words.len())];
                let place = if self.below(3) == 0 { begin..begin } else { own };
                drop(bytes.splice(place, word.iter().copied()));
            }
            2 => drop(bytes.splice(own, other[from].iter().copied())),
            3 => drop(bytes.drain(own)),
            4 => drop(bytes.splice(begin.., other[from.start..].iter().copied())),
            _ => {
                let copy = bytes[own].to_vec();
                drop(bytes.splice(end..end, copy));
            }
        }
    }

    /// A number in decimal becomes another one, a neighbour or one where something ends.
    fn change_numbers(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len() + 1);
        let Some(begin) = (at..bytes.len()).find(|&place| bytes[place].is_ascii_digit()) else {
            return;
        };
        let end = (begin..bytes.len()).find(|&place| !bytes[place].is_ascii_digit());
        let own = begin..end.unwrap_or(bytes.len()).min(begin + 20);
        let value = bytes[own.clone()].iter().fold(0u64, |value, digit| {
            value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'))
        });
        let value = match self.below(5) {
            0 => value.wrapping_add(1),
            1 => value.wrapping_sub(1),
            2 => value.wrapping_mul(2),
            3 => 1 + self.below(20) as u64,
            _ => NUMBERS[self.below(NUMBERS.len())],
        };
        drop(bytes.splice(own, value.to_string().bytes()));
    }

    /// A group left out, written twice, put into brackets, or replaced by one of the other input.
    fn change_groups(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let Some(own) = self.group(bytes) else { return };
        match self.below(5) {
            0 => drop(bytes.drain(own)),
            1 => {
                let copy = [b",", &bytes[own.clone()]].concat();
                drop(bytes.splice(own.end..own.end, copy));
            }
            2 => {
                let within = self.word(bytes);
                let copy = bytes[own].to_vec();
                drop(bytes.splice(within, copy));
            }
            _ => {
                if let Some(from) = self.group(other) {
                    drop(bytes.splice(own, other[from].iter().copied()));
                }
            }
        }
    }

    /// A line left out, written twice, moved, or taken of the other input.
    fn change_lines(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let own = self.line(bytes);
        let [begin, end] = [own.start, own.end];
        match self.below(4) {
            0 => drop(bytes.drain(own)),
            1 => {
                let copy = bytes[own].to_vec();
                drop(bytes.splice(end..end, copy));
            }
            2 => {
                let line: Vec<u8> = bytes.drain(own).collect();
                let to = self.line(bytes).start;
                drop(bytes.splice(to..to, line));
            }
            _ => {
                let from = self.line(other);
                drop(bytes.splice(begin..begin, other[from].iter().copied()));
            }
        }
    }

    /// A number as files have them: 1, 2, 4 or 8 bytes, the lowest first.
    fn overwrite(&mut self, bytes: &mut [u8]) {
        let length = 1 << self.below(4);
        if bytes.len() >= length {
            let at = self.below(bytes.len() - length + 1);
            let number = NUMBERS[self.below(NUMBERS.len())].to_le_bytes();
            bytes[at..at + length].copy_from_slice(&number[..length]);
        }
    }

    /// The word at some place; nothing, at the end, where there is none.
    fn word(&mut self, bytes: &[u8]) -> Range<usize> {
        word_at(bytes, self.below(bytes.len() + 1))
    }

    /// The line at some place, its end included.
    fn line(&mut self, bytes: &[u8]) -> Range<usize> {
        let at = self.below(bytes.len() + 1);
        let begin = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let end = bytes[at..].iter().position(|&byte| byte == b'\n');
        begin..end.map_or(bytes.len(), |end| at + end + 1)
    }

    /// The next group from some place on.
    fn group(&mut self, bytes: &[u8]) -> Option<Range<usize>> {
        let at = self.below(bytes.len() + 1);
        let opens = |byte: &u8| matches!(byte, b'(' | b'[' | b'{' | b'<');
        let begin = at + bytes[at..].iter().position(opens)?;
        let mut depth = 0;
        for (number, byte) in bytes[begin..].iter().enumerate() {
            depth += i64::from(opens(byte)) - i64::from(matches!(byte, b')' | b']' | b'}' | b'>'));
            if depth == 0 {
                return Some(begin..begin + number + 1);
            }
        }
        None
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn word_at(bytes: &[u8], at: usize) -> Range<usize> {
    if at >= bytes.len() || !is_of_word(bytes[at]) {
        return at..(at + 1).min(bytes.len());
    }
    let begin = bytes[..at].iter().rposition(|&byte| !is_of_word(byte)).map_or(0, |end| end + 1);
    let end = bytes[at..].iter().position(|&byte| !is_of_word(byte));
    begin..end.map_or(bytes.len(), |end| at + end)
}

/// The words of some bytes, of 2 to 24 bytes each.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = bytes.split(|&byte| !is_of_word(byte));
    words.filter(|word| (2..=24).contains(&word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole() {
        let text = b"f32[3,128]";
        assert_eq!(word_at(text, 1), 0..3);
        assert_eq!(word_at(text, 3), 3..4);
        assert_eq!(word_at(text, 7), 6..9);
        assert_eq!(word_at(text, 10), 10..10);
        assert_eq!(words(text).collect::<Vec<_>>(), [&b"f32"[..], b"128"]);
    }

    /// Wherever it begins to look: a group is closed by the bracket that it is opened by.
    #[test]
    fn groups_are_closed() {
        let text = b"a((1,2),{3})b";
        let mut random = Random::new(1);
        let mut found: Vec<&[u8]> = Vec::new();
        for _ in 0..1000 {
            found.extend(random.group(text).map(|group| &text[group]));
        }
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, [&b"((1,2),{3})"[..], b"(1,2)", b"{3}"]);
    }

    /// Nothing is too short to be changed.
    #[test]
    fn anything_can_be_mutated() {
        let mut random = Random::new(7);
        for bytes in [&b""[..], b"\n", b"(", b"9", b"\xff\xfe", b"(a)\n[1]"] {
            for other in [&b""[..], b")", b"{2}\nx"] {
                (0..2000).for_each(|_| random.mutate(&mut bytes.to_vec(), other, &[]));
            }
        }
    }
}
