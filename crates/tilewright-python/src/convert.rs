//! Files converted: the engine of `tilewright.convert` and of `tilewright.dask.convert`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tilewright_convert::{self as convert, Facts, Goal, Input, Options, Progress};

use crate::error::Failure;

/// A file on its way to another, planned and not yet written.
#[pyclass(frozen, module = "tilewright._tilewright")]
pub(crate) struct Conversion(convert::Conversion);

/// A shard: its name, what stands in it before its arrays, and its length in bytes.
type Shard<'py> = (String, Bound<'py, PyBytes>, u64);

/// Shards, and the name and the text of their index.
type Outline<'py> = (Vec<Shard<'py>>, Option<(String, String)>);

#[pymethods]
impl Conversion {
    #[new]
    #[pyo3(signature = (source, output, to, tensors, origins, pad=None, threads=None, max_memory=None, force=false, in_place=false, facts=None))]
    #[expect(clippy::too_many_arguments, reason = "the keywords of one Python function")]
    fn new(
        py: Python<'_>,
        source: PathBuf,
        output: PathBuf,
        to: Option<&str>,
        tensors: Vec<String>,
        origins: Vec<String>,
        pad: Option<String>,
        threads: Option<usize>,
        max_memory: Option<usize>,
        force: bool,
        in_place: bool,
        facts: Option<&str>,
    ) -> Result<Self, Failure> {
        let threads = counted(threads)?;
        let facts = facts.map(Facts::from_json).transpose()?;
        let options = Options { threads, max_memory, pad, force, in_place, facts };
        let (goal, _) = Goal::parse(to, &tensors, false)?;
        let planned = py.detach(|| {
            let input = Input::open(&source, &origins, false)?;
            convert::Conversion::plan(input, &goal, &output, &options)
        });
        Ok(Conversion(planned?))
    }

    /// Of every array its name, what it was, what it is to be, and its bytes before and after.
    fn rows(&self) -> Vec<(String, String, String, u64, u64)> {
        let row = |row: convert::Row| (row.name, row.from, row.to, row.bytes_in, row.bytes_out);
        self.0.rows(None).into_iter().map(row).collect()
    }

    /// The shards of the output's folder, and the name and the text of its index.
    fn outline<'py>(&self, py: Python<'py>) -> Result<Outline<'py>, Failure> {
        let outline = self.0.outline()?;
        let shards = outline.shards.into_iter();
        let shards = shards.map(|it| (it.name, PyBytes::new(py, &it.header), it.len));
        Ok((shards.collect(), outline.index))
    }

    /// The names of the files beside the shards that go along as they are.
    fn carried(&self) -> Vec<String> {
        self.0.companions().carried().to_vec()
    }

    /// The names and the texts of those that are made anew.
    fn written(&self) -> Vec<(String, String)> {
        let written = self.0.companions().written();
        written.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    /// What has to be there of other shards for a shard of the output: a number, where, and how much.
    fn needs(&self, shard: usize) -> Vec<(usize, u64, u64)> {
        let needs = self.0.needs(shard).into_iter();
        needs.map(|(other, bytes)| (other, bytes.start, bytes.end - bytes.start)).collect()
    }

    /// Writes all of it. `progress` is called with how many bytes are done.
    #[pyo3(signature = (progress=None))]
    fn write(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> Result<(), Failure> {
        interruptible(py, progress.as_ref(), |told| self.0.write(told).map(drop))
    }

    /// Writes one shard as a file.
    fn write_shard(&self, py: Python<'_>, shard: usize, path: PathBuf) -> Result<(), Failure> {
        interruptible(py, None, |told| self.0.write_shard(shard, &path, told))
    }
}

/// Where the arrays of a shard are that say what the headers of a quantised model do not: the start and the length of
/// each. None where no such model is asked for.
#[pyfunction]
pub(crate) fn surveyed_ranges(
    folder: PathBuf,
    method: Option<&str>,
    shard: usize,
) -> Result<Option<Vec<(u64, u64)>>, Failure> {
    let Some(Goal::Checkpoint(_)) = goal_of(method) else { return Ok(None) };
    let ranges = convert::Conversion::surveyed(&Input::open(&folder, &[], false)?, shard)?;
    Ok(Some(ranges.into_iter().map(|range| (range.start, range.end - range.start)).collect()))
}

/// What these arrays of a shard say, as JSON.
#[pyfunction]
pub(crate) fn survey(
    py: Python<'_>,
    folder: PathBuf,
    method: Option<&str>,
    shard: usize,
) -> Result<Option<String>, Failure> {
    let Some(Goal::Checkpoint(method)) = goal_of(method) else { return Ok(None) };
    let survey = |folder: &Path| {
        let input = Input::open(folder, &[], false)?;
        convert::Conversion::survey(&input, method, shard)
    };
    Ok(Some(py.detach(|| survey(&folder))?.to_json()))
}

fn goal_of(to: Option<&str>) -> Option<Goal> {
    Goal::parse(to, &[], false).ok().map(|(goal, _)| goal)
}

/// What is known of several shards, as one.
#[pyfunction]
pub(crate) fn merged_facts(texts: Vec<String>) -> Result<String, Failure> {
    let facts = texts.iter().map(|text| Facts::from_json(text));
    let facts = facts.collect::<Result<Vec<Facts>, convert::Error>>()?;
    Ok(facts.into_iter().fold(Facts::default(), Facts::and).to_json())
}

/// How often it is looked whether somebody has pressed Ctrl-C.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);

/// Does something without the GIL on a thread of its own, while this one hears signals; `progress` is called with how many
/// bytes are done since.
fn interruptible<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T, convert::Error> + Send,
) -> Result<T, Failure> {
    let told = Told { done: AtomicU64::new(0), is_unwanted: AtomicBool::new(false) };
    let (send, done) = mpsc::sync_channel(1);
    let done = Mutex::new(done);
    let wait = |time| done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time);
    std::thread::scope(|scope| {
        let told = &told;
        scope.spawn(move || send.send(work(told)));
        loop {
            let outcome = py.detach(|| wait(BETWEEN_SIGNALS));
            let heard = py.check_signals().and_then(|()| told.tell(py, progress));
            match (outcome, heard) {
                (Err(RecvTimeoutError::Timeout), Ok(())) => {}
                (Err(RecvTimeoutError::Timeout), Err(error)) => {
                    // It ends at the next piece, with an error that nobody asks for.
                    told.is_unwanted.store(true, Ordering::Relaxed);
                    let _ = py.detach(|| wait(Duration::MAX));
                    return Err(Failure::Raised(error));
                }
                (_, Err(error)) => return Err(Failure::Raised(error)),
                (Ok(outcome), Ok(())) => return Ok(outcome?),
                (Err(RecvTimeoutError::Disconnected), Ok(())) => {
                    return Err(Failure::value("the work ended without a word"));
                }
            }
        }
    })
}

/// How far it is, and whether nobody wants the rest.
struct Told {
    done: AtomicU64,
    is_unwanted: AtomicBool,
}

impl Told {
    /// Says what is done since.
    fn tell(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        match (self.done.swap(0, Ordering::Relaxed), progress) {
            (bytes @ 1.., Some(progress)) => progress.call1(py, (bytes,)).map(drop),
            _ => Ok(()),
        }
    }
}

impl Progress for Told {
    fn begin(&self, _name: &str) {}

    fn advance(&self, bytes: u64) -> Result<(), convert::Error> {
        self.done.fetch_add(bytes, Ordering::Relaxed);
        match self.is_unwanted.load(Ordering::Relaxed) {
            true => Err(convert::Error::other("interrupted")),
            false => Ok(()),
        }
    }
}

/// Of two files: how many arrays there are, their names if there is one in each and they differ, and of every difference
/// the name, the reason and the index.
type Compared = (usize, Option<[String; 2]>, Vec<(String, String, Option<Vec<i64>>)>);

/// Whether two folders hold the same arrays, or the same quantised layers. `progress` is called with how many bytes of
/// both are done since.
#[pyfunction]
#[pyo3(signature = (a, b, threads=None, progress=None))]
pub(crate) fn compared(
    py: Python<'_>,
    a: PathBuf,
    b: PathBuf,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Compared, Failure> {
    let threads = counted(threads)?;
    let found = interruptible(py, progress.as_ref(), |told| {
        let [a, b] = [Input::open(&a, &[], false)?, Input::open(&b, &[], false)?];
        convert::compare(&a, &b, (threads, None), told)
    })?;
    let differences = found.differences.into_iter();
    let differences = differences.map(|it| (it.name, it.reason, it.index)).collect();
    Ok((found.arrays, found.different_names, differences))
}

fn counted(threads: Option<usize>) -> Result<Option<NonZeroUsize>, Failure> {
    match threads.map(NonZeroUsize::new) {
        Some(None) => Err(Failure::value("threads=0: there has to be one, at least")),
        Some(threads) => Ok(threads),
        None => Ok(None),
    }
}
