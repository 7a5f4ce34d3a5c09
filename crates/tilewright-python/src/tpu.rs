//! The formats that TPU compilers choose.

use pyo3::prelude::*;
use tilewright::formats::tpu::{
    Chip, argument_bytes, candidates, compared_shape, default_shape, padding_in_words,
};

use crate::error::Failure;
use crate::shape::Shape;

/// The format that a generation's compiler gives an array.
#[pyfunction]
pub(crate) fn tpu_default(py: Python<'_>, shape: &Shape, chip: &str) -> Result<Py<Shape>, Failure> {
    Shape::of_array(py, default_shape(&shape.array()?, chip.parse()?)?)
}

/// The bytes that the device takes for an array in its format.
#[pyfunction]
pub(crate) fn tpu_bytes(shape: &Shape) -> Result<i64, Failure> {
    Ok(argument_bytes(&shape.array()?)?)
}

/// What the tile pads, in words.
#[pyfunction]
pub(crate) fn tpu_padding(shape: &Shape) -> Result<String, Failure> {
    Ok(padding_in_words(&shape.array()?)?)
}

/// The formats that an array could have, and the one that they are compared with. Of each its
/// bytes, padding, whether it is a bitcast, what a relayout moves, and its distance.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "Python's tuples")]
pub(crate) fn tpu_candidates(
    py: Python<'_>,
    shape: &Shape,
    chip: &str,
) -> Result<Vec<(Py<Shape>, i64, i64, bool, i64, u32)>, Failure> {
    let chip: Chip = chip.parse()?;
    let compared = compared_shape(&shape.array()?, chip)?;
    let rows = candidates(&compared, chip)?.into_iter().map(|row| {
        let shape = Shape::of_array(py, row.shape)?;
        Ok((shape, row.bytes, row.padding_bytes, row.is_bitcast, row.moves_bytes, row.distance))
    });
    rows.collect()
}
