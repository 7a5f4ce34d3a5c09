//! How an array is cut into pieces that memory holds.

use std::borrow::Cow;
use std::ops::Range;

use anyhow::bail;
use tilewright_relayout::Plan;

use crate::job::Job;
use crate::memory::Budget;

/// How much is read, moved and written at a time by each thread: source and destination together.
/// Little enough to lie in the caches from its reading to its writing, and enough that calls to the
/// system do not show.
const PIECE: usize = 4 << 20;

/// The same where small pieces would read much of the source twice.
const LARGE_PIECE: usize = 16 << 20;

/// How much all threads work on together where they cannot work apart.
const GROUP: usize = 256 << 20;

/// How much of a group each thread moves and writes at a time.
const PART: usize = 4 << 20;

/// Chunks that are tried where there is no memory for those of the plan's own choice.
const SMALLER_CHUNKS: [usize; 2] = [1 << 20, 64 << 10];

/// The way of an array through memory.
pub(crate) enum Cut<'a> {
    /// In pieces, each read, moved and written by one thread on its own.
    Apart(Apart<'a>),
    /// In groups of chunks, each read as a whole and then moved and written by several threads, in
    /// parts.
    Together(Box<Together<'a>>),
}

/// An array in pieces. They are found again each time, since a list of them would grow with the
/// array.
pub(crate) enum Apart<'a> {
    /// So many bytes that stay as they are, in pieces of `step`.
    Bytes { len: u64, step: u64 },
    /// Runs of chunks whose source and destination each take half of `limit` at most.
    Chunks { plan: &'a Plan, limit: usize, is_one: bool },
}

/// What one thread does on its own.
pub(crate) enum Piece {
    /// These bytes stay as they are.
    Bytes(Range<u64>),
    /// These chunks of the destination are moved.
    Chunks(Range<usize>),
}

/// An array in groups of chunks.
pub(crate) struct Together<'a> {
    /// The job's own plan, or the same in smaller chunks.
    pub(crate) plan: Cow<'a, Plan>,
    /// How many bytes of the source and the destination a group is about; or whole, where there is
    /// one group.
    limit: Option<usize>,
    /// How many threads move its parts.
    pub(crate) workers: usize,
    /// How many bytes of the destination a part is about.
    part: usize,
    /// The most bytes of the source that a group reads.
    pub(crate) most_read: usize,
}

/// What each of a thread's two buffers may take for small arrays together, beside what it needs to
/// move them.
pub(crate) fn of_a_bundle(budget: Budget, scratch: usize) -> u64 {
    (PIECE.min(budget.of_a_thread().saturating_sub(scratch)) / 2) as u64
}

impl<'a> Cut<'a> {
    /// Small pieces where each needs its own part of the source; all at once where pieces would
    /// read the source again and again and there is memory for the whole; otherwise as much as
    /// memory holds.
    pub(crate) fn new(job: &'a Job, budget: Budget) -> anyhow::Result<Self> {
        let Some(plan) = job.plan() else {
            return Ok(Cut::Apart(Apart::of_bytes(job.bytes_in(), budget)));
        };
        match Apart::of_chunks(plan, budget) {
            Some(apart) => Ok(Cut::Apart(apart)),
            None => {
                let together = Together::new(Cow::Borrowed(plan), budget, GROUP)?;
                Ok(Cut::Together(Box::new(together)))
            }
        }
    }

    pub(crate) fn is_apart(&self) -> bool {
        matches!(self, Cut::Apart(_))
    }

    pub(crate) fn is_one_piece(&self) -> bool {
        match self {
            Cut::Apart(Apart::Bytes { len, step }) => len <= step && *len > 0,
            Cut::Apart(Apart::Chunks { is_one, .. }) => *is_one,
            Cut::Together(_) => false,
        }
    }
}

impl<'a> Apart<'a> {
    fn of_bytes(len: u64, budget: Budget) -> Self {
        Apart::Bytes { len, step: (PIECE / 2).min(budget.of_a_thread()).max(1) as u64 }
    }

    /// Pieces for threads that work apart, if what they read in all is hardly more than the source.
    fn of_chunks(plan: &'a Plan, budget: Budget) -> Option<Self> {
        let room = budget.of_a_thread().checked_sub(plan.scratch_bytes())?;
        let limits = [PIECE, LARGE_PIECE].map(|limit| limit.min(room));
        limits.into_iter().find_map(|limit| {
            let (mut read_in_all, mut count) = (0usize, 0);
            for group in grouped(plan, limit, |group| larger_half(plan, group)) {
                if larger_half(plan, &group) > limit {
                    return None;
                }
                read_in_all = read_in_all.saturating_add(read(plan, &group));
                count += 1;
            }
            let is_read_once = read_in_all <= plan.src_bytes() / 8 * 9;
            is_read_once.then_some(Apart::Chunks { plan, limit, is_one: count == 1 })
        })
    }

    /// The pieces, from the first to the last.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece> + Send + use<'a> {
        let (bytes, chunks) = match *self {
            Apart::Bytes { len, step } => {
                let at = move |piece: u64| piece.saturating_mul(step).min(len);
                let pieces = 0..len.div_ceil(step);
                (Some(pieces.map(move |piece| Piece::Bytes(at(piece)..at(piece + 1)))), None)
            }
            Apart::Chunks { plan, limit, .. } => {
                let groups = grouped(plan, limit, move |group| larger_half(plan, group));
                (None, Some(groups.map(Piece::Chunks)))
            }
        };
        bytes.into_iter().flatten().chain(chunks.into_iter().flatten())
    }
}

impl<'a> Together<'a> {
    /// As many threads, and as large chunks, as there is memory for; in groups of about `group`
    /// bytes where they need no more.
    pub(crate) fn new(plan: Cow<'a, Plan>, budget: Budget, group: usize) -> anyhow::Result<Self> {
        if let Some(together) = Self::within(&plan, budget, group) {
            return Ok(together);
        }
        if !budget.is_strict {
            return Ok(Self::beyond(plan, budget));
        }
        for bytes in SMALLER_CHUNKS {
            if plan.chunk_bytes(0).len() > bytes {
                let smaller = plan.clone().into_owned().with_chunks_of(bytes)?;
                let budget = budget.without(smaller.held_bytes());
                if let Some(together) = Self::within(&Cow::Owned(smaller), budget, group) {
                    return Ok(together);
                }
            }
        }
        bail!("{}", budget.too_little("one piece of it"))
    }

    /// With more memory than was meant to be taken, but in no larger groups than are needed.
    fn beyond(plan: Cow<'a, Plan>, budget: Budget) -> Self {
        let (limit, workers) = (Some(budget.bytes), budget.threads);
        let mut together = Together { plan, limit, workers, part: PART, most_read: 0 };
        let plan = &*together.plan;
        let most_read = together.groups().map(|group| read(plan, &group)).max().unwrap_or(0);
        together.most_read = most_read;
        together
    }

    /// By as many threads as there is memory for beside the source.
    fn within(plan: &Cow<'a, Plan>, budget: Budget, group: usize) -> Option<Self> {
        let most = budget.threads.min(plan.n_chunks().max(1));
        let counts = std::iter::successors(Some(most), |count| Some(count / 2));
        let mut counts = counts.take_while(|count| *count > 0);
        counts.find_map(|workers| Self::by(workers, plan, budget, group))
    }

    fn by(workers: usize, plan: &Cow<'a, Plan>, budget: Budget, group: usize) -> Option<Self> {
        // What a worker has: chunks that it puts together, and what it needs to do so.
        let chunk = plan.chunk_bytes(0).len();
        let scratch = workers.checked_mul(plan.scratch_bytes())?;
        let room = budget.bytes.checked_sub(scratch)?.checked_sub(workers.checked_mul(chunk)?)?;
        let made = |limit: Option<usize>, most_read: usize| {
            let part = PART.min(chunk + (room - most_read) / workers).max(chunk);
            Together { plan: plan.clone(), limit, workers, part, most_read }
        };
        let size = |group: &Range<usize>| read(plan, group) + bytes_of(plan, group).len();
        // The most that a group of about so many bytes reads, if there is room for it and all of
        // them read no more than that.
        let most_read = |limit: usize, most_in_all: usize| {
            let (mut most, mut in_all) = (0, 0usize);
            for group in grouped(plan, limit, size) {
                let read = read(plan, &group);
                (most, in_all) = (most.max(read), in_all.saturating_add(read));
                if most > room || in_all > most_in_all {
                    return None;
                }
            }
            Some(most)
        };
        let limit = group.min(room);
        if let Some(most) = most_read(limit, plan.src_bytes().saturating_mul(2)) {
            return Some(made(Some(limit), most));
        }
        let whole = read(plan, &(0..plan.n_chunks()));
        if whole <= room {
            return Some(made(None, whole));
        }
        most_read(room, usize::MAX).map(|most| made(Some(room), most))
    }

    /// The same with a plan of its own.
    pub(crate) fn into_owned(self) -> Together<'static> {
        Together { plan: Cow::Owned(self.plan.into_owned()), ..self }
    }

    /// The groups, from the first to the last.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        let plan = &*self.plan;
        let size = |group: &Range<usize>| read(plan, group) + bytes_of(plan, group).len();
        let whole = 0..plan.n_chunks();
        let groups = self.limit.map(|limit| grouped(plan, limit, size));
        let one = self.limit.is_none().then_some(whole);
        groups.into_iter().flatten().chain(one)
    }

    /// The bytes that are taken: a group of the source, a part of the destination for each thread,
    /// and what threads need to move it.
    pub(crate) fn memory(&self) -> usize {
        let thread = self.most_written().saturating_add(self.plan.scratch_bytes());
        self.most_read.saturating_add(self.workers.saturating_mul(thread))
    }

    /// The most bytes of the destination that a part has.
    pub(crate) fn most_written(&self) -> usize {
        self.part.max(self.plan.chunk_bytes(0).len()).min(self.plan.dst_bytes())
    }

    /// A group in parts of the destination.
    pub(crate) fn parts(&self, group: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let chunk = self.plan.chunk_bytes(group.start).len().max(1);
        let step = (self.part / chunk).max(1);
        group.clone().step_by(step).map(move |first| first..(first + step).min(group.end))
    }
}

/// Runs of chunks of at most this size, or one chunk where that alone is larger.
fn grouped(
    plan: &Plan,
    limit: usize,
    size: impl Fn(&Range<usize>) -> usize,
) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next;
        if first >= plan.n_chunks() {
            return None;
        }
        next += 1;
        while next < plan.n_chunks() && size(&(first..next + 1)) <= limit {
            next += 1;
        }
        Some(first..next)
    })
}

/// Twice the larger of what a group reads and what it writes.
fn larger_half(plan: &Plan, group: &Range<usize>) -> usize {
    read(plan, group).max(bytes_of(plan, group).len()).saturating_mul(2)
}

/// The bytes of the source that a group reads.
fn read(plan: &Plan, group: &Range<usize>) -> usize {
    plan.source_span(group.clone()).len()
}

/// The bytes of the destination that a group writes.
pub(crate) fn bytes_of(plan: &Plan, group: &Range<usize>) -> Range<usize> {
    if group.is_empty() {
        return 0..0;
    }
    plan.chunk_bytes(group.start).start..plan.chunk_bytes(group.end - 1).end
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use tilewright::Shape;
    use tilewright_relayout::Placement;

    fn plan(dims: &str, from: &str, to: &str) -> Plan {
        let placement = |layout: &str| {
            let shape: Shape = format!("{dims}{layout}").parse().unwrap();
            Placement::from_shape(shape.as_array().unwrap()).unwrap()
        };
        Plan::new(&placement(from), &placement(to)).unwrap()
    }

    fn budget(bytes: usize, threads: usize) -> Budget {
        Budget::new(Some(bytes), threads)
    }

    /// The groups follow each other and leave nothing out.
    #[track_caller]
    fn check_whole(plan: &Plan, groups: &[Range<usize>]) {
        let ends = groups.iter().map(|group| group.end);
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let found: Vec<usize> = groups.iter().map(|group| group.start).collect();
        assert_eq!(starts.last(), Some(&plan.n_chunks()));
        assert_eq!(starts[..found.len()], found);
    }

    fn chunks(apart: &Apart<'_>) -> Vec<Range<usize>> {
        let chunks = |piece| match piece {
            Piece::Chunks(chunks) => chunks,
            Piece::Bytes(_) => panic!("bytes"),
        };
        apart.pieces().map(chunks).collect()
    }

    #[test]
    fn threads_that_work_apart_share_the_memory() {
        let tiled = plan("f32[8192,2048]", "", "{1,0:T(8,128)}");
        for (bytes, threads) in [(8 << 30, 2), (16 << 20, 4), (12 << 20, 5)] {
            let groups = chunks(&Apart::of_chunks(&tiled, budget(bytes, threads)).unwrap());
            check_whole(&tiled, &groups);
            for group in &groups {
                let [source, target] = [read(&tiled, group), bytes_of(&tiled, group).len()];
                let all = source + target + tiled.scratch_bytes();
                assert!(all <= bytes / threads, "{all}");
                assert!(source <= PIECE / 2 && target <= PIECE / 2, "{source} {target}");
            }
        }
        // No chunk of half a megabyte and its source lie in a tenth of one.
        assert!(Apart::of_chunks(&tiled, budget(1 << 20, 10)).is_none());
    }

    fn cut_together(plan: &Plan, budget: Budget) -> anyhow::Result<Together<'_>> {
        Together::new(Cow::Borrowed(plan), budget, GROUP)
    }

    /// The source, and for each of its threads a part of the destination and what it works with.
    fn most_bytes(together: &Together<'_>) -> usize {
        let plan = &*together.plan;
        let parts = together.groups().flat_map(|group| together.parts(group));
        let part = parts.map(|part| bytes_of(plan, &part).len()).max().unwrap_or(0);
        let source = together.groups().map(|group| read(plan, &group)).max().unwrap_or(0);
        source + together.workers * (part + plan.scratch_bytes())
    }

    #[test]
    fn what_would_be_read_again_and_again_is_read_at_once() {
        let transposed = plan("f32[8192,2048]", "", "{0,1}");
        assert!(Apart::of_chunks(&transposed, budget(8 << 30, 2)).is_none());
        let together = cut_together(&transposed, budget(8 << 30, 2)).unwrap();
        let groups: Vec<Range<usize>> = together.groups().collect();
        assert_eq!((groups.len(), together.workers), (1, 2));
        check_whole(&transposed, &groups);
        let parts: Vec<_> = together.parts(groups[0].clone()).collect();
        check_whole(&transposed, &parts);
        assert!(parts.len() > 1);
    }

    /// 64 MiB of source, and less and less beside it: fewer threads, then smaller chunks, of which more
    /// threads can have one.
    #[test]
    fn as_much_at_a_time_as_memory_holds() {
        let transposed = plan("f32[8192,2048]", "", "{0,1}");
        let mut workers = Vec::new();
        for megabytes in [1024, 100, 90, 80, 70, 67] {
            let together = cut_together(&transposed, budget(megabytes << 20, 8)).unwrap();
            let most = most_bytes(&together);
            assert!(most <= megabytes << 20, "{most} bytes of {megabytes} MiB");
            check_whole(&together.plan, &together.groups().collect::<Vec<_>>());
            workers.push(together.workers);
        }
        assert_eq!((workers[0], workers[3]), (8, 1), "{workers:?}");
        assert!(cut_together(&transposed, budget(64 << 20, 8)).is_err());
    }

    #[test]
    fn rows_that_an_array_goes_through_are_counted() {
        let by_parts = plan("f32[7000,5000]", "{1,0:T(127,127)}", "{1,0:T(128,128)}");
        let together = cut_together(&by_parts, budget(64 << 20, 2)).unwrap();
        assert!(by_parts.n_chunks() > 1 && most_bytes(&together) <= 64 << 20);
        check_whole(&together.plan, &together.groups().collect::<Vec<_>>());
        let through = plan("f32[7000,5000]", "{1,0:T(127,127)}", "{0,1:T(128,128)}");
        let rows = 7000 * 5000 * 4;
        assert_eq!(through.n_chunks(), 1, "not in boxes");
        let needed = through.src_bytes() + through.dst_bytes() + rows;
        assert!(cut_together(&through, budget(needed, 2)).is_err());
        let together = cut_together(&through, budget(needed + (4 << 20), 2)).unwrap();
        assert!(most_bytes(&together) <= needed + (4 << 20));
    }

    #[test]
    fn too_little_memory_is_an_error() {
        let transposed = plan("f32[8192,2048]", "", "{0,1}");
        let Err(error) = cut_together(&transposed, budget(1 << 20, 2)) else { panic!("no error") };
        assert!(error.to_string().contains("1048576 bytes, does not hold"), "{error}");
        let mut lenient = budget(1 << 20, 2);
        lenient.is_strict = false;
        let together = cut_together(&transposed, lenient).unwrap();
        check_whole(&transposed, &together.groups().collect::<Vec<_>>());
    }

    #[test]
    fn bytes_that_stay_are_cut_too() {
        for (len, bytes) in [(0, 10), (1, 10), (5 << 20, 8 << 30), (10, 8), (7, 1)] {
            let mut end = 0;
            for piece in Apart::of_bytes(len, budget(bytes, 2)).pieces() {
                let Piece::Bytes(range) = piece else { panic!("no bytes") };
                assert!(range.start == end && range.end > end);
                assert!((range.end - range.start) as usize <= (bytes / 2).max(1));
                end = range.end;
            }
            assert_eq!(end, len);
        }
    }
}
