"""Dask: block by block, on a cluster of processes, one of which dies."""

from __future__ import annotations

import os
import resource
import signal
import time

import numpy as np
import pytest

import tilewright as tw
from conftest import layout_text, random_layout

da = pytest.importorskip("dask.array")


@pytest.mark.parametrize("seed", range(30))
def test_blocks_are_those_of_the_whole(rng, seed):
    rng.seed(seed)
    dims = tuple(rng.randint(1, 40) for _ in range(rng.randint(1, 3)))
    order, tiles = random_layout(rng, len(dims))
    tiles = sorted((tile for tile in tiles), key=len, reverse=True)
    shape = tw.Shape.of("int32", dims, layout_text(order, tiles))
    x = np.arange(np.prod(dims), dtype=np.int32).reshape(dims)
    blocks = da.from_array(x, chunks=tuple(rng.randint(1, n) for n in dims))
    packed = tw.dask.pack(blocks, shape, pad=-1)
    assert packed.shape == shape.physical_dims
    np.testing.assert_array_equal(packed.compute(), tw.pack(x, shape, pad=-1))
    again = tw.dask.unpack(packed, shape)
    assert again.shape == dims
    np.testing.assert_array_equal(again.compute(), x)


def test_nothing_is_computed_before_it_is_asked_for():
    def never(block):
        raise AssertionError("computed")

    x = da.zeros((64, 256), "float32", chunks=32).map_blocks(never, dtype="float32", meta=np.zeros(()))
    packed = tw.dask.pack(x, "{1,0:T(8,128)}")
    assert packed.numblocks[:2] == (2, 2)
    with pytest.raises(AssertionError, match="computed"):
        packed.compute(scheduler="synchronous")


def test_what_does_not_come_in_blocks():
    x = da.zeros((64, 256), "float32")
    for layout in ("{1,0:T(*,8)(2,1)}", "{1,0:T(1,2,4)}", "{1,0:L(65536)}", "{1,0:T(8)(2,4)}"):
        with pytest.raises(ValueError, match="blocks"):
            tw.dask.pack(x, layout)
    with pytest.raises(ValueError, match="packed"):
        tw.dask.unpack(x, "f32[64,256]{1,0:T(8,128)}")


def slow_block(block_info=None):
    time.sleep(0.05)
    at = block_info[None]["array-location"]
    rows, columns = (np.arange(*part) for part in at)
    return (rows[:, None] * 10_000 + columns).astype(np.int32)


def lazy(dims, chunks):
    """An array that is nowhere as a whole: of each element, its index as a number."""
    return da.map_blocks(slow_block, chunks=da.core.normalize_chunks(chunks, dims), dtype=np.int32)


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with distributed.LocalCluster(**options, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def test_a_worker_that_dies_midway(client, tmp_path):
    x = lazy((400, 3000), (40, 1024))
    shape = tw.shape_for("{1,0:T(8,128)}", "int32", x.shape)
    done = client.compute(tw.dask.to_zarr(x, tmp_path / "w.zarr", shape, compute=False))
    pids = client.run(os.getpid)
    assert len(pids) == 2
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("w.zarr/c/*/*"))) < 4:
        assert time.monotonic() < deadline, "nothing was written"
        time.sleep(0.01)
    assert not done.done()
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    done.result(timeout=120)
    expected = (np.arange(400)[:, None] * 10_000 + np.arange(3000)).astype(np.int32)
    found = da.from_zarr(str(tmp_path / "w.zarr")).compute(scheduler="synchronous")
    np.testing.assert_array_equal(found, expected)


def peak_kib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_memory_is_that_of_blocks_and_not_of_the_array(client, tmp_path):
    """The graph of a large array at a small size: 384 MB through workers that hold 4 MB blocks."""
    client.restart()
    small = lazy((1024, 1024), (1024, 1024))
    tw.dask.to_zarr(small, tmp_path / "warm.zarr", "{1,0:T(8,128)}")
    before = client.run(peak_kib)
    x = lazy((12 * 1024, 8 * 1024), (1024, 1024))
    tw.dask.to_zarr(x, tmp_path / "w.zarr", "{1,0:T(8,128)}")
    after = client.run(peak_kib)
    grown = max(after[worker] - before.get(worker, 0) for worker in after) / 1024
    assert x.nbytes == 384 << 20
    assert grown < 128, f"a worker grew by {grown:.0f} MiB"
    zarr = pytest.importorskip("zarr")
    found = zarr.open_array(tmp_path / "w.zarr")
    assert found[5000, 7000] == 50_007_000 and found[-1, -1] == 12287 * 10_000 + 8191
