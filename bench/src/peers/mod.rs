//! Who takes part: the project's own engine, plain copies, and everybody else.

pub(crate) mod crates;
pub(crate) mod onednn;
pub(crate) mod python;

use std::num::NonZeroUsize;

use anyhow::{Context, Result};
use threadteam::Pool;
use tilewright::Shape;
use tilewright_relayout::{Placement, Plan, RunOptions, Threads};

use crate::cases::Case;
use crate::contest::{Contestant, Local};
use crate::copies;
use crate::measure::{Measure, Work};
use crate::processors;
use crate::strided::{self, Nest};

/// The project's own name in a contest.
pub(crate) const OURS: &str = "tilewright";

/// The same engine, asked from Python: in the tables beside the peers, but none of them.
pub(crate) const OURS_FROM_PYTHON: &str = "tilewright-py";

/// A copy with streaming stores.
pub(crate) const STREAMING: &str = "streaming copy";
/// A `memcpy` on one thread where the others are on several: the best copy of small arrays, and
/// on a machine that has other things to do.
pub(crate) const ALONE: &str = "memcpy on one thread";
/// Reading alone, of half of the bytes that a relayout moves.
pub(crate) const READ: &str = "read";

/// Every peer's name, as `--peers` takes it.
pub(crate) const PEERS: &[&str] = &[
    "onednn",
    "strided-perm",
    "ndarray",
    "transpose",
    "fast_transpose",
    "numpy",
    "jax-put",
    "jax-jit",
    "torch",
    OURS_FROM_PYTHON,
];

/// A case made ready: how the array lies on both sides, and the same as loops where it can be.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) shapes: [Shape; 2],
    pub(crate) from: Placement,
    pub(crate) to: Placement,
    pub(crate) nest: Option<Nest>,
}

impl Problem {
    pub(crate) fn new(shapes: [Shape; 2]) -> Result<Self> {
        let [from, to] = crate::cases::placements(&shapes)?;
        let nest = strided::nest(&from, &to);
        Ok(Problem { shapes, from, to, nest })
    }

    /// Whether elements are equally wide on both sides, and whole bytes.
    pub(crate) fn is_of_bytes(&self) -> bool {
        self.from.element_bits() == self.to.element_bits() && self.from.element_bits() >= 8
    }
}

/// The threads that work on several threads is done on; our engine has its own.
pub(crate) struct Crew {
    pub(crate) threads: usize,
    /// For strided-perm.
    pub(crate) team: Pool,
}

impl Crew {
    pub(crate) fn new(threads: usize) -> Result<Self> {
        let team = Pool::builder().threads(threads).on_start(processors::bind).build()?;
        Ok(Crew { threads, team })
    }
}

/// Our own engine, with a plan made before.
pub(crate) fn ours(problem: &Problem, crew: &Crew) -> Result<Contestant<'static>> {
    let plan = Plan::new(&problem.from, &problem.to).context("the plan")?;
    let several = NonZeroUsize::new(crew.threads).filter(|threads| threads.get() > 1);
    let threads = several.map_or(Threads::Current, Threads::Count);
    let options = RunOptions { threads, ..RunOptions::default() };
    let run = move |src: &[u8], dst: &mut [u8]| Ok(plan.run(src, dst, &options)?);
    Ok(Contestant::new(OURS, vec![Local::form("", run)]))
}

/// The copy that brackets every turn, on as many threads as the contest.
pub(crate) fn memcpy(threads: usize) -> Measure {
    Measure { work: Work::Copy(copies::memcpy), threads }
}

/// The other measures: a streaming copy, on several threads also a copy on one and, for a case
/// that is bound by it, reading alone.
pub(crate) fn measures<'a>(case: &Case, threads: usize) -> Vec<Contestant<'a>> {
    let streaming = Measure { work: Work::Copy(copies::streaming), threads };
    let mut measures = vec![Contestant::new(STREAMING, vec![Box::new(streaming)])];
    if threads > 1 {
        measures.push(Contestant::new(ALONE, vec![Box::new(memcpy(1))]));
    }
    if case.packs_bits() {
        let read = Measure { work: Work::Read, threads };
        measures.push(Contestant::new(READ, vec![Box::new(read)]));
    }
    measures
}

/// How many processors there are to be had.
pub(crate) fn cores() -> usize {
    processors::allowed().len()
}
