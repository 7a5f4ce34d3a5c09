"""The ``reshape`` codec of zarr-extensions, for zarr-python.

Of its configuration this reads shapes of integers, which is what `tilewright.zarr` writes, and one
-1. zarr-python finds it by the entry point ``zarr.codecs``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from zarr.abc.codec import ArrayArrayCodec
from zarr.core.common import parse_named_configuration


@dataclass(frozen=True)
class ReshapeCodec(ArrayArrayCodec):  # type: ignore[misc]
    """An array as one of other dims, its elements in the same row-major order."""

    shape: tuple[int, ...]
    is_fixed_size = True

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ReshapeCodec:
        _, configuration = parse_named_configuration(data, "reshape")
        shape = tuple(configuration["shape"])
        if not all(isinstance(size, int) for size in shape):
            raise ValueError("reshape: only dims that are integers are supported")
        return cls(shape)

    def to_dict(self) -> dict[str, Any]:
        return {"name": "reshape", "configuration": {"shape": list(self.shape)}}

    def resolve_metadata(self, chunk_spec: Any) -> Any:
        return replace(chunk_spec, shape=self._dims(chunk_spec.shape))

    def validate(self, *, shape: Any, dtype: Any, chunk_grid: Any) -> None:
        return None

    async def _decode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        return chunk_data.reshape(chunk_spec.shape)

    async def _encode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        return chunk_data.reshape(self._dims(chunk_spec.shape))

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        return input_byte_length

    def _dims(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if -1 not in self.shape:
            return self.shape
        rest = prod(size for size in self.shape if size != -1)
        return tuple(prod(shape) // rest if size == -1 else size for size in self.shape)
