//! Layouts found by asking a Python function to pack.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tilewright_discover::{Discovery, Error, Grain, discover};

use crate::error::Failure;
use crate::layout::{Layout, of_text};

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
        offsets: offsets(py, found)?,
        nbytes: found.allocation_bits() / 8,
        calls: found.n_calls(),
    })
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
            Error::Refused(_) | Error::Question(_) => Failure::Value(error.to_string()),
        }
    }
}
