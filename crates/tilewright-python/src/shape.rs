//! Shapes: an array's element type, dimensions and layout.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use tilewright::formats::Target;
use tilewright::notation::{Described, DescribedArray};
use tilewright::xla::ParseOptions;
use tilewright::{ArrayShape, Shape as XlaShape};

use crate::element::{ElementType, element_type};
use crate::error::Failure;
use crate::layout::Layout;
use crate::placement::{Element, Placement};

/// An array's element type, dimensions and layout, in any notation that says all three.
///
/// XLA's ``bf16[30,300]{1,0:T(8,128)(2,1)}``, tuples of such included; TLA's and CuTe's with a type
/// in front, ``f16 ((16,2),(16,3)):((16,256),(1,512)):(28,40)``; oneDNN's ``f32[2,35,7,7] aBcd16b``;
/// numpy's ``f32[3,5] strides=(20,4)``.
///
/// Two shapes are equal if they say the same in the same notation; `same_as` compares where the
/// elements lie.
///
/// Parameters
/// ----------
/// text : str
/// strict : bool
///     Whether only what XLA's own parser takes is read.
///
/// Raises
/// ------
/// LayoutError
///     If the text means nothing; its `diagnostic` points at the place.
///
/// Examples
/// --------
/// >>> import tilewright as tw
/// >>> s = tw.Shape("bf16[32,256]{1,0:T(8,128)(2,1)}")
/// >>> s.offset((6, 5)), s.index(51), s.bytes, s.physical_dims
/// (778, (1, 25), 16384, (4, 2, 4, 128, 2, 1))
#[pyclass(frozen, extends = Placement, module = "tilewright")]
pub(crate) struct Shape {
    said: Described,
}

#[pymethods]
impl Shape {
    #[new]
    #[pyo3(signature = (text, /, *, strict=false))]
    fn new(text: &Bound<'_, PyAny>, strict: bool) -> Result<PyClassInitializer<Self>, Failure> {
        if let Ok(known) = text.cast::<Shape>() {
            return Self::of(known.get().said.clone());
        }
        let options = ParseOptions { strict, ..ParseOptions::default() };
        let text: String = text.extract()?;
        Self::of(Described::parse(&text, options)?.value)
    }

    /// The shape of an array of these dimensions, row-major if no layout is given.
    ///
    /// Parameters
    /// ----------
    /// element_type : ElementType, str or dtype
    /// dims : sequence of int
    /// layout : Shape, Layout or str, optional
    ///     As `shape_for` takes it: ``"{1,0:T(8,128)}"``, ``"tpu:v5e"``, ``"(3,5):(1,3)"``.
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If the layout is for another array, or a size is negative or too large.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tw.Shape.of("float32", (3, 5), "{1,0:T(2,2)}")
    /// Shape('f32[3,5]{1,0:T(2,2)}')
    /// >>> tw.Shape.of("bf16", (17, 1000), "tpu:v5e")
    /// Shape('bf16[17,1000]{1,0:T(8,128)(2,1)}')
    #[staticmethod]
    #[pyo3(name = "of", signature = (element_type, dims, layout=None))]
    fn of_dims(
        py: Python<'_>,
        element_type: &Bound<'_, PyAny>,
        dims: Vec<i64>,
        layout: Option<&Bound<'_, PyAny>>,
    ) -> Result<Py<Self>, Failure> {
        let array = ArrayShape::new(self::element_type(element_type)?, &dims)?;
        let said = match layout {
            None => Target::RowMajor.applied_to(&array)?,
            Some(layout) => target(layout)?.applied_to(&array)?,
        };
        Ok(Py::new(py, Self::of(said)?)?)
    }

    /// The notation that it is said in: ``xla``, ``tla``, ``onednn`` or ``numpy``.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[2,35,7,7] aBcd16b").notation
    /// 'onednn'
    #[getter]
    fn notation(&self) -> &'static str {
        self.said.notation()
    }

    /// The type of the elements; None of a tuple, a token or the like.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("bf16[3,5]").element_type
    /// ElementType('bf16')
    #[getter]
    fn element_type(&self) -> Option<ElementType> {
        self.said.element_type().map(ElementType)
    }

    /// The numpy dtype of the elements.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]").dtype
    /// dtype('float32')
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>, Failure> {
        let name = self.said.element_type().map(ElementType);
        let name = name.ok_or_else(|| Failure::value("only an array has a dtype"))?;
        Ok(py.import("tilewright._arrays")?.call_method1("dtype_of", (name,))?)
    }

    /// The bits that an element takes in memory: ``E(n)``'s if the layout says it.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("s4[8]").element_bits, tw.Shape("s4[8]{0:E(4)}").element_bits
    /// (8, 4)
    #[getter]
    fn element_bits(slf: &Bound<'_, Self>) -> Result<u32, Failure> {
        Ok(element(slf)?.bits)
    }

    /// The layout by itself; None of what is no array.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").layout
    /// Layout('{1,0:T(2,2)}')
    #[getter]
    fn layout(&self, py: Python<'_>) -> Result<Option<Py<Layout>>, Failure> {
        match &self.said {
            Described::Xla(shape) => {
                let layout = shape.as_array().ok().and_then(ArrayShape::layout);
                layout.map(|layout| Layout::of_xla(py, layout)).transpose()
            }
            Described::Tla(typed) => Layout::of_composition(py, &typed.layout).map(Some),
            other => {
                let text = other.index_map()?.to_notation(tilewright::map::Notation::Tla, 8)?;
                Layout::of_composition(py, &text.parse()?).map(Some)
            }
        }
    }

    /// The bytes that memory holds, with the padding of every tile and of the tail.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("bf16[30,300]{1,0:T(8,128)(2,1)}").bytes
    /// 24576
    #[getter]
    fn bytes(slf: &Bound<'_, Self>) -> Result<i64, Failure> {
        Ok(slf.as_super().get().map()?.bytes(element(slf)?.bits)?)
    }

    /// The bytes of the elements alone.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("bf16[30,300]{1,0:T(8,128)(2,1)}").logical_bytes
    /// 18000
    #[getter]
    fn logical_bytes(slf: &Bound<'_, Self>) -> Result<i64, Failure> {
        let elements = slf.as_super().get().map()?.elements();
        let bits = i128::from(elements) * i128::from(element(slf)?.bits);
        i64::try_from((bits + 7) / 8).map_err(|_| Failure::value("the size does not fit 64 bits"))
    }

    /// What of `bytes` is padding.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("u32[12582912,1]{1,0:T(8,128)}").padding_bytes >> 20
    /// 6096
    #[getter]
    fn padding_bytes(slf: &Bound<'_, Self>) -> Result<i64, Failure> {
        Ok(Self::bytes(slf)? - Self::logical_bytes(slf)?)
    }

    /// The bytes that XLA's own accounting gives it, which looks at the first tile only; None
    /// where that is undefined.
    ///
    /// >>> import tilewright as tw
    /// >>> s = tw.Shape("f32[7,9]{1,0:T(2,4)(3,1)}")
    /// >>> s.bytes, s.xla_bytes
    /// (576, 384)
    #[getter]
    fn xla_bytes(&self) -> Result<Option<i64>, Failure> {
        match &self.said {
            Described::Xla(shape) => Ok(shape.as_array()?.xla_bytes()?),
            _ => Ok(None),
        }
    }

    /// The arrays, tokens and the like in a tuple, left to right; the shape itself if it is none.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("(f32[2]{0}, (s8[3]{0}, token[]))").leaves
    /// (Shape('f32[2]{0}'), Shape('s8[3]{0}'), Shape('token[]'))
    #[getter]
    fn leaves<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>, Failure> {
        let leaves: Vec<Described> = match &self.said {
            Described::Xla(shape) => shape.leaves().cloned().map(Described::Xla).collect(),
            said => vec![said.clone()],
        };
        let leaves = leaves.into_iter().map(|leaf| Ok(Py::new(py, Self::of(leaf)?)?));
        Ok(PyTuple::new(py, leaves.collect::<Result<Vec<_>, Failure>>()?)?)
    }

    /// The number of dimensions, as numpy calls it: `rank`.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]").ndim
    /// 2
    #[getter]
    fn ndim(slf: &Bound<'_, Self>) -> Result<usize, Failure> {
        Ok(slf.as_super().get().map()?.dims().len())
    }

    /// The number of logical elements, as numpy calls it: `elements`.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").size
    /// 15
    #[getter]
    fn size(slf: &Bound<'_, Self>) -> Result<i64, Failure> {
        Ok(slf.as_super().get().map()?.elements())
    }

    /// The bytes that memory holds, as numpy would call them of the packed array: `bytes`.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").nbytes
    /// 96
    #[getter]
    fn nbytes(slf: &Bound<'_, Self>) -> Result<i64, Failure> {
        Self::bytes(slf)
    }

    /// The same array with another layout, whatever its own is.
    ///
    /// Parameters
    /// ----------
    /// layout : Shape, Layout or str
    ///     As `shape_for` takes it.
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If the layout is for another array.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]").with_layout("{0,1}")
    /// Shape('f32[3,5]{0,1}')
    /// >>> tw.Shape("f32[3,5]{0,1}").with_layout("tpu:v5e")
    /// Shape('f32[3,5]{1,0:T(4,128)}')
    #[pyo3(signature = (layout, /))]
    fn with_layout(slf: &Bound<'_, Self>, layout: &Bound<'_, PyAny>) -> Result<Py<Self>, Failure> {
        let said = target(layout)?.applied_to(&bare(slf)?)?;
        Ok(Py::new(slf.py(), Self::of(said)?)?)
    }

    /// The same array row-major, whatever its layout was.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").row_major()
    /// Shape('f32[3,5]{1,0}')
    fn row_major(slf: &Bound<'_, Self>) -> Result<Py<Self>, Failure> {
        let said = Target::RowMajor.applied_to(&bare(slf)?)?;
        Ok(Py::new(slf.py(), Self::of(said)?)?)
    }

    /// The dtype's name and the dims that the packed array has as a numpy array: its physical dims
    /// where elements are as wide as the dtype, else bytes.
    fn _stored(slf: &Bound<'_, Self>) -> Result<(&'static str, Vec<i64>), Failure> {
        if let Described::Named(array) = &slf.get().said {
            let carrier = array.carrier();
            return Ok((carrier.element_type.numpy_name(), carrier.dims.clone()));
        }
        let (placement, Element { kind, bits }) = (slf.as_super(), element(slf)?);
        let map = placement.get().map()?;
        if bits != kind.storage_bits() {
            return Ok(("uint8", vec![map.bytes(bits)?]));
        }
        match map.allocation() == map.padded_elements() {
            true => Ok((kind.numpy_name(), map.physical_dims().to_vec())),
            false => Ok((kind.numpy_name(), vec![map.allocation()])),
        }
    }

    /// The shape as source code: `tilewright.emit` of it.
    ///
    /// Parameters
    /// ----------
    /// lang : str
    /// to : Shape, Layout or str, optional
    /// name : str
    /// dynamic : int, optional
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If there is no such language, or it cannot say what the layouts do.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> "def tile_offset(i0, i1):" in tw.Shape("bf16[30,300]").emit("triton", name="tile")
    /// True
    #[pyo3(signature = (lang, to=None, *, name="tw", dynamic=None))]
    fn emit(
        slf: &Bound<'_, Self>,
        lang: &str,
        to: Option<&Bound<'_, PyAny>>,
        name: &str,
        dynamic: Option<usize>,
    ) -> Result<String, Failure> {
        crate::emit::of_placement(slf.as_any(), lang, to, name, dynamic)
    }

    /// What the bits of each code are flipped by while it is packed, by the library that named the layout.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("s4[128,64]@trtllm(w4a16,sm80)").xor_mask
    /// 8
    /// >>> tw.Shape("u4[128,64]@marlin").xor_mask
    /// 0
    #[getter]
    fn xor_mask(&self) -> u64 {
        match &self.said {
            Described::Named(array) => array.xor_mask(),
            _ => 0,
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Shape>().is_ok_and(|other| self.said == other.get().said)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> u64 {
        crate::layout::hash_of(slf.as_super().get().text())
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        format!("Shape('{}')", slf.as_super().get().text())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (slf.get_type(), (slf.as_super().get().text().to_owned(),))
    }
}

impl Shape {
    pub(crate) fn of(said: Described) -> Result<PyClassInitializer<Self>, Failure> {
        if said.element_type().is_none() && !matches!(said, Described::Xla(_)) {
            let message = format!("`{said}` says no element type: it is a Layout");
            return Err(Failure::value(message));
        }
        let base = Placement::of_described(&said);
        Ok(PyClassInitializer::from(base).add_subclass(Shape { said }))
    }

    pub(crate) fn of_array(py: Python<'_>, array: ArrayShape) -> Result<Py<Self>, Failure> {
        Ok(Py::new(py, Self::of(Described::Xla(XlaShape::Array(array)))?)?)
    }

    pub(crate) fn of_described(
        py: Python<'_>,
        array: &DescribedArray,
    ) -> Result<Py<Self>, Failure> {
        Ok(Py::new(py, Self::of(array.said().clone())?)?)
    }

    /// As an array of a known type.
    pub(crate) fn described(&self) -> Result<DescribedArray, Failure> {
        Ok(DescribedArray::new(self.said.clone())?)
    }

    /// The array in XLA's terms.
    pub(crate) fn array(&self) -> Result<ArrayShape, Failure> {
        Ok(self.said.to_array()?)
    }

    /// What padding holds, as bits and as the text that a record has of it: what is asked for, or
    /// what the layout says, or bits that are all zero.
    pub(crate) fn padding(&self, asked: Option<&str>) -> Result<(u128, String), Failure> {
        Ok(self.described()?.padding(asked)?)
    }
}

/// The shape that an array of this type and these dims has in a layout.
#[pyfunction]
pub(crate) fn shape_in(
    py: Python<'_>,
    layout: &Bound<'_, PyAny>,
    element_type: ElementType,
    dims: Vec<i64>,
) -> Result<Py<Shape>, Failure> {
    let array = ArrayShape::new(element_type.0, &dims)?;
    Ok(Py::new(py, Shape::of(target(layout)?.applied_to(&array)?)?)?)
}

/// What the padding of an array holds, as bits and as text.
#[pyfunction]
#[pyo3(signature = (shape, text=None))]
pub(crate) fn padding(shape: &Shape, text: Option<&str>) -> Result<(u128, String), Failure> {
    shape.padding(text)
}

/// What an array is to become, given as a `Shape`, a `Layout` or a text.
pub(crate) fn target(said: &Bound<'_, PyAny>) -> Result<Target, Failure> {
    if let Ok(shape) = said.cast::<Shape>() {
        return Ok(Target::Described(shape.get().said.clone()));
    }
    if let Ok(layout) = said.cast::<Layout>() {
        return Ok(layout.get().target());
    }
    let text: String = said.extract().map_err(|_| {
        let found = said.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
        let message = format!("expected a Shape, a Layout or a str, found {found}");
        PyTypeError::new_err(message)
    })?;
    Ok(Target::parse(&text, ParseOptions::default())?.value)
}

/// The array with no layout.
fn bare(shape: &Bound<'_, Shape>) -> Result<ArrayShape, Failure> {
    Ok(ArrayShape::new(element(shape)?.kind, shape.as_super().get().map()?.dims())?)
}

fn element(shape: &Bound<'_, Shape>) -> Result<Element, Failure> {
    let element = shape.as_super().get().element();
    element.ok_or_else(|| Failure::value("only an array has elements"))
}
