"""The layouts with names."""

from __future__ import annotations

import json
from typing import NamedTuple

from ._tilewright import named_layouts


class Carrier(NamedTuple):
    """What a library stores a packed array as.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.layouts("awq")[0].carrier
    Carrier(dtype='I32', dims=(128, 8))
    """

    dtype: str
    """The type, as safetensors spells it."""
    dims: tuple[int, ...]
    """The dims of the array in the file."""


class NamedLayout(NamedTuple):
    """What the catalogue says of a layout. Texts and carrier are those of the example.

    Examples
    --------
    >>> import tilewright as tw
    >>> [marlin] = tw.layouts("marlin(a8)")
    >>> marlin.extents, marlin.carrier
    ('K % 16 = 0, with a8 K % 32 = 0; N % 64 = 0', Carrier(dtype='I32', dims=(8, 128)))
    """

    name: str
    """The name, with its arguments, as it stands behind ``@``."""
    summary: str
    """What it holds, and for which library and hardware."""
    element_types: tuple[str, ...]
    """The types of elements that it takes."""
    dims: str
    """The dimensions, by letters."""
    extents: str
    """Which extents it takes, and which are padded."""
    example: str
    """An array that it takes."""
    cute: str | None
    """The example's shape and stride."""
    xla: str | None
    """The example in XLA's notation."""
    carrier: Carrier
    """What the library stores the example as."""
    pad: int
    """The byte that fills padding."""
    xor: int
    """What the codes of the types in `xor_types` are XORed with."""
    xor_types: tuple[str, ...]
    """The types whose codes are stored with the topmost bit flipped."""
    source: str
    """Where it is written down."""


def layouts(names: str | None = None) -> list[NamedLayout]:
    """The layouts with names: of weights, scales and fragments.

    Parameters
    ----------
    names : str, optional
        Those whose names match: ``*`` is any text, ``?`` any character.

    Raises
    ------
    ValueError
        If no name matches.

    Examples
    --------
    >>> import tilewright as tw
    >>> [row.name for row in tw.layouts("marlin*")]
    ['marlin', 'marlin(a8)', 'marlin.scales']
    """
    rows = json.loads(named_layouts(names))
    for row in rows:
        row["carrier"] = Carrier(row["carrier"]["dtype"], tuple(row["carrier"]["dims"]))
        row["element_types"], row["xor_types"] = map(tuple, (row["element_types"], row["xor_types"]))
    return [NamedLayout(**row) for row in rows]
