//! Layouts and relayouts as source code.

use pyo3::prelude::*;
use tilewright::formats::Target;
use tilewright::notation::{Described, DescribedArray};
use tilewright_ask::{Emit, Reader};

use crate::error::Failure;
use crate::placement::Placement;
use crate::shape::{Shape, target};

/// A layout, or the relayout from one to another, as source code.
///
/// Parameters
/// ----------
/// lang : str
///     The language: ``c``, ``cuda``, ``opencl``, ``rust``, ``python``, ``triton``, ``wgsl``, ``mlir`` or ``cute``.
/// layout : Shape, Layout or str
///     Elements of which no type is said have 32 bits.
/// to : Shape, Layout or str, optional
///     What it is to become, for the code of a relayout: another shape of as many elements, or what `shape_for`
///     takes.
/// name : str
///     What names in the code begin with: an identifier.
/// dynamic : int, optional
///     The dimension whose extent is an argument of the functions and not a number in the code.
///
/// Returns
/// -------
/// str
///     Functions for the offset of an index and for the index of an offset, in elements, and the sizes; with `to`
///     those of both layouts, and what moves an array.
///
/// Raises
/// ------
/// LayoutError
///     If there is no such language, it cannot say what the layouts do, or the name is no identifier.
///
/// Examples
/// --------
/// >>> import tilewright as tw
/// >>> print(tw.emit("cute", "(4,8):(8,1)", name="tile").splitlines()[-1])
/// using tile_layout = cute::Layout<cute::Shape<cute::Int<4>, cute::Int<8>>, cute::Stride<cute::Int<8>, cute::Int<1>>>;
/// >>> names = {}
/// >>> exec(tw.emit("python", "f32[3,5]{1,0:T(2,2)}", "{0,1}"), names)
/// >>> int(names["tw_offset"](2, 3)), int(names["tw_to_offset"](2, 3))
/// (17, 11)
#[pyfunction]
#[pyo3(signature = (lang, layout, to=None, *, name="tw", dynamic=None))]
pub(crate) fn emit(
    py: Python<'_>,
    lang: &str,
    layout: &Bound<'_, PyAny>,
    to: Option<&Bound<'_, PyAny>>,
    name: &str,
    dynamic: Option<usize>,
) -> Result<String, Failure> {
    let layout = text_of(layout)?;
    let to = to.map(|to| text_beside(&layout, to)).transpose()?;
    let question = Emit {
        lang: lang.to_owned(),
        layout,
        to,
        name: Some(name.to_owned()),
        dynamic: dynamic.into_iter().collect(),
    };
    let answer = py.detach(|| question.answer(Reader { strict: false, note: &|_| () }));
    Ok(answer.map_err(failure)?.text)
}

fn failure(error: tilewright_ask::Error) -> Failure {
    match error.diagnostic() {
        Some(diagnostic) => Failure::Text(diagnostic.clone()),
        None => Failure::value(error.to_string()),
    }
}

fn text_of(layout: &Bound<'_, PyAny>) -> Result<String, Failure> {
    match layout.cast::<Placement>() {
        Ok(placement) => Ok(placement.get().text().to_owned()),
        Err(_) => Ok(layout.extract()?),
    }
}

/// What an array is to become: a shape of its own, or a layout of the same array.
fn text_beside(of: &str, to: &Bound<'_, PyAny>) -> Result<String, Failure> {
    let text = text_of(to)?;
    let is_whole = to.cast::<Shape>().is_ok() || text.parse::<Described>().is_ok();
    if is_whole {
        return Ok(text);
    }
    let (of, target): (Described, Target) = (of.parse()?, target(to)?);
    if of.element_type().is_none() {
        return Err(Failure::value(format!(
            "`{of}` says no element type, so `{text}` has to be a layout with its extents"
        )));
    }
    let array = DescribedArray::new(of)?.bare()?;
    Ok(target.applied_to(&array)?.to_string())
}

/// What `Shape.emit` and `Layout.emit` return.
pub(crate) fn of_placement(
    layout: &Bound<'_, PyAny>,
    lang: &str,
    to: Option<&Bound<'_, PyAny>>,
    name: &str,
    dynamic: Option<usize>,
) -> Result<String, Failure> {
    emit(layout.py(), lang, layout, to, name, dynamic)
}
