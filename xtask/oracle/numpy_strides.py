"""numpy-strides.tsv: views of arrays, their strides in bytes, and where each element begins.

Oracle: numpy, with the types of `ml_dtypes`. Views are made by transposing, flipping, stepping,
broadcasting, adding dimensions and sliding windows; nothing here computes a stride or an address.
An element's place is the address of the view that holds it alone.

Rows: numpy's words for the view, `dtype shape strides` <tab> lowest byte <tab> bytes from there to
the end of the highest element <tab> the byte at which each element begins, in row-major order of
the index. Bytes count from the element whose index is all zeros. Without elements all are 0 or
empty.
"""

import itertools
import random

import ml_dtypes
import numpy as np

from tables import header, output_path, write

N_VIEWS = 600
MOST_ELEMENTS = 48
TYPES = [
    np.float32, np.float64, np.float16, np.int8, np.uint16, np.int32, np.int64, np.bool_,
    np.complex64, np.complex128, ml_dtypes.bfloat16, ml_dtypes.int4, ml_dtypes.uint2,
    ml_dtypes.float8_e4m3fn, ml_dtypes.float4_e2m1fn, ml_dtypes.float8_e8m0fnu,
]


def flipped(rng, array):
    axis = rng.randrange(array.ndim)
    return np.flip(array, axis)


def stepped(rng, array):
    axis = rng.randrange(array.ndim)
    cut = slice(rng.randrange(2), None, rng.choice([2, 3, -2]))
    return array[(slice(None),) * axis + (cut,)]


def transposed(rng, array):
    return array.transpose(rng.sample(range(array.ndim), array.ndim))


def broadcast(rng, array):
    return np.broadcast_to(array, (rng.randint(1, 3), *array.shape))


def expanded(rng, array):
    return np.expand_dims(array, rng.randint(0, array.ndim))


def windowed(rng, array):
    axis = rng.randrange(array.ndim)
    window = min(2, array.shape[axis])
    if window == 0:
        return array
    return np.lib.stride_tricks.sliding_window_view(array, window, axis)


def random_view(rng):
    shape = [rng.randint(1, 5) for _ in range(rng.randint(0, 3))]
    if shape and rng.random() < 0.04:
        shape[rng.randrange(len(shape))] = 0
    array = np.zeros(shape, rng.choice(TYPES), order=rng.choice("CF"))
    for _ in range(rng.randint(0, 3)):
        needs_a_dimension = [flipped, stepped, windowed] if array.ndim else []
        array = rng.choice([transposed, broadcast, expanded, *needs_a_dimension])(rng, array)
    return array


def address(array):
    return array.__array_interface__["data"][0]


def places(array):
    """Where each element begins, in bytes from the element whose index is all zeros."""
    indices = itertools.product(*map(range, array.shape))
    alone = (array[..., *(slice(i, i + 1) for i in index)] for index in indices)
    return [address(element) - address(array) for element in alone]


def row(array):
    begins = places(array)
    low, high = np.lib.array_utils.byte_bounds(array) if begins else [address(array)] * 2
    text = f"{array.dtype.name} {array.shape} {array.strides}"
    return [text, str(low - address(array)), str(high - low), ",".join(map(str, begins))]


def main():
    rng = random.Random("numpy-strides")
    rows = {}
    while len(rows) < N_VIEWS:
        array = random_view(rng)
        if array.size <= MOST_ELEMENTS and array.ndim <= 6:
            made = row(array)
            rows.setdefault(made[0], made)
    head = header(__file__, ["numpy", "ml_dtypes"], "array, lowest byte, bytes, first bytes")
    write(output_path(), head, list(rows.values()))


main()
