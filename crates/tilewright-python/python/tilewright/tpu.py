"""The formats that TPU compilers give arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _tilewright
from ._tilewright import ElementType, Shape

__all__ = ["CHIPS", "Candidate", "bytes_on_device", "candidates", "default", "padding_in_words"]

CHIPS = ("v2", "v3", "v4", "v5e", "v5p", "v6e", "v7x")
"""The generations that are known, the oldest first."""


class Candidate(NamedTuple):
    """A format that an array could have, as `candidates` lists them.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.tpu.candidates((12582912, 1), "uint32", chip="v4", layout="{1,0:T(8,128)}")[0].bytes >> 20
    48
    """

    shape: Shape
    """The array in this format."""
    bytes: int
    """What it takes on the device."""
    padding_bytes: int
    """How much of that holds no element."""
    is_bitcast: bool
    """Whether the format compared with has every element at the same place."""
    moves_bytes: int
    """What a relayout from the format compared with reads and writes; 0 of a bitcast."""
    distance: int
    """How far it is from the format compared with, in changes of order and of the tile."""


def default(dims: Sequence[int] | Shape | str, dtype: Any = None, *, chip: str) -> Shape:
    """The format that a generation's compiler gives an array.

    Parameters
    ----------
    dims : sequence of int, Shape or str
        The dims; or the whole shape, whose layout does not matter.
    dtype : ElementType, str or dtype
        Needed with dims.
    chip : str
        One of `CHIPS`, or what JAX says is the ``device_kind``.

    Raises
    ------
    ValueError
        If there is no such generation, or the array is too large.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.tpu.default((3, 5), "float32", chip="v5e")
    Shape('f32[3,5]{1,0:T(4,128)}')
    """
    return _tilewright.tpu_default(_shape(dims, dtype), chip)


def candidates(
    dims: Sequence[int] | Shape | str, dtype: Any = None, *, chip: str, layout: Any = None
) -> list[Candidate]:
    """The formats that an array could have, the smallest first, then the nearest.

    Parameters
    ----------
    dims, dtype, chip
        As for `default`.
    layout : Layout or str, optional
        The format to compare with; the default of the generation where neither this nor `dims`
        says a tiled one.

    Raises
    ------
    ValueError
        As `default`, and of arrays of more than 16 dimensions.

    Examples
    --------
    >>> import tilewright as tw
    >>> best = tw.tpu.candidates("u32[12582912,1]{1,0:T(8,128)}", chip="v4")[0]
    >>> best.shape, best.padding_bytes
    (Shape('u32[12582912,1]{0,1:T(1,128)}'), 0)
    """
    shape = _shape(dims, dtype)
    if layout is not None:
        shape = shape.with_layout(layout)
    return [Candidate(*row) for row in _tilewright.tpu_candidates(shape, chip)]


def bytes_on_device(shape: Shape | str) -> int:
    """The bytes that a device takes for an array in its format.

    Raises
    ------
    ValueError
        If it is no array, or the size does not fit 64 bits.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.tpu.bytes_on_device("bf16[17,1000]{1,0:T(8,128)(2,1)}")
    49152
    """
    return _tilewright.tpu_bytes(_shape(shape, None))


def padding_in_words(shape: Shape | str) -> str:
    """What the tile of a format pads, and by how much.

    Raises
    ------
    ValueError
        If it is no array.

    Examples
    --------
    >>> import tilewright as tw
    >>> "128" in tw.tpu.padding_in_words("u32[12582912,1]{1,0:T(8,128)}")
    True
    """
    return _tilewright.tpu_padding(_shape(shape, None))


def _shape(dims: Sequence[int] | Shape | str, dtype: Any) -> Shape:
    if isinstance(dims, Shape):
        return dims
    if isinstance(dims, str):
        return Shape(dims)
    if dtype is None:
        raise TypeError("dims alone do not say an array: the dtype is missing")
    return Shape.of(ElementType(dtype), tuple(dims))
