"""Array files with layouts: .npy and .safetensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from . import _tilewright, zarr
from ._arrays import Array, Bytes, as_array, bytes_of, element_type_of
from ._errors import LayoutError
from ._open import PIECE, File, LazyArray, opened
from ._packed import LayoutLike, Packed
from ._pads import DEFAULT, PadLike, padding
from ._progress import Counter, Progress
from ._relayout import placed, relaid
from ._tilewright import Shape

_ROW_MAJOR = _tilewright.Rules("row-major", [])

Source: TypeAlias = Array | Packed | LazyArray
"""What is written."""


class Arrays(dict[str, Any]):
    """The arrays of a file by name, and what its metadata says.

    A dict of arrays that `load` returns. `save` writes its `metadata` where nothing else is said, so
    that what is loaded and saved says what it said.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> path = tempfile.mkdtemp() + "/w.safetensors"
    >>> tw.save(path, {"w": np.zeros(2)}, metadata={"format": "pt"})
    >>> tw.load(path).metadata
    {'format': 'pt'}
    """

    metadata: dict[str, str]
    """The user's entries of a safetensors file's metadata."""

    def __init__(self, arrays: Any = (), metadata: Mapping[str, str] | None = None) -> None:
        super().__init__(arrays)
        self.metadata = dict(metadata or {})


def load(
    path: str | PathLike[str],
    names: str | list[str] | None = None,
    *,
    packed: bool = False,
    dtype: Any = None,
    progress: Progress | bool | None = None,
    threads: int | None = None,
) -> Any:
    """Reads the arrays of a .npy or .safetensors file, or of a model's folder; and a Zarr store as
    `tilewright.zarr.load` does.

    A packed array is unpacked to its logical dims, by the layout that stands beside it. `open` says
    what there is without reading it, and reads parts.

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
    ndarray or Packed; or Arrays, a dict of such
        Of a .npy file the array; of a .safetensors file all arrays by name, and the metadata.

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
    >>> tw.load(path, "w", packed=True)
    <Packed s32[3,5]{1,0:T(2,2)}, 96 bytes>
    """
    file = opened(path, dtype, level=3)
    is_named = file.format == "safetensors"
    if names is not None and not is_named:
        raise ValueError(f"a {file.format} file holds one array, which has no name")
    if file.format == "zarr" and not packed:
        return zarr.load(path, threads=threads)
    wanted = [names] if isinstance(names, str) else list(file if names is None else names)
    arrays = [file[name] for name in wanted]
    counter = Counter(progress, sum(array.nbytes for array in arrays), f"reading {fspath(path)}")
    loaded = Arrays(metadata=file.metadata)
    for array in arrays:
        stored = array._source.packed(counter)
        loaded[array.name] = stored if packed else stored.unpack(threads=threads, copy=None)
    counter.close()
    return loaded if is_named and not isinstance(names, str) else loaded[wanted[0]]


def save(
    path: str | PathLike[str],
    arrays: Any,
    layout: LayoutLike | Mapping[str, LayoutLike] | None = None,
    *,
    format: str | None = None,
    pad: PadLike = DEFAULT,
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
    arrays : array-like, Packed, LazyArray, or mapping of str to such
        One array for a .npy file, any number by name for a .safetensors file. Those of a `File` are
        read one after another, as they are written.
    layout : Shape, Layout or str; or mapping of patterns of names to such, optional
        As `shape_for` takes it. Where it is not said, or no pattern (``"*.weight"``) matches a name,
        a `Packed` or `LazyArray` keeps its layout, and others are row-major. The last pattern that
        matches holds, as in the command; one that matches no name is an error.
    format : {"npy", "safetensors", "zarr"}, optional
        What the path's name does not say. `tilewright.zarr.save` says more of the last.
    pad : scalar or str
        What padding holds, as for `pack`. Of what keeps its layout, padding stays as it is.
    force : bool
        Whether a file that is there is replaced.
    metadata : mapping of str to str, optional
        The user's entries of a .safetensors file's metadata; those of `arrays` where that is a `File`
        or what `load` returned.
    progress, threads
        As for `load`.

    Raises
    ------
    FileExistsError
        If there is such a file, without `force`.
    OSError
        If the file cannot be written.
    ValueError
        If a layout does not fit its array, the format cannot hold the arrays, or a type has no such
        `pad`; the message names the array.

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
    if format == "safetensors" and not isinstance(arrays, Mapping):
        raise TypeError("the arrays of a .safetensors file have names: give a dict")
    named = arrays if isinstance(arrays, Mapping) else {Path(path).stem: arrays}
    if metadata is None and isinstance(arrays, File | Arrays) and format == "safetensors":
        metadata = arrays.metadata
    jobs = _planned(named, layout, format, pad)
    specs = [(name, job.shape, job.pad) for name, job in jobs.items()]
    writer = _tilewright.Writer(
        fspath(path), format, specs, list((metadata or {}).items()), force
    )
    total = sum(job.shape.bytes for job in jobs.values())
    counter = Counter(progress, total, f"writing {fspath(path)}")
    for number, job in enumerate(jobs.values()):
        _write(writer, number, job.bytes(threads), counter)
    writer.finish()
    counter.close()


class _Job(NamedTuple):
    """An array, and how it is to be stored."""

    array: Source
    shape: Shape
    bits: int
    """What padding holds, where the array gets another layout."""
    pad: str
    """The same as text, or what it held."""
    moves: bool

    def bytes(self, threads: int | None) -> Bytes:
        array = self.array.packed() if isinstance(self.array, LazyArray) else self.array
        if not isinstance(array, Packed):
            made = placed(array, self.shape, self.bits, None, threads, False)
        elif self.moves:
            made = relaid(array.data, array.shape, self.shape, self.bits, None, threads, False)
        else:
            made = np.ascontiguousarray(array.data)
        return bytes_of(made).reshape(-1)


def _planned(
    named: Mapping[str, Any],
    layout: LayoutLike | Mapping[str, LayoutLike] | None,
    format: str,
    pad: Any,
) -> dict[str, _Job]:
    """How each array is to be stored: nothing is written before all of it is known to fit."""
    by_name = list(layout.items()) if isinstance(layout, Mapping) else []
    rules = _tilewright.Rules(None if isinstance(layout, Mapping) else layout, by_name)
    rules.check_names(list(named))
    return {name: _job(name, array, rules, format, pad) for name, array in named.items()}


def _job(name: str, array: Any, rules: _tilewright.Rules, format: str, pad: Any) -> _Job:
    if isinstance(array, Packed | LazyArray):
        own = array.shape
        assert own.element_type is not None  # it is an array
        shape = rules.shape(name, own.element_type, own.dims, format)
        if shape is None or shape == own:
            return _Job(array, own, 0, array.pad or "unknown", False)
    else:
        with _about(name):
            array = as_array(array)
            element_type = element_type_of(array.dtype)
        shape = rules.shape(name, element_type, array.shape, format)
        shape = shape or _ROW_MAJOR.shape(name, element_type, array.shape, format)
    assert shape is not None  # what is for all arrays is for this one
    with _about(name):
        bits, text = padding(pad, shape)
    return _Job(array, shape, bits, text, True)


@contextmanager
def _about(name: str) -> Iterator[None]:
    """Names the array in an error, as the command does."""
    try:
        yield
    except LayoutError as error:
        raise LayoutError(f"tensor `{name}`: {error}", error.diagnostic) from None
    except TypeError as error:
        raise TypeError(f"tensor `{name}`: {error}") from None


def _save_zarr(
    path: str | PathLike[str],
    x: Any,
    layout: Any,
    pad: Any,
    force: bool,
    progress: Progress | bool | None,
    threads: int | None,
) -> None:
    if isinstance(x, File) and len(x) == 1:
        x = next(iter(x.values()))
    if isinstance(x, Mapping) or isinstance(layout, Mapping):
        raise TypeError("a Zarr store holds one array")
    x = x.packed() if isinstance(x, LazyArray) else x
    zarr.save(path, x, layout, pad=pad, force=force, progress=progress, threads=threads)


def _format_of(path: str) -> str:
    for ending in ("npy", "safetensors", "zarr"):
        if path.lower().endswith("." + ending):
            return ending
    raise ValueError(f"{path}: the name says no format; give format=")


def _write(writer: _tilewright.Writer, number: int, data: Bytes, counter: Counter) -> None:
    for start in range(0, data.size, PIECE):
        piece = data[start : start + PIECE]
        writer.append(number, piece)
        counter.add(piece.size)


Arrays.__module__ = "tilewright"
