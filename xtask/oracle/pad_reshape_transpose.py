"""pad-reshape-transpose.jsonl: where each element goes under tiled layouts, and the bytes there.

Oracle: numpy, doing to a whole array what XLA's document "Tiled layout" says in words: pad each
dimension to a multiple of its tile, reshape it into (outer, inner), transpose all the outers before
all the inners; repeat for the next tile on the dimensions that gave. No index arithmetic happens,
so nothing can share a mistake with code that computes offsets. Every offset is also checked here
against that other way, the nested formula of `LinearIndexForNestedTiling`
(`xla/layout_util.cc`), one index at a time, and both against the figures that XLA's documents and
tests give (`PUBLISHED`).

Rules: a tile longer than the rank acts on the dims with 1s prepended; a shorter one acts on the
minor dims; `*` merges a dim into the next more minor one. `PAD(a,b)` grows the logical dims before
the layout orders them. `E(n)` packs n bits an element, first element in the low bits, along the
linear order, the buffer rounded up to bytes once (`PackIntN`).

Rows, one JSON object a line:
  {"kind": "about", ...}: what made the file.
  {"kind": "offsets", "layout", "allocation", "physical_dims", "offsets"}: in elements; the offsets
    in row-major order of the logical index.
  {"kind": "bytes", "layout", "bits", "in_bits", "input", "output", "pad"}: `input` is the dense
    row-major array, hex, `in_bits` (whole bytes) an element; `output` the bytes under the layout,
    `bits` an element; `pad` one element as stored in `input`, which fills the padding. Elements
    narrower than a byte sit in its low bits under zeros, as `UnpackIntN` and ml_dtypes leave them.
"""

import itertools
import json
import math
import random

import numpy as np

from shapes import BITS, Array, Layout, permutation, random_dims, random_tile, random_tiles, text
from tables import header, output_path, write

N_OFFSETS = 800
N_BYTES_PER_WIDTH = 90
TYPES_BY_WIDTH = {
    1: ["pred", "s1", "u1"],
    2: ["s2", "u2"],
    4: ["s4", "u4", "f4e2m1fn"],
    8: ["s8", "u8", "pred", "f8e5m2", "f8e4m3fn", "f8e8m0fnu", "s4", "u2", "f6e3m2fn"],
    16: ["bf16", "f16", "s16", "u16"],
    32: ["f32", "s32", "u32"],
    64: ["f64", "s64", "u64", "c64"],
    128: ["c128"],
}


# One way: the whole array at once.

def physical(array, layout, fill):
    """The array (any dtype) as the layout puts it in memory; its shape is the physical dims."""
    if layout.padded is not None:
        array = grown(array, layout.padded, fill)
    array = array.transpose(layout.minor_to_major[::-1])
    for tile in layout.tiles:
        array = tiled(array, tile, fill)
    return array


def grown(array, dims, fill):
    out = np.full(dims, fill, array.dtype)
    out[tuple(slice(d) for d in array.shape)] = array
    return out


def tiled(array, tile, fill):
    array = array.reshape((1,) * (len(tile) - array.ndim) + array.shape)
    lead = array.ndim - len(tile)
    dims, sizes = list(array.shape[lead:]), list(tile)
    while "*" in sizes:
        i = sizes.index("*")
        dims[i : i + 2] = [dims[i] * dims[i + 1]]
        del sizes[i]
    kept = list(array.shape[:lead])
    counts = [math.ceil(d / t) for d, t in zip(dims, sizes)]
    array = grown(array.reshape(kept + dims), kept + [c * t for c, t in zip(counts, sizes)], fill)
    pairs = [n for pair in zip(counts, sizes) for n in pair]
    outers = range(lead, lead + len(pairs), 2)
    inners = range(lead + 1, lead + len(pairs), 2)
    return array.reshape(kept + pairs).transpose([*range(lead), *outers, *inners])


def offsets(dims, layout):
    """Physical dims, and the offset of every element in row-major order of its index."""
    numbers = np.arange(math.prod(dims)).reshape(dims)
    memory = physical(numbers, layout, fill=-1)
    flat = memory.ravel()
    found = np.empty(numbers.size, dtype=np.int64)
    found[flat[flat >= 0]] = np.flatnonzero(flat >= 0)
    return list(memory.shape), found.tolist()


# The other way: one index at a time.

def nested(index, dims, layout):
    """The physical index and the physical dims: e div t, then e mod t, tile by tile."""
    bounds = dims if layout.padded is None else layout.padded
    e = [index[i] for i in reversed(layout.minor_to_major)]
    d = [bounds[i] for i in reversed(layout.minor_to_major)]
    for tile in layout.tiles:
        missing = len(tile) - len(d)
        e, d = [0] * missing + e, [1] * missing + d
        lead = len(d) - len(tile)
        counts, outers, inners, bound, at = [], [], [], 1, 0
        for ei, di, t in zip(e[lead:], d[lead:], tile):
            bound, at = bound * di, at * di + ei
            if t != "*":
                counts.append(-(-bound // t))
                outers.append(at // t)
                inners.append(at % t)
                bound, at = 1, 0
        e = e[:lead] + outers + inners
        d = d[:lead] + counts + [t for t in tile if t != "*"]
    return e, d


def offset(index, dims, layout):
    linear = 0
    for ei, di in zip(*nested(index, dims, layout)):
        linear = linear * di + ei
    return linear


def physical_dims(dims, layout):
    return nested([0] * len(dims), dims, layout)[1]


# (dims, minor_to_major, tiles, {index: offset}, allocation): XLA's documents ("Tiled layout"),
# `layout_util_test.cc` and `index_util_test.cc`.
PUBLISHED = [
    ([2048], [0], [(1024,), (128,), (2, 1)], {(0,): 0, (128,): 1, (1,): 2}, 2048),
    ([2, 8, 128], [2, 1, 0], [(8, 128), (2, 1)], {(0, 0, 0): 0, (0, 2, 0): 256}, 2048),
    ([8, 4], [1, 0], [(2, 2)], {(3, 1): 11}, 32),
    ([8, 4], [1, 0], [], {(3, 1): 13}, 32),
    ([8], [0], [(2, 2)], {(5,): 9}, 16),
    ([3], [0], [(8, 128)], {(2,): 2}, 1024),
    ([], [], [(128,)], {(): 0}, 128),
    ([3, 5], [1, 0], [(2, 2)], {
        (i, j): row[j] for i, row in enumerate(
            [[0, 1, 4, 5, 8], [2, 3, 6, 7, 10], [12, 13, 16, 17, 20]]) for j in range(5)}, 24),
    ([4, 8], [1, 0], [(2, 4), (2, 1)], {
        (i, j): [0, 1, 16, 17][i] + 2 * j for i in range(4) for j in range(8)}, 32),
    ([8, 8], [1, 0], [(2, 4), (2, 1, 1, 1)], {(6, 5): 51}, 64),
    ([32, 256], [1, 0], [(8, 128), (2, 1, 1, 1)],
     {(8, 0): 1, (0, 1): 2, (16, 0): 4096, (0, 128): 2048, (31, 255): 8191}, 8192),
    ([8, 128], [1, 0], [(8, 128), (4, 1)], {(1, 0): 1, (3, 0): 3, (0, 1): 4, (4, 0): 512}, 1024),
    ([2, 7, 8, 11, 10], [4, 3, 2, 1, 0], [("*", "*", 2, "*", 3)],
     {(1, 2, 3, 4, 5): 8307, (1, 6, 7, 10, 9): 12430}, 12432),
    ([7, 9], [1, 0], [(2, 4), (3, 1)], {}, 144),
    ([100, 200], [1, 0], [(8, 128), (2, 1, 1, 1)], {}, 28672),
    ([7, 9], [1, 0], [(2, 4, 4)], {}, 192),
    ([10, 20], [0, 1], [], {(3, 5): 53, (9, 19): 199}, 200),
    ([10, 20], [1, 0], [], {(3, 5): 65}, 200),
    ([10, 20, 30], [2, 1, 0], [], {(3, 5, 7): 1957, (8, 15, 27): 5277}, 6000),
    ([10, 20, 30], [1, 2, 0], [], {(3, 5, 7): 1945, (8, 15, 27): 5355}, 6000),
    ([10, 20, 30, 40], [3, 2, 1, 0], [], {(3, 5, 7, 9): 78289, (8, 15, 27, 33): 211113}, 240000),
]


def check_published():
    for dims, order, tiles, points, allocation in PUBLISHED:
        layout = Layout(order, list(tiles))
        shape, all_offsets = offsets(dims, layout)
        assert math.prod(shape) == allocation, (dims, tiles, shape)
        for index, expected in points.items():
            number = np.ravel_multi_index(index, dims) if dims else 0
            assert all_offsets[number] == expected == offset(index, dims, layout), (dims, index)
    # s4[9216,6144] packed: XLA's ArraySize is 28311552 bytes.
    assert math.prod(tiled(np.empty((9216, 6144), "i1"), (64, 128), 0).shape) * 4 // 8 == 28311552
    bits = packed(np.array([[1], [2], [3]], np.uint8), 4)
    assert bits.hex() == "2103", bits.hex()


def packed(elements, bits):
    """Elements (rows of stored bytes) at `bits` each, the first in the low bits."""
    if bits >= 8:
        return elements.tobytes()
    as_bits = np.unpackbits(elements, axis=1, bitorder="little")[:, :bits]
    return np.packbits(as_bits.ravel(), bitorder="little").tobytes()


def random_case(rng, rank, longest, most):
    """Dims of at most `longest` elements, and a layout that takes at most `most` for them."""
    empty = rank and rng.random() < 0.06
    while True:
        dims = [max(d, 1) for d in random_dims(rng, rank, small=True)]
        if empty:
            dims[rng.randrange(rank)] = 0
        layout = Layout(permutation(rng, rank), case_tiles(rng, rank))
        if rank and rng.random() < 0.2:
            layout.padded = [d + rng.choice([0, 0, 1, 2, 3]) for d in dims]
            layout.padding = rng.choice([None, 0])
        # An empty dim counts as 1 here: numpy wants the other dims of an empty array small too.
        room = math.prod(max(d, 1) for d in physical_dims(dims, layout))
        if math.prod(dims) <= longest and room <= most:
            return dims, layout


def case_tiles(rng, rank):
    """No tile, one, or up to three; small ones mostly, so that rows stay short."""
    roll = rng.random()
    if roll < 0.06:
        return []
    if roll < 0.35:
        return [random_tile(rng, rank, small=True)]
    stars = rng.random() < 0.3
    tiles = random_tiles(rng, rank, stars, small=rng.random() < 0.85)
    if len(tiles) == 1 and roll < 0.8:
        tiles = tiles + [random_tile(rng, rank + len(tiles[0]), stars, small=True)]
    return tiles


def offsets_row(rng, rank):
    longest = rng.choice([20, 60, 150, 300])
    dims, layout = random_case(rng, rank, longest, most=20_000)
    shape, found = offsets(dims, layout)
    indices = itertools.product(*map(range, dims))
    assert found == [offset(index, dims, layout) for index in indices], (dims, layout)
    assert len(set(found)) == len(found) and shape == physical_dims(dims, layout)
    return {"kind": "offsets", "layout": text(Array("f32", dims, layout)),
            "allocation": math.prod(shape), "physical_dims": shape, "offsets": found}


def bytes_row(rng, name, bits):
    """A row for the element type at `bits` an element: its storage width, or E(bits)."""
    stored_bits = max(BITS[name], 8) if BITS[name] != 6 else 8
    most = 640 * 8 // max(bits, 4)
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6])
    dims, layout = random_case(rng, rank, longest=most // 2, most=most)
    if bits != stored_bits or rng.random() < 0.1:
        layout.element_bits = bits
    pad = None if layout.padding == 0 or rng.random() < 0.6 else random_elements(rng, name, 1)[0]
    elements = random_elements(rng, name, math.prod(dims))
    table = np.concatenate([elements, np.zeros_like(elements, shape=(1, elements.shape[1]))])
    if pad is not None:
        table[-1] = pad
    memory = physical(np.arange(math.prod(dims)).reshape(dims), layout, fill=-1)
    return {"kind": "bytes", "layout": text(Array(name, dims, layout)), "bits": bits,
            "in_bits": stored_bits, "input": elements.tobytes().hex(),
            "output": packed(table[memory.ravel()], bits).hex(), "pad": table[-1].tobytes().hex()}


def random_elements(rng, name, count):
    """Rows of stored bytes: any bit pattern of the type, NaN payloads and all."""
    bits = BITS[name]
    stored = np.frombuffer(rng.randbytes(count * max(bits // 8, 1)), np.uint8)
    stored = stored.reshape(count, max(bits // 8, 1)).copy()
    if bits < 8:
        stored &= (1 << bits) - 1
    return stored


def main():
    check_published()
    rng = random.Random(6)
    rows = [{"kind": "about", "made_by": header(__file__, ["numpy"], "see the script")[2:]}]
    for dims, order, tiles, _, allocation in PUBLISHED:
        if math.prod(dims) <= 300:
            layout = Layout(order, list(tiles))
            shape, found = offsets(dims, layout)
            rows.append({"kind": "offsets", "layout": text(Array("f32", dims, layout)),
                         "allocation": allocation, "physical_dims": shape, "offsets": found})
    for i in range(N_OFFSETS):
        rows.append(offsets_row(rng, rank=i % 7))
    for bits, names in TYPES_BY_WIDTH.items():
        for i in range(N_BYTES_PER_WIDTH):
            rows.append(bytes_row(rng, names[i % len(names)], bits))
    write(output_path(), "", [json.dumps(row, separators=(",", ":")) for row in rows])


if __name__ == "__main__":
    main()
