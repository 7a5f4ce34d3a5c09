"""Asks the TPU compiler (libtpu) about the formats of arrays, for every generation.

No TPU is needed: a topology is described, and the compiler works ahead of time for it. It dies of
some questions, so it is asked in a child process (`isolate`).
"""

import functools
import math
import os

from shapes import BITS, random_dims

TOPOLOGIES = {
    "v2": "v2:2x2", "v3": "v3:2x2", "v4": "v4:2x2x1", "v5e": "v5e:2x2", "v5p": "v5p:2x2x1",
    "v6e": "v6e:2x2", "v7x": "tpu7x:2x2x1",
}

# The compiler refuses 6-bit floats: "Invalid XLA PrimitiveType".
TYPES = [name for name in BITS if not name.startswith("f6e")]

NUMPY_NAMES = {
    "pred": "bool", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "c64": "complex64", "c128": "complex128", "f4e2m1fn": "float4_e2m1fn",
}


@functools.cache
def device(chip):
    os.environ.update(
        TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE="v5litepod-4", JAX_PLATFORMS="cpu",
        ALLOW_MULTIPLE_LIBTPU_LOAD="1",  # a lock on a device, and there is none
    )
    from jax.experimental.topologies import get_topology_desc

    return get_topology_desc(platform="tpu", topology_name=TOPOLOGIES[chip]).devices[0]


def dtype(name):
    import ml_dtypes
    import numpy as np

    if name.startswith("f8"):
        numpy_name = "float8_" + name[2:]
    else:
        numpy_name = NUMPY_NAMES.get(name) or {"s": "int", "u": "uint"}[name[0]] + name[1:]
    return np.dtype(getattr(ml_dtypes, numpy_name, None) or numpy_name)


def default_layouts(question):
    """The default layout of each array, as XLA prints layouts. The question is (chip, arrays)."""
    chip, arrays = question
    target = device(chip)
    return [str(target.client.get_default_layout(dtype(name), dims, target)) for name, dims in arrays]


def random_array(rng, most_elements, name=None, rank=None):
    """(type, dims): sizes of the kinds that decide something, up to rank 7, now and then none."""
    name = name or rng.choice(TYPES)
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7]) if rank is None else rank
    while True:
        kind = rng.random()
        if kind < 0.4:
            dims = random_dims(rng, rank)
        elif kind < 0.7:
            dims = [rng.randint(1, 20) for _ in range(rank)]
        elif kind < 0.8:  # what tiles of many rows divide
            dims = [rng.choice([32, 64, 96, 128, 256, 512, 1000]) for _ in range(rank)]
        else:
            dims = [int(2 ** rng.uniform(0, 14)) for _ in range(rank)]
        if math.prod(dims) <= most_elements:
            return name, tuple(dims)


def text(array):
    name, dims = array
    return f"{name}[{','.join(map(str, dims))}]"
