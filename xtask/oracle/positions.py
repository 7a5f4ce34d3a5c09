"""Rows of the `catalogue-*.tsv` files: where an oracle puts the elements of an array with a name.

A row: the array as the catalogue writes it <tab> elements that the memory holds <tab> carrier, as
`I32[8,128]`, or `-` where the oracle has none <tab> the bits that are flipped in each element, in hex
<tab> the byte that places without an element hold, in hex, or `-` where there are none or the oracle
does not write them <tab> checksum <tab> element:place of some elements.

Elements are numbered, and the checksum goes over their places, in row-major order: it starts at 0, and
each place makes of `c` `c * 6364136223846793005 + place + 1`, all modulo 2**64, printed in hex.
"""

import math

import numpy as np

COLUMNS = "array, elements in memory, carrier, flipped bits, padding, checksum, element:place of some"


def checksum(places):
    total = 0
    for place in places:
        total = (total * 6364136223846793005 + place + 1) % 2**64
    return f"{total:x}"


def row(array, n_places, places, carrier="-", flipped=0, padding=None):
    places = [int(place) for place in places]
    assert len(set(places)) == len(places) and 0 <= min(places) and max(places) < n_places, array
    probes = sorted({(len(places) - 1) * probe // 3 for probe in (1, 2, 3)})
    probes = ",".join(f"{element}:{places[element]}" for element in probes)
    padding = "-" if padding is None else f"{padding:x}"
    return [array, str(n_places), carrier, f"{flipped:x}", padding, checksum(places), probes]


def places_by_bits(pack, dims, bits):
    """Where a packing function puts every bit, found by its answers to codes that differ in one bit.

    `pack` takes an array of unsigned codes and gives bytes. The answer: the place of bit `b` of element
    `i` at `[i, b]`, the packed bits, the codes' bits that are flipped, and the byte that the places
    without a code hold, if it is one.
    """
    n = math.prod(dims)

    def ask(codes):
        packed = np.frombuffer(bytes(pack(codes.reshape(dims))), np.uint8)
        return np.unpackbits(packed, bitorder="little").astype(bool)

    numbers = np.arange(n)
    zeros = ask(np.zeros(n, np.int64))
    owned = np.zeros(len(zeros), bool)
    places = np.empty((n, bits), np.int64)
    flipped = 0
    for bit in range(bits):
        held = np.flatnonzero(ask(np.full(n, 1 << bit)) != zeros)
        owners = np.zeros(len(zeros), np.int64)
        for digit in range(max(n - 1, 0).bit_length()):
            owners |= (ask((numbers >> digit & 1) << bit) != zeros).astype(np.int64) << digit
        assert sorted(owners[held]) == list(range(n)) and not owned[held].any()
        owned[held] = True
        places[owners[held], bit] = held
        assert len(set(zeros[held])) == 1
        flipped |= int(zeros[held[0]]) << bit
    rest = {int(byte) for byte, taken in zip(
        np.packbits(zeros, bitorder="little"), np.packbits(owned, bitorder="little")) if taken == 0}
    return places, len(zeros), flipped, rest.pop() if len(rest) == 1 else None


def packed_row(array, pack, dims, bits, carrier="-"):
    """A row of a packing function whose codes stay whole."""
    places, n_bits, flipped, padding = places_by_bits(pack, dims, bits)
    assert (places == places[:, :1] + np.arange(bits)).all() and (places[:, 0] % bits == 0).all()
    return row(array, n_bits // bits, places[:, 0] // bits, carrier, flipped, padding)


def moved_row(array, move, dims, n_places=None, carrier="-"):
    """A row of a function that moves whole elements of any type: it is given their numbers, from 1."""
    n = math.prod(dims)
    moved = np.asarray(move(np.arange(1, n + 1).reshape(dims))).ravel()
    places = np.full(n + 1, -1)
    is_element = (moved > 0) & (moved <= n)
    places[moved[is_element]] = np.flatnonzero(is_element)
    return row(array, n_places or len(moved), places[1:], carrier)
