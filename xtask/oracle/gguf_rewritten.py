"""gguf-rewritten.tsv: the file of `gguf-mixed.gguf` with its tensor of Q4_0 as one of Q4_1.

Oracle: the package `gguf`, which writes the file. The codes are the same, and `d (c - 8)` is `d c + m`
with `m = -8 d`: that the new blocks stand for the very numbers is asked of `gguf` too, before they are
written and after they are read back.

One row: the length of the file in bytes <tab> a checksum over its bytes: it starts at 0, and each byte
makes of `c` `c * 6364136223846793005 + byte + 1`, all modulo 2**64, printed in hex.
"""

import os
import tempfile

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T

from gguf_mixed import add_metadata
from positions import checksum
from tables import header, output_path, write


def as_q4_1(blocks):
    """Blocks of Q4_0 as blocks of Q4_1: `d` as it is, `m`, and the bytes of the codes as they are."""
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 18)
    d = np.ascontiguousarray(blocks[..., :2]).view("<f2")
    m = (d * np.float16(-8)).view(np.uint8)
    return np.concatenate([blocks[..., :2], m, blocks[..., 2:]], axis=-1).reshape(*blocks.shape[:-2], -1)


def rewritten(path, tensors):
    writer = gguf.GGUFWriter(path, "mixed")
    add_metadata(writer)
    for tensor in tensors:
        data, type_ = tensor.data, tensor.tensor_type
        if tensor.name == "w.Q4_0":
            data, type_ = as_q4_1(tensor.data), T.Q4_1
            numbers = gguf.dequantize(tensor.data, T.Q4_0)
            assert (gguf.dequantize(data, type_) == numbers).all()
        is_plain = tensor.tensor_type.name in ("F32", "F16", "F64", "I8", "I16", "I32", "I64")
        writer.add_tensor(tensor.name, np.ascontiguousarray(data), raw_dtype=None if is_plain else type_)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    path = output_path()
    mixed = gguf.GGUFReader(os.path.join(os.path.dirname(path), "gguf-mixed.gguf"))
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made.gguf")
        rewritten(made, mixed.tensors)
        [tensor] = [each for each in gguf.GGUFReader(made).tensors if each.name == "w.Q4_0"]
        [before] = [each for each in mixed.tensors if each.name == "values.Q4_0"]
        assert (gguf.dequantize(tensor.data, tensor.tensor_type) == before.data).all()
        with open(made, "rb") as file:
            data = file.read()
    write(path, header(__file__, ["gguf", "numpy"], "bytes, checksum"), [[str(len(data)), checksum(data)]])


main()
