"""Between numpy's arrays and the bytes that are moved.

Everything that has to know about dtypes, strides and other libraries' arrays is here: the extension
module sees contiguous arrays of uint8 only.
"""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ._tilewright import ElementType

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]

UINT8 = np.dtype(np.uint8)

LINE = 64
"""The bytes of a cache line."""

LARGE = 1 << 18
"""Arrays of at least so many bytes begin where a cache line does."""


def dtype_of(element_type: ElementType) -> np.dtype[Any]:
    """The numpy dtype of an element type, from ml_dtypes where numpy has none."""
    name = element_type.numpy_name
    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(f"numpy has no dtype for {element_type.name}: install ml_dtypes") from None
    if not hasattr(ml_dtypes, name):
        raise TypeError(f"this version of ml_dtypes has no {name}")
    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return dtype


def dtype_name(dtype: npt.DTypeLike) -> str:
    """The name of a dtype, by which element types are known."""
    dtype = np.dtype(dtype)
    if dtype.name == "float8_e4m3b11":  # as older versions of ml_dtypes call it
        return "float8_e4m3b11fnuz"
    return dtype.name


@lru_cache(maxsize=256)
def element_type_of(dtype: np.dtype[Any]) -> ElementType:
    """The element type of an array of this dtype, or a TypeError that there is none."""
    try:
        return ElementType(dtype_name(dtype))
    except ValueError:
        raise TypeError(f"arrays of {dtype} have no element type") from None


def as_array(x: Any, element_type: ElementType | None = None) -> Array:
    """Anything that is an array as a numpy array in native byte order, without a copy where that
    can be.

    Numpy's own protocol comes first, then DLPack, then the buffer protocol. torch cannot hand its
    bfloat16 and float8 to numpy, so those go as integers and are viewed. Lists have no type: they get
    `element_type`, if its elements can hold what is in them.
    """
    array = x if type(x) is np.ndarray else _as_other_array(x, element_type)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _as_other_array(x: Any, element_type: ElementType | None) -> Array:
    if isinstance(x, list | tuple):
        return _from_list(x, element_type)
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("a masked array has elements without a value: fill them in, with `filled`")
    if isinstance(x, np.ndarray):
        return x.view(np.ndarray)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return _from_torch(torch, x)
    if hasattr(x, "__array__") or hasattr(x, "__array_interface__"):
        return np.asarray(x)
    if hasattr(x, "__dlpack__"):
        return _from_dlpack(x)
    try:
        return np.asarray(memoryview(x))
    except TypeError:
        raise TypeError(
            f"{type(x).__name__} is no array: it is no list, and has none of __array__, __dlpack__ "
            "and the buffer protocol"
        ) from None


def _from_list(x: Any, element_type: ElementType | None) -> Array:
    array = np.asarray(x)
    if element_type is None or array.dtype == object:
        return array
    dtype = dtype_of(element_type)
    kind = element_type.name[0]
    ranks = {"p": 0, "u": 1, "s": 1, "f": 2, "b": 2, "c": 3}  # pred, integers, floats, complex
    found = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}.get(array.dtype.kind)
    if found is None or (array.size and found > ranks[kind]):
        raise TypeError(f"a list of {array.dtype} is no array of {element_type.name}")
    with np.errstate(all="ignore"):
        made: Array = array.astype(dtype)
        if ranks[kind] < 2 and (made.astype(array.dtype) != array).any():
            raise ValueError(f"a number in the list is none of {element_type.name}")
    return made


def _from_dlpack(x: Any) -> Array:
    try:
        return np.from_dlpack(x)
    except (BufferError, RuntimeError) as error:  # bfloat16 and the like, or another device
        raise TypeError(
            f"numpy takes no such {type(x).__name__} by DLPack: {error}; a view of it as integers of "
            "that width would do, viewed as the dtype in numpy"
        ) from error


def _from_torch(torch: Any, x: Any) -> Array:
    name = str(x.dtype).removeprefix("torch.")
    x = x.detach().cpu().resolve_conj().resolve_neg()
    if not name.startswith(("bfloat16", "float8")):
        return np.asarray(x.numpy())
    integers = torch.int16 if x.element_size() == 2 else torch.uint8
    return np.asarray(x.view(integers).numpy()).view(dtype_of(ElementType(name)))


def minor_to_major(array: Array) -> tuple[int, ...] | None:
    """The order in which a transposed array is dense; None of one that is not."""
    major_first = sorted(range(array.ndim), key=lambda dim: -array.strides[dim])
    if array.transpose(major_first).flags.c_contiguous:
        return tuple(reversed(major_first))
    return None


def bytes_of(array: Array) -> Bytes:
    """The bytes of an array that is C-contiguous, as they lie."""
    return array.view(UINT8) if array.ndim else array.reshape(1).view(UINT8)


def index_table(indices: Any, rank: int) -> tuple[npt.NDArray[np.int64], tuple[int, ...]]:
    """Many indices as the rows of a table, and the dims that the answer is to have."""
    if isinstance(indices, tuple) and len(indices) == rank and rank > 0:
        parts = np.broadcast_arrays(*(_integers(part) for part in indices))
        table = np.stack(parts, axis=-1)
    else:
        table = _integers(indices)
    if table.ndim == 0 or table.shape[-1] != rank:
        found = table.shape[-1] if table.ndim else 0
        raise ValueError(f"the last axis of the indices has {found} entries, expected {rank}")
    dims = table.shape[:-1]
    n_indices = int(np.prod(dims, dtype=np.int64))
    return np.ascontiguousarray(table, dtype=np.int64).reshape(n_indices, rank), dims


def offset_list(offsets: Any, rank: int) -> tuple[npt.NDArray[np.int64], tuple[int, ...]]:
    """Many offsets in a row, and the dims that the answer is to have."""
    array = _integers(offsets)
    flat = np.ascontiguousarray(array, dtype=np.int64).reshape(-1)
    return flat, (*array.shape, rank)


def _integers(values: Any) -> Array:
    array = np.asarray(values)
    if array.size == 0 and not isinstance(values, np.ndarray):
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"expected integers, found {array.dtype}")
    return array


def empty_on_a_line(dims: tuple[int, ...], dtype: Any) -> Array:
    """An array that begins where a cache line does, if it is large.

    Blocks that the allocator takes from the system begin 16 bytes behind one, where moves that
    write whole lines past the caches take up to twice as long.
    """
    dtype = np.dtype(dtype)
    n_bytes = math.prod(dims) * dtype.itemsize
    if n_bytes < LARGE:
        return np.empty(dims, dtype)
    block = np.empty(n_bytes + LINE, np.uint8)
    start = -block.ctypes.data % LINE
    array: Array = block[start : start + n_bytes].view(dtype).reshape(dims)
    return array
