"""Many offsets and indices at once."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from conftest import json_lines, layout_text, random_layout


def test_offsets_are_those_of_numpys_pad_reshape_transpose():
    cases = [case for case in json_lines("pad-reshape-transpose.jsonl") if case["kind"] == "offsets"]
    assert len(cases) > 50
    for case in cases:
        shape = tw.Shape(case["layout"])
        assert shape.offsets().reshape(-1).tolist() == case["offsets"], case["layout"]
        assert list(shape.physical_dims) == case["physical_dims"]
        assert shape.allocation == case["allocation"]


@pytest.mark.parametrize("seed", range(40))
def test_one_at_a_time_many_and_all_agree(rng, seed):
    rng.seed(seed)
    dims = tuple(rng.randint(1, 9) for _ in range(rng.randint(1, 4)))
    shape = tw.Shape.of("f32", dims, layout_text(*random_layout(rng, len(dims))))
    offsets = shape.offsets()
    assert offsets.dtype == np.int64 and offsets.shape == dims
    every = np.moveaxis(np.indices(dims), 0, -1)
    np.testing.assert_array_equal(shape.offset(every), offsets)
    np.testing.assert_array_equal(shape.offset(tuple(np.indices(dims))), offsets)
    np.testing.assert_array_equal(shape.offset(np.repeat(every, 50, axis=0)), offsets.repeat(50, 0))
    np.testing.assert_array_equal(shape.index(offsets), every)
    for index in (tuple(rng.randrange(n) for n in dims) for _ in range(5)):
        assert shape.offset(index) == offsets[index]
        assert shape.index(int(offsets[index])) == index
    padding = sorted(set(range(shape.allocation)) - set(offsets.reshape(-1).tolist()))
    assert (shape.index(np.array(padding, np.int64)) == -1).all()
    assert len(padding) == shape.allocation - shape.elements


def test_odd_arguments():
    tiles = tw.Shape("f32[3,5]{1,0:T(2,2)}")
    assert tiles.offset(np.array([2, 3])) == 17
    assert tiles.offset([2, 3]) == 17
    assert tiles.offset(np.zeros((0, 2), int)).shape == (0,)
    assert tiles.index(np.int64(17)) == (2, 3)
    assert tiles.index(np.zeros((2, 0), int)).shape == (2, 0, 2)
    assert tw.Shape("f32[]").offset(()) == 0
    assert tw.Shape("f32[]").offset(np.zeros((4, 0), int)).tolist() == [0] * 4
    assert tw.Shape("f32[0,3]").offsets().shape == (0, 3)
    for wrong in ([[0, 0], [3, 0]], [[0, -1]], [[1, 2, 3]], [[]], 7):
        with pytest.raises(ValueError):
            tiles.offset(wrong)
    many = np.zeros((1000, 2), int)  # enough for the tables
    many[500, 1] = 5
    with pytest.raises(ValueError, match="index 5 is out of bounds for dimension 1"):
        tiles.offset(many)
    for wrong in ([0.5, 1], "nonsense"):
        with pytest.raises(TypeError):
            tiles.offset(wrong)
    with pytest.raises(ValueError):
        tiles.index([24])


@pytest.mark.parametrize(
    "layout",
    [
        "f32[400,500]{1,0:T(8,128)}",
        "f32[333,599]{1,0:T(6,10)}",
        "f32[411,490]{1,0:T(*,8)(2,1)}",
        "f32[40,50,60]{0,2,1:T(3,7)}",
        "f32[300,500] strides=(-2400,4)",
        "f16 Sw<2,4,3> o 0 o (32,64):(64,1)",
    ],
)
def test_the_element_at_every_place(layout):
    places = tw.IndexMap(layout)
    offsets = places.offsets()
    lowest = min(int(offsets.min()), 0)
    there = np.full((places.allocation, places.rank), -1)
    there[(offsets - lowest).reshape(-1)] = np.moveaxis(np.indices(places.dims), 0, -1).reshape(
        -1, places.rank
    )
    every = np.arange(lowest, lowest + places.allocation)
    np.testing.assert_array_equal(places.index(every), there)
    few = places.index(every[-30:].reshape(5, 6))
    np.testing.assert_array_equal(few, there[-30:].reshape(5, 6, -1))
    every[77] += places.allocation
    with pytest.raises(ValueError, match=f"entry 77: offset {every[77]} is outside the allocation"):
        places.index(every)


def test_fit_finds_the_layout_again(rng):
    for text in ("f32[30,300]{1,0:T(8,128)(2,1)}", "f32[4,6]{0,1}", "f32[7]{0}"):
        shape = tw.Shape(text)
        fitted = tw.fit(shape.offsets() + 7)
        assert fitted.base == 7
        np.testing.assert_array_equal(fitted.layout.offsets(), shape.offsets())
    with pytest.raises(ValueError, match="add up"):
        tw.fit([[0, 1], [2, 4]])
    with pytest.raises(TypeError):
        tw.fit([0.0, 1.0])
