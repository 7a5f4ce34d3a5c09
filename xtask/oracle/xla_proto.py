"""xla-proto.tsv: valid shape texts, and the bytes of each one's `ShapeProto`.

Oracle: `jaxlib._hlo.Shape(text).to_serialized_proto()`, XLA's `Shape::ToProto` and protobuf's own
serializer. No tile has a `*`: its sentinel does not survive `Tile::FromProto`.
"""

import random

from isolate import certain
from shapes import REAL, TYPES, distinct, escaped, random_shape, text
from tables import header, output_path, write

N_ROWS = 1500


def proto(shape_text):
    from jaxlib._hlo import Shape

    return Shape(shape_text).to_serialized_proto().hex()


def texts(rng):
    yield from (t for t in REAL if "*," not in t)
    yield from (f"{name}[2,3]" for name in TYPES)
    yield from ["()", "token[]", "opaque[]", "f32[]", "f32[0]", "f32[?]", "f32[<=3,5]", "b(f32[3])"]
    while True:
        yield text(random_shape(rng, stars=False))


def main():
    wanted = distinct(texts(random.Random(3)), N_ROWS, longest=300)
    rows = [(escaped(t), answer) for t, answer in zip(wanted, certain(proto, wanted))]
    write(output_path(), header(__file__, ["jaxlib"],
          "columns: text, hex of jaxlib._hlo.Shape(text).to_serialized_proto()"), rows)


if __name__ == "__main__":
    main()
