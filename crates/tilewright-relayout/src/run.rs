//! Sharing chunks out to threads.
//!
//! Every thread has a part of the chunks, neighbours as far as possible, which of this crate's own is the same part
//! of one array after the other as long as the same workers are there. When it is done it takes from what others have
//! left; where the array stays in the caches only the caller does, after a while, and workers take what is nobody's. So
//! nothing depends on whether those who were asked come, nor when.

use crate::desk::Wanted;
use crate::kernels::{Means, Stores};
use crate::options::{ThreadPool, Threads};
use crate::order::Order;
use crate::pool::{Helpers, WOKEN_FOR, helpers};
use crate::work::Work;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The part of the thread that has called, where parts have owners.
const CALLER: usize = 0;

/// Where an array stays in the caches, the caller waits one part in so many of the time that its own part has taken
/// before it takes from others what they have not begun.
const PATIENCE: u32 = 2;

/// A chunk's number and its bytes.
type Chunk<'a> = (usize, &'a mut [u8]);

/// Calls `write` with every part of a destination of so many bytes. Every thread has its own [`Work`].
pub(crate) fn write_parts<T: Send>(
    parts: Vec<T>,
    bytes: usize,
    crew: &Crew<'_>,
    write: impl Fn(&mut Work, T) + Sync,
) {
    share_out(parts, Means::best(Stores::for_bytes(bytes)), crew, write);
}

/// A destination, or a part of it, in chunks.
pub(crate) struct Chunks<'a> {
    pub(crate) dst: &'a mut [u8],
    /// The bytes of each chunk but the last.
    pub(crate) chunk_bytes: usize,
    /// The order of all of them if it is not that of their numbers.
    pub(crate) order: Option<&'a Order>,
}

/// Who writes a destination.
pub(crate) enum Crew<'p> {
    Caller,
    /// Workers of this crate's own, and the caller.
    Own(Helpers),
    /// The threads of a pool that the caller has brought.
    Brought(&'p dyn ThreadPool),
    /// The threads of the pool of rayon's that the caller is in.
    Rayon,
}

impl<'p> Crew<'p> {
    /// Those that it is worth while to ask for an array of so many bytes.
    #[inline]
    pub(crate) fn of(threads: Threads<'p>, bytes: usize) -> Self {
        if bytes < crate::pool::SHARED_FROM || matches!(threads, Threads::Current) {
            return Crew::Caller;
        }
        Self::of_large(threads, bytes)
    }

    #[inline(never)]
    fn of_large(threads: Threads<'p>, bytes: usize) -> Self {
        let own = |most: usize| match helpers(bytes, most) {
            Some(helpers) => Crew::Own(helpers),
            None => Crew::Caller,
        };
        let is_large = bytes >= WOKEN_FOR;
        let crew = match threads {
            Threads::Current => Crew::Caller,
            Threads::Global if rayon::current_thread_index().is_some() => match is_large {
                true => Crew::Rayon,
                false => Crew::Caller,
            },
            Threads::Global => own(usize::MAX),
            Threads::Count(count) => own(count.get() - 1),
            Threads::Pool(pool) if is_large => Crew::Brought(pool),
            Threads::Pool(_) => Crew::Caller,
        };
        if crew.n_threads() == 1 { Crew::Caller } else { crew }
    }

    pub(crate) fn is_caller(&self) -> bool {
        matches!(self, Crew::Caller)
    }

    /// The most threads that there are ever to share with.
    pub(crate) fn n_threads(&self) -> usize {
        match self {
            Crew::Caller => 1,
            Crew::Own(own) => own.ever + 1,
            // One that says it has none has the caller all the same.
            Crew::Brought(pool) => pool.n_threads().max(1),
            Crew::Rayon => rayon::current_num_threads(),
        }
    }
}

impl Chunks<'_> {
    /// Calls `write` with the number and the bytes of every chunk. Every thread has its own
    /// [`Work`].
    pub(crate) fn write(self, crew: &Crew<'_>, write: impl Fn(&mut Work, usize, &mut [u8]) + Sync) {
        let Chunks { dst, chunk_bytes, order } = self;
        let means = Means::best(Stores::for_bytes(dst.len()));
        let write = |work: &mut Work, (number, chunk): Chunk<'_>| write(work, number, chunk);
        if dst.len() <= chunk_bytes {
            let only = (!dst.is_empty()).then_some((0, dst));
            return write_alone(only, means, write);
        }
        let n_chunks = dst.len().div_ceil(chunk_bytes.max(1));
        let is_order =
            |order: &&Order| means.stores == Stores::Streamed && order.n_chunks() == n_chunks;
        let order = order.filter(is_order);
        let chunks = dst.chunks_mut(chunk_bytes.max(1)).enumerate();
        if crew.is_caller() {
            // Nothing is listed.
            let Some(order) = order else { return write_alone(chunks, means, write) };
            return write_alone(order.numbers(), means, |work, number| {
                if let Some(chunk) = dst.chunks_mut(chunk_bytes).nth(number) {
                    write(work, (number, chunk));
                }
            });
        }
        let chunks = match order {
            Some(order) => in_order(chunks, order),
            None => chunks.collect(),
        };
        share_out(chunks, means, crew, write);
    }
}

/// Chunks in this order.
fn in_order<'a>(chunks: impl Iterator<Item = Chunk<'a>>, order: &Order) -> Vec<Chunk<'a>> {
    let mut chunks: Vec<Option<Chunk<'a>>> = chunks.map(Some).collect();
    order.numbers().filter_map(|number| chunks.get_mut(number)?.take()).collect()
}

/// Has parts written by whoever there is; a chunk is one.
fn share_out<T: Send>(
    chunks: Vec<T>,
    means: Means,
    crew: &Crew<'_>,
    write: impl Fn(&mut Work, T) + Sync,
) {
    if chunks.is_empty() {
        return;
    }
    let helpers = match crew {
        Crew::Caller => return write_alone(chunks, means, write),
        Crew::Own(own) => own.wanted.most,
        Crew::Brought(_) | Crew::Rayon => crew.n_threads() - 1,
    };
    let helpers = helpers.min(chunks.len() - 1);
    let shares = Shares::new(chunks, helpers + 1);
    // In memory that the caches hold, another thread's chunk costs much more than an own one: its lines are in that
    // thread's cache from the last array.
    let stays = matches!(crew, Crew::Own(_)) && means.stores == Stores::Cached;
    let work_off = |own: usize| {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut begin = (stays && own == CALLER).then(Instant::now);
            let others = || {
                if stays {
                    let of_nobody = shares.take_of_nobody();
                    if of_nobody.is_some() || own != CALLER {
                        return of_nobody;
                    }
                }
                if let Some(begin) = begin.take() {
                    shares.wait(begin.elapsed() / PATIENCE);
                }
                shares.take(own)
            };
            let own_part = std::iter::from_fn(|| shares.take_of(own));
            write_alone(own_part.chain(std::iter::from_fn(others)), means, &write);
        }));
        if let Err(panic) = outcome {
            shares.fail(panic);
        }
    };
    // Those who are not told which part is theirs begin with the next.
    let come = || work_off(shares.join());
    match crew {
        Crew::Own(own) => {
            let wanted = Wanted { most: helpers, ..own.wanted };
            own.pool.share(wanted, &work_off, |workers| {
                shares.owned.store(1 + workers, Ordering::Relaxed);
                work_off(CALLER);
            });
        }
        Crew::Brought(pool) => {
            pool.share(helpers, &come);
            // What a pool has left undone, whatever its reasons. Nothing, if it does what it says.
            come();
        }
        Crew::Rayon => rayon::in_place_scope(|scope| spread(scope, helpers, &come)),
        Crew::Caller => {}
    }
    if let Some(panic) = shares.into_panic() {
        resume_unwind(panic);
    }
}

/// Has a job done by this thread and so many more of a pool.
fn spread<'scope>(
    scope: &rayon::Scope<'scope>,
    helpers: usize,
    job: &'scope (dyn Fn() + Sync + 'scope),
) {
    (0..helpers).for_each(|_| scope.spawn(move |_| job()));
    job();
}

/// Chunks in as many parts as there are threads. A thread's numbers are on lines of their own, so that
/// none waits for what another writes.
struct Shares<T> {
    chunks: Vec<Mutex<Option<T>>>,
    parts: Vec<Part>,
    /// How many threads have come.
    joined: AtomicUsize,
    /// The first part that none of those has who are told theirs, as soon as that is known.
    owned: AtomicUsize,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// The chunks from `next` to before `end`.
#[repr(align(128))]
struct Part {
    next: AtomicUsize,
    end: usize,
}

impl Part {
    /// Whether there is a chunk that nobody has begun.
    fn is_left(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.end
    }
}

impl<T> Shares<T> {
    fn new(chunks: Vec<T>, threads: usize) -> Self {
        let at = |part: usize| (chunks.len() as u64 * part as u64 / threads as u64) as usize;
        let part = |n: usize| Part { next: AtomicUsize::new(at(n)), end: at(n + 1) };
        let parts = (0..threads).map(part).collect();
        let chunks = chunks.into_iter().map(|chunk| Mutex::new(Some(chunk))).collect();
        Shares {
            chunks,
            parts,
            joined: AtomicUsize::new(0),
            owned: AtomicUsize::new(threads),
            panic: Mutex::new(None),
        }
    }

    /// The part that a thread begins with which is not told.
    fn join(&self) -> usize {
        self.joined.fetch_add(1, Ordering::Relaxed)
    }

    /// The next chunk of this part.
    fn take_of(&self, part: usize) -> Option<T> {
        // So that a part that is done is not written to.
        let part = self.parts.get(part).filter(|part| part.is_left())?;
        let number = part.next.fetch_add(1, Ordering::Relaxed);
        let chunk = self.chunks.get(number).filter(|_| number < part.end)?;
        chunk.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The next chunk of a part that is nobody's.
    fn take_of_nobody(&self) -> Option<T> {
        (self.owned.load(Ordering::Relaxed)..self.parts.len()).find_map(|part| self.take_of(part))
    }

    /// The next chunk of a part, or of one after it.
    fn take(&self, own: usize) -> Option<T> {
        let n = self.parts.len();
        (own..own + n).find_map(|part| self.take_of(part % n))
    }

    /// Waits until there is nothing to be taken any more, or for so long.
    fn wait(&self, at_most: Duration) {
        let begin = Instant::now();
        while self.parts.iter().any(Part::is_left) && begin.elapsed() < at_most {
            // Who is waited for may need this core.
            std::thread::yield_now();
        }
    }

    /// Keeps the first panic for the caller, and leaves no more chunks.
    fn fail(&self, panic: Box<dyn Any + Send>) {
        self.parts.iter().for_each(|part| part.next.store(part.end, Ordering::Relaxed));
        let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        let later = if first.is_none() { first.replace(panic) } else { Some(panic) };
        drop(first);
        // What the drop of a payload might do is none of ours.
        std::mem::forget(later);
    }

    fn into_panic(self) -> Option<Box<dyn Any + Send>> {
        self.panic.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes chunks on this thread, one after the other.
fn write_alone<T>(
    chunks: impl IntoIterator<Item = T>,
    means: Means,
    mut write: impl FnMut(&mut Work, T),
) {
    let mut work = Work::new(means);
    chunks.into_iter().for_each(|chunk| write(&mut work, chunk));
    work.keep();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::Pool;
    use std::sync::Arc;

    /// Crews with workers that are woken for anything.
    fn crews<'p>(pool: &Arc<Pool>, brought: &'p Rayon) -> [Crew<'p>; 3] {
        let ever = pool.ever(usize::MAX);
        let wanted = Wanted { most: ever, woken: ever };
        let own = Helpers { pool: pool.clone(), wanted, ever };
        [Crew::Caller, Crew::Own(own), Crew::Brought(brought)]
    }

    #[derive(Debug)]
    struct Rayon(rayon::ThreadPool);

    impl ThreadPool for Rayon {
        fn n_threads(&self) -> usize {
            self.0.current_num_threads()
        }

        fn share(&self, helpers: usize, job: &(dyn Fn() + Sync)) {
            self.0.in_place_scope(|scope| spread(scope, helpers, job));
        }
    }

    fn rayon_pool() -> Rayon {
        Rayon(rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap())
    }

    /// A pool that does less than it says, or more.
    #[derive(Debug)]
    struct Odd {
        n_threads: usize,
        calls: usize,
    }

    impl ThreadPool for Odd {
        fn n_threads(&self) -> usize {
            self.n_threads
        }

        fn share(&self, _: usize, job: &(dyn Fn() + Sync)) {
            (0..self.calls).for_each(|_| job());
        }
    }

    #[test]
    fn a_pool_need_not_keep_its_word() {
        for (n_threads, calls) in [(0, 0), (0, 3), (1, 0), (4, 0), (4, 1), (4, 9), (usize::MAX, 2)]
        {
            check(&Crew::Brought(&Odd { n_threads, calls }), 500, 7);
        }
    }

    const ROUNDS: usize = if cfg!(miri) { 2 } else { 100 };

    fn check(crew: &Crew<'_>, bytes: usize, chunk_bytes: usize) {
        let mut dst = vec![0u8; bytes];
        let chunks = Chunks { dst: &mut dst, chunk_bytes, order: None };
        chunks.write(crew, |_, number, chunk| {
            chunk.iter_mut().for_each(|byte| *byte += 1 + number as u8 % 100);
        });
        let expected = |at: usize| 1 + (at / chunk_bytes) as u8 % 100;
        assert!(dst.iter().enumerate().all(|(at, byte)| *byte == expected(at)));
    }

    #[test]
    fn every_chunk_is_written_once() {
        let (pool, rayon) = (Arc::new(Pool::new(3)), rayon_pool());
        for crew in crews(&pool, &rayon) {
            for (bytes, chunk_bytes) in [(0, 5), (3, 5), (5, 5), (6, 5), (10, 5), (997, 10)] {
                (0..ROUNDS).for_each(|_| check(&crew, bytes, chunk_bytes));
            }
        }
    }

    #[test]
    fn many_callers_share_a_pool() {
        let (pool, rayon) = (Arc::new(Pool::new(2)), rayon_pool());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for crew in crews(&pool, &rayon) {
                        (0..ROUNDS).for_each(|_| check(&crew, 500, 7));
                    }
                });
            }
        });
        // From within a pool of rayon's too.
        rayon.0.broadcast(|_| {
            crews(&pool, &rayon).iter().for_each(|crew| check(crew, 500, 7));
            check(&Crew::Rayon, 500, 7);
        });
    }

    /// A thread that comes to nothing but one chunk has others written by those who come.
    #[test]
    fn what_is_left_is_taken() {
        let (pool, rayon) = (Arc::new(Pool::new(1)), rayon_pool());
        let [_, own, _] = crews(&pool, &rayon);
        for slow in [0, 9] {
            let others = AtomicUsize::new(0);
            let mut dst = [0; 10];
            Chunks { dst: &mut dst, chunk_bytes: 1, order: None }.write(
                &own,
                |_, number, chunk| {
                    if number == slow {
                        // Five others have been written before this one is.
                        while others.load(Ordering::SeqCst) < 5 {
                            std::thread::yield_now();
                        }
                    }
                    others.fetch_add(1, Ordering::SeqCst);
                    chunk.fill(1);
                },
            );
            assert_eq!(dst, [1; 10]);
        }
    }

    #[test]
    fn a_panic_of_any_thread_reaches_the_caller() {
        let (pool, rayon) = (Arc::new(Pool::new(2)), rayon_pool());
        for crew in &crews(&pool, &rayon)[1..] {
            for bad in [0, 5, 9] {
                let mut dst = [0; 10];
                let chunks = Chunks { dst: &mut dst, chunk_bytes: 1, order: None };
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    chunks.write(crew, |_, number, _| {
                        if number == bad {
                            resume_unwind(Box::new(number));
                        }
                    });
                }));
                assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&bad));
            }
            check(crew, 100, 3);
        }
    }
}
