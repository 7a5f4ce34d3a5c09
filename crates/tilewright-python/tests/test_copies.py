"""Layouts in which elements share a place: nothing is lost without a word."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw

X = np.arange(16, dtype=np.float32).reshape(4, 4)

SHARING = [
    "(4,4):(1,1)",
    "(4,4):(0,1)",
    "(4,4):(4,0)",
    "strides=(0,4)",
    "Sw<1,0,2> o 0 o (4,4):(0,1)",
    "((2,2),4):((4,4),1)",
]


@pytest.mark.parametrize("layout", SHARING)
def test_what_would_lose_elements_is_refused(tmp_path, layout):
    shape = tw.shape_for(layout, "f32", (4, 4))
    for call in (
        lambda: tw.pack(X, layout),
        lambda: tw.pack(X.T, layout),
        lambda: tw.pack(X, shape, labelled=True),
        lambda: tw.relayout(X, "f32[4,4]", layout),
        lambda: tw.Packed(X, "f32[4,4]").relayout(layout),
        lambda: tw.Plan("f32[4,4]", layout),
    ):
        with pytest.raises(tw.LayoutError, match=r"elements share a place .*\(.*\) and \(.*\) share"):
            call()
    for call in (
        lambda: tw.save(tmp_path / "w.npy", X, layout),
        lambda: tw.save(tmp_path / "w.safetensors", {"w": X}, layout),
        lambda: tw.zarr.save(tmp_path / "w.zarr", X, layout),
    ):
        with pytest.raises(ValueError):
            call()
    assert list(tmp_path.iterdir()) == []


def copies_of(shape):
    """An array in which elements that share a place are equal."""
    offsets = shape.offsets()
    return (offsets * 10).astype(np.float32)


@pytest.mark.parametrize("layout", SHARING)
def test_copies_are_packed_where_that_is_said(layout):
    shape = tw.shape_for(layout, "f32", (4, 4))
    x = copies_of(shape)
    expected = np.zeros(shape.allocation, np.float32)
    expected[shape.offsets()] = x
    rows = tw.Shape("f32[4,4]")
    columns = tw.pack(x, "{0,1}", labelled=True)
    plan = tw.Plan(rows, layout, copies=True)
    for packed in (
        tw.pack(x, layout, copies=True),
        tw.pack(np.asfortranarray(x), shape, copies=True),
        tw.relayout(x, rows, layout, copies=True),
        columns.relayout(layout, copies=True).data,
        plan.run(x),
        plan.run(np.asfortranarray(x)),
    ):
        assert packed.reshape(-1).tolist() == expected.tolist()
        assert (tw.unpack(packed, shape) == x).all()
    # What is no copy is found out.
    x[2, 3] += 1
    for call in (
        lambda: tw.pack(x, layout, copies=True),
        lambda: tw.relayout(x, rows, layout, copies=True),
        lambda: tw.pack(x, "{0,1}", labelled=True).relayout(layout, copies=True),
        lambda: plan.run(x),
    ):
        with pytest.raises(ValueError, match="no copies: see index"):
            call()
    assert repr(plan).endswith("copies=True)")


def test_a_place_of_ones_own_needs_no_saying():
    for layout in ("(4,4):(1,4)", "(4,4):(1,5)", "strides=(16,4)", "{0,1:T(2,2)}", "aB2b"):
        said = tw.pack(X, layout, copies=True)
        assert said.tobytes() == tw.pack(X, layout).tobytes()
    # Large swizzles are not looked at element by element.
    tw.Plan("u8 (1024,65536):(65536,1)", "Sw<3,4,3> o 0 o (1024,65536):(65536,1)")


def test_elements_below_a_byte():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([[1, 1, 1], [-2, -2, -2], [7, 7, 7]], ml_dtypes.int4)
    packed = tw.pack(x, "(3,3):(1,0)", copies=True)
    assert packed.tolist() == [0xE1, 0x07]
    assert (tw.unpack(packed, "s4 (3,3):(1,0)") == x).all()
    stray = (x.view(np.uint8) | 0xF0).view(ml_dtypes.int4)  # bits above the elements' own
    stray[0, 1] = x[0, 1]
    assert tw.pack(stray, "(3,3):(1,0)", copies=True).tolist() == [0xE1, 0x07]
    x[1, 1] = 3
    with pytest.raises(ValueError, match=r"index \(1, "):
        tw.pack(x, "(3,3):(1,0)", copies=True)


def test_reading_what_is_shared_is_fine():
    shape = tw.Shape("f32 (4,3):(1,0)")
    assert tw.unpack(np.arange(4, dtype=np.float32), shape).tolist() == [[i] * 3 for i in range(4)]
    back = tw.relayout(np.arange(4, dtype=np.float32), shape, "{0,1}")
    assert back.tolist() == [[0, 1, 2, 3]] * 3
