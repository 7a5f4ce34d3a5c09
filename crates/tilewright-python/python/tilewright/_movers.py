"""Relayouts prepared once for each pair of layouts, and arrays as they lie in numpy's memory."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ._arrays import UINT8, Array, Bytes, bytes_of, minor_to_major
from ._tilewright import ElementType, IndexMap, Mover, Placement, Shape

MOVED_AS_IT_LIES = 1 << 16
"""A smaller array that is dense in no order is copied: that takes less than planning a move."""

CHUNK = 1 << 20
"""Parts of an array are made in chunks of so many bytes."""


class Strides(NamedTuple):
    """A stride for each dimension and where the first element is, in elements from the lowest."""

    steps: tuple[int, ...]
    base: int
    length: int


class Lying(NamedTuple):
    """An array of logical dims as it lies: its memory, and how its elements lie there."""

    memory: Bytes
    how: tuple[int, ...] | Strides | None
    """Dense in an order, minor to major; strided; or row-major for None."""


def lying(x: Array) -> Lying:
    """An array of any strides, without a copy if it is large."""
    if x.flags.c_contiguous:
        return Lying(bytes_of(x), None)
    order = minor_to_major(x)
    if order is not None:
        return Lying(bytes_of(x.transpose(order[::-1])), order)
    strides = _strides(x) if x.nbytes >= MOVED_AS_IT_LIES else None
    if strides is None:
        return Lying(bytes_of(np.ascontiguousarray(x)), None)
    # From its lowest element to its highest: nothing but what the array itself spans.
    lowest = x[tuple(slice(-1, None) if step < 0 else slice(0, 1) for step in x.strides)]
    first = lowest.reshape(1).view(UINT8)
    memory = as_strided(first, (strides.length * x.itemsize,), (1,), writeable=False)
    return Lying(memory, strides)


def _strides(x: Array) -> Strides | None:
    """None where elements do not begin at multiples of their size."""
    if any(step % x.itemsize for step in x.strides):
        return None
    steps = tuple(step // x.itemsize for step in x.strides)
    base = sum(-step * (size - 1) for step, size in zip(steps, x.shape) if step < 0)
    length = 1 + sum(abs(step) * (size - 1) for step, size in zip(steps, x.shape))
    return Strides(steps, base, length)


@lru_cache(maxsize=256)
def mover(source: Shape, target: Shape, copies: bool = False) -> Mover:
    """From one packed array to another."""
    element_type = source.element_type
    if element_type is None or element_type != target.element_type:
        raise ValueError(f"{source} and {target} are of different element types")
    bits, flipped = element_type.bits, source.xor_mask ^ target.xor_mask
    return Mover(source, source.element_bits, target, target.element_bits, bits, copies, flipped)


@lru_cache(maxsize=256)
def pack_mover(
    shape: Shape, how: tuple[int, ...] | Strides | None, copies: bool = False
) -> Mover:
    """From an array of the logical dims that lies in numpy's memory."""
    element_type = _element_type(shape)
    source, storage = _placed(shape.dims, how), element_type.storage_bits
    bits, flipped = element_type.bits, shape.xor_mask
    return Mover(source, storage, shape, shape.element_bits, bits, copies, flipped)


@lru_cache(maxsize=256)
def part_mover(shape: Shape, order: tuple[int, ...] | None) -> Mover:
    """To a dense array of the logical dims, in small chunks: for parts of it."""
    element_type = _element_type(shape)
    target, storage = IndexMap.dense(shape.dims, order), element_type.storage_bits
    bits, flipped = element_type.bits, shape.xor_mask
    whole = Mover(shape, shape.element_bits, target, storage, bits, flipped=flipped)
    return whole.in_chunks_of(CHUNK)


def check_copies(shape: Shape, packed: Bytes, source: Shape | Lying, memory: Bytes) -> None:
    """That elements which share a place of a packed array are copies of each other: that what was
    packed comes out again. `source` is how that lies in `memory`."""
    if shape.is_injective():
        return
    element_type, dense = _element_type(shape), IndexMap.dense(shape.dims)
    bits, width, flipped = element_type.bits, element_type.storage_bits, shape.xor_mask
    if isinstance(source, Shape):
        placed: Placement = source
        width = source.element_bits
        flipped ^= source.xor_mask
    else:
        placed = _placed(shape.dims, source.how)
    before = _values(Mover(placed, width, dense, bits, bits, flipped=flipped), memory)
    after = _values(Mover(shape, shape.element_bits, dense, bits, bits), packed)
    differ = np.flatnonzero(before != after)
    if len(differ):
        index = np.unravel_index(int(differ[0]) * 8 // bits, shape.dims)
        at = tuple(int(part) for part in index)
        raise ValueError(f"elements that share a place in {shape} are no copies: see index {at}")


def _values(mover: Mover, memory: Bytes) -> Bytes:
    values = np.empty(mover.target_bytes, UINT8)
    mover.run(memory, values)
    return values


def _placed(dims: tuple[int, ...], how: tuple[int, ...] | Strides | None) -> IndexMap:
    if not isinstance(how, Strides):
        return IndexMap.dense(dims, how)
    shape, steps = (",".join(map(str, numbers)) for numbers in (dims, how.steps))
    return IndexMap(f"({how.length}):(1) o {how.base} o ({shape}):({steps})")


def _element_type(shape: Shape) -> ElementType:
    if shape.element_type is None:
        raise ValueError(f"{shape} is no array")
    return shape.element_type
