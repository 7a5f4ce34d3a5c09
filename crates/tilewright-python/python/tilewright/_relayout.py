"""Arrays from one layout to another, where it is settled what arrays and which layouts."""

from __future__ import annotations

import numpy as np

from ._arrays import Array, bytes_of, empty_on_a_line
from ._forms import check_target, destination, view_of
from ._movers import check_copies, lying, mover, pack_mover
from ._tilewright import Shape


def placed(
    x: Array, shape: Shape, bits: int, out: Array | None, threads: int | None, copies: bool
) -> Array:
    """A logical array of any strides, packed; `bits` are those of padding."""
    source = lying(x)
    target = destination(out, shape, source.memory)
    move = pack_mover(shape, source.how, copies)
    move.run(source.memory, bytes_of(target), bits, threads)
    if copies:
        check_copies(shape, bytes_of(target), source, source.memory)
    return target


def relaid(
    array: Array,
    before: Shape,
    after: Shape,
    bits: int,
    out: Array | None,
    threads: int | None,
    copies: bool,
) -> Array:
    """A packed array, C-contiguous, in another layout."""
    target = destination(out, after, array)
    mover(before, after, copies).run(bytes_of(array), bytes_of(target), bits, threads)
    if copies:
        check_copies(after, bytes_of(target), before, bytes_of(array))
    return target


def logical(
    array: Array, shape: Shape, out: Array | None, threads: int | None, copy: bool | None
) -> Array:
    """The logical array of a packed one, which is C-contiguous."""
    if not copy and out is None:
        try:
            return view_of(array, shape)
        except ValueError:
            if copy is False:
                raise
    dims, dtype = shape.dims, shape.dtype
    if out is None:
        out = empty_on_a_line(dims, dtype)
    elif not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}, expected an ndarray")
    elif out.shape != dims or out.dtype != dtype:
        raise ValueError(f"out is {out.dtype} {out.shape}, expected {dtype} {dims}")
    check_target(out, array)
    dense = out if out.flags.c_contiguous else empty_on_a_line(dims, dtype)
    mover(shape, shape.row_major()).run(bytes_of(array), bytes_of(dense), 0, threads)
    if dense is not out:
        out[...] = dense
    return out

