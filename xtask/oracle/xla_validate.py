"""xla-validate.tsv: shapes that XLA's parser takes, sound and unsound, and what validation says.

Oracle: an HLO module whose one instruction has the shape is parsed, serialized and read back with
`HloModule.from_serialized_hlo_module_proto`, which runs `ShapeUtil::ValidateShape` and
`LayoutUtil::ValidateLayoutForShape` on it. The message is XLA's, less the status code. A tuple is
validated while it is parsed (`MakeValidatedTupleShape`), and there XLA gives no reason: the message
is empty. No tile has a `*`: its sentinel does not survive `Tile::FromProto`.
"""

import random

from isolate import certain
from shapes import (INDEX_TYPES, Array, Buffer, Layout, Tuple, distinct, escaped,
                    random_array, text)
from tables import header, output_path, write

N_ROWS = 1500

EDGES = """
f32[]|f32[0]|()|token[]|opaque[]|b(f32[3])|f32[?]|f32[<=3]|f32[3,5]{1,0:T(2,2,2)}|f32[0]{0:T(2)}
f32[3,5]{0,0}|f32[3,5]{2,0}|f32[3,5]{-1,0}|f32[3,5]{1,0:T()}|f32[3,5]{1,0:T(2)()}|f32[3,5]{1,0:T(0,2)}
f32[3,5]{1,0:T(2,2)(0)}|f32[3,5]{1,0:E(-4)}|f32[3,5]{1,0:E(64)}|f32[3,5]{1,0:#(s32)}|f32[3]{0:*(u8)}
f32[3,5]{1,0:#(f32)}|f32[3,5]{1,0:#(s32)*(s32)}|f32[3,5]{1,0:SC(5:2)}|f32[3,5]{1,0:SC(-1:2)}
f32[3,5]{1,0:SC(0:2)(0:1)}|f32[3,5]{1,0:SC(0:2,1)}|f32[3,5]{1,0:SC(0:1,1)}|f32[3,5]{1,0:SC(0:0)}
f32[3,5]{1,0:SC(0:3)}|f32[3,5]{0,1:SC(0:3)}|f32[3,5]{1,0:SC(0:)}|f32[3,5]{1,0:SC(0:-1)}|f32[]{:SC(0:1)}
f32[]{:T(0)}|f32[]{:T()}|f32[]{:E(-1)}|f32[?,<=5]{1,0:SC(0:2)}|f32[<=9]{0:SC(0:9)}|f32[3]{0:M(-3)}
f32[4611686018427387904]|f32[4611686018427387904,2]|f32[4611686018427387904,2,0]|f32[4611686018427387904,0]
s8[9223372036854775807]|s4[9223372036854775807]|pred[9223372036854775807]|s4[9223372036854775807]{0:E(4)}
s16[4611686018427387903]|s16[4611686018427387904]|c128[576460752303423487]|c128[576460752303423488]
f32[9223372036854775807,0]|f32[0,9223372036854775807,2]|f32[?,9223372036854775807,2]|f32[<=9223372036854775807,2]
s8[3037000500,3037000500]|s8[3037000499,3037000499]|f32[3]{0:T(9223372036854775807)}|f32[3]{0:L(9223372036854775807)}
(f32[3],f32[3]{0:T(2)})|(f32[3]{0:T()})|(f32[3,5]{0,0})|((f32[3]{0:E(-1)}))|(f32[4611686018427387904])
b(f32[3]{0:T()})|b(f32[3,5]{0,0})|b(f32[4611686018427387904])|f32[3,5]{0,0:T()}|f32[3,5]{0,5:E(-4)}
f32[3,5]{1,0:T()E(-4)SC(9:1)}|f32[3,5]{1,0:E(-4)SC(9:1)}|f32[3,5]{1,0:T(0)#(s32)}|f32[4611686018427387904,2]{0,0}
""".replace("\n", "|").strip("|").split("|")


def message(shape_text):
    """None where the shape is valid."""
    from jaxlib._hlo import HloModule, hlo_module_from_text

    entry = f"HloModule m\nENTRY e {{\n  ROOT p = {shape_text} parameter(0)\n}}\n"
    try:
        module = hlo_module_from_text(entry)
        HloModule.from_serialized_hlo_module_proto(module.as_serialized_hlo_module_proto())
    except Exception as error:
        return str(error)


def break_array(rng, array):
    """One thing made unsound, or at least strange. Never what ends the process, such as L(0)."""
    layout = array.layout
    rank = len(array.dims)
    match rng.randrange(9):
        case 0 if rank:
            layout.minor_to_major[rng.randrange(rank)] = rng.randrange(rank)
        case 1 if rank:
            layout.minor_to_major[rng.randrange(rank)] = rng.choice([rank, -1, rank + 1])
        case 2:
            layout.tiles = layout.tiles + [()]
        case 3:
            tile = [rng.choice([1, 2, 8]) for _ in range(rng.randint(1, 3))]
            tile[rng.randrange(len(tile))] = 0
            layout.tiles = [tuple(tile)] + layout.tiles
        case 4:
            layout.element_bits = -rng.randint(1, 64)
        case 5:
            layout.index_type = rng.choice(INDEX_TYPES)
        case 6:
            layout.pointer_type = rng.choice(INDEX_TYPES)
        case 7:
            indices = [rng.randint(-1, 9) for _ in range(rng.randint(0, 3))]
            layout.splits = layout.splits + [(rng.randint(-1, rank), indices)]
        case 8 if rank:
            array.dims[rng.randrange(rank)] = rng.choice([2**63 - 1, 2**62, 2**40, 2**32, 2**31])


def texts(rng):
    yield from EDGES
    while True:
        array = random_array(rng, rank=rng.choice([0, 1, 2, 2, 3, 4]), stars=False, sparse_types=False)
        array.layout = array.layout or Layout(list(range(len(array.dims)))[::-1])
        for _ in range(rng.choice([0, 0, 1, 1, 1, 2])):
            break_array(rng, array)
        roll = rng.random()
        if roll < 0.05:
            yield text(Buffer(array))
        elif roll < 0.1:
            yield text(Tuple([Array("f32", [3]), array]))
        else:
            yield text(array)


def verdict(shape_text, answer):
    if answer is None:
        return "valid", ""
    reason = answer.removeprefix("INVALID_ARGUMENT: ").strip()
    if reason.startswith("Syntax error") and shape_text.startswith("("):
        reason = ""
    assert not reason.startswith("Syntax error"), shape_text
    return "invalid", escaped(reason)


def main():
    wanted = distinct(texts(random.Random(4)), N_ROWS, longest=200)
    rows = [(escaped(t), *verdict(t, a)) for t, a in zip(wanted, certain(message, wanted))]
    write(output_path(), header(__file__, ["jaxlib"], "columns: text; valid or invalid; XLA's "
          "message, empty where a tuple is refused in parsing; \\t \\n \\\\ are escapes"), rows)


if __name__ == "__main__":
    main()
