//! How much memory there is for an undertaking, and buffers that may be too large to be had.

use anyhow::{Context, bail};
use tilewright_files::{ArrayInfo, Buffer};

/// How much is taken at most when nobody says, unless a single piece of an array needs more.
const DEFAULT_MEMORY: usize = 8 << 30;

/// With a limit, no more threads are started than there are this many bytes for, unless so many were
/// asked for: a thread has buffers, tables and a chunk that it puts together.
const THREAD_MEMORY: usize = 8 << 20;

/// What is known of an array while it is converted or compared, in bytes, beside its name and its
/// layouts: its entries in the lists of both files, what is done with it, and what becomes of it.
const ARRAY_MEMORY: usize = 1200;

/// How often its name and its layouts are held, at most.
const ARRAY_COPIES: usize = 12;

/// The memory that may be taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// The bytes of all buffers, and of what threads need to fill them.
    pub(crate) bytes: usize,
    pub(crate) threads: usize,
    /// Whether to give up rather than to take more.
    pub(crate) is_strict: bool,
    /// What was allowed, for messages.
    allowed: usize,
}

impl Budget {
    /// As much as was allowed, or a default that need not be kept to.
    pub(crate) fn new(allowed: Option<usize>, threads: usize) -> Self {
        let bytes = allowed.unwrap_or(DEFAULT_MEMORY);
        Budget { bytes, threads, is_strict: allowed.is_some(), allowed: bytes }
    }

    /// How many threads to start, where nobody says and there are so many cores.
    pub(crate) fn threads_for(allowed: Option<usize>, cores: usize) -> usize {
        allowed.map_or(cores, |bytes| cores.min(bytes / THREAD_MEMORY).max(1))
    }

    /// What is left beside so many bytes of something that is held all the time.
    pub(crate) fn beside(self, bytes: usize, what: &str) -> anyhow::Result<Self> {
        match self.bytes.checked_sub(bytes) {
            Some(bytes) if bytes > 0 => Ok(Budget { bytes, ..self }),
            _ if self.is_strict => bail!("{} ({bytes} bytes)", self.too_little(what)),
            _ => Ok(Budget { bytes: THREAD_MEMORY * self.threads, ..self }),
        }
    }

    /// What is left beside so many bytes, perhaps nothing.
    pub(crate) fn without(self, bytes: usize) -> Self {
        Budget { bytes: self.bytes.saturating_sub(bytes), ..self }
    }

    pub(crate) fn of_a_thread(self) -> usize {
        self.bytes / self.threads.max(1)
    }

    /// That something does not fit.
    pub(crate) fn too_little(self, what: &str) -> String {
        format!("the memory allowed, {} bytes, does not hold {what}", self.allowed)
    }
}

/// The bytes that are held of an array beside its elements, as long as any is worked on.
pub(crate) fn of_array(info: &ArrayInfo, layouts: usize) -> usize {
    let recorded = info.layout().map_or(0, |stored| stored.layout.len() + stored.pad.len());
    let dims = size_of_val(info.dims());
    ARRAY_MEMORY + ARRAY_COPIES * (info.name().len() + recorded + layouts + dims)
}

/// Makes a buffer as long as that, if there is memory for it. What it holds is not said.
pub(crate) fn reset(buffer: &mut Buffer, len: usize) -> anyhow::Result<()> {
    buffer.reset(len).with_context(|| format!("there is not enough memory for {len} bytes"))
}

/// The buffers of a thread, a source and a target, which are used again for piece after piece.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) source: Buffer,
    pub(crate) target: Buffer,
    /// The bytes that each has ever been made long for.
    held: [usize; 2],
}

impl Buffers {
    /// The bytes that they would hold if they were made as long as that.
    pub(crate) fn with(&self, source: usize, target: usize) -> usize {
        self.held[0].max(source).saturating_add(self.held[1].max(target))
    }

    /// Makes them as long as that. What was longer is given back first if both, with that, would
    /// take more than `most` bytes.
    pub(crate) fn reset(
        &mut self,
        source: usize,
        target: usize,
        most: usize,
    ) -> anyhow::Result<()> {
        if self.with(source, target) > most {
            *self = Buffers::default();
        }
        self.held = [self.held[0].max(source), self.held[1].max(target)];
        reset(&mut self.source, source)?;
        reset(&mut self.target, target)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_not_there_for_buffers() {
        let strict = Budget::new(Some(1 << 20), 2);
        assert_eq!(strict.beside(1 << 19, "it").unwrap().of_a_thread(), 1 << 18);
        let error = strict.beside(1 << 20, "it").unwrap_err().to_string();
        assert_eq!(error, "the memory allowed, 1048576 bytes, does not hold it (1048576 bytes)");
        let lenient = Budget::new(None, 2);
        assert!(lenient.beside(9 << 30, "it").unwrap().bytes > 0);
    }

    #[test]
    fn fewer_threads_where_memory_is_short() {
        for (allowed, cores, threads) in
            [(None, 64, 64), (Some(1), 64, 1), (Some(85_000_000), 64, 10), (Some(1 << 30), 2, 2)]
        {
            assert_eq!(Budget::threads_for(allowed, cores), threads);
        }
    }

    #[test]
    fn buffers_that_are_too_long_together_are_given_back() {
        let mut buffers = Buffers::default();
        buffers.reset(60, 10, 100).unwrap();
        buffers.reset(10, 40, 100).unwrap();
        assert_eq!(buffers.held, [60, 40]);
        buffers.reset(10, 60, 100).unwrap();
        assert_eq!(buffers.held, [10, 60]);
        assert_eq!((buffers.source.len(), buffers.target.len()), (10, 60));
    }
}
