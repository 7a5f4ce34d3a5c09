//! By way of rows: two plans, of which the second goes on where the first ends.
//!
//! Where what a chunk of the destination takes lies close together in rows, only those rows are made, in the caches,
//! and chunks are as independent of each other as those of one plan. Elsewhere all rows are made first.

use crate::error::Error;
use crate::options::{RunOptions, Threads};
use crate::plan::Plan;
use crate::run::{Chunks, Crew};
use crate::work::{SourcePart, grown};
use std::ops::Range;
use std::sync::OnceLock;

/// Rows are made in chunks of about so many bytes, or of a part of what a chunk of the destination has, so that no more of
/// them are made than are needed.
const ROWS_BYTES: usize = 64 << 10;
const PARTS: usize = 8;

/// How much larger chunks of the destination may be made.
const FACTORS: [usize; 5] = [1, 2, 4, 8, 16];

/// The most bytes of rows that a chunk is made of.
const MOST_ROWS: usize = 8 << 20;

/// Rows may be made again for other chunks, as long as no more than this many eighths of them are made in all.
const MOST_EIGHTHS: usize = 12;

/// No more chunks than these are looked at.
const MOST_CHUNKS: usize = 1 << 14;

/// The plan to rows and the plan from there.
#[derive(Clone, Debug)]
pub(crate) struct Through {
    there: Plan,
    on: Plan,
    /// The bytes of groups within which slots of rows change their places, if they do that alone.
    group: Option<usize>,
    /// The most bytes of rows that a chunk of the destination is made of, where they are made for each.
    rows_of_a_chunk: Option<usize>,
}

impl Through {
    /// Chunks of the destination are larger than those of the second plan where those lie beside each other in rows.
    pub(crate) fn new(there: Plan, on: Plan, group: Option<usize>) -> Result<Self, Error> {
        let bytes = on.chunk_bytes(0).len();
        for factor in FACTORS {
            let on = on.clone().with_chunks_of(bytes.saturating_mul(factor))?;
            let of_a_chunk = on.chunk_bytes(0).len();
            let rows_bytes = match group {
                Some(_) => of_a_chunk,
                None => ROWS_BYTES.min(of_a_chunk / PARTS),
            };
            let there = there.clone().with_chunks_of(rows_bytes)?;
            let most = match group {
                Some(group) => rows_in_groups(&there, &on, group),
                None => rows_of_a_chunk(&there, &on),
            };
            if most.is_some() {
                return Ok(Through { there, on, group, rows_of_a_chunk: most });
            }
        }
        Ok(Through { there, on, group, rows_of_a_chunk: None })
    }

    /// Whether rows are made for each chunk.
    pub(crate) fn is_in_caches(&self) -> bool {
        self.rows_of_a_chunk.is_some()
    }

    /// The two plans.
    pub(crate) fn legs(&self) -> [&Plan; 2] {
        [&self.there, &self.on]
    }

    /// The same in other chunks.
    pub(crate) fn with_chunks_of(self, bytes: usize) -> Result<Self, Error> {
        Through::new(self.there, self.on.with_chunks_of(bytes)?, self.group)
    }

    /// The number of chunks, and the bytes of each but the last.
    pub(crate) fn chunks(&self) -> (usize, usize) {
        match self.rows_of_a_chunk {
            Some(_) => (self.on.n_chunks(), self.on.chunk_bytes(0).len()),
            None => (usize::from(self.on.dst_bytes() > 0), self.on.dst_bytes()),
        }
    }

    /// The bytes of the source that some chunks come from.
    pub(crate) fn source_span(&self, chunks: Range<usize>) -> Range<usize> {
        match self.rows_of_a_chunk {
            Some(_) => self.there.source_span(covering(&self.there, &self.on.source_span(chunks))),
            None => 0..self.there.src_bytes(),
        }
    }

    /// The bytes that a thread allocates.
    pub(crate) fn scratch_bytes(&self) -> usize {
        let rows = self.rows_of_a_chunk.unwrap_or_else(|| self.there.dst_bytes());
        let legs: usize = self.legs().map(Plan::scratch_bytes).iter().sum();
        rows.saturating_add(legs)
    }

    /// Writes all chunks of `dst`, which begins with number `first`, from the part of the source that is there. `after` is
    /// done with every chunk when it is written, by its first byte.
    pub(crate) fn write(
        &self,
        first: usize,
        src: SourcePart<'_>,
        dst: &mut [u8],
        options: &RunOptions<'_>,
        after: impl Fn(usize, &mut [u8]) + Sync,
    ) -> Result<(), Error> {
        if self.rows_of_a_chunk.is_none() {
            let mut rows = crate::plan::zeros(self.there.dst_bytes())?;
            self.there.write_part(0, src, &mut rows, options)?;
            self.on.write_part(0, SourcePart { bytes: &rows, start: 0 }, dst, options)?;
            after(0, dst);
            return Ok(());
        }
        let crew = Crew::of(options.threads, dst.len());
        let chunk_bytes = self.on.chunk_bytes(0).len();
        let alone = RunOptions { threads: Threads::Current, ..*options };
        let failure = OnceLock::new();
        Chunks { dst, chunk_bytes, order: None }.write(&crew, |work, number, dst| {
            let number = first + number;
            let needed = covering(&self.there, &self.on.source_span(number..number + 1));
            let at = |chunk: usize| self.there.chunk_bytes(chunk).start;
            let (start, end) = (at(needed.start), at(needed.end));
            let mut made = std::mem::take(&mut work.rows);
            let rows = grown(&mut made, end - start);
            let outcome = self.there.write_part(needed.start, src, rows, &alone).and_then(|()| {
                self.on.write_chunk(work, number, SourcePart { bytes: rows, start }, dst, &alone)
            });
            work.rows = made;
            if let Err(error) = outcome {
                // Of several failures the first is told.
                let _ = failure.set(error);
            }
            after(number * chunk_bytes, dst);
        });
        failure.into_inner().map_or(Ok(()), Err)
    }
}

/// The chunks of a plan that have these bytes.
fn covering(plan: &Plan, bytes: &Range<usize>) -> Range<usize> {
    let each = plan.chunk_bytes(0).len().max(1);
    match bytes.is_empty() {
        true => 0..0,
        false => bytes.start / each..bytes.end.div_ceil(each).min(plan.n_chunks()),
    }
}

/// The most bytes of rows that a chunk is made of, where slots change their places within groups: the groups that it has some of,
/// in whole chunks of rows.
fn rows_in_groups(there: &Plan, on: &Plan, group: usize) -> Option<usize> {
    let [chunk, rows] = [on, there].map(|plan| plan.chunk_bytes(0).len());
    let most = chunk.saturating_add(2 * (group + rows));
    let is_cut = on.n_chunks() > 1 && there.n_chunks() > 1;
    (is_cut && group <= chunk && most <= MOST_ROWS).then_some(most)
}

/// The same of rows that may be anywhere.
fn rows_of_a_chunk(there: &Plan, on: &Plan) -> Option<usize> {
    if !(2..=MOST_CHUNKS).contains(&on.n_chunks()) || there.n_chunks() < 2 {
        return None;
    }
    let (mut most, mut all) = (0usize, 0usize);
    for chunk in 0..on.n_chunks() {
        let needed = covering(there, &on.source_span(chunk..chunk + 1));
        let bytes: usize = there.chunk_bytes(0).len() * needed.len();
        (most, all) = (most.max(bytes), all.saturating_add(bytes));
        if most > MOST_ROWS || all / MOST_EIGHTHS > there.dst_bytes() / 8 {
            return None;
        }
    }
    Some(most)
}
