"""What must never happen: leaks, crashes, wrong bytes, a Ctrl-C that is not heard."""

from __future__ import annotations

import gc
import itertools
import os
import sys
import threading
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from conftest import DTYPES, layout_text, numpy_pack, random_array, random_layout, run_python

TILES = "f32[24,130]{1,0:T(8,128)}"
X = np.arange(24 * 130, dtype=np.float32).reshape(24, 130)
PACKED = tw.pack(X, TILES)
OUT = np.empty_like(PACKED)
LOCKED = OUT.copy()
LOCKED.flags.writeable = False
SHAPE = tw.Shape(TILES)
PLAN = tw.Plan("f32[24,130]", TILES)
MANY = np.zeros((50, 2), np.int64)
BEYOND = np.full((50, 2), 999)
INPUTS = {name: value for name, value in globals().items() if name.isupper()}

CALLS = {
    "pack": lambda: tw.pack(X, SHAPE),
    "pack to out": lambda: tw.pack(X, SHAPE, out=OUT),
    "pack any strides": lambda: tw.pack(X[::-2, ::3], "{0,1}"),
    "pack by two threads": lambda: tw.pack(X, SHAPE, threads=2),
    "unpack": lambda: tw.unpack(PACKED, SHAPE),
    "relayout": lambda: tw.relayout(PACKED, SHAPE, "{0,1}"),
    "plan": lambda: PLAN.run(X, OUT),
    "view": lambda: tw.view(X, "f32[24,130]"),
    "offsets": lambda: SHAPE.offsets(),
    "offsets of many": lambda: SHAPE.offset(MANY),
    "indices of many": lambda: SHAPE.index(MANY),
    "fit": lambda: tw.fit(MANY[:2] + [[0, 1], [2, 3]]),
    "text": lambda: tw.Shape("f32[24,130]{1,0:T(8,128)}").same_as("f32[24,130]"),
    "algebra": lambda: tw.Layout("(10,2):(16,4)").composition("(3,4):(1,5)").shape,
    "picture": lambda: tw.Shape("f32[3,5]{1,0:T(2,2)}")._repr_html_(),
    "tpu": lambda: tw.tpu.default((3, 5), "f32", chip="v5e"),
    "no text": lambda: tw.Shape("f32[3,5]{1,0:T(2,2}"),
    "no dtype": lambda: tw.pack(np.zeros(3, "M8[s]"), "{0}"),
    "no array": lambda: tw.pack(object(), "{0}"),
    "other dims": lambda: tw.pack(X.T, SHAPE),
    "other dtype": lambda: PLAN.run(X.view(np.int32), OUT),
    "read-only": lambda: tw.pack(X, SHAPE, out=LOCKED),
    "overlap": lambda: PLAN.run(OUT.reshape(-1)[: X.size], OUT),
    "short": lambda: tw.unpack(PACKED[:1], SHAPE),
    "out of bounds": lambda: SHAPE.offset(BEYOND),
    "no layout": lambda: tw.fit([[0, 1], [2, 4]]),
    "no expression": lambda: tw.calc("frobnicate(4:1)"),
    "no chip": lambda: tw.tpu.default((3, 5), "f32", chip="v99"),
}


def call(name):
    try:
        CALLS[name]()
    except (ValueError, TypeError):
        pass


@pytest.mark.parametrize("name", CALLS)
def test_references_come_back(name):
    call(name)
    before = {key: sys.getrefcount(value) for key, value in INPUTS.items()}
    for _ in range(100):
        call(name)
    gc.collect()
    assert {key: sys.getrefcount(value) for key, value in INPUTS.items()} == before


def resident_bytes():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="counts what Linux says")
def test_memory_comes_back():
    """2000 calls of each kind, good and bad; 200 bytes lost by any of them would show."""

    def work(times):
        for name, _ in itertools.product(CALLS, range(times)):
            call(name)

    work(200)
    before = resident_bytes()
    work(2000)
    assert resident_bytes() - before < 400_000


KINDS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.T,
    "backwards": lambda x: x[::-1],
    "every other": lambda x: x[..., ::2],
    "none of it": lambda x: x[:0],
    "repeated": lambda x: np.broadcast_to(x, (2, *x.shape)),
    "in Fortran's order": np.asfortranarray,
    "misaligned": lambda x: misaligned(x),
    "read-only": lambda x: locked(x.copy()),
}


def misaligned(x):
    raw = np.empty(x.nbytes + 1, np.uint8)
    found = np.ndarray(x.shape, x.dtype, raw, 1)
    found[...] = x
    return found


def locked(x):
    x.flags.writeable = False
    return x


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_kind_of_array_of_every_dtype(rng, dtype, kind):
    generator = np.random.default_rng(rng.randrange(1 << 30))
    for _ in range(4):
        dims = tuple(rng.randint(1, 12) for _ in range(rng.randint(1, 3)))
        base = random_array(generator, dims, dtype)
        x = KINDS[kind](base)
        order, tiles = random_layout(rng, x.ndim)
        shape = tw.Shape.of(dtype, x.shape, layout_text(order, tiles))
        given = x.tobytes()
        packed = tw.pack(x, shape)
        if x.size:
            assert packed.tobytes() == numpy_pack(x, order, tiles).tobytes()
        assert x.tobytes() == given == tw.unpack(packed, shape).tobytes()
        out = KINDS[kind](np.zeros_like(base))
        try:  # a destination of the same kind is as right, or refused
            assert tw.unpack(packed, shape, out=out) is out
            assert out.tobytes() == given
        except ValueError as error:
            assert kind in ("read-only", "repeated"), error


def test_a_destination_over_the_source_is_refused_or_right():
    memory = np.zeros(400, np.float32)
    for start in range(0, 300, 7):
        source = memory[start : start + 100].reshape(10, 10)
        target = memory[150:250].reshape(10, 10)
        source[...] = np.arange(100).reshape(10, 10)
        expected = source.T.copy()
        overlaps = -100 < start - 150 < 100
        for move in (
            lambda: tw.pack(source, "{0,1}", out=target),
            lambda: tw.unpack(source, "f32[10,10]{0,1}", out=target),
            lambda: tw.relayout(source, "f32[10,10]", "{0,1}", out=target),
            lambda: tw.Plan("f32[10,10]", "f32[10,10]{0,1}").run(source, target),
        ):
            if overlaps:
                with pytest.raises(ValueError, match="overlaps"):
                    move()
            else:
                move()
                assert (target == expected).all()


def test_nonsense_is_refused_in_words(rng):
    """Random arguments of every function: a value, or an exception that is meant."""
    nonsense = [
        None, 0, -1, 1 << 70, 1.5, "", "{", "f32[3]", "é", b"abc", (), (1, 2), [], {}, object(),
        X, X[:0], X.T, PACKED, LOCKED, SHAPE, PLAN, np.float32(1), np.zeros(3, object),
        np.zeros((2, 2), "U3"), np.zeros((), ml_dtypes.bfloat16), tw.Layout("{1,0}"), float("nan"),
        "f32[0,0]", "(f32[2], f32[3])", "token[]", "f32[9223372036854775807]", np.int64(3), True,
    ]  # fmt: skip
    asked = [
        tw.pack, tw.unpack, tw.relayout, tw.view, tw.Plan, tw.Shape, tw.Layout, tw.IndexMap,
        tw.ElementType, tw.Swizzle, tw.fit, tw.calc, tw.hlo, tw.shape_for, tw.Shape.of, tw.tpu.default,
        SHAPE.offset, SHAPE.index, SHAPE.same_as, SHAPE.bitcast, SHAPE.to, SHAPE.with_layout,
        tw.Layout("4:1").composition, tw.Layout("{0}").of, tw.zarr.store_for,
    ]  # fmt: skip
    meant = (ValueError, TypeError, OverflowError, FileNotFoundError, MemoryError, AttributeError)
    n_refused = 0
    for _ in range(6000):
        function = rng.choice(asked)
        arguments = [rng.choice(nonsense) for _ in range(rng.randint(1, 3))]
        try:
            function(*arguments)
        except (ValueError, TypeError) as error:
            n_refused += 1
            assert "panicked" not in str(error), (function, arguments)
    assert n_refused > 3000


def test_threads_do_not_disturb_each_other():
    plan = tw.Plan("u16[300,700]", "u16[300,700]{1,0:T(8,128)(2,1)}")
    arrays = [random_array(np.random.default_rng(n), (300, 700), np.dtype("u2")) for n in range(6)]
    expected = [numpy_pack(x, (1, 0), [(8, 128), (2, 1)]) for x in arrays]
    wrong = []

    def work(number):
        for turn in range(40):
            threads = (1, 2, None)[turn % 3]
            if (plan.run(arrays[number], threads=threads) != expected[number]).any():
                wrong.append((number, turn))

    crew = [threading.Thread(target=work, args=(number,)) for number in range(len(arrays))]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert not wrong


def test_two_threads_do_not_write_one_array():
    """The second one is refused, or comes when the first is done: the outcome is one of the two."""
    plan = tw.Plan("u8[2000,3000]", "u8[2000,3000]{0,1:T(8,128)}")
    out = np.empty(plan.target_bytes, np.uint8)
    refused = []

    def work(value):
        x = np.full((2000, 3000), value, np.uint8)
        for _ in range(5):
            try:
                plan.run(x, out, threads=1)
            except ValueError as error:
                refused.append(str(error))

    crew = [threading.Thread(target=work, args=(value,)) for value in (1, 2)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert set(np.unique(out)) in ({0, 1}, {0, 2})
    assert all("another thread moves it" in message for message in refused)


# A thread of the child sees that a move is in the middle, and presses Ctrl-C then. It may be late: the
# move is over, or so nearly that it ends all the same. Then the child tries again.
STOPPED_MIDWAY = """
import os, signal, sys, threading
import numpy as np, tilewright as tw

# Whoever runs the tests in the background of a shell has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
plan = tw.Plan("u8[16384,16384]", "u8[16384,16384]{0,1:T(8,128)(4,1)}")
x, out = np.ones((16384, 16384), np.uint8), np.zeros(plan.target_bytes, np.uint8)

def press():
    while out[0] == 0:
        pass
    os.kill(os.getpid(), signal.SIGINT)

for _ in range(1000):
    out[:] = 0
    thread = threading.Thread(target=press)
    try:
        thread.start()
        plan.run(x, out, threads=1)
        while True:  # one press comes for each try, and is heard here at the latest
            pass
    except KeyboardInterrupt:
        thread.join()
    if out[0] == 1 and out[-1] == 0:
        plan.run(x, out)
        assert out.all()
        sys.exit(7)
sys.exit(8)
"""


def test_ctrl_c_is_heard_in_the_middle_of_a_move():
    done = run_python("-c", STOPPED_MIDWAY)
    assert done.returncode == 7, done.stderr
