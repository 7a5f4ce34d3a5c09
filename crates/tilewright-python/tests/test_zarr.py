"""Zarr stores whose chunks are tiled buffers, read by what others wrote."""

from __future__ import annotations

import json

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from conftest import layout_text, random_array, random_layout

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
