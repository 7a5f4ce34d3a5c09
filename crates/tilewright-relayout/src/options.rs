//! What a caller chooses for each run: what padding holds, and who does the work.

use std::num::NonZeroUsize;

/// What is written to the slots of the destination that hold no element.
///
/// Bits after the last slot, where the buffer was rounded up to bytes, are always zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pad {
    /// All bits zero.
    #[default]
    Zero,
    /// As many of the low bits of this number as a destination slot has.
    Bits(u128),
}

impl Pad {
    /// The pattern, cut to `bits`.
    pub(crate) fn pattern(self, bits: u32) -> u128 {
        match self {
            Pad::Zero => 0,
            Pad::Bits(pattern) => pattern & crate::bits::mask(bits),
        }
    }
}

/// Who does the work. The bytes that come out never depend on it.
///
/// Small arrays are one chunk of work and never leave the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub enum Threads<'pool> {
    /// Rayon's current pool: the global one unless the caller is inside another.
    #[default]
    Global,
    /// The calling thread alone.
    Current,
    /// The calling thread and others started for the occasion, this many in all at most.
    Count(NonZeroUsize),
    /// The threads of this pool.
    Pool(&'pool rayon::ThreadPool),
}

/// The choices for one run of a [`Plan`](crate::Plan).
///
/// ```
/// use tilewright_relayout::{Pad, RunOptions, Threads};
/// let options = RunOptions { pad: Pad::Bits(0x7fc0), threads: Threads::Current };
/// assert_eq!(RunOptions::default().pad, Pad::Zero);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions<'pool> {
    /// What padding holds.
    pub pad: Pad,
    /// Who does the work.
    pub threads: Threads<'pool>,
}
