"""gguf-mixed.gguf: a small file of many types, with what its blocks stand for beside them.

Oracle: the package `gguf`, which writes the file, makes the blocks of the types that it can quantise
to, and turns all blocks into numbers. Of the other types the blocks are random bytes, with scales
that are numbers. For each quantised tensor `w.Q4_K` there is a tensor `values.Q4_K` of F32, which
`gguf` made of it. The metadata has every type of value.
"""

import os

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T

from tables import output_path

# Types that `gguf` can quantise to, and those that it can only read with the bytes of their f16.
QUANTISED = [T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0, T.TQ2_0, T.TQ1_0, T.MXFP4]
RANDOM = {
    T.Q2_K: [80, 82], T.Q3_K: [108], T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208],
    T.IQ4_NL: [0], T.IQ4_XS: [0], T.NVFP4: [],
}


def shape_of(type_):
    return 2, max(gguf.GGML_QUANT_SIZES[type_][0], 128)


def random_blocks(type_, shape, rng):
    elements, size = gguf.GGML_QUANT_SIZES[type_]
    blocks = rng.integers(0, 256, (shape[0], shape[1] // elements, size)).astype(np.uint8)
    for start in RANDOM[type_]:
        scales = rng.uniform(0.01, 2, blocks.shape[:2]).astype("<f2")
        blocks[..., start : start + 2] = scales[..., None].view(np.uint8)
    if type_ == T.NVFP4:
        blocks[..., :4] = rng.integers(1, 0x7F, blocks[..., :4].shape)
    return blocks.reshape(shape[0], -1)


def add_metadata(writer):
    writer.add_custom_alignment(64)
    writer.add_name("of many types")
    writer.add_uint8("test.u8", 200)
    writer.add_int8("test.i8", -100)
    writer.add_uint16("test.u16", 60000)
    writer.add_int16("test.i16", -30000)
    writer.add_uint32("test.u32", 4_000_000_000)
    writer.add_int32("test.i32", -2_000_000_000)
    writer.add_float32("test.f32", 0.5)
    writer.add_bool("test.bool", True)
    writer.add_uint64("test.u64", 1 << 63)
    writer.add_int64("test.i64", -(1 << 62))
    writer.add_float64("test.f64", 0.1)
    writer.add_array("test.tokens", [f"token {n}" for n in range(20)])
    writer.add_array("test.scores", [n / 4 for n in range(20)])


def add_plain(writer, rng):
    small = rng.integers(-100, 100, (3, 5))
    for name in ["float32", "float16", "float64", "int8", "int16", "int32", "int64"]:
        writer.add_tensor(f"plain.{name}", small.astype(name))
    bf16 = gguf.quantize(small.astype(np.float32), T.BF16)
    writer.add_tensor("plain.bfloat16", bf16, raw_dtype=T.BF16)


def main():
    path = output_path()
    rng = np.random.default_rng(2024)
    writer = gguf.GGUFWriter(path, "mixed")
    add_metadata(writer)
    add_plain(writer, rng)
    for type_ in [*QUANTISED, *RANDOM]:
        shape = shape_of(type_)
        if type_ in RANDOM:
            blocks = random_blocks(type_, shape, rng)
        else:
            blocks = gguf.quantize(rng.normal(size=shape).astype(np.float32), type_)
        writer.add_tensor(f"w.{type_.name}", blocks, raw_dtype=type_)
        values = gguf.dequantize(blocks, type_)
        assert np.isfinite(values).all()
        writer.add_tensor(f"values.{type_.name}", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    n_tensors = len(gguf.GGUFReader(path).tensors)
    print(f"{os.path.basename(path)}: {n_tensors} tensors, {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()
