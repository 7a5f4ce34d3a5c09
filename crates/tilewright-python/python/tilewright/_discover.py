"""The layout of a packing function, found by calling it, or between an array and its packed bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _tilewright
from ._arrays import as_array, element_type_of
from ._errors import LayoutError
from ._layout import Layout

Codes = npt.NDArray[Any]  # uint8, uint16 or uint32


class RecordField(NamedTuple):
    """Some neighbouring bits of each code of a record, and where they are.

    Examples
    --------
    >>> import tilewright as tw
    >>> found = tw.discover(lambda codes: codes[::2] | codes[1::2] << 4, 6, bits=4)
    >>> found.record.fields
    (RecordField(shift=0, bits=4, base=0, modes=((2, 4),)),)
    """

    shift: int
    """Which bit of the code is the lowest of these."""
    bits: int
    """How many there are, side by side in memory."""
    base: int
    """Where those of the first code begin, in bits from the start of the record."""
    modes: tuple[tuple[int, int], ...]
    """Extents, and strides in bits, of which the first varies fastest."""


class Record(NamedTuple):
    """Neighbouring codes and the bytes that hold them: rows consist of such records.

    Examples
    --------
    >>> import numpy as np
    >>> import tilewright as tw
    >>> def blocks(codes):  # of eight codes: a byte of something else, low bits, high bits
    ...     codes = codes.reshape(-1, 2, 4)
    ...     shifts = np.arange(0, 8, 2, np.uint8)
    ...     low, high = (((codes >> s & 3) << shifts).sum(2, np.uint8) for s in (0, 2))
    ...     return np.hstack([np.full((len(codes), 1), 60, np.uint8), low, high])
    >>> record = tw.discover(blocks, (3, 16), bits=4).record
    >>> record.elements, record.bytes
    (8, 5)
    >>> [(field.shift, field.base, field.modes) for field in record.fields]
    [(0, 8, ((8, 2),)), (2, 24, ((8, 2),))]
    """

    elements: int
    """How many codes."""
    bytes: int
    """How many bytes."""
    fields: tuple[RecordField, ...]
    """The bits of the codes, low ones first."""


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
    record: Record | None
    """The record that rows consist of: the fewest codes after which everything repeats, so many bytes
    on. None if rows are no whole records."""
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
    dims, bits = _dims(shape), _width(bits)
    carrier = _Carrier(function, bits)
    found = _tilewright.discover_codes(lambda codes: carrier.pack(codes, dims), dims, bits)
    return _discovery(found, dims, bits, carrier.seen[dims])


def _discovery(
    found: _tilewright.Discovered,
    dims: tuple[int, ...],
    bits: int,
    carrier: tuple[str, tuple[int, ...]],
) -> Discovery:
    return Discovery(
        dims=dims,
        bits=bits,
        text=found.text,
        layout=found.layout,
        xla=found.xla,
        counts_bits=found.counts_bits,
        record=_record(found),
        xor_mask=found.xor_mask,
        pad_value=found.pad_value,
        pad_bits=found.pad_bits,
        copies=found.copies,
        carrier=carrier,
        nbytes=found.nbytes,
        calls=found.calls,
        _offsets=found.offsets,
        _description=found.description,
    )


def _record(found: _tilewright.Discovered) -> Record | None:
    if found.record is None:
        return None
    elements, n_bytes, fields = found.record
    return Record(
        elements,
        n_bytes,
        tuple(
            RecordField(shift, bits, base, tuple(modes)) for shift, bits, base, modes in fields
        ),
    )


class _Carrier:
    """A packing function as one of bytes, and what it returned them in for each shape."""

    def __init__(self, function: Callable[[Codes], Any], bits: int) -> None:
        self._function = function
        self._codes = np.uint8 if bits <= 8 else np.uint16 if bits <= 16 else np.uint32
        self.seen: dict[tuple[int, ...], tuple[str, tuple[int, ...]]] = {}

    def pack(
        self, codes: npt.NDArray[np.uint32], dims: tuple[int, ...]
    ) -> npt.NDArray[np.uint8]:
        packed = _packed(self._function(codes.astype(self._codes).reshape(dims)))
        self.seen[dims] = packed.dtype.name, packed.shape
        return np.frombuffer(packed.tobytes(), np.uint8)


def _packed(x: Any) -> npt.NDArray[Any]:
    """A packed array; one of a foreign byte order stays as it is."""
    return x if isinstance(x, np.ndarray) else as_array(x)


@dataclass(frozen=True)
class DiscoveryOver:
    """What a packing function does at several shapes, as `discover_over` finds it.

    As a text it is the formula, or the reason why there is none.

    Examples
    --------
    >>> import tilewright as tw
    >>> over = tw.discover_over(lambda codes: codes.T.copy(), [(4, 6), (5, 9)], bits=8)
    >>> over.formula, over.at((100, 3))
    ('(d0,d1):(1,d0)', Layout('(100,3):(1,100)'))
    """

    found: tuple[Discovery, ...]
    """What it does at each shape."""
    formula: str | None
    """Shape and stride of dimensions `d0`, `d1`, and so on, right at all of these shapes. None where
    several formulas are, or none is."""
    reason: str | None
    """Why there is no formula."""
    _formula: _tilewright.Formula | None = field(repr=False, compare=False)

    def at(self, shape: int | Sequence[int]) -> Layout:
        """The layout that the formula says an array of another shape has.

        Over the dimensions and, where offsets count bits, the bit; merged ones are one dimension.

        Raises
        ------
        LayoutError
            If there is no formula, or it says nothing of such a shape.

        Examples
        --------
        >>> import tilewright as tw
        >>> over = tw.discover_over(lambda codes: codes.T.copy(), [(4, 6), (5, 9)], bits=8)
        >>> over.at((7, 2))
        Layout('(7,2):(1,7)')
        """
        formula, dims = self._known(), _dims(shape)
        base, layout = formula.at(dims)
        if base == 0:
            return layout
        return Layout(f"{formula.allocation(dims)}:1 o {base} o {layout}")

    def allocation(self, shape: int | Sequence[int]) -> int:
        """How many elements the packed array of another shape has, padding included; bits, where
        offsets count bits.

        Raises
        ------
        LayoutError
            As `at`.

        Examples
        --------
        >>> import numpy as np
        >>> import tilewright as tw
        >>> def to_whole_rows_of_8(codes):
        ...     return np.pad(codes, [(0, 0), (0, -codes.shape[1] % 8)])
        >>> over = tw.discover_over(to_whole_rows_of_8, [(4, 16), (5, 20), (6, 40)], bits=8)
        >>> over.formula, over.allocation((10, 17))
        ('(d0,d1):(8*ceil(d1/8),1)', 240)
        """
        return self._known().allocation(_dims(shape))

    def _known(self) -> _tilewright.Formula:
        if self._formula is None:
            raise LayoutError(f"there is no formula: {self.reason}")
        return self._formula

    def __str__(self) -> str:
        return self.formula if self.formula is not None else f"no formula: {self.reason}"


def discover_over(
    function: Callable[[Codes], Any], shapes: Sequence[int | Sequence[int]], bits: int = 4
) -> DiscoveryOver:
    """The layout that a packing function has as a function of the shape, from several shapes.

    Parameters
    ----------
    function : callable
        As `discover` takes it.
    shapes : sequence of shapes
        Two or more of one rank. Two that differ in every dimension show what depends on it, one that
        no tile divides what is padded, and a third one proves it.
    bits : int
        The width of a code, 1 to 32.

    Returns
    -------
    DiscoveryOver
        What the function does at each shape, and the formula, if there is one.

    Raises
    ------
    LayoutError
        As `discover`, at any of the shapes; if there are fewer than two, or they differ in rank.

    Examples
    --------
    >>> import numpy as np
    >>> import tilewright as tw
    >>> def gptq(codes):
    ...     words = np.zeros((codes.shape[0] // 8, codes.shape[1]), np.uint32)
    ...     for i in range(8):
    ...         words |= codes[i::8].astype(np.uint32) << (4 * i)
    ...     return words
    >>> over = tw.discover_over(gptq, [(64, 24), (40, 17)], bits=4)
    >>> print(over)
    ((8,ceil(d0/8)),d1):((1,8*d1),8)
    >>> over.at((4096, 11008))
    Layout('((8,512),11008):((1,88064),8)')
    """
    bits = _width(bits)
    all_dims = [_dims(shape) for shape in shapes]
    carrier = _Carrier(function, bits)
    over = _tilewright.discover_codes_over(carrier.pack, all_dims, bits)
    found = (
        _discovery(one, dims, bits, carrier.seen[dims])
        for one, dims in zip(over.found, all_dims, strict=True)
    )
    text = None if over.formula is None else str(over.formula)
    return DiscoveryOver(tuple(found), text, over.reason, over.formula)


@dataclass(frozen=True)
class Identification:
    """A layout that takes an array to packed bytes, as `identify` finds it.

    Examples
    --------
    >>> import numpy as np
    >>> import tilewright as tw
    >>> codes = np.random.default_rng(0).integers(0, 256, (4, 6, 8), np.uint8)
    >>> [found] = tw.identify(codes, codes.transpose(2, 0, 1))
    >>> found.name, found.text
    (None, '(4,6,8):(6,1,24)')
    """

    name: str | None
    """The name of the catalogue, if it has one: ``marlin``."""
    text: str
    """The array in it, ``u4[128,64]@marlin``; of a layout without a name its shape and stride, or
    what there is instead, in words."""
    xor_mask: int
    """The bits of each code that are stored flipped."""
    open: str | None
    """Which others fit as well, or may, and what data would settle it. None where nothing is open."""


def identify(logical: Any, packed: Any, bits: int | None = None) -> list[Identification]:
    """The layouts that take an array of codes to packed bytes: what ``tilewright identify`` says.

    The layouts with names are checked at every element; where none fits, the layout is looked for in
    the data.

    Parameters
    ----------
    logical : array_like
        Whole numbers of up to 32 bits, as they are before packing.
    packed : array_like
        The packed array, of any dtype. Only its bytes are looked at, in row-major order.
    bits : int, optional
        The width of a code, 1 to 32; without, as many as every number fits in: 1, 2, 3, 4, 8, 16 or
        the dtype's own, and then numbers of which none is below 0 are unsigned.

    Returns
    -------
    list of Identification
        Those that are right at every element; empty if there are none. Several, if the data does not
        tell them apart, or they are one layout at this shape.

    Raises
    ------
    LayoutError
        If a width is none, or the array is empty or too large to be looked at one by one.
    TypeError
        If the array is not one of whole numbers of up to 32 bits.

    Examples
    --------
    >>> import ml_dtypes
    >>> import numpy as np
    >>> import tilewright as tw
    >>> codes = np.random.default_rng(0).integers(0, 16, (128, 64), np.uint8)
    >>> packed = tw.pack(codes.astype(ml_dtypes.uint4), "u4[128,64]@awq")
    >>> [found] = tw.identify(codes, packed)
    >>> found.name, found.text
    ('awq', 'u4[128,64]@awq')
    """
    array = as_array(logical)
    element_type = element_type_of(array.dtype)
    if not _is_code(element_type.name) or element_type.storage_bits > 32:
        raise TypeError(
            f"{element_type.name} is no type of codes: whole numbers of up to 32 bits are"
        )
    if bits is not None:
        bits = _width(bits)
    elif element_type.bits < 8:
        bits = element_type.bits
    wide = array.astype(np.int64) & (1 << element_type.storage_bits) - 1
    found = _tilewright.identify_codes(
        np.ascontiguousarray(wide.astype(np.uint32)).reshape(-1),
        np.frombuffer(_packed(packed).tobytes(), np.uint8),
        array.shape,
        element_type.storage_bits,
        element_type.name.startswith("s"),
        bits,
    )
    return [Identification(*one) for one in found]


def _is_code(name: str) -> bool:
    """Whether an element type of this name, ``s8`` or ``u4``, is one of whole numbers."""
    return name[0] in "su" and name[1:].isdigit()


def _dims(shape: int | Sequence[int]) -> tuple[int, ...]:
    return tuple(map(index, shape)) if isinstance(shape, Sequence) else (index(shape),)


def _width(bits: int) -> int:
    bits = index(bits)
    if not 1 <= bits <= 32:
        raise LayoutError(f"codes have 1 to 32 bits, not {bits}")
    return bits
