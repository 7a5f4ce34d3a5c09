"""What arrays a plan takes: those it borrows as they are, those it views as bytes, and no others."""

from __future__ import annotations

import pickle

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from conftest import DTYPES, numpy_pack, random_array

TILES = "{1,0:T(2,2)}"


def plan_for(dtype, dims=(3, 5)):
    rows = tw.Shape.of(dtype, dims)
    return tw.Plan(rows, tw.shape_for(TILES, dtype, dims))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("dims", [(3, 5), (1, 1), (0, 5), (64, 66), (1, 2)])
def test_arrays_of_its_dtype_and_of_bytes(dtype, dims):
    plan = plan_for(dtype, dims)
    x = random_array(np.random.default_rng(8), dims, dtype)
    expected = numpy_pack(x, (1, 0), [(2, 2)])
    fresh = plan.run(x)
    assert (fresh.dtype, fresh.shape) == (expected.dtype, expected.shape)
    outs = [np.full(expected.nbytes, 0x55, np.uint8)]
    outs += [outs[0].copy().view(dtype).reshape(expected.shape), outs[0].copy().view(dtype)]
    sources = [x, x.reshape(-1), x.reshape(-1).view(np.uint8)]
    for source in sources:
        for out in [fresh, *outs]:
            out.reshape(-1).view(np.uint8)[:] = 0x55
            assert plan.run(source, out=out) is out
            assert out.tobytes() == expected.tobytes()


def test_other_dtypes_are_refused():
    plan = plan_for(np.float32)
    x = np.zeros((3, 5), np.float32)
    out = np.zeros(24, np.float32)
    for wrong in (np.int32, np.uint32, np.complex64, ml_dtypes.bfloat16, np.dtype(">f4"), object):
        with pytest.raises(TypeError, match="the source is .*, expected float32 or uint8"):
            plan.run(x.astype(wrong), out)
        with pytest.raises(TypeError, match="out is .*, expected float32 or uint8"):
            plan.run(x, out.astype(wrong))
    assert (out == 0).all()


def test_what_is_no_array_is_refused():
    plan = plan_for(np.float32)
    x = np.zeros((3, 5), np.float32)
    for source, out in [(x.tolist(), None), (x, bytearray(96)), (None, None), (x, "out")]:
        with pytest.raises((TypeError, AttributeError)):
            plan.run(source, out)
    for arguments in [{"threads": "one"}, {"threads": 1.5}, {"padding": 0}, {"out": x, "pad": []}]:
        with pytest.raises((TypeError, ValueError)):
            plan.run(x, **arguments)
    with pytest.raises(TypeError):
        plan.run(x, None, 0)
    with pytest.raises(ValueError, match="threads=0"):
        plan.run(x, threads=0)


def test_arrays_that_do_not_begin_where_their_elements_may():
    plan = plan_for(np.float32)
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    expected = plan.run(x)
    for shift in (1, 2, 3):
        block = np.zeros(60 + shift, np.uint8)
        source = block[shift:].view(np.float32).reshape(3, 5)
        source[:] = x
        assert not source.flags.aligned
        space = np.full(96 + shift, 7, np.uint8)
        out = space[shift:].view(np.float32)
        plan.run(source, out)
        assert out.tobytes() == expected.tobytes()
        assert (space[:shift] == 7).all()


def test_read_only_and_gappy_targets_are_refused():
    plan = plan_for(np.float32)
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    locked = np.zeros(24, np.float32)
    locked.flags.writeable = False
    for out, reason in [
        (locked, "out is read-only"),
        (locked.view(np.uint8), "out is read-only"),
        (np.zeros(48, np.float32)[::2], "contiguous"),
        (np.zeros((4, 6), np.float32).T, "contiguous"),
        (np.zeros(23, np.float32), "the destination has 92 bytes, expected 96"),
        (np.zeros((), np.float32), "the destination has 4 bytes, expected 96"),
    ]:
        with pytest.raises(ValueError, match=reason):
            plan.run(x, out)
    with pytest.raises(ValueError, match="the source has 56 bytes, expected 60"):
        plan.run(x.reshape(-1)[:14])
    x.flags.writeable = False
    plan.run(x)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64, ml_dtypes.bfloat16], ids=str)
def test_overlaps_of_every_byte_are_refused(dtype):
    plan = plan_for(dtype)
    width = np.dtype(dtype).itemsize
    block = np.zeros(60 * width, np.uint8)
    source_bytes, out_bytes = 15 * width, 24 * width
    start = 24 * width
    views = [lambda part: part, lambda part: part.view(dtype)]
    for at in range(0, 60 * width - out_bytes):
        overlaps = at < start + source_bytes and start < at + out_bytes
        for view in views:
            for other in views:
                source = view(block[start : start + source_bytes])
                out = other(block[at : at + out_bytes])
                if overlaps:
                    with pytest.raises(ValueError, match="out overlaps the source"):
                        plan.run(source, out)
                else:
                    plan.run(source, out)


def test_one_element_whatever_its_stride():
    """numpy says nothing of the stride of an axis of one; here it is larger than an element."""
    plan = tw.Plan("f64[1]", "f64[1]{0:T(1)}")
    block = np.arange(6, dtype=np.float64)
    source, out = block[1:4:3], block[4:6:3]
    assert source.shape == out.shape == (1,)
    assert plan.run(source, out)[0] == 1
    halves = tw.Plan("f32[1]", "f32[1]{0:T(2)}")
    words = block.view(np.float32)
    with pytest.raises(ValueError, match="out overlaps the source"):
        halves.run(words[3:12:12], block[1:4:3].view(np.uint8))
    with pytest.raises(ValueError, match="out overlaps the source"):
        plan.run(np.broadcast_to(block[:1], (1,)), block[:1])


def test_the_sign_of_a_zero_that_pads():
    plan = plan_for(np.float32)
    x = np.ones((3, 5), np.float32)
    padding = lambda pad: np.signbit(plan.run(x, pad=pad)).sum()  # noqa: E731
    assert padding(0) == padding(0.0) == padding(False) == 0
    assert padding(-0.0) == 24 - 15
    assert padding(np.float32(-1)) == 24 - 15


def test_subclasses_of_arrays():
    class Mine(np.ndarray):
        pass

    plan = plan_for(np.float32)
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    assert plan.run(x.view(Mine)).tobytes() == plan.run(x).tobytes()


def test_plans_are_values():
    plan = plan_for(np.float32)
    again = pickle.loads(pickle.dumps(plan))
    assert type(again) is tw.Plan and (again.source, again.target) == (plan.source, plan.target)
    assert repr(again) == repr(plan) == "Plan('f32[3,5]{1,0}', 'f32[3,5]{1,0:T(2,2)}')"
    x = np.arange(15, dtype=np.float32)
    assert again.run(source=x, out=None, pad=0, threads=None).tobytes() == plan.run(x).tobytes()


def test_a_plan_of_ones_own():
    class Counted(tw.Plan):
        runs = 0

    plan = Counted("u8[3,5]", "u8[3,5]{0,1}")
    plan.runs += 1
    assert plan.run(np.arange(15, dtype=np.uint8))[1, 0] == 1
