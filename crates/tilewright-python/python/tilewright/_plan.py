"""Relayouts prepared once."""

from __future__ import annotations

from typing import Any

from ._arrays import UINT8, Array, bytes_of, dtype_name, pad_bits
from ._move import _empty, _mover, _packed_form, _whole_shape, shape_for
from ._tilewright import ArrayMover, Shape


class Plan:
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

    def __init__(self, source: Shape | str, target: Shape | str) -> None:
        self.source = _whole_shape(source)
        element_type = self.source.element_type
        self.target = shape_for(target, element_type, self.source.dims)
        self._mover = _mover(self.source, self.target)
        self._dtypes = (_packed_form(self.source).dtype, _packed_form(self.target).dtype)
        self._run = ArrayMover(self._mover, *(dtype_name(dtype) for dtype in self._dtypes)).run

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

    def run(
        self, source: Array, out: Array | None = None, *, pad: Any = 0, threads: int | None = None
    ) -> Array:
        """Moves an array.

        Parameters
        ----------
        source : ndarray
            The source's bytes: C-contiguous, of its dtype or of uint8, in any dims.
        out : ndarray, optional
            As `source`, for the target; writable, and not overlapping `source`.
        pad, threads
            As for `pack`.

        Returns
        -------
        ndarray
            `out`; where none is given, a new array as `pack` returns it.

        Raises
        ------
        ValueError
            If an array has not the bytes that it should have, is not contiguous, not writable, or
            the two overlap.
        TypeError
            If an array is of another dtype.

        Examples
        --------
        >>> import numpy as np, tilewright as tw
        >>> plan = tw.Plan("u8[2,3]", "u8[2,3]{0,1}")
        >>> plan.run(np.arange(6, dtype=np.uint8), np.empty(6, np.uint8))
        array([0, 3, 1, 4, 2, 5], dtype=uint8)
        """
        if out is None:
            out = _empty(self.target)
        # A call is to take no longer than moving a kilobyte does.
        if not self._run(source, out, pad, threads):
            self._run_views(source, out, pad, threads)
        return out

    def _run_views(self, source: Array, out: Array, pad: Any, threads: int | None) -> None:
        """Moves any array that can be, and says what is wrong with one that cannot."""
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
