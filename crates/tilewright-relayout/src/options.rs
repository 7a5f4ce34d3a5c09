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
    #[inline]
    pub(crate) fn pattern(self, bits: u32) -> u128 {
        match self {
            Pad::Zero => 0,
            Pad::Bits(pattern) => pattern & crate::bits::mask(bits),
        }
    }
}

/// Who does the work. The bytes that come out never depend on it.
///
/// Threads are asked only where that takes less time than they save: small arrays never leave the
/// calling thread, and neither do those of a few megabytes unless threads are awake from the last
/// one. The calling thread always does its part, and all that nobody else has begun; where no thread
/// can be started, that is everything.
///
/// ```
/// use tilewright::Shape;
/// use tilewright_relayout::{Placement, Plan, RunOptions, Threads};
/// # fn placement(text: &str) -> Result<Placement, Box<dyn std::error::Error>> {
/// #     Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
/// # }
/// let plan = Plan::new(&placement("u8[2,3]")?, &placement("u8[2,3]{0,1}")?)?;
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// let mut columns = [0; 6];
/// for threads in [Threads::Global, Threads::Pool(&pool)] {
///     let options = RunOptions { threads, ..RunOptions::default() };
///     plan.run(&[1, 2, 3, 4, 5, 6], &mut columns, &options)?;
///     assert_eq!(columns, [1, 4, 2, 5, 3, 6]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub enum Threads<'pool> {
    /// The calling thread and the threads of this crate, one for every other core. They are started
    /// when they are first needed, look out for more work for a fifth of a millisecond after each
    /// array, and then sleep; they keep no process from ending. A process that was forked gets its
    /// own.
    ///
    /// In a thread of a pool of rayon's, the threads of that pool instead.
    #[default]
    Global,
    /// The calling thread alone.
    Current,
    /// As [`Global`](Self::Global), this many threads in all at most, also in a pool of rayon's.
    Count(NonZeroUsize),
    /// The calling thread and the threads of this pool, as many in all as it has.
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
