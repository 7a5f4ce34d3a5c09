//! What a caller chooses for each run: what padding holds, and who does the work.

use std::fmt::Debug;
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

/// A pool of threads that a caller brings, whoever made it.
///
/// Of rayon's it is:
///
/// ```
/// use tilewright_relayout::ThreadPool;
///
/// #[derive(Debug)]
/// struct Rayon(rayon::ThreadPool);
///
/// impl ThreadPool for Rayon {
///     fn n_threads(&self) -> usize {
///         self.0.current_num_threads()
///     }
///     fn share(&self, helpers: usize, job: &(dyn Fn() + Sync)) {
///         self.0.in_place_scope(|scope| {
///             (0..helpers).for_each(|_| scope.spawn(|_| job()));
///             job();
///         });
///     }
/// }
/// ```
///
/// A pool that calls the job less often than it is asked to is slower, and one that calls it more often gains
/// nothing: a job takes what no other call has begun. A pool that never calls it leaves everything to the calling
/// thread, which does that after `share` has returned.
pub trait ThreadPool: Debug + Sync {
    /// How many threads there are, the calling one included where it is one of them.
    fn n_threads(&self) -> usize;

    /// Calls `job` on the calling thread and on up to so many others at the same time, and returns when all of these
    /// calls have. It does not panic.
    fn share(&self, helpers: usize, job: &(dyn Fn() + Sync));
}

/// Who does the work. The bytes that come out never depend on it.
///
/// Threads are asked only where that takes less time than they save: small arrays never leave the
/// calling thread, and neither do those of a few megabytes unless they follow each other. The calling
/// thread always does its part, and all that nobody else has begun; where no thread can be started,
/// that is everything.
///
/// ```
/// use tilewright::Shape;
/// use tilewright_relayout::{Placement, Plan, RunOptions, ThreadPool, Threads};
/// # #[derive(Debug)]
/// # struct Own;
/// # impl ThreadPool for Own {
/// #     fn n_threads(&self) -> usize { 2 }
/// #     fn share(&self, helpers: usize, job: &(dyn Fn() + Sync)) {
/// #         std::thread::scope(|scope| (0..=helpers).for_each(|_| drop(scope.spawn(job))));
/// #     }
/// # }
/// # fn placement(text: &str) -> Result<Placement, Box<dyn std::error::Error>> {
/// #     Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
/// # }
/// let plan = Plan::new(&placement("u8[2,3]")?, &placement("u8[2,3]{0,1}")?)?;
/// let pool = Own; // a ThreadPool
/// let mut columns = [0; 6];
/// for threads in [Threads::Global, Threads::Pool(&pool)] {
///     let options = RunOptions { threads, ..RunOptions::default() };
///     plan.run(&[1, 2, 3, 4, 5, 6], &mut columns, &options)?;
///     assert_eq!(columns, [1, 4, 2, 5, 3, 6]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
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
    Pool(&'pool dyn ThreadPool),
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
