"""Operations, called by the texts of expressions."""

from __future__ import annotations

from operator import index
from typing import Any, TypeAlias, Union

from .._tilewright import ElementType, Placement, Swizzle, evaluate
from .._tilewright import explain as _explain
from .._tilewright import operations as _operations

Ints: TypeAlias = Union[int, tuple["Ints", ...]]
"""Integers, nested: a shape, strides or a coordinate."""

Operand: TypeAlias = Union[Placement, Swizzle, str, int, tuple[Any, ...]]
"""What an operation is about."""


def calc(expression: str) -> Any:
    """What an expression of the algebra comes to: a Layout, a Swizzle, an int, a tuple, a bool or a
    str, as the operation has it.

    Raises
    ------
    LayoutError
        If a text in it means nothing, which is pointed at in the whole expression; if there is no
        such operation; or if it has no outcome.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.calc("coalesce(composition((10,2):(16,4),(3,4):(1,5)))")
    Layout('(3,2,2):(16,80,4)')
    >>> tw.calc("zN(f16,28,40)")
    Layout('((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)')
    """
    return evaluate(expression)


def explain(expression: str) -> str:
    """An operation told step by step.

    Of coalesce, composition, complement, right_inverse, left_inverse, logical_divide and
    logical_product.

    Raises
    ------
    LayoutError
        As `calc`, and of other operations.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> print(ta.explain("composition((6,2):(8,2),(4,3):(3,1))").splitlines()[-1])
    = ((2,2),3):((24,2),8)
    """
    return _explain(expression)


def operations() -> list[str]:
    """How every operation is written in an expression; what is in brackets can be left out.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.operations()[0]
    'composition(A, B)'
    """
    return _operations()


def call(name: str, *arguments: Any) -> Any:
    texts = [_text(argument) for argument in arguments if argument is not None]
    return evaluate(f"{name}({','.join(texts)})")


def _text(argument: Any) -> str:
    """An argument as an expression has it."""
    if isinstance(argument, tuple | list):
        return f"({','.join(map(_text, argument))})"
    if isinstance(argument, str | Placement | Swizzle | ElementType):
        return str(argument)
    return str(index(argument))
