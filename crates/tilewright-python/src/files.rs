//! Array files, by position.

use std::path::PathBuf;

use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use tilewright_files::{self as files, ArraySpec, CreateOptions, Format, Metadata, OpenOptions};

use crate::element::element_type;
use crate::error::Failure;
use crate::shape::Shape;

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

    /// The format: ``npy``, ``safetensors`` or ``raw``.
    #[getter]
    fn format(&self) -> &'static str {
        match self.0.format() {
            Format::Npy => "npy",
            Format::Safetensors | Format::SafetensorsFolder => "safetensors",
            Format::Raw => "raw",
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

    /// The logical shape of an array and its layout.
    fn shape(&self, py: Python<'_>, array: usize) -> Result<Py<Shape>, Failure> {
        Shape::of_array(py, self.0.shape(array)?)
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
            Ok(ArraySpec::of_shape(name, &shape.array()?, &pad, format)?)
        };
        let specs = arrays.into_iter().map(spec).collect::<Result<Vec<_>, Failure>>()?;
        let mut options = CreateOptions::new();
        if format == Format::Safetensors {
            options = options.metadata(metadata.into_iter().collect::<Metadata>());
        }
        let options = if force { options.force() } else { options };
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

/// A Zarr v3 array on the disk, written chunk by chunk.
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

    /// Makes the folder; with `replace`, in place of a store that is there.
    fn begin(&self, replace: bool) -> Result<(), Failure> {
        Ok(self.0.begin(replace)?)
    }

    /// Writes the buffer of the chunk at a place of the grid.
    fn write_chunk(
        &self,
        py: Python<'_>,
        place: Vec<i64>,
        buffer: PyReadonlyArray1<'_, u8>,
    ) -> Result<(), Failure> {
        let buffer = buffer.as_slice().map_err(PyErr::from)?;
        Ok(py.detach(|| self.0.write_chunk(&place, buffer))?)
    }

    /// Writes `zarr.json`, with which there is an array.
    fn finish(&self, py: Python<'_>) -> Result<(), Failure> {
        Ok(py.detach(|| self.0.finish())?)
    }
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
