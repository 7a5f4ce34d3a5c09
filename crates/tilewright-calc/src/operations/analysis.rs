//! What people ask of a layout before they use it: of a layout in any notation, its map.

use anyhow::anyhow;
use tilewright::map::Banks;

use super::Operation;
use crate::call::Call;
use crate::value::Value;

/// At most this many runs of unused offsets, or of offsets that elements share, are listed.
const MAX_LISTED: usize = 8;

/// The widest access of one thread, in bits.
const MAX_ACCESS_BITS: u32 = 128;

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation { usage: "injective(A)", run: |call| Ok(call.map(0)?.is_injective()?.into()) },
    Operation { usage: "surjective(A)", run: |call| Ok(call.map(0)?.is_surjective()?.into()) },
    Operation { usage: "bijective(A)", run: |call| Ok(call.map(0)?.is_bijective()?.into()) },
    Operation { usage: "image(A)", run: image },
    Operation { usage: "gaps(A)", run: |call| told(&call.map(0)?.gaps(MAX_LISTED)?) },
    Operation { usage: "aliases(A)", run: aliases },
    Operation { usage: "sharing(A)", run: |call| told(&call.map(0)?.sharing()?) },
    Operation { usage: "contiguity(A, dim)", run: contiguity },
    Operation { usage: "vector_width(A, dim[, element_bits][, max_bits])", run: vector_width },
    Operation { usage: "bank_conflicts(A, element_bits)", run: bank_conflicts },
    Operation { usage: "dims_by_stride(A)", run: dims_by_stride },
    Operation { usage: "cycles(A)", run: cycles },
];

fn told(answer: &impl ToString) -> anyhow::Result<Value> {
    Ok(Value::Answer(answer.to_string()))
}

/// How many offsets have an element.
fn image(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    told(&call.map(0)?.distinct_offsets()?)
}

fn aliases(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    told(&call.map(0)?.aliases(MAX_LISTED, MAX_LISTED)?)
}

/// The longest aligned run of neighbours along a dimension, in elements.
fn contiguity(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    told(&call.map(0)?.contiguity(call.position(1)?)?)
}

/// The most elements along a dimension that one aligned access moves.
fn vector_width(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let (map, dim) = (call.map(0)?, call.position(1)?);
    if !call.has(2) {
        return told(&map.vector_width(dim)?);
    }
    let most = if call.has(3) { call.bits(3)? } else { MAX_ACCESS_BITS };
    told(&map.vector_width_within(dim, call.bits(2)?, most)?)
}

/// What every access of a (thread) or (thread, value) layout costs in 32 banks of 4 bytes.
fn bank_conflicts(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let accesses = call.map(0)?.accesses(call.bits(1)?, MAX_ACCESS_BITS)?;
    let costs = accesses.iter().map(|access| access.bank_conflicts(&Banks::default()));
    let costs = costs.collect::<Result<Vec<_>, _>>()?;
    let worst = costs.iter().max_by_key(|cost| cost.wavefronts);
    told(worst.ok_or_else(|| anyhow!("nothing is accessed"))?)
}

fn dims_by_stride(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    told(&format!("{:?}", call.map(0)?.dims_by_stride()))
}

/// The cycles of the layout as a permutation of its elements.
fn cycles(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    match call.map(0)?.cycles()? {
        Some(cycles) => told(&cycles),
        None => told(&"no permutation: not every offset has exactly one element"),
    }
}
