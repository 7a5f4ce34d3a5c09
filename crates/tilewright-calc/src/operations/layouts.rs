//! Reading one layout through another, inverting, adding, changing the size of elements.

use anyhow::bail;
use tilewright::algebra::{self as algebra, Composed, Composition, Outer, Tiler};
use tilewright::tla::{Int, Layout};

use super::Operation;
use crate::call::Call;
use crate::value::Value;

pub(crate) const OPERATIONS: &[Operation] = &[
    Operation { usage: "composition(A, B)", run: composition },
    Operation { usage: "compose(A, B)", run: compose },
    Operation { usage: "complement(A[, n])", run: complement },
    Operation {
        usage: "right_inverse(A)",
        run: |call| Ok(algebra::right_inverse(&call.layout(0)?)?.into()),
    },
    Operation {
        usage: "left_inverse(A)",
        run: |call| Ok(algebra::left_inverse(&call.layout(0)?)?.into()),
    },
    Operation {
        usage: "nullspace(A)",
        run: |call| Ok(algebra::nullspace(&call.layout(0)?)?.into()),
    },
    Operation { usage: "coalesce(A[, profile])", run: coalesce },
    Operation { usage: "filter(A)", run: |call| Ok(algebra::filter(&call.layout(0)?)?.into()) },
    Operation {
        usage: "filter_zeros(A)",
        run: |call| Ok(algebra::filter_zeros(&call.layout(0)?)?.into()),
    },
    Operation {
        usage: "layout_add(A, B)",
        run: |call| Ok(algebra::layout_add(&call.layout(0)?, &call.layout(1)?)?.into()),
    },
    Operation {
        usage: "max_common_layout(A, B)",
        run: |call| Ok(algebra::max_common_layout(&call.layout(0)?, &call.layout(1)?)?.into()),
    },
    Operation { usage: "upcast(A, n)", run: upcast },
    Operation { usage: "downcast(A, n)", run: downcast },
    Operation { usage: "recast(A, old_bits, new_bits)", run: recast },
    Operation {
        usage: "scale(A, n)",
        run: |call| Ok(algebra::scale(&call.layout(0)?, call.int(1)?)?.into()),
    },
    Operation {
        usage: "make_layout(shape[, stride][, org_shape])",
        run: |call| Ok(make_layout(call)?.into()),
    },
    Operation {
        usage: "make_layout_like(A)",
        run: |call| Ok(algebra::make_layout_like(&call.layout(0)?)?.into()),
    },
    Operation {
        usage: "make_fragment_like(A)",
        run: |call| Ok(algebra::make_fragment_like(&call.layout(0)?)?.into()),
    },
    Operation {
        usage: "make_identity_layout(shape)",
        run: |call| Ok(algebra::make_identity_layout(&call.tuple(0)?)?.into()),
    },
    Operation {
        usage: "make_ordered_layout(shape, order)",
        run: |call| Ok(algebra::make_ordered_layout(&call.tuple(0)?, &call.tuple(1)?)?.into()),
    },
];

/// A swizzle over a layout; a layout, composed or not, through a tiler; else it must be a layout.
fn composition(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    if let Some(swizzle) = call.swizzle(0)? {
        return Ok(match call.composition(1)? {
            Composition::Layout(layout) => Composed::swizzled(swizzle, layout)?.into(),
            composed => bail!("{composed} is composed already, so {swizzle} cannot go over it"),
        });
    }
    let tiler = call.tiler(1)?;
    call.on_either(
        |a| algebra::composition(a, tiler.clone()),
        |composed| composed.composition(tiler.clone()),
    )
}

/// The composition as a layout where there is one, and composed where there is none.
fn compose(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    if call.swizzle(0)?.is_some() {
        return composition(call);
    }
    match call.composition(0)? {
        Composition::Layout(a) => Ok(algebra::compose(&a, &call.layout(1)?)?.into()),
        Composition::Composed(_) => composition(call),
    }
}

fn complement(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let layout = call.layout(0)?;
    Ok(match call.has(1) {
        true => algebra::complement(&layout, call.int(1)?)?.into(),
        false => algebra::complement_within(&layout)?.into(),
    })
}

fn coalesce(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    if call.has(1) {
        let profile = call.picks(1)?;
        return call.on_coordinates(|layout| algebra::coalesce_by(layout, &profile));
    }
    call.on_coordinates(algebra::coalesce)
}

fn upcast(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let n = call.int(1)?;
    call.on_either(|layout| algebra::upcast(layout, n), |composed| composed.upcast(n))
}

fn downcast(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let n = call.int(1)?;
    call.on_either(|layout| algebra::downcast(layout, n), |composed| composed.downcast(n))
}

fn recast(call: &Call<'_, '_>) -> anyhow::Result<Value> {
    let (old, new) = (call.bits(1)?, call.bits(2)?);
    let factor = |n: u32| Int::fixed(i64::from(n));
    let composed = |composed: &Composed| match (old, new) {
        (0, _) | (_, 0) => composed.upcast(factor(0)),
        _ if new % old == 0 => composed.upcast(factor(new / old)),
        _ => composed.downcast(factor(old / new)),
    };
    if let Composition::Composed(_) = call.composition(0)?
        && (old == 0 || new == 0 || (new % old != 0 && old % new != 0))
    {
        bail!("elements of {old} and {new} bits do not divide each other");
    }
    call.on_either(|layout| algebra::recast(layout, old, new), composed)
}

/// Of a shape, leftmost fastest, or of a shape and strides, and perhaps an original shape.
fn make_layout(call: &Call<'_, '_>) -> anyhow::Result<Layout> {
    let shape = call.tuple(0)?;
    if !call.has(1) {
        let stride = tilewright::tla::compact_col_major(&shape)?;
        return Ok(Layout::new(shape, stride)?);
    }
    let stride = call.tuple(1)?.map(|&stride| stride.into());
    let layout = Layout::new(shape, stride)?;
    match call.has(2) {
        true => Ok(layout.with_org_shape(call.tuple(2)?)?),
        false => Ok(layout),
    }
}

/// The offset layout that a composed layout is over; of a layout itself.
pub(crate) fn outer_of(composition: &Composition) -> Option<Value> {
    match composition {
        Composition::Layout(_) => None,
        Composition::Composed(composed) => Some(match composed.outer() {
            Outer::Layout(outer) => outer.clone().into(),
            Outer::Swizzle(swizzle) => (*swizzle).into(),
        }),
    }
}

/// The tilers of an operation's second argument.
pub(crate) fn tiled(
    call: &Call<'_, '_>,
    operation: fn(&Layout, Tiler) -> Result<Layout, tilewright::Error>,
) -> anyhow::Result<Value> {
    let tiler = call.tiler(1)?;
    call.on_coordinates(|layout| operation(layout, tiler.clone()))
}
