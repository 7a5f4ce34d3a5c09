"""What people expect of a library beside numpy and CuTe."""

from __future__ import annotations

import tomllib
import tracemalloc
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
import tilewright.algebra as ta
from conftest import DTYPES, layout_text, random_array, random_layout


def test_the_version_is_said():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert tw.__version__ == project["version"]


@pytest.mark.parametrize("text", ["f32[3,5]{1,0:T(2,2)}", "bf16[]", "s4[7]{0:E(4)}", "f32 (4,3):(3,1)"])
def test_numpys_names_of_sizes(text):
    shape = tw.Shape(text)
    packed = tw.pack(np.zeros(shape.dims, shape.dtype), shape)
    assert (shape.ndim, shape.size, shape.nbytes) == (shape.rank, shape.elements, packed.nbytes)
    for what in (lambda: tw.Shape("token[]").ndim, lambda: tw.Shape("(f32[2], f32[3])").size):
        with pytest.raises(tw.LayoutError):
            what()


def test_layouts_of_tuples():
    assert tw.Layout((4, 8), (8, 1)) == tw.Layout("(4,8):(8,1)")
    assert tw.Layout(((2, 4), 3), ((1, 2), 8)) == tw.Layout("((2,4),3):((1,2),8)")
    assert tw.Layout([4, [2, 3]], [1, [4, 8]]) == tw.Layout("(4,(2,3)):(1,(4,8))")
    assert tw.Layout(4, 2) == tw.Layout("4:2") and tw.Layout((4,), (2,)) == tw.Layout("(4):(2)")
    assert tw.Layout(np.int64(4), np.int32(2)) == tw.Layout("4:2")
    assert tw.Layout(tw.Layout("4:2")) == tw.Layout("4:2")
    deep = 4
    for _ in range(300):
        deep = (deep,)
    for wrong in (
        ((4, 8), (1,)), ((4, 8), 1.5), ("(4,8)", (8, 1)), ((4, "8"),), (1 << 70,), (None,), (True,),
        ((4, 8), None, 1), (deep,), ((4, (8, 1.0)),), (np.zeros(2, int),),
    ):  # fmt: skip
        with pytest.raises((tw.LayoutError, TypeError)):
            tw.Layout(*wrong)


@pytest.mark.parametrize("shape", [(4, 8), 6, (4,), (4, (2, 3)), ((2, 2), (3, 5), 7)])
def test_a_shape_alone_is_dense_as_cutes_is(shape):
    pycute = pytest.importorskip("pycute")
    theirs = pycute.Layout(shape)
    assert tw.Layout(shape) == tw.Layout(theirs.shape, theirs.stride)


LAYOUTS = [
    ((4, 8), (8, 1)),
    ((4, (2, 3)), (1, (4, 8))),
    (((2, 4), 3), ((1, 2), 8)),
    (6, 5),
    ((2, 3, 4), (12, 4, 1)),
]


@pytest.mark.parametrize("modes", LAYOUTS)
def test_calls_and_modes_are_pycutes(modes):
    pycute = pytest.importorskip("pycute")
    ours, theirs = tw.Layout(*modes), pycute.Layout(*modes)
    assert [ours(k) for k in range(ours.size)] == [theirs(k) for k in range(theirs.size())]
    assert len(ours) == len(theirs)
    if isinstance(modes[0], tuple):
        for coordinate in np.ndindex(*(ta.product(mode) for mode in ours.shape)):
            at = tuple(map(int, coordinate))
            assert ours(*at) == ours(at) == theirs(*at)
        for n, mode in enumerate(ours):
            assert mode == ours[n] == ours[n - len(ours)] == tw.Layout(theirs[n].shape, theirs[n].stride)
        nested = tuple(ta.idx2crd(1, mode) for mode in ours.shape)
        assert ours(nested) == theirs(nested)


def test_modes_that_are_not_there():
    layout = tw.Layout((4, 8), (8, 1))
    for wrong in (2, -3, 1 << 70):
        with pytest.raises((IndexError, OverflowError)):
            layout[wrong]
    for wrong in ("0", 0.5, None, slice(1)):
        with pytest.raises(TypeError):
            layout[wrong]
    with pytest.raises(TypeError):
        layout()
    with pytest.raises(tw.LayoutError):
        layout(1, 2, 3)
    assert tw.Layout("():()") and tw.Layout("{1,0}")  # a layout is no empty sequence
    with pytest.raises(ValueError):
        len(tw.Layout("{1,0}"))


def test_swizzles_of_numbers():
    swizzle = tw.Swizzle(3, 0, 3)
    assert swizzle == tw.Swizzle("Sw<3,0,3>") and swizzle(8) == 9
    assert tw.Swizzle(2, 4, -3) == tw.Swizzle("Sw<2,4,-3>")
    for wrong in ((3,), (3, 0), ("Sw<3,0,3>", 0, 3), (3, 0, None), (-1, 0, 3), (3, 0, 0), (1 << 70, 0, 3), (3, 0.5, 3)):
        with pytest.raises((tw.LayoutError, TypeError)):
            tw.Swizzle(*wrong)


def test_what_python_prints_is_read():
    """The tuples of Python, pasted from another library's output."""
    assert tw.Layout("(8,):(1,)") == tw.Layout("(8):(1)")
    assert tw.Layout("((2,),):((1,),)").size == 2
    assert tw.calc("coalesce((8,):(1,))") == tw.Layout("8:1")


def test_lists_are_arrays():
    assert tw.pack([[1, 2], [3, 4]], "{0,1}").tolist() == [[1, 3], [2, 4]]
    assert tw.pack([[1, 2], [3, 4]], "u8[2,2]{0,1}").dtype == np.uint8
    assert tw.pack([[1.5, 2]], tw.Shape("bf16[1,2]")).dtype == ml_dtypes.bfloat16
    assert tw.pack(((1, 0), (1, 1)), "s4[2,2]{1,0:E(4)}").tolist() == [1, 17]
    assert tw.pack([True, False], "pred[2]").dtype == bool
    assert tw.unpack([1, 3, 2, 4], "u8[2,2]{0,1}").tolist() == [[1, 2], [3, 4]]
    assert tw.relayout([[1, 2], [3, 4]], "s16[2,2]", "{0,1}").dtype == np.int16
    assert tw.Packed([1, 2, 3, 4], "f32[2,2]").data.dtype == np.float32
    assert tw.pack([], "f32[0]").shape == (0,)
    assert tw.fit([0, 1, 2]).layout.size == 3
    assert tw.Shape("f32[3,5]").offset([[0, 0], [2, 3]]).tolist() == [0, 13]
    for wrong, layout in (
        ([[1, 2], [3]], "{0,1}"), ([300], "u8[1]"), ([-1], "u8[1]"), ([1.5], "s32[1]"), ([1j], "f32[1]"),
        ([9], "s4[1]"), (["a"], "{0}"), ([None], "{0}"), ([2], "pred[1]"), ([0.5], "u8[1]"), ([1 << 80], "s64[1]"),
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            tw.pack(wrong, layout)


def test_an_index_out_of_range_is_an_index_error():
    tiles = tw.Shape("f32[3,5]{1,0:T(2,2)}")
    many = np.zeros((1000, 2), int)
    many[500, 1] = 5
    for ask in (
        lambda: tiles.offset((3, 0)),
        lambda: tiles.offset((0, -1)),
        lambda: tiles.offset([[0, 0], [3, 0]]),
        lambda: tiles.offset(many),
        lambda: tiles.index(24),
        lambda: tiles.index(-1),
        lambda: tiles.index(np.array([0, 24])),
        lambda: tw.IndexMap(tiles).index(24),
        lambda: tw.Layout((4, 8))[2],
    ):
        with pytest.raises(IndexError) as caught:
            ask()
        assert isinstance(caught.value, tw.LayoutError) and isinstance(caught.value, tw.OutOfRangeError)
    with pytest.raises(ValueError) as caught:  # another rank is no index out of range
        tiles.offset((1,))
    assert not isinstance(caught.value, IndexError)


def test_too_little_memory_is_a_memory_error():
    with pytest.raises(MemoryError):
        tw.Shape("u8[1099511627776]").offsets()
    with pytest.raises(MemoryError):
        tw.pack(np.broadcast_to(np.uint8(1), (1 << 46,)), "{0:T(128)}")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_strided_arrays_are_moved_as_they_lie(rng, dtype):
    """Every way that numpy cuts an array, large enough not to be copied first."""
    generator = np.random.default_rng(3)
    base = random_array(generator, (130, 70, 36), dtype)
    views = [
        base[::2], base[:, ::-1], base[::-1, ::-1, ::-1], base[5:, 3:-3, 1:], base[:, :, ::3],
        base.transpose(1, 2, 0)[::3], base[..., ::-2].T, np.broadcast_to(base[:, :1, :], base.shape),
        np.broadcast_to(base[0], base.shape), base[:, 5], base[::-1, :, 7].T, base[:, None, ::2],
    ]  # fmt: skip
    for x in views:
        dense = np.ascontiguousarray(x)
        shape = tw.Shape.of(dtype, x.shape, layout_text(*random_layout(rng, x.ndim)))
        expected = tw.pack(dense, shape)
        assert tw.pack(x, shape).tobytes() == expected.tobytes()
        plan = tw.Plan(tw.Shape.of(dtype, x.shape), shape)
        assert plan.run(x).tobytes() == expected.tobytes()
        x.tobytes()  # and x is as it was
    fields = np.zeros(40_000, [("a", "i1"), ("b", "f4")])
    fields["b"] = np.arange(40_000)
    assert tw.pack(fields["b"], "{0}").tolist() == list(range(40_000))  # 5 bytes apart


def test_a_plan_takes_a_transposed_array():
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    plan = tw.Plan("f32[5,3]", "f32[5,3]{1,0:T(2,2)}")
    assert plan.run(x.T).tobytes() == tw.pack(x.T, "{1,0:T(2,2)}").tobytes()
    out = np.empty(plan.target_bytes, np.uint8)
    assert plan.run(x.T, out, pad=7) is out
    assert out.tobytes() == tw.pack(x.T, "{1,0:T(2,2)}", pad=7).tobytes()
    tiled = tw.Plan("f32[4,4]{1,0:T(2,2)}", "f32[4,4]")
    p = tw.pack(np.arange(16, dtype=np.float32).reshape(4, 4), "{1,0:T(2,2)}")
    strided = np.repeat(p, 2, axis=3)[..., ::2]
    assert tiled.run(strided).tobytes() == tiled.run(p).tobytes()
    with pytest.raises(ValueError, match="contiguous"):
        plan.run(x[:, ::-1])  # of other dims


def test_no_copy_of_the_whole_is_made():
    """numpy's own allocations are counted: the outcome, and little beside it."""
    base = np.ones((4096, 4096), np.uint8)
    plan = tw.Plan("u8[2048,4096]", "u8[2048,4096]{1,0:T(8,128)}")
    out = np.empty(plan.target_bytes, np.uint8)
    tw.pack(base[::2], plan.target, out=out)
    moves = (
        lambda: tw.pack(base[::2], plan.target, out=out),
        lambda: plan.run(base[::-2], out),
        lambda: plan.run(base[:, ::2].T, out),
        lambda: plan.run(base[2048:], out),
    )
    for move in moves:
        tracemalloc.start()
        try:
            move()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 1 << 20, "the source is 8 MiB"
