"""Packed arrays that are larger than a machine, by dask.

A block of an array that begins and ends where tiles do is, packed, a block of the packed array. So
packing is block by block, lazily, on whatever cluster dask runs; a block that is lost is made again.
And the shards of a model, which `convert` takes one by one, from and to any file system.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import prod
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np

from . import zarr
from ._arrays import Array
from ._cluster import Converted, convert
from ._move import pack as _pack
from ._move import unpack as _unpack
from ._packed import LayoutLike, Packed, shape_for
from ._pads import DEFAULT, PadLike, padding
from ._tilewright import Shape, ZarrStore, ZarrWriter

__all__ = ["Converted", "align", "convert", "from_zarr", "pack", "to_zarr", "unpack"]


def align(x: Any, layout: LayoutLike) -> Any:
    """The dask array in blocks that begin where the layout's tiles do, of about the size they had.

    Parameters
    ----------
    x : dask.array.Array
    layout : Shape, Layout or str
        As `tilewright.shape_for` takes it.

    Raises
    ------
    ValueError
        If the layout's tiles do not cut the array into blocks: a tile longer than the rank, one
        that merges dimensions, a second one that reaches beyond the first, a rounded tail, or
        elements below a byte; or if the sizes of the array's blocks are not known.
    TypeError
        If it is no dask array.

    Examples
    --------
    >>> import dask.array as da, tilewright as tw
    >>> tw.dask.align(da.zeros((30, 300), dtype="float32", chunks=(10, 200)), "{1,0:T(8,128)}").chunks
    ((16, 14), (256, 44))
    """
    shape = _shape_for(x, layout, "align")
    return x.rechunk(
        tuple(
            -(-max(1, *sizes) // tile) * tile
            for sizes, tile in zip(x.chunks, _tile_of_each_dim(shape))
        )
    )


def pack(x: Any, layout: LayoutLike, *, pad: PadLike = DEFAULT) -> Any:
    """A dask array packed, lazily: as `tilewright.pack`, block by block.

    Parameters
    ----------
    x : dask.array.Array
    layout : Shape, Layout or str
        As `tilewright.shape_for` takes it.
    pad : scalar or str
        What padding holds, as for `tilewright.pack`.

    Returns
    -------
    dask.array.Array
        Of the layout's physical dims and x's dtype, in blocks of whole tiles.

    Raises
    ------
    ValueError
        As `align`.

    Examples
    --------
    >>> import dask.array as da, numpy as np, tilewright as tw
    >>> x = da.arange(15, dtype="int32", chunks=15).reshape(3, 5)
    >>> p = tw.dask.pack(x, "{1,0:T(2,2)}")
    >>> p.shape, p.numblocks
    ((2, 3, 2, 2), (1, 1, 1, 1))
    >>> np.array_equal(p.compute(), tw.pack(x.compute(), "{1,0:T(2,2)}"))
    True
    """
    import dask.array as da

    shape = _shape_for(x, layout, "pack")
    padding(pad, shape)  # or what is wrong with it, before anything is computed
    tiles, x = _tile_of_each_dim(shape), align(x, shape)
    rank, order = shape.rank, _major_to_minor(shape)
    tail = range(rank, len(shape.physical_dims))
    return da.blockwise(
        _pack_block,
        (*order, *tail),
        x,
        tuple(range(rank)),
        dtype=x.dtype,
        meta=np.empty((0,) * len(shape.physical_dims), x.dtype),
        new_axes=dict(zip(tail, shape.physical_dims[rank:])),
        adjust_chunks={dim: _divided_up(tiles[dim]) for dim in range(rank)},
        layout=str(shape.layout),
        pad=pad,
    )


def unpack(packed: Any, layout: Shape | str) -> Any:
    """The logical array of a packed dask array, lazily: the inverse of `pack`.

    Parameters
    ----------
    packed : dask.array.Array
        Of the layout's physical dims.
    layout : Shape or str

    Returns
    -------
    dask.array.Array
        Of the logical dims.

    Raises
    ------
    ValueError
        As `align`, and if `packed` is of other dims or another dtype.

    Examples
    --------
    >>> import dask.array as da, tilewright as tw
    >>> x = da.ones((30, 300), dtype="float32", chunks=(16, 256))
    >>> tiles = "f32[30,300]{1,0:T(8,128)}"
    >>> bool((tw.dask.unpack(tw.dask.pack(x, tiles), tiles) == x).all())
    True
    """
    import dask.array as da

    _check(packed, "unpack")
    shape = _in_xla(Shape(layout))
    tiles, rank = _tile_of_each_dim(shape), shape.rank
    if packed.shape != shape.physical_dims or packed.dtype != shape.dtype:
        raise ValueError(f"{packed.dtype} {packed.shape} is not a packed {shape}")
    tail = range(rank, len(shape.physical_dims))
    whole = da.blockwise(
        _unpack_block,
        tuple(range(rank)),
        packed.rechunk({axis: -1 for axis in tail}),
        (*_major_to_minor(shape), *tail),
        dtype=packed.dtype,
        meta=np.empty((0,) * rank, packed.dtype),
        concatenate=True,
        adjust_chunks={dim: _multiplied(tiles[dim]) for dim in range(rank)},
        layout=str(shape.layout),
        tiles=tiles,
    )
    return whole[tuple(slice(0, size) for size in shape.dims)]


def to_zarr(
    x: Any,
    path: str | PathLike[str],
    layout: LayoutLike,
    *,
    pad: PadLike = DEFAULT,
    force: bool = False,
    compute: bool = True,
) -> Any:
    """Writes a dask array as a Zarr v3 store whose chunks are tiled buffers, a block a chunk.

    Each worker packs and writes its blocks to a folder beside `path`, which all of them have to see:
    ``.tilewright-TOKEN.partial``. The last task looks that every chunk is there, and puts the store in
    its place; until then what was there stays as it was, and it stays if anything fails. A block that
    is written twice is the same block.

    A computation that fails here (``compute=True``) takes its folder away. One that is computed
    elsewhere and fails, or whose cluster is gone, leaves it: nobody can tell whether another worker
    will come back to it. Computed again, it goes on in the same folder; otherwise remove that.

    Parameters
    ----------
    x : dask.array.Array
    path : path
    layout : Shape, Layout or str
        As `tilewright.zarr.store_for` takes it.
    pad : scalar or str
        What padding holds, as for `tilewright.pack`.
    force : bool
        Whether an array of Zarr that is there is replaced.
    compute : bool
        Whether to write now; else a `dask.delayed.Delayed` is returned that does, and nothing is
        written before it is computed.

    Raises
    ------
    FileExistsError
        If there is something at the path, without `force`.
    ValueError
        As `align` and `tilewright.zarr.store_for`.

    Examples
    --------
    >>> import dask.array as da, tempfile, tilewright as tw
    >>> path = tempfile.mkdtemp() + "/w.zarr"
    >>> x = da.ones((30, 300), dtype="float32", chunks=(16, 128))
    >>> tw.dask.to_zarr(x, path, "{1,0:T(8,128)}")
    >>> bool((da.from_zarr(path) == x).all())
    True
    """
    from itertools import product

    import dask

    shape = _shape_for(x, layout, "to_zarr")
    padding(pad, shape)
    aligned = align(x, shape)
    dims = tuple(sizes[0] for sizes in aligned.chunks)
    dims = tuple(-(-n // tile) * tile for n, tile in zip(dims, _tile_of_each_dim(shape)))
    work = _Work(fspath(path), str(shape), dims, force, secrets.token_hex(8))
    store = work.store()
    store.check_place(force)
    write = dask.delayed(_write_block)
    places = list(product(*map(range, store.grid)))
    blocks = aligned.to_delayed()
    begun = dask.delayed(_begin)(work)
    written = [write(blocks[place], place, begun, pad) for place in places]
    done = dask.delayed(_finish)(written, begun)
    if not compute:
        return done
    try:
        return done.compute()
    except BaseException:
        with suppress(OSError):
            work.join().abandon()
        raise


def from_zarr(path: str | PathLike[str]) -> Any:
    """The logical array of a store that `to_zarr` or `tilewright.zarr.save` wrote, a block a chunk.

    ``dask.array.from_zarr`` reads it as well, in blocks of one tile.

    Parameters
    ----------
    path : path
        Which all workers have to see.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    ValueError, OSError
        As `tilewright.zarr.load`.

    Examples
    --------
    >>> import dask.array as da, tempfile, tilewright as tw
    >>> path = tempfile.mkdtemp() + "/w.zarr"
    >>> x = da.ones((30, 300), dtype="float32", chunks=(16, 128))
    >>> tw.dask.to_zarr(x, path, "{1,0:T(8,128)}")
    >>> tw.dask.from_zarr(path).chunks
    ((16, 14), (128, 128, 44))
    """
    import dask.array as da

    store, shape = zarr.opened(path)
    return da.map_blocks(
        _read_block,
        fspath(path),
        chunks=da.core.normalize_chunks(store.chunk.dims, shape.dims),
        dtype=shape.dtype,
        meta=np.empty((0,) * shape.rank, shape.dtype),
    )


def _read_block(path: str, block_info: Any = None) -> Array:
    store, _ = zarr.opened(path)
    block = block_info[None]
    return zarr.read_chunk(store, path, block["chunk-location"], block["chunk-shape"], threads=1)


class _Work(NamedTuple):
    """What every task has to know of a store that many processes make."""

    path: str
    shape: str
    chunk: tuple[int, ...]
    force: bool
    token: str

    def store(self) -> ZarrStore:
        return zarr.store_for(self.path, self.shape, self.chunk)

    def join(self) -> ZarrWriter:
        return self.store().join_shared(self.token, self.force)


def _begin(work: _Work) -> _Work:
    work.store().begin_shared(work.token, work.force)
    return work


def _write_block(block: Array, place: tuple[int, ...], work: _Work, pad: Any) -> int:
    zarr.write_chunk(work.join(), place, block, pad)
    return block.nbytes


def _finish(written: list[int], work: _Work) -> None:
    work.join().finish()


def _pack_block(block: Array, layout: str, pad: Any) -> Array:
    return _pack(block, layout, pad=pad, threads=1)


def _unpack_block(block: Array, layout: str, tiles: tuple[int, ...]) -> Array:
    order = _major_to_minor(Shape.of(block.dtype, (1,) * len(tiles), layout))
    grid = dict(zip(order, block.shape))
    dims = tuple(grid[dim] * tile for dim, tile in enumerate(tiles))
    return _unpack(block, Shape.of(block.dtype, dims, layout), threads=1)


def _shape_for(x: Any, layout: LayoutLike, function: str) -> Shape:
    _check(x, function)
    return _in_xla(shape_for(layout, x.dtype, x.shape))


def _in_xla(shape: Shape) -> Shape:
    return shape if shape.notation == "xla" else Shape(shape.to("xla"))


def _check(x: Any, function: str) -> None:
    """That it is a dask array, and that the sizes of its blocks are known."""
    import dask.array as da

    if not isinstance(x, da.Array):
        in_memory = {"pack": "pack", "unpack": "unpack", "to_zarr": "zarr.save"}.get(function)
        is_array = isinstance(x, np.ndarray | Packed) and in_memory is not None
        help = f"; tilewright.{in_memory} takes what is in memory" if is_array else ""
        raise TypeError(f"expected a dask array, found {type(x).__name__}{help}")
    if any(size != size for sizes in x.chunks for size in sizes):
        raise ValueError(
            "the sizes of the array's blocks are not known: `x.compute_chunk_sizes()` finds them"
        )


def _divided_up(tile: int) -> Callable[[int], int]:
    return lambda size: -(-size // tile)


def _multiplied(tile: int) -> Callable[[int], int]:
    return lambda count: count * tile


def _major_to_minor(shape: Shape) -> tuple[int, ...]:
    order: tuple[int, ...] = shape.layout.minor_to_major[::-1]
    return order


def _tile_of_each_dim(shape: Shape) -> tuple[int, ...]:
    """How many elements of each logical dimension a tile has."""
    tiles: Sequence[tuple[int | None, ...]] = shape.layout.tiles
    reaches = [len(tile) for tile in tiles]
    if (
        any(size is None for tile in tiles for size in tile)
        or reaches != sorted(reaches, reverse=True)
        or any(reach > shape.rank for reach in reaches)
        or shape.allocation != shape.padded_elements
        or shape._stored()[0] != shape.dtype.name
    ):
        raise ValueError(f"the tiles of {shape} do not cut it into blocks")
    sizes = [1] * shape.rank
    first = tiles[0] if tiles else ()
    for dim, size in zip(_major_to_minor(shape)[shape.rank - len(first) :], first):
        sizes[dim] = size or 1
    # A tail that is rounded, or padding before tiling, would be there in every block.
    one = Shape.of(shape.dtype, sizes, shape.layout)
    if one.allocation != one.padded_elements or prod(one.physical_dims[: one.rank]) != 1:
        raise ValueError(f"{shape} is padded as a whole: blocks cannot be cut from it")
    return tuple(sizes)
