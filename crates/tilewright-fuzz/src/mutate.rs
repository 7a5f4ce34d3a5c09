//! Mutations that are the same every time: what the tests run, without libFuzzer.

/// Numbers that follow from a seed (xorshift).
pub struct Random(u64);

/// Pieces of texts and numbers that readers look for.
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

    /// Some bytes, changed in one to four places; `other` is what parts are taken of.
    pub fn mutated(&mut self, bytes: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(4) * self.below(2) {
            self.change(&mut bytes, other);
        }
        bytes
    }

    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        start..(start + 1 + self.below(12)).min(len)
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = self.below(bytes.len() + 1);
        let range = self.range(bytes.len());
        match self.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 if at < bytes.len() => bytes[at] = self.below(256) as u8,
            2 => drop(bytes.drain(range)),
            3 => {
                let piece = PIECES[self.below(PIECES.len())];
                drop(bytes.splice(at..at, piece.bytes()));
            }
            4 => {
                let copy = bytes[range].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            5 => {
                let from = self.range(other.len());
                drop(bytes.splice(range, other[from].iter().copied()));
            }
            6 => bytes.truncate(at),
            _ => {
                let digits = [0, 1, 2, 7, 255, 65_536][self.below(6)].to_string();
                if let Some(place) = bytes.iter().skip(at).position(u8::is_ascii_digit) {
                    drop(bytes.splice(at + place..=at + place, digits.bytes()));
                }
            }
        }
    }
}
