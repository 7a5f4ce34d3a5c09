//! Coordinates, and the arithmetic of shapes.

use tilewright::algebra;
use tilewright::tla::{self, Int, IntTuple, Nested};

use super::Operation;
use crate::call::Call;
use crate::value::Value;

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation { usage: "crd2idx(A, coordinate)", run: at },
    Operation { usage: "crd2offset(A, coordinate)", run: at },
    Operation { usage: "at(A, coordinate)", run: at },
    Operation {
        usage: "idx2crd(index, shape)",
        run: |call| Ok(tla::idx2crd(call.int(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "crd2crd(coordinate, from, to)",
        run: |call| Ok(tla::crd2crd(&call.tuple(0)?, &call.tuple(1)?, &call.tuple(2)?)?.into()),
    },
    Operation {
        usage: "crd2int(coordinate, shape)",
        run: |call| Ok(tla::crd2int(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "compact_col_major(shape)",
        run: |call| Ok(tla::compact_col_major(&call.tuple(0)?)?.into()),
    },
    Operation {
        usage: "compact_row_major(shape)",
        run: |call| Ok(algebra::compact_row_major(&call.tuple(0)?)?.into()),
    },
    Operation {
        usage: "compact_order(shape, order)",
        run: |call| Ok(algebra::compact_order(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "common_refinement(shape, shape)",
        run: |call| Ok(algebra::common_refinement(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "common_coarsening(shape, shape)",
        run: |call| Ok(algebra::common_coarsening(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "greatest_common_domain(shape, shape)",
        run: |call| Ok(algebra::greatest_common_domain(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "domain_distribute(shape, n)",
        run: |call| Ok(algebra::domain_distribute(&call.tuple(0)?, call.int(1)?)?.into()),
    },
    Operation {
        usage: "shape_div(a, b)",
        run: |call| Ok(algebra::shape_div(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "ceil_div(a, b)",
        run: |call| Ok(algebra::ceil_div(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "round_up(a, b)",
        run: |call| Ok(algebra::round_up(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation { usage: "product(shape)", run: |call| Ok(call.tuple(0)?.product()?.into()) },
    Operation {
        usage: "product_each(shape)",
        run: |call| Ok(call.tuple(0)?.product_each()?.into()),
    },
    Operation {
        usage: "product_like(shape, profile)",
        run: |call| Ok(algebra::product_like(&call.tuple(0)?, &call.picks(1)?)?.into()),
    },
    Operation { usage: "max(a, …)", run: |call| extreme(call, Int::max) },
    Operation { usage: "min(a, …)", run: |call| extreme(call, Int::min) },
    Operation {
        usage: "swizzle(S, offset)",
        run: |call| {
            let swizzle = call.swizzle(0)?;
            let swizzle = swizzle.ok_or_else(|| anyhow::anyhow!("argument 1 is no swizzle"))?;
            Ok(Int::dynamic(swizzle.apply(call.int(1)?.value())).into())
        },
    },
];

fn at(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    Ok(call.composition(0)?.at(&call.tuple(1)?)?.into())
}

/// The largest or least integer of all the arguments.
fn extreme(call: &Call<'_, '_>, pick: fn(Int, Int) -> Int) -> anyhow::Result<Value> {
    let tuples: Vec<IntTuple> =
        call.rest(0).map(|place| call.tuple(place)).collect::<Result<_, _>>()?;
    let found = tuples.iter().flat_map(Nested::leaves).copied().reduce(pick);
    found.map(Value::from).ok_or_else(|| anyhow::anyhow!("there is no integer among these"))
}
