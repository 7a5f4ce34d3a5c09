//! Conflicts of an access in banked memory.

use std::fmt;
use std::ops::Range;

use super::Access;
use super::sharing::counted;
use crate::error::{Error, invalid};

/// Memory in banks: word `w` is in bank `w mod banks`, and a bank serves one word at a time,
/// to all threads that want it.
///
/// The default is the shared memory of an NVIDIA GPU: 32 banks of 4 bytes, and warps of 32
/// threads (NVIDIA, *CUDA C++ Programming Guide*, shared memory).
///
/// # Phases
/// The banks together serve `banks * bank_bits` bits at a time, 128 bytes by default. Where the
/// threads of a warp want more than that, the access is split into *phases* of as many
/// threads as want no more: 16 threads with 8 bytes each, 8 threads with 16. Threads of different
/// phases do not conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banks {
    /// The number of banks.
    pub banks: u32,
    /// The bits of a word: how much of a bank is served at a time.
    pub bank_bits: u32,
    /// The number of threads that ask together.
    pub threads: u32,
}

impl Default for Banks {
    fn default() -> Self {
        Banks { banks: 32, bank_bits: 32, threads: 32 }
    }
}

/// What an access costs in banked memory, from [`Access::bank_conflicts`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankConflicts {
    /// The number of phases.
    pub phases: i64,
    /// How many times the banks have to serve: for each phase, as often as its worst bank has
    /// words. As many as phases is the least there can be.
    pub wavefronts: i64,
    /// The first of the phases that take longest, `None` where there are no threads.
    pub worst: Option<Phase>,
}

/// Threads that are served together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Which threads.
    pub threads: Range<usize>,
    /// For each bank, how many different words of it are wanted.
    pub words_per_bank: Vec<u32>,
    /// The first bank with the most words.
    pub bank: u32,
    /// The words that are wanted of that bank, rising. More than one is a conflict.
    pub words: Vec<Word>,
}

/// A word of memory, and who wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Which word, counted from offset 0 on.
    pub number: i64,
    /// The threads that want it, rising.
    pub threads: Vec<usize>,
}

/// Banks are numbered and counted one by one, so there are at most this many.
const MAX_BANKS: u32 = 1 << 16;

/// A bank, a word of it, and a thread that wants that.
type Want = (i64, i64, usize);

impl Access {
    /// Whether threads want different words of the same bank at a time.
    ///
    /// ```
    /// use tilewright::map::{Access, Banks};
    /// let column = |pitch: i64| Access::new((0..32).map(|row| row * pitch).collect(), 32, 1);
    /// let conflicts = column(32)?.bank_conflicts(&Banks::default())?;
    /// assert_eq!((conflicts.ways(), conflicts.wavefronts), (32, 32));
    /// // A column more in each row, and every thread has a bank of its own.
    /// assert!(column(33)?.bank_conflicts(&Banks::default())?.is_conflict_free());
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number of the banks is 0, there are more than 2¹⁶ of them, a thread wants more than all
    /// banks serve at a time, or an element is too far away for 64 bits.
    pub fn bank_conflicts(&self, banks: &Banks) -> Result<BankConflicts, Error> {
        let threads_per_phase = banks.threads_per_phase(self.bits())?;
        let mut conflicts = BankConflicts { phases: 0, wavefronts: 0, worst: None };
        let mut start = 0;
        for request in self.offsets().chunks(usize_of(banks.threads)) {
            for phase in request.chunks(threads_per_phase) {
                let threads = start..start + phase.len();
                start = threads.end;
                let wants = self.wants(banks, threads.clone())?;
                conflicts.add(banks, threads, &wants);
            }
        }
        Ok(conflicts)
    }

    /// What the threads want, sorted.
    fn wants(&self, banks: &Banks, threads: Range<usize>) -> Result<Vec<Want>, Error> {
        let mut wants = Vec::new();
        for thread in threads {
            for word in self.pieces(self.offsets()[thread], banks.bank_bits)? {
                wants.push((word.rem_euclid(i64::from(banks.banks)), word, thread));
            }
        }
        wants.sort_unstable();
        Ok(wants)
    }
}

impl Banks {
    /// How many threads that want so many bits each are served together.
    fn threads_per_phase(&self, bits: i64) -> Result<usize, Error> {
        let Banks { banks, bank_bits, threads } = *self;
        if banks == 0 || bank_bits == 0 || threads == 0 || banks > MAX_BANKS {
            return invalid(format!(
                "{banks} banks of {bank_bits} bits for {threads} threads cannot be"
            ));
        }
        let together = i64::from(banks) * i64::from(bank_bits);
        if bits > together {
            return invalid(format!(
                "a thread wants {bits} bits, more than the {together} that all banks serve at a time"
            ));
        }
        Ok(usize::try_from(together / bits).unwrap_or(usize::MAX).min(usize_of(threads)))
    }
}

fn usize_of(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl BankConflicts {
    /// Counts a phase of these threads in.
    fn add(&mut self, banks: &Banks, threads: Range<usize>, wants: &[Want]) {
        let of_bank = |bank: &[Want]| bank.chunk_by(|a, b| a.1 == b.1).count();
        let ways = wants.chunk_by(|a, b| a.0 == b.0).map(of_bank).max().unwrap_or(0);
        self.phases += 1;
        self.wavefronts += i64::try_from(ways).unwrap_or(i64::MAX);
        if ways > self.ways() {
            self.worst = Some(Phase::new(banks, threads, wants));
        }
    }

    /// The most words that one bank has to serve in one phase: 1 without conflicts, 0 without
    /// threads.
    pub fn ways(&self) -> usize {
        self.worst.as_ref().map_or(0, |phase| phase.words.len())
    }

    /// Whether no bank has to serve more than one word in a phase.
    pub fn is_conflict_free(&self) -> bool {
        self.ways() <= 1
    }
}

impl Phase {
    fn new(banks: &Banks, threads: Range<usize>, wants: &[Want]) -> Self {
        let mut words_per_bank = vec![0; usize_of(banks.banks)];
        let mut words: Vec<Word> = Vec::new();
        for of_bank in wants.chunk_by(|a, b| a.0 == b.0) {
            let found: Vec<Word> = of_bank.chunk_by(|a, b| a.1 == b.1).map(Word::of).collect();
            let place = usize::try_from(of_bank[0].0).unwrap_or(usize::MAX);
            if let Some(count) = words_per_bank.get_mut(place) {
                *count = u32::try_from(found.len()).unwrap_or(u32::MAX);
            }
            if found.len() > words.len() {
                words = found;
            }
        }
        let bank = words.first().map_or(0, |word| word.number.rem_euclid(i64::from(banks.banks)));
        Phase { threads, words_per_bank, bank: u32::try_from(bank).unwrap_or(u32::MAX), words }
    }
}

impl Word {
    fn of(wants: &[Want]) -> Self {
        let threads = wants.iter().map(|&(_, _, thread)| thread).collect();
        Word { number: wants[0].1, threads }
    }
}

impl fmt::Display for BankConflicts {
    /// One line, and where there are conflicts a second one about the worst bank.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wavefronts = counted(self.wavefronts, "wavefront");
        let phases = counted(self.phases, "phase");
        match &self.worst {
            Some(phase) if phase.words.len() > 1 => {
                write!(f, "{}-way conflict: {wavefronts} for {phases}\n{phase}", self.ways())
            }
            _ => write!(f, "no conflict: {wavefronts} for {phases}"),
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bank {}:", self.bank)?;
        for (place, word) in self.words.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma} word {} (", word.number)?;
            for (place, thread) in word.threads.iter().enumerate() {
                let what = if place == 0 { "thread " } else { ", " };
                write!(f, "{what}{thread}")?;
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}
