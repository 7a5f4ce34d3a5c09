"""Moving arrays from one layout to another."""

from __future__ import annotations

from typing import Any, Literal, overload

from ._arrays import Array, as_array, element_type_of
from ._errors import LayoutError
from ._forms import packed_array, view_of
from ._packed import LayoutLike, Packed, is_same, shape_for, shape_in, unlabelled
from ._pads import DEFAULT, PadLike, padding
from ._relayout import logical, placed, relaid
from ._tilewright import ElementType, Shape

@overload
def pack(
    x: Any,
    layout: LayoutLike,
    *,
    pad: PadLike = ...,
    out: Array | None = ...,
    threads: int | None = ...,
    copies: bool = ...,
    labelled: Literal[False] = ...,
) -> Array: ...
@overload
def pack(
    x: Any,
    layout: LayoutLike,
    *,
    pad: PadLike = ...,
    out: Array | Packed | None = ...,
    threads: int | None = ...,
    copies: bool = ...,
    labelled: Literal[True],
) -> Packed: ...
@overload
def pack(
    x: Any,
    layout: LayoutLike,
    *,
    pad: PadLike = ...,
    out: Packed,
    threads: int | None = ...,
    copies: bool = ...,
    labelled: bool = ...,
) -> Packed: ...
def pack(
    x: Any,
    layout: LayoutLike,
    *,
    pad: PadLike = DEFAULT,
    out: Array | Packed | None = None,
    threads: int | None = None,
    copies: bool = False,
    labelled: bool = False,
) -> Array | Packed:
    """Puts the elements of an array where a layout has them.

    Parameters
    ----------
    x : array-like of shape dims
        A numpy array, or anything with ``__array__``, DLPack or the buffer protocol, of any dtype
        that `ElementType` knows, those of ml_dtypes included; of any strides. Or lists of numbers,
        which are of the layout's type where that says one. A `Packed` is packed anew.
    layout : Shape, Layout or str
        As `shape_for` takes it.
    pad : scalar or str
        What padding holds: a number that the array's dtype has, or the nearest to it that a float
        has; ``"lowest"``, ``"highest"``; or the bits of an element, ``"0x3c00"``. Where nothing is
        said, what the layout says (``PAD(3,5;lowest)``), or bits that are all zero.
    out : ndarray or Packed, optional
        Where the outcome goes: C-contiguous, writable, as large as the outcome, of its dtype or of
        uint8; it may not overlap `x`. A `Packed` has to be in this layout.
    threads : int, optional
        At most so many; as many as there are cores where it is not said.
    copies : bool
        Whether elements may share a place in the layout, as along a stride of 0. They have to be
        copies of each other, which is looked at afterwards.
    labelled : bool
        Whether the outcome is to be a `Packed`, which knows how it is packed.

    Returns
    -------
    ndarray or Packed
        Of the layout's physical dims and x's dtype. Where an element does not take the bytes of
        the dtype, as with ``E(4)``, one dimension of uint8, all bytes of the buffer; with a rounded
        tail (``L(n)``), one dimension of all elements. `out`, where that is given.

    Raises
    ------
    ValueError
        If the layout is of other dims or another type, elements share a place in it that are not
        said to be copies or are none, the type has no such `pad`, or `out` does not fit.
    TypeError
        If `x` is no array, or of a dtype that no element type has.

    The GIL is released for more than 16 KiB. If another thread changes `x` meanwhile, or uses `out`,
    that is a data race, and what comes out is anything: nobody can lock an array against that, and
    numpy's own functions, which release the GIL too, have the same gap. (Two moves to one `out` are
    refused.) A move of more than 64 MB can be interrupted, unless there would be more than 4096
    boxes, as between tiles of 127 by 127 and of 128 by 128.

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
    >>> tw.pack([[1, 2], [3, 4]], "bf16[2,2]{0,1}", labelled=True)
    <Packed bf16[2,2]{0,1}, 8 bytes>
    >>> tw.pack([[1, 1], [2, 2]], "(2,2):(1,0)", copies=True)
    array([1, 2])
    """
    if isinstance(x, Packed):
        shape = shape_in(layout, x.shape)
    else:
        x = as_array(x, _type_said(layout))
        shape = shape_for(layout, element_type_of(x.dtype), x.shape)
    bits, text = padding(pad, shape)
    target = _target(out, shape)
    if isinstance(x, Packed):
        array = relaid(x.data, x.shape, shape, bits, target, threads, copies)
    else:
        array = placed(x, shape, bits, target, threads, copies)
    return _labelled(array, shape, text, out, labelled)


def unpack(
    packed: Any,
    layout: LayoutLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
    copy: bool | None = True,
) -> Array:
    """Takes the logical array out of a packed one: the inverse of `pack`.

    Parameters
    ----------
    packed : array-like or Packed
        As `pack` returns it; the same bytes in other dims or as uint8 are taken too.
    layout : Shape or str, optional
        The shape that it was packed to. A `Packed` knows it, and is not taken for anything else.
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
        If `packed` has not the bytes that the layout takes, is a `Packed` in another layout, or
        `out` does not fit.
    TypeError
        If `packed` is no array, or of another dtype.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> tiles = tw.Shape("f32[3,5]{1,0:T(2,2)}")
    >>> x = np.arange(15, dtype=np.float32).reshape(3, 5)
    >>> np.array_equal(tw.unpack(tw.pack(x, tiles), tiles), x)
    True
    >>> np.array_equal(tw.unpack(tw.pack(x, tiles, labelled=True)), x)
    True
    """
    array, shape = unlabelled(packed, layout)
    return logical(packed_array(array, shape), shape, out, threads, copy)


@overload
def relayout(
    packed: Packed,
    source: LayoutLike | None = ...,
    target: LayoutLike | None = ...,
    *,
    pad: PadLike = ...,
    out: Array | Packed | None = ...,
    threads: int | None = ...,
    copies: bool = ...,
) -> Packed: ...
@overload
def relayout(
    packed: Any,
    source: LayoutLike,
    target: LayoutLike,
    *,
    pad: PadLike = ...,
    out: Array | None = ...,
    threads: int | None = ...,
    copies: bool = ...,
) -> Array: ...
def relayout(
    packed: Any,
    source: LayoutLike | None = None,
    target: LayoutLike | None = None,
    *,
    pad: PadLike = DEFAULT,
    out: Array | Packed | None = None,
    threads: int | None = None,
    copies: bool = False,
) -> Array | Packed:
    """Moves a packed array from one layout to another, without the logical array in between.

    Parameters
    ----------
    packed : array-like or Packed
        As `pack` returns it for `source`.
    source : Shape or str
        Not needed of a `Packed`: ``relayout(packed, target)``.
    target : Shape, Layout or str
    pad, out, threads, copies
        As for `pack`.

    Returns
    -------
    ndarray or Packed
        As `pack` returns it for `target`; a `Packed` of a `Packed`.

    Raises
    ------
    ValueError
        If the layouts are of other dims or types, `packed` has not the bytes that `source` takes or
        is a `Packed` in another layout, or as `pack`.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> rows, tiles = tw.Shape("u8[3,5]"), tw.Shape("u8[3,5]{1,0:T(2,2)}")
    >>> x = np.arange(15, dtype=np.uint8)
    >>> tw.relayout(x, rows, tiles).reshape(-1)[:8]
    array([0, 1, 5, 6, 2, 3, 7, 8], dtype=uint8)
    >>> tw.relayout(tw.Packed(x, rows), tiles)
    <Packed u8[3,5]{1,0:T(2,2)}, 24 bytes>
    """
    if target is None:
        source, target = None, source
    if target is None:
        raise TypeError("relayout needs a target")
    array, before = unlabelled(packed, source)
    after = shape_in(target, before)
    array = packed_array(array, before)
    bits, text = padding(pad, after)
    moved = relaid(array, before, after, bits, _target(out, after), threads, copies)
    return _labelled(moved, after, text, out, isinstance(packed, Packed))


def view(packed: Any, layout: LayoutLike | None = None) -> Array:
    """The logical array as a view of a packed one, with no copy.

    There is one where each dimension has a single stride, and elements take the bytes of their
    dtype: no tiles, or tiles that are as wide as the array.

    Parameters
    ----------
    packed : ndarray, C-contiguous, or Packed
        As `pack` returns it.
    layout : Shape or str, optional
        Not needed of a `Packed`.

    Returns
    -------
    ndarray
        Of the logical dims, over the same memory; writable if `packed` is.

    Raises
    ------
    ValueError
        If the layout has no such view, or `packed` is a `Packed` in another one.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> columns = tw.Shape("f32[3,5]{0,1:T(4)}")
    >>> p = tw.pack(np.arange(15, dtype=np.float32).reshape(3, 5), columns)
    >>> tw.view(p, columns)[1]
    array([5., 6., 7., 8., 9.], dtype=float32)
    """
    array, shape = unlabelled(packed, layout)
    return view_of(packed_array(array, shape, lent=True), shape)


def _type_said(layout: LayoutLike) -> ElementType | None:
    """The element type, where a layout says one."""
    if isinstance(layout, str) and "[" in layout:
        return Shape(layout).element_type
    return layout.element_type if isinstance(layout, Shape) else None


def _target(out: Array | Packed | None, shape: Shape) -> Array | None:
    if not isinstance(out, Packed):
        return out
    if not is_same(out.shape, shape):
        raise LayoutError(f"out is packed as {out.shape}, and not as {shape}")
    return out.data


def _labelled(
    array: Array, shape: Shape, pad: str, out: Array | Packed | None, labelled: bool
) -> Array | Packed:
    if isinstance(out, Packed):
        out._pad = pad
        return out
    return Packed(array, shape, pad) if labelled else array
