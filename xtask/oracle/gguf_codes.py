"""gguf-codes.tsv: which bit of a block of ggml's types belongs to which value.

Oracle: the package `gguf`, whose `dequantize` turns blocks into numbers. Every bit of a block is
flipped alone, and the elements whose number changes are those that the bit belongs to: one element
for a bit of a code, a run of neighbours for a bit of a scale, all of them for a bit of `d`. Only
where the floats of a block lie is said here, since a random float may be NaN.

Which bit of its value a flipped bit is follows from how far the numbers move. In the block that is
flipped all other bits are 1; from there each higher bit moves a number further, whether codes are
unsigned, in two's complement, or entries of a list. Minima are told from scales by a block whose
codes are 0, where scales have nothing to multiply.

Rows, first the sizes of all types: `type`, name, number, elements and bytes of a block. Then
`bits`, name of the type, name of the value, number of the bit in the value <tab> the bit of the
block that this is for each value, in order.
"""

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T

from tables import header, output_path, write

ONE = {"f16": (0x3C00, 2), "e8m0": (127, 1), "e4m3": (0x38, 1)}

# Where the floats of a block lie: name, type, byte of the first, how many.
FLOATS = {
    T.Q4_0: [("d", "f16", 0, 1)],
    T.Q4_1: [("d", "f16", 0, 1), ("m", "f16", 2, 1)],
    T.Q5_0: [("d", "f16", 0, 1)],
    T.Q5_1: [("d", "f16", 0, 1), ("m", "f16", 2, 1)],
    T.Q8_0: [("d", "f16", 0, 1)],
    T.Q2_K: [("d", "f16", 80, 1), ("dmin", "f16", 82, 1)],
    T.Q3_K: [("d", "f16", 108, 1)],
    T.Q4_K: [("d", "f16", 0, 1), ("dmin", "f16", 2, 1)],
    T.Q5_K: [("d", "f16", 0, 1), ("dmin", "f16", 2, 1)],
    T.Q6_K: [("d", "f16", 208, 1)],
    T.IQ4_NL: [("d", "f16", 0, 1)],
    T.IQ4_XS: [("d", "f16", 0, 1)],
    T.TQ2_0: [("d", "f16", 64, 1)],
    T.MXFP4: [("scales", "e8m0", 0, 1)],
    T.NVFP4: [("scales", "e4m3", 0, 4)],
}

# Types without codes of their own, and the bits of their scale.
SCALES_ONLY = {
    **{t: list(range(16)) for t in (T.IQ2_XXS, T.IQ2_XS, T.IQ2_S, T.IQ3_XXS, T.IQ3_S, T.IQ1_S)},
    T.TQ1_0: list(range(416, 432)),
    T.IQ1_M: [384 + 16 * word + 12 + bit for word in range(4) for bit in range(4)],
}


def numbers(block, type_):
    """The bits of the numbers, so that 0 and -0 differ."""
    with np.errstate(all="ignore"):
        return gguf.dequantize(block[None, :], type_)[0].astype(np.float32)


def flipped(block, bit):
    block = block.copy()
    block[bit // 8] ^= 1 << bit % 8
    return block


def changed(block, bit, type_):
    """The elements that a bit belongs to, and how far the first of them moves."""
    before, after = numbers(block, type_), numbers(flipped(block, bit), type_)
    which = np.flatnonzero(before.view(np.uint32) != after.view(np.uint32))
    moved = abs(float(after[which[0]]) - float(before[which[0]])) if len(which) else 0.0
    return which.tolist(), moved


def with_floats(type_, byte):
    """A block of this byte everywhere, but 1.0 where there are floats."""
    block = np.full(gguf.GGML_QUANT_SIZES[type_][1], byte, np.uint8)
    for _, kind, start, count in FLOATS[type_]:
        one, width = ONE[kind]
        for place in range(count):
            block[start + place * width :][:width] = list(one.to_bytes(width, "little"))
    return block


def float_rows(type_, ones):
    """The bits of the floats, each of which has to change all elements of its run."""
    elements = gguf.GGML_QUANT_SIZES[type_][0]
    rows, taken = [], set()
    for name, kind, start, count in FLOATS[type_]:
        width = ONE[kind][1] * 8
        for bit in range(width):
            places = [start * 8 + place * width + bit for place in range(count)]
            for place, position in enumerate(places):
                which, _ = changed(ones, position, type_)
                ignored = kind == "e4m3" and bit == 7
                run = range(place * elements // count, (place + 1) * elements // count)
                assert which == ([] if ignored else list(run)), (type_, name, bit, which)
            taken.update(places)
            rows.append((name, bit, places))
    return rows, taken


def other_rows(type_, ones, taken):
    """The bits of codes, scales and minima."""
    zeros = with_floats(type_, 0)
    has_minima = any(name == "dmin" for name, *_ in FLOATS[type_])
    owners = {}
    for position in range(len(ones) * 8):
        if position in taken:
            continue
        which, moved = changed(ones, position, type_)
        assert which and which == list(range(which[0], which[-1] + 1)), (type_, position, which)
        if len(which) == 1:
            name = "codes"
        elif has_minima and changed(zeros, position, type_)[0]:
            name = "mins"
        else:
            name = "scales"
        owners.setdefault((name, which[0], len(which)), []).append((moved, position))
    return numbered(type_, owners)


def numbered(type_, owners):
    """For each value name and bit, the positions in order of the values."""
    elements = gguf.GGML_QUANT_SIZES[type_][0]
    rows = {}
    for (name, first, length), bits in sorted(owners.items()):
        moves = sorted(bits)
        assert len({moved for moved, _ in moves}) == len(moves), (type_, name, first, moves)
        for bit, (_, position) in enumerate(moves):
            places = rows.setdefault((name, bit), [])
            assert len(places) * length == first, (type_, name, first)
            places.append(position)
        assert elements % length == 0
    return [(name, bit, places) for (name, bit), places in rows.items()]


def scale_rows(type_, positions):
    """That flipping the scale's bits changes all elements, of a block of random codes."""
    rng = np.random.default_rng(0)
    block = rng.integers(1, 256, gguf.GGML_QUANT_SIZES[type_][1]).astype(np.uint8)
    for bit, position in enumerate(positions):
        if (block[position // 8] >> position % 8) & 1 != (0x3C00 >> bit) & 1:
            block = flipped(block, position)
    rows = []
    for bit, position in enumerate(positions):
        before, after = (numbers(b, type_) for b in (block, flipped(block, position)))
        assert (before != after)[before != 0].all(), (type_, bit)
        rows.append(("d", bit, [position]))
    return rows


def main():
    sizes = gguf.GGML_QUANT_SIZES
    rows = [["type", t.name, str(t.value), *map(str, size)] for t, size in sizes.items()]
    for type_ in FLOATS:
        ones = with_floats(type_, 0xFF)
        floats, taken = float_rows(type_, ones)
        found = floats + other_rows(type_, ones, taken)
        rows += [["bits", type_.name, name, str(bit), ",".join(map(str, places))]
                 for name, bit, places in found]
    for type_, positions in SCALES_ONLY.items():
        rows += [["bits", type_.name, name, str(bit), ",".join(map(str, places))]
                 for name, bit, places in scale_rows(type_, positions)]
    write(output_path(), header(__file__, ["gguf", "numpy"], "rows as the script says"), rows)


main()
