//! Layouts by themselves, with no element type.

use std::hash::{DefaultHasher, Hash, Hasher};

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use tilewright::algebra::Composition;
use tilewright::formats::Target;
use tilewright::map::fit;
use tilewright::notation::Described;
use tilewright::tla::Typed;
use tilewright::xla::{self, ParseOptions, parse_layout};
use tilewright_calc::{Expression, Value, without_marks};

use crate::element::element_type;
use crate::error::Failure;
use crate::nested;
use crate::placement::Placement;
use crate::shape::Shape;

/// A layout with no element type, in either notation.
///
/// Shape and stride, as TLA and CuTe write it, perhaps composed:
/// ``((16,2),(16,3)):((16,256),(1,512)):(28,40)``, ``Sw<3,0,3> o 0 o (8,8):(8,1)``. Such a layout
/// can be asked everything that a `Placement` can, has the operations of the algebra as methods, and
/// is called with a coordinate: ``layout(i, j)``, or ``layout(k)`` with the leftmost mode fastest.
///
/// Or what XLA writes in braces: ``{1,0:T(8,128)}``. That is a layout of an array of any
/// dimensions; `of` says which.
///
/// Parameters
/// ----------
/// layout : str, Layout, int or tuple
///     The text; or a shape, as integers in tuples.
/// stride : int or tuple, optional
///     With a shape, its strides, nested like it; where they are not said, the leftmost mode is
///     dense and the others follow, as in CuTe.
///
/// Raises
/// ------
/// LayoutError
///     If the text means nothing; its `diagnostic` points at the place.
///
/// Examples
/// --------
/// >>> import tilewright as tw
/// >>> tw.Layout("(10,2):(16,4)").composition("(3,4):(1,5)")
/// Layout('(3,(2,2)):(16,(80,4))')
/// >>> tw.Layout((4, 8), (8, 1)), tw.Layout((4, (2, 3)))
/// (Layout('(4,8):(8,1)'), Layout('(4,(2,3)):(1,(4,8))'))
/// >>> tw.Layout("{1,0:T(8,128)}").of("f32", (30, 300)).bytes
/// 49152
#[pyclass(frozen, subclass, extends = Placement, module = "tilewright._tilewright")]
pub(crate) struct Layout {
    said: Said,
}

#[derive(Clone, PartialEq)]
enum Said {
    Xla(xla::Layout),
    Strides(Composition),
}

#[pymethods]
impl Layout {
    #[new]
    #[pyo3(signature = (layout, stride=None, /))]
    fn new(
        layout: &Bound<'_, PyAny>,
        stride: Option<&Bound<'_, PyAny>>,
    ) -> Result<PyClassInitializer<Self>, Failure> {
        if stride.is_some() || nested::is_nested(layout) {
            return Self::of_modes(layout, stride);
        }
        if let Ok(known) = layout.cast::<Layout>() {
            return Ok(Self::of_said(known.get().said.clone()));
        }
        let text: String = layout.extract()?;
        if text.trim_start().starts_with('{') {
            let layout = parse_layout(&text, ParseOptions::default())?.value;
            return Ok(Self::of_said(Said::Xla(layout)));
        }
        match text.parse()? {
            Described::Tla(Typed { element_type: None, layout }) => {
                Ok(Self::of_said(Said::Strides(layout)))
            }
            other => Err(Failure::value(format!("`{other}` says an element type: it is a Shape"))),
        }
    }

    /// The notation that it is said in: ``xla`` or ``tla``.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Layout("{1,0}").notation, tw.Layout("(2,3):(3,1)").notation
    /// ('xla', 'tla')
    #[getter]
    fn notation(&self) -> &'static str {
        match self.said {
            Said::Xla(_) => "xla",
            Said::Strides(_) => "tla",
        }
    }

    /// The dimensions' numbers, the one that varies fastest in memory first. Of XLA's notation.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Layout("{0,1:T(8,128)}").minor_to_major
    /// (0, 1)
    #[getter]
    fn minor_to_major<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>, Failure> {
        Ok(PyTuple::new(py, self.xla()?.minor_to_major().to_vec())?)
    }

    /// The tiles, the first one first, each as its sizes; None stands for ``*``. Of XLA's notation.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Layout("{1,0:T(8,128)(2,1)}").tiles
    /// ((8, 128), (2, 1))
    #[getter]
    fn tiles<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>, Failure> {
        let layout = self.xla()?;
        let sizes = |tile: &xla::Tile| {
            PyTuple::new(
                py,
                tile.dims().iter().map(|dim| match dim {
                    xla::TileDim::Size(size) => Some(*size),
                    xla::TileDim::Combine => None,
                }),
            )
        };
        let tiles = layout.tiles().iter().map(sizes).collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(py, tiles)?)
    }

    /// The shape of an array with this layout.
    ///
    /// Parameters
    /// ----------
    /// element_type : ElementType, str or dtype
    /// dims : sequence of int, optional
    ///     Needed where the layout itself does not say them: in XLA's notation.
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If the dimensions do not fit the layout.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tw.Layout("{1,0:T(8,128)}").of("f32", (30, 300))
    /// Shape('f32[30,300]{1,0:T(8,128)}')
    /// >>> tw.Layout("(2,3):(3,1)").of("f16")
    /// Shape('f16 (2,3):(3,1)')
    #[pyo3(signature = (element_type, dims=None))]
    fn of(
        slf: &Bound<'_, Self>,
        element_type: &Bound<'_, PyAny>,
        dims: Option<Vec<i64>>,
    ) -> Result<Py<Shape>, Failure> {
        let kind = self::element_type(element_type)?;
        match (&slf.get().said, dims) {
            (Said::Xla(layout), Some(dims)) => {
                let array = tilewright::ArrayShape::new(kind, &dims)?;
                Shape::of_array(slf.py(), array.with_layout(layout.clone())?)
            }
            (Said::Xla(_), None) => Err(Failure::value("the dimensions have to be given")),
            (Said::Strides(layout), dims) => {
                check_dims(slf, dims)?;
                let typed = Typed { element_type: Some(kind), layout: layout.clone() };
                Ok(Py::new(slf.py(), Shape::of(Described::Tla(typed))?)?)
            }
        }
    }

    /// The layout as source code: `tilewright.emit` of it.
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
    /// >>> "return i0 * 8 + i1" in tw.Layout("(4,8):(8,1)").emit("rust")
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

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Layout>().is_ok_and(|other| self.said == other.get().said)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> u64 {
        hash_of(slf.as_super().get().text())
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        format!("Layout('{}')", slf.as_super().get().text())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (slf.get_type(), (slf.as_super().get().text().to_owned(),))
    }
}

impl Layout {
    pub(crate) fn of_xla(py: Python<'_>, layout: &xla::Layout) -> Result<Py<Self>, Failure> {
        of_text(py, &layout.to_string())
    }

    pub(crate) fn of_composition(
        py: Python<'_>,
        layout: &Composition,
    ) -> Result<Py<Self>, Failure> {
        of_text(py, &layout.to_string())
    }

    /// What an array is to become that gets this layout.
    pub(crate) fn target(&self) -> Target {
        match &self.said {
            Said::Xla(layout) => Target::Layout(layout.clone()),
            Said::Strides(layout) => {
                let layout = layout.clone();
                Target::Described(Described::Tla(Typed { element_type: None, layout }))
            }
        }
    }

    /// Of a shape and strides as Python has them.
    fn of_modes(
        shape: &Bound<'_, PyAny>,
        stride: Option<&Bound<'_, PyAny>>,
    ) -> Result<PyClassInitializer<Self>, Failure> {
        let shape = nested::from_python(shape)?;
        let layout = match stride {
            Some(stride) => format!("{shape}:{}", nested::from_python(stride)?).parse()?,
            None => {
                let expression = format!("make_layout({shape})");
                match Expression::parse(&expression)?.value()? {
                    Value::Layout(layout) => without_marks(&layout.to_string()).parse()?,
                    other => return Err(Failure::value(format!("{shape} makes {other}"))),
                }
            }
        };
        Ok(Self::of_said(Said::Strides(layout)))
    }

    /// In XLA's notation, translated if need be.
    pub(crate) fn xla(&self) -> Result<xla::Layout, Failure> {
        match &self.said {
            Said::Xla(layout) => Ok(layout.clone()),
            Said::Strides(layout) => {
                Ok(tilewright::IndexMap::from_composition(layout)?.to_xla_layout()?)
            }
        }
    }

    fn of_said(said: Said) -> PyClassInitializer<Self> {
        let base = match &said {
            Said::Strides(layout) => {
                let typed = Typed { element_type: None, layout: layout.clone() };
                Placement::of_described(&Described::Tla(typed))
            }
            Said::Xla(layout) => {
                let none =
                    format!("`{layout}` says no dimensions; its `of` makes a Shape with them");
                Placement::new(layout.to_string(), Err(none), None)
            }
        };
        PyClassInitializer::from(base).add_subclass(Layout { said })
    }
}

/// A `tilewright.Layout`, which is the class with the methods of the algebra.
pub(crate) fn of_text(py: Python<'_>, text: &str) -> Result<Py<Layout>, Failure> {
    let class = py.import("tilewright")?.getattr("Layout")?;
    Ok(class.call1((text,))?.cast_into::<Layout>().map_err(PyErr::from)?.unbind())
}

fn check_dims(layout: &Bound<'_, Layout>, dims: Option<Vec<i64>>) -> Result<(), Failure> {
    let own = layout.as_super().get().map()?.dims();
    match dims {
        Some(dims) if dims != own => {
            Err(Failure::value(format!("the layout is of dimensions {own:?}, not {dims:?}")))
        }
        _ => Ok(()),
    }
}

/// The layout whose offsets, in row-major order of the dimensions, are these; and the offset of
/// the first element.
#[pyfunction]
pub(crate) fn fit_table(
    py: Python<'_>,
    dims: Vec<i64>,
    offsets: PyReadonlyArray1<'_, i64>,
) -> Result<(i64, Py<Layout>), Failure> {
    let offsets = offsets.as_slice().map_err(PyErr::from)?;
    let fitted = py.detach(|| fit(&dims, offsets))?;
    let fitted = fitted.map_err(|reason| Failure::value(reason.to_string()))?;
    Ok((fitted.base, Layout::of_composition(py, &fitted.layout.into())?))
}

pub(crate) fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
