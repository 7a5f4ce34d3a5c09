//! Cutting a layout into tiles, and laying copies of one side by side.

use tilewright::algebra;
use tilewright::tla;

use super::Operation;
use super::layouts::tiled;
use crate::call::Call;
use crate::value::Value;

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation { usage: "logical_divide(A, T)", run: |call| tiled(call, algebra::logical_divide) },
    Operation { usage: "zipped_divide(A, T)", run: |call| tiled(call, algebra::zipped_divide) },
    Operation { usage: "tiled_divide(A, T)", run: |call| tiled(call, algebra::tiled_divide) },
    Operation { usage: "flat_divide(A, T)", run: |call| tiled(call, algebra::flat_divide) },
    Operation { usage: "logical_product(A, T)", run: |call| tiled(call, algebra::logical_product) },
    Operation { usage: "zipped_product(A, T)", run: |call| tiled(call, algebra::zipped_product) },
    Operation { usage: "tiled_product(A, T)", run: |call| tiled(call, algebra::tiled_product) },
    Operation { usage: "flat_product(A, T)", run: |call| tiled(call, algebra::flat_product) },
    Operation {
        usage: "blocked_product(A, B)",
        run: |call| {
            let grid = call.layout(1)?;
            call.on_coordinates(|block| algebra::blocked_product(block, &grid))
        },
    },
    Operation {
        usage: "raked_product(A, B)",
        run: |call| {
            let grid = call.layout(1)?;
            call.on_coordinates(|block| algebra::raked_product(block, &grid))
        },
    },
    Operation { usage: "tile_to_shape(A, shape[, order])", run: tile_to_shape },
    Operation { usage: "tile(A, shape[, coordinate])", run: tile },
    Operation {
        usage: "make_batched_layout(A, batch)",
        run: |call| Ok(tla::make_batched_layout(&call.layout(0)?, call.int(1)?)?.into()),
    },
    Operation {
        usage: "prepend_dim(A, extent, stride)",
        run: |call| {
            let (extent, stride) = (call.int(1)?, call.int(2)?);
            Ok(tla::prepend_dim(&call.layout(0)?, extent, stride)?.into())
        },
    },
];

fn tile_to_shape(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let shape = call.tuple(1)?;
    let order = if call.has(2) { Some(call.tuple(2)?) } else { None };
    call.on_coordinates(|block| algebra::tile_to_shape(block, &shape, order.as_ref()))
}

fn tile(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let (layout, shape) = (call.layout(0)?, call.tuple(1)?);
    Ok(match call.has(2) {
        true => tla::tile_at(&layout, &shape, &call.tuple(2)?)?.into(),
        false => tla::make_layout_tile(&layout, &shape)?.into(),
    })
}
