"""What a packed array is as a numpy array, and whether one is that."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ._arrays import UINT8, Array, as_array, bytes_of, dtype_of, empty_on_a_line
from ._errors import LayoutError
from ._tilewright import ElementType, Layout, Shape


class PackedForm(NamedTuple):
    """The physical dims in the dtype of the elements, where these are as wide; else bytes."""

    dtype: np.dtype[Any]
    dims: tuple[int, ...]
    n_bytes: int


@lru_cache(maxsize=256)
def packed_form(shape: Shape) -> PackedForm:
    name, dims = shape._stored()
    return PackedForm(dtype_of(ElementType(name)), tuple(dims), shape.bytes)


def empty(shape: Shape) -> Array:
    """A new array for what is packed."""
    form = packed_form(shape)
    return empty_on_a_line(form.dims, form.dtype)


def whole_shape(layout: Any) -> Shape:
    """A shape that says dims and a type."""
    if isinstance(layout, Shape):
        return layout
    if isinstance(layout, str) and layout.lstrip().startswith("{"):
        Layout(layout)  # or what is wrong with it
        message = f"`{layout}` says no dims and no type: give the whole shape, `f32[30,300]{layout}`"
        raise LayoutError(message)
    if isinstance(layout, str):
        return Shape(layout)
    raise TypeError(f"expected a Shape, which says dims and a type, found {layout!r}")


def destination(out: Array | None, shape: Shape, source: Array) -> Array:
    """`out`, checked, or a new array for what is packed."""
    if out is None:
        return empty(shape)
    form = packed_form(shape)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}, expected an ndarray")
    if out.dtype not in (form.dtype, UINT8):
        raise TypeError(f"out is {out.dtype}, expected {form.dtype} or uint8")
    if not out.flags.c_contiguous:
        raise ValueError("out is not C-contiguous")
    if out.nbytes != form.n_bytes:
        raise ValueError(f"out has {out.nbytes} bytes, and {shape} takes {form.n_bytes}")
    check_target(out, source)
    return out


def check_target(out: Array, source: Array) -> None:
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if np.may_share_memory(out, source):
        raise ValueError("out overlaps the source")


def packed_array(packed: Any, shape: Shape, lent: bool = False) -> Array:
    """The packed array, contiguous; where it is `lent`, no copy is made."""
    form = packed_form(shape)
    array = as_array(packed, ElementType(form.dtype))
    if array.dtype not in (form.dtype, UINT8):
        raise TypeError(f"the packed array is {array.dtype}, expected {form.dtype} or uint8")
    if array.nbytes != form.n_bytes:
        found = f"the packed array has {array.nbytes} bytes"
        raise ValueError(f"{found}, and {shape} takes {form.n_bytes}")
    if lent and not array.flags.c_contiguous:
        raise ValueError("the packed array is not C-contiguous")
    return np.ascontiguousarray(array)


def view_of(array: Array, shape: Shape) -> Array:
    """The logical array over the memory of a packed one."""
    strides = shape._strides()
    if strides is None or packed_form(shape).dtype != shape.dtype:
        raise ValueError(f"{shape} is not one stride for each dimension, so there is no view of it")
    steps, base = strides
    dtype = shape.dtype
    in_bytes = tuple(step * dtype.itemsize for step in steps)
    # Not as_strided, which numpy cannot do for every dtype of ml_dtypes. This checks its bounds.
    return np.ndarray(shape.dims, dtype, bytes_of(array), base * dtype.itemsize, in_bytes)
