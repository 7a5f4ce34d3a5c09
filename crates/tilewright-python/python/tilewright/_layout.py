"""Layouts, with the operations of the algebra as methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _tilewright, algebra
from ._answers import Fit
from ._tilewright import ElementType, Swizzle
from .algebra import Ints, Operand


class Layout(_tilewright.Layout):
    __doc__ = _tilewright.Layout.__doc__

    def composition(self, b: Operand) -> Layout:
        """The layout that takes a coordinate of `b` where this layout takes the offset that `b`
        gives it. A swizzle as this layout goes over the layout `b`.

        As `tilewright.algebra.composition` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(10,2):(16,4)").composition("(3,4):(1,5)")
        Layout('(3,(2,2)):(16,(80,4))')
        """
        return algebra.composition(self, b)

    def compose(self, b: Operand) -> Layout:
        """As `composition`, and where no one shape and stride says it, the two layouts composed.

        As `tilewright.algebra.compose` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,6,8):(2,3,5)").compose("6:3")
        Layout('(4,6,8):(2,3,5) o 0 o 6:3')
        """
        return algebra.compose(self, b)

    def complement(self, n: int | None = None) -> Layout:
        """The layout of what this layout leaves out: side by side, copies of this layout at its
        offsets fill 0 to `n`. Without `n`, within this layout's own cosize.

        As `tilewright.algebra.complement` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("4:1").complement(24)
        Layout('6:4')
        """
        return algebra.complement(self, n)

    def right_inverse(self) -> Layout:
        """The layout that this layout undoes: a(r(i)) = i for as long as that can be.

        As `tilewright.algebra.right_inverse` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,8):(8,1)").right_inverse()
        Layout('(8,4):(4,1)')
        """
        return algebra.right_inverse(self)

    def left_inverse(self) -> Layout:
        """The layout that undoes this layout: l(a(i)) = i for every i.

        As `tilewright.algebra.left_inverse` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,8):(1,5)").left_inverse()
        Layout('(5,8):(1,4)')
        """
        return algebra.left_inverse(self)

    def nullspace(self) -> Layout:
        """The layout of the coordinates that this layout takes to 0.

        As `tilewright.algebra.nullspace` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,8):(1,0)").nullspace()
        Layout('8:4')
        """
        return algebra.nullspace(self)

    def coalesce(self, profile: Operand | None = None) -> Layout:
        """The layout in as few modes as can be; with a profile, mode by mode.

        As `tilewright.algebra.coalesce` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,(1,6)):(1,(6,2))").coalesce()
        Layout('12:1')
        """
        return algebra.coalesce(self, profile)

    def filter(self) -> Layout:
        """The layout without modes of stride 0 or size 1, coalesced.

        As `tilewright.algebra.filter` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,4,3):(1,0,2)").filter()
        Layout('6:1')
        """
        return algebra.filter(self)

    def filter_zeros(self) -> Layout:
        """The layout with size 1 in place of every size whose stride is 0.

        As `tilewright.algebra.filter_zeros` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,4):(1,0)").filter_zeros()
        Layout('(2,1):(1,0)')
        """
        return algebra.filter_zeros(self)

    def layout_add(self, b: Operand) -> Layout:
        """The layout whose offsets are the sums of those of the two.

        As `tilewright.algebra.layout_add` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(1,2)").layout_add("(2,3):(5,20)")
        Layout('(2,3):(6,22)')
        """
        return algebra.layout_add(self, b)

    def max_common_layout(self, b: Operand) -> Layout:
        """The longest layout of consecutive elements that the two agree on.

        As `tilewright.algebra.max_common_layout` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,2):(1,4)").max_common_layout("(4,2):(1,8)")
        Layout('4:1')
        """
        return algebra.max_common_layout(self, b)

    def upcast(self, n: int) -> Layout:
        """The layout of elements `n` times as wide.

        As `tilewright.algebra.upcast` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(8,4):(1,8)").upcast(4)
        Layout('(2,4):(1,2)')
        """
        return algebra.upcast(self, n)

    def downcast(self, n: int) -> Layout:
        """The layout of elements `n` times as narrow.

        As `tilewright.algebra.downcast` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,4):(1,2)").downcast(4)
        Layout('(8,4):(1,8)')
        """
        return algebra.downcast(self, n)

    def recast(self, old_bits: int, new_bits: int) -> Layout:
        """The layout of the same memory in elements of another width.

        As `tilewright.algebra.recast` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(8,4):(1,8)").recast(8, 32)
        Layout('(2,4):(1,2)')
        """
        return algebra.recast(self, old_bits, new_bits)

    def scale(self, n: int) -> Layout:
        """The layout with every stride `n` times as long.

        As `tilewright.algebra.scale` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(1,2)").scale(5)
        Layout('(2,3):(5,10)')
        """
        return algebra.scale(self, n)

    def make_layout_like(self) -> Layout:
        """A compact layout of this layout's shape, its modes in the order of this layout's strides.

        As `tilewright.algebra.make_layout_like` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(30,1)").make_layout_like()
        Layout('(2,3):(3,1)')
        """
        return algebra.make_layout_like(self)

    def make_fragment_like(self) -> Layout:
        """As `make_layout_like`, with the first mode compact and fastest.

        As `tilewright.algebra.make_fragment_like` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(30,1)").make_fragment_like()
        Layout('(2,3):(1,2)')
        """
        return algebra.make_fragment_like(self)

    def logical_divide(self, tiler: Operand) -> Layout:
        """The layout cut into tiles: each mode becomes (within a tile, which tile).

        As `tilewright.algebra.logical_divide` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("16:3").logical_divide("4:1")
        Layout('(4,4):(3,12)')
        """
        return algebra.logical_divide(self, tiler)

    def zipped_divide(self, tiler: Operand) -> Layout:
        """As `logical_divide`, the tile as one mode and the rest as another.

        As `tilewright.algebra.zipped_divide` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,8):(1,4)").zipped_divide("(2,4)")
        Layout('((2,4),(2,2)):((1,4),(2,16))')
        """
        return algebra.zipped_divide(self, tiler)

    def tiled_divide(self, tiler: Operand) -> Layout:
        """As `zipped_divide`, the rest in a mode for each dimension.

        As `tilewright.algebra.tiled_divide` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,8):(1,4)").tiled_divide("(2,4)")
        Layout('((2,4),2,2):((1,4),2,16)')
        """
        return algebra.tiled_divide(self, tiler)

    def flat_divide(self, tiler: Operand) -> Layout:
        """As `zipped_divide`, with every part a mode.

        As `tilewright.algebra.flat_divide` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,8):(1,4)").flat_divide("(2,4)")
        Layout('(2,4,2,2):(1,4,2,16)')
        """
        return algebra.flat_divide(self, tiler)

    def logical_product(self, tiler: Operand) -> Layout:
        """Copies of this layout where `tiler` puts them: (within a copy, which copy).

        As `tilewright.algebra.logical_product` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("4:1").logical_product("3:1")
        Layout('(4,3):(1,4)')
        """
        return algebra.logical_product(self, tiler)

    def zipped_product(self, tiler: Operand) -> Layout:
        """As `logical_product`, the copy as one mode and the copies as another.

        As `tilewright.algebra.zipped_product` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("4:1").zipped_product("3:1")
        Layout('(4,3):(1,4)')
        """
        return algebra.zipped_product(self, tiler)

    def tiled_product(self, tiler: Operand) -> Layout:
        """As `zipped_product`, the copies in a mode for each dimension.

        As `tilewright.algebra.tiled_product` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("4:1").tiled_product("3:1")
        Layout('(4,3):(1,4)')
        """
        return algebra.tiled_product(self, tiler)

    def flat_product(self, tiler: Operand) -> Layout:
        """As `zipped_product`, with every part a mode.

        As `tilewright.algebra.flat_product` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("4:1").flat_product("3:1")
        Layout('(4,3):(1,4)')
        """
        return algebra.flat_product(self, tiler)

    def blocked_product(self, b: Operand) -> Layout:
        """Blocks this layout on a grid `b`, dimension by dimension: a block is together.

        As `tilewright.algebra.blocked_product` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,2):(1,2)").blocked_product("(2,3):(1,2)")
        Layout('((2,2),(2,3)):((1,4),(2,8))')
        """
        return algebra.blocked_product(self, b)

    def raked_product(self, b: Operand) -> Layout:
        """Blocks this layout on a grid `b`, dimension by dimension: the grid varies faster.

        As `tilewright.algebra.raked_product` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("4:1").raked_product("3:1")
        Layout('((3,4)):((4,1))')
        """
        return algebra.raked_product(self, b)

    def tile_to_shape(self, shape: Ints, order: Ints | None = None) -> Layout:
        """Copies of this layout that fill a shape.

        As `tilewright.algebra.tile_to_shape` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,2):(1,2)").tile_to_shape((4, 6))
        Layout('((2,2),(2,3)):((1,4),(2,8))')
        """
        return algebra.tile_to_shape(self, shape, order)

    def tile(self, shape: Ints, coordinate: Ints | None = None) -> Layout:
        """The layout of one tile of this shape; at a coordinate, of the tile that is there, smaller
        at an edge.

        As `tilewright.algebra.tile` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(8,8):(8,1)").tile((2, 4))
        Layout('(2,4):(8,1):(2,4)')
        """
        return algebra.tile(self, shape, coordinate)

    def make_batched_layout(self, batch: int) -> Layout:
        """So many of this layout behind each other, in a new first mode.

        As `tilewright.algebra.make_batched_layout` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(3,1)").make_batched_layout(4)
        Layout('(4,2,3):(6,3,1)')
        """
        return algebra.make_batched_layout(self, batch)

    def prepend_dim(self, extent: int, stride: int) -> Layout:
        """The layout with a new first dimension.

        As `tilewright.algebra.prepend_dim` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(3,1)").prepend_dim(4, 6)
        Layout('(4,2,3):(6,3,1)')
        """
        return algebra.prepend_dim(self, extent, stride)

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

    def get(self, *position: int) -> Layout:
        """The mode at a path of positions.

        As `tilewright.algebra.get` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,(3,4)):(1,(2,6))").get(1, 0)
        Layout('3:2')
        """
        return algebra.get(self, *position)

    def flatten(self) -> Layout:
        """The layout with no nesting.

        As `tilewright.algebra.flatten` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("((2,4),3):((1,2),8)").flatten()
        Layout('(2,4,3):(1,2,8)')
        """
        return algebra.flatten(self)

    def unflatten(self, profile: Operand) -> Layout:
        """A flat layout nested as the profile is.

        As `tilewright.algebra.unflatten` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,4,3):(1,2,8)").unflatten("((1,1),1)")
        Layout('((2,4),3):((1,2),8)')
        """
        return algebra.unflatten(self, profile)

    def group(self, begin: int, end: int) -> Layout:
        """The modes from `begin` to before `end` as one.

        As `tilewright.algebra.group` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3,4,5):(1,2,6,24)").group(1, 3)
        Layout('(2,(3,4),5):(1,(2,6),24)')
        """
        return algebra.group(self, begin, end)

    def take(self, begin: int, end: int) -> Layout:
        """The modes from `begin` to before `end`.

        As `tilewright.algebra.take` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3,4,5):(1,2,6,24)").take(1, 3)
        Layout('(3,4):(2,6)')
        """
        return algebra.take(self, begin, end)

    def select(self, *position: int) -> Layout:
        """The modes at these positions, in this order.

        As `tilewright.algebra.select` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3,(4,5)):(1,2,(6,24))").select(2, 0)
        Layout('((4,5),2):((6,24),1)')
        """
        return algebra.select(self, *position)

    def append(self, b: Operand) -> Layout:
        """The layout with `b` as a last mode.

        As `tilewright.algebra.append` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(1,2)").append("4:6")
        Layout('(2,3,4):(1,2,6)')
        """
        return algebra.append(self, b)

    def append_to_rank(self, rank: int) -> Layout:
        """The layout with modes of size 1 behind it, up to this rank.

        As `tilewright.algebra.append_to_rank` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(1,2)").append_to_rank(3)
        Layout('(2,3,1):(1,2,0)')
        """
        return algebra.append_to_rank(self, rank)

    def prepend(self, b: Operand) -> Layout:
        """The layout with `b` as a first mode.

        As `tilewright.algebra.prepend` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(1,2)").prepend("4:6")
        Layout('(4,2,3):(6,1,2)')
        """
        return algebra.prepend(self, b)

    def replace(self, position: int, b: Operand) -> Layout:
        """The layout with `b` in place of a mode.

        As `tilewright.algebra.replace` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(1,2)").replace(1, "4:6")
        Layout('(2,4):(1,6)')
        """
        return algebra.replace(self, position, b)

    def zip(self, b: Operand) -> Layout:
        """The modes of the two in pairs.

        As `tilewright.algebra.zip` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(2,3):(1,2)").zip("(4,5):(6,24)")
        Layout('((2,4),(3,5)):((1,6),(2,24))')
        """
        return algebra.zip(self, b)

    def at(self, coordinate: Ints) -> int:
        """The offset at a coordinate, nested or not; an integer for a nested mode runs leftmost
        fastest.

        As `tilewright.algebra.at` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("((4,2),(4,3)):((4,16),(1,32))").at((1, 5))
        37
        """
        return algebra.at(self, coordinate)

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

    def tag(self, element_type: ElementType | str) -> str:
        """The fractal tag that a layout is of, on Ascend.

        As `tilewright.algebra.tag` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("((16,2),(16,3)):((16,256),(1,512)):(28,40)").tag("f16")
        'zN 28 x 40'
        """
        return algebra.tag(self, element_type)

    def max_common_vector(self, b: Operand) -> int:
        """The longest run of elements that is consecutive in both.

        As `tilewright.algebra.max_common_vector` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(4,2):(1,4)").max_common_vector("(4,2):(1,8)")
        4
        """
        return algebra.max_common_vector(self, b)

    def max_alignment(self) -> int:
        """How many elements at a time the layout's memory can be taken: the largest `n` for which
        `upcast` by it makes one element of each `n`.

        As `tilewright.algebra.max_alignment` of this layout.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Layout("(8,4):(1,12)").max_alignment()
        4
        """
        return algebra.max_alignment(self)


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
