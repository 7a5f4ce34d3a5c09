//! The measures as contestants: copies and reading, on one thread or on several at once.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;

use crate::clock::Clock;
use crate::contest::{Form, timed};
use crate::copies::{self, Copy};
use crate::memory::Buffers;
use crate::processors::{self, Bound};

/// A copy of as many bytes as a relayout moves, or reading half of them.
///
/// On several threads each has a part, and a turn ends when all are done. They wait for each other
/// without going to sleep, so that waking them costs next to nothing: the best that several
/// threads can do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    pub(crate) work: Work,
    pub(crate) threads: usize,
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    Copy(Copy),
    Read,
}

/// The bytes of a part below which another thread is not worth it.
const SMALLEST_PART: usize = 64 << 10;

impl Measure {
    /// The bytes of each thread's part: whole pages, so that no two threads write to one cache
    /// line.
    fn part_of(self, bytes: usize) -> usize {
        bytes.div_ceil(self.threads).next_multiple_of(4096).max(SMALLEST_PART)
    }
}

impl Work {
    fn run(self, src: &[u8], dst: &mut [u8]) {
        match self {
            Work::Copy(copy) => copy(src, dst),
            Work::Read => drop(black_box(copies::read(black_box(src)))),
        }
    }
}

impl Form for Measure {
    fn name(&self) -> String {
        String::new()
    }

    fn produce(&mut self, buffers: &mut Buffers) -> Result<()> {
        let (src, dst) = buffers.copied();
        self.work.run(src, dst);
        Ok(())
    }

    fn time(&mut self, buffers: &mut Buffers, clock: Clock, repeats: u32) -> Result<Duration> {
        let (src, dst) = buffers.copied();
        let part = self.part_of(dst.len());
        if dst.len() <= part {
            return timed(clock, repeats, || {
                self.work.run(src, dst);
                Ok(())
            });
        }
        Ok(together(self.work, src.chunks(part).zip(dst.chunks_mut(part)).collect(), repeats))
    }

    fn is_relayout(&self) -> bool {
        false
    }
}

/// How long it takes so many times, a thread for each part; one of them is the calling thread.
fn together(work: Work, mut parts: Vec<(&[u8], &mut [u8])>, repeats: u32) -> Duration {
    let barrier = Barrier { threads: parts.len(), arrived: AtomicUsize::new(0) };
    let Some((own_src, own_dst)) = parts.pop() else { return Duration::ZERO };
    let _bound = Bound::to_first();
    std::thread::scope(|scope| {
        for (number, (src, dst)) in parts.into_iter().enumerate() {
            let barrier = &barrier;
            scope.spawn(move || {
                processors::bind(number + 1);
                turns(work, src, dst, repeats, &mut barrier.visitor())
            });
        }
        turns(work, own_src, own_dst, repeats, &mut barrier.visitor())
    })
}

/// One thread's turns, each with all others; the time from the first to the last.
fn turns(
    work: Work,
    src: &[u8],
    dst: &mut [u8],
    repeats: u32,
    visitor: &mut Visitor<'_>,
) -> Duration {
    visitor.wait();
    if repeats > 1 {
        work.run(src, dst);
        visitor.wait();
    }
    let all = || {
        for _ in 0..repeats {
            work.run(src, dst);
            visitor.wait();
        }
    };
    Clock::Wall.time(all).0
}

/// Where threads wait for each other, awake.
struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
}

/// A thread that comes to a barrier again and again.
struct Visitor<'a> {
    barrier: &'a Barrier,
    /// The arrivals, of all threads, that end its next wait.
    awaited: usize,
}

impl Barrier {
    fn visitor(&self) -> Visitor<'_> {
        Visitor { barrier: self, awaited: 0 }
    }
}

impl Visitor<'_> {
    /// Waits until all threads have come as often as this one.
    fn wait(&mut self) {
        // So long that who is still away has no processor, and might get this one.
        const PATIENCE: u32 = 1 << 11;
        self.awaited += self.barrier.threads;
        self.barrier.arrived.fetch_add(1, Ordering::AcqRel);
        let mut turns = 0u32;
        while self.barrier.arrived.load(Ordering::Acquire) < self.awaited {
            turns += 1;
            match turns.is_multiple_of(PATIENCE) {
                true => std::thread::yield_now(),
                false => std::hint::spin_loop(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_threads_copy_everything() {
        let mut buffers = Buffers::new(400_001, 300_002).unwrap();
        crate::definition::fill(buffers.src_mut(), 0xff);
        for copy in [copies::memcpy as Copy, copies::streaming] {
            for (threads, repeats) in [(1, 1), (2, 1), (3, 4)] {
                buffers.copied().1.fill(0);
                let mut measure = Measure { work: Work::Copy(copy), threads };
                let time = measure.time(&mut buffers, Clock::Wall, repeats).unwrap();
                let (src, dst) = buffers.copied();
                assert!(src == dst && time > Duration::ZERO, "{threads} threads");
            }
        }
    }
}
