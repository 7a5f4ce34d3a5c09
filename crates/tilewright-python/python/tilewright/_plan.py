"""Relayouts prepared once."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ._arrays import UINT8, Array, bytes_of, dtype_name
from ._errors import LayoutError
from ._forms import check_target, empty, packed_form, whole_shape
from ._movers import check_copies, lying, mover, pack_mover
from ._packed import LayoutLike, Packed, is_same, shape_in
from ._pads import DEFAULT, padding
from ._tilewright import ArrayMover, Shape


class Plan(ArrayMover):
    """A relayout prepared once, to be run many times.

    Parameters
    ----------
    source : Shape or str
        One without a layout is row-major, as a numpy array is.
    target : Shape, Layout or str
        As `shape_for` takes it.
    copies : bool
        As for `pack`.

    Raises
    ------
    ValueError
        If the two differ in dims or element type, or elements share a place of the target that are
        not said to be copies of each other.

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
    copies: bool
    """Whether elements that share a place of the target are copies of each other."""
    _dtypes: tuple[np.dtype[Any], np.dtype[Any]]

    def __new__(
        cls, source: Shape | str, target: LayoutLike, *, copies: bool = False
    ) -> Plan:
        source = whole_shape(source)
        target = shape_in(target, source)
        dtypes = packed_form(source).dtype, packed_form(target).dtype
        pad, _ = padding(DEFAULT, target)
        has_zero = str(source.element_type) != "f8e8m0fnu"  # of powers of two alone
        # Names that no array is borrowed by make a plan go the long way, which looks at what came
        # out.
        names = ("", "") if copies else (dtype_name(dtypes[0]), dtype_name(dtypes[1]))
        plan = super().__new__(cls, mover(source, target, copies), *names, pad, has_zero)
        plan.source, plan.target, plan.copies = source, target, copies
        plan._dtypes = dtypes
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
        return empty(self.target)

    def _run_views(self, source: Any, out: Any, pad: Any, threads: int | None) -> Any:
        """`run` of arrays that have to be viewed as bytes first, that know how they are packed, or
        that something is wrong with."""
        bits, text = padding(pad, self.target)
        array = _unlabelled(source, self.source, "the source")
        target = self._empty() if out is None else _unlabelled(out, self.target, "out")
        source_dtype, target_dtype = self._dtypes
        if array.dtype not in (source_dtype, UINT8):
            raise TypeError(f"the source is {array.dtype}, expected {source_dtype} or uint8")
        if target.dtype not in (target_dtype, UINT8):
            raise TypeError(f"out is {target.dtype}, expected {target_dtype} or uint8")
        self._move(array, target, bits, threads)
        if isinstance(out, Packed):
            out._pad = text
        if out is None and isinstance(source, Packed):
            return Packed(target, self.target, text)
        return target if out is None else out

    def _move(self, array: Array, target: Array, bits: int, threads: int | None) -> None:
        check_target(target, array)
        form, how = packed_form(self.source), None
        is_of_dims = (array.dtype, array.shape) == (form.dtype, form.dims)
        if is_of_dims and not array.flags.c_contiguous:
            if is_same(self.source, self.source.row_major()):
                how = lying(array)
            else:  # the dims of tiles, in another order: first as the layout has them
                array = np.ascontiguousarray(array)
        memory = bytes_of(array) if how is None else how.memory
        move = self._mover if how is None else pack_mover(self.target, how.how, self.copies)
        move.run(memory, bytes_of(target), bits, threads)
        if self.copies:
            check_copies(self.target, bytes_of(target), how or self.source, memory)

    def __reduce__(self) -> Any:
        if not self.copies:
            return Plan, (self.source, self.target)
        return partial(Plan, copies=True), (self.source, self.target)

    def __repr__(self) -> str:
        copies = ", copies=True" if self.copies else ""
        return f"Plan({str(self.source)!r}, {str(self.target)!r}{copies})"


def _unlabelled(array: Any, shape: Shape, name: str) -> Array:
    if isinstance(array, np.ndarray):
        return array
    if not isinstance(array, Packed):
        raise TypeError(f"{name} is a {type(array).__name__}, expected an ndarray or a Packed")
    if not is_same(array.shape, shape):
        raise LayoutError(f"{name} is packed as {array.shape}, and not as {shape}")
    return array.data


Plan.__module__ = "tilewright"
