//! Element types.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::error::Failure;

/// The type of an array's elements: every primitive type of XLA that an array can hold.
///
/// Made of XLA's name (``"bf16"``), numpy's or ml_dtypes' (``"bfloat16"``), a dtype, or another
/// element type.
///
/// Raises
/// ------
/// LayoutError
///     If there is no such element type.
///
/// Examples
/// --------
/// >>> import tilewright as tw
/// >>> bf16 = tw.ElementType("bf16")
/// >>> bf16.bits, bf16.numpy_name, bf16 == tw.ElementType("bfloat16")
/// (16, 'bfloat16', True)
/// >>> tw.ElementType("s4")
/// ElementType('s4')
#[pyclass(frozen, eq, hash, from_py_object, module = "tilewright")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ElementType(pub(crate) tilewright::ElementType);

#[pymethods]
impl ElementType {
    #[new]
    #[pyo3(signature = (name, /))]
    fn new(name: &Bound<'_, PyAny>) -> Result<Self, Failure> {
        element_type(name).map(ElementType)
    }

    /// XLA's name, lower case: ``f32``, ``bf16``, ``f8e4m3fn``.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.ElementType("float32").name
    /// 'f32'
    #[getter]
    fn name(&self) -> &'static str {
        self.0.xla_name()
    }

    /// How many bits a value means: 4 for ``s4``, 1 for ``pred``.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.ElementType("s4").bits
    /// 4
    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits()
    }

    /// How many bits an element takes in memory by default: whole bytes.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.ElementType("s4").storage_bits
    /// 8
    #[getter]
    fn storage_bits(&self) -> u32 {
        self.0.storage_bits()
    }

    /// The name of the numpy dtype, or of the ml_dtypes one where numpy has none.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.ElementType("f8e4m3fn").numpy_name
    /// 'float8_e4m3fn'
    #[getter]
    fn numpy_name(&self) -> &'static str {
        self.0.numpy_name()
    }

    /// The name in a safetensors header, or None where that format has none.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.ElementType("f32").safetensors_name
    /// 'F32'
    #[getter]
    fn safetensors_name(&self) -> Option<&'static str> {
        self.0.safetensors_name()
    }

    /// The numpy dtype; of a type that is ml_dtypes', ml_dtypes is imported.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.ElementType("f32").dtype
    /// dtype('float32')
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("tilewright._arrays")?.call_method1("dtype_of", (*self,))
    }

    fn __str__(&self) -> &'static str {
        self.name()
    }

    fn __repr__(&self) -> String {
        format!("ElementType('{}')", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&'static str,)) {
        (py.get_type::<Self>(), (self.name(),))
    }
}

/// An element type as Python says it: by a name, a dtype or an `ElementType`.
pub(crate) fn element_type(said: &Bound<'_, PyAny>) -> Result<tilewright::ElementType, Failure> {
    if let Ok(ElementType(known)) = said.extract() {
        return Ok(known);
    }
    if let Ok(name) = said.cast::<PyString>() {
        return named(&name.to_cow()?);
    }
    let module = said.py().import("tilewright._arrays")?;
    let name: String = module.call_method1("dtype_name", (said,))?.extract()?;
    named(&name)
}

fn named(name: &str) -> Result<tilewright::ElementType, Failure> {
    let by_numpy = tilewright::ElementType::from_numpy_name(name);
    Ok(by_numpy.map_or_else(|| name.parse(), Ok)?)
}
