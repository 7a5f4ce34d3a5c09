//! The threads of this crate, and when they are worth their while.
//!
//! Handing work to a thread that looks out for it takes some tenths of a microsecond; waking one takes
//! 20 to 30, of which the caller's share are about ten. So a worker looks out for [`AWAKE`] after it has
//! been used. As long as it does, an array of [`SHARED_FROM`] bytes is shared with it. One that sleeps
//! is woken for an array of [`WOKEN_FOR`] bytes, or when so many have been moved without it, one array
//! soon after the other, or shared with workers since the last one was woken: arrays that follow each other once do so
//! again.

use crate::desk::{Desk, Job, Step, Wanted, lend};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Smaller arrays are moved by the caller alone. Of what is moved in one go the larger side counts, else the destination.
pub(crate) const SHARED_FROM: usize = 192 << 10;

/// There are as many threads at most as the square root of how many times an array has so many bytes: what it costs to
/// share grows with the threads, and what each of them saves falls.
const BYTES_A_SQUARE: usize = 16 << 10;

/// A worker is woken, or started, for so many bytes.
pub(crate) const WOKEN_FOR: usize = 4 << 20;

/// And another one for each so many more.
const BYTES_A_WAKE: usize = 2 << 20;

/// The most bytes whose sharing pays for workers that are woken later.
const MOST_EARNED: u64 = 4 * WOKEN_FOR as u64;

/// What the slowest arrays are written with by one thread.
const BYTES_A_NANOSECOND: u64 = 2;

/// How long a worker looks out for more before it sleeps.
const AWAKE: Duration = Duration::from_micros(200);

/// Workers that come when they are needed, and stay.
pub(crate) struct Pool {
    desks: Vec<Arc<Desk>>,
    /// The process in which they are: a child that is forked has none of them.
    process: u32,
    begin: Instant,
    /// How many callers there are now.
    callers: AtomicUsize,
    /// The bytes that were lately moved without a worker, and when, in nanoseconds.
    missed: AtomicU64,
    missed_at: AtomicU64,
    /// The bytes that were shared with workers that were awake, less those that waking has cost.
    earned: AtomicU64,
}

/// The pool that all callers of a process share.
static POOL: OnceLock<Arc<Pool>> = OnceLock::new();

/// That of a child which was forked after its parent's was there.
static CHILDS: Mutex<Option<Arc<Pool>>> = Mutex::new(None);

impl Pool {
    /// With a worker for every core but one.
    fn of_all_cores() -> Arc<Pool> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Arc::new(Pool::new(cores - 1))
    }

    /// The pool of a child. `None` while another thread looks for it.
    fn of_child() -> Option<Arc<Pool>> {
        // A grandchild may be forked while a thread that it does not have holds the lock.
        let mut pool = CHILDS.try_lock().ok()?;
        if let Some(pool) = pool.as_ref().filter(|pool| pool.is_here()) {
            return Some(pool.clone());
        }
        let new = Self::of_all_cores();
        // The other one is left as it is: somebody may have been in the middle of anything.
        std::mem::forget(pool.replace(new.clone()));
        Some(new)
    }

    /// Whether its workers are in this process.
    fn is_here(&self) -> bool {
        self.process == std::process::id()
    }

    /// With so many workers at most. None is started yet.
    pub(crate) fn new(workers: usize) -> Self {
        Pool {
            desks: (0..workers).map(|_| Arc::default()).collect(),
            process: std::process::id(),
            begin: Instant::now(),
            callers: AtomicUsize::new(0),
            missed: AtomicU64::new(0),
            missed_at: AtomicU64::new(0),
            earned: AtomicU64::new(0),
        }
    }

    /// The most workers that there ever are for an array of so many bytes.
    pub(crate) fn ever(&self, bytes: usize) -> usize {
        let threads = (bytes / BYTES_A_SQUARE).isqrt();
        threads.saturating_sub(1).min(self.desks.len())
    }

    /// The workers that are wanted now beside the caller for an array of so many bytes, `most` at most.
    fn wanted(&self, bytes: usize, most: usize) -> Wanted {
        // Other callers have a core each.
        let free = self.desks.len().saturating_sub(self.callers.load(Ordering::Relaxed));
        let most = most.min(free);
        let steps = || self.desks.iter().map(|desk| desk.step());
        let awake = steps().filter(|step| *step == Step::Awake).count();
        let others = steps().filter(|step| matches!(step, Step::Asleep | Step::Absent)).count();
        let woken = match bytes {
            _ if awake >= most || others == 0 => 0,
            WOKEN_FOR.. => 1 + (bytes - WOKEN_FOR) / BYTES_A_WAKE,
            _ => usize::from(self.is_missed(bytes as u64) || self.has_earned()),
        };
        if awake.min(most) > 0 {
            self.earn(bytes as u64);
        }
        let woken = woken.min(others).min(most.saturating_sub(awake));
        Wanted { most: most.min(awake + woken), woken }
    }

    /// Whether a worker has been missed for so long that it is worth while to wake it. The numbers are
    /// no more than a hint.
    fn is_missed(&self, bytes: u64) -> bool {
        let now = self.begin.elapsed().as_nanos() as u64;
        let is_soon =
            is_soon(now.saturating_sub(self.missed_at.swap(now, Ordering::Relaxed)), bytes);
        let missed = if is_soon { self.missed.load(Ordering::Relaxed) } else { 0 } + bytes;
        let is_much = missed >= WOKEN_FOR as u64;
        self.missed.store(if is_much { 0 } else { missed }, Ordering::Relaxed);
        is_much
    }

    /// Counts what is shared with workers that are awake.
    fn earn(&self, bytes: u64) {
        let earned = self.earned.load(Ordering::Relaxed).saturating_add(bytes);
        self.earned.store(earned.min(MOST_EARNED), Ordering::Relaxed);
    }

    /// Whether as much has been shared since the last time as a worker is woken for, which is then spent.
    fn has_earned(&self) -> bool {
        let earned = self.earned.load(Ordering::Relaxed).checked_sub(WOKEN_FOR as u64);
        earned.inspect(|&rest| self.earned.store(rest, Ordering::Relaxed)).is_some()
    }

    /// Has the job done by the workers and, as `meanwhile`, by the caller, who is told how many workers have it.
    pub(crate) fn share(&self, wanted: Wanted, job: Job<'_>, meanwhile: impl FnOnce(usize)) {
        struct Caller<'p>(&'p Pool);
        impl Drop for Caller<'_> {
            fn drop(&mut self) {
                self.0.callers.fetch_sub(1, Ordering::Relaxed);
            }
        }
        self.callers.fetch_add(1, Ordering::Relaxed);
        let _caller = Caller(self);
        lend(&self.desks, wanted, AWAKE, job, meanwhile);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.desks.iter().for_each(|desk| desk.end());
    }
}

/// The workers that an array is shared with.
pub(crate) struct Helpers {
    pub(crate) pool: Arc<Pool>,
    pub(crate) wanted: Wanted,
    /// The most that there are ever for as many bytes, whoever asks.
    pub(crate) ever: usize,
}

/// Who is wanted for an array of so many bytes, `most` workers at most; `None` if the caller had better write it
/// alone.
pub(crate) fn helpers(bytes: usize, most: usize) -> Option<Helpers> {
    if bytes < SHARED_FROM || most == 0 || is_single() {
        return None;
    }
    let of = |pool: &Arc<Pool>| {
        let ever = pool.ever(bytes);
        let wanted = pool.wanted(bytes, ever.min(most));
        (wanted.most > 0).then(|| Helpers { pool: pool.clone(), wanted, ever: ever.min(most) })
    };
    let helpers = of(POOL.get_or_init(Pool::of_all_cores))?;
    // To ask for the process takes as long as to move some kilobytes, so that is done last.
    if helpers.pool.is_here() { Some(helpers) } else { of(&Pool::of_child()?) }
}

/// Whether an array of so many bytes follows soon on another one like it, so many nanoseconds after that was begun: while
/// a worker would still have looked out, or written.
fn is_soon(since: u64, bytes: u64) -> bool {
    since < AWAKE.as_nanos() as u64 + bytes / BYTES_A_NANOSECOND
}

/// Whether there are no threads to be started, nor a clock or a process to be asked for.
fn is_single() -> bool {
    cfg!(target_family = "wasm")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_are_wanted_cost_less_than_they_do() {
        let pool = Pool::new(3);
        let wanted = |bytes| {
            let Wanted { most, woken } = pool.wanted(bytes, pool.ever(bytes));
            (most, woken)
        };
        assert_eq!(wanted(SHARED_FROM), (0, 0), "nobody is awake");
        assert_eq!(wanted(WOKEN_FOR), (1, 1));
        assert_eq!(wanted(WOKEN_FOR + 2 * BYTES_A_WAKE), (3, 3));
        assert_eq!(wanted(1 << 30), (3, 3), "there are no more");
        let _other = pool.callers.fetch_add(2, Ordering::Relaxed);
        assert_eq!(wanted(1 << 30), (1, 1), "other callers have the cores");
    }

    #[test]
    fn many_small_ones_are_a_large_one() {
        let pool = Pool::new(1);
        let most = (WOKEN_FOR >> 20) as u64;
        pool.missed_at.store(u64::MAX, Ordering::Relaxed);
        let calls = (1..=most).map(|_| {
            // As if the last one had been right now.
            pool.missed_at.store(u64::MAX, Ordering::Relaxed);
            pool.is_missed(1 << 20)
        });
        assert_eq!(calls.filter(|is_missed| *is_missed).count(), 1);
    }

    #[test]
    fn what_has_been_shared_pays_for_waking() {
        let pool = Pool::new(2);
        let times = || (0..100).take_while(|_| pool.has_earned()).count();
        assert_eq!(times(), 0);
        pool.earn(WOKEN_FOR as u64 - 1);
        assert_eq!(times(), 0);
        pool.earn(WOKEN_FOR as u64 + 1);
        assert_eq!(times(), 2);
        (0..100).for_each(|_| pool.earn(1 << 20));
        assert_eq!(times() as u64, MOST_EARNED / WOKEN_FOR as u64);
    }

    /// One thread may take longer for an array than a worker looks out.
    #[test]
    fn an_array_that_takes_long_is_followed_soon() {
        let look_out = AWAKE.as_nanos() as u64;
        assert!(is_soon(look_out - 1, 0));
        assert!(!is_soon(look_out, 0));
        assert!(is_soon(look_out + 100_000, 1 << 20));
        assert!(!is_soon(look_out + 1_000_000, 1 << 20), "it has been over for long");
    }

    #[test]
    fn more_threads_are_for_much_more() {
        let pool = Pool::new(15);
        let threads = |bytes| pool.ever(bytes) + 1;
        assert_eq!([SHARED_FROM, 1 << 20, 4 << 20, 1 << 30].map(threads), [3, 8, 16, 16]);
    }
}
