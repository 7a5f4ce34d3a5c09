"""Coordinates, and nested integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._expression import Ints, Operand, call

if TYPE_CHECKING:
    from .._layout import Layout


def at(a: Operand, coordinate: Ints) -> int:
    """The offset at a coordinate, nested or not; an integer for a nested mode runs leftmost fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.at("((4,2),(4,3)):((4,16),(1,32))", (1, 5))
    37
    """
    result: int = call("at", a, coordinate)
    return result


def crd2idx(a: Operand, coordinate: Ints) -> int:
    """As `at`, by CuTe's name.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.crd2idx("(4,8):(8,1)", (2, 3))
    19
    """
    result: int = call("crd2idx", a, coordinate)
    return result


def crd2offset(a: Operand, coordinate: Ints) -> int:
    """As `at`, by TLA's name.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.crd2offset("(4,8):(8,1)", (2, 3))
    19
    """
    result: int = call("crd2offset", a, coordinate)
    return result


def idx2crd(index: int, shape: Ints) -> Ints:
    """The coordinate of an integer, leftmost fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.idx2crd(16, (3, (2, 3)))
    (1, (1, 2))
    """
    result: Ints = call("idx2crd", index, shape)
    return result


def crd2crd(coordinate: Ints, from_shape: Ints, to_shape: Ints) -> Ints:
    """The coordinate of the same element in another shape.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.crd2crd((1, 1), (2, 3), (3, 2))
    (0, 1)
    """
    result: Ints = call("crd2crd", coordinate, from_shape, to_shape)
    return result


def crd2int(coordinate: Ints, shape: Ints) -> int:
    """The integer of a coordinate, leftmost fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.crd2int((1, 2), (4, 8))
    9
    """
    result: int = call("crd2int", coordinate, shape)
    return result


def compact_col_major(shape: Ints) -> Ints:
    """Strides without gaps, leftmost fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.compact_col_major((2, 3, 4))
    (1, 2, 6)
    """
    result: Ints = call("compact_col_major", shape)
    return result


def compact_row_major(shape: Ints) -> Ints:
    """Strides without gaps, rightmost fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.compact_row_major((2, 3, 4))
    (12, 4, 1)
    """
    result: Ints = call("compact_row_major", shape)
    return result


def compact_order(shape: Ints, order: Ints) -> Ints:
    """Strides without gaps, 0 in `order` the fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.compact_order((2, 3, 4), (2, 0, 1))
    (12, 1, 3)
    """
    result: Ints = call("compact_order", shape, order)
    return result


def common_refinement(a: Ints, b: Ints) -> Ints:
    """The coarsest shape that both shapes are coarsenings of.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.common_refinement((4, 6), (2, 12))
    (2, 2, 6)
    """
    result: Ints = call("common_refinement", a, b)
    return result


def common_coarsening(a: Ints, b: Ints) -> Ints:
    """The finest shape that is a coarsening of both shapes.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.common_coarsening((2, 2, 6), (4, 2, 3))
    (4, 6)
    """
    result: Ints = call("common_coarsening", a, b)
    return result


def greatest_common_domain(a: Ints, b: Ints) -> Layout:
    """The elements that two shapes have in common, as a layout that selects them from either.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.greatest_common_domain((5, 3, 4), (10, 6))
    Layout('(5,2):(1,30)')
    """
    result: Layout = call("greatest_common_domain", a, b)
    return result


def domain_distribute(shape: Ints, n: int) -> Layout:
    """The layout of `n` parts of a shape.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.domain_distribute(((15, 14), 6), 6)
    Layout('(3,2):(1,15)')
    """
    result: Layout = call("domain_distribute", shape, n)
    return result


def shape_div(a: Ints, b: Ints) -> Ints:
    """The shape divided from the left.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.shape_div((6, 4), 3)
    (2, 4)
    """
    result: Ints = call("shape_div", a, b)
    return result


def ceil_div(a: Ints, b: Ints) -> Ints:
    """Quotients rounded up, part by part.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.ceil_div(7, 2)
    4
    """
    result: Ints = call("ceil_div", a, b)
    return result


def round_up(a: Ints, b: Ints) -> Ints:
    """Rounded up to multiples, part by part.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.round_up(7, 4)
    8
    """
    result: Ints = call("round_up", a, b)
    return result


def product(shape: Ints) -> int:
    """The product of all sizes.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.product((2, (3, 4)))
    24
    """
    result: int = call("product", shape)
    return result


def product_each(shape: Ints) -> Ints:
    """The product of each mode's sizes.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.product_each((2, (3, 4)))
    (2, 12)
    """
    result: Ints = call("product_each", shape)
    return result


def product_like(shape: Ints, profile: Ints) -> Ints:
    """Products, nested as the profile is.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.product_like((2, (3, 4)), (1, 1))
    (2, 12)
    """
    result: Ints = call("product_like", shape, profile)
    return result


def max(*a: Ints) -> int:
    """The largest integer in any of them.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.max(3, (4, 2), 9)
    9
    """
    result: int = call("max", *a)
    return result


def min(*a: Ints) -> int:
    """The smallest integer in any of them.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.min(3, (4, 2), 9)
    2
    """
    result: int = call("min", *a)
    return result


def swizzle(swizzle: Operand, offset: int) -> int:
    """Where a swizzle takes an offset.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.swizzle("Sw<3,4,3>", 128)
    144
    """
    result: int = call("swizzle", swizzle, offset)
    return result
