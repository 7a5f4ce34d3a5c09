//! Many offsets and many indices at once, as numpy arrays.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tilewright::IndexMap as Map;

use crate::error::Failure;

/// An array of offsets with the shape of `dims`.
pub(crate) fn all_offsets<'py>(map: &Map, py: Python<'py>) -> Result<Bound<'py, PyAny>, Failure> {
    let offsets = py.detach(|| map.offsets())?;
    let dims = PyTuple::new(py, map.dims())?;
    Ok(PyArray1::from_vec(py, offsets).into_any().call_method1("reshape", (dims,))?)
}

/// The offsets at an array of indices of shape (…, rank), or at a tuple of arrays.
pub(crate) fn offsets_at<'py>(
    map: &Map,
    indices: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, Failure> {
    let py = indices.py();
    let arrays = py.import("tilewright._arrays")?;
    let (table, dims): (PyReadonlyArray2<'_, i64>, Bound<'_, PyTuple>) =
        arrays.call_method1("index_table", (indices, map.dims().len()))?.extract()?;
    let n_indices = table.as_array().nrows();
    let table = table.as_slice().map_err(PyErr::from)?;
    let mut offsets = vec![0; n_indices];
    py.detach(|| map.offsets_at(table, &mut offsets))?;
    reshaped(PyArray1::from_vec(py, offsets), &dims)
}

/// The indices at an array of offsets, -1 throughout where there is padding.
pub(crate) fn indices_at<'py>(
    map: &Map,
    offsets: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, Failure> {
    let py = offsets.py();
    let arrays = py.import("tilewright._arrays")?;
    let rank = map.dims().len();
    let (list, dims): (PyReadonlyArray1<'_, i64>, Bound<'_, PyTuple>) =
        arrays.call_method1("offset_list", (offsets, rank))?.extract()?;
    let list = list.as_slice().map_err(PyErr::from)?;
    let mut indices = vec![0; list.len().saturating_mul(rank)];
    py.detach(|| map.indices_at(list, &mut indices))?;
    reshaped(PyArray1::from_vec(py, indices), &dims)
}

fn reshaped<'py>(
    flat: Bound<'py, PyArray1<i64>>,
    dims: &Bound<'py, PyTuple>,
) -> Result<Bound<'py, PyAny>, Failure> {
    if dims.is_empty() {
        return Ok(flat.into_any().call_method0("item")?);
    }
    Ok(flat.into_any().call_method1("reshape", (dims,))?)
}
