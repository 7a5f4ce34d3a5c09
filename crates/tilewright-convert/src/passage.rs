//! One array on its way, and how long that takes.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::crew::Crew;
use crate::cut::{Apart, Cut};
use crate::job::Job;
use crate::memory::Budget;

/// An array on its way.
pub(crate) struct Passage<'a> {
    pub(crate) job: &'a Job,
    pub(crate) cut: Cut<'a>,
    pub(crate) clock: Clock,
}

/// From when the first piece of an array is begun until the last is written.
#[derive(Default)]
pub(crate) struct Clock {
    begin: OnceLock<Instant>,
    nanoseconds: AtomicU64,
}

impl<'a> Passage<'a> {
    /// For every job, with buffers that keep to the budget. Nothing has been written when this
    /// fails.
    pub(crate) fn plan_all(
        jobs: &'a [Job],
        crew: &Crew,
        budget: Budget,
    ) -> anyhow::Result<Vec<Self>> {
        let cuts = crew.each(jobs.len(), |job| Cut::new(&jobs[job], budget));
        let passage = |(job, cut)| Ok(Passage { job, cut: cut?, clock: Clock::default() });
        jobs.iter().zip(cuts).map(passage).collect()
    }

    /// Its numbers in the source and in what is made of it.
    pub(crate) fn arrays(&self) -> [usize; 2] {
        [self.job.source, self.job.target]
    }

    /// Its pieces, if it goes in pieces that threads work on apart.
    pub(crate) fn apart(&self) -> Option<&Apart<'a>> {
        match &self.cut {
            Cut::Apart(apart) => Some(apart),
            Cut::Together(_) => None,
        }
    }

    /// How long it took. Arrays that are moved at the same time count the same time.
    pub(crate) fn seconds(&self) -> f64 {
        self.clock.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9
    }
}

impl Clock {
    pub(crate) fn begin(&self) -> Instant {
        *self.begin.get_or_init(Instant::now)
    }

    pub(crate) fn stop(&self) {
        let nanoseconds = u64::try_from(self.begin().elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_max(nanoseconds, Ordering::Relaxed);
    }
}
