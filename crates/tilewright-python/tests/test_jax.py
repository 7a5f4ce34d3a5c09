"""JAX's formats and ours."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw

jax = pytest.importorskip("jax")


@pytest.mark.parametrize(
    "text",
    ["{1,0}", "{0,1}", "{1,0:T(8,128)}", "{0,1:T(8,128)(2,1)}", "{2,0,1:T(8,128)E(4)}", "{0}"],
)
def test_layouts_lead_to_each_other(text):
    layout = tw.Layout(text)
    there = tw.jax.to_layout(layout)
    assert tw.jax.from_format(there) == layout
    assert tw.jax.from_format(tw.jax.to_format(layout)) == layout
    assert there.major_to_minor == layout.minor_to_major[::-1]


def test_jax_itself_makes_the_same_xla_layout():
    for text in ("{0,1:T(8,128)(2,1)}", "{1,0:T(8,128)}"):
        there = tw.jax.to_layout(text)._to_xla_layout(np.dtype(np.float32))
        assert str(there) == text


def test_an_arrays_own_format():
    x = jax.numpy.zeros((3, 5, 7), jax.numpy.bfloat16)
    assert tw.jax.shape_of(x) == tw.Shape("bf16[3,5,7]{2,1,0}")
    moved = jax.device_put(x, tw.jax.to_format("{0,1,2}"))
    assert tw.jax.shape_of(moved) == tw.Shape("bf16[3,5,7]{0,1,2}")


def test_what_is_implied_and_what_cannot_be_said():
    tiled = tw.jax.to_layout("{1,0:T(8,128)}")
    assert str(tw.jax.from_format(tiled, (64, 128), "int4").layout) == "{1,0:T(8,128)E(4)}"
    assert str(tw.jax.from_format(tiled, (64, 128), "bf16").layout) == "{1,0:T(8,128)}"
    for text in ("{1,0:T(*,8)}", "{1,0:S(1)}", "{1,0:L(128)}"):
        with pytest.raises(ValueError, match="JAX"):
            tw.jax.to_layout(text)
    with pytest.raises(ValueError, match="compiler"):
        tw.jax.from_format(jax.experimental.layout.Layout.AUTO)


def test_structs_have_shapes():
    jnp = jax.numpy
    struct = jax.ShapeDtypeStruct((3, 5), jnp.bfloat16)
    assert tw.jax.shape_of(struct) == tw.Shape("bf16[3,5]{1,0}")
    device = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    said = jax.ShapeDtypeStruct((30, 300), jnp.bfloat16, sharding=tw.jax.to_format("{0,1:T(8,128)(2,1)}"))
    assert tw.jax.shape_of(said) == tw.Shape("bf16[30,300]{0,1:T(8,128)(2,1)}")
    assert tw.jax.shape_of(jax.ShapeDtypeStruct((3,), jnp.int4, sharding=device)) == tw.Shape("s4[3]{0}")
    of_a_function = jax.eval_shape(lambda x: x @ x.T, jax.ShapeDtypeStruct((3, 5), jnp.float32))
    assert tw.jax.shape_of(of_a_function) == tw.Shape("f32[3,3]{1,0}")


def test_a_compiled_program_is_a_report():
    x = jax.numpy.ones((3, 5))
    lowered = jax.jit(lambda x: (x + 1).T).lower(x)
    compiled = lowered.compile()
    report = tw.hlo(compiled)
    assert report.to_dict() == tw.hlo(compiled.as_text()).to_dict()
    assert [row["text"] for row in report.parameters] == ["f32[3,5]{1,0}"]
    assert tw.assign(compiled).parameters[0]["module"]["text"] == "f32[3,5]{1,0}"
    other = jax.jit(lambda x: x * 2).lower(x).compile()
    assert report.diff(other).to_dict() == report.diff(tw.hlo(other)).to_dict()
    with pytest.raises(ValueError, match="MLIR: give the compiled program"):
        tw.hlo(lowered)
