"""libtpu-bytes.tsv: how many bytes the TPU compiler gives an entry parameter, by its layout.

Oracle: libtpu, compiling ahead of time for a v5e (no TPU is needed). The identity is compiled with
the layout asked for; the text is the one the compiled module prints for its parameter, and the
bytes are its `memory_analysis().argument_size_in_bytes`. The compiler refuses some layouts and
dies of others; those make no row. Where it adds an attribute (T(1) becomes T(1)L(128)), the text has
it. The bytes follow XLA's `ShapeUtil::ArraySize`: the first tile pads, later ones are taken to fit.
"""

import functools
import os
import random
import re

from isolate import answers
from shapes import permutation, random_dims, random_tile, random_tiles
from tables import header, output_path, write

N_ASKED = 900
CHIP = "v5e:2x2"
NUMPY_NAMES = {
    "f32": "float32", "s32": "int32", "f16": "float16", "bf16": "bfloat16", "s16": "int16",
    "s8": "int8", "u8": "uint8", "pred": "bool", "f8e4m3fn": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2", "s4": "int4", "u4": "uint4", "s2": "int2",
}


@functools.cache
def device():
    os.environ.update(TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE="v5litepod-4", JAX_PLATFORMS="cpu")
    from jax.experimental.topologies import get_topology_desc

    return get_topology_desc(platform="tpu", topology_name=CHIP).devices[0]


def compiled_bytes(case):
    """(parameter as the compiled module prints it, bytes)."""
    target = device()  # sets the environment that importing jax reads
    import jax
    import ml_dtypes
    import numpy as np
    from jax.experimental.layout import Format, Layout

    type_name, dims, minor_to_major, tiles, bits = case
    sharding = jax.sharding.SingleDeviceSharding(target)
    form = sharding
    if tiles is not None:
        form = Format(Layout(tuple(minor_to_major[::-1]), tuple(tiles), bits), sharding)
    name = NUMPY_NAMES[type_name]
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    identity = jax.jit(lambda x: x, in_shardings=form, out_shardings=form)
    compiled = identity.lower(jax.ShapeDtypeStruct(tuple(dims), dtype)).compile()
    printed = re.search(r"entry_computation_layout=\{\((.*?)\)->", compiled.as_text()).group(1)
    return printed, compiled.memory_analysis().argument_size_in_bytes


def cases(rng):
    """(type, dims, minor_to_major, tiles, E); no tiles (None) asks for the compiler's choice."""
    while True:
        type_name = rng.choice(list(NUMPY_NAMES))
        rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5])
        dims = [max(d, 1) for d in random_dims(rng, rank, small=rng.random() < 0.5)]
        if rank > 3:
            dims = [min(d, 13) for d in dims]
        bits = {"s4": 4, "u4": 4, "s2": 2}.get(type_name, 0)
        roll = rng.random()
        if roll < 0.1:
            yield type_name, dims, [], None, 0
        elif roll < 0.3:
            yield type_name, dims, permutation(rng, rank), [random_tile(rng, rank)], bits
        else:
            tiles = random_tiles(rng, rank, small=rng.random() < 0.5)
            yield type_name, dims, permutation(rng, rank), tiles, bits


def main():
    source = cases(random.Random(5))
    asked = [next(source) for _ in range(N_ASKED)]
    rows = {}
    for case, answer in zip(asked, answers(compiled_bytes, asked, timeout=30)):
        if not isinstance(answer, Exception):
            rows[answer[0]] = str(answer[1])
    write(output_path(), header(__file__, ["libtpu", "jax"],
          f"columns: entry parameter, argument_size_in_bytes for {CHIP}"), list(rows.items()))


if __name__ == "__main__":
    main()
