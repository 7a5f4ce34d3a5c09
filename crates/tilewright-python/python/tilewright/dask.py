"""Packed arrays that are larger than a machine, by dask.

A block of an array that begins and ends where tiles do is, packed, a block of the packed array. So
packing is block by block, lazily, on whatever cluster dask runs; a block that is lost is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from ._arrays import Array
from ._move import LayoutLike, shape_for
from ._move import pack as _pack
from ._move import unpack as _unpack
from ._tilewright import Shape

__all__ = ["align", "from_zarr", "pack", "to_zarr", "unpack"]


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
        elements below a byte.

    Examples
    --------
    >>> import dask.array as da, tilewright as tw
    >>> tw.dask.align(da.zeros((30, 300), dtype="float32", chunks=(10, 200)), "{1,0:T(8,128)}").chunks
    ((16, 14), (256, 44))
    """
    shape = shape_for(layout, x.dtype, x.shape)
    return x.rechunk(
        tuple(
            -(-max(1, *sizes) // tile) * tile
            for sizes, tile in zip(x.chunks, _tile_of_each_dim(shape))
        )
    )


def pack(x: Any, layout: LayoutLike, *, pad: Any = 0) -> Any:
    """A dask array packed, lazily: as `tilewright.pack`, block by block.

    Parameters
    ----------
    x : dask.array.Array
    layout : Shape, Layout or str
        As `tilewright.shape_for` takes it.
    pad : scalar
        What padding holds.

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

    shape = shape_for(layout, x.dtype, x.shape)
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

    shape = Shape(layout)
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
    pad: Any = 0,
    force: bool = False,
    compute: bool = True,
) -> Any:
    """Writes a dask array as a Zarr v3 store whose chunks are tiled buffers, a block a chunk.

    Each worker packs and writes its blocks to `path`, which all of them have to see. A block that
    is written twice is the same block. ``zarr.json`` comes when all are there.

    Parameters
    ----------
    x : dask.array.Array
    path : path
    layout : Shape, Layout or str
        As `tilewright.zarr.store_for` takes it.
    pad : scalar
        What padding holds.
    force : bool
        Whether a store that is there is replaced.
    compute : bool
        Whether to write now; else a `dask.delayed.Delayed` is returned that does.

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

    from . import zarr

    shape = shape_for(layout, x.dtype, x.shape)
    aligned = align(x, shape)
    dims = tuple(sizes[0] for sizes in aligned.chunks)
    dims = tuple(-(-n // tile) * tile for n, tile in zip(dims, _tile_of_each_dim(shape)))
    store = zarr.store_for(path, shape, dims)
    store.begin(force)
    write = dask.delayed(_write_block)
    places = list(product(*map(range, store.grid)))
    blocks = aligned.to_delayed()
    arguments = (fspath(path), str(shape), dims)
    written = [write(blocks[place], place, *arguments, pad) for place in places]
    done = dask.delayed(_finish)(written, *arguments)
    return done.compute() if compute else done


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

    from . import zarr

    store, shape = zarr.opened(path)
    return da.map_blocks(
        _read_block,
        fspath(path),
        chunks=da.core.normalize_chunks(store.chunk.dims, shape.dims),
        dtype=shape.dtype,
        meta=np.empty((0,) * shape.rank, shape.dtype),
    )


def _read_block(path: str, block_info: Any = None) -> Array:
    from . import zarr

    store, _ = zarr.opened(path)
    block = block_info[None]
    return zarr.read_chunk(store, path, block["chunk-location"], block["chunk-shape"], threads=1)


def _write_block(
    block: Array, place: tuple[int, ...], path: str, shape: str, dims: tuple[int, ...], pad: Any
) -> int:
    from . import zarr

    zarr.write_chunk(zarr.store_for(path, shape, dims), place, block, pad)
    return block.nbytes


def _finish(written: list[int], path: str, shape: str, dims: tuple[int, ...]) -> None:
    from . import zarr

    zarr.store_for(path, shape, dims).finish()


def _pack_block(block: Array, layout: str, pad: Any) -> Array:
    return _pack(block, layout, pad=pad, threads=1)


def _unpack_block(block: Array, layout: str, tiles: tuple[int, ...]) -> Array:
    order = _major_to_minor(Shape.of(block.dtype, (1,) * len(tiles), layout))
    grid = dict(zip(order, block.shape))
    dims = tuple(grid[dim] * tile for dim, tile in enumerate(tiles))
    return _unpack(block, Shape.of(block.dtype, dims, layout), threads=1)


def _divided_up(tile: int) -> Callable[[int], int]:
    return lambda size: -(-size // tile)


def _multiplied(tile: int) -> Callable[[int], int]:
    return lambda count: count * tile


def _major_to_minor(shape: Shape) -> tuple[int, ...]:
    order: tuple[int, ...] = shape.layout.minor_to_major[::-1]
    return order


def _tile_of_each_dim(shape: Shape) -> tuple[int, ...]:
    """How many elements of each logical dimension a tile has."""
    if shape.notation != "xla":
        shape = Shape(shape.to("xla"))
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
    return tuple(sizes)
