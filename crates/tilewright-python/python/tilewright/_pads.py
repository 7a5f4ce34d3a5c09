"""What padding holds: values as the one reader of them takes them."""

from __future__ import annotations

import math
import reprlib
import sys
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Any, Final, TypeAlias, Union

import numpy as np

from . import _tilewright
from ._errors import LayoutError
from ._tilewright import ElementType, Shape

F32: Final = ElementType("f32")


class Unsaid(Enum):
    """The only value of its kind stands where nobody says what padding is to hold."""

    DEFAULT = "what the layout says, or bits that are all zero"

    def __repr__(self) -> str:
        return "..."


DEFAULT: Final = Unsaid.DEFAULT
"""What the layout says (``PAD(3,5;lowest)``), or bits that are all zero."""

PadLike: TypeAlias = Union[int, float, complex, str, "np.generic[Any]", Unsaid]
"""A number of Python, numpy or ml_dtypes; ``lowest``, ``highest``, bits as ``0x…``, or a number as
text."""


def padding(pad: Any, shape: Shape) -> tuple[int, str]:
    """What padding holds: the bits of an element, and the text that a record has of it.

    Raises LayoutError, which says what the type can hold, if it has no such element.
    """
    if pad is DEFAULT:
        return _default(shape)
    if isinstance(pad, np.ndarray) and pad.ndim == 0:
        pad = pad[()]
    text = _text(pad, shape)
    is_float = isinstance(pad, float | np.floating) and math.isfinite(pad)
    if is_float and shape.element_type == F32:
        return _as_f32(text, Decimal(float(pad)), shape)
    return _tilewright.padding(shape, text)


def _as_f32(text: str, value: Decimal, shape: Shape) -> tuple[int, str]:
    """A number's shortest text may lie on the other side of the middle between two of f32, which is
    rounded from the text; all of its digits do not. They are said only where that matters."""
    try:
        exact = _tilewright.padding(shape, str(value))
    except LayoutError:
        _tilewright.padding(shape, text)  # says the same of fewer digits
        raise
    bits, _ = exact
    try:
        return exact if _tilewright.padding(shape, text)[0] != bits else (bits, text)
    except LayoutError:
        return exact


def scalar(bits: int, dtype: np.dtype[Any]) -> Any:
    """The element of these bits."""
    return np.frombuffer(bits.to_bytes(dtype.itemsize, sys.byteorder), dtype)[0]


@lru_cache(maxsize=256)
def _default(shape: Shape) -> tuple[int, str]:
    return _tilewright.padding(shape)


def _text(pad: Any, shape: Shape) -> str:
    """A value as text, exactly; of what is none, its repr, which no type has."""
    if isinstance(pad, str):
        return str(pad)
    if isinstance(pad, bool | np.bool_):
        return "1" if pad else "0"
    if isinstance(pad, np.generic):
        return _text_of_numpys(pad, shape)
    if isinstance(pad, int):
        is_sane = pad.bit_length() <= 4096  # no type holds more, and printing it takes long
        return str(pad) if is_sane else f"an integer of {pad.bit_length()} bits"
    return repr(pad) if isinstance(pad, float | complex) else reprlib.repr(pad)


def _text_of_numpys(pad: Any, shape: Shape) -> str:
    try:
        name = ElementType(pad.dtype).name
    except ValueError:  # a date, a record, a longdouble
        return str(pad)
    if name.startswith("c"):
        return repr(complex(pad))
    if name.startswith(("s", "u")):
        return str(int(pad))
    number = float(pad)
    if number != number and pad.dtype == shape.dtype:  # a NaN's sign and payload
        return hex(int.from_bytes(pad.tobytes(), sys.byteorder))
    return repr(number)
