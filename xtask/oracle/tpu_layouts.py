"""tpu-layouts.tsv: the default layout that TPU compilers give arrays, for every generation.

Oracle: libtpu, asked for the layout that an entry parameter has when none is asked for. Random arrays
of every element type and rank it takes. Generations that answer every question alike share a column; `=` is
for the same layout as in the column before.
"""

import random

from isolate import certain
from tables import header, output_path, write
from tpu import TOPOLOGIES, TYPES, default_layouts, random_array, text

N_ARRAYS = 6000
MOST_ELEMENTS = 2**45


def main():
    rng = random.Random(11)
    arrays = [random_array(rng, MOST_ELEMENTS, name, rank) for name in TYPES for rank in range(8)]
    arrays += [random_array(rng, MOST_ELEMENTS) for _ in range(N_ARRAYS)]
    arrays = list(dict.fromkeys(arrays))
    groups = {}
    for chip, layouts in zip(TOPOLOGIES, certain(default_layouts, [(c, arrays) for c in TOPOLOGIES])):
        groups.setdefault(tuple(layouts), []).append(chip)
    columns = ", its layout on ".join(["array", *(" ".join(chips) for chips in groups.values())])
    rows = [[text(array), *same_as_before(row)] for array, *row in zip(arrays, *groups)]
    write(output_path(), header(__file__, ["libtpu", "jax"], f"columns: {columns}"), rows)


def same_as_before(row):
    return [row[0], *("=" if new == old else new for old, new in zip(row, row[1:]))]


if __name__ == "__main__":
    main()
