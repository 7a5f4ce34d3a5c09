"""GGUF files: metadata, tensors, and the codes and scales that their blocks hold."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._tilewright import GgufFile

__all__ = ["ArrayStart", "Field", "File", "Tensor", "open"]


class ArrayStart(NamedTuple):
    """An array in the metadata: what it is, and how it begins."""

    element_type: str
    """The type of every element: ``u32``, ``text``."""
    length: int
    """How many there are."""
    first: tuple[Any, ...]
    """The first of them."""


class Tensor(NamedTuple):
    """A tensor, as a file lists it."""

    name: str
    type: str
    """Its type: ``Q4_K``."""
    dims: tuple[int, ...]
    """The sizes of its dimensions in elements, the row's length last."""
    file_offset: int
    """Where its blocks begin, in bytes from the start of the file."""
    nbytes: int
    """The bytes of its blocks."""


class Field(NamedTuple):
    """Bits of one part of a block's values, and where they lie."""

    name: str
    value: str
    """The values that these are bits of: ``codes``."""
    bits: int
    shift: int
    """Which bit of the value is the lowest of these."""
    base: int
    """Where the first value begins, in bits from the start of the block."""
    modes: tuple[tuple[int, int], ...]
    """Extents, and strides in bits, of which the first varies fastest."""


class File:
    """An open GGUF file; `open` makes one."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = GgufFile(path)
        self._tensors = {row[0]: _tensor(row) for row in self._file.tensors()}

    @property
    def version(self) -> int:
        """The version of the format: 2 or 3."""
        return self._file.version

    @property
    def alignment(self) -> int:
        """What every tensor begins at a multiple of, in bytes."""
        return self._file.alignment

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata. An array is an `ArrayStart`: vocabularies are long."""
        return {key: _value(value) for key, value in self._file.metadata().items()}

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors, as the file lists them."""
        return list(self._tensors.values())

    def __getitem__(self, name: str) -> Tensor:
        """The tensor of this name."""
        return self._tensors[name]

    def fields(self, name: str) -> list[Field]:
        """What the blocks of a tensor consist of."""
        return [Field(*row[:5], tuple(row[5])) for row in self._file.fields(name)]

    def blocks(self, name: str) -> npt.NDArray[np.uint8]:
        """The blocks of a tensor as they are in the file: bytes, a row of them for each row of the tensor."""
        bytes_ = self._file.read(name)
        dims = self._tensors[name].dims
        return bytes_.reshape((*dims[:-1], -1)) if dims else bytes_

    def codes(self, name: str) -> npt.NDArray[np.uint8]:
        """The codes of a tensor, one a byte, in its dims: what each element has in its block, unsigned.

        Raises
        ------
        ValueError
            If there is no such tensor, or its type is no layout (a codebook, a number in base 3) or has more than
            8 bits an element.
        """
        return self._file.codes(name).reshape(self._tensors[name].dims)

    def values(self, name: str, of: str) -> npt.NDArray[np.uint64]:
        """The values of a field of all blocks, such as the scales: of each row of the tensor as many as it has.

        Parameters
        ----------
        name : str
            The tensor.
        of : str
            A field's name, or that of the values that several fields are parts of: ``d``, ``scales``.

        Raises
        ------
        ValueError
            If there is no such tensor or field.
        """
        values = self._file.values(name, of)
        dims = self._tensors[name].dims
        return values.reshape((*dims[:-1], -1)) if dims else values


def open(path: str | os.PathLike[str]) -> File:
    """Opens a GGUF file and reads its head.

    Raises
    ------
    OSError
        If it cannot be read, is no GGUF file of version 2 or 3, or its head claims what cannot be: lengths beyond the
        file, tensors that overlap, an alignment of 0.
    """
    return File(path)


def _tensor(row: tuple[str, str, list[int], int, int]) -> Tensor:
    name, kind, dims, offset, nbytes = row
    return Tensor(name, kind, tuple(dims), offset, nbytes)


def _value(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    kind, length, first = value
    return ArrayStart(kind, length, tuple(map(_value, first)))
