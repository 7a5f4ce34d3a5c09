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
