//! Layouts found by asking a Python function to pack, and between an array and its packed bytes.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tilewright_discover::{
    Codes, Discovery, Error, Grain, LayoutFormula, Over, Record, discover, discover_over,
    identify_named,
};

use crate::error::Failure;
use crate::layout::{Layout, of_text};

/// The elements and bytes of a record, and of each field the lowest bit, how many, the base and the modes.
type FoundRecord = (i64, i64, Vec<(u32, u32, i64, Vec<(i64, i64)>)>);

/// What was found, for `tilewright.Discovery` to have.
#[pyclass(frozen, get_all, module = "tilewright._tilewright")]
pub(crate) struct Discovered {
    description: String,
    text: String,
    layout: Option<Py<Layout>>,
    xla: Option<String>,
    xor_mask: u32,
    pad_value: Option<u64>,
    pad_bits: u64,
    copies: usize,
    counts_bits: bool,
    record: Option<FoundRecord>,
    offsets: Py<PyAny>,
    nbytes: i64,
    calls: usize,
}

/// The layout of a function from a row of codes to bytes, both as numpy arrays.
#[pyfunction]
pub(crate) fn discover_codes(
    py: Python<'_>,
    pack: &Bound<'_, PyAny>,
    dims: Vec<i64>,
    bits: u32,
) -> Result<Discovered, Failure> {
    let asked = |codes: &[u32], _: &[i64]| -> PyResult<Vec<u8>> {
        let packed = pack.call1((PyArray1::from_slice(py, codes),))?;
        let packed: PyReadonlyArray1<'_, u8> = packed.extract()?;
        Ok(packed.as_slice()?.to_vec())
    };
    discovered(py, &discover(asked, &dims, bits)?)
}

/// What was found at several shapes.
#[pyclass(frozen, get_all, module = "tilewright._tilewright")]
pub(crate) struct DiscoveredOver {
    found: Vec<Py<Discovered>>,
    formula: Option<Py<Formula>>,
    reason: Option<String>,
}

/// A layout as a function of the shape.
#[pyclass(frozen, module = "tilewright._tilewright")]
pub(crate) struct Formula(LayoutFormula);

#[pymethods]
impl Formula {
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    /// The base and the layout at a shape.
    fn at(&self, py: Python<'_>, dims: Vec<i64>) -> Result<(i64, Py<Layout>), Failure> {
        let fitted = self.0.at(&dims).ok_or_else(|| none_at(&dims))?;
        Ok((fitted.base, of_text(py, &fitted.layout.to_string())?))
    }

    /// The size of the packed array at a shape.
    fn allocation(&self, dims: Vec<i64>) -> Result<i64, Failure> {
        self.0.allocation(&dims).ok_or_else(|| none_at(&dims))
    }
}

fn none_at(dims: &[i64]) -> Failure {
    Failure::value(format!("the formula has no layout of {dims:?}"))
}

/// The layout of a function from codes and their dims to bytes at several shapes.
#[pyfunction]
pub(crate) fn discover_codes_over(
    py: Python<'_>,
    pack: &Bound<'_, PyAny>,
    shapes: Vec<Vec<i64>>,
    bits: u32,
) -> Result<DiscoveredOver, Failure> {
    let asked = |codes: &[u32], dims: &[i64]| -> PyResult<Vec<u8>> {
        let packed = pack.call1((PyArray1::from_slice(py, codes), PyTuple::new(py, dims)?))?;
        let packed: PyReadonlyArray1<'_, u8> = packed.extract()?;
        Ok(packed.as_slice()?.to_vec())
    };
    let shapes: Vec<&[i64]> = shapes.iter().map(Vec::as_slice).collect();
    let Over { found, formula } = discover_over(asked, &shapes, bits)?;
    let one = |found: &Discovery| Ok(Py::new(py, discovered(py, found)?)?);
    let found: Result<Vec<_>, Failure> = found.iter().map(one).collect();
    let (formula, reason) = match formula {
        Ok(formula) => (Some(Py::new(py, Formula(formula))?), None),
        Err(reason) => (None, Some(reason)),
    };
    Ok(DiscoveredOver { found: found?, formula, reason })
}

/// A layout's name, its text, the bits that it flips, and what is open.
type Identified = (Option<String>, String, u32, Option<String>);

/// The layouts that take whole numbers, in elements of `width` bits, to packed bytes.
#[pyfunction]
#[pyo3(signature = (numbers, packed, dims, width, is_signed, bits = None))]
pub(crate) fn identify_codes(
    py: Python<'_>,
    numbers: PyReadonlyArray1<'_, u32>,
    packed: PyReadonlyArray1<'_, u8>,
    dims: Vec<i64>,
    width: u32,
    is_signed: bool,
    bits: Option<u32>,
) -> Result<Vec<Identified>, Failure> {
    let numbers = numbers.as_slice().map_err(PyErr::from)?;
    let packed = packed.as_slice().map_err(PyErr::from)?;
    let codes = Codes::of_numbers(dims, numbers, width, is_signed, bits);
    let found =
        py.detach(|| identify_named(&codes, packed)).map_err(|e| Failure::value(e.to_string()))?;
    Ok(found.into_iter().map(|one| (one.name, one.text, one.xor_mask, one.open)).collect())
}

fn discovered(py: Python<'_>, found: &Discovery) -> Result<Discovered, Failure> {
    let xla = found.xla().map(ToString::to_string);
    let layout = found.layout().map(ToString::to_string).or_else(|| xla.clone());
    Ok(Discovered {
        description: found.to_string(),
        text: found.text(),
        layout: layout.map(|text| of_text(py, &text)).transpose()?,
        xla,
        xor_mask: found.xor_mask(),
        pad_value: found.padding().value.map(|pad| pad.value),
        pad_bits: found.padding().bits,
        copies: found.copies(),
        counts_bits: found.grain() == Grain::Bits,
        record: found.record().map(record),
        offsets: offsets(py, found)?,
        nbytes: found.allocation_bits() / 8,
        calls: found.n_calls(),
    })
}

fn record(found: &Record) -> FoundRecord {
    let fields = found.fields.iter();
    let fields = fields.map(|field| (field.shift, field.bits, field.base, field.modes.clone()));
    (found.elements, found.bytes, fields.collect())
}

/// The offsets as an array of the map's dimensions.
fn offsets(py: Python<'_>, found: &Discovery) -> Result<Py<PyAny>, Failure> {
    let bit = (found.grain() == Grain::Bits).then(|| i64::from(found.bits()));
    let dims = PyTuple::new(py, found.dims().iter().copied().chain(bit).collect::<Vec<_>>())?;
    let offsets = PyArray1::from_slice(py, found.offsets());
    Ok(offsets.into_any().call_method1("reshape", (dims,))?.unbind())
}

impl From<Error<PyErr>> for Failure {
    fn from(error: Error<PyErr>) -> Self {
        match error {
            Error::Pack(raised) => Failure::Raised(raised),
            Error::Map(error) => error.into(),
            // A refusal, a question that makes no sense, and whatever else there will be.
            error => Failure::Value(error.to_string()),
        }
    }
}
