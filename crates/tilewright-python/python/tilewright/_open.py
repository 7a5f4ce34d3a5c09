"""Files that are looked into before they are read."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product
from math import prod
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from . import _tilewright, zarr
from ._arrays import Array, empty_on_a_line
from ._forms import packed_form
from ._move import pack
from ._movers import part_mover
from ._packed import Packed
from ._progress import Counter
from ._tilewright import Shape

PIECE = 64 << 20
"""So many bytes are read or written between two words on the progress, or held of a part."""

SHOWN = 5
"""Of so many names a warning says each."""


class _Source(Protocol):
    """Where the bytes of an array are."""

    @property
    def shape(self) -> Shape: ...

    @property
    def pad(self) -> str | None: ...

    def packed(self, counter: Counter | None) -> Packed:
        """All of it as it is stored."""

    def part(self, box: tuple[range, ...]) -> Array:
        """The elements of a box of the logical array, each range rising by 1."""


class LazyArray:
    """An array in a file, which is read when it is asked for: all of it or a part, packed or logical.

    `tilewright.open` has them. ``numpy.asarray`` of one is the logical array; a slice,
    ``array[3:5, ..., -1]``, is that part of the logical array, of which no more is read than the rows
    that it is in, as the layout has them. `save` writes what is asked of a file without reading all of
    it first.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> path = tempfile.mkdtemp() + "/w.safetensors"
    >>> tw.save(path, {"w": np.arange(15, dtype=np.int32).reshape(3, 5)}, "{1,0:T(2,2)}")
    >>> w = tw.open(path)["w"]
    >>> w
    <LazyArray w: s32[3,5]{1,0:T(2,2)}, 96 bytes>
    >>> w[1, 2:4], w.packed()
    (array([7, 8], dtype=int32), <Packed s32[3,5]{1,0:T(2,2)}, 96 bytes>)
    """

    def __init__(self, name: str, source: _Source) -> None:
        self._name, self._source = name, source

    @property
    def name(self) -> str:
        """The name of the array; of a .npy file the file's, without its ending.

        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3))
        >>> tw.open(path)["x"].name
        'x'
        """
        return self._name

    @property
    def shape(self) -> Shape:
        """The element type, the logical dims and the layout.

        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3))
        >>> tw.open(path)["x"].shape
        Shape('f64[3]{0}')
        """
        return self._source.shape

    @property
    def layout(self) -> Any:
        """The layout by itself.

        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3))
        >>> tw.open(path)["x"].layout
        Layout('{0}')
        """
        return self.shape.layout

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the logical array.

        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3))
        >>> tw.open(path)["x"].dtype
        dtype('float64')
        """
        return self.shape.dtype

    @property
    def nbytes(self) -> int:
        """The bytes that are stored, padding included.

        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3), "{0:T(2)}")
        >>> tw.open(path)["x"].nbytes
        32
        """
        return self.shape.bytes

    @property
    def pad(self) -> str | None:
        """What its padding holds, as text; None where that is not recorded.

        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3), "{0:T(2)}", pad=1)
        >>> tw.open(path)["x"].pad
        '1'
        """
        return self._source.pad

    def packed(self) -> Packed:
        """Reads all of it as it is stored.

        Raises
        ------
        OSError, ValueError
            As `tilewright.load`.

        Examples
        --------
        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3), "{0:T(2)}")
        >>> tw.open(path)["x"].packed().data.shape
        (2, 2)
        """
        return self._source.packed(None)

    def unpack(self, *, threads: int | None = None) -> Array:
        """Reads all of it as the logical array.

        Parameters
        ----------
        threads : int, optional
            As for `tilewright.unpack`.

        Raises
        ------
        OSError, ValueError
            As `tilewright.load`.

        Examples
        --------
        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3), "{0:T(2)}")
        >>> tw.open(path)["x"].unpack()
        array([0., 0., 0.])
        """
        return self.packed().unpack(threads=threads, copy=None)

    def __getitem__(self, index: Any) -> Any:
        whole = np.broadcast_to(np.empty((), self.dtype), self.shape.dims)
        try:
            shape = whole[index].shape  # or numpy's own error
            parts = _parts(index, self.shape.dims)
        except TypeError as error:
            raise TypeError(f"an array in a file takes integers and slices: {error}") from None
        box = tuple(part.hull for part in parts)
        found = self._source.part(box)
        found = found[tuple(part.within for part in parts)].reshape(shape)
        return found[()] if not shape else np.ascontiguousarray(found)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("an array in a file is read into new memory")
        array = self.unpack()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<LazyArray {self._name}: {self.shape}, {self.nbytes} bytes>"


class File(Mapping[str, LazyArray]):
    """An array file or a model's folder that is open: what is in it, and the arrays by name, unread.

    Only headers have been read. `tilewright.open` opens one.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> path = tempfile.mkdtemp() + "/w.safetensors"
    >>> tw.save(path, {"w": np.zeros((3, 5))}, "{0,1}", metadata={"format": "pt"})
    >>> file = tw.open(path)
    >>> file
    <File w.safetensors: 1 array>
    >>> list(file), file.metadata, file["w"].shape
    (['w'], {'format': 'pt'}, Shape('f64[3,5]{0,1}'))
    """

    def __init__(
        self,
        path: str,
        format: str,
        arrays: dict[str, LazyArray],
        metadata: Mapping[str, str],
    ) -> None:
        self._path, self._format, self._arrays = path, format, arrays
        self._metadata = dict(metadata)

    @property
    def path(self) -> str:
        """The path that it was opened by.

        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3))
        >>> tw.open(path).path == path
        True
        """
        return self._path

    @property
    def format(self) -> str:
        """``npy``, ``safetensors`` or ``zarr``.

        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3))
        >>> tw.open(path).format
        'npy'
        """
        return self._format

    @property
    def metadata(self) -> dict[str, str]:
        """The user's entries of a safetensors file's metadata, the layouts not among them.

        >>> import tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.safetensors", {}, metadata={"format": "pt"})
        >>> tw.open(path).metadata
        {'format': 'pt'}
        """
        return dict(self._metadata)

    @property
    def names(self) -> list[str]:
        """The names of the arrays, in the order of their bytes.

        >>> import numpy as np, tempfile, tilewright as tw
        >>> tw.save(path := tempfile.mkdtemp() + "/x.npy", np.zeros(3))
        >>> tw.open(path).names
        ['x']
        """
        return list(self._arrays)

    def __getitem__(self, name: str) -> LazyArray:
        try:
            return self._arrays[name]
        except KeyError:
            raise KeyError(f"{self._path} has no array `{name}`") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    def __enter__(self) -> File:
        return self

    def __exit__(self, *error: object) -> None:
        self._arrays = {}

    def __repr__(self) -> str:
        arrays = "1 array" if len(self) == 1 else f"{len(self)} arrays"
        return f"<File {Path(self._path).name}: {arrays}>"


def open(path: str | PathLike[str], *, dtype: Any = None) -> File:
    """Opens a .npy or .safetensors file, a model's folder, or a Zarr store, and reads its headers.

    A model's folder has a ``model.safetensors.index.json``, or one ``model.safetensors``. Warns of
    layouts that are recorded for arrays that are not there: an array that was renamed by a program
    that knows of no layouts is packed, and is taken for what it is stored as.

    Parameters
    ----------
    path : path
    dtype : ElementType, str or dtype, optional
        The type where a .npy file says only its size, as of bfloat16.

    Returns
    -------
    File
        The arrays by name, which are read when they are asked for.

    Raises
    ------
    FileNotFoundError, OSError
        If the file cannot be read.
    ValueError
        If the file is malformed.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> path = tempfile.mkdtemp() + "/w.safetensors"
    >>> tw.save(path, {"a": np.zeros((3, 5), np.int8), "b": np.ones(2)}, {"a": "{1,0:T(2,2)}"})
    >>> for name, array in tw.open(path).items():
    ...     print(name, array.shape, array.nbytes)
    a s8[3,5]{1,0:T(2,2)} 24
    b f64[2]{0} 16
    """
    return opened(path, dtype, level=3)


def opened(path: str | PathLike[str], dtype: Any, level: int) -> File:
    """The same, warnings being of so many levels above."""
    if (Path(path) / "zarr.json").exists():
        name = Path(path).name.removesuffix(".zarr")
        return File(fspath(path), "zarr", {name: LazyArray(name, _InStore(path))}, {})
    file = _tilewright.ArrayFile(fspath(path), dtype)
    _warn_of_unused(fspath(path), file.unused_layouts, level + 1)
    numbers = enumerate(file.names)
    arrays = {name: LazyArray(name, _InFile(file, number)) for number, name in numbers}
    return File(fspath(path), file.format, arrays, dict(file.metadata))


def _warn_of_unused(path: str, names: list[str], level: int) -> None:
    for name in names[:SHOWN]:
        message = f"{path}: a layout is recorded for `{name}`, which is not there"
        warnings.warn(message, stacklevel=level)
    if len(names) > SHOWN:
        message = f"{path}: and {len(names) - SHOWN} more layouts for arrays that are not there"
        warnings.warn(message, stacklevel=level)


class _InFile:
    """An array of a .npy or .safetensors file."""

    def __init__(self, file: _tilewright.ArrayFile, number: int) -> None:
        self._file, self._number = file, number

    @cached_property
    def shape(self) -> Shape:
        return self._file.shape(self._number)

    @property
    def pad(self) -> str | None:
        return self._file.pad(self._number)

    def packed(self, counter: Counter | None) -> Packed:
        form = packed_form(self.shape)
        data = empty_on_a_line((form.n_bytes,), np.uint8)
        for start in range(0, data.size, PIECE):
            piece = data[start : start + PIECE]
            self._file.read(self._number, start, piece)
            if counter is not None:
                counter.add(piece.size)
        return Packed(data.view(form.dtype).reshape(form.dims), self.shape, self.pad)

    def part(self, box: tuple[range, ...]) -> Array:
        """By way of an array that is dense in the order that the layout has: there a box is few and
        long ranges of bytes, which come from few places of the file."""
        shape, dtype = self.shape, self.shape.dtype
        part: Array = np.empty(tuple(map(len, box)), dtype)
        if part.size == 0:
            return part
        order = tuple(shape.layout.minor_to_major)
        mover = part_mover(shape, order)
        steps = _dense_steps(shape.dims, order)
        # The outermost dimension of which the box has more than one index is cut.
        cut = next((dim for dim in reversed(order) if len(box[dim]) > 1), None)
        size = 1 if cut is None else max(1, PIECE // (steps[cut] * dtype.itemsize))
        for rows in _pieces(box[cut] if cut is not None else range(1), size):
            piece = box if cut is None else (*box[:cut], rows, *box[cut + 1 :])
            first = sum(step * at.start for step, at in zip(steps, piece))
            length = 1 + sum(step * (len(at) - 1) for step, at in zip(steps, piece))
            data = np.empty(length * dtype.itemsize, np.uint8)
            self._file.read_moved(self._number, mover, first * dtype.itemsize, data)
            strides = tuple(step * dtype.itemsize for step in steps)
            found = np.ndarray(tuple(map(len, piece)), dtype, data, 0, strides)
            place = [slice(None)] * shape.rank
            if cut is not None:
                start = rows.start - box[cut].start
                place[cut] = slice(start, start + len(rows))
            part[tuple(place)] = found
        return part


class _InStore:
    """The array of a Zarr store."""

    pad = None

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = path
        self._store, self.shape = zarr.opened(path)

    def packed(self, counter: Counter | None) -> Packed:
        if prod(self._store.grid) == 1:
            packed = Packed(zarr.load_packed(self._path, self.shape), self.shape)
        else:
            packed = pack(zarr.load(self._path), self.shape, labelled=True)
        if counter is not None:
            counter.add(packed.nbytes)
        return packed

    def part(self, box: tuple[range, ...]) -> Array:
        part: Array = np.empty(tuple(map(len, box)), self.shape.dtype)
        if part.size == 0:
            return part
        chunk = self._store.chunk.dims
        places = (range(at.start // n, (at.stop - 1) // n + 1) for at, n in zip(box, chunk))
        for place in product(*places):
            whole = zarr.slices(place, chunk)
            dims = tuple(min(s.stop, n) - s.start for s, n in zip(whole, self.shape.dims))
            found = zarr.read_chunk(self._store, self._path, place, dims)
            starts = [max(at.start, s.start) for at, s in zip(box, whole)]
            ends = [min(at.stop, s.stop) for at, s in zip(box, whole)]
            to = tuple(slice(a - at.start, b - at.start) for a, b, at in zip(starts, ends, box))
            of = tuple(slice(a - s.start, b - s.start) for a, b, s in zip(starts, ends, whole))
            part[to] = found[of]
        return part


class _Part(NamedTuple):
    """What an index takes of a dimension."""

    hull: range
    """The indices from the first to the last of them."""
    within: slice
    """Which of these."""


def _parts(index: Any, dims: tuple[int, ...]) -> list[_Part]:
    """Of every dimension; new axes are left to whoever knows the outcome's dims."""
    entries = [at for at in (index if isinstance(index, tuple) else (index,)) if at is not None]
    n_missing = len(dims) - sum(at is not Ellipsis for at in entries)
    parts: list[_Part] = []
    for at in entries if any(at is Ellipsis for at in entries) else [*entries, Ellipsis]:
        if at is Ellipsis:
            whole = dims[len(parts) : len(parts) + n_missing]
            parts += [_Part(range(size), slice(None)) for size in whole]
        else:
            parts.append(_part(at, dims[len(parts)]))
    return parts


def _part(at: Any, size: int) -> _Part:
    if isinstance(at, slice):
        taken = range(*at.indices(size))
        if not taken:
            return _Part(range(0), slice(None))
        low, high = min(taken[0], taken[-1]), max(taken[0], taken[-1])
        return _Part(range(low, high + 1), slice(None, None, taken.step))
    if isinstance(at, bool | np.bool_):
        raise TypeError("a bool is no index")
    place = operator.index(at)
    place += size if place < 0 else 0
    return _Part(range(place, place + 1), slice(None))


def _pieces(rows: range, size: int) -> Iterator[range]:
    for start in range(rows.start, rows.stop, size):
        yield range(start, min(start + size, rows.stop))


def _dense_steps(dims: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    """The stride of each dimension, in elements, of a dense array in an order, minor to major."""
    steps, step = [0] * len(dims), 1
    for dim in order:
        steps[dim], step = step, step * max(1, dims[dim])
    return tuple(steps)


for _public in (LazyArray, File):
    _public.__module__ = "tilewright"
