"""Questions about one layout or two."""

from __future__ import annotations

from .._tilewright import ElementType
from ._expression import Ints, Operand, call


def size(a: Operand) -> int:
    """How many coordinates there are.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.size("(4,8):(8,1)")
    32
    """
    result: int = call("size", a)
    return result


def cosize(a: Operand) -> int:
    """One more than the largest offset.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.cosize("(4,8):(1,5)")
    39
    """
    result: int = call("cosize", a)
    return result


def rank(a: Operand) -> int:
    """How many modes there are.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.rank("((2,4),3):((1,2),8)")
    2
    """
    result: int = call("rank", a)
    return result


def depth(a: Operand) -> int:
    """How deep the modes nest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.depth("((2,4),3):((1,2),8)")
    2
    """
    result: int = call("depth", a)
    return result


def tag(a: Operand, element_type: ElementType | str) -> str:
    """The fractal tag that a layout is of, on Ascend.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.tag("((16,2),(16,3)):((16,256),(1,512)):(28,40)", "f16")
    'zN 28 x 40'
    """
    result: str = call("tag", a, element_type)
    return result


def max_common_vector(a: Operand, b: Operand) -> int:
    """The longest run of elements that is consecutive in both.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.max_common_vector("(4,2):(1,4)", "(4,2):(1,8)")
    4
    """
    result: int = call("max_common_vector", a, b)
    return result


def max_alignment(a: Operand) -> int:
    """How many elements at a time the layout's memory can be taken: the largest `n` for which
    `upcast` by it makes one element of each `n`.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.max_alignment("(8,4):(1,12)")
    4
    """
    result: int = call("max_alignment", a)
    return result


def congruent(a: Ints, b: Ints) -> bool:
    """Whether the two are nested alike.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.congruent((1, (2, 3)), (4, (5, 6)))
    True
    """
    result: bool = call("congruent", a, b)
    return result


def weakly_congruent(a: Ints, b: Ints) -> bool:
    """Whether `b` is nested like `a`, and perhaps deeper.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.weakly_congruent((1, 2), (4, (5, 6)))
    True
    """
    result: bool = call("weakly_congruent", a, b)
    return result


def compatible(a: Ints, b: Ints) -> bool:
    """Whether `b` is a refinement of the shape `a`: coordinates of a are coordinates of b.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.compatible((6, 4), ((2, 3), 4))
    True
    """
    result: bool = call("compatible", a, b)
    return result


def evenly_divides(a: Ints, b: Ints) -> bool:
    """Whether `b` divides `a` with nothing left.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.evenly_divides((4, 6), (2, 3))
    True
    """
    result: bool = call("evenly_divides", a, b)
    return result


def lex_less(a: Ints, b: Ints) -> bool:
    """Whether `a` comes first when the leftmost decides.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.lex_less((1, 2), (2, 1))
    True
    """
    result: bool = call("lex_less", a, b)
    return result


def colex_less(a: Ints, b: Ints) -> bool:
    """Whether `a` comes first when the rightmost decides.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.colex_less((1, 2), (2, 1))
    False
    """
    result: bool = call("colex_less", a, b)
    return result


def elem_less(a: Ints, b: Ints) -> bool:
    """Whether each part of `a` is less than b's.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.elem_less((1, 2), (2, 3))
    True
    """
    result: bool = call("elem_less", a, b)
    return result
