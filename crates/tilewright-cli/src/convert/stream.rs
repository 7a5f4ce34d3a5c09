//! Moving arrays from file to file within bounded memory.

use std::num::NonZeroUsize;
use std::ops::Range;

use anyhow::{Context, bail};
use tilewright::{ElementClass, ElementType};
use tilewright_files::{ArrayFile, Writer};
use tilewright_relayout::{Plan, RunOptions, Threads};

use super::job::Job;
use crate::memory;
use crate::progress::Progress;

/// How much is read, moved and written at a time, where the layouts allow it.
const PIECE: usize = 256 << 20;

/// How much is moved and written at a time of what has been read.
const WRITTEN: usize = 32 << 20;

/// How much memory buffers may take when nobody says.
const DEFAULT_MEMORY: usize = 8 << 30;

/// How much is copied at a time where bytes stay as they are.
const COPY_PIECE: usize = 8 << 20;

/// Moves arrays.
pub(crate) struct Mover {
    pool: Option<rayon::ThreadPool>,
    memory: usize,
    is_strict: bool,
}

impl Mover {
    /// With this many threads, or as many as there are cores; buffers of at most `memory` bytes.
    pub(crate) fn new(
        threads: Option<NonZeroUsize>,
        memory: Option<usize>,
    ) -> anyhow::Result<Self> {
        let build = |n: NonZeroUsize| rayon::ThreadPoolBuilder::new().num_threads(n.get()).build();
        let pool = threads.map(build).transpose().context("cannot start threads")?;
        let is_strict = memory.is_some();
        Ok(Mover { pool, memory: memory.unwrap_or(DEFAULT_MEMORY), is_strict })
    }

    /// Reads, moves and writes one array.
    pub(crate) fn convert(
        &self,
        file: &ArrayFile,
        job: &Job,
        writer: &mut Writer,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        let Some(plan) = &job.plan else {
            return copy(file, job, writer, progress);
        };
        let threads = self.pool.as_ref().map_or(Threads::Global, Threads::Pool);
        let options = RunOptions { pad: job.pad, threads };
        let (mut source, mut target) = (Vec::new(), Vec::new());
        for group in self.groups(plan, job)? {
            let span = plan.source_span(group.clone());
            memory::resize(&mut source, span.len())?;
            file.read_at(job.array, span.start as u64, &mut source)?;
            if let Some(element_type) = job.narrowed {
                check_meaning(&source, element_type)?;
            }
            for part in parts(plan, group) {
                memory::resize(&mut target, bytes_of(plan, &part).len())?;
                plan.run_chunks(part, &source, span.start, &mut target, &options)?;
                writer.append(job.array, &target)?;
                progress.advance(target.len() as u64);
            }
        }
        Ok(())
    }

    /// Chunks that are read, moved and written together. Small pieces where each needs its own
    /// part of the source; all at once where pieces would read the source again and again and
    /// there is memory for the whole; otherwise as much as memory holds.
    fn groups(&self, plan: &Plan, job: &Job) -> anyhow::Result<Vec<Range<usize>>> {
        let whole = usize::try_from(job.bytes_in + job.bytes_out).unwrap_or(usize::MAX);
        let pieces = grouped(plan, PIECE.min(self.memory));
        let read: usize = pieces.iter().map(|group| plan.source_span(group.clone()).len()).sum();
        if read as u64 <= job.bytes_in.saturating_mul(2) && self.holds(plan, &pieces) {
            return Ok(pieces);
        }
        if whole <= self.memory {
            return Ok(std::iter::once(0..plan.n_chunks()).collect());
        }
        let groups = grouped(plan, self.memory);
        if self.is_strict && !self.holds(plan, &groups) {
            bail!("the memory allowed, {} bytes, does not hold one piece of it", self.memory);
        }
        Ok(groups)
    }

    fn holds(&self, plan: &Plan, groups: &[Range<usize>]) -> bool {
        groups.iter().all(|group| size(plan, group) <= self.memory)
    }
}

/// Runs of chunks of which source and destination take at most `limit` bytes together, or one
/// chunk where that alone takes more.
fn grouped(plan: &Plan, limit: usize) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for chunk in 0..plan.n_chunks() {
        let longer = groups.last().map(|group| group.start..chunk + 1);
        match (longer, groups.last_mut()) {
            (Some(longer), Some(last)) if size(plan, &longer) <= limit => *last = longer,
            _ => groups.push(chunk..chunk + 1),
        }
    }
    groups
}

/// A group in parts of about [`WRITTEN`] bytes of the destination.
fn parts(plan: &Plan, group: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let chunk = plan.chunk_bytes(group.start).len().max(1);
    let step = (WRITTEN / chunk).max(1);
    group.clone().step_by(step).map(move |first| first..(first + step).min(group.end))
}

/// The bytes of a group's part of the source and of the destination.
fn size(plan: &Plan, group: &Range<usize>) -> usize {
    plan.source_span(group.clone()).len() + bytes_of(plan, group).len()
}

fn bytes_of(plan: &Plan, group: &Range<usize>) -> Range<usize> {
    if group.is_empty() {
        return 0..0;
    }
    plan.chunk_bytes(group.start).start..plan.chunk_bytes(group.end - 1).end
}

/// Every byte has to be a value of the type and nothing more: bits that packing would lose are
/// zero, or repeat the sign.
fn check_meaning(bytes: &[u8], element_type: ElementType) -> anyhow::Result<()> {
    let bits = element_type.bits();
    let is_signed = element_type.class() == ElementClass::Signed;
    let means = |byte: &u8| {
        let stray = byte >> bits;
        let ones = u8::MAX >> bits;
        stray == 0 || (is_signed && stray == ones && (byte >> (bits - 1)) & 1 == 1)
    };
    match bytes.iter().find(|byte| !means(byte)) {
        None => Ok(()),
        Some(byte) => {
            bail!("the byte {byte:#04x} is no {element_type}, and packing would change it")
        }
    }
}

/// Copies the bytes of an array that stays as it is.
fn copy(
    file: &ArrayFile,
    job: &Job,
    writer: &mut Writer,
    progress: &Progress,
) -> anyhow::Result<()> {
    let mut piece = Vec::new();
    let mut done = 0;
    while done < job.bytes_in {
        let len = usize::try_from(job.bytes_in - done).unwrap_or(usize::MAX).min(COPY_PIECE);
        piece.resize(len, 0);
        file.read_at(job.array, done, &mut piece)?;
        writer.append(job.array, &piece)?;
        done += len as u64;
        progress.advance(len as u64);
    }
    Ok(())
}
