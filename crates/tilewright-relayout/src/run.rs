//! Sharing chunks out to threads.

use crate::kernels::{Means, Stores};
use crate::options::Threads;
use crate::order::Order;
use crate::work::Work;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// A chunk's number and its bytes.
type Chunk<'a> = (usize, &'a mut [u8]);

/// A destination, or a part of it, in chunks.
pub(crate) struct Chunks<'a> {
    pub(crate) dst: &'a mut [u8],
    /// The bytes of each chunk but the last.
    pub(crate) chunk_bytes: usize,
    /// The order of all of them if it is not that of their numbers.
    pub(crate) order: Option<&'a Order>,
}

impl Chunks<'_> {
    /// Calls `write` with the number and the bytes of every chunk. Every thread has its own
    /// [`Work`].
    pub(crate) fn write(
        self,
        threads: Threads<'_>,
        write: impl Fn(&mut Work, usize, &mut [u8]) + Sync,
    ) {
        let Chunks { dst, chunk_bytes, order } = self;
        let means = Means::best(Stores::for_bytes(dst.len()));
        if dst.len() <= chunk_bytes {
            let only = (!dst.is_empty()).then_some((0, dst));
            return write_alone(only, means, write);
        }
        let order = order.filter(|_| means.stores == Stores::Streamed);
        let chunks = dst.chunks_mut(chunk_bytes.max(1)).enumerate();
        if order.is_none() && matches!(threads, Threads::Current) {
            return write_alone(chunks, means, write);
        }
        let chunks: Vec<Chunk<'_>> = chunks.collect();
        let chunks = match order {
            Some(order) => in_order(chunks, &order.numbers()),
            None => chunks,
        };
        share_out(chunks, means, threads, write);
    }
}

/// Chunks in the order of these numbers, and after them any that are left.
fn in_order<'a>(chunks: Vec<Chunk<'a>>, numbers: &[usize]) -> Vec<Chunk<'a>> {
    let mut chunks: Vec<Option<Chunk<'a>>> = chunks.into_iter().map(Some).collect();
    let mut ordered: Vec<Chunk<'a>> =
        numbers.iter().filter_map(|&number| chunks.get_mut(number)?.take()).collect();
    ordered.extend(chunks.into_iter().flatten());
    ordered
}

fn share_out(
    chunks: Vec<Chunk<'_>>,
    means: Means,
    threads: Threads<'_>,
    write: impl Fn(&mut Work, usize, &mut [u8]) + Sync,
) {
    let shared = |chunks: Vec<Chunk<'_>>| {
        chunks
            .into_par_iter()
            .for_each_init(|| Work::new(means), |work, (number, chunk)| write(work, number, chunk));
    };
    match threads {
        Threads::Current => write_alone(chunks, means, write),
        Threads::Global => shared(chunks),
        Threads::Pool(pool) => pool.install(|| shared(chunks)),
        Threads::Count(count) => {
            let helpers = count.get().min(chunks.len()) - 1;
            with_helpers(helpers, means, chunks.into_iter(), &write);
        }
    }
}

/// Writes chunks on this thread, one after the other.
fn write_alone<'a>(
    chunks: impl IntoIterator<Item = Chunk<'a>>,
    means: Means,
    write: impl Fn(&mut Work, usize, &mut [u8]),
) {
    let mut work = Work::new(means);
    chunks.into_iter().for_each(|(number, chunk)| write(&mut work, number, chunk));
    work.keep();
}

/// Hands items out one by one to the calling thread and to `helpers` more, as far as the system
/// will start them.
fn with_helpers<'a>(
    helpers: usize,
    means: Means,
    chunks: impl Iterator<Item = Chunk<'a>> + Send,
    write: &(impl Fn(&mut Work, usize, &mut [u8]) + Sync),
) {
    let queue = Mutex::new(chunks);
    let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_off = || {
        let mut work = Work::new(means);
        while let Some((number, chunk)) = take() {
            write(&mut work, number, chunk);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..helpers {
            if std::thread::Builder::new().spawn_scoped(scope, work_off).is_err() {
                break;
            }
        }
        work_off();
    });
}
