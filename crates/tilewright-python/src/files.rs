//! Array files, by position.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use tilewright::ArrayShape;
use tilewright_files::{self as files, ArraySpec, CreateOptions, Format, Metadata, OpenOptions};
use tilewright_relayout::{Plan, RunOptions};

use crate::element::{ElementType, element_type};
use crate::error::Failure;
use crate::mover::Mover;
use crate::shape::{Shape, target};

/// So many bytes of a file are read at once, where the layout allows it.
const PIECE: usize = 32 << 20;

/// An open file, and what arrays it holds.
#[pyclass(frozen, module = "tilewright._tilewright")]
pub(crate) struct ArrayFile(files::ArrayFile);

#[pymethods]
impl ArrayFile {
    #[new]
    #[pyo3(signature = (path, dtype=None))]
    fn new(path: PathBuf, dtype: Option<&Bound<'_, PyAny>>) -> Result<Self, Failure> {
        let mut options = OpenOptions::new();
        if let Some(said) = dtype {
            options = options.element_type(element_type(said)?);
        }
        Ok(ArrayFile(options.open(path)?))
    }

    /// The format: ``npy``, ``safetensors``, ``gguf`` or ``raw``.
    #[getter]
    fn format(&self) -> &'static str {
        match self.0.format() {
            Format::Npy => "npy",
            Format::Safetensors | Format::SafetensorsFolder => "safetensors",
            Format::Gguf => "gguf",
            Format::Raw => "raw",
            // One that the library has learned, and this package has no name for yet.
            _ => "unknown",
        }
    }

    /// The names of the arrays, in the order of their bytes.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.arrays().iter().map(|array| array.name().to_owned()).collect()
    }

    /// The user's entries of a safetensors file's metadata.
    #[getter]
    fn metadata(&self) -> Vec<(String, String)> {
        self.0.metadata().iter().map(|(key, text)| (key.clone(), text.clone())).collect()
    }

    /// The names that layouts are recorded of and that no array has.
    #[getter]
    fn unused_layouts(&self) -> Vec<String> {
        self.0.unused_layouts().to_vec()
    }

    /// What the padding of an array holds, where that is recorded.
    fn pad(&self, array: usize) -> Option<String> {
        Some(self.0.arrays().get(array)?.layout()?.pad.clone())
    }

    /// The logical shape of an array and its layout.
    fn shape(&self, py: Python<'_>, array: usize) -> Result<Py<Shape>, Failure> {
        Shape::of_described(py, &self.0.described(array)?)
    }

    /// Fills a contiguous array of uint8 with an array's bytes from a place on.
    fn read(
        &self,
        py: Python<'_>,
        array: usize,
        start: u64,
        mut target: PyReadwriteArray1<'_, u8>,
    ) -> Result<(), Failure> {
        let target = target.as_slice_mut().map_err(PyErr::from)?;
        Ok(py.detach(|| self.0.read_at(array, start, target))?)
    }

    /// Fills a contiguous array of uint8 with what a mover makes of an array, from a byte on. Reads
    /// no more of the file than these bytes come from, and holds little of it at a time.
    fn read_moved(
        &self,
        py: Python<'_>,
        array: usize,
        mover: &Mover,
        start: usize,
        mut target: PyReadwriteArray1<'_, u8>,
    ) -> Result<(), Failure> {
        let target = target.as_slice_mut().map_err(PyErr::from)?;
        let mut part = Part { file: &self.0, array, plan: &mover.0, source: Vec::new() };
        let mut next = start / part.plan.chunk_bytes(0).len().max(1);
        let end = start.saturating_add(target.len());
        while next < part.plan.n_chunks() && part.plan.chunk_bytes(next).start < end {
            py.check_signals()?;
            next = py.detach(|| part.move_from(next, start, target))?;
        }
        Ok(())
    }
}

/// An array of a file on its way through a plan.
struct Part<'a> {
    file: &'a files::ArrayFile,
    array: usize,
    plan: &'a Plan,
    source: Vec<u8>,
}

impl Part<'_> {
    /// Moves the chunk of this number, and those after it that come from near to it, into a target
    /// that begins at byte `start` of the whole. The number of the next.
    fn move_from(
        &mut self,
        first: usize,
        start: usize,
        target: &mut [u8],
    ) -> Result<usize, Failure> {
        let after = start.saturating_add(target.len());
        let mut end = first + 1;
        while end < self.plan.n_chunks()
            && self.plan.chunk_bytes(end).start < after
            && self.plan.source_span(first..end + 1).len() <= PIECE
            && self.plan.chunk_bytes(end).end - self.plan.chunk_bytes(first).start <= PIECE
        {
            end += 1;
        }
        let span = self.plan.source_span(first..end);
        reserve(&mut self.source, span.len())?;
        self.file.read_at(self.array, span.start as u64, &mut self.source)?;
        let made = self.plan.chunk_bytes(first).start..self.plan.chunk_bytes(end - 1).end;
        let options = RunOptions::default();
        let run = |part: &mut [u8]| {
            self.plan.run_chunks(first..end, &self.source, span.start, part, &options)
        };
        let wanted = made.start.max(start)..made.end.min(after);
        let place = wanted.start - start..wanted.end - start;
        if wanted == made {
            if let Some(part) = target.get_mut(place) {
                run(part)?;
            }
            return Ok(end);
        }
        let mut whole = Vec::new();
        reserve(&mut whole, made.len())?;
        run(&mut whole)?;
        let from = whole.get(wanted.start - made.start..wanted.end - made.start);
        if let (Some(from), Some(to)) = (from, target.get_mut(place)) {
            to.copy_from_slice(from);
        }
        Ok(end)
    }
}

/// Makes a buffer as long as that, if there is memory for it.
fn reserve(buffer: &mut Vec<u8>, len: usize) -> Result<(), Failure> {
    buffer.clear();
    buffer.try_reserve_exact(len).map_err(|_| {
        Failure::Memory(format!("there is not enough memory for {len} bytes of the file"))
    })?;
    buffer.resize(len, 0);
    Ok(())
}

/// Which array of a file becomes what.
#[pyclass(frozen, module = "tilewright._tilewright")]
pub(crate) struct Rules(files::Rules);

#[pymethods]
impl Rules {
    /// `by_name`: patterns and what the arrays become whose names match, the last that does.
    #[new]
    fn new(
        others: Option<&Bound<'_, PyAny>>,
        by_name: Vec<(String, Bound<'_, PyAny>)>,
    ) -> Result<Self, Failure> {
        let mut rules = files::Rules::new();
        for (pattern, layout) in by_name {
            rules = rules.by_name(&pattern, target(&layout)?)?;
        }
        Ok(Rules(match others {
            Some(layout) => rules.others(target(layout)?),
            None => rules,
        }))
    }

    /// An error if a pattern matches none of these names.
    fn check_names(&self, names: Vec<String>) -> Result<(), Failure> {
        Ok(self.0.check_names(names.iter().map(String::as_str))?)
    }

    /// The shape in which a format is to hold the array of a name, None where it stays as it is.
    fn shape(
        &self,
        py: Python<'_>,
        name: &str,
        element_type: ElementType,
        dims: Vec<i64>,
        format: &str,
    ) -> Result<Option<Py<Shape>>, Failure> {
        let array = ArrayShape::new(element_type.0, &dims)?;
        let shape = self.0.applied_to(name, &array, format_named(format)?)?;
        shape.map(|shape| Shape::of_described(py, &shape)).transpose()
    }
}

/// A file that is being made, under another name until it is finished.
#[pyclass(module = "tilewright._tilewright")]
pub(crate) struct Writer(Option<files::Writer>);

#[pymethods]
impl Writer {
    /// `arrays`: of each the name, the shape and what its padding holds.
    #[new]
    fn new(
        path: PathBuf,
        format: &str,
        arrays: Vec<(String, PyRef<'_, Shape>, String)>,
        metadata: Vec<(String, String)>,
        force: bool,
    ) -> Result<Self, Failure> {
        let format = format_named(format)?;
        let spec = |(name, shape, pad): (String, PyRef<'_, Shape>, String)| {
            let array = shape.described()?.preferring_xla();
            Ok(ArraySpec::of(name, &array, &pad, format)?)
        };
        let specs = arrays.into_iter().map(spec).collect::<Result<Vec<_>, Failure>>()?;
        let mut options = self::options(force);
        if format == Format::Safetensors {
            options = options.metadata(metadata.into_iter().collect::<Metadata>());
        }
        Ok(Writer(Some(options.create(path, format, &specs)?)))
    }

    /// Writes the next bytes of an array.
    fn append(
        &mut self,
        py: Python<'_>,
        array: usize,
        bytes: PyReadonlyArray1<'_, u8>,
    ) -> Result<(), Failure> {
        let bytes = bytes.as_slice().map_err(PyErr::from)?;
        let writer = self.0.as_mut().ok_or_else(finished)?;
        Ok(py.detach(|| writer.append(array, bytes))?)
    }

    /// Puts the file in place, when every array has all its bytes.
    fn finish(&mut self, py: Python<'_>) -> Result<(), Failure> {
        let writer = self.0.take().ok_or_else(finished)?;
        Ok(py.detach(|| writer.finish())?)
    }
}

/// What a Zarr v3 array on the disk will be.
#[pyclass(frozen, module = "tilewright._tilewright")]
pub(crate) struct ZarrStore(files::ZarrStore);

#[pymethods]
impl ZarrStore {
    #[new]
    #[pyo3(signature = (path, shape, chunk_dims=None))]
    fn new(path: PathBuf, shape: &Shape, chunk_dims: Option<Vec<i64>>) -> Result<Self, Failure> {
        let store = files::ZarrStore::new(path, &shape.array()?, chunk_dims.as_deref())?;
        Ok(ZarrStore(store))
    }

    /// How many chunks there are along each dimension.
    #[getter]
    fn grid<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.grid())
    }

    /// One chunk: whole tiles, in the layout of its buffer.
    #[getter]
    fn chunk(&self, py: Python<'_>) -> Result<Py<Shape>, Failure> {
        Shape::of_array(py, self.0.chunk().clone())
    }

    /// The text of `zarr.json`.
    #[getter]
    fn metadata(&self) -> &str {
        self.0.metadata()
    }

    /// What follows the buffer in the file of every chunk.
    #[getter]
    fn suffix<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.suffix())
    }

    /// An error if the store may not come to be at its path.
    #[pyo3(signature = (force=false))]
    fn check_place(&self, force: bool) -> Result<(), Failure> {
        Ok(self.0.check_place(&options(force))?)
    }

    /// Begins to make the store beside its path, in a folder of this process.
    #[pyo3(signature = (force=false))]
    fn create(&self, force: bool) -> Result<ZarrWriter, Failure> {
        Ok(self.writer(self.0.create(&options(force))?))
    }

    /// Begins to make the store beside its path, in a folder of all processes that know the token,
    /// or goes on with it.
    #[pyo3(signature = (token, force=false))]
    fn begin_shared(&self, token: &str, force: bool) -> Result<ZarrWriter, Failure> {
        Ok(self.writer(self.0.begin_shared(&options(force), token)?))
    }

    /// Takes part in that.
    #[pyo3(signature = (token, force=false))]
    fn join_shared(&self, token: &str, force: bool) -> Result<ZarrWriter, Failure> {
        Ok(self.writer(self.0.join_shared(&options(force), token)?))
    }
}

impl ZarrStore {
    fn writer(&self, writer: files::ZarrWriter) -> ZarrWriter {
        ZarrWriter { chunk: self.0.chunk().clone(), writer: Mutex::new(Some(writer)) }
    }
}

/// A store that is being made.
#[pyclass(frozen, module = "tilewright._tilewright")]
pub(crate) struct ZarrWriter {
    chunk: ArrayShape,
    writer: Mutex<Option<files::ZarrWriter>>,
}

#[pymethods]
impl ZarrWriter {
    /// One chunk of the store.
    #[getter]
    fn chunk(&self, py: Python<'_>) -> Result<Py<Shape>, Failure> {
        Shape::of_array(py, self.chunk.clone())
    }

    /// Writes the buffer of the chunk at a place of the grid.
    fn write_chunk(
        &self,
        py: Python<'_>,
        place: Vec<i64>,
        buffer: PyReadonlyArray1<'_, u8>,
    ) -> Result<(), Failure> {
        let buffer = buffer.as_slice().map_err(PyErr::from)?;
        py.detach(|| match &*self.lock() {
            Some(writer) => Ok(writer.write_chunk(&place, buffer)?),
            None => Err(finished()),
        })
    }

    /// Puts the store in place, when it has all its chunks.
    fn finish(&self, py: Python<'_>) -> Result<(), Failure> {
        py.detach(|| {
            let writer = self.lock().take().ok_or_else(finished)?;
            Ok(writer.finish()?)
        })
    }

    /// Gives up; what is at the path stays as it is.
    fn abandon(&self, py: Python<'_>) -> Result<(), Failure> {
        py.detach(|| match self.lock().take() {
            Some(writer) => Ok(writer.abandon()?),
            None => Ok(()),
        })
    }
}

impl ZarrWriter {
    fn lock(&self) -> MutexGuard<'_, Option<files::ZarrWriter>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn options(force: bool) -> CreateOptions {
    if force { CreateOptions::new().force() } else { CreateOptions::new() }
}

fn finished() -> Failure {
    Failure::value("the file is finished")
}

fn format_named(name: &str) -> Result<Format, Failure> {
    match name {
        "npy" => Ok(Format::Npy),
        "safetensors" => Ok(Format::Safetensors),
        other => Err(Failure::value(format!("no file format is called `{other}`"))),
    }
}
