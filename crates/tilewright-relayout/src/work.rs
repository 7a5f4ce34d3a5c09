//! What a thread keeps between chunks, and what each chunk is given.

use crate::chunk::Piece;
use crate::kernels::{Level, Lists, Means, Stores};
use crate::nest::Loop;
use crate::packed::FoldWork;
use crate::padding::PadLists;

/// Memory that a thread uses again for every chunk.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) means: Means,
    pub(crate) lists: Lists,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) padding: PadLists,
    pub(crate) folds: FoldWork,
    /// A chunk that is put together in the caches before it is streamed.
    pub(crate) stage: Vec<u8>,
    /// Elements of the chunk, one per byte, before they are packed.
    pub(crate) elements: Vec<u8>,
    /// Elements of the source, one per byte, after they are unpacked.
    pub(crate) unpacked: Vec<u8>,
    /// Elements of the chunk that are wider than a byte.
    pub(crate) wide: Vec<u128>,
}

impl Work {
    /// Nothing yet, for the best registers that there are.
    pub(crate) fn new(stores: Stores) -> Self {
        Work {
            means: Means { level: Level::best(), stores },
            lists: Lists::default(),
            pieces: Vec::new(),
            loops: Vec::new(),
            padding: PadLists::default(),
            folds: FoldWork::default(),
            stage: Vec::new(),
            elements: Vec::new(),
            unpacked: Vec::new(),
            wide: Vec::new(),
        }
    }
}

/// A part of the source: some bytes, and where in the source the first of them is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourcePart<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) start: usize,
}

impl<'a> SourcePart<'a> {
    /// The bit of this part that is bit `bit` of the source.
    pub(crate) fn place_of(self, bit: i64) -> usize {
        (bit as usize).saturating_sub(self.start.saturating_mul(8))
    }
}
