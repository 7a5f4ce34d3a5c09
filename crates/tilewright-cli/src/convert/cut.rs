//! How an array is cut into pieces that memory holds.

use std::ops::Range;

use anyhow::bail;
use tilewright_relayout::Plan;

use super::job::Job;

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

/// How much memory buffers may take when nobody says.
const DEFAULT_MEMORY: usize = 8 << 30;

/// The buffers that there may be.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    /// The bytes of all buffers.
    pub(crate) bytes: usize,
    pub(crate) threads: usize,
    /// Whether to give up rather than to take more.
    pub(crate) is_strict: bool,
}

impl Budget {
    /// As much as was allowed, or a default that need not be kept to.
    pub(crate) fn new(allowed: Option<usize>, threads: usize) -> Self {
        let bytes = allowed.unwrap_or(DEFAULT_MEMORY);
        Budget { bytes, threads, is_strict: allowed.is_some() }
    }

    fn of_a_thread(self) -> usize {
        self.bytes / self.threads.max(1)
    }

    /// What each of a thread's two buffers may take for small arrays together.
    pub(crate) fn of_a_bundle(self) -> u64 {
        (PIECE.min(self.of_a_thread()) / 2) as u64
    }
}

/// The way of an array through memory.
pub(crate) enum Cut {
    /// In pieces, each read, moved and written by one thread on its own.
    Apart(Vec<Piece>),
    /// In groups of chunks, each read as a whole and then moved and written by all threads, in
    /// parts.
    Together(Vec<Range<usize>>),
}

/// What one thread does on its own.
pub(crate) enum Piece {
    /// These bytes stay as they are.
    Bytes(Range<u64>),
    /// These chunks of the destination are moved.
    Chunks(Range<usize>),
}

impl Cut {
    /// Small pieces where each needs its own part of the source; all at once where pieces would
    /// read the source again and again and there is memory for the whole; otherwise as much as
    /// memory holds.
    pub(crate) fn new(job: &Job, budget: Budget) -> anyhow::Result<Self> {
        let Some(plan) = job.plan() else {
            return Ok(Cut::Apart(bytes_apart(job.bytes_in(), budget)));
        };
        if let Some(groups) = apart(plan, budget) {
            return Ok(Cut::Apart(groups.into_iter().map(Piece::Chunks).collect()));
        }
        together(plan, budget).map(Cut::Together)
    }

    pub(crate) fn is_apart(&self) -> bool {
        matches!(self, Cut::Apart(_))
    }

    pub(crate) fn is_one_piece(&self) -> bool {
        matches!(self, Cut::Apart(pieces) if pieces.len() == 1)
    }
}

fn bytes_apart(len: u64, budget: Budget) -> Vec<Piece> {
    let step = (PIECE / 2).min(budget.of_a_thread()).max(1) as u64;
    let at = |piece: u64| piece.saturating_mul(step).min(len);
    (0..len.div_ceil(step)).map(|piece| Piece::Bytes(at(piece)..at(piece + 1))).collect()
}

/// Groups for threads that work apart, if what they read in all is hardly more than the source.
///
/// Each of a thread's two buffers has half of its memory, so that they hold whatever the next array
/// needs.
fn apart(plan: &Plan, budget: Budget) -> Option<Vec<Range<usize>>> {
    let limits = [PIECE, LARGE_PIECE].map(|limit| limit.min(budget.of_a_thread()));
    limits.into_iter().find_map(|limit| {
        let size = |group: &Range<usize>| 2 * read(plan, group).max(bytes_of(plan, group).len());
        let groups = grouped(plan, limit, size);
        let is_read_once = read_in_all(plan, &groups) <= plan.src_bytes() / 8 * 9;
        (is_read_once && groups.iter().all(|group| size(group) <= limit)).then_some(groups)
    })
}

fn together(plan: &Plan, budget: Budget) -> anyhow::Result<Vec<Range<usize>>> {
    let size = |group: &Range<usize>| read(plan, group) + bytes_of(plan, group).len();
    let are_held = |groups: &[Range<usize>]| groups.iter().all(|group| size(group) <= budget.bytes);
    let groups = grouped(plan, GROUP.min(budget.bytes), size);
    if read_in_all(plan, &groups) <= plan.src_bytes().saturating_mul(2) && are_held(&groups) {
        return Ok(groups);
    }
    if plan.src_bytes().saturating_add(plan.dst_bytes()) <= budget.bytes {
        return Ok(std::iter::once(0..plan.n_chunks()).collect());
    }
    let groups = grouped(plan, budget.bytes, size);
    if budget.is_strict && !are_held(&groups) {
        bail!("the memory allowed, {} bytes, does not hold one piece of it", budget.bytes);
    }
    Ok(groups)
}

/// Runs of chunks of at most this size, or one chunk where that alone is larger.
fn grouped(plan: &Plan, limit: usize, size: impl Fn(&Range<usize>) -> usize) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for chunk in 0..plan.n_chunks() {
        let longer = groups.last().map(|group| group.start..chunk + 1);
        match (longer, groups.last_mut()) {
            (Some(longer), Some(last)) if size(&longer) <= limit => *last = longer,
            _ => groups.push(chunk..chunk + 1),
        }
    }
    groups
}

/// A group in parts of about [`PART`] bytes of the destination.
pub(crate) fn parts(plan: &Plan, group: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let chunk = plan.chunk_bytes(group.start).len().max(1);
    let step = (PART / chunk).max(1);
    group.clone().step_by(step).map(move |first| first..(first + step).min(group.end))
}

/// The bytes that are read for these groups, some of them more than once.
fn read_in_all(plan: &Plan, groups: &[Range<usize>]) -> usize {
    groups.iter().map(|group| read(plan, group)).fold(0, usize::saturating_add)
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
        Budget { bytes, threads, is_strict: true }
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

    #[test]
    fn threads_that_work_apart_share_the_memory() {
        let tiled = plan("f32[8192,2048]", "", "{1,0:T(8,128)}");
        for (bytes, threads) in [(8 << 30, 2), (16 << 20, 4), (6 << 20, 5)] {
            let groups = apart(&tiled, budget(bytes, threads)).unwrap();
            check_whole(&tiled, &groups);
            for group in &groups {
                let [source, target] = [read(&tiled, group), bytes_of(&tiled, group).len()];
                assert!(source <= bytes / threads / 2 && source <= PIECE / 2, "{source}");
                assert!(target <= bytes / threads / 2 && target <= PIECE / 2, "{target}");
            }
        }
        // No chunk of half a megabyte and its source lie in a tenth of one.
        assert!(apart(&tiled, budget(1 << 20, 10)).is_none());
    }

    #[test]
    fn what_would_be_read_again_and_again_is_read_at_once() {
        let transposed = plan("f32[8192,2048]", "", "{0,1}");
        assert!(apart(&transposed, budget(8 << 30, 2)).is_none());
        let groups = together(&transposed, budget(8 << 30, 2)).unwrap();
        assert_eq!(groups.len(), 1);
        check_whole(&transposed, &groups);
        let parts: Vec<_> = parts(&transposed, groups[0].clone()).collect();
        check_whole(&transposed, &parts);
        assert!(parts.len() > 1);
    }

    #[test]
    fn too_little_memory_is_an_error() {
        let transposed = plan("f32[8192,2048]", "", "{0,1}");
        let error = together(&transposed, budget(1 << 20, 2)).unwrap_err();
        assert!(error.to_string().contains("1048576 bytes, does not hold"), "{error}");
        let lenient = Budget { is_strict: false, ..budget(1 << 20, 2) };
        check_whole(&transposed, &together(&transposed, lenient).unwrap());
    }

    #[test]
    fn bytes_that_stay_are_cut_too() {
        for (len, bytes) in [(0, 10), (1, 10), (5 << 20, 8 << 30), (10, 8), (7, 1)] {
            let pieces = bytes_apart(len, budget(bytes, 2));
            let mut end = 0;
            for piece in &pieces {
                let Piece::Bytes(range) = piece else { panic!("no bytes") };
                assert!(range.start == end && range.end > end);
                assert!((range.end - range.start) as usize <= (bytes / 2).max(1));
                end = range.end;
            }
            assert_eq!(end, len);
        }
    }
}
