"""xla-text.tsv: valid shape texts, and what XLA prints for each.

Oracle: `str(jaxlib._hlo.Shape(text))`, XLA's own `ParseShape` (`xla/hlo/parser/hlo_parser.cc`)
followed by its own `Shape::ToString(/*print_layout=*/true)`. We generate only the input; the
expectation is XLA's. A missing layout is filled in by XLA's parser with the descending one.
"""

import random

from isolate import certain
from shapes import (REAL, TYPES, Array, Layout, Tuple, distinct, escaped, noisy, permutation, random_array,
                    random_dims, random_shape, text)
from tables import header, output_path, write

N_ROWS = 4000


def printed(shape_text):
    from jaxlib._hlo import Shape

    return str(Shape(shape_text))


def texts(rng):
    yield from REAL
    for name in TYPES:
        yield f"{name}[]"
        for rank in range(1, 8):
            dims = random_dims(rng, rank)
            yield text(Array(name, dims))
            yield text(Array(name, dims, Layout(permutation(rng, rank))))
    yield from ["f32[3,5]{1,0:}", "f32[]{:}", "()", "(())", "((),())", "token[]", "opaque[]"]
    yield from ["s8[9223372036854775807]", "f32[0]", "f32[0,0]{0,1}", "f32[<=0]", "f32[?]"]
    for count in range(0, 23):
        yield text(Tuple([random_array(rng, rank=rng.randint(0, 2), sparse_types=False) for _ in range(count)]))
    while True:
        shape = random_shape(rng)
        yield noisy(rng, shape) if rng.random() < 0.25 else text(shape)


def main():
    wanted = distinct(texts(random.Random(1)), N_ROWS, longest=600)
    rows = [(escaped(t), answer) for t, answer in zip(wanted, certain(printed, wanted))]
    write(output_path(), header(__file__, ["jaxlib"],
          "columns: text, str(jaxlib._hlo.Shape(text)); \\t \\n \\\\ are escapes"), rows)


if __name__ == "__main__":
    main()
