"""What the tests share: dtypes, random layouts, and numpy's own way to pack."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw

DATA = Path(__file__).parents[2] / "tilewright" / "tests" / "data"

DTYPES = [
    *(np.dtype(name) for name in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32")),
    *(np.dtype(name) for name in ("int64", "uint64", "float16", "float32", "float64")),
    *(np.dtype(name) for name in ("complex64", "complex128")),
    *(
        np.dtype(getattr(ml_dtypes, name))
        for name in (
            "bfloat16 float8_e3m4 float8_e4m3 float8_e4m3fn float8_e4m3b11fnuz float8_e4m3fnuz "
            "float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float6_e2m3fn float6_e3m2fn float4_e2m1fn "
            "int4 uint4 int2 uint2"
        ).split()
    ),
]


def random_array(rng: np.random.Generator, dims: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Any bits that an element of this dtype can have; NaNs with payloads among them."""
    n_bytes = int(np.prod(dims, dtype=np.int64)) * dtype.itemsize
    bits = tw.ElementType(dtype).bits
    most = 2 if dtype == bool else 1 << min(bits, 8)
    return rng.integers(0, most, n_bytes, np.uint8).view(dtype).reshape(dims)


def numpy_pack(x: np.ndarray, order: tuple[int, ...], tiles: list[tuple[int, ...]], pad: int = 0):
    """Pads, reshapes and transposes by the definition of XLA's tiled layouts, a tile at a time.

    `order` is minor to major. Bytes are what is moved, so that any dtype will do.
    """
    x = np.ascontiguousarray(x)
    item = x.dtype.itemsize
    p = x.reshape(-1).view(np.uint8).reshape(*x.shape, item).transpose(*order[::-1], x.ndim)
    for tile in tiles:
        missing = len(tile) - (p.ndim - 1)
        p = p.reshape((1,) * max(missing, 0) + p.shape)
        lead = p.ndim - 1 - len(tile)
        grow = [(0, -p.shape[lead + i] % t) for i, t in enumerate(tile)]
        p = np.pad(p, [(0, 0)] * lead + grow + [(0, 0)], constant_values=pad)
        split = list(p.shape[:lead])
        for i, t in enumerate(tile):
            split += [p.shape[lead + i] // t, t]
        p = p.reshape(*split, item)
        grid = list(range(lead)) + [lead + 2 * i for i in range(len(tile))]
        within = [lead + 2 * i + 1 for i in range(len(tile))]
        p = p.transpose(*grid, *within, p.ndim - 1)
    return np.ascontiguousarray(p).reshape(-1).view(x.dtype).reshape(p.shape[:-1])


def random_layout(rng: random.Random, rank: int) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    order = list(range(rank))
    rng.shuffle(order)
    tiles = [
        tuple(rng.choice((1, 2, 3, 4, 8)) for _ in range(rng.randint(1, min(rank, 3))))
        for _ in range(rng.randint(0, 2))
    ]
    return tuple(order), tiles


def layout_text(order: tuple[int, ...], tiles: list[tuple[int, ...]]) -> str:
    texts = "".join("(" + ",".join(map(str, tile)) + ")" for tile in tiles)
    return "{" + ",".join(map(str, order)) + (f":T{texts}" if tiles else "") + "}"


HANGING = 600
"""A child that takes so many seconds hangs: no test is decided by less."""


def run_python(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs Python to its end. It and whatever it started are gone afterwards, come what may."""
    child = subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = child.communicate(timeout=HANGING)
        return subprocess.CompletedProcess(child.args, child.returncode, out, err)
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)  # the session, the child itself long gone or not
        except ProcessLookupError:
            pass
        child.wait()


def seen_midway(out: np.ndarray, move) -> bool:
    """Whether another thread saw `out` begun and not ended while `move` wrote it: zeros before, and
    ones in its first and last byte after. The end is read after the beginning, and nobody takes
    anything back meanwhile: what was seen was so at one time."""
    seen, over = threading.Event(), threading.Event()

    def watch():
        while not over.is_set() and not seen.is_set():
            if out[0] == 1 and out[-1] == 0:
                seen.set()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        move()
    finally:
        over.set()
        thread.join()
    return seen.is_set()


@pytest.fixture
def rng() -> random.Random:
    return random.Random(20261121)


def json_lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines() if line]
