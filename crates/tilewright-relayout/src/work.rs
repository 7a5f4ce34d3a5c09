//! What a thread keeps between chunks, and what each chunk is given.

use crate::chunk::Piece;
use crate::nest::Loop;

/// Memory that a thread uses again for every chunk.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) loops: Vec<Loop>,
    /// Elements of the chunk, one per byte, before they are packed.
    pub(crate) elements: Vec<u8>,
    /// Elements of the source, one per byte, after they are unpacked.
    pub(crate) unpacked: Vec<u8>,
    /// Elements of the chunk that are wider than a byte.
    pub(crate) wide: Vec<u128>,
}

/// A part of the source: some bytes, and where in the source the first of them is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourcePart<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) start: usize,
}

impl<'a> SourcePart<'a> {
    /// The part as whole units of `N` bytes, and the number of the first unit in the source.
    pub(crate) fn units<const N: usize>(self) -> (&'a [[u8; N]], i64) {
        let first = self.start.div_ceil(N);
        let skipped = first.saturating_mul(N) - self.start;
        let bytes = self.bytes.get(skipped..).unwrap_or_default();
        (bytes.as_chunks::<N>().0, first as i64)
    }

    /// The bit of this part that is bit `bit` of the source.
    pub(crate) fn place_of(self, bit: i64) -> usize {
        (bit as usize).saturating_sub(self.start.saturating_mul(8))
    }
}
