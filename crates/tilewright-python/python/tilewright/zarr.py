"""Zarr v3 stores whose chunks are tiled buffers.

A chunk of such a store is, byte for byte, what a device holds of that part of the array; its codecs
say how that is an array. zarr-python, tensorstore and zarrs read the logical array, and nothing is
converted.

With one level of tiles (``{1,0:T(8,128)}``) a chunk is a shard and its inner chunks are the tiles.
With more levels (``T(8,128)(2,1)``) the inner chunks are the boxes that a tile has in one piece,
here pairs of rows, and the shard's index, behind the buffer, says where each is: 16 bytes for each.
Where neighbours in memory are no neighbours in the array, as in ``{0:T(1024)(128)(2,1)}``, there are
no such boxes: the codecs are ``reshape``, which is registered in zarr-extensions and which of the
three zarrs alone knows, and ``transpose``.

A store is made in a folder beside its place, and takes that place when it is whole: what was there is
there as it was until then, and stays if anything fails. `save` has a folder of its own, which goes
when it fails, and after its process was killed with the next output to the same place.
`tilewright.dask.to_zarr` has one for all its workers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from math import prod
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from . import _tilewright
from ._arrays import Array, as_array, bytes_of, empty_on_a_line
from ._move import pack, unpack
from ._packed import LayoutLike, Packed, shape_for, shape_in
from ._pads import DEFAULT, PadLike, padding, scalar
from ._progress import Counter, Progress
from ._tilewright import Shape

__all__ = ["load", "load_packed", "save", "store_for", "write_chunk"]


def store_for(
    path: str | PathLike[str], shape: Shape | str, chunks: Sequence[int] | None = None
) -> _tilewright.ZarrStore:
    """What a store of an array will be; nothing is written.

    Parameters
    ----------
    path : path
    shape : Shape or str
    chunks : sequence of int, optional
        The dims of a chunk, whole tiles each. Where they are not said, all of it is one chunk.

    Raises
    ------
    ValueError
        If Zarr cannot say the layout (elements below a byte, a rounded tail, a tile that is longer
        than the rank or merges dimensions), or a chunk is not of whole tiles.

    Examples
    --------
    >>> import tilewright as tw
    >>> store = tw.zarr.store_for("w.zarr", "f32[30,300]{1,0:T(8,128)}", (16, 128))
    >>> store.grid, store.chunk.dims
    ((2, 3), (16, 128))
    """
    return _tilewright.ZarrStore(fspath(path), Shape(shape), chunks)


def write_chunk(
    writer: _tilewright.ZarrWriter,
    place: Sequence[int],
    block: Any,
    pad: PadLike = DEFAULT,
    threads: int | None = None,
) -> None:
    """Packs and writes one chunk of a store that is being made.

    Any process can write any chunk, and write it again, of a store that one of them has begun under a
    token, with ``begin_shared(token)``, and the others join, with ``join_shared(token)``.

    Parameters
    ----------
    writer : as ``store.create()`` returns it, of a `store_for`
    place : sequence of int
        Which chunk, along each dimension.
    block : array-like
        The chunk's part of the array: smaller than a chunk only at the array's end.
    pad : scalar or str
        What there is beyond the array's end, as for `tilewright.pack`.
    threads : int, optional
        As for `tilewright.pack`.

    Raises
    ------
    ValueError
        If there is no such chunk, or the block is larger than one.
    OSError
        If the chunk cannot be written.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> store = tw.zarr.store_for(tempfile.mkdtemp() + "/w.zarr", "u8[3,5]{1,0:T(2,2)}")
    >>> writer = store.create()
    >>> tw.zarr.write_chunk(writer, (0, 0), np.ones((3, 5), np.uint8))
    >>> writer.finish()
    """
    chunk = writer.chunk
    block = as_array(block, chunk.element_type)
    if block.ndim != chunk.rank or any(n > c for n, c in zip(block.shape, chunk.dims)):
        raise ValueError(f"a block of {block.shape} is no part of a chunk of {chunk.dims}")
    if block.shape != chunk.dims:
        whole = np.empty(chunk.dims, block.dtype)
        whole[...] = scalar(padding(pad, chunk)[0], block.dtype)
        whole[tuple(slice(0, n) for n in block.shape)] = block
        block = whole
    packed = bytes_of(pack(block, chunk, pad=pad, threads=threads)).reshape(-1)
    writer.write_chunk([int(at) for at in place], packed)


def save(
    path: str | PathLike[str],
    x: Any,
    layout: LayoutLike | None = None,
    *,
    chunks: Sequence[int] | None = None,
    pad: PadLike = DEFAULT,
    force: bool = False,
    progress: Progress | bool | None = None,
    threads: int | None = None,
) -> None:
    """Writes an array as a Zarr v3 store whose chunks are tiled buffers.

    Parameters
    ----------
    path : path
        The store's folder. There is nothing, or what was there, until all is written.
    x : array-like, or Packed
    layout : Shape, Layout or str, optional
        As `tilewright.shape_for` takes it; where it is not said, row-major, or of a `Packed` its
        own.
    chunks : sequence of int, optional
        As for `store_for`.
    pad : scalar or str
        What padding holds, as for `tilewright.pack`.
    force : bool
        Whether an array of Zarr that is there is replaced.
    progress, threads
        As for `tilewright.save`.

    Raises
    ------
    FileExistsError
        If there is something at the path, without `force`.
    ValueError
        As `store_for`.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw, zarr
    >>> path = tempfile.mkdtemp() + "/w.zarr"
    >>> x = np.arange(15, dtype=np.float32).reshape(3, 5)
    >>> tw.zarr.save(path, x, "{1,0:T(2,2)}")
    >>> np.array_equal(zarr.open_array(path)[:], x)
    True
    """
    if isinstance(x, Packed):
        shape = x.shape if layout is None else shape_in(layout, x.shape)
        x = x.unpack(copy=None)
    else:
        x = as_array(x)
        shape = shape_for("row-major" if layout is None else layout, x.dtype, x.shape)
    padding(pad, shape)  # or what is wrong with it
    store = store_for(path, shape, chunks)
    writer = store.create(force)
    counter = Counter(progress, prod(store.grid) * store.chunk.bytes, f"writing {fspath(path)}")
    try:
        for place in product(*map(range, store.grid)):
            write_chunk(writer, place, x[slices(place, store.chunk.dims)], pad, threads)
            counter.add(store.chunk.bytes)
        writer.finish()
    finally:
        writer.abandon()  # what is finished is not touched
        counter.close()


def slices(place: Sequence[int], dims: Sequence[int]) -> tuple[slice, ...]:
    """The part of an array that a chunk has."""
    return tuple(slice(at * size, (at + 1) * size) for at, size in zip(place, dims))


def load_packed(path: str | PathLike[str], shape: Shape | str) -> Array:
    """The tiled buffer of a store of one chunk, mapped into memory: no byte is moved.

    Parameters
    ----------
    path : path
        As `save` wrote it, in one chunk.
    shape : Shape or str
        What it was saved as.

    Returns
    -------
    ndarray, read-only
        As `tilewright.pack` returns it.

    Raises
    ------
    ValueError
        If the store has several chunks, is of another shape, or has been written to by a program
        that puts its tiles elsewhere.
    OSError
        If there is no such store.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> path, tiles = tempfile.mkdtemp() + "/w.zarr", tw.Shape("f32[3,5]{1,0:T(2,2)}")
    >>> x = np.arange(15, dtype=np.float32).reshape(3, 5)
    >>> tw.zarr.save(path, x, tiles)
    >>> np.array_equal(tw.zarr.load_packed(path, tiles), tw.pack(x, tiles))
    True
    """
    shape = Shape(shape)
    store = store_for(path, shape)
    if (Path(path) / "zarr.json").read_text() != store.metadata:
        raise ValueError(f"{fspath(path)} is not {shape} in one chunk")
    return packed_chunk(store, path, (0,) * shape.rank).reshape(shape._stored()[1])


def load(path: str | PathLike[str], *, threads: int | None = None) -> Array:
    """Reads the logical array of a store that `save` or `tilewright.dask.to_zarr` wrote.

    zarr-python reads it too, tile by tile; this reads chunk by chunk.

    Parameters
    ----------
    path : path
    threads : int, optional
        As for `tilewright.unpack`.

    Returns
    -------
    ndarray
        Of the logical dims and dtype.

    Raises
    ------
    ValueError
        If it is no store of tiled buffers, or has been written to by a program that puts its tiles
        elsewhere.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> path = tempfile.mkdtemp() + "/w.zarr"
    >>> tw.zarr.save(path, np.arange(15, dtype=np.int32).reshape(3, 5), "{1,0:T(2,2)}", chunks=(2, 4))
    >>> tw.zarr.load(path)[2, 3]
    np.int32(13)
    """
    store, shape = opened(path)
    array = empty_on_a_line(shape.dims, shape.dtype)
    for place in product(*map(range, store.grid)):
        part = array[slices(place, store.chunk.dims)]
        part[...] = read_chunk(store, path, place, part.shape, threads)
    return array


def opened(path: str | PathLike[str]) -> tuple[_tilewright.ZarrStore, Shape]:
    """A store that is there, and the array that it holds."""
    said = json.loads((Path(path) / "zarr.json").read_text())
    try:
        shape = Shape(said["attributes"]["tilewright"]["layout"])
        chunks = said["chunk_grid"]["configuration"]["chunk_shape"]
    except (KeyError, TypeError):
        raise ValueError(f"{fspath(path)} is no store of tiled buffers") from None
    store = store_for(path, shape, chunks)
    planned = json.loads(store.metadata)
    for key in ("shape", "data_type", "chunk_grid", "chunk_key_encoding", "codecs"):
        if said.get(key) != planned[key]:
            raise ValueError(f"{fspath(path)}: its {key} is not that of {shape}")
    return store, shape


def read_chunk(
    store: _tilewright.ZarrStore,
    path: str | PathLike[str],
    place: Sequence[int],
    dims: tuple[int, ...],
    threads: int | None = None,
) -> Array:
    """The part of the array that a chunk has, of these dims: smaller than the chunk at an edge."""
    block = unpack(packed_chunk(store, path, place), store.chunk, threads=threads, copy=None)
    return block[tuple(slice(0, size) for size in dims)]


def packed_chunk(
    store: _tilewright.ZarrStore, path: str | PathLike[str], place: Sequence[int]
) -> Array:
    """The tiled buffer of a chunk, mapped into memory."""
    file = Path(path).joinpath("c", *map(str, place))
    data, n_bytes = np.memmap(file, np.uint8, "r"), store.chunk.bytes
    if data.size != n_bytes + len(store.suffix) or data[n_bytes:].tobytes() != store.suffix:
        raise ValueError(f"{file} is of another program, which has its tiles elsewhere: use zarr")
    name, dims = store.chunk._stored()
    return data[:n_bytes].view(_dtype(name), np.ndarray).reshape(dims)


def _dtype(name: str) -> np.dtype[Any]:
    dtype: np.dtype[Any] = _tilewright.ElementType(name).dtype
    return dtype
