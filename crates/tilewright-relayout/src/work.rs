//! What a thread keeps between chunks, and what each chunk is given.

use crate::ahead::Ahead;
use crate::boxes::Kept;
use crate::chunk::Piece;
use crate::kernels::Means;
use crate::nest::Loop;
use crate::padding::PadLists;
use std::cell::Cell;

/// Memory that a thread uses again for every chunk.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) means: Means,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) padding: PadLists,
    /// What the next chunk reads.
    pub(crate) ahead: Ahead,
    /// A chunk that is put together in the caches before it is streamed.
    pub(crate) stage: Vec<u8>,
    /// Rows that a chunk is made of, where an array goes through rows.
    pub(crate) rows: Vec<u8>,
    /// A chunk of a swizzled destination before its pieces change places.
    pub(crate) swizzled: Vec<u8>,
    /// Pieces of a swizzled source in order.
    pub(crate) gathered: Vec<u8>,
    /// What moves pieces that have not been prepared.
    pub(crate) kept: Kept,
}

thread_local! {
    /// What a thread keeps from one run to the next, so that a small array costs no allocation.
    static SPARE: Cell<Option<Box<Work>>> = const { Cell::new(None) };
}

/// Buffers that together have more bytes than this are not kept.
pub(crate) const MAX_KEPT: usize = 2 << 20;

impl Work {
    /// What this thread has kept, or nothing yet.
    pub(crate) fn new(means: Means) -> Box<Self> {
        match SPARE.take() {
            Some(mut work) => {
                work.means = means;
                work
            }
            None => Box::new(Self::empty(means)),
        }
    }

    /// Keeps what is small for this thread's next run.
    pub(crate) fn keep(self: Box<Self>) {
        let buffers = [&self.stage, &self.rows, &self.swizzled, &self.gathered];
        let bytes = buffers.iter().map(|buffer| buffer.capacity()).sum::<usize>()
            + self.kept.bytes()
            + self.ahead.held_bytes();
        let n_pieces = self.pieces.capacity() + self.padding.n_pieces();
        if bytes + n_pieces * size_of::<Piece>() <= MAX_KEPT {
            SPARE.set(Some(self));
        }
    }

    fn empty(means: Means) -> Self {
        Work {
            means,
            pieces: Vec::new(),
            loops: Vec::new(),
            padding: PadLists::default(),
            ahead: Ahead::default(),
            stage: Vec::new(),
            rows: Vec::new(),
            swizzled: Vec::new(),
            gathered: Vec::new(),
            kept: Kept::default(),
        }
    }
}

/// The first `len` of a buffer's elements, which holds as many and no more if it has to grow. What it
/// held is given back before that, so that there are never two; what is in it is not said.
pub(crate) fn grown<T: Clone + Default>(buffer: &mut Vec<T>, len: usize) -> &mut [T] {
    if buffer.len() < len {
        *buffer = Vec::new();
        *buffer = vec![T::default(); len];
    }
    buffer.get_mut(..len).unwrap_or_default()
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
