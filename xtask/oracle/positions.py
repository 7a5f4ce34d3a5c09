"""Rows of the `catalogue-*.tsv` files: where an oracle puts the elements of an array with a name.

A row: the array as the catalogue writes it <tab> elements that the memory holds <tab> carrier, as
`I32[8,128]`, or `-` where the oracle has none <tab> the bits that are flipped in each element, in hex
<tab> the byte that places without an element hold, in hex, or `-` where there are none or the oracle
does not write them <tab> checksum <tab> element:place of some elements.

Elements are numbered, and the checksum goes over their places, in row-major order: it starts at 0, and
each place makes of `c` `c * 6364136223846793005 + place + 1`, all modulo 2**64, printed in hex.
"""

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
