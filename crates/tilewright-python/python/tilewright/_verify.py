"""Whether two files hold the same arrays, whatever their layouts."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from . import _tilewright
from ._arrays import Array
from ._open import LazyArray, opened
from ._progress import Counter, Progress
from ._tilewright import Shape

PIECE = 16 << 20
"""So many bytes are compared at a time."""


@dataclass(frozen=True)
class Difference:
    """An array that two files do not have alike.

    Examples
    --------
    >>> import tilewright as tw
    >>> print(tw.Difference("w", "is only in the first file"))
    `w` is only in the first file
    """

    name: str
    """The name of the array."""
    reason: str
    """What is different."""
    index: tuple[int, ...] | None = None
    """The first index whose elements differ, where it is the elements that do."""

    def __str__(self) -> str:
        return f"`{self.name}` {self.reason}"


@dataclass(frozen=True)
class Verification:
    """Whether two files hold the same arrays, as `verify` says. True if they do.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> folder = tempfile.mkdtemp()
    >>> tw.save(a := folder + "/a.npy", np.zeros((3, 5)), "{1,0:T(2,2)}")
    >>> tw.save(b := folder + "/b.npy", np.zeros((3, 5)), "{0,1}")
    >>> found = tw.verify(a, b)
    >>> bool(found), found.arrays, found.different_names
    (True, 1, ('a', 'b'))
    """

    arrays: int
    """How many names there are in the two files."""
    differences: tuple[Difference, ...] = ()
    """The arrays that are not alike, by name."""
    different_names: tuple[str, str] | None = None
    """The names of the only arrays of the two files, where they are not the same."""

    def __bool__(self) -> bool:
        return not self.differences


def verify(
    a: str | PathLike[str],
    b: str | PathLike[str],
    *,
    dtype: Any = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> Verification:
    """Asks whether two files hold the same arrays, whatever their layouts and formats.

    Arrays of the same name are compared, bit for bit; the only arrays of two files whatever their
    names, since a .npy file's array has no name but the file's. What padding holds is not compared.
    Two arrays are in memory at a time, or less of two folders. Of two folders of quantised models, the codes, zero points
    and scales of their layers are compared, however each library stores them.

    Parameters
    ----------
    a, b : path
        Whatever `tilewright.open` takes.
    dtype : ElementType, str or dtype, optional
        As for `tilewright.open`.
    threads : int, optional
        As for `tilewright.unpack`.
    progress : callable or bool, optional
        As for `tilewright.load`: called with the bytes done and all bytes, of both files.

    Returns
    -------
    Verification
        True if they do; otherwise its ``differences`` say what is not alike.

    Raises
    ------
    FileNotFoundError, OSError
        If a file cannot be read.
    ValueError
        If a file is malformed.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> folder, x = tempfile.mkdtemp(), np.arange(15, dtype=np.int32).reshape(3, 5)
    >>> tw.save(a := folder + "/a.safetensors", {"w": x, "v": x}, "{1,0:T(2,2)}")
    >>> tw.save(b := folder + "/b.safetensors", {"w": x + (x == 7)})
    >>> found = tw.verify(a, b)
    >>> for difference in found.differences:
    ...     print(difference)
    `v` is only in the first file
    `w` differs at index [1, 2]
    """
    if dtype is None and all(Path(path).is_dir() for path in (a, b)) and not any(
        (Path(path) / "zarr.json").exists() for path in (a, b)
    ):
        return _of_folders(fspath(a), fspath(b), threads, progress)
    first, second = opened(a, dtype, level=3), opened(b, dtype, level=3)
    names = sorted({*first, *second})
    pairs = {name: (first.get(name), second.get(name)) for name in names}
    different_names = None
    if len(first) == len(second) == 1:
        (one,), (other,) = first, second
        pairs = {one: (first[one], second[other])}
        different_names = None if one == other else (one, other)
    both = [pair for pair in pairs.values() if None not in pair]
    total = sum(array.nbytes for pair in both for array in pair if array is not None)
    counter = Counter(progress, total, f"comparing {fspath(a)} and {fspath(b)}")
    try:
        found = [_difference(name, pair, threads, counter) for name, pair in pairs.items()]
    finally:
        counter.close()
    differences = tuple(difference for difference in found if difference is not None)
    return Verification(len(pairs), differences, different_names)


def _of_folders(
    a: str, b: str, threads: int | None, progress: Progress | bool | None
) -> Verification:
    total = sum(entry.stat().st_size for folder in (a, b) for entry in Path(folder).glob("*.safetensors"))
    counter = Counter(progress, total, f"comparing {a} and {b}")
    try:
        arrays, names, found = _tilewright.compared(a, b, threads, counter.add)
    finally:
        counter.close()
    differences = (
        Difference(name, reason, None if index is None else tuple(index))
        for name, reason, index in found
    )
    return Verification(arrays, tuple(differences), None if names is None else (names[0], names[1]))


def _difference(
    name: str,
    pair: tuple[LazyArray | None, LazyArray | None],
    threads: int | None,
    counter: Counter,
) -> Difference | None:
    one, other = pair
    if one is None or other is None:
        return Difference(name, f"is only in the {'second' if one is None else 'first'} file")
    ours, theirs = _bare(one.shape), _bare(other.shape)
    if ours != theirs:
        return Difference(name, f"is {ours} in one and {theirs} in the other")
    a, b = (array._source.packed(counter).unpack(threads=threads) for array in (one, other))
    number = _first_difference(a, b, _bits_compared(one.shape, other.shape))
    if number is None:
        return None
    index = tuple(int(at) for at in np.unravel_index(number, one.shape.dims))
    return Difference(name, f"differs at index {list(index)}", index)


def _bare(shape: Shape) -> str:
    """The type and the dims."""
    return f"{shape.element_type}[{','.join(map(str, shape.dims))}]"


def _bits_compared(a: Shape, b: Shape) -> int:
    """Which bits of a byte are compared: those of the type where only one array is packed, since
    nobody says what the other ones of a whole byte are."""
    bits = 8 if a.element_type is None else a.element_type.bits
    return (1 << bits) - 1 if a.element_bits != b.element_bits and bits < 8 else 0xFF


def _first_difference(a: Array, b: Array, bits: int) -> int | None:
    """The first element that differs, in row-major order, by its number."""
    ours, theirs = (np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in (a, b))
    for start in range(0, ours.size, PIECE):
        differ = (ours[start : start + PIECE] ^ theirs[start : start + PIECE]) & bits
        if differ.any():
            return (start + int(np.argmax(differ != 0))) // a.dtype.itemsize
    return None


for _public in (Difference, Verification):
    _public.__module__ = "tilewright"
