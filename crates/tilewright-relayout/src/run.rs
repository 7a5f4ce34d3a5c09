//! Sharing chunks out to threads.

use crate::kernels::Stores;
use crate::options::Threads;
use crate::work::Work;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Calls `write` with the number and the bytes of every chunk of `dst`, each `chunk_bytes` long
/// but for the last. Every thread has its own [`Work`].
pub(crate) fn for_each_chunk(
    dst: &mut [u8],
    chunk_bytes: usize,
    threads: Threads<'_>,
    stores: Stores,
    write: impl Fn(&mut Work, usize, &mut [u8]) + Sync,
) {
    let chunk_bytes = chunk_bytes.max(1);
    let n_chunks = dst.len().div_ceil(chunk_bytes);
    let alone = |dst: &mut [u8]| {
        let mut work = Work::new(stores);
        let chunks = dst.chunks_mut(chunk_bytes).enumerate();
        chunks.for_each(|(number, chunk)| write(&mut work, number, chunk));
        work.keep();
    };
    let shared = |dst: &mut [u8]| {
        let chunks = dst.par_chunks_mut(chunk_bytes).enumerate();
        chunks.for_each_init(
            || Work::new(stores),
            |work, (number, chunk)| write(work, number, chunk),
        );
    };
    match threads {
        _ if n_chunks <= 1 => alone(dst),
        Threads::Current => alone(dst),
        Threads::Global => shared(dst),
        Threads::Pool(pool) => pool.install(|| shared(dst)),
        Threads::Count(count) => {
            let helpers = count.get().min(n_chunks) - 1;
            with_helpers(helpers, stores, dst.chunks_mut(chunk_bytes).enumerate(), &write);
        }
    }
}

/// Hands items out one by one to the calling thread and to `helpers` more, as far as the system
/// will start them.
fn with_helpers<'a>(
    helpers: usize,
    stores: Stores,
    chunks: impl Iterator<Item = (usize, &'a mut [u8])> + Send,
    write: &(impl Fn(&mut Work, usize, &mut [u8]) + Sync),
) {
    let queue = Mutex::new(chunks);
    let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_off = || {
        let mut work = Work::new(stores);
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
