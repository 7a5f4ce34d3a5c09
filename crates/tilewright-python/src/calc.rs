//! The algebra: expressions worked out.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyType;
use tilewright::algebra::Swizzle as CoreSwizzle;
use tilewright_calc::{Expression, Value, without_marks};

use crate::error::Failure;
use crate::layout::of_text;
use crate::nested;

/// What an expression comes to: a Layout, a Swizzle, an int, nested tuples, a bool or a str.
#[pyfunction]
pub(crate) fn evaluate<'py>(py: Python<'py>, text: &str) -> Result<Bound<'py, PyAny>, Failure> {
    let expression = Expression::parse(text)?;
    let value = py.detach(|| expression.value())?;
    Ok(match value {
        Value::Layout(layout) => {
            let text = layout.to_string();
            // Where nothing static was said, constants of the algebra itself are not marked either.
            let text = if expression.says_static() { text } else { without_marks(&text) };
            of_text(py, &text)?.into_bound_py_any(py)?
        }
        Value::Swizzle(swizzle) => Swizzle(swizzle).into_bound_py_any(py)?,
        Value::Tuple(tuple) => nested::to_python(py, &tuple)?,
        Value::Truth(truth) => truth.into_bound_py_any(py)?,
        Value::Count(count) => count.into_bound_py_any(py)?,
        other => other.to_string().into_bound_py_any(py)?,
    })
}

/// An operation told step by step.
#[pyfunction]
pub(crate) fn explain(text: &str) -> Result<String, Failure> {
    Ok(Expression::parse(text)?.explained()?.to_string())
}

/// How every operation is written.
#[pyfunction]
pub(crate) fn operations() -> Vec<&'static str> {
    tilewright_calc::usages()
}

/// A swizzle, ``Sw<bits,base,shift>``: some bits of an offset are exclusive-ored onto others.
///
/// Parameters
/// ----------
/// bits : int or str
///     How many bits; or the text.
/// base, shift : int
///     How many low bits are left as they are, and how far apart the bits are; not with a text.
///
/// Raises
/// ------
/// LayoutError
///     If the text means nothing, or there is no such swizzle.
///
/// Examples
/// --------
/// >>> import tilewright as tw
/// >>> swizzle = tw.Swizzle(3, 4, 3)
/// >>> swizzle == tw.Swizzle("Sw<3,4,3>")
/// True
/// >>> swizzle.bits, swizzle.base, swizzle.shift, swizzle(128)
/// (3, 4, 3, 144)
#[pyclass(frozen, eq, hash, module = "tilewright")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Swizzle(CoreSwizzle);

#[pymethods]
impl Swizzle {
    #[new]
    #[pyo3(signature = (bits, base=None, shift=None, /))]
    fn new(
        bits: &Bound<'_, PyAny>,
        base: Option<&Bound<'_, PyAny>>,
        shift: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self, Failure> {
        let text = match (base, shift) {
            (None, None) => bits.extract()?,
            (Some(base), Some(shift)) => {
                let [bits, base, shift] = [bits, base, shift].map(nested::integer);
                format!("Sw<{},{},{}>", bits?, base?, shift?)
            }
            _ => return Err(Failure::value("a swizzle is bits, base and shift, or a text")),
        };
        Ok(Swizzle(text.parse()?))
    }

    /// How many bits are exclusive-ored.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Swizzle("Sw<3,4,3>").bits
    /// 3
    #[getter]
    fn bits(&self) -> u32 {
        self.0.bits()
    }

    /// How many low bits are left as they are.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Swizzle("Sw<3,4,3>").base
    /// 4
    #[getter]
    fn base(&self) -> u32 {
        self.0.base()
    }

    /// How far apart the bits are.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Swizzle("Sw<3,4,3>").shift
    /// 3
    #[getter]
    fn shift(&self) -> i32 {
        self.0.shift()
    }

    /// Where it takes an offset.
    #[pyo3(signature = (offset, /))]
    fn __call__(&self, offset: i64) -> i64 {
        self.0.apply(offset)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Swizzle('{}')", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.0.to_string(),))
    }
}
