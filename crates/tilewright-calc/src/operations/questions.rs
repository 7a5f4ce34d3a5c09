//! Questions about layouts.

use tilewright::algebra::{self, Composition};

use super::Operation;
use crate::call::Call;
use crate::value::Value;

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation { usage: "size(A)", run: size },
    Operation { usage: "cosize(A)", run: cosize },
    Operation { usage: "rank(A)", run: |call| Ok(call.composition(0)?.shape().rank().into()) },
    Operation { usage: "depth(A)", run: |call| Ok(call.composition(0)?.shape().depth().into()) },
    Operation { usage: "tag(A, element_type)", run: tag },
    Operation {
        usage: "max_common_vector(A, B)",
        run: |call| Ok(algebra::max_common_vector(&call.layout(0)?, &call.layout(1)?)?.into()),
    },
    Operation {
        usage: "max_alignment(A)",
        run: |call| Ok(algebra::max_alignment(&call.layout(0)?)?.into()),
    },
    Operation {
        usage: "congruent(a, b)",
        run: |call| Ok(call.tuple(0)?.is_congruent(&call.tuple(1)?).into()),
    },
    Operation {
        usage: "weakly_congruent(a, b)",
        run: |call| Ok(call.tuple(0)?.is_weakly_congruent(&call.tuple(1)?).into()),
    },
    Operation {
        usage: "compatible(a, b)",
        run: |call| Ok(call.tuple(0)?.is_compatible(&call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "evenly_divides(a, b)",
        run: |call| Ok(algebra::evenly_divides(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "lex_less(a, b)",
        run: |call| Ok(algebra::lex_less(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "colex_less(a, b)",
        run: |call| Ok(algebra::colex_less(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
    Operation {
        usage: "elem_less(a, b)",
        run: |call| Ok(algebra::elem_less(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
];

fn size(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    Ok(call.composition(0)?.shape().product()?.into())
}

/// One more than the largest offset; of a composed layout, what its outer function reaches.
fn cosize(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    Ok(match call.composition(0)? {
        Composition::Layout(layout) => layout.cosize()?.into(),
        composed @ Composition::Composed(_) => {
            let map = tilewright::IndexMap::from_composition(&composed)?;
            tilewright::tla::Int::dynamic(map.allocation()).into()
        }
    })
}

/// The tag that a layout is of.
fn tag(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let tag = call.layout(0)?.tag(call.element_type(1)?)?;
    Ok(Value::Answer(tag.to_string()))
}
