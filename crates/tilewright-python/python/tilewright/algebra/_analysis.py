"""Where elements share memory, and what access to it costs."""

from __future__ import annotations

from ._expression import Operand, call


def injective(a: Operand) -> bool:
    """Whether no two elements share an offset.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.injective("(4,8):(1,3)")
    False
    """
    result: bool = call("injective", a)
    return result


def surjective(a: Operand) -> bool:
    """Whether every offset of the allocation has an element.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.surjective("(4,8):(1,3)")
    True
    """
    result: bool = call("surjective", a)
    return result


def bijective(a: Operand) -> bool:
    """Whether both.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.bijective("(4,8):(8,1)")
    True
    """
    result: bool = call("bijective", a)
    return result


def image(a: Operand) -> int:
    """How many offsets have an element.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.image("(4,8):(1,3)")
    25
    """
    return int(call("image", a))


def gaps(a: Operand) -> str:
    """The offsets that no element has, in words.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> "9" in ta.gaps("f32[3,5]{1,0:T(2,2)}")
    True
    """
    result: str = call("gaps", a)
    return result


def aliases(a: Operand) -> str:
    """The offsets that several elements share, in words.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.aliases("(4,2):(1,2)").splitlines()[0]
    '4 offsets with 1 element, 2 with 2'
    """
    result: str = call("aliases", a)
    return result


def sharing(a: Operand) -> str:
    """How many offsets have how many elements, in words.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.sharing("(4,2):(1,2)")
    '4 offsets with 1 element, 2 with 2'
    """
    result: str = call("sharing", a)
    return result


def contiguity(a: Operand, dim: int) -> int:
    """The longest aligned run of neighbours along a dimension, in elements.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.contiguity("bf16[30,300]{1,0:T(8,128)}", 1)
    128
    """
    return int(call("contiguity", a, dim))


def vector_width(
    a: Operand, dim: int, element_bits: int | None = None, max_bits: int | None = None
) -> int:
    """The most elements along a dimension that one aligned access moves.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.vector_width("bf16[64,64]", 1, 16)
    8
    """
    return int(call("vector_width", a, dim, element_bits, max_bits))


def bank_conflicts(a: Operand, element_bits: int) -> str:
    """What the worst access of a (thread) or (thread, value) layout costs in 32 banks of 4 bytes.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> "32" in ta.bank_conflicts("(32):(32)", 32)
    True
    """
    result: str = call("bank_conflicts", a, element_bits)
    return result


def dims_by_stride(a: Operand) -> tuple[int, ...]:
    """The dimensions, that of the smallest stride first.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.dims_by_stride("f32[3,5]{0,1}")
    (0, 1)
    """
    return tuple(int(dim) for dim in call("dims_by_stride", a)[1:-1].split(",") if dim)


def cycles(a: Operand) -> str:
    """The cycles of the layout as a permutation of its elements, in words.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.cycles("f32[2,3]{0,1}").split(";")[0]
    '3 cycles, the longest of 4'
    """
    result: str = call("cycles", a)
    return result
