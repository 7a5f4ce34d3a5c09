"""Layouts compiled: the C that `emit` writes, called with numpy's arrays."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ._arrays import Array, bytes_of, index_table, offset_list
from ._errors import LayoutError, OutOfRangeError
from ._forms import destination, packed_array, whole_shape
from ._packed import Packed, shape_in
from ._tilewright import Layout, Shape, emit

Ints = npt.NDArray[np.int64]

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O2", "-fPIC", "-shared")


class CompiledLayout:
    """A layout whose offsets and indexes are worked out by machine code: what `jit` makes of one layout.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.jit("f32[3,5]{1,0:T(2,2)}")
    <CompiledLayout f32[3,5]{1,0:T(2,2)}>
    """

    def __init__(self, layout: Shape | Layout, library: ctypes.CDLL, prefix: str = "tw") -> None:
        self._layout = layout
        self._library = library
        self._offsets = library[f"{prefix}_all_offsets"]
        self._indexes = library[f"{prefix}_all_indexes"]
        for function in (self._offsets, self._indexes):
            function.restype = ctypes.c_int64

    @property
    def layout(self) -> Shape | Layout:
        """What was compiled.

        >>> import tilewright as tw
        >>> tw.jit("f32[3,5]").layout
        Shape('f32[3,5]{1,0}')
        """
        return self._layout

    def offset(self, *index: Any) -> Ints | int:
        """The offsets of elements, in elements.

        Parameters
        ----------
        *index : int or array-like of integers
            The index along each dimension; they are broadcast together.

        Returns
        -------
        int, or ndarray of int64
            Of the shape that the indexes have together.

        Raises
        ------
        LayoutError
            If an index is out of bounds, or there are more or fewer than dimensions.

        Examples
        --------
        >>> import numpy as np, tilewright as tw
        >>> tiles = tw.jit("f32[3,5]{1,0:T(2,2)}")
        >>> tiles.offset(2, 3)
        17
        >>> tiles.offset(np.arange(3)[:, None], np.arange(2))
        array([[ 0,  1],
               [ 2,  3],
               [12, 13]])
        """
        rank = self._layout.rank
        if len(index) != rank:
            raise LayoutError(f"{self._layout.text} has {rank} dimensions, and {len(index)} indexes are given")
        table, dims = index_table(index, rank) if rank else (np.zeros((1, 0), np.int64), ())
        found = np.empty(len(table), np.int64)
        wrong = self._offsets(ctypes.c_int64(len(table)), _address(table), _address(found))
        if wrong >= 0:
            at = tuple(table[wrong].tolist())
            raise OutOfRangeError(f"the index {at} is out of bounds: the dims are {self._layout.dims}")
        return found.reshape(dims) if dims else int(found[0])

    def index(self, offset: Any) -> Ints | tuple[int, ...] | None:
        """The indexes of the elements at offsets.

        Parameters
        ----------
        offset : int or array-like of integers

        Returns
        -------
        tuple of int, or None, or ndarray of int64
            For an array of offsets of shape (…) an array of shape (…, rank), in which the index of padding is -1
            throughout. Where elements share an offset, one of them.

        Raises
        ------
        LayoutError
            If an offset is outside the allocation.

        Examples
        --------
        >>> import tilewright as tw
        >>> tiles = tw.jit("f32[3,5]{1,0:T(2,2)}")
        >>> tiles.index(17), tiles.index(9)
        ((2, 3), None)
        >>> tiles.index([17, 9])
        array([[ 2,  3],
               [-1, -1]])
        """
        rank = self._layout.rank
        offsets, dims = offset_list(offset, rank)
        found = np.empty((len(offsets), rank + 1), np.int64)
        wrong = self._indexes(ctypes.c_int64(len(offsets)), _address(offsets), _address(found))
        if wrong >= 0:
            raise OutOfRangeError(
                f"the offset {offsets[wrong]} is outside the allocation of {self._layout.allocation} elements"
            )
        if len(dims) == 1:
            return tuple(found[0, 1:].tolist()) if found[0, 0] else None
        return found[:, 1:].reshape(dims)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._layout.text}>"


class CompiledRelayout:
    """A relayout as machine code: what `jit` makes of two layouts.

    Called with a packed array it returns the array in the other layout.

    Attributes
    ----------
    source, target : CompiledLayout
        Either layout by itself.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> transpose = tw.jit("s32[2,3]", "{0,1}")
    >>> transpose(np.array([[1, 2, 3], [4, 5, 6]], np.int32))
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)
    >>> transpose.target.offset(1, 2)
    5
    """

    def __init__(self, source: Shape, target: Shape, library: ctypes.CDLL) -> None:
        self.source = CompiledLayout(source, library)
        self.target = CompiledLayout(target, library, "tw_to")
        self._shapes = source, target
        self._move = library["tw_move"]
        self._move.restype = None

    def __call__(self, packed: Any, *, out: Array | None = None) -> Array:
        """The array in the other layout.

        Parameters
        ----------
        packed : array-like or Packed
            As `pack` returns it; the same bytes in other dims or as uint8 are taken too.
        out : ndarray, optional
            Where the outcome goes: C-contiguous, writable, as large as the outcome, not overlapping `packed`.

        Returns
        -------
        ndarray
            As `relayout` returns it; padding is what the target's library fills it with, or 0.

        Raises
        ------
        ValueError
            If `packed` has not the bytes that the layout takes, or `out` does not fit.
        """
        source, target = self._shapes
        if isinstance(packed, Packed):
            if packed.shape != source:
                raise LayoutError(f"the array is packed as {packed.shape}, and {source} is compiled")
            packed = packed.data
        array = np.ascontiguousarray(packed_array(packed, source))
        made = destination(out, target, array)
        self._move(_address(bytes_of(array)), _address(bytes_of(made)))
        return made

    def __repr__(self) -> str:
        source, target = self._shapes
        return f"<CompiledRelayout {source.text} to {target.text}>"


@overload
def jit(layout: Shape | Layout | str, to: None = ...) -> CompiledLayout: ...
@overload
def jit(layout: Shape | Layout | str, to: Shape | Layout | str) -> CompiledRelayout: ...
def jit(
    layout: Shape | Layout | str, to: Shape | Layout | str | None = None
) -> CompiledLayout | CompiledRelayout:
    """Compiles a layout, or the relayout from one to another, with the system's C compiler.

    What is compiled is what ``emit("c", …)`` writes, into a shared object in a temporary folder, which is gone when
    it has been loaded. The compiler is the environment's ``CC``, or ``cc``, ``gcc`` or ``clang``.

    Parameters
    ----------
    layout : Shape, Layout or str
        Of an array of any kind; for a relayout a whole shape.
    to : Shape, Layout or str, optional
        What an array is to become: as `shape_for` takes it.

    Returns
    -------
    CompiledLayout or CompiledRelayout
        The latter where `to` is given.

    Raises
    ------
    LayoutError
        If a text means nothing, or a layout is of another array.
    RuntimeError
        If there is no C compiler, or it fails.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> tiles = tw.jit("f32[3,5]{1,0:T(2,2)}")
    >>> tiles.offset(np.arange(3), 4), tiles.index(20)
    (array([ 8, 10, 20]), (2, 4))
    >>> tw.jit("u8[2,2]", "{0,1}")([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]], dtype=uint8)
    """
    if to is None:
        one = _placement(layout)
        return CompiledLayout(one, _library(emit("c", one), one, None))
    source = whole_shape(layout)
    target = shape_in(to, source)
    return CompiledRelayout(source, target, _library(emit("c", source, target), source, target))


def _placement(layout: Shape | Layout | str) -> Shape | Layout:
    if isinstance(layout, Shape | Layout):
        return layout
    if not isinstance(layout, str):
        raise TypeError(f"expected a Shape, a Layout or a str, found {layout!r}")
    try:
        return Shape(layout)
    except LayoutError:
        return Layout(layout)


def _address(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _loops(prefix: str, layout: Shape | Layout) -> str:
    """Functions that go through many indexes or offsets. They return the first that is wrong, or -1."""
    rank, dims = layout.rank, layout.dims
    index = ", ".join(f"i[{dim}]" for dim in range(rank))
    places = "".join(f", &i[{dim + 1}]" for dim in range(rank))
    wrong = " || ".join(f"i[{dim}] < 0 || i[{dim}] >= {extent}LL" for dim, extent in enumerate(dims))
    lowest = layout._lowest_offset
    return f"""
int64_t {prefix}_all_offsets(int64_t n, const int64_t *i, int64_t *offsets)
{{
    for (int64_t k = 0; k < n; k++, i += {rank}) {{
        if ({wrong or "0"}) return k;
        offsets[k] = {prefix}_offset({index});
    }}
    return -1;
}}

int64_t {prefix}_all_indexes(int64_t n, const int64_t *offsets, int64_t *i)
{{
    for (int64_t k = 0; k < n; k++, i += {rank + 1}) {{
        if (offsets[k] < {lowest}LL || offsets[k] >= {lowest + layout.allocation}LL) return k;
        i[0] = {prefix}_index(offsets[k]{places});
        for (int d = 1; !i[0] && d <= {rank}; d++) i[d] = -1;
    }}
    return -1;
}}
"""


MOVE = """
void tw_move(const void *from, void *to)
{
    tw_relayout(from, to);
}
"""


def _library(code: str, layout: Shape | Layout, target: Shape | None) -> ctypes.CDLL:
    text = code + _loops("tw", layout)
    if target is not None:
        text += _loops("tw_to", target) + MOVE
    compiler = _compiler()
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        source, library = os.path.join(folder, "tw.c"), os.path.join(folder, "tw.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        command = [*compiler, *FLAGS, "-o", library, source]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(compiler)} cannot compile {layout.text}: {done.stderr.strip()}")
        return ctypes.CDLL(library)


def _compiler() -> list[str]:
    """The command of a C compiler; an error that says what to install where there is none."""
    said = os.environ.get("CC", "").split()
    for command in ([said] if said else [[name] for name in COMPILERS]):
        if shutil.which(command[0]):
            return command
    names = said[0] if said else ", ".join(COMPILERS)
    raise RuntimeError(f"jit needs a C compiler, and there is no {names}: install one, or say which by CC")
