//! Many offsets and many indices at once, as numpy arrays.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tilewright::IndexMap as Map;
use tilewright::shape::check_index;

use crate::error::Failure;

/// From so many times the sum of the dimensions on, it pays to make a table for each of them.
const TABLES_PAY: usize = 4;

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
    let offsets = py.detach(|| offsets(map, table, n_indices))?;
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
    let indices = py.detach(|| indices(map, list))?;
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

/// The offset at each row of `table`, rows being indices.
fn offsets(map: &Map, table: &[i64], n_indices: usize) -> Result<Vec<i64>, Failure> {
    let rank = map.dims().len();
    if rank == 0 {
        return Ok(vec![map.offset(&[])?; n_indices]);
    }
    let sum_of_dims: i64 = map.dims().iter().fold(0, |sum, dim| sum.saturating_add(*dim));
    let pays = usize::try_from(sum_of_dims).is_ok_and(|sum| n_indices / TABLES_PAY >= sum);
    if map.is_separable() && pays && map.elements() > 0 {
        return from_tables(map, table, rank);
    }
    let each = table.chunks_exact(rank).map(|index| map.offset(index));
    Ok(each.collect::<Result<_, _>>()?)
}

/// As a sum of one table for each dimension: what each index along it adds.
fn from_tables(map: &Map, table: &[i64], rank: usize) -> Result<Vec<i64>, Failure> {
    let mut origin = vec![0; rank];
    let base = map.offset(&origin)?;
    let mut tables = Vec::new();
    for (dim, &extent) in map.dims().iter().enumerate() {
        let mut along = Vec::new();
        for index in 0..extent {
            origin[dim] = index;
            along.push(map.offset(&origin)? - base);
        }
        origin[dim] = 0;
        tables.push(along);
    }
    let mut offsets = Vec::with_capacity(table.len() / rank);
    for index in table.chunks_exact(rank) {
        match sum(&tables, index) {
            Some(sum) => offsets.push(base + sum),
            None => check_index(index, map.dims())?,
        }
    }
    Ok(offsets)
}

fn sum(tables: &[Vec<i64>], index: &[i64]) -> Option<i64> {
    tables.iter().zip(index).try_fold(0, |sum, (along, &index)| {
        // A negative index is none that a table has.
        Some(sum + along.get(usize::try_from(index).ok()?)?)
    })
}

fn indices(map: &Map, offsets: &[i64]) -> Result<Vec<i64>, Failure> {
    let rank = map.dims().len();
    let mut indices = Vec::with_capacity(offsets.len().saturating_mul(rank));
    for &offset in offsets {
        match map.index(offset)? {
            Some(index) => indices.extend(index),
            None => indices.extend(std::iter::repeat_n(-1, rank)),
        }
    }
    Ok(indices)
}
