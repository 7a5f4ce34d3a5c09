"""What is wrong with a text, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a text: the place, what is wrong, what was expected, what would be right.

    Examples
    --------
    >>> import tilewright as tw
    >>> try:
    ...     tw.Shape("f32[3,5]{1,0:T(0,2)}")
    ... except tw.LayoutError as error:
    ...     print(error.diagnostic.span, error.diagnostic.expected)
    (15, 16) a size of 1 or more, or `*`
    """

    source: str
    """The text that was read."""
    span: tuple[int, int]
    """The first byte of it that this is about, and one past the last (of its UTF-8 bytes)."""
    message: str
    """What is wrong."""
    expected: str | None
    """What was expected in that place, if that is known."""
    help: str | None
    """What would be right, if that is known."""


class LayoutError(ValueError):
    """A text, a layout or a question about one that makes no sense.

    The message shows the place in the text with a caret; `diagnostic` has the same as data, and is
    None where no text is at fault.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.Shape("f32[3,5]{1,0:T(0,2)}")
    Traceback (most recent call last):
    ...
    tilewright.LayoutError: error: tile dimension 0 must be 1 or more, or `*`
      |
      | f32[3,5]{1,0:T(0,2)}
      |                ^ expected a size of 1 or more, or `*`
      = help: leave the dimension whole with a tile dimension of 1 or of its full size
    """

    diagnostic: Diagnostic | None

    def __init__(self, message: str, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(message)
        self.diagnostic = diagnostic


class OutOfRangeError(LayoutError, IndexError):
    """An index or an offset that is not there.

    Both a `LayoutError` and an ``IndexError``, as numpy's own for such an index.

    Examples
    --------
    >>> import tilewright as tw
    >>> try:
    ...     tw.Shape("f32[3,5]").offset((3, 0))
    ... except IndexError as error:
    ...     print(error)
    index 3 is out of bounds for dimension 0, which has 3 elements
    """


LayoutError.__module__ = "tilewright"
OutOfRangeError.__module__ = "tilewright"
Diagnostic.__module__ = "tilewright"
