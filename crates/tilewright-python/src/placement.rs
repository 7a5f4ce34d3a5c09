//! What `Shape`, `Layout` and `IndexMap` have in common: questions that are asked of the map.

use std::borrow::Cow;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use tilewright::map::{Bitcast, Notation};
use tilewright::notation::Described;
use tilewright::{ArrayShape, ElementType, Error, IndexMap as Map};

use crate::bulk;
use crate::draw;
use crate::error::Failure;
use crate::map::IndexMap;

/// Where the elements of an array lie: what `Shape`, `Layout` and `IndexMap` can all be asked.
///
/// Sizes and offsets are in elements unless their name says bytes or bits.
///
/// Examples
/// --------
/// >>> import tilewright as tw
/// >>> isinstance(tw.Shape("f32[3,5]"), tw.Placement)
/// True
#[pyclass(frozen, subclass, module = "tilewright")]
pub(crate) struct Placement {
    text: String,
    /// The map, or why there is none.
    map: Result<Map, String>,
    element: Option<Element>,
}

/// What is known of an element: its type, and its width in memory.
#[derive(Clone, Copy)]
pub(crate) struct Element {
    pub(crate) kind: ElementType,
    pub(crate) bits: u32,
}

#[pymethods]
impl Placement {
    /// The canonical text.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("F32[3,5]{1,0:T(2, 2)}").text
    /// 'f32[3,5]{1,0:T(2,2)}'
    #[getter(text)]
    fn py_text(&self) -> &str {
        &self.text
    }

    /// The logical dimensions, dimension 0 first; a bounded dynamic one counts as its bound.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").dims
    /// (3, 5)
    #[getter]
    fn dims<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>, Failure> {
        Ok(PyTuple::new(py, self.map()?.dims())?)
    }

    /// The number of logical dimensions.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]").rank
    /// 2
    #[getter]
    fn rank(&self) -> Result<usize, Failure> {
        Ok(self.map()?.dims().len())
    }

    /// The number of logical elements.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").elements
    /// 15
    #[getter]
    fn elements(&self) -> Result<i64, Failure> {
        Ok(self.map()?.elements())
    }

    /// The number of elements with every physical dim filled.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").padded_elements
    /// 24
    #[getter]
    fn padded_elements(&self) -> Result<i64, Failure> {
        Ok(self.map()?.padded_elements())
    }

    /// The number of elements that memory holds, padding and a rounded tail included.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)L(100)}").allocation
    /// 100
    #[getter]
    fn allocation(&self) -> Result<i64, Failure> {
        Ok(self.map()?.allocation())
    }

    /// The dims of the same memory as a plain row-major array: the grid of tiles, then the tile.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("bf16[30,300]{1,0:T(8,128)(2,1)}").physical_dims
    /// (4, 3, 4, 128, 2, 1)
    #[getter]
    fn physical_dims<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>, Failure> {
        Ok(PyTuple::new(py, self.map()?.physical_dims())?)
    }

    /// Each logical dimension with its padding; None where padding is not only at their ends.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").padded_dims
    /// (4, 6)
    #[getter]
    fn padded_dims<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyTuple>>, Failure> {
        let dims = self.map()?.padded_dims();
        Ok(dims.map(|dims| PyTuple::new(py, dims)).transpose()?)
    }

    /// The offset as an expression of the indices.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").index_expression
    /// '(i0 div 2)*12 + (i1 div 2)*4 + (i0 mod 2)*2 + (i1 mod 2)'
    #[getter]
    fn index_expression(&self) -> Result<String, Failure> {
        Ok(self.map()?.index_expression())
    }

    /// The index map by itself, in which notations no longer differ.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[4]{0}").index_map == tw.Layout("4:1").index_map
    /// True
    #[getter]
    fn index_map(&self, py: Python<'_>) -> Result<Py<IndexMap>, Failure> {
        Ok(Py::new(py, IndexMap::of(self.text.clone(), self.map()?.clone()))?)
    }

    /// The offset of an element, in elements.
    ///
    /// Parameters
    /// ----------
    /// index : tuple of int, or array-like of integers
    ///     An index; or an array of shape (…, rank) of many; or a tuple of rank arrays, one for
    ///     each dimension, which are broadcast together.
    ///
    /// Returns
    /// -------
    /// int, or ndarray of int64
    ///     For many indices an array of shape (…).
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If an index is out of bounds or of another rank.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tiles = tw.Shape("f32[3,5]{1,0:T(2,2)}")
    /// >>> tiles.offset((2, 3))
    /// 17
    /// >>> tiles.offset([[0, 0], [2, 3]])
    /// array([ 0, 17])
    /// >>> import numpy as np
    /// >>> tiles.offset((np.arange(3)[:, None], np.arange(2)))
    /// array([[ 0,  1],
    ///        [ 2,  3],
    ///        [12, 13]])
    #[pyo3(signature = (index, /))]
    fn offset<'py>(&self, index: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Failure> {
        let map = self.map()?;
        let is_one = index.is_instance_of::<PyTuple>() || index.is_instance_of::<PyList>();
        if is_one && let Ok(at) = index.extract::<Vec<i64>>() {
            return Ok(map.offset(&at)?.into_bound_py_any(index.py())?);
        }
        bulk::offsets_at(map, index)
    }

    /// The index of the element at an offset; None where there is padding.
    ///
    /// Parameters
    /// ----------
    /// offset : int, or array-like of integers
    ///
    /// Returns
    /// -------
    /// tuple of int, or None, or ndarray of int64
    ///     For an array of offsets of shape (…) an array of shape (…, rank), in which the index of
    ///     padding is -1 throughout.
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If an offset is outside the allocation.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tiles = tw.Shape("f32[3,5]{1,0:T(2,2)}")
    /// >>> tiles.index(17), tiles.index(9)
    /// ((2, 3), None)
    /// >>> tiles.index([17, 9])
    /// array([[ 2,  3],
    ///        [-1, -1]])
    #[pyo3(signature = (offset, /))]
    fn index<'py>(&self, offset: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Failure> {
        let (map, py) = (self.map()?, offset.py());
        if let Ok(offset) = offset.extract::<i64>() {
            let index = map.index(offset)?.map(|index| PyTuple::new(py, index)).transpose()?;
            return Ok(index.into_bound_py_any(py)?);
        }
        bulk::indices_at(map, offset)
    }

    /// The offset of every element.
    ///
    /// Returns
    /// -------
    /// ndarray of int64
    ///     Of the shape `dims`.
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If there are more elements than memory can be asked for.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").offsets()
    /// array([[ 0,  1,  4,  5,  8],
    ///        [ 2,  3,  6,  7, 10],
    ///        [12, 13, 16, 17, 20]])
    fn offsets<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>, Failure> {
        bulk::all_offsets(self.map()?, py)
    }

    /// Whether both place every element alike, in an allocation of the same size.
    ///
    /// Where both say an element type, elements have to be equally wide.
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If the other text means nothing, or comparing would take too long.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[24,128]{1,0:T(8,128)}").same_as("f32[24,128]{1,0}")
    /// True
    #[pyo3(signature = (other, /))]
    fn same_as(&self, other: &Bound<'_, PyAny>) -> Result<bool, Failure> {
        with_placement(other, |other| {
            let widths = (self.element, other.element);
            let is_as_wide = !matches!(widths, (Some(a), Some(b)) if a.bits != b.bits);
            Ok(is_as_wide && self.map()?.same_as(other.map()?)?)
        })
    }

    /// The first index, in row-major order, that the two give different offsets.
    ///
    /// Returns
    /// -------
    /// tuple of an index and a pair of offsets, or None
    ///     None where they agree at every index.
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If the dimensions differ.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").first_difference("f32[3,5]")
    /// ((0, 2), (4, 2))
    #[pyo3(signature = (other, /))]
    #[expect(clippy::type_complexity, reason = "Python's tuples")]
    fn first_difference<'py>(
        &self,
        other: &Bound<'py, PyAny>,
    ) -> Result<Option<(Bound<'py, PyTuple>, (i64, i64))>, Failure> {
        with_placement(other, |known| {
            let Some(found) = self.map()?.first_difference(known.map()?)? else { return Ok(None) };
            let [mine, others] = found.offsets;
            Ok(Some((PyTuple::new(other.py(), found.index)?, (mine, others))))
        })
    }

    /// Whether the memory of the one is the memory of the other under a reshape, a transpose, or
    /// transpose∘reshape∘transpose. Tiles and padding count.
    ///
    /// Returns
    /// -------
    /// Bitcast
    ///     True or false in a condition; with the kind, or the reason why not.
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If the other text means nothing.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[16,128]{1,0:T(8,128)}").bitcast("f32[2,8,128]{2,1,0:T(8,128)}").kind
    /// 'reshape'
    #[pyo3(signature = (other, /))]
    fn bitcast<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Failure> {
        let verdict = with_placement(other, |other| self.bitcast_to(other))?;
        let answers = other.py().import("tilewright._answers")?;
        Ok(answers.getattr("Bitcast")?.call1(verdict)?)
    }

    /// The text in another notation.
    ///
    /// Parameters
    /// ----------
    /// notation : {"xla", "tla", "cute", "onednn", "numpy", "mlir"}
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If the notation cannot say it; the message names the tile and the dimension.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}").to("tla")
    /// '((2,2),(2,3)):((2,12),(1,4)):(3,5)'
    #[pyo3(signature = (notation, /))]
    fn to(&self, notation: &str) -> Result<String, Failure> {
        let map = self.map()?;
        let notation = match notation {
            "xla" => return self.xla_text(map),
            "tla" => Notation::Tla,
            "cute" => Notation::Cute,
            "onednn" => Notation::OneDnn,
            "numpy" => Notation::Numpy,
            "mlir" => Notation::Mlir,
            other => return Err(Failure::value(format!("no notation is called `{other}`"))),
        };
        Ok(map.to_notation(notation, self.element.map_or(8, |element| element.bits))?)
    }

    /// Whether no two elements share a place.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Layout("(4,2):(1,2)").is_injective()
    /// False
    fn is_injective(&self) -> Result<bool, Failure> {
        Ok(self.map()?.is_injective()?)
    }

    /// The picture that a notebook shows, as SVG; None of what is no array or says no dimensions.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.Shape("f32[3,5]{1,0:T(2,2)}")._repr_svg_()[:4]
    /// '<svg'
    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| draw::notebook_svg(self))
    }

    /// The text, the picture and the sizes below it, as HTML.
    ///
    /// >>> import tilewright as tw
    /// >>> "96 bytes, 36 of them padding" in tw.Shape("f32[3,5]{1,0:T(2,2)}")._repr_html_()
    /// True
    fn _repr_html_(&self, py: Python<'_>) -> String {
        py.detach(|| draw::notebook_html(self))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    /// The width of an element in memory, where a type is said.
    #[getter]
    fn _element_bits(&self) -> Option<u32> {
        self.element.map(|element| element.bits)
    }

    /// Where the allocation begins: below 0 where strides are negative.
    #[getter]
    fn _lowest_offset(&self) -> Result<i64, Failure> {
        Ok(self.map()?.lowest_offset())
    }

    /// The one stride of each dimension and the offset of the first element, in elements, where
    /// the map is that.
    fn _strides(&self) -> Result<Option<(Vec<i64>, i64)>, Failure> {
        Ok(strides(self.map()?))
    }
}

impl Placement {
    pub(crate) fn new(text: String, map: Result<Map, String>, element: Option<Element>) -> Self {
        Placement { text, map, element }
    }

    /// Of a text in any notation.
    pub(crate) fn of_described(said: &Described) -> Self {
        let element = said.element_type().zip(said.element_bits());
        let element = element.map(|(kind, bits)| Element { kind, bits });
        let map = said.index_map().map_err(|error: Error| error.to_string());
        Placement::new(said.to_string(), map, element)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn element(&self) -> Option<Element> {
        self.element
    }

    pub(crate) fn map(&self) -> Result<&Map, Failure> {
        self.map.as_ref().map_err(|reason| Failure::value(reason.as_str()))
    }

    /// The array, or where no type is said the layout, in XLA's notation.
    fn xla_text(&self, map: &Map) -> Result<String, Failure> {
        if let Ok(Described::Xla(shape)) = self.text.parse() {
            return Ok(shape.to_string());
        }
        let layout = map.to_xla_layout()?;
        let Some(Element { kind, bits }) = self.element else { return Ok(layout.to_string()) };
        let said = if bits == kind.storage_bits() { 0 } else { bits };
        let array = ArrayShape::new(kind, map.dims())?;
        Ok(array.with_layout(layout.with_element_size_in_bits(said))?.to_string())
    }

    fn bitcast_to(&self, other: &Placement) -> Result<Verdict, Failure> {
        if let (Some(a), Some(b)) = (self.element, other.element)
            && a.bits != b.bits
        {
            let (a, b) = (a.bits, b.bits);
            return Ok(no(format!("elements take {a} bits in one and {b} in the other")));
        }
        Ok(match self.map()?.bitcast(other.map()?)? {
            Bitcast::Identity => yes("identity", None, None),
            Bitcast::Reshape => yes("reshape", None, None),
            Bitcast::Transpose(by) => yes("transpose", Some(by.to_vec()), None),
            Bitcast::TransposeReshapeTranspose { first, dims, second } => {
                let steps = (first.to_vec(), dims, second.to_vec());
                yes("transpose-reshape-transpose", None, Some(steps))
            }
            Bitcast::No(reason) => no(reason.to_string()),
        })
    }
}

/// The kind, the permutation of a transpose, the steps of the longer kind, and why not.
type Verdict = (Option<&'static str>, Option<Vec<usize>>, Option<Steps>, Option<String>);

/// A transpose, a reshape and a transpose.
type Steps = (Vec<usize>, Vec<i64>, Vec<usize>);

fn yes(kind: &'static str, permutation: Option<Vec<usize>>, steps: Option<Steps>) -> Verdict {
    (Some(kind), permutation, steps, None)
}

fn no(reason: String) -> Verdict {
    (None, None, None, Some(reason))
}

/// Asks of a placement that is given as one, or as its text in any notation.
pub(crate) fn with_placement<T>(
    said: &Bound<'_, PyAny>,
    ask: impl FnOnce(&Placement) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if let Ok(known) = said.cast::<Placement>() {
        return ask(known.get());
    }
    let text: Cow<'_, str> = said.extract()?;
    ask(&Placement::of_described(&text.parse()?))
}

/// The stride of each dimension, if the map has one digit at most of each, and nothing merged.
fn strides(map: &Map) -> Option<(Vec<i64>, i64)> {
    let mut strides = vec![None; map.dims().len()];
    for digit in map.digits() {
        let tilewright::map::Source::Dim(dim) = digit.source else { return None };
        let covers = digit.modulus.is_none_or(|modulus| modulus >= map.dims()[dim]);
        if digit.divisor != 1 || !covers || strides[dim].replace(digit.stride).is_some() {
            return None;
        }
    }
    let strides = strides.into_iter().map(Option::unwrap_or_default).collect();
    map.is_separable().then_some((strides, map.base()))
}
