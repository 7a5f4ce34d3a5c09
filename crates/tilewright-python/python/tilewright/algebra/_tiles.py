"""Layouts cut into tiles, and copies of layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._expression import Ints, Operand, call

if TYPE_CHECKING:
    from .._layout import Layout


def logical_divide(a: Operand, tiler: Operand) -> Layout:
    """The layout cut into tiles: each mode becomes (within a tile, which tile).

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.logical_divide("16:3", "4:1")
    Layout('(4,4):(3,12)')
    """
    result: Layout = call("logical_divide", a, tiler)
    return result


def zipped_divide(a: Operand, tiler: Operand) -> Layout:
    """As `logical_divide`, the tile as one mode and the rest as another.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.zipped_divide("(4,8):(1,4)", "(2,4)")
    Layout('((2,4),(2,2)):((1,4),(2,16))')
    """
    result: Layout = call("zipped_divide", a, tiler)
    return result


def tiled_divide(a: Operand, tiler: Operand) -> Layout:
    """As `zipped_divide`, the rest in a mode for each dimension.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.tiled_divide("(4,8):(1,4)", "(2,4)")
    Layout('((2,4),2,2):((1,4),2,16)')
    """
    result: Layout = call("tiled_divide", a, tiler)
    return result


def flat_divide(a: Operand, tiler: Operand) -> Layout:
    """As `zipped_divide`, with every part a mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.flat_divide("(4,8):(1,4)", "(2,4)")
    Layout('(2,4,2,2):(1,4,2,16)')
    """
    result: Layout = call("flat_divide", a, tiler)
    return result


def logical_product(a: Operand, tiler: Operand) -> Layout:
    """Copies of `a` where `tiler` puts them: (within a copy, which copy).

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.logical_product("4:1", "3:1")
    Layout('(4,3):(1,4)')
    """
    result: Layout = call("logical_product", a, tiler)
    return result


def zipped_product(a: Operand, tiler: Operand) -> Layout:
    """As `logical_product`, the copy as one mode and the copies as another.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.zipped_product("4:1", "3:1")
    Layout('(4,3):(1,4)')
    """
    result: Layout = call("zipped_product", a, tiler)
    return result


def tiled_product(a: Operand, tiler: Operand) -> Layout:
    """As `zipped_product`, the copies in a mode for each dimension.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.tiled_product("4:1", "3:1")
    Layout('(4,3):(1,4)')
    """
    result: Layout = call("tiled_product", a, tiler)
    return result


def flat_product(a: Operand, tiler: Operand) -> Layout:
    """As `zipped_product`, with every part a mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.flat_product("4:1", "3:1")
    Layout('(4,3):(1,4)')
    """
    result: Layout = call("flat_product", a, tiler)
    return result


def blocked_product(a: Operand, b: Operand) -> Layout:
    """Blocks `a` on a grid `b`, dimension by dimension: a block is together.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.blocked_product("(2,2):(1,2)", "(2,3):(1,2)")
    Layout('((2,2),(2,3)):((1,4),(2,8))')
    """
    result: Layout = call("blocked_product", a, b)
    return result


def raked_product(a: Operand, b: Operand) -> Layout:
    """Blocks `a` on a grid `b`, dimension by dimension: the grid varies faster.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.raked_product("4:1", "3:1")
    Layout('((3,4)):((4,1))')
    """
    result: Layout = call("raked_product", a, b)
    return result


def tile_to_shape(a: Operand, shape: Ints, order: Ints | None = None) -> Layout:
    """Copies of `a` that fill a shape.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.tile_to_shape("(2,2):(1,2)", (4, 6))
    Layout('((2,2),(2,3)):((1,4),(2,8))')
    """
    result: Layout = call("tile_to_shape", a, shape, order)
    return result


def tile(a: Operand, shape: Ints, coordinate: Ints | None = None) -> Layout:
    """The layout of one tile of this shape; at a coordinate, of the tile that is there, smaller at
    an edge.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.tile("(8,8):(8,1)", (2, 4))
    Layout('(2,4):(8,1):(2,4)')
    """
    result: Layout = call("tile", a, shape, coordinate)
    return result


def make_batched_layout(a: Operand, batch: int) -> Layout:
    """So many of `a` behind each other, in a new first mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_batched_layout("(2,3):(3,1)", 4)
    Layout('(4,2,3):(6,3,1)')
    """
    result: Layout = call("make_batched_layout", a, batch)
    return result


def prepend_dim(a: Operand, extent: int, stride: int) -> Layout:
    """The layout with a new first dimension.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.prepend_dim("(2,3):(3,1)", 4, 6)
    Layout('(4,2,3):(6,3,1)')
    """
    result: Layout = call("prepend_dim", a, extent, stride)
    return result
