"""Dask: block by block, on a cluster of processes, one of which dies."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from conftest import HANGING, layout_text, random_layout

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")


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


def test_what_is_no_dask_array_is_told_what_takes_it():
    x = np.zeros((4, 6), np.float32)
    for call, help in (
        (lambda: tw.dask.pack(x, "{0,1}"), "tilewright.pack takes what is in memory"),
        (lambda: tw.dask.unpack(x, "f32[4,6]"), "tilewright.unpack takes what is in memory"),
        (lambda: tw.dask.to_zarr(x, "w.zarr", "{0,1}"), "tilewright.zarr.save takes what is in memory"),
        (lambda: tw.dask.pack(tw.Packed(x, "f32[4,6]"), "{0,1}"), "found Packed; tilewright.pack"),
        (lambda: tw.dask.align(x, "{0,1}"), "expected a dask array, found ndarray"),
        (lambda: tw.dask.pack([[1, 2]], "{0,1}"), "expected a dask array, found list"),
    ):
        with pytest.raises(TypeError, match=help):
            call()


def test_blocks_of_unknown_sizes_are_told_how_to_be_known(tmp_path):
    x = da.arange(12, chunks=4)
    unknown = x[x > 5]
    for call in (
        lambda: tw.dask.pack(unknown, "{0}"),
        lambda: tw.dask.align(unknown, "{0}"),
        lambda: tw.dask.to_zarr(unknown, tmp_path / "w.zarr", "{0}"),
    ):
        with pytest.raises(ValueError, match="compute_chunk_sizes"):
            call()
    unknown.compute_chunk_sizes()
    assert tw.dask.pack(unknown, "{0:T(2)}").compute().tolist() == [[6, 7], [8, 9], [10, 11]]


def test_padding_of_the_whole_is_refused_before_it_is_computed():
    """A rounded tail, and padding before tiling, are once in an array and not in every block."""
    x = da.zeros((64, 256), "float32", chunks=(16, 128))
    for layout in ("{1,0:L(16384)}", "{1,0:T(8,128)L(2048)}", "{1,0:PAD(64,512)}", "{1,0:PAD(64,256)}"):
        for call in (tw.dask.pack, tw.dask.align):
            with pytest.raises(ValueError, match="blocks"):
                call(x, layout)


def test_blocks_in_other_notations():
    x = np.arange(24 * 32, dtype=np.float32).reshape(24, 32)
    for layout in ("AB8a16b", "((8,3),(16,2)):((16,256),(1,128))", "ascend:zZ", "(24,32):(1,24)"):
        packed = tw.dask.pack(da.from_array(x, chunks=(5, 7)), layout)
        assert packed.compute().tobytes() == tw.pack(x, layout).tobytes()
        again = tw.dask.unpack(packed, str(tw.shape_for(layout, x.dtype, x.shape)))
        np.testing.assert_array_equal(again.compute(), x)


def contents(path):
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def failing_beside(folder):
    """A function of blocks that fails once something has been written beside the store."""

    def block_of(block):
        if any(folder.glob(".tilewright-*.partial")):
            raise ArithmeticError("no such block")
        return block

    return block_of


def test_a_computation_that_fails_leaves_the_old_store(tmp_path):
    old, path = np.ones((30, 300), np.float32), tmp_path / "w.zarr"
    tw.zarr.save(path, old, "{1,0:T(8,128)}")
    before = contents(tmp_path)
    x = da.zeros((64, 512), dtype="float32", chunks=(16, 128)).map_blocks(failing_beside(tmp_path), dtype="float32", meta=np.zeros((0, 0)))
    with pytest.raises(ArithmeticError):
        tw.dask.to_zarr(x, path, "{1,0:T(8,128)}", force=True)
    assert contents(tmp_path) == before
    # Elsewhere it leaves its folder, and goes on there when it is computed again.
    later = tw.dask.to_zarr(x, path, "{1,0:T(8,128)}", force=True, compute=False)
    assert contents(tmp_path) == before, "nothing is written before it is computed"
    for _ in range(2):
        with pytest.raises(ArithmeticError):
            later.compute(scheduler="synchronous")
        assert contents(path) == {name.removeprefix("w.zarr/"): data for name, data in before.items()}
        assert len(list(tmp_path.glob(".tilewright-*.partial"))) == 1
    np.testing.assert_array_equal(tw.load(path), old)


def test_what_is_there_is_not_replaced_unasked(tmp_path):
    path = tmp_path / "w.zarr"
    x = da.zeros((16, 128), dtype="float32", chunks=(8, 128))
    early = tw.dask.to_zarr(x, path, "{1,0:T(8,128)}", compute=False)
    tw.dask.to_zarr(x + 1, path, "{1,0:T(8,128)}")
    before = contents(tmp_path)
    for write in (lambda: tw.dask.to_zarr(x, path, "{1,0:T(8,128)}"), early.compute):
        with pytest.raises(FileExistsError):
            write()
        assert contents(tmp_path) == before
    again = tw.dask.to_zarr(x + 2, path, "{1,0:T(8,128)}", force=True, compute=False)
    for _ in range(2):  # it can be computed twice
        again.compute()
        assert [entry.name for entry in tmp_path.iterdir()] == ["w.zarr"]
        np.testing.assert_array_equal(tw.load(path), np.full((16, 128), 2, np.float32))


def block_of_indices(folder=None, block_info=None):
    """Of each element, its index as a number. Of an array with a folder, the first few blocks are made
    at once and the others when there is a file `go` in it."""
    while folder and not (folder / "go").exists() and len(chunks_in(folder)) >= FEW:
        time.sleep(0.01)
    at = block_info[None]["array-location"]
    rows, columns = (np.arange(*part) for part in at)
    return (rows[:, None] * 10_000 + columns).astype(np.int32)


FEW = 4


def chunks_in(folder):
    """The chunks of a store that is being made."""
    return list(folder.glob("*.partial/c/*/*"))


def lazy(dims, chunks, folder=None):
    """An array that is nowhere as a whole: of each element, its index as a number."""
    chunks = da.core.normalize_chunks(chunks, dims)
    return da.map_blocks(block_of_indices, folder, chunks=chunks, dtype=np.int32)


@pytest.fixture
def client():
    """Workers of its own for each test: one that was asked to begin again may take for ever."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with distributed.LocalCluster(**options, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def test_a_worker_that_dies_midway(client, tmp_path):
    x = lazy((400, 3000), (40, 1024), tmp_path)
    shape = tw.shape_for("{1,0:T(8,128)}", "int32", x.shape)
    done = client.compute(tw.dask.to_zarr(x, tmp_path / "w.zarr", shape, compute=False))
    pids = client.run(os.getpid)
    assert len(pids) == 2
    while len(chunks_in(tmp_path)) < FEW:
        assert done.status != "error", done.exception()
        time.sleep(0.01)
    assert not done.done() and not (tmp_path / "w.zarr").exists()
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    (tmp_path / "go").touch()
    done.result(timeout=HANGING)
    assert set(client.run(os.getpid).values()) != set(pids.values()), "none died"
    expected = (np.arange(400)[:, None] * 10_000 + np.arange(3000)).astype(np.int32)
    found = da.from_zarr(str(tmp_path / "w.zarr")).compute(scheduler="synchronous")
    np.testing.assert_array_equal(found, expected)
    blocks = tw.dask.from_zarr(tmp_path / "w.zarr")
    assert blocks.chunks == tw.dask.align(x, shape).chunks
    np.testing.assert_array_equal(blocks.compute(), expected)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["go", "w.zarr"]


def test_blocks_that_die_with_their_worker_are_made_again(client):
    x = lazy((400, 3000), (40, 1024))
    tiles = tw.Shape("s32[400,3000]{1,0:T(8,128)}")
    packed = client.persist(tw.dask.pack(x, tiles))
    distributed.wait(packed)
    pids = client.run(os.getpid)
    held = client.has_what()
    assert all(held.values()), "each worker has some"
    os.kill(pids[next(iter(held))], signal.SIGKILL)
    again = client.compute(tw.dask.unpack(packed, tiles)).result(timeout=HANGING)
    np.testing.assert_array_equal(again, lazy((400, 3000), 400).compute(scheduler="synchronous"))


def peak_kib():
    """The most that this process has held. Not `ru_maxrss`, which a process has of its parent too."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="counts what Linux says")
def test_a_tenth_of_the_array_is_memory_enough(client, tmp_path):
    """20 GB in 2 GB, at a 32nd of the size: 640 MiB in 320 blocks, through two workers that together
    may take 64 MiB more than they did for one block. Written, and read again by chunk."""
    dims, block = (20 * 1024, 8 * 1024), (1024, 512)

    def write_and_read(x, path):
        tw.dask.to_zarr(x, path, "{1,0:T(8,128)}")
        return int(tw.dask.from_zarr(path).astype(np.int64).sum().compute())

    # Once at each worker, so that what is imported is not counted.
    write_and_read(lazy((1024, 8 * 1024), block), tmp_path / "warm.zarr")
    client.run(Path("/proc/self/clear_refs").write_text, "5")  # the peak, from here on
    before = client.run(peak_kib)
    x = lazy(dims, block)
    assert (x.nbytes, x.npartitions) == (640 << 20, 320)
    total = write_and_read(x, tmp_path / "w.zarr")
    rows, columns = dims
    assert total == (rows * (rows - 1) // 2 * 10_000 * columns) + columns * (columns - 1) // 2 * rows
    after = client.run(peak_kib)
    assert set(after) == set(before), "a worker was restarted"
    grown = sum(after[worker] - before[worker] for worker in after) / 1024
    print(f"two workers grew by {grown:.0f} MiB together")
    assert grown < 64
