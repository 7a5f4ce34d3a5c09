//! GGUF files, tensor by tensor.

use std::path::PathBuf;

use numpy::{PyArray1, ToPyArray as _};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tilewright_files::{GgufFile as Reader, GgufTensor, GgufValue};

use crate::error::Failure;

/// An open `.gguf` file, for `tilewright.gguf.File` to stand on.
#[pyclass(frozen, module = "tilewright._tilewright")]
pub(crate) struct GgufFile(Reader);

/// A tensor's name, its type's, its dims, and the place and length of its blocks.
type Row = (String, &'static str, Vec<i64>, u64, u64);

/// A field's name, the values that it is part of, its bits and their shift, its base and modes in bits.
type FieldRow = (&'static str, &'static str, u32, u32, i64, Vec<(i64, i64)>);

#[pymethods]
impl GgufFile {
    #[new]
    fn open(py: Python<'_>, path: PathBuf) -> Result<Self, Failure> {
        Ok(GgufFile(py.detach(|| Reader::open(path))?))
    }

    #[getter]
    fn version(&self) -> u32 {
        self.0.version()
    }

    #[getter]
    fn alignment(&self) -> u64 {
        self.0.alignment()
    }

    /// The metadata as a dict; of arrays how they begin.
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for entry in self.0.metadata() {
            all.set_item(&entry.key, value(py, &entry.value)?)?;
        }
        Ok(all)
    }

    fn tensors(&self) -> Vec<Row> {
        let row = |tensor: &GgufTensor| {
            let (name, kind) = (tensor.name().to_owned(), tensor.gguf_type().name());
            (name, kind, tensor.dims().to_vec(), tensor.file_offset(), tensor.byte_len())
        };
        self.0.tensors().iter().map(row).collect()
    }

    /// The fields of a tensor's blocks.
    fn fields(&self, name: &str) -> Result<Vec<FieldRow>, Failure> {
        let tensor = self.0.find(name);
        let tensor =
            tensor.ok_or_else(|| Failure::value(format!("there is no tensor `{name}`")))?;
        let row = |field: &tilewright::formats::Field| {
            let (bits, shift) = (field.bits(), field.shift());
            (field.name(), field.value(), bits, shift, field.base(), field.modes().to_vec())
        };
        Ok(tensor.gguf_type().record().fields().iter().map(row).collect())
    }

    /// The blocks of a tensor, as bytes.
    fn read<'py>(&self, py: Python<'py>, name: &str) -> Result<Bound<'py, PyArray1<u8>>, Failure> {
        let length = self.0.find(name).map_or(0, GgufTensor::byte_len);
        let length = usize::try_from(length).map_err(|error| Failure::value(error.to_string()))?;
        let bytes = py.detach(|| {
            let mut bytes = Vec::new();
            bytes.try_reserve_exact(length).map_err(|error| Failure::Memory(error.to_string()))?;
            bytes.resize(length, 0);
            self.0.read_tensor(name, &mut bytes)?;
            Ok::<_, Failure>(bytes)
        })?;
        Ok(bytes.to_pyarray(py))
    }

    /// The codes of a tensor, one a byte.
    fn codes<'py>(&self, py: Python<'py>, name: &str) -> Result<Bound<'py, PyArray1<u8>>, Failure> {
        Ok(py.detach(|| self.0.codes(name))?.to_pyarray(py))
    }

    /// The values of a field, or of all fields of a name together, and their dims.
    fn values<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        of: &str,
    ) -> Result<Bound<'py, PyArray1<u64>>, Failure> {
        Ok(py.detach(|| self.0.values(name, of))?.to_pyarray(py))
    }
}

fn value(py: Python<'_>, said: &GgufValue) -> PyResult<Py<PyAny>> {
    match said {
        GgufValue::U8(number) => number.into_py_any(py),
        GgufValue::I8(number) => number.into_py_any(py),
        GgufValue::U16(number) => number.into_py_any(py),
        GgufValue::I16(number) => number.into_py_any(py),
        GgufValue::U32(number) => number.into_py_any(py),
        GgufValue::I32(number) => number.into_py_any(py),
        GgufValue::U64(number) => number.into_py_any(py),
        GgufValue::I64(number) => number.into_py_any(py),
        GgufValue::F32(number) => number.into_py_any(py),
        GgufValue::F64(number) => number.into_py_any(py),
        GgufValue::Bool(is) => is.into_py_any(py),
        GgufValue::Text(text) => text.into_py_any(py),
        GgufValue::Array(array) => {
            let first = PyList::empty(py);
            for element in &array.first {
                first.append(value(py, element)?)?;
            }
            (array.element_type.name(), array.len, first).into_py_any(py)
        }
    }
}
