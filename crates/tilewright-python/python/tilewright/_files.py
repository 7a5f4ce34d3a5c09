"""Array files with layouts: .npy and .safetensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from . import _tilewright
from ._arrays import Array, Bytes, as_array, bytes_of, dtype_of, empty_on_a_line
from ._move import LayoutLike, Packed, pack, shape_for, unpack
from ._tilewright import ElementType, Shape

Progress = Callable[[int, int], object]
"""Told how many bytes are done, and of how many."""

PIECE = 64 << 20
"""So many bytes are read or written between two words on the progress."""


class _Counter:
    """Says how far it is to whoever wants to know: to tqdm for ``progress=True``."""

    def __init__(self, progress: Progress | bool | None, total: int, what: str) -> None:
        self._done, self._total = 0, total
        self._tell = progress if callable(progress) else None
        self._bar = _bar(total, what) if progress is True else None

    def add(self, count: int) -> None:
        self._done += count
        if self._tell is not None:
            self._tell(self._done, self._total)
        if self._bar is not None:
            self._bar.update(count)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _bar(total: int, what: str) -> Any:
    """A tqdm bar, or none where tqdm is not installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=what, unit="B", unit_scale=True)


def load(
    path: str | PathLike[str],
    names: str | list[str] | None = None,
    *,
    packed: bool = False,
    dtype: Any = None,
    progress: Progress | bool | None = None,
    threads: int | None = None,
) -> Any:
    """Reads the arrays of a .npy or .safetensors file, or of a folder of the latter; and a Zarr store
    as `tilewright.zarr.load` does.

    A packed array is unpacked to its logical dims, by the layout that stands beside it.

    Parameters
    ----------
    path : path
    names : str or list of str, optional
        Which arrays of a .safetensors file; one name gives that array itself.
    packed : bool
        Whether arrays are left as they are stored: each is a `Packed` then.
    dtype : ElementType, str or dtype, optional
        The type where a .npy file says only its size, as of bfloat16.
    progress : callable or bool, optional
        Called with the bytes done and the bytes in all; True is a tqdm bar, where there is tqdm.
    threads : int, optional
        As for `pack`.

    Returns
    -------
    ndarray or Packed; or dict of str to such
        Of a .npy file the array; of a .safetensors file all arrays by name.

    Raises
    ------
    FileNotFoundError, OSError
        If the file cannot be read.
    ValueError
        If the file is malformed, or disagrees with the layout beside it.
    KeyError
        If it holds no array of a name.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> path = tempfile.mkdtemp() + "/w.safetensors"
    >>> tw.save(path, {"w": np.arange(15, dtype=np.int32).reshape(3, 5)}, "{1,0:T(2,2)}")
    >>> tw.load(path, "w")[2, 3]
    np.int32(13)
    >>> tw.load(path, "w", packed=True).data.shape
    (2, 3, 2, 2)
    """
    if (Path(path) / "zarr.json").exists():
        return _load_zarr(path, packed, threads)
    file = _tilewright.ArrayFile(fspath(path), dtype)
    numbers = {name: number for number, name in enumerate(file.names)}
    if file.format != "safetensors":
        if names is not None:
            raise ValueError(f"a {file.format} file holds one array, which has no name")
        wanted = list(numbers)
    else:
        wanted = [names] if isinstance(names, str) else list(numbers if names is None else names)
    for name in wanted:
        if name not in numbers:
            raise KeyError(f"{fspath(path)} has no array `{name}`")
    shapes = {name: file.shape(numbers[name]) for name in wanted}
    total = sum(shape.bytes for shape in shapes.values())
    counter = _Counter(progress, total, f"reading {fspath(path)}")
    arrays: dict[str, Any] = {}
    for name in wanted:
        stored = _read(file, numbers[name], shapes[name], counter)
        arrays[name] = stored if packed else _logical(stored, threads)
    counter.close()
    if file.format != "safetensors" or isinstance(names, str):
        return arrays[wanted[0]]
    return arrays


def _load_zarr(path: str | PathLike[str], packed: bool, threads: int | None) -> Array | Packed:
    from . import zarr

    if not packed:
        return zarr.load(path, threads=threads)
    _, shape = zarr.opened(path)
    return Packed(zarr.load_packed(path, shape), shape)


def _read(
    file: _tilewright.ArrayFile, number: int, shape: Shape, counter: _Counter
) -> Packed:
    data = empty_on_a_line((shape.bytes,), np.uint8)
    for start in range(0, data.size, PIECE):
        piece = data[start : start + PIECE]
        file.read(number, start, piece)
        counter.add(piece.size)
    name, dims = shape._stored()
    return Packed(data.view(dtype_of(ElementType(name))).reshape(dims), shape)


def _logical(packed: Packed, threads: int | None) -> Array:
    return unpack(packed.data, packed.shape, threads=threads, copy=None)


def save(
    path: str | PathLike[str],
    arrays: Any,
    layout: LayoutLike | Mapping[str, LayoutLike] | None = None,
    *,
    format: str | None = None,
    pad: Any = 0,
    force: bool = False,
    metadata: Mapping[str, str] | None = None,
    progress: Progress | bool | None = None,
    threads: int | None = None,
) -> None:
    """Writes arrays to a .npy or .safetensors file, each in a layout.

    A packed array is stored as its physical dims, its logical shape and layout beside it: in the
    file's metadata, or in ``<file>.layout.json``. The file is put in place when it is complete: a
    reader never sees a part of one.

    Parameters
    ----------
    path : path
    arrays : array-like, Packed, or mapping of str to such
        One array for a .npy file, any number by name for a .safetensors file. Those that are
        `Packed` are written as they are.
    layout : Shape, Layout or str; or mapping of patterns of names to such, optional
        As `shape_for` takes it; row-major where it is not said. Of the patterns (``"*.weight"``)
        the first that fits is meant.
    format : {"npy", "safetensors", "zarr"}, optional
        What the path's name does not say. `tilewright.zarr.save` says more of the last.
    pad : scalar
        What padding holds.
    force : bool
        Whether a file that is there is replaced.
    metadata : mapping of str to str, optional
        The user's entries of a .safetensors file's metadata.
    progress, threads
        As for `load`.

    Raises
    ------
    FileExistsError
        If there is such a file, without `force`.
    OSError
        If the file cannot be written.
    ValueError
        If a layout does not fit its array, or the format cannot hold the arrays.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> path = tempfile.mkdtemp() + "/x.npy"
    >>> tw.save(path, np.arange(15, dtype=np.float32).reshape(3, 5), "{1,0:T(2,2)}")
    >>> np.load(path).shape, tw.load(path).shape
    ((2, 3, 2, 2), (3, 5))
    """
    format = format or _format_of(fspath(path))
    if format == "zarr":
        if metadata:
            raise ValueError("a Zarr store has no entries of metadata: set its attributes")
        return _save_zarr(path, arrays, layout, pad, force, progress, threads)
    named = arrays if isinstance(arrays, Mapping) else {"": arrays}
    if format == "safetensors" and not isinstance(arrays, Mapping):
        raise TypeError("the arrays of a .safetensors file have names: give a dict")
    stored = {name: _target(name, array, layout) for name, array in named.items()}
    specs = [(name, shape, _pad_text(pad)) for name, (_, shape) in stored.items()]
    user = list((metadata or {}).items())
    writer = _tilewright.Writer(fspath(path), format, specs, user, force)
    total = sum(shape.bytes for _, shape in stored.values())
    counter = _Counter(progress, total, f"writing {fspath(path)}")
    for number, (array, shape) in enumerate(stored.values()):
        _write(writer, number, _packed_bytes(array, shape, pad, threads), counter)
    writer.finish()
    counter.close()


def _save_zarr(
    path: str | PathLike[str],
    x: Any,
    layout: Any,
    pad: Any,
    force: bool,
    progress: Progress | bool | None,
    threads: int | None,
) -> None:
    from . import zarr

    if isinstance(x, Mapping) or isinstance(layout, Mapping):
        raise TypeError("a Zarr store holds one array")
    zarr.save(path, x, layout, pad=pad, force=force, progress=progress, threads=threads)


def _format_of(path: str) -> str:
    for ending in ("npy", "safetensors", "zarr"):
        if path.lower().endswith("." + ending):
            return ending
    raise ValueError(f"{path}: the name says no format; give format=")


def _target(
    name: str, array: Any, layout: LayoutLike | Mapping[str, LayoutLike] | None
) -> tuple[Array | Packed, Shape]:
    """The array, and the shape that it is to be stored in."""
    if isinstance(array, Packed):
        return array, array.shape
    array = as_array(array)
    if isinstance(layout, Mapping):
        layout = next((l for pattern, l in layout.items() if fnmatchcase(name, pattern)), None)
    shape = shape_for(layout or "row-major", array.dtype, array.shape)
    return array, shape


def _packed_bytes(
    array: Array | Packed, shape: Shape, pad: Any, threads: int | None
) -> Bytes:
    if isinstance(array, Packed):
        return bytes_of(np.ascontiguousarray(array.data)).reshape(-1)
    return bytes_of(pack(array, shape, pad=pad, threads=threads)).reshape(-1)


def _write(writer: _tilewright.Writer, number: int, data: Bytes, counter: _Counter) -> None:
    for start in range(0, data.size, PIECE):
        piece = data[start : start + PIECE]
        writer.append(number, piece)
        counter.add(piece.size)


def _pad_text(pad: Any) -> str:
    return str(pad.item() if isinstance(pad, np.generic) else pad)
