"""Shapes, and the modes of layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._tilewright import Swizzle
from ._expression import Ints, Operand, call

if TYPE_CHECKING:
    from .._layout import Layout


def shape(a: Operand) -> Ints:
    """The shape, nested as it is.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.shape("((2,4),3):((1,2),8)")
    ((2, 4), 3)
    """
    result: Ints = call("shape", a)
    return result


def stride(a: Operand) -> Ints:
    """The strides, nested as they are.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.stride("((2,4),3):((1,2),8)")
    ((1, 2), 8)
    """
    result: Ints = call("stride", a)
    return result


def org_shape(a: Operand) -> Ints:
    """The shape of the array itself, without padding.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.org_shape("((2,2),(2,3)):((2,12),(1,4)):(3,5)")
    (3, 5)
    """
    result: Ints = call("org_shape", a)
    return result


def inner(a: Operand) -> Layout:
    """Of a composed layout, the layout within; else the layout.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.inner("Sw<3,0,3> o 0 o (8,8):(8,1)")
    Layout('(8,8):(8,1)')
    """
    result: Layout = call("inner", a)
    return result


def outer(a: Operand) -> Layout | Swizzle:
    """Of a composed layout, what goes over the layout within.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.outer("Sw<3,0,3> o 0 o (8,8):(8,1)")
    Swizzle('Sw<3,0,3>')
    """
    result: Layout | Swizzle = call("outer", a)
    return result


def offset(a: Operand) -> int:
    """Of a composed layout, the offset in between; else 0.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.offset("Sw<3,0,3> o 24 o (8):(1)")
    24
    """
    result: int = call("offset", a)
    return result


def get(a: Operand, *position: int) -> Layout:
    """The mode at a path of positions.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.get("(2,(3,4)):(1,(2,6))", 1, 0)
    Layout('3:2')
    """
    result: Layout = call("get", a, *position)
    return result


def flatten(a: Operand) -> Layout:
    """The layout with no nesting.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.flatten("((2,4),3):((1,2),8)")
    Layout('(2,4,3):(1,2,8)')
    """
    result: Layout = call("flatten", a)
    return result


def unflatten(a: Operand, profile: Operand) -> Layout:
    """A flat layout nested as the profile is.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.unflatten("(2,4,3):(1,2,8)", "((1,1),1)")
    Layout('((2,4),3):((1,2),8)')
    """
    result: Layout = call("unflatten", a, profile)
    return result


def group(a: Operand, begin: int, end: int) -> Layout:
    """The modes from `begin` to before `end` as one.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.group("(2,3,4,5):(1,2,6,24)", 1, 3)
    Layout('(2,(3,4),5):(1,(2,6),24)')
    """
    result: Layout = call("group", a, begin, end)
    return result


def take(a: Operand, begin: int, end: int) -> Layout:
    """The modes from `begin` to before `end`.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.take("(2,3,4,5):(1,2,6,24)", 1, 3)
    Layout('(3,4):(2,6)')
    """
    result: Layout = call("take", a, begin, end)
    return result


def select(a: Operand, *position: int) -> Layout:
    """The modes at these positions, in this order.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.select("(2,3,(4,5)):(1,2,(6,24))", 2, 0)
    Layout('((4,5),2):((6,24),1)')
    """
    result: Layout = call("select", a, *position)
    return result


def append(a: Operand, b: Operand) -> Layout:
    """The layout with `b` as a last mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.append("(2,3):(1,2)", "4:6")
    Layout('(2,3,4):(1,2,6)')
    """
    result: Layout = call("append", a, b)
    return result


def append_to_rank(a: Operand, rank: int) -> Layout:
    """The layout with modes of size 1 behind it, up to this rank.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.append_to_rank("(2,3):(1,2)", 3)
    Layout('(2,3,1):(1,2,0)')
    """
    result: Layout = call("append_to_rank", a, rank)
    return result


def prepend(a: Operand, b: Operand) -> Layout:
    """The layout with `b` as a first mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.prepend("(2,3):(1,2)", "4:6")
    Layout('(4,2,3):(6,1,2)')
    """
    result: Layout = call("prepend", a, b)
    return result


def replace(a: Operand, position: int, b: Operand) -> Layout:
    """The layout with `b` in place of a mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.replace("(2,3):(1,2)", 1, "4:6")
    Layout('(2,4):(1,6)')
    """
    result: Layout = call("replace", a, position, b)
    return result


def zip(a: Operand, b: Operand) -> Layout:
    """The modes of the two in pairs.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.zip("(2,3):(1,2)", "(4,5):(6,24)")
    Layout('((2,4),(3,5)):((1,6),(2,24))')
    """
    result: Layout = call("zip", a, b)
    return result


def slice(coordinate: Operand, a: Operand) -> Layout:
    """The modes that a coordinate leaves open, as ``"(_,3)"`` does the first.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.slice("(_,3)", "(4,8):(8,1)")
    Layout('(4):(8)')
    """
    result: Layout = call("slice", coordinate, a)
    return result


def dice(coordinate: Operand, a: Operand) -> Layout:
    """The modes that a coordinate does not leave open.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.dice("(_,3)", "(4,8):(8,1)")
    Layout('(8):(1)')
    """
    result: Layout = call("dice", coordinate, a)
    return result


def slice_and_offset(coordinate: Operand, a: Operand) -> str:
    """As `slice`, and where it begins.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.slice_and_offset("(_,3)", "(4,8):(8,1)")
    '(4):(8) at 3'
    """
    result: str = call("slice_and_offset", coordinate, a)
    return result


def domain_offset(coordinate: Operand, a: Operand) -> int:
    """How far on the layout begins when coordinates are counted from this one; an error where it is
    then another layout.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.domain_offset((1, 2), "(4,8):(8,1)")
    10
    """
    result: int = call("domain_offset", coordinate, a)
    return result
