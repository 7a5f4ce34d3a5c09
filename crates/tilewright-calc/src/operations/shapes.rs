//! Taking layouts apart into their modes and putting modes together.

use tilewright::algebra::{self, Composition, domain_offset};
use tilewright::tla::{self, Nested};

use super::Operation;
use super::layouts::outer_of;
use crate::call::Call;
use crate::value::Value;

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation { usage: "shape(A)", run: |call| Ok(call.composition(0)?.shape().clone().into()) },
    Operation { usage: "stride(A)", run: |call| Ok(call.layout(0)?.stride().clone().into()) },
    Operation { usage: "org_shape(A)", run: |call| Ok(inner(call)?.org_shape()?.into()) },
    Operation { usage: "inner(A)", run: |call| Ok(inner(call)?.into()) },
    Operation { usage: "outer(A)", run: outer },
    Operation { usage: "offset(A)", run: offset },
    Operation { usage: "get(A, position, …)", run: get },
    Operation { usage: "flatten(A)", run: |call| call.on_coordinates(algebra::flatten) },
    Operation { usage: "unflatten(A, profile)", run: unflatten },
    Operation { usage: "group(A, begin, end)", run: group },
    Operation { usage: "take(A, begin, end)", run: take },
    Operation { usage: "select(A, position, …)", run: select },
    Operation { usage: "append(A, B)", run: append },
    Operation { usage: "append_to_rank(A, rank)", run: append_to_rank },
    Operation { usage: "prepend(A, B)", run: prepend },
    Operation { usage: "replace(A, position, B)", run: replace },
    Operation {
        usage: "zip(A, B)",
        run: |call| Ok(algebra::zip(&call.layout(0)?, &call.layout(1)?)?.into()),
    },
    Operation { usage: "slice(coordinate, A)", run: slice },
    Operation { usage: "dice(coordinate, A)", run: dice },
    Operation { usage: "slice_and_offset(coordinate, A)", run: slice_and_offset },
    Operation { usage: "domain_offset(coordinate, A)", run: offset_of_domain },
];

/// The layout itself, or what is inside a composed one.
fn inner(call: &Call<'_, '_>) -> anyhow::Result<tla::Layout> {
    Ok(match call.composition(0)? {
        Composition::Layout(layout) => layout,
        Composition::Composed(composed) => composed.inner().clone(),
    })
}

fn outer(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let outer = outer_of(&call.composition(0)?);
    outer.ok_or_else(|| anyhow::anyhow!("a layout of shape and stride is over nothing"))
}

fn offset(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    Ok(match call.composition(0)? {
        Composition::Layout(_) => tla::Int::fixed(0).into(),
        Composition::Composed(composed) => composed.offset().into(),
    })
}

/// The mode at a path of positions.
fn get(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let path = positions(call)?;
    call.on_coordinates(|layout| layout.mode(&path))
}

fn positions(call: &Call<'_, '_>) -> anyhow::Result<Vec<usize>> {
    call.rest(1).map(|place| call.position(place)).collect()
}

fn unflatten(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let profile = call.picks(1)?;
    call.on_coordinates(|layout| algebra::unflatten(layout, &profile))
}

fn group(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let range = call.position(1)?..call.position(2)?;
    call.on_coordinates(|layout| algebra::group(layout, range))
}

fn take(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let range = call.position(1)?..call.position(2)?;
    call.on_coordinates(|layout| algebra::take(layout, range))
}

fn select(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let positions = positions(call)?;
    call.on_coordinates(|layout| algebra::select(layout, &positions))
}

fn append(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let mode = call.layout(1)?;
    call.on_coordinates(|layout| Ok(algebra::append(layout, &mode)))
}

fn append_to_rank(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let rank = call.position(1)?;
    call.on_coordinates(|layout| algebra::append_to_rank(layout, rank))
}

fn prepend(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let mode = call.layout(1)?;
    call.on_coordinates(|layout| Ok(algebra::prepend(layout, &mode)))
}

fn replace(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let (position, mode) = (call.position(1)?, call.layout(2)?);
    call.on_coordinates(|layout| algebra::replace(layout, position, &mode))
}

fn slice(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let picks = call.picks(0)?;
    Ok(match call.composition(1)? {
        Composition::Layout(layout) => algebra::slice(&picks, &layout)?.into(),
        Composition::Composed(composed) => composed.slice(&picks)?.into(),
    })
}

fn dice(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    Ok(algebra::dice(&call.picks(0)?, &call.layout(1)?)?.into())
}

/// The slice, and where what the coordinate fixes leads.
fn slice_and_offset(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let (slice, offset) = algebra::slice_and_offset(&call.picks(0)?, &call.layout(1)?)?;
    Ok(Value::Answer(format!("{slice} at {offset}")))
}

fn offset_of_domain(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let coordinate: Nested<tla::Int> = call.tuple(0)?;
    Ok(domain_offset(&coordinate, &call.layout(1)?)?.into())
}
