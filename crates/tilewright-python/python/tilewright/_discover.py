"""The layout of a packing function, found by calling it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _tilewright
from ._arrays import as_array
from ._errors import LayoutError
from ._layout import Layout

Codes = npt.NDArray[Any]  # uint8, uint16 or uint32


@dataclass(frozen=True)
class Discovery:
    """What a packing function does to an array of one shape, as `discover` finds it.

    As a text it is a description for people.

    Examples
    --------
    >>> import tilewright as tw
    >>> print(tw.discover(lambda codes: (codes ^ 8).T.copy(), (4, 6), bits=8))
    codes         u8[4,6]
    layout        (4,6):(1,4)
    offsets in    elements
    as XLA's      {0,1}
    flipped bits  0x8
    padding       none
    packed        24 bytes, seen in 49 calls
    """

    dims: tuple[int, ...]
    """The shape of the codes."""
    bits: int
    """The width of a code."""
    text: str
    """Shape and stride; or what there is instead, in words."""
    layout: Layout | None
    """The layout, of the codes or, if `counts_bits`, of them and a last dimension of their bits."""
    xla: str | None
    """The same as XLA writes it, if it can."""
    counts_bits: bool
    """Whether offsets count bits: where the bits of a code are not side by side."""
    xor_mask: int
    """The bits of each code that are stored flipped."""
    pad_value: int | None
    """What padding holds: elements if they are whole, else bytes or bits. None without padding, or
    if it is not the same throughout."""
    pad_bits: int
    """How many packed bits hold no code."""
    copies: int
    """How many packed bits repeat what another holds."""
    carrier: tuple[str, tuple[int, ...]]
    """The dtype and the shape of what the function returns."""
    nbytes: int
    """The bytes of that."""
    calls: int
    """How often the function was called."""
    _offsets: npt.NDArray[np.int64] = field(repr=False, compare=False)
    _description: str = field(repr=False, compare=False)

    def offsets(self) -> npt.NDArray[np.int64]:
        """The offset of each code, or, if `counts_bits`, of each of its bits.

        Known whether there is a layout or not.

        Examples
        --------
        >>> import tilewright as tw
        >>> tw.discover(lambda codes: codes[[1, 0, 3, 2]].copy(), 4, bits=8).offsets()
        array([1, 0, 3, 2])
        """
        return self._offsets.copy()

    def __str__(self) -> str:
        return self._description


def discover(
    function: Callable[[Codes], Any], shape: int | Sequence[int], bits: int = 4
) -> Discovery:
    """The layout that a packing function has, found by calling it.

    The function is called ``bits * (1 + ceil(log2 n)) + 1`` times for n codes: with codes without a
    pattern, with one bit of all of them flipped, and with that bit of every code flipped whose number
    has another bit.

    Parameters
    ----------
    function : callable
        Takes a new array of codes below ``2**bits`` of this shape, uint8, uint16 or uint32, whichever
        holds them; returns the packed array: anything that is an array by numpy's protocol, DLPack
        or the buffer protocol, torch's tensors among them, of any dtype. Only its bytes are looked
        at, in row-major order.
    shape : int or sequence of int
        As small as shows the whole pattern: some tiles along each dimension.
    bits : int
        The width of a code, 1 to 32.

    Returns
    -------
    Discovery
        The layout. Where the codes are moved but by no layout, that is None, and the offsets are
        there all the same.

    Raises
    ------
    LayoutError
        If the function does more than to move and flip bits; the message names the bit that shows it.
        If the shape is empty or too large, or the width none. What the function raises is passed on.

    Examples
    --------
    >>> import numpy as np
    >>> import tilewright as tw
    >>> def gptq(codes):
    ...     words = np.zeros((codes.shape[0] // 8, codes.shape[1]), np.uint32)
    ...     for i in range(8):
    ...         words |= codes[i::8].astype(np.uint32) << (4 * i)
    ...     return words
    >>> found = tw.discover(gptq, (32, 6), bits=4)
    >>> found.layout, found.carrier
    (Layout('((8,4),6):((1,48),8)'), ('uint32', (4, 6)))
    >>> tw.discover(lambda codes: codes & 3, (4, 6), bits=3)
    Traceback (most recent call last):
    ...
    tilewright.LayoutError: not a layout: bit 2 of element 0 is in no packed bit
    """
    dims = tuple(map(index, shape)) if isinstance(shape, Sequence) else (index(shape),)
    bits = index(bits)
    if not 1 <= bits <= 32:
        raise LayoutError(f"codes have 1 to 32 bits, not {bits}")
    carrier = _Carrier(function, dims, bits)
    found = _tilewright.discover_codes(carrier.pack, dims, bits)
    return Discovery(
        dims=dims,
        bits=bits,
        text=found.text,
        layout=found.layout,
        xla=found.xla,
        counts_bits=found.counts_bits,
        xor_mask=found.xor_mask,
        pad_value=found.pad_value,
        pad_bits=found.pad_bits,
        copies=found.copies,
        carrier=(carrier.dtype, carrier.shape),
        nbytes=found.nbytes,
        calls=found.calls,
        _offsets=found.offsets,
        _description=found.description,
    )


class _Carrier:
    """A packing function as one of bytes, and what it returned them in."""

    def __init__(
        self, function: Callable[[Codes], Any], dims: tuple[int, ...], bits: int
    ) -> None:
        self._function = function
        self._dims = dims
        self._codes = np.uint8 if bits <= 8 else np.uint16 if bits <= 16 else np.uint32
        self.dtype = ""
        self.shape: tuple[int, ...] = ()

    def pack(self, codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
        packed = self._function(codes.astype(self._codes).reshape(self._dims))
        if not isinstance(packed, np.ndarray):  # one of a foreign byte order stays as it is
            packed = as_array(packed)
        self.dtype, self.shape = packed.dtype.name, packed.shape
        return np.frombuffer(packed.tobytes(), np.uint8)
