//! Nested tuples of integers, between Python and the notation.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyList, PyTuple};
use tilewright::text::{MAX_NESTING, abridged};
use tilewright::tla::{IntTuple, Nested};

use crate::error::Failure;

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

/// Whether it is an integer, or a tuple or a list: what a shape is in Python.
pub(crate) fn is_nested(said: &Bound<'_, PyAny>) -> bool {
    said.is_instance_of::<PyTuple>()
        || said.is_instance_of::<PyList>()
        || (said.is_instance_of::<PyInt>() && !said.is_instance_of::<PyBool>())
        || is_numpys_integer(said)
}

/// numpy's integers are none of Python's, and can be an index.
fn is_numpys_integer(said: &Bound<'_, PyAny>) -> bool {
    said.hasattr("__index__").unwrap_or(false) && said.hasattr("dtype").unwrap_or(false)
}

/// Nested tuples or lists of integers, as the notation writes them.
pub(crate) fn from_python(said: &Bound<'_, PyAny>) -> Result<String, Failure> {
    let mut text = String::new();
    write(said, 0, &mut text)?;
    Ok(text)
}

fn write(said: &Bound<'_, PyAny>, depth: usize, text: &mut String) -> Result<(), Failure> {
    if depth > MAX_NESTING {
        return Err(Failure::value(format!("tuples nest deeper than {MAX_NESTING}")));
    }
    let is_tuple = said.is_instance_of::<PyTuple>() || said.is_instance_of::<PyList>();
    if !is_tuple {
        text.push_str(&integer(said)?.to_string());
        return Ok(());
    }
    text.push('(');
    for (place, part) in said.try_iter()?.enumerate() {
        if place > 0 {
            text.push(',');
        }
        write(&part?, depth + 1, text)?;
    }
    text.push(')');
    Ok(())
}

/// An integer that fits 64 bits.
pub(crate) fn integer(said: &Bound<'_, PyAny>) -> Result<i64, Failure> {
    let found = || Failure::value(format!("expected an integer of 64 bits, found {}", shown(said)));
    said.extract().map_err(|_| found())
}

fn shown(said: &Bound<'_, PyAny>) -> String {
    said.repr().map_or_else(|_| "?".to_owned(), |text| abridged(&text.to_string()).to_string())
}
