//! Two clocks: the processor time of one thread, and the wall's.

use std::time::Duration;

/// What is read before and after something that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The time that the calling thread was on a processor: for work on one thread. What else
    /// runs on the machine takes no part in it.
    Thread,
    /// The time that passes: for work on several threads.
    Wall,
}

impl Clock {
    /// The clock for work on this many threads.
    pub(crate) fn of_threads(threads: usize) -> Self {
        if threads == 1 { Clock::Thread } else { Clock::Wall }
    }

    /// How long something takes.
    pub(crate) fn time<T>(self, work: impl FnOnce() -> T) -> (Duration, T) {
        let start = self.now();
        let outcome = work();
        (self.now().saturating_sub(start), outcome)
    }

    fn now(self) -> Duration {
        let id = match self {
            Clock::Thread => libc::CLOCK_THREAD_CPUTIME_ID,
            Clock::Wall => libc::CLOCK_MONOTONIC,
        };
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a timespec that may be written; both clocks exist on Linux.
        unsafe { libc::clock_gettime(id, &raw mut time) };
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_takes_no_thread_time() {
        let nap = || std::thread::sleep(Duration::from_millis(20));
        assert!(Clock::Thread.time(nap).0 < Duration::from_millis(10));
        assert!(Clock::Wall.time(nap).0 >= Duration::from_millis(20));
    }
}
