//! Nested tuples of integers, between Python and the notation.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tilewright::tla::{IntTuple, Nested};

/// `((2,4),3)` as nested Python tuples of ints.
pub(crate) fn to_python<'py>(py: Python<'py>, tuple: &IntTuple) -> PyResult<Bound<'py, PyAny>> {
    match tuple {
        Nested::Leaf(int) => int.value().into_bound_py_any(py),
        Nested::Tuple(parts) => {
            let parts = parts.iter().map(|part| to_python(py, part));
            let parts = parts.collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, parts)?.into_bound_py_any(py)
        }
    }
}
