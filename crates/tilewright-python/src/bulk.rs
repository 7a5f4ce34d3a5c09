//! Many offsets and many indices at once, as numpy arrays.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
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
    let offsets = filled(py, n_indices, |offsets| map.offsets_at(table, offsets))?;
    reshaped(offsets, &dims)
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
    let n_numbers = list.len().saturating_mul(rank);
    let indices = filled(py, n_numbers, |indices| map.indices_at(list, indices))?;
    reshaped(indices, &dims)
}

/// A new array of so many numbers, filled without the GIL. It is numpy's own memory, on huge pages
/// where it is large: to be handed fresh pages of 4 KiB takes longer than to fill them.
fn filled(
    py: Python<'_>,
    n_numbers: usize,
    fill: impl Send + FnOnce(&mut [i64]) -> Result<(), tilewright::Error>,
) -> Result<Bound<'_, PyArray1<i64>>, Failure> {
    let array = py.import("numpy")?.call_method1("empty", (n_numbers, "int64"))?;
    let array = array.cast_into::<PyArray1<i64>>().map_err(PyErr::from)?;
    let mut numbers = array.try_readwrite().map_err(PyErr::from)?;
    let numbers = numbers.as_slice_mut().map_err(PyErr::from)?;
    py.detach(|| fill(numbers))?;
    Ok(array)
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
