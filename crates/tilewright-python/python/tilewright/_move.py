"""Moving arrays from one layout to another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _tilewright
from ._arrays import (
    UINT8,
    Array,
    as_array,
    bytes_of,
    dtype_of,
    element_type_of,
    empty_on_a_line,
    minor_to_major,
    pad_bits,
)
from ._layout import Layout
from ._tilewright import ElementType, IndexMap, Mover, Placement, Shape

LayoutLike = Shape | Layout | str
"""A layout: a `Shape`, a `Layout`, the text of either, or ``"tpu:v5e"``."""


def shape_for(layout: LayoutLike, dtype: Any, dims: tuple[int, ...]) -> Shape:
    """The shape that an array of this dtype and these dims has in a layout.

    Parameters
    ----------
    layout : Shape, Layout or str
        A whole shape; or a layout, in either notation; or ``"tpu:"`` and a generation for the
        format that its compiler chooses; or ``"row-major"`` or ``"column-major"``.
    dtype : dtype, ElementType or str
    dims : tuple of int

    Raises
    ------
    ValueError
        If a shape is of other dims or another element type, or the layout does not fit.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.shape_for("{1,0:T(8,128)}", "float32", (30, 300))
    Shape('f32[30,300]{1,0:T(8,128)}')
    >>> tw.shape_for("tpu:v5e", "bfloat16", (17, 1000))
    Shape('bf16[17,1000]{1,0:T(8,128)(2,1)}')
    """
    element_type, dims = ElementType(dtype), tuple(dims)
    if isinstance(layout, str):
        layout = _read(layout, element_type, dims)
    if isinstance(layout, Layout):
        return layout.of(element_type, dims)
    if not isinstance(layout, Shape):
        raise TypeError(f"expected a Shape, a Layout or a str, found {type(layout).__name__}")
    if layout.element_type != element_type:
        raise ValueError(f"{layout} has elements of another type than the array's {element_type}")
    if layout.dims != dims:
        raise ValueError(f"{layout} has other dims than the array's {dims}")
    return layout


def _read(text: str, element_type: ElementType, dims: tuple[int, ...]) -> Shape | Layout:
    if text.startswith("tpu:"):
        return _tilewright.tpu_default(Shape.of(element_type, dims), text.removeprefix("tpu:"))
    if text == "row-major":
        return Shape.of(element_type, dims)
    if text == "column-major":
        return Shape.of(element_type, dims, f"{{{','.join(map(str, range(len(dims))))}}}")
    if text.lstrip().startswith("{"):
        return Layout(text)
    try:
        return Shape(text)
    except ValueError:
        if ":" in text and "[" not in text:
            return Layout(text)
        raise


def pack(
    x: Any, layout: LayoutLike, *, pad: Any = 0, out: Array | None = None, threads: int | None = None
) -> Array:
    """Puts the elements of an array where a layout has them.

    Parameters
    ----------
    x : array-like of shape dims
        A numpy array, or anything with ``__array__``, DLPack or the buffer protocol. Of any dtype
        that `ElementType` knows, those of ml_dtypes included; of any strides.
    layout : Shape, Layout or str
        As `shape_for` takes it.
    pad : scalar
        What padding holds, a value of the array's dtype.
    out : ndarray, optional
        Where the outcome goes: C-contiguous, writable, as large as the outcome, of its dtype or of
        uint8; it may not overlap `x`.
    threads : int, optional
        At most so many; as many as there are cores where it is not said.

    Returns
    -------
    ndarray
        Of the layout's physical dims and x's dtype. Where an element does not take the bytes of
        the dtype, as with ``E(4)``, one dimension of uint8, all bytes of the buffer; with a rounded
        tail (``L(n)``), one dimension of all elements.

    Raises
    ------
    ValueError
        If the layout is of other dims or another type, or `out` does not fit.
    TypeError
        If `x` is no array, or of a dtype that no element type has.

    The GIL is released for more than 16 KiB. A move of more than 64 MB can be interrupted, unless
    there would be more than 4096 boxes, as between tiles of 127 by 127 and of 128 by 128.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> tw.pack(np.arange(15, dtype=np.int32).reshape(3, 5), "{1,0:T(2,2)}", pad=-1)[0, 2]
    array([[ 4, -1],
           [ 9, -1]], dtype=int32)
    >>> import ml_dtypes
    >>> x = np.array([[1, -2], [3, 4]], ml_dtypes.int4)
    >>> tw.pack(x, "s4[2,2]{1,0:E(4)}")
    array([225,  67], dtype=uint8)
    """
    x = as_array(x)
    element_type = element_type_of(x.dtype)
    shape = shape_for(layout, element_type, x.shape)
    order = None if x.flags.c_contiguous else minor_to_major(x)
    if order is None:
        x = np.ascontiguousarray(x)
        source = x
    else:
        source = x.transpose(order[::-1])
    target = _destination(out, shape, x)
    mover = _pack_mover(shape, order)
    mover.run(bytes_of(source), bytes_of(target), pad_bits(pad, x.dtype), threads)
    return target


def unpack(
    packed: Any,
    layout: LayoutLike,
    *,
    out: Array | None = None,
    threads: int | None = None,
    copy: bool | None = True,
) -> Array:
    """Takes the logical array out of a packed one: the inverse of `pack`.

    Parameters
    ----------
    packed : array-like
        As `pack` returns it; the same bytes in other dims or as uint8 are taken too.
    layout : Shape or str
        The shape that it was packed to.
    out : ndarray of the logical dims and dtype, optional
        Where the outcome goes; of any strides, writable, not overlapping `packed`.
    threads : int, optional
        As for `pack`.
    copy : bool or None
        False is a view of `packed`, or an error where the layout has none; None a view where there
        is one. See `view`.

    Returns
    -------
    ndarray
        Of the logical dims.

    Raises
    ------
    ValueError
        If `packed` has not the bytes that the layout takes, or `out` does not fit.
    TypeError
        If `packed` is no array, or of another dtype.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> tiles = tw.Shape("f32[3,5]{1,0:T(2,2)}")
    >>> x = np.arange(15, dtype=np.float32).reshape(3, 5)
    >>> np.array_equal(tw.unpack(tw.pack(x, tiles), tiles), x)
    True
    """
    shape = _whole_shape(layout)
    source = _packed_array(packed, shape)
    if not copy and out is None:
        try:
            return _view(source, shape)
        except ValueError:
            if copy is False:
                raise
    dims, dtype = shape.dims, shape.dtype
    if out is None:
        out = empty_on_a_line(dims, dtype)
    elif out.shape != dims or out.dtype != dtype:
        raise ValueError(f"out is {out.dtype} {out.shape}, expected {dtype} {dims}")
    _check_target(out, source)
    dense = out if out.flags.c_contiguous else empty_on_a_line(dims, dtype)
    _mover(shape, shape.row_major()).run(bytes_of(source), bytes_of(dense), 0, threads)
    if dense is not out:
        out[...] = dense
    return out


def relayout(
    packed: Any,
    source: LayoutLike,
    target: LayoutLike,
    *,
    pad: Any = 0,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Moves a packed array from one layout to another, without the logical array in between.

    Parameters
    ----------
    packed : array-like
        As `pack` returns it for `source`.
    source : Shape or str
    target : Shape, Layout or str
    pad, out, threads
        As for `pack`.

    Returns
    -------
    ndarray
        As `pack` returns it for `target`.

    Raises
    ------
    ValueError
        If the layouts are of other dims or types, `packed` has not the bytes that `source` takes,
        or `out` does not fit.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> rows, tiles = tw.Shape("u8[3,5]"), tw.Shape("u8[3,5]{1,0:T(2,2)}")
    >>> x = np.arange(15, dtype=np.uint8)
    >>> tw.relayout(x, rows, tiles).reshape(-1)[:8]
    array([0, 1, 5, 6, 2, 3, 7, 8], dtype=uint8)
    """
    before = _whole_shape(source)
    after = shape_for(target, before.element_type, before.dims)
    array = _packed_array(packed, before)
    destination = _destination(out, after, array)
    bits = pad_bits(pad, before.dtype)
    _mover(before, after).run(bytes_of(array), bytes_of(destination), bits, threads)
    return destination


def view(packed: Array, layout: LayoutLike) -> Array:
    """The logical array as a view of a packed one, with no copy.

    There is one where each dimension has a single stride, and elements take the bytes of their
    dtype: no tiles, or tiles that are as wide as the array.

    Parameters
    ----------
    packed : ndarray, C-contiguous
        As `pack` returns it.
    layout : Shape or str

    Returns
    -------
    ndarray
        Of the logical dims, over the same memory; writable if `packed` is.

    Raises
    ------
    ValueError
        If the layout has no such view.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> columns = tw.Shape("f32[3,5]{0,1:T(4)}")
    >>> p = tw.pack(np.arange(15, dtype=np.float32).reshape(3, 5), columns)
    >>> tw.view(p, columns)[1]
    array([5., 6., 7., 8., 9.], dtype=float32)
    """
    shape = _whole_shape(layout)
    return _view(_packed_array(packed, shape, lent=True), shape)


@dataclass(frozen=True)
class Packed:
    """A packed array and the shape that says how it is packed.

    ``numpy.asarray`` of it is the logical array.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> s = tw.Shape("f32[2,2]{0,1}")
    >>> p = tw.Packed(tw.pack(np.array([[1, 2], [3, 4]], np.float32), s), s)
    >>> p.unpack()
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """

    data: Array
    """The array as `pack` returns it."""
    shape: Shape
    """The element type, the logical dims and the layout."""

    def unpack(self, *, threads: int | None = None) -> Array:
        """The logical array.

        Examples
        --------
        >>> import numpy as np, tilewright as tw
        >>> tw.Packed(np.arange(4, dtype=np.uint8), tw.Shape("u8[2,2]{0,1}")).unpack()
        array([[0, 2],
               [1, 3]], dtype=uint8)
        """
        return unpack(self.data, self.shape, threads=threads)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        array = unpack(self.data, self.shape, copy=copy)
        return array if dtype is None else array.astype(dtype)


def _whole_shape(layout: LayoutLike) -> Shape:
    if isinstance(layout, Shape):
        return layout
    if isinstance(layout, str):
        return Shape(layout)
    raise TypeError(f"expected a Shape, which says dims and a type, found {layout!r}")


class _PackedForm(NamedTuple):
    """What a packed array is as a numpy array."""

    dtype: np.dtype[Any]
    dims: tuple[int, ...]
    n_bytes: int


@lru_cache(maxsize=256)
def _packed_form(shape: Shape) -> _PackedForm:
    name, dims = shape._stored()
    return _PackedForm(dtype_of(ElementType(name)), tuple(dims), shape.bytes)


def _empty(shape: Shape) -> Array:
    form = _packed_form(shape)
    return empty_on_a_line(form.dims, form.dtype)


def _destination(out: Array | None, shape: Shape, source: Array) -> Array:
    """`out`, checked, or a new array for what is packed."""
    if out is None:
        return _empty(shape)
    form = _packed_form(shape)
    if out.dtype not in (form.dtype, UINT8):
        raise TypeError(f"out is {out.dtype}, expected {form.dtype} or uint8")
    if not out.flags.c_contiguous:
        raise ValueError("out is not C-contiguous")
    if out.nbytes != form.n_bytes:
        raise ValueError(f"out has {out.nbytes} bytes, and {shape} takes {form.n_bytes}")
    _check_target(out, source)
    return out


def _check_target(out: Array, source: Array) -> None:
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if np.may_share_memory(out, source):
        raise ValueError("out overlaps the source")


def _packed_array(packed: Any, shape: Shape, lent: bool = False) -> Array:
    """The packed array, contiguous; where it is `lent`, no copy is made."""
    array = as_array(packed)
    form = _packed_form(shape)
    if array.dtype not in (form.dtype, UINT8):
        raise TypeError(f"the packed array is {array.dtype}, expected {form.dtype} or uint8")
    if array.nbytes != form.n_bytes:
        found = f"the packed array has {array.nbytes} bytes"
        raise ValueError(f"{found}, and {shape} takes {form.n_bytes}")
    if lent and not array.flags.c_contiguous:
        raise ValueError("the packed array is not C-contiguous")
    return np.ascontiguousarray(array)


def _view(array: Array, shape: Shape) -> Array:
    strides = shape._strides()
    if strides is None or _packed_form(shape).dtype != shape.dtype:
        raise ValueError(f"{shape} is not one stride for each dimension, so there is no view of it")
    steps, base = strides
    dtype = shape.dtype
    in_bytes = tuple(step * dtype.itemsize for step in steps)
    # Not as_strided, which numpy cannot do for every dtype of ml_dtypes. This checks its bounds.
    return np.ndarray(shape.dims, dtype, bytes_of(array), base * dtype.itemsize, in_bytes)


@lru_cache(maxsize=256)
def _mover(source: Shape, target: Shape) -> Mover:
    element_type = source.element_type
    if element_type is None or element_type != target.element_type:
        raise ValueError(f"{source} and {target} are of different element types")
    bits = element_type.bits
    return Mover(source, source.element_bits, target, target.element_bits, bits)


@lru_cache(maxsize=256)
def _pack_mover(shape: Shape, order: tuple[int, ...] | None) -> Mover:
    """From an array that lies in numpy's memory, dense in this order of its dimensions."""
    element_type = shape.element_type
    if element_type is None:
        raise ValueError(f"{shape} is no array")
    source: Placement = IndexMap.dense(shape.dims, order)
    storage = element_type.storage_bits
    return Mover(source, storage, shape, shape.element_bits, element_type.bits)
