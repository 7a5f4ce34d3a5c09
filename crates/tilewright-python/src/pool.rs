//! The threads that move arrays.

use std::num::NonZeroUsize;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Failure;

/// The pool, and the process whose threads it has.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Who moves an array.
pub(crate) enum Movers {
    /// The calling thread.
    Caller,
    /// As many as there are cores.
    Pool(Arc<ThreadPool>),
    /// So many.
    Count(NonZeroUsize),
}

impl Movers {
    /// `threads` of them; where that is not said, as many as there are cores.
    pub(crate) fn of(threads: Option<usize>) -> Result<Self, Failure> {
        match threads.map(NonZeroUsize::new) {
            None => pool().map(Movers::Pool),
            Some(None) => Err(Failure::value("threads=0: there has to be one, at least")),
            Some(Some(NonZeroUsize::MIN)) => Ok(Movers::Caller),
            Some(Some(count)) => {
                // As many as there are cores are there already, and need not be started.
                let pool = pool()?;
                let is_all = pool.current_num_threads() == count.get();
                Ok(if is_all { Movers::Pool(pool) } else { Movers::Count(count) })
            }
        }
    }
}

/// This process's pool. A child that was forked has none of its parent's threads and would wait
/// for them forever, so it gets a pool of its own; the parent's is left as it is.
fn pool() -> Result<Arc<ThreadPool>, Failure> {
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((owner, pool)) = &*known
        && *owner == process::id()
    {
        return Ok(pool.clone());
    }
    let built = ThreadPoolBuilder::new().thread_name(|n| format!("tilewright-{n}")).build();
    let built = built.map_err(|error| Failure::value(format!("cannot start threads: {error}")))?;
    let pool = Arc::new(built);
    let parents = known.replace((process::id(), pool.clone()));
    std::mem::forget(parents);
    Ok(pool)
}
