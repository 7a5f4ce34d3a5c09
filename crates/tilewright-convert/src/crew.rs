//! Threads that take tasks from one queue.

use std::num::NonZeroUsize;
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::Context;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tilewright_relayout::Threads;

use crate::memory::Budget;

/// Some threads.
#[derive(Debug)]
pub(crate) struct Crew(ThreadPool);

impl tilewright_relayout::ThreadPool for Crew {
    fn n_threads(&self) -> usize {
        self.0.current_num_threads()
    }

    fn share(&self, helpers: usize, job: &(dyn Fn() + Sync)) {
        self.0.in_place_scope(|scope| {
            (0..helpers).for_each(|_| scope.spawn(|_| job()));
            job();
        });
    }
}

impl Crew {
    /// This many threads; or one per core, or fewer where no more memory is allowed.
    pub(crate) fn new(
        threads: Option<NonZeroUsize>,
        memory: Option<usize>,
    ) -> anyhow::Result<Self> {
        let threads = match (threads, memory) {
            (Some(threads), _) => threads.get(),
            // As many as rayon has by itself.
            (None, None) => 0,
            (None, Some(_)) => {
                let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
                Budget::threads_for(memory, cores)
            }
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Crew(pool.context("cannot start threads")?))
    }

    pub(crate) fn n_threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// The threads, or so many if that is fewer.
    pub(crate) fn threads(&self, most: usize) -> Threads<'_> {
        match NonZeroUsize::new(most) {
            Some(most) if most.get() < self.n_threads() => Threads::Count(most),
            _ => Threads::Pool(self),
        }
    }

    /// What `work` makes of every number below `count`.
    pub(crate) fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        self.0.install(|| (0..count).into_par_iter().map(&work).collect())
    }

    /// Does all tasks, or as many as are begun before one fails. Tasks are begun in their order, so
    /// that files are read and written from front to back. Each thread has a `hand` of its own,
    /// which it keeps from task to task.
    pub(crate) fn work_off<Task, Hand>(
        &self,
        tasks: impl Iterator<Item = Task> + Send,
        hand: impl Fn() -> Hand + Sync,
        work: impl Fn(&mut Hand, Task) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<()> {
        self.work_off_by(usize::MAX, tasks, hand, work)
    }

    /// As [`work_off`](Self::work_off), by no more than so many threads.
    pub(crate) fn work_off_by<Task, Hand>(
        &self,
        threads: usize,
        tasks: impl Iterator<Item = Task> + Send,
        hand: impl Fn() -> Hand + Sync,
        work: impl Fn(&mut Hand, Task) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<()> {
        let queue = Mutex::new(tasks);
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let failure = OnceLock::new();
        self.0.broadcast(|thread| {
            if thread.index() >= threads {
                return;
            }
            let mut hand = hand();
            while failure.get().is_none()
                && let Some(task) = next()
            {
                if let Err(error) = work(&mut hand, task) {
                    // Of several failures the first is told.
                    let _ = failure.set(error);
                }
            }
        });
        failure.into_inner().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_task_is_done_once() {
        for threads in [1, 2, 7] {
            let crew = Crew::new(NonZeroUsize::new(threads), None).unwrap();
            assert_eq!(crew.n_threads(), threads);
            let done: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
            let (hands, count) = (AtomicUsize::new(0), |place: &AtomicUsize| {
                place.fetch_add(1, Ordering::Relaxed);
            });
            crew.work_off(
                0..1000,
                || count(&hands),
                |(), task| {
                    count(&done[task]);
                    Ok(())
                },
            )
            .unwrap();
            assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1));
            assert_eq!(hands.into_inner(), threads);
        }
    }

    #[test]
    fn fewer_threads_do_it_too() {
        let crew = Crew::new(NonZeroUsize::new(5), None).unwrap();
        let (hands, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let count = |number: &AtomicUsize| {
            number.fetch_add(1, Ordering::Relaxed);
        };
        crew.work_off_by(
            2,
            0..100,
            || count(&hands),
            |(), _| {
                count(&done);
                Ok(())
            },
        )
        .unwrap();
        assert_eq!((hands.into_inner(), done.into_inner()), (2, 100));
    }

    #[test]
    fn a_failure_ends_the_work() {
        let crew = Crew::new(NonZeroUsize::new(2), None).unwrap();
        let begun = AtomicUsize::new(0);
        let error = crew
            .work_off(
                0..1_000_000,
                || (),
                |(), task| {
                    begun.fetch_add(1, Ordering::Relaxed);
                    if task == 10 { anyhow::bail!("task {task}") } else { Ok(()) }
                },
            )
            .unwrap_err();
        assert_eq!(error.to_string(), "task 10");
        assert!(begun.into_inner() < 1_000_000);
    }
}
