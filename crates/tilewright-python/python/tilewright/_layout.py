"""Layouts, with the operations of the algebra as methods."""

from __future__ import annotations

from operator import index

import numpy as np
import numpy.typing as npt

from . import _tilewright, algebra
from ._answers import Fit
from ._errors import OutOfRangeError
from ._tilewright import Swizzle
from .algebra import Ints


class Layout(_tilewright.Layout):
    __doc__ = _tilewright.Layout.__doc__

    # Methods are the functions of the algebra, whose first operand is the layout.

    composition = algebra.composition
    compose = algebra.compose
    complement = algebra.complement
    right_inverse = algebra.right_inverse
    left_inverse = algebra.left_inverse
    nullspace = algebra.nullspace
    coalesce = algebra.coalesce
    filter = algebra.filter
    filter_zeros = algebra.filter_zeros
    layout_add = algebra.layout_add
    max_common_layout = algebra.max_common_layout
    upcast = algebra.upcast
    downcast = algebra.downcast
    recast = algebra.recast
    scale = algebra.scale
    make_layout_like = algebra.make_layout_like
    make_fragment_like = algebra.make_fragment_like

    logical_divide = algebra.logical_divide
    zipped_divide = algebra.zipped_divide
    tiled_divide = algebra.tiled_divide
    flat_divide = algebra.flat_divide
    logical_product = algebra.logical_product
    zipped_product = algebra.zipped_product
    tiled_product = algebra.tiled_product
    flat_product = algebra.flat_product
    blocked_product = algebra.blocked_product
    raked_product = algebra.raked_product
    tile_to_shape = algebra.tile_to_shape
    tile = algebra.tile
    make_batched_layout = algebra.make_batched_layout
    prepend_dim = algebra.prepend_dim

    get = algebra.get
    flatten = algebra.flatten
    unflatten = algebra.unflatten
    group = algebra.group
    take = algebra.take
    select = algebra.select
    append = algebra.append
    append_to_rank = algebra.append_to_rank
    prepend = algebra.prepend
    replace = algebra.replace
    zip = algebra.zip

    at = algebra.at

    tag = algebra.tag
    max_common_vector = algebra.max_common_vector
    max_alignment = algebra.max_alignment

    def __call__(self, *coordinate: Ints) -> int:
        """The offset at a coordinate: an index of each mode, or one of all of them, leftmost fastest.

        Raises
        ------
        LayoutError
            If the coordinate does not fit the shape, or the layout is in braces.

        Examples
        --------
        >>> import tilewright as tw
        >>> layout = tw.Layout((4, 8), (8, 1))
        >>> layout(2, 3), layout((2, 3)), layout(14)
        (19, 19, 19)
        """
        if not coordinate:
            raise TypeError("a layout is called with a coordinate")
        return algebra.at(self, coordinate[0] if len(coordinate) == 1 else coordinate)

    def __getitem__(self, mode: int) -> Layout:
        """One mode, as a layout; from the end for a negative number.

        Raises
        ------
        IndexError
            If there is no such mode.

        Examples
        --------
        >>> import tilewright as tw
        >>> layout = tw.Layout("((2,4),3):((1,2),8)")
        >>> layout[0], layout[-1], [mode.size for mode in layout]
        (Layout('(2,4):(1,2)'), Layout('3:8'), [8, 3])
        """
        count, number = len(self), index(mode)
        if not -count <= number < count:
            raise OutOfRangeError(f"mode {number} of a layout of {count}")
        return algebra.get(self, number % count)

    def __len__(self) -> int:
        return algebra.rank(self)

    def __bool__(self) -> bool:
        return True

    @property
    def shape(self) -> Ints:
        """The shape, nested as it is.

        As `tilewright.algebra.shape` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("((2,4),3):((1,2),8)").shape
        ((2, 4), 3)
        """
        return algebra.shape(self)

    @property
    def stride(self) -> Ints:
        """The strides, nested as they are.

        As `tilewright.algebra.stride` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("((2,4),3):((1,2),8)").stride
        ((1, 2), 8)
        """
        return algebra.stride(self)

    @property
    def org_shape(self) -> Ints:
        """The shape of the array itself, without padding.

        As `tilewright.algebra.org_shape` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("((2,2),(2,3)):((2,12),(1,4)):(3,5)").org_shape
        (3, 5)
        """
        return algebra.org_shape(self)

    @property
    def inner(self) -> Layout:
        """Of a composed layout, the layout within; else the layout.

        As `tilewright.algebra.inner` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("Sw<3,0,3> o 0 o (8,8):(8,1)").inner
        Layout('(8,8):(8,1)')
        """
        return algebra.inner(self)

    @property
    def outer(self) -> Layout | Swizzle:
        """Of a composed layout, what goes over the layout within.

        As `tilewright.algebra.outer` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("Sw<3,0,3> o 0 o (8,8):(8,1)").outer
        Swizzle('Sw<3,0,3>')
        """
        return algebra.outer(self)

    @property
    def size(self) -> int:
        """How many coordinates there are.

        As `tilewright.algebra.size` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,8):(8,1)").size
        32
        """
        return algebra.size(self)

    @property
    def cosize(self) -> int:
        """One more than the largest offset.

        As `tilewright.algebra.cosize` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,8):(1,5)").cosize
        39
        """
        return algebra.cosize(self)

    @property
    def depth(self) -> int:
        """How deep the modes nest.

        As `tilewright.algebra.depth` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("((2,4),3):((1,2),8)").depth
        2
        """
        return algebra.depth(self)


Layout.__module__ = "tilewright"


def fit(table: npt.ArrayLike) -> Fit:
    """The layout whose offsets a table has.

    Complete: where this finds none, no shape and stride has these offsets.

    Parameters
    ----------
    table : array-like of integers, of any shape
        The offset of every element.

    Returns
    -------
    Fit
        The offset of the first element, and the layout of the offsets beyond that.

    Raises
    ------
    LayoutError
        If the table is no layout's; the message names the index that shows it.
    TypeError
        If the table is not of integers.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.fit(tw.Shape("f32[3,5]{1,0:T(2,2)}").offsets()).layout
    Layout('((2,2),(2,3)):((2,12),(1,4)):(3,5)')
    """
    offsets = np.asarray(table)
    if offsets.dtype.kind not in "iu":
        raise TypeError(f"expected integers, found {offsets.dtype}")
    flat = np.ascontiguousarray(offsets, dtype=np.int64).reshape(-1)
    base, layout = _tilewright.fit_table(list(offsets.shape), flat)
    assert isinstance(layout, Layout)
    return Fit(base, layout)
