"""Answers that have parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ._layout import Layout


@dataclass(frozen=True)
class Bitcast:
    """Whether one array's memory is another's, as `Placement.bitcast` says. True if it is.

    Examples
    --------
    >>> import tilewright as tw
    >>> found = tw.Shape("f32[3,5]{1,0:T(2,2)}").bitcast("f32[5,3]{0,1:T(2,2)}")
    >>> bool(found), found.kind, found.permutation
    (True, 'transpose', (1, 0))
    >>> print(tw.Shape("f32[2]").bitcast("bf16[2]").reason)
    elements take 32 bits in one and 16 in the other
    """

    kind: str | None
    """``identity``, ``reshape``, ``transpose`` or ``transpose-reshape-transpose``; None if none."""
    permutation: tuple[int, ...] | None = None
    """Of a transpose: dimension i of the second array is dimension permutation[i] of the first."""
    steps: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None = None
    """Of the longer kind: transpose by this, reshape to this, transpose by this."""
    reason: str | None = None
    """Why not, with an index that shows it."""

    def __post_init__(self) -> None:
        if self.permutation is not None:
            object.__setattr__(self, "permutation", tuple(self.permutation))
        if self.steps is not None:
            object.__setattr__(self, "steps", tuple(map(tuple, self.steps)))

    def __bool__(self) -> bool:
        return self.kind is not None


class Fit(NamedTuple):
    """The layout that a table of offsets is, as `fit` finds it.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.fit([[10, 11], [12, 13]])
    Fit(base=10, layout=Layout('(2,2):(2,1):(2,2)'))
    """

    base: int
    """The offset at the index of zeros."""
    layout: Layout
    """The layout of the offsets beyond the base."""


Bitcast.__module__ = "tilewright"
Fit.__module__ = "tilewright"
