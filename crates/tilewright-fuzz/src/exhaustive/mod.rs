//! Every layout of small arrays, held to an arithmetic that is not the project's.
//!
//! The fuzzers draw; this counts through. Each layout of a [`Range`] is read from its text, and what is said of it is held to
//! `reference`, which works out where each element lies from what XLA's documentation says of tiles. `single` has what holds
//! of one layout, `pairs` what holds of two, `theorem` which shapes and strides are XLA layouts.
//!
//! `cargo xtask exhaustive` runs [`whole`]; the tests run a small part of it.

mod pairs;
mod range;
mod reference;
mod report;
mod single;
mod theorem;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub use range::{Range, Tiles};
pub use report::Report;

use pairs::{Orders, Seen, check_bitcast, check_no_bitcast, check_relayouts, groups};
use single::Case;

/// What is asked of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    /// How many others each distinct layout of an array is moved to.
    pub relayouts: usize,
    /// Each distinct layout is held, as a bitcast, to every so many-th one of as many elements in as much memory.
    pub bitcast_step: usize,
}

/// Every layout of a range, and pairs of the distinct ones among them, by so many threads.
pub fn layouts(range: &Range, pairs: Pairs, threads: usize) -> Report {
    let mut report = Report::default();
    let mut distinct = Vec::new();
    for (found, cases) in in_parallel(&range.shapes(), threads, |dims| of_shape(dims, range, pairs))
    {
        report.add(found);
        distinct.extend(cases);
    }
    let groups = groups(&distinct);
    let step = pairs.bitcast_step.max(1);
    for found in in_parallel(&groups, threads, |group| bitcasts(group, step)) {
        report.add(found);
    }
    for neighbours in groups.windows(2) {
        check_no_bitcast(&neighbours[0][0], &neighbours[1][0], &mut report);
    }
    report
}

/// Every shape and stride of up to this rank, extent and number of digits.
pub fn shapes_and_strides(extent: i64, rank: usize, digits: usize, threads: usize) -> Report {
    let mut report = Report::default();
    let of_job = |job: &theorem::Job| {
        let mut report = Report::default();
        job.run(&mut report);
        report
    };
    let jobs = theorem::check(extent.min(4), rank, digits);
    in_parallel(&jobs, threads, of_job).into_iter().for_each(|found| report.add(found));
    report
}

/// The ranges that `cargo xtask exhaustive` goes through.
pub fn whole() -> Vec<(Range, Pairs)> {
    let tiles = |sizes, rank| Tiles { sizes, rank };
    let range = |name, extents, ranks, levels| Range { name, extents, ranks, levels };
    let all = Pairs { relayouts: 40, bitcast_step: 1 };
    let some = Pairs { relayouts: 4, bitcast_step: 211 };
    vec![
        (range("one level", 0..=4, 0..=3, vec![tiles(5, 3)]), all),
        (range("two levels, up to two dimensions", 0..=4, 0..=2, vec![tiles(5, 3); 2]), some),
        (range("two levels, three dimensions", 1..=4, 3..=3, vec![tiles(5, 3), tiles(3, 2)]), some),
    ]
}

fn of_shape(dims: &[i64], range: &Range, pairs: Pairs) -> (Report, Vec<Case>) {
    let (mut report, mut seen) = (Report::default(), Seen::default());
    for layout in range.layouts(dims) {
        report.count("layouts");
        if let Some(case) = single::checked(dims, layout, &mut report) {
            seen.check(case, &mut report);
        }
    }
    let distinct = seen.distinct();
    check_relayouts(&distinct, pairs.relayouts, &mut report);
    (report, distinct)
}

fn bitcasts(group: &[Orders<'_>], step: usize) -> Report {
    let mut report = Report::default();
    for (place, a) in group.iter().enumerate() {
        let others = group.iter().cycle().skip(place).step_by(step);
        others.take(group.len().div_ceil(step)).for_each(|b| check_bitcast(a, b, &mut report));
    }
    report
}

/// What is made of each item, in the items' order.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    make: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some((place, item)) = taken(items, &next) {
                    let result = make(item);
                    made.lock().expect("no thread has panicked").push((place, result));
                }
            });
        }
    });
    let mut made = made.into_inner().expect("no thread has panicked");
    made.sort_unstable_by_key(|(place, _)| *place);
    made.into_iter().map(|(_, result)| result).collect()
}

fn taken<'a, T>(items: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    items.get(place).map(|item| (place, item))
}
