//! Files converted: the engine of `tilewright.convert` and of `tilewright.dask.convert`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

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
        let threads = match threads.map(NonZeroUsize::new) {
            Some(None) => return Err(Failure::value("threads=0: there has to be one, at least")),
            Some(threads) => threads,
            None => None,
        };
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
        self.told(py, progress, |conversion, told| conversion.write(told).map(|_| ()))
    }

    /// Writes one shard as a file.
    fn write_shard(&self, py: Python<'_>, shard: usize, path: PathBuf) -> Result<(), Failure> {
        self.told(py, None, |conversion, told| conversion.write_shard(shard, &path, told))
    }
}

impl Conversion {
    fn told(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        work: impl FnOnce(&convert::Conversion, &dyn Progress) -> anyhow::Result<()> + Send,
    ) -> Result<(), Failure> {
        let told = Told { progress, has_failed: AtomicBool::new(false) };
        Ok(py.detach(|| work(&self.0, &told))?)
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
    let facts = facts.collect::<anyhow::Result<Vec<Facts>>>()?;
    Ok(facts.into_iter().fold(Facts::default(), Facts::and).to_json())
}

/// A Python function that is told how far it is.
struct Told {
    progress: Option<Py<PyAny>>,
    /// It is not asked again when it has raised.
    has_failed: AtomicBool,
}

impl Progress for Told {
    fn begin(&self, _name: &str) {}

    fn advance(&self, bytes: u64) {
        let Some(progress) = &self.progress else { return };
        if self.has_failed.load(Ordering::Relaxed) {
            return;
        }
        Python::attach(|py| {
            if let Err(error) = progress.call1(py, (bytes,)) {
                self.has_failed.store(true, Ordering::Relaxed);
                error.write_unraisable(py, None);
            }
        });
    }
}
