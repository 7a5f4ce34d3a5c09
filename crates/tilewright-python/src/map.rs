//! Index maps by themselves.

use pyo3::prelude::*;
use pyo3::types::PyType;
use tilewright::notation::Described;
use tilewright::xla::Layout as XlaLayout;
use tilewright::{IndexMap as Map, Permutation};

use crate::error::Failure;
use crate::placement::Placement;

/// Where every element of an array lies, in the normal form that every notation lowers to.
///
/// Made of a layout's text in any notation, or of a `Shape` or `Layout`. Two index maps are equal if
/// they have the same dimensions, form, physical dims and allocation, whatever notation they came
/// from; `same_as` asks only whether elements lie alike.
///
/// Raises
/// ------
/// LayoutError
///     If the text means nothing, is of no array, or leads to coordinates and not to offsets.
///
/// Examples
/// --------
/// >>> import tilewright as tw
/// >>> tiles = tw.IndexMap("f32[3,5]{1,0:T(2,2)}")
/// >>> tiles.offset((2, 3)), tiles.index(9)
/// (17, None)
/// >>> tiles == tw.IndexMap("((2,2),(2,3)):((2,12),(1,4)):(3,5)")
/// True
#[pyclass(frozen, eq, hash, extends = Placement, module = "tilewright")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct IndexMap {
    map: Map,
}

#[pymethods]
impl IndexMap {
    #[new]
    #[pyo3(signature = (layout, /))]
    fn new(layout: &Bound<'_, PyAny>) -> Result<PyClassInitializer<Self>, Failure> {
        let (text, map) = match layout.cast::<Placement>() {
            Ok(known) => (known.get().text().to_owned(), known.get().map()?.clone()),
            Err(_) => {
                let said: Described = layout.extract::<String>()?.parse()?;
                (said.to_string(), said.index_map()?)
            }
        };
        Ok(Self::of(text, map))
    }

    /// The map of a dense array: the last dimension minor, or as `minor_to_major` says.
    ///
    /// Parameters
    /// ----------
    /// dims : sequence of int
    /// minor_to_major : sequence of int, optional
    ///     The dimensions' numbers, the one that varies fastest first.
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If `minor_to_major` is no order of the dimensions, or a size is negative or too large.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tw.IndexMap.dense((2, 3), (0, 1)).offset((1, 2))
    /// 5
    #[staticmethod]
    #[pyo3(signature = (dims, minor_to_major=None))]
    fn dense(
        py: Python<'_>,
        dims: Vec<i64>,
        minor_to_major: Option<Vec<usize>>,
    ) -> Result<Py<Self>, Failure> {
        let layout = match minor_to_major {
            None => XlaLayout::descending(dims.len()),
            Some(order) => XlaLayout::new(Permutation::new(order)?),
        };
        // A type of one byte, for the checks that a shape makes; its name is in the text only.
        let array = tilewright::ArrayShape::new(tilewright::ElementType::U8, &dims)?;
        let array = array.with_layout(layout)?;
        Ok(Py::new(py, Self::of(array.to_string(), array.index_map()?))?)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        format!("IndexMap('{}')", slf.as_super().get().text())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (slf.get_type(), (slf.as_super().get().text().to_owned(),))
    }
}

impl IndexMap {
    pub(crate) fn of(text: String, map: Map) -> PyClassInitializer<Self> {
        let base = Placement::new(text, Ok(map.clone()), None);
        PyClassInitializer::from(base).add_subclass(IndexMap { map })
    }
}
