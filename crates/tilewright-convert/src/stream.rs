//! Moving arrays from file to file within bounded memory.

use std::ops::Range;

use tilewright_files::{ArrayFile, Buffer, Writer};
use tilewright_relayout::{Plan, RunOptions, Threads};

use crate::bundle;
use crate::crew::Crew;
use crate::cut::{Cut, Piece, Together, bytes_of, of_a_bundle};
use crate::job::Job;
use crate::memory::{self, Budget, Buffers};
use crate::passage::{Clock, Passage};
use crate::progress::Progress;

/// How much of a source that all threads wait for each of them reads at a time.
const READ: usize = 8 << 20;

/// The arrays of a file on their way to another.
pub(crate) struct Stream<'a> {
    pub(crate) file: &'a ArrayFile,
    pub(crate) writer: &'a Writer,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) crew: &'a Crew,
    pub(crate) budget: Budget,
}

/// What one thread does at a time.
enum Task<'p, 'a> {
    Piece(&'p Passage<'a>, Piece),
    Bundle(&'p [Passage<'a>]),
}

impl Stream<'_> {
    /// Reads, moves and writes arrays, in their order.
    pub(crate) fn convert(&self, passages: &[Passage<'_>]) -> anyhow::Result<()> {
        for stretch in passages.chunk_by(|a, b| a.cut.is_apart() && b.cut.is_apart()) {
            match stretch {
                [Passage { job, cut: Cut::Together(together), clock }] => {
                    self.together(job, together, clock)?;
                }
                _ => self.apart(stretch)?,
            }
        }
        Ok(())
    }

    fn apart(&self, passages: &[Passage<'_>]) -> anyhow::Result<()> {
        let tasks = self.tasks(passages);
        self.crew.work_off(tasks, Buffers::default, |buffers, task| match task {
            Task::Bundle(passages) => self.bundle(passages, buffers),
            Task::Piece(passage, piece) => self.piece(passage, &piece, buffers),
        })
    }

    /// What threads do, one thing after the other: pieces of an array, or a bundle of small ones.
    fn tasks<'p, 'a>(
        &self,
        passages: &'p [Passage<'a>],
    ) -> impl Iterator<Item = Task<'p, 'a>> + Send {
        let arrays = [self.file.arrays(), self.writer.arrays()];
        let is_small =
            |passage: &Passage<'_>| passage.cut.is_one_piece() && passage.job.narrowed().is_none();
        let small = passages.iter().filter(|passage| is_small(passage));
        let scratch = small.map(|passage| passage.job.scratch_bytes()).max().unwrap_or(0);
        let limit = of_a_bundle(self.budget, scratch);
        let mut left = passages;
        let bundles = std::iter::from_fn(move || {
            let length = if left.is_empty() { return None } else { left };
            let (bundle, rest) = left.split_at(bundle::length(length, arrays, limit, is_small));
            left = rest;
            Some(bundle)
        });
        bundles.flat_map(|bundle| {
            let (alone, together) = match bundle {
                [only] => (Some(only), None),
                _ => (None, Some(Task::Bundle(bundle))),
            };
            let pieces = alone.and_then(|passage| Some((passage, passage.apart()?.pieces())));
            let pieces = pieces
                .into_iter()
                .flat_map(|(passage, pieces)| pieces.map(move |piece| Task::Piece(passage, piece)));
            pieces.chain(together)
        })
    }

    fn piece(
        &self,
        passage: &Passage<'_>,
        piece: &Piece,
        buffers: &mut Buffers,
    ) -> anyhow::Result<()> {
        self.begin(passage.job, &passage.clock);
        match (piece, passage.job.plan()) {
            (Piece::Chunks(chunks), Some(plan)) => {
                self.move_piece(passage.job, plan, chunks.clone(), buffers)?;
            }
            (Piece::Bytes(bytes), _) => self.copy(passage.job, bytes, buffers)?,
            (Piece::Chunks(_), None) => {}
        }
        passage.clock.stop();
        Ok(())
    }

    /// Reads, moves and writes whole arrays that lie one after another.
    fn bundle(&self, passages: &[Passage<'_>], buffers: &mut Buffers) -> anyhow::Result<()> {
        let [Passage { job: first, .. }, ..] = passages else { return Ok(()) };
        let [sources, targets] = [first.source, first.target].map(|n| n..n + passages.len());
        let all = |bytes: fn(&Job) -> u64| passages.iter().map(|passage| bytes(passage.job)).sum();
        let [bytes_in, bytes_out]: [u64; 2] = [all(Job::bytes_in), all(Job::bytes_out)];
        let scratch = passages.iter().map(|passage| passage.job.scratch_bytes()).max().unwrap_or(0);
        let most = self.budget.of_a_thread().saturating_sub(scratch);
        buffers.reset(usize::try_from(bytes_in)?, usize::try_from(bytes_out)?, most)?;
        let Buffers { source, target, .. } = buffers;
        passages.iter().for_each(|passage| self.begin(passage.job, &passage.clock));
        self.file.read_arrays(sources, source)?;
        let (mut from, mut to): (&[u8], &mut [u8]) = (source, target);
        for Passage { job, .. } in passages {
            let (source, rest) = from.split_at(usize::try_from(job.bytes_in())?);
            let (target, room) = to.split_at_mut(usize::try_from(job.bytes_out())?);
            move_whole(job, source, target)?;
            (from, to) = (rest, room);
        }
        self.writer.write_arrays(targets, target)?;
        self.progress.advance(bytes_out)?;
        passages.iter().for_each(|passage| passage.clock.stop());
        Ok(())
    }

    fn move_piece(
        &self,
        job: &Job,
        plan: &Plan,
        chunks: Range<usize>,
        buffers: &mut Buffers,
    ) -> anyhow::Result<()> {
        let span = plan.source_span(chunks.clone());
        let most = self.budget.of_a_thread().saturating_sub(plan.scratch_bytes());
        buffers.reset(span.len(), bytes_of(plan, &chunks).len(), most)?;
        let Buffers { source, target, .. } = buffers;
        self.read(job, span.start, source)?;
        self.move_part(job, plan, chunks, (source, span.start), target)
    }

    /// Copies bytes of an array that stays as it is.
    fn copy(&self, job: &Job, bytes: &Range<u64>, buffers: &mut Buffers) -> anyhow::Result<()> {
        buffers.reset(usize::try_from(bytes.end - bytes.start)?, 0, self.budget.of_a_thread())?;
        self.file.read_at(job.source, bytes.start, &mut buffers.source)?;
        self.write(job, bytes.start, &buffers.source)
    }

    fn together(&self, job: &Job, together: &Together<'_>, clock: &Clock) -> anyhow::Result<()> {
        let plan = &*together.plan;
        let mut source = Buffer::new();
        self.begin(job, clock);
        for group in together.groups() {
            let span = plan.source_span(group.clone());
            memory::reset(&mut source, span.len())?;
            let slices = (span.start..).step_by(READ).zip(source.chunks_mut(READ));
            self.crew.work_off(slices, || (), |(), (at, slice)| self.read(job, at, slice))?;
            let parts = together.parts(group);
            self.crew.work_off_by(together.workers, parts, Buffer::new, |target, part| {
                self.move_part(job, plan, part, (&source, span.start), target)
            })?;
        }
        clock.stop();
        Ok(())
    }

    /// Moves chunks out of a part of the source, which begins at the byte that stands beside it.
    fn move_part(
        &self,
        job: &Job,
        plan: &Plan,
        chunks: Range<usize>,
        (source, start): (&[u8], usize),
        target: &mut Buffer,
    ) -> anyhow::Result<()> {
        let bytes = bytes_of(plan, &chunks);
        memory::reset(target, bytes.len())?;
        let options = RunOptions { pad: job.pad(), threads: Threads::Current };
        plan.run_chunks(chunks, source, start, target, &options)?;
        self.write(job, bytes.start as u64, target)
    }

    fn begin(&self, job: &Job, clock: &Clock) {
        self.progress.begin(job.name());
        clock.begin();
    }

    fn read(&self, job: &Job, start: usize, buffer: &mut [u8]) -> anyhow::Result<()> {
        self.file.read_at(job.source, start as u64, buffer)?;
        job.narrowed().map_or(Ok(()), |narrowed| narrowed.check(start, buffer))
    }

    fn write(&self, job: &Job, start: u64, bytes: &[u8]) -> anyhow::Result<()> {
        self.writer.write_at(job.target, start, bytes)?;
        Ok(self.progress.advance(bytes.len() as u64)?)
    }
}

fn move_whole(job: &Job, source: &[u8], target: &mut [u8]) -> anyhow::Result<()> {
    let options = RunOptions { pad: job.pad(), threads: Threads::Current };
    match job.plan() {
        Some(plan) => plan.run(source, target, &options)?,
        None => target.copy_from_slice(source),
    }
    Ok(())
}
