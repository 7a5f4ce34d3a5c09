"""Relayouts prepared once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import UINT8, Array, bytes_of, dtype_name, pad_bits
from ._move import _empty, _mover, _packed_form, _whole_shape, shape_for
from ._tilewright import ArrayMover, Shape


class Plan(ArrayMover):
    """A relayout prepared once, to be run many times.

    Parameters
    ----------
    source, target : Shape or str
        Shapes of the same dims and element type. One without a layout is row-major, as a numpy
        array is.

    Raises
    ------
    ValueError
        If the two differ in dims or element type.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> plan = tw.Plan("u8[3,5]", "u8[3,5]{1,0:T(2,2)}")
    >>> plan.source_bytes, plan.target_bytes, plan.is_copy
    (15, 24, False)
    >>> plan.run(np.arange(15, dtype=np.uint8).reshape(3, 5))[0, 0]
    array([[0, 1],
           [5, 6]], dtype=uint8)
    """

    source: Shape
    """What goes in."""
    target: Shape
    """What comes out."""
    _dtypes: tuple[np.dtype[Any], np.dtype[Any]]

    def __new__(cls, source: Shape | str, target: Shape | str) -> Plan:
        source = _whole_shape(source)
        target = shape_for(target, source.element_type, source.dims)
        dtypes = _packed_form(source).dtype, _packed_form(target).dtype
        plan = super().__new__(cls, _mover(source, target), *map(dtype_name, dtypes))
        plan.source, plan.target, plan._dtypes = source, target, dtypes
        return plan

    @property
    def source_bytes(self) -> int:
        """The exact number of bytes of the source.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Plan("u8[3,5]", "u8[3,5]{0,1}").source_bytes
        15
        """
        return self._mover.source_bytes

    @property
    def target_bytes(self) -> int:
        """The exact number of bytes of the target.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Plan("u8[3,5]", "u8[3,5]{1,0:T(8,128)}").target_bytes
        1024
        """
        return self._mover.target_bytes

    @property
    def is_copy(self) -> bool:
        """Whether a run is a plain copy.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.Plan("f32[24,128]", "f32[24,128]{1,0:T(8,128)}").is_copy
        True
        """
        return self._mover.is_copy

    run = ArrayMover.run

    def _empty(self) -> Array:
        return _empty(self.target)

    def _run_views(self, source: Array, out: Array, pad: Any, threads: int | None) -> None:
        """`run` of arrays that have to be viewed as bytes first, or that something is wrong with."""
        source_dtype, target_dtype = self._dtypes
        if source.dtype not in (source_dtype, UINT8):
            raise TypeError(f"the source is {source.dtype}, expected {source_dtype} or uint8")
        if out.dtype not in (target_dtype, UINT8):
            raise TypeError(f"out is {out.dtype}, expected {target_dtype} or uint8")
        bits = pad_bits(pad, source_dtype)
        self._mover.run(bytes_of(source), bytes_of(out), bits, threads)

    def __reduce__(self) -> tuple[type[Plan], tuple[Shape, Shape]]:
        return Plan, (self.source, self.target)

    def __repr__(self) -> str:
        return f"Plan({str(self.source)!r}, {str(self.target)!r})"


Plan.__module__ = "tilewright"
