"""Operations whose outcome is a layout of other offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._expression import Ints, Operand, call

if TYPE_CHECKING:
    from .._layout import Layout


def composition(a: Operand, b: Operand) -> Layout:
    """The layout that takes a coordinate of `b` where `a` takes the offset that `b` gives it. A
    swizzle as `a` goes over the layout `b`.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.composition("(10,2):(16,4)", "(3,4):(1,5)")
    Layout('(3,(2,2)):(16,(80,4))')
    """
    result: Layout = call("composition", a, b)
    return result


def compose(a: Operand, b: Operand) -> Layout:
    """As `composition`, and where no one shape and stride says it, the two layouts composed.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.compose("(4,6,8):(2,3,5)", "6:3")
    Layout('(4,6,8):(2,3,5) o 0 o 6:3')
    """
    result: Layout = call("compose", a, b)
    return result


def complement(a: Operand, n: int | None = None) -> Layout:
    """The layout of what `a` leaves out: side by side, copies of `a` at its offsets fill 0 to `n`.
    Without `n`, within a's own cosize.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.complement("4:1", 24)
    Layout('6:4')
    """
    result: Layout = call("complement", a, n)
    return result


def right_inverse(a: Operand) -> Layout:
    """The layout that `a` undoes: a(r(i)) = i for as long as that can be.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.right_inverse("(4,8):(8,1)")
    Layout('(8,4):(4,1)')
    """
    result: Layout = call("right_inverse", a)
    return result


def left_inverse(a: Operand) -> Layout:
    """The layout that undoes `a`: l(a(i)) = i for every i.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.left_inverse("(4,8):(1,5)")
    Layout('(5,8):(1,4)')
    """
    result: Layout = call("left_inverse", a)
    return result


def nullspace(a: Operand) -> Layout:
    """The layout of the coordinates that `a` takes to 0.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.nullspace("(4,8):(1,0)")
    Layout('8:4')
    """
    result: Layout = call("nullspace", a)
    return result


def coalesce(a: Operand, profile: Operand | None = None) -> Layout:
    """The layout in as few modes as can be; with a profile, mode by mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.coalesce("(2,(1,6)):(1,(6,2))")
    Layout('12:1')
    """
    result: Layout = call("coalesce", a, profile)
    return result


def filter(a: Operand) -> Layout:
    """The layout without modes of stride 0 or size 1, coalesced.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.filter("(2,4,3):(1,0,2)")
    Layout('6:1')
    """
    result: Layout = call("filter", a)
    return result


def filter_zeros(a: Operand) -> Layout:
    """The layout with size 1 in place of every size whose stride is 0.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.filter_zeros("(2,4):(1,0)")
    Layout('(2,1):(1,0)')
    """
    result: Layout = call("filter_zeros", a)
    return result


def layout_add(a: Operand, b: Operand) -> Layout:
    """The layout whose offsets are the sums of those of the two.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.layout_add("(2,3):(1,2)", "(2,3):(5,20)")
    Layout('(2,3):(6,22)')
    """
    result: Layout = call("layout_add", a, b)
    return result


def max_common_layout(a: Operand, b: Operand) -> Layout:
    """The longest layout of consecutive elements that the two agree on.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.max_common_layout("(4,2):(1,4)", "(4,2):(1,8)")
    Layout('4:1')
    """
    result: Layout = call("max_common_layout", a, b)
    return result


def upcast(a: Operand, n: int) -> Layout:
    """The layout of elements `n` times as wide.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.upcast("(8,4):(1,8)", 4)
    Layout('(2,4):(1,2)')
    """
    result: Layout = call("upcast", a, n)
    return result


def downcast(a: Operand, n: int) -> Layout:
    """The layout of elements `n` times as narrow.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.downcast("(2,4):(1,2)", 4)
    Layout('(8,4):(1,8)')
    """
    result: Layout = call("downcast", a, n)
    return result


def recast(a: Operand, old_bits: int, new_bits: int) -> Layout:
    """The layout of the same memory in elements of another width.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.recast("(8,4):(1,8)", 8, 32)
    Layout('(2,4):(1,2)')
    """
    result: Layout = call("recast", a, old_bits, new_bits)
    return result


def scale(a: Operand, n: int) -> Layout:
    """The layout with every stride `n` times as long.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.scale("(2,3):(1,2)", 5)
    Layout('(2,3):(5,10)')
    """
    result: Layout = call("scale", a, n)
    return result


def make_layout(shape: Ints, stride: Ints | None = None, org_shape: Ints | None = None) -> Layout:
    """The layout of this shape and these strides, leftmost fastest where none are given; perhaps
    with the original shape of an array that is padded.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_layout((2, 3), (3, 1))
    Layout('(2,3):(3,1)')
    """
    result: Layout = call("make_layout", shape, stride, org_shape)
    return result


def make_layout_like(a: Operand) -> Layout:
    """A compact layout of a's shape, its modes in the order of a's strides.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_layout_like("(2,3):(30,1)")
    Layout('(2,3):(3,1)')
    """
    result: Layout = call("make_layout_like", a)
    return result


def make_fragment_like(a: Operand) -> Layout:
    """As `make_layout_like`, with the first mode compact and fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_fragment_like("(2,3):(30,1)")
    Layout('(2,3):(1,2)')
    """
    result: Layout = call("make_fragment_like", a)
    return result


def make_identity_layout(shape: Ints) -> Layout:
    """The layout that takes a coordinate to itself.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_identity_layout((2, 3))
    Layout('(2,3):(1@0,1@1)')
    """
    result: Layout = call("make_identity_layout", shape)
    return result


def make_ordered_layout(shape: Ints, order: Ints) -> Layout:
    """A compact layout whose modes are fast in this order, 0 the fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_ordered_layout((2, 3), (1, 0))
    Layout('(2,3):(3,1)')
    """
    result: Layout = call("make_ordered_layout", shape, order)
    return result
