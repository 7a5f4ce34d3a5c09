"""Makes examples/weights.safetensors: a small model's weights, with awkward sizes.

Needs nothing but Python. The values are drawn with a fixed seed, so that every run writes the
same bytes:

    python3 examples/make_weights.py
"""

import json
import random
import struct
from pathlib import Path

ARRAYS = [
    # name, dtype, dims
    ("embedding.weight", "BF16", [1000, 300]),
    ("layers.0.attention.query.weight", "BF16", [300, 300]),
    ("layers.0.attention.output.weight", "BF16", [300, 257]),
    ("layers.0.mlp.weight", "BF16", [300, 517]),
    ("layers.0.norm.scale", "F32", [300]),
    ("layers.0.norm.bias", "F32", [300]),
    ("convolution.kernel", "F32", [3, 3, 17, 33]),
    ("head.quantized", "I8", [300, 1001]),
    ("head.scale", "F32", [1001]),
    ("head.mask", "BOOL", [7, 129]),
    ("codebook", "F8_E4M3", [33, 65]),
    ("positions", "I32", [1, 77]),
    ("step", "I64", []),
    ("unused", "F32", [0, 16]),
]


def f32(rng):
    return struct.pack("<f", rng.gauss(0, 0.02))


def bf16(rng):
    """The upper half of an f32."""
    return f32(rng)[2:]


def integer(bits):
    return lambda rng: rng.getrandbits(bits).to_bytes(bits // 8, "little")


ELEMENT = {
    "BF16": bf16,
    "F32": f32,
    "I8": integer(8),
    "I32": integer(32),
    "I64": integer(64),
    "F8_E4M3": integer(8),
    "BOOL": lambda rng: bytes([rng.getrandbits(1)]),
}


def count(dims):
    n = 1
    for size in dims:
        n *= size
    return n


def main():
    rng = random.Random(0)
    header = {"__metadata__": {"format": "pt", "about": "random weights of an imaginary model"}}
    data = bytearray()
    for name, dtype, dims in ARRAYS:
        begin = len(data)
        for _ in range(count(dims)):
            data += ELEMENT[dtype](rng)
        header[name] = {"dtype": dtype, "shape": dims, "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path = Path(__file__).with_name("weights.safetensors")
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    print(f"{path.name}: {len(ARRAYS)} arrays, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
