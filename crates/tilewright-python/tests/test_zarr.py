"""Zarr stores whose chunks are tiled buffers, read by what others wrote."""

from __future__ import annotations

import json
import signal

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from conftest import layout_text, random_array, random_layout, run_python

zarr = pytest.importorskip("zarr")

ONE_LEVEL = [
    ("float32", (30, 300), "{1,0:T(8,128)}"),
    ("float32", (30, 300), "{0,1:T(8,128)}"),
    ("int16", (3, 5), "{1,0:T(2,2)}"),
    ("uint8", (2, 30, 300), "{2,1,0:T(8,128)}"),
    ("float64", (4, 6, 5), "{0,2,1:T(2,4)}"),
    ("int32", (3, 5), "{0,1}"),
    ("bool", (7,), "{0:T(4)}"),
    ("complex64", (3, 5), "{1,0:T(2,2)}"),
]

NESTED = [
    ("float16", (30, 300), "{1,0:T(8,128)(2,1)}"),
    ("int8", (30, 300), "{0,1:T(8,128)(4,1)}"),
    ("int8", (3, 30, 300), "{2,1,0:T(32,128)(4,1)}"),
    ("uint32", (2, 5, 7), "{1,2,0:T(4,4)(2,2)}"),
    ("float32", (13, 20), "{1,0:T(8,8)(4,4)(2,2)}"),
]

# Tiles within tiles of which memory has no box of 16 bytes in one piece.
RESHAPED = [
    ("float16", (3000,), "{0:T(1024)(128)(2,1)}"),
    ("uint16", (2, 5, 7), "{1,2,0:T(4,4)(2,2)}"),
]


def array_of(dtype, dims):
    return random_array(np.random.default_rng(8), dims, np.dtype(dtype))


def tensorstore_read(path):
    tensorstore = pytest.importorskip("tensorstore")
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path)}}
    return tensorstore.open(spec).result().read().result()


@pytest.mark.parametrize("dtype,dims,layout", ONE_LEVEL + NESTED)
def test_zarr_python_reads_the_logical_array(tmp_path, dtype, dims, layout):
    x = array_of(dtype, dims)
    tw.save(tmp_path / "w.zarr", x, layout)
    assert zarr.open_array(tmp_path / "w.zarr")[:].tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype,dims,layout", ONE_LEVEL + NESTED)
def test_tensorstore_reads_the_logical_array(tmp_path, dtype, dims, layout):
    x = array_of(dtype, dims)
    tw.save(tmp_path / "w.zarr", x, layout)
    assert np.ascontiguousarray(tensorstore_read(tmp_path / "w.zarr")).tobytes() == x.tobytes()


def test_tensorstore_reads_bfloat16(tmp_path):
    x = array_of(ml_dtypes.bfloat16, (30, 300))
    for number, layout in enumerate(("{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}")):
        tw.zarr.save(tmp_path / f"{number}.zarr", x, layout)
        found = np.ascontiguousarray(tensorstore_read(tmp_path / f"{number}.zarr"))
        assert found.view(np.uint16).tobytes() == x.tobytes()


def zarrs_read(path, x):
    """Through zarrs alone: zarr-python would have to know every codec that is said."""
    zarrs = pytest.importorskip("zarrs._internal")
    metadata = (path / "zarr.json").read_text()
    pipeline = zarrs.CodecPipelineImpl(metadata, zarr.storage.LocalStore(path))
    chunk = json.loads(metadata)["chunk_grid"]["configuration"]["chunk_shape"]
    every = tuple(slice(0, n, 1) for n in chunk)  # zarrs decodes `reshape` by whole chunks only
    key = "/".join(["c", *["0"] * x.ndim])
    found = np.empty(chunk, x.dtype)
    item = zarrs.ChunkItem(key, every, tuple(chunk), every, tuple(chunk))
    pipeline.retrieve_chunks_and_apply_index([item], found)
    found = found[tuple(slice(0, n) for n in x.shape)]
    return found


@pytest.mark.parametrize("dtype,dims,layout", ONE_LEVEL + NESTED + RESHAPED)
def test_zarrs_reads_the_logical_array(tmp_path, dtype, dims, layout):
    x = array_of(dtype, dims)
    tw.save(tmp_path / "w.zarr", x, layout)
    assert zarrs_read(tmp_path / "w.zarr", x).tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype,dims,layout", RESHAPED)
def test_reshape_by_their_definition(tmp_path, dtype, dims, layout):
    x = array_of(dtype, dims)
    tw.save(tmp_path / "w.zarr", x, layout)
    said = json.loads((tmp_path / "w.zarr" / "zarr.json").read_text())
    chunk = said["chunk_grid"]["configuration"]["chunk_shape"]
    reshape, transpose, _ = (codec.get("configuration", {}) for codec in said["codecs"])
    data = tmp_path.joinpath("w.zarr", "c", *["0"] * len(dims)).read_bytes()
    stored = np.frombuffer(data, dtype).reshape([reshape["shape"][i] for i in transpose["order"]])
    whole = stored.transpose(np.argsort(transpose["order"])).reshape(chunk)
    assert whole[tuple(slice(0, n) for n in dims)].tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype,dims,layout", ONE_LEVEL + NESTED + RESHAPED)
def test_the_chunk_is_the_tiled_buffer(tmp_path, dtype, dims, layout):
    x = array_of(dtype, dims)
    shape = tw.Shape.of(dtype, dims, layout)
    tw.zarr.save(tmp_path / "w.zarr", x, shape)
    packed = tw.pack(x, shape)
    chunk = tmp_path.joinpath("w.zarr", "c", *["0"] * len(dims)).read_bytes()
    assert chunk[: packed.nbytes] == packed.tobytes()
    loaded = tw.zarr.load_packed(tmp_path / "w.zarr", shape)
    assert loaded.shape == packed.shape and loaded.tobytes() == packed.tobytes()
    assert tw.load(tmp_path / "w.zarr").tobytes() == x.tobytes()
    again = tw.load(tmp_path / "w.zarr", packed=True)
    assert again.shape == shape and again.data.tobytes() == packed.tobytes()


@pytest.mark.parametrize("seed", range(20))
def test_random_layouts(tmp_path, rng, seed):
    rng.seed(seed)
    dims = tuple(rng.randint(1, 20) for _ in range(rng.randint(1, 3)))
    order, tiles = random_layout(rng, len(dims))
    x = array_of("int32", dims)
    tw.zarr.save(tmp_path / "w.zarr", x, layout_text(order, tiles[:1]))
    assert (zarr.open_array(tmp_path / "w.zarr")[:] == x).all()


@pytest.mark.parametrize("seed", range(20))
def test_random_tiles_within_tiles(tmp_path, rng, seed):
    """As the TPU has them, for each order of the dimensions: T(8a,8b)(a,1), in many chunks too."""
    rng.seed(seed)
    dims = tuple(rng.randint(1, 40) for _ in range(rng.randint(2, 3)))
    order = rng.sample(range(len(dims)), len(dims))
    pairs, columns = rng.choice((2, 4)), rng.choice((8, 16))
    layout = layout_text(order, [(8, columns), (pairs, 1)])
    tile = dict(zip(order, (columns, 8)))
    chunks = tuple(tile.get(dim, 1) * rng.randint(1, 3) for dim in range(len(dims)))
    x = array_of("int16", dims)
    tw.zarr.save(tmp_path / "w.zarr", x, layout, chunks=chunks)
    found = zarr.open_array(tmp_path / "w.zarr")
    assert found.shards in (None, chunks) and (found[:] == x).all()
    assert (tensorstore_read(tmp_path / "w.zarr") == x).all()
    assert (tw.zarr.load(tmp_path / "w.zarr") == x).all()
    pytest.importorskip("zarrs")
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}):
        assert (zarr.open_array(tmp_path / "w.zarr")[:] == x).all()


def test_many_chunks_and_the_edge(tmp_path):
    x = array_of("float32", (30, 300))
    tw.zarr.save(tmp_path / "w.zarr", x, "{1,0:T(8,128)}", chunks=(16, 128))
    found = zarr.open_array(tmp_path / "w.zarr")
    assert found.chunks == (8, 128) and found.shards == (16, 128)
    assert found[:].tobytes() == x.tobytes()
    assert np.ascontiguousarray(tensorstore_read(tmp_path / "w.zarr")).tobytes() == x.tobytes()
    found = zarr.open_array(tmp_path / "w.zarr", mode="r+")
    found[3, 200] = 7  # and others write to it
    assert zarr.open_array(tmp_path / "w.zarr")[3, 200] == 7
    assert tw.load(tmp_path / "w.zarr")[3, 200] == 7  # of two tiles, the order is as it was


def test_what_others_have_written_to_is_no_tiled_buffer(tmp_path):
    """They put the tiles of a shard where they like."""
    x, told = array_of("float32", (30, 300)), []
    tw.save(tmp_path / "w.zarr", x, "{1,0:T(8,128)}", progress=lambda *n: told.append(n))
    assert told == [(32 * 384 * 4, 32 * 384 * 4)]
    zarr.open_array(tmp_path / "w.zarr", mode="r+")[3, 200] = 7
    for load in (tw.load, lambda path: tw.zarr.load_packed(path, "f32[30,300]{1,0:T(8,128)}")):
        with pytest.raises(ValueError, match="another program"):
            load(tmp_path / "w.zarr")


def test_stores_that_are_not_ours(tmp_path):
    zarr.create_array(tmp_path / "a.zarr", shape=(4, 6), dtype="f4", chunks=(2, 3))
    with pytest.raises(ValueError, match="no store of tiled buffers"):
        tw.load(tmp_path / "a.zarr")
    tw.save(tmp_path / "b.zarr", np.zeros((4, 6), np.float32), "{1,0:T(2,2)}")
    said = json.loads((tmp_path / "b.zarr" / "zarr.json").read_text())
    said["shape"] = [4, 5]
    (tmp_path / "b.zarr" / "zarr.json").write_text(json.dumps(said))
    with pytest.raises(ValueError, match="its shape is not that"):
        tw.load(tmp_path / "b.zarr")


def test_what_cannot_be_said(tmp_path):
    x = array_of("float32", (5, 7))
    for layout in ("{1,0:T(*,8)(2,1)}", "{1,0:T(2,2,4)}", "{1,0:L(64)}"):
        with pytest.raises(ValueError):
            tw.save(tmp_path / "w.zarr", x, layout)
        assert not (tmp_path / "w.zarr").exists()
    tw.save(tmp_path / "w.zarr", x)
    with pytest.raises(FileExistsError):
        tw.save(tmp_path / "w.zarr", x)
    tw.save(tmp_path / "w.zarr", x + 1, force=True)
    assert (zarr.open_array(tmp_path / "w.zarr")[:] == x + 1).all() or np.isnan(x).any()
    with pytest.raises(TypeError):
        tw.save(tmp_path / "v.zarr", {"x": x})
    with pytest.raises(ValueError, match="metadata"):
        tw.save(tmp_path / "v.zarr", x, metadata={"k": "v"})
    with pytest.raises(ValueError):
        tw.zarr.load_packed(tmp_path / "w.zarr", "f32[7,5]")


def state(path):
    """Every file in a folder, and what is in it."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


@pytest.mark.parametrize("save", [tw.save, tw.zarr.save])
def test_a_callback_that_raises_leaves_the_old_store(tmp_path, save):
    """It is stopped when half of the new one is written."""
    x, path = np.arange(9000, dtype=np.float32).reshape(30, 300), tmp_path / "w.zarr"
    tw.zarr.save(path, x, "{1,0:T(8,128)}", chunks=(16, 128))
    before, told = state(tmp_path), []

    class Stop(Exception):
        pass

    def stop(done, total):
        told.append((done, total))
        if done * 2 >= total:
            raise Stop

    options = {} if save is tw.save else {"chunks": (8, 384)}
    with pytest.raises(Stop):
        save(path, x + 1, "{1,0:T(8,128)}", force=True, progress=stop, **options)
    assert state(tmp_path) == before and told
    assert tw.load(path).tobytes() == x.tobytes()
    save(path, x + 1, "{1,0:T(8,128)}", force=True, **options)
    assert [entry.name for entry in tmp_path.iterdir()] == ["w.zarr"]
    np.testing.assert_array_equal(tw.load(path), x + 1)


def test_what_fails_before_it_begins_leaves_the_old_store(tmp_path):
    x, path = np.ones((4, 6), np.float32), tmp_path / "w.zarr"
    tw.save(path, x)
    before = state(tmp_path)
    for call in (
        lambda: tw.save(path, x),
        lambda: tw.save(path, x, "{1,0:T(*,8)(2,1)}", force=True),
        lambda: tw.save(path, x, pad="white", force=True),
        lambda: tw.zarr.save(path, x, "{1,0:T(2,2)}", chunks=(3, 2), force=True),
        lambda: tw.save(path, np.zeros(0, np.float32), force=True),
    ):
        with pytest.raises((ValueError, FileExistsError)):
            call()
        assert state(tmp_path) == before


def test_only_an_array_of_zarr_is_replaced(tmp_path):
    x = np.ones((4, 6), np.float32)
    group = zarr.create_group(tmp_path / "group.zarr")
    group.create_array("inner", shape=(3,), dtype="f4")[:] = 1
    (tmp_path / "notes.zarr").mkdir()
    (tmp_path / "notes.zarr" / "notes.txt").write_text("mine")
    (tmp_path / "file.zarr").write_text("mine")
    before = state(tmp_path)
    for name in ("group.zarr", "notes.zarr", "file.zarr"):
        with pytest.raises((FileExistsError, ValueError)):
            tw.save(tmp_path / name, x, force=True)
        assert state(tmp_path) == before
    theirs = zarr.create_array(tmp_path / "theirs.zarr", shape=(3,), dtype="f4")
    theirs[:] = 1
    tw.save(tmp_path / "theirs.zarr", x, force=True)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "theirs.zarr")[:], x)
    (tmp_path / "empty.zarr").mkdir()
    tw.save(tmp_path / "empty.zarr", x)
    np.testing.assert_array_equal(tw.load(tmp_path / "empty.zarr"), x)


KILLED = """
import os, signal, sys
import numpy as np, tilewright as tw

def kill(done, total):
    if done * 2 >= total:
        os.kill(os.getpid(), signal.SIGKILL)

tw.zarr.save(sys.argv[1], np.zeros((30, 300), np.float32), "{1,0:T(8,128)}", chunks=(16, 128),
             force=True, progress=kill)
"""


def test_a_killed_process_leaves_the_old_store_and_the_next_clears_up(tmp_path):
    x, path = array_of("float32", (30, 300)), tmp_path / "w.zarr"
    tw.zarr.save(path, x, "{1,0:T(8,128)}")
    before = state(path)
    assert run_python("-c", KILLED, path).returncode == -signal.SIGKILL
    assert state(path) == before
    assert len(list(tmp_path.iterdir())) > 1, "it was killed midway"
    tw.zarr.save(path, x, force=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["w.zarr"]


def test_a_store_by_many_processes(tmp_path):
    """What dask does, by hand: one begins, others join, any finishes."""
    x, path = array_of("int32", (20, 30)), tmp_path / "deeper" / "w.zarr"
    plan = ("s32[20,30]{1,0:T(4,8)}", (8, 16))
    store = tw.zarr.store_for(path, *plan)
    store.begin_shared("t0ken")
    with pytest.raises(ValueError, match="chunk .* has not been written"):
        store.join_shared("t0ken").finish()
    code = (
        "import sys, numpy as np, tilewright as tw\n"
        "path, row = sys.argv[1], int(sys.argv[2])\n"
        "store = tw.zarr.store_for(path, 's32[20,30]{1,0:T(4,8)}', (8, 16))\n"
        "x = np.load(sys.argv[3])\n"
        "for column in range(store.grid[1]):\n"
        "    block = x[row * 8 : row * 8 + 8, column * 16 : column * 16 + 16]\n"
        "    tw.zarr.write_chunk(store.join_shared('t0ken'), (row, column), block)\n"
    )
    np.save(tmp_path / "x.npy", x)
    for row in range(store.grid[0]):
        done = run_python("-c", code, path, str(row), tmp_path / "x.npy")
        assert done.returncode == 0, done.stderr
    assert not path.exists()
    store.join_shared("t0ken").finish()
    np.testing.assert_array_equal(zarr.open_array(path)[:], x)
    with pytest.raises(ValueError, match="not being made"):
        tw.zarr.write_chunk(store.join_shared("t0ken"), (0, 0), x[:8, :16])
    writer = store.create(force=True)
    writer.abandon()
    for call in (writer.finish, lambda: tw.zarr.write_chunk(writer, (0, 0), x[:8, :16])):
        with pytest.raises(ValueError, match="finished"):
            call()
    assert [entry.name for entry in path.parent.iterdir()] == ["w.zarr"]
