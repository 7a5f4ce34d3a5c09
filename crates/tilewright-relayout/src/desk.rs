//! Lending a job to threads that outlive it.
//!
//! A worker stays when what it is given to do is done; what it is given borrows from the stack of the
//! one who gives it. That cannot be said in safe code, so this module, which does nothing else, has
//! the one line that forgets for how long a job lives, and the promise that makes up for it: [`lend`]
//! does not end, not even by a panic, before no worker has the job any more.
//!
//! A desk is where a worker finds its job. All that it says is under a lock, and it goes
//!
//! ```text
//!             give             take              leave
//!   Awake ──────────▶ Given ──────────▶ Running ──────────▶ Awake
//!     ▲                 │
//!     │ look out        │ take back
//!     └───────────── Late
//! ```
//!
//! A worker gets at a job only by `take`, which changes a `Given` desk to `Running` under the lock, and
//! forgets it before it `leave`s. Taking back changes `Given` to `Late` under the same lock, so that no
//! worker can have it any more; of a `Running` desk it waits until the worker has left. A worker that was
//! late has no core just now, or is only waking up: it is not asked again before it has looked out.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is lent: it does its work as long as there is some. It is called with the worker's number among those who
/// have been given it, from 1; the lender is 0.
pub(crate) type Job<'a> = &'a (dyn Fn(usize) + Sync + 'a);

/// What the worker of a desk does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Step {
    /// There is none yet.
    #[default]
    Absent,
    /// It looks out for a job.
    Awake,
    /// It has to be woken.
    Asleep,
    /// A job is there and not yet taken.
    Given,
    Running,
    /// It has not come for a job, which has been taken back.
    Late,
    /// It need not come back.
    Ended,
}

/// Where a worker finds its job.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Desk {
    /// The step, to be looked at without the lock.
    step: AtomicU8,
    state: Mutex<State>,
    /// Something has changed for a worker that sleeps.
    given: Condvar,
    /// The worker has left, and is waited for.
    left: Condvar,
}

#[derive(Default)]
struct State {
    step: Step,
    /// And the number that it is called with.
    job: Option<(Job<'static>, usize)>,
    is_awaited: bool,
    /// The worker need not wait for more.
    is_over: bool,
}

/// How often a worker looks before it lets other threads have the core.
const LOOKS: usize = 32;

/// How often the end of a job is looked for before its lender sleeps: some 50 µs.
const LOOKS_FOR_THE_END: usize = 2000;

impl Desk {
    /// What its worker does, or has just done.
    pub(crate) fn step(&self) -> Step {
        const STEPS: [Step; 7] = [
            Step::Absent,
            Step::Awake,
            Step::Asleep,
            Step::Given,
            Step::Running,
            Step::Late,
            Step::Ended,
        ];
        STEPS.get(usize::from(self.step.load(Ordering::Relaxed))).copied().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn go(&self, state: &mut State, step: Step) {
        state.step = step;
        self.step.store(step as u8, Ordering::Relaxed);
    }

    /// Tells the worker that it is no longer needed.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.is_over = true;
        if state.step == Step::Asleep {
            self.go(&mut state, Step::Ended);
            self.given.notify_one();
        }
    }

    /// Does the jobs of this desk. Without one, the worker looks out for `awake` and then sleeps.
    fn work(&self, awake: Duration) {
        loop {
            if !self.look_out(awake) {
                let mut state = self.lock();
                if state.step == Step::Awake {
                    let next = if state.is_over { Step::Ended } else { Step::Asleep };
                    self.go(&mut state, next);
                }
                while state.step == Step::Asleep {
                    state = self.given.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
            let mut state = self.lock();
            match state.step {
                Step::Ended => return,
                Step::Given => self.go(&mut state, Step::Running),
                Step::Late => {
                    self.go(&mut state, Step::Awake);
                    continue;
                }
                _ => continue,
            }
            let job = state.job.take();
            drop(state);
            let leaving = Leaving(self);
            if let Some((job, number)) = job {
                job(number);
            }
            drop(leaving);
        }
    }

    /// Whether there is something to do, looked for this long.
    fn look_out(&self, awake: Duration) -> bool {
        let begin = Instant::now();
        loop {
            for _ in 0..LOOKS {
                if self.step() != Step::Awake {
                    return true;
                }
                std::hint::spin_loop();
            }
            if begin.elapsed() > awake {
                return false;
            }
            std::thread::yield_now();
        }
    }

    /// Gives a job to the worker if it is free, or if it may be woken or started. Says whether it has
    /// it.
    fn give(self: &Arc<Self>, job: (Job<'static>, usize), may_wake: bool, awake: Duration) -> bool {
        // Who holds the lock is about to be given another, or to leave.
        let Ok(mut state) = self.state.try_lock() else { return false };
        let before = state.step;
        match before {
            Step::Awake => {}
            Step::Asleep | Step::Absent if may_wake => {}
            _ => return false,
        }
        state.job = Some(job);
        self.go(&mut state, Step::Given);
        drop(state);
        match before {
            Step::Asleep => self.given.notify_one(),
            Step::Absent => {
                let desk = self.clone();
                let thread = std::thread::Builder::new().name(String::from("tilewright"));
                if thread.spawn(move || desk.work(awake)).is_err() {
                    let mut state = self.lock();
                    state.job = None;
                    self.go(&mut state, Step::Ended);
                    return false;
                }
            }
            _ => {}
        }
        true
    }

    /// Takes a job back, or waits until the worker has left it.
    fn take_back(&self) {
        for _ in 0..LOOKS_FOR_THE_END {
            if self.step() != Step::Running {
                break;
            }
            std::hint::spin_loop();
        }
        let mut state = self.lock();
        state.job = None;
        if state.step == Step::Given {
            return self.go(&mut state, Step::Late);
        }
        while state.step == Step::Running {
            state.is_awaited = true;
            state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_awaited = false;
    }
}

/// A worker on its way from a job, whether that is done or has panicked.
struct Leaving<'d>(&'d Desk);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        let next = if std::thread::panicking() { Step::Ended } else { Step::Awake };
        self.0.go(&mut state, next);
        if state.is_awaited {
            self.0.left.notify_one();
        }
    }
}

/// Desks that have been given a job, of which it is taken back in the end.
struct Lent<'d>(Vec<&'d Desk>);

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|desk| desk.take_back());
    }
}

/// How many workers are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// In all.
    pub(crate) most: usize,
    /// Of these, so many may be woken or started.
    pub(crate) woken: usize,
}

/// Lends `job` to the workers of some of the desks, which stay awake for so long afterwards, and does
/// `meanwhile`, which is told how many have it. A worker that has not begun when that is done does not begin any more.
pub(crate) fn lend(
    desks: &[Arc<Desk>],
    wanted: Wanted,
    awake: Duration,
    job: Job<'_>,
    meanwhile: impl FnOnce(usize),
) {
    // SAFETY: the reference is used by nobody after this function, for as long as which it lives. It is
    // only ever in the desks that `lent` lists, each as soon as it has it, with nothing in between that
    // could panic (a desk that is not given it does not keep it), and `lent` is dropped when this
    // function ends, also by a panic: every desk is then without the job and without a worker that
    // runs it, as the module's page says.
    let job = unsafe { std::mem::transmute::<Job<'_>, Job<'static>>(job) };
    let mut lent = Lent(Vec::with_capacity(wanted.most.min(desks.len())));
    let mut woken = 0;
    for may_wake in [false, true] {
        for desk in desks {
            let is_needed = lent.0.len() < wanted.most && (!may_wake || woken < wanted.woken);
            let is_right = match desk.step() {
                Step::Awake => true,
                Step::Asleep | Step::Absent => may_wake,
                Step::Given | Step::Running | Step::Late | Step::Ended => false,
            };
            if !is_needed || !is_right {
                continue;
            }
            // Room was made for all of them, so that nothing is allocated between these two.
            if desk.give((job, 1 + lent.0.len()), may_wake, awake) {
                lent.0.push(desk);
                woken += usize::from(may_wake);
            }
        }
    }
    meanwhile(lent.0.len());
    drop(lent);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    const SHORT: Duration = Duration::from_micros(50);
    const ALL: Wanted = Wanted { most: 3, woken: 3 };

    /// Desks whose workers end with them.
    struct Desks(Vec<Arc<Desk>>);

    impl Desks {
        fn new() -> Self {
            Desks((0..3).map(|_| Arc::default()).collect())
        }
    }

    impl Drop for Desks {
        fn drop(&mut self) {
            self.0.iter().for_each(|desk| desk.end());
        }
    }

    fn until(mut is_so: impl FnMut() -> bool) {
        while !is_so() {
            std::thread::yield_now();
        }
    }

    /// Workers write to the lender's stack, and are away when it is gone.
    #[test]
    fn what_is_lent_is_given_back() {
        let desks = Desks::new();
        for round in 0..if cfg!(miri) { 5 } else { 500 } {
            until(|| desks.0.iter().all(|desk| desk.step() != Step::Late));
            let begun = AtomicUsize::new(0);
            let left = AtomicUsize::new(0);
            let job = |_| {
                begun.fetch_add(1, Ordering::SeqCst);
                std::thread::yield_now();
                left.fetch_add(1, Ordering::SeqCst);
            };
            lend(&desks.0, ALL, SHORT, &job, |_| {
                // Sometimes at once, sometimes when all are there.
                until(|| round % 3 != 0 || begun.load(Ordering::SeqCst) > 0);
            });
            assert_eq!(begun.into_inner(), left.into_inner());
        }
    }

    /// Each has a number of its own, so that it finds what it had the last time.
    #[test]
    fn workers_are_numbered() {
        let desks = Desks::new();
        let numbers = Mutex::new(vec![]);
        let job = |number| numbers.lock().unwrap().push(number);
        lend(&desks.0, ALL, SHORT, &job, |_| until(|| numbers.lock().unwrap().len() == 3));
        let mut numbers = numbers.into_inner().unwrap();
        numbers.sort_unstable();
        assert_eq!(numbers, [1, 2, 3]);
    }

    #[test]
    fn a_panic_waits_for_the_workers() {
        let desks = Desks::new();
        let (begun, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let job = |_| {
            begun.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(5));
            left.fetch_add(1, Ordering::SeqCst);
        };
        let outcome = std::panic::catch_unwind(|| {
            lend(&desks.0, ALL, SHORT, &job, |_| {
                until(|| begun.load(Ordering::SeqCst) > 0);
                std::panic::resume_unwind(Box::new(7));
            });
        });
        assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&7));
        assert_eq!(begun.into_inner(), left.into_inner());
    }

    /// A worker whose job panics is not waited for ever, and is not asked again.
    #[test]
    fn a_worker_that_panics_has_left() {
        let desks = Desks::new();
        let begun = AtomicUsize::new(0);
        let job = |_| {
            begun.fetch_add(1, Ordering::SeqCst);
            std::panic::resume_unwind(Box::new(()));
        };
        let one = Wanted { most: 1, woken: 1 };
        lend(&desks.0, one, SHORT, &job, |_| until(|| begun.load(Ordering::SeqCst) == 1));
        assert_eq!(desks.0[0].step(), Step::Ended);
        lend(&desks.0[..1], one, SHORT, &job, |_| {});
        assert_eq!(begun.into_inner(), 1);
    }

    #[test]
    fn those_who_sleep_are_left_alone_unless_they_may_be_woken() {
        let desks = Desks::new();
        let done = AtomicUsize::new(0);
        let job = |_| {
            done.fetch_add(1, Ordering::SeqCst);
        };
        lend(&desks.0, Wanted { most: 3, woken: 0 }, SHORT, &job, |_| {});
        assert_eq!(done.load(Ordering::SeqCst), 0, "none has been started");
        let one = Wanted { most: 1, woken: 1 };
        lend(&desks.0, one, SHORT, &job, |_| until(|| done.load(Ordering::SeqCst) == 1));
        until(|| desks.0[0].step() == Step::Asleep);
        lend(&desks.0, Wanted { most: 3, woken: 0 }, SHORT, &job, |_| {});
        assert_eq!(done.load(Ordering::SeqCst), 1);
        lend(&desks.0, one, SHORT, &job, |_| until(|| done.load(Ordering::SeqCst) == 2));
    }
}
