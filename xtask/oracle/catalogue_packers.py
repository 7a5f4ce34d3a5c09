"""catalogue-packers.tsv: where the packing functions of quantisation libraries put every element.

Oracle: the functions themselves, of the packages that `requirements-packers.txt` pins, run by torch on
the CPU: AutoGPTQ's, AutoAWQ's, vLLM's, compressed-tensors', torchao's, FlashInfer's, AITER's and aten's
own. Each is a black box from codes to bytes, whose answers to codes that differ in one bit are compared.
FlashInfer's offsets of scales are functions for device and host in a header, compiled here by g++.
Needs a CPU with AVX-512 for one of aten's layouts. Rows are those of `positions.py`.
"""

import functools
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import types

import numpy as np
import torch
from torch import nn

from positions import COLUMNS, moved_row, packed_row, places_by_bits, row
from tables import header, output_path, write
from upstream import source, take

PACKAGES = [
    "amd-aiter", "auto-gptq", "autoawq", "compressed-tensors", "flashinfer-python", "sglang", "torch",
    "torchao", "vllm",
]
GIVEN = {"torch": torch, "nn": nn, "np": np, "math": math, "functools": functools}
NO_MODEL_LIBRARY = types.SimpleNamespace(pytorch_utils=types.SimpleNamespace(Conv1D=()))


def text(dims):
    return ",".join(map(str, dims))


def carrier_of(tensor, name):
    return f"{name}[{text(tensor.shape)}]"


def linear(weights):
    """A layer of these weights, which libraries have as [N,K]."""
    weights = torch.as_tensor(weights)
    made = nn.Linear(weights.shape[1], weights.shape[0], bias=False)
    made.weight.data = weights.float()
    return made


class Pack:
    """A packing function of tensors, which remembers the shape of what it gave."""

    def __init__(self, function, carrier):
        self.function, self.name, self.carrier = function, carrier, "-"

    def __call__(self, codes):
        packed = self.function(codes).contiguous()
        self.carrier = carrier_of(packed, self.name)
        return packed.view(torch.uint8).numpy().tobytes()

    def row(self, array, dims, bits):
        found = packed_row(array, self, dims, bits)
        return [*found[:2], self.carrier, *found[3:]]


def gptq():
    """AutoGPTQ's qweight and qzeros; zero points are stored less one."""
    path = "auto_gptq/nn_modules/qlinear/qlinear_cuda.py"
    none = {"_autogptq_cuda_available": False, "autogptq_cuda_256": None, "autogptq_cuda_64": None}
    given = {**GIVEN, **none, "transformers": NO_MODEL_LIBRARY}
    layer = take("auto-gptq", path, ["QuantLinear"], **given).QuantLinear

    def packed(codes, zeros, bits):
        k, n = codes.shape
        made = layer(bits, k // len(zeros), k, n, False, weight_dtype=torch.float32)
        # The code is what the weight and the zero point, of scale 1, come to.
        weights = codes - np.repeat(zeros, k // len(zeros), axis=0)
        made.pack(linear(weights.T), torch.ones(n, len(zeros)), torch.tensor(zeros.T).float())
        return made

    for bits, all_dims in ((2, [(32, 32), (64, 96)]), (4, [(64, 32), (32, 96)]), (8, [(32, 32), (64, 64)])):
        for dims in all_dims:
            pack = Pack(lambda c, b=bits: packed(c, np.ones((1, c.shape[1])), b).qweight, "I32")
            yield pack.row(f"u{bits}[{text(dims)}]@gptq", dims, bits)
        for dims in [(1, 32), (3, 64)]:
            weights = np.zeros((32 * dims[0], dims[1]), np.int64)
            pack = Pack(lambda z, w=weights, b=bits: packed(w, z + 1, b).qzeros, "I32")
            yield pack.row(f"u{bits}[{text(dims)}]@gptq.zeros", dims, bits)
    for dims in [(32, 32), (64, 96)]:
        pack = Pack(lambda c: packed(c, np.ones((1, c.shape[1])), 3).qweight, "I32")
        places, n_bits, flipped, padding = places_by_bits(pack, dims, 3)
        array = f"pred[{text(dims)},3]@gptq"
        yield row(array, n_bits, places.ravel(), pack.carrier, flipped, padding)


def awq():
    """AutoAWQ's three formats."""
    given = {**GIVEN, "get_best_device": lambda: "cpu"}
    gemm = take("autoawq", "awq/modules/linear/gemm.py", ["WQLinear_GEMM"], **given).WQLinear_GEMM

    def weights(codes):
        ones = torch.ones(1, codes.shape[1])
        return gemm.from_linear(linear(codes.T), 4, len(codes), scales=ones, zeros=0 * ones).qweight

    def zeros(codes):
        nothing, ones = np.zeros((8 * len(codes), codes.shape[1])), torch.ones(codes.shape)
        # `qzeros` is of the zero points as they are.
        given = torch.tensor(codes)
        return gemm.from_linear(linear(nothing.T), 4, 8, scales=ones, zeros=given).qzeros

    for dims in [(64, 32), (7, 96)]:
        yield Pack(weights, "I32").row(f"u4[{text(dims)}]@awq", dims, 4)
    yield Pack(zeros, "I32").row("u4[3,64]@awq", (3, 64), 4)
    fast = take("autoawq", "awq/modules/linear/gemv_fast.py", ["pack_intweight"], **GIVEN)
    for dims in [(4, 64), (8, 192), (36, 128)]:
        pack = Pack(lambda codes: fast.pack_intweight(torch.tensor(codes), 4, 64), "I16")
        yield pack.row(f"u4[{text(dims)}]@awq-v2", dims, 4)
    names = ["_get_perms", "_perm", "_scale_perm", "_scale_perm_single", "WQLinear_Marlin"]
    marlin = take("autoawq", "awq/modules/linear/marlin.py", names, **GIVEN).WQLinear_Marlin

    def marlin_of(codes, scales):
        k, group = len(codes), len(codes) // len(scales)
        scales = torch.tensor(scales).float()
        centred = (codes - 8) * np.repeat(scales.numpy(), group, axis=0)
        return marlin.from_linear(linear(centred.T), 4, group, scales=scales.T)

    for dims in [(16, 64), (48, 128), (128, 192)]:
        pack = Pack(lambda codes: marlin_of(codes, np.ones((1, codes.shape[1]))).qweight, "I32")
        yield pack.row(f"u4[{text(dims)}]@marlin", dims, 4)
    for dims in [(1, 64), (1, 192), (2, 64), (5, 192)]:
        codes = np.full((16 * dims[0], dims[1]), 8)
        move = lambda scales, codes=codes: marlin_of(codes, scales).scales.int()
        yield moved_row(f"f16[{text(dims)}]@marlin.scales", move, dims)


def vllm_marlin():
    """vLLM's Marlin of 4 and 8 bits, for 16-bit and for 8-bit activations."""
    path = "vllm/model_executor/layers/quantization/utils/marlin_utils_test.py"
    names = ["marlin_permute_weights", "marlin_weights", "get_weight_perm"]
    given = {**GIVEN, "GPTQ_MARLIN_TILE": 16, "get_pack_factor": lambda bits: 32 // bits}
    library = take("vllm", path, names, **given)
    for bits in (4, 8):
        for narrow in (False, True):
            perm = library.get_weight_perm(bits, narrow)

            def packed(codes, bits=bits, narrow=narrow, perm=perm):
                given = torch.tensor(codes, dtype=torch.int32)
                return library.marlin_weights(given, *codes.shape, bits, perm, is_a_8bit=narrow)

            for dims in [(32, 64), (96, 128), (64, 192)]:
                name = "marlin(a8)" if narrow else "marlin"
                yield Pack(packed, "I32").row(f"u{bits}[{text(dims)}]@{name}", dims, bits)


def compressed_tensors():
    """compressed-tensors' pack_to_int32, of signed codes."""
    path = "compressed_tensors/compressors/pack_quantized/helpers.py"
    pack_to_int32 = take("compressed-tensors", path, ["pack_to_int32"], **GIVEN, Literal=Ignored())
    for bits, all_dims in ((2, [(3, 64), (4, 37)]), (4, [(64, 60), (5, 9), (16, 64)]), (8, [(3, 7), (8, 32)])):
        for dims in all_dims:

            def packed(codes, bits=bits):
                signed = (codes ^ 1 << bits - 1) - (1 << bits - 1)
                return pack_to_int32.pack_to_int32(torch.tensor(signed, dtype=torch.int8), bits)

            yield Pack(packed, "I32").row(f"s{bits}[{text(dims)}]@compressed-tensors", dims, bits)


class Ignored:
    """What stands in annotations alone."""

    def __getitem__(self, _):
        return self


def scales():
    """torchao's blocks of scales, vLLM's and AITER's, and FlashInfer's of values in a KV cache."""
    given = {**GIVEN, "Tensor": torch.Tensor}
    torchao = take("torchao", "torchao/prototype/mx_formats/utils.py", ["ceil_div", "to_blocked"], **given)
    # AITER leaves what it pads as it finds it, which may look like numbers of elements.
    cleared = types.SimpleNamespace(empty=torch.zeros, float32=torch.float32)
    aiter = take("amd-aiter", "aiter/utility/fp4_utils.py", ["e8m0_shuffle"], torch=cleared)
    for dims in [(128, 4), (300, 13), (1, 1), (129, 5)]:
        pack = Pack(lambda codes: torchao.to_blocked(torch.tensor(codes, dtype=torch.uint8)), "U8")
        yield packed_row(f"u8[{text(dims)}]@sf128x4", pack, dims, 8)
    for dims in [(256, 8), (300, 13), (1, 1)]:
        array = f"u8[{text(dims)}]@aiter.scales"
        yield moved_row(array, lambda n: aiter.e8m0_shuffle(torch.tensor(n, dtype=torch.int32)), dims)


def deepgemm():
    """DeepGEMM's scales, by the reference that SGLang has of it: floats of which the exponents are packed."""
    path = "sglang/srt/layers/quantization/fp8_utils.py"
    name = "_get_mn_major_tma_aligned_packed_ue8m0_tensor_torch_impl"
    # The two functions of DeepGEMM's own that it calls, which need its kernels to be imported.
    align = lambda size, to: -(-size // to) * to
    utils = types.ModuleType("deep_gemm.utils")
    utils.align, utils.get_tma_aligned_size = align, lambda size, width: align(size, 16 // width)
    sys.modules["deep_gemm"], sys.modules["deep_gemm.utils"] = types.ModuleType("deep_gemm"), utils
    function = getattr(take("sglang", path, [name], **GIVEN), name)

    def packed(codes):
        exponents = torch.tensor(codes << 23, dtype=torch.int64).to(torch.int32)
        words = function(exponents.view(torch.float32))
        # What is given is a view of whole columns of words.
        columns, aligned = words.shape[1], words.stride(1)
        return words.as_strided((columns, aligned), (aligned, 1))

    for dims in [(32, 8), (30, 6), (1, 1), (129, 13)]:
        yield Pack(packed, "I32").row(f"u8[{text(dims)}]@deepgemm.scales", dims, 8)


def flashinfer_offsets():
    """FlashInfer's get_sf_out_offset_128x4 and _8x4, compiled from their header's text."""
    path = "flashinfer/data/csrc/nv_internal/tensorrt_llm/kernels/quantization_utils.cuh"
    header_text = source("flashinfer-python", path)[0]
    found = re.findall(r"^inline __device__ __host__ int64_t get_sf_out_offset_\w+\(.*?^}", header_text, re.M | re.S)
    assert len(found) == 4, len(found)
    program = "#include <cstdint>\n#include <cstdio>\n#define __device__\n#define __host__\n"
    program += "\n".join(found) + """
    int main() {
        int kind, batch, rows, columns;
        while (scanf("%d %d %d %d", &kind, &batch, &rows, &columns) == 4) {
            for (int b = 0; b < batch; b++) for (int r = 0; r < rows; r++) for (int c = 0; c < columns; c++)
                printf(" %ld", (long)(kind == 128 ? get_sf_out_offset_128x4(b, r, c, rows, columns)
                                                  : get_sf_out_offset_8x4(b, r, c, rows, columns)));
            printf("\\n");
        }
    }"""
    cases = [(128, 1, 300, 13), (128, 3, 130, 5), (8, 1, 1, 1), (8, 1, 108, 13), (8, 3, 17, 6), (8, 2, 64, 16)]
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "offsets")
        subprocess.run(["g++", "-x", "c++", "-", "-o", binary], input=program, text=True, check=True)
        asked = "".join(" ".join(map(str, case)) + "\n" for case in cases)
        lines = subprocess.run([binary], input=asked, capture_output=True, text=True, check=True).stdout
    for (kind, batch, rows, columns), line in zip(cases, lines.splitlines(), strict=True):
        dims = (rows, columns) if batch == 1 else (batch, rows, columns)
        n_places = batch * -(-rows // kind) * kind * -(-columns // 4) * 4
        yield row(f"u8[{text(dims)}]@sf{kind}x4", n_places, line.split())


def flashinfer():
    """FlashInfer's orders of rows and blocks for trtllm-gen, and gates beside what they gate."""
    names = ["srcToDstBlk16RowMap", "srcToDstBlk32RowMap", "get_shuffle_block_size",
             "get_shuffle_matrix_a_row_indices"]
    rows = take("flashinfer-python", "flashinfer/utils.py", names, **GIVEN)
    shuffle = take("flashinfer-python", "flashinfer/quantization/fp4_quantization.py", ["shuffle_matrix_a"],
                   **GIVEN, get_shuffle_matrix_a_row_indices=rows.get_shuffle_matrix_a_row_indices)
    for tile, dims in [(64, (64, 24)), (64, (16, 8)), (128, (64, 24)), (256, (96, 8))]:
        name = f"trtllm-gen.shuffle-a({rows.get_shuffle_block_size(tile)})"
        move = lambda n, tile=tile: shuffle.shuffle_matrix_a(torch.tensor(n), tile)
        yield moved_row(f"u8[{text(dims)}]@{name}", move, dims)
    names = ["get_reorder_rows_for_gated_act_gemm_row_indices", "reorder_rows_for_gated_act_gemm",
             "convert_to_block_layout"]
    core = take("flashinfer-python", "flashinfer/fused_moe/core.py", names, **GIVEN)
    for dims in [(32, 8), (6, 5)]:
        move = lambda n: core.reorder_rows_for_gated_act_gemm(torch.tensor(n))
        yield moved_row(f"u8[{text(dims)}]@trtllm-gen.gated", move, dims)
    for element, block in [("u8", 128), ("bf16", 64)]:
        for dims in [(8, 256), (5, 384)]:
            blocked = lambda n, block=block: core.convert_to_block_layout(torch.tensor(n), block)
            carrier = f"{'U8' if element == 'u8' else 'BF16'}[{text(blocked(np.zeros(dims)).shape)}]"
            yield moved_row(f"{element}[{text(dims)}]@block-major-k", blocked, dims, carrier=carrier)


def megamoe():
    """FlashInfer's gates and ups interleaved by blocks of rows, in either order."""
    path = "flashinfer/moe_ep/backends/mega/kernel/sm100/common/mxfp8_weight_utils.py"
    interleave = take("flashinfer-python", path, ["interleave_gate_up"], **GIVEN).interleave_gate_up

    def interleaved(numbers, block, up_first):
        given = torch.tensor(numbers.reshape(-1, *numbers.shape[-2:]))
        half = given.shape[1] // 2
        if up_first:
            given = torch.cat([given[:, half:], given[:, :half]], dim=1)
        return interleave(given, intermediate_size=2 * half, block_size=block, kernel_name="oracle")

    for block, dims in [(8, (16, 4)), (8, (64, 12)), (8, (3, 32, 8)), (16, (96, 4)), (32, (2, 128, 3))]:
        for up_first in (False, True):
            name = f"megamoe({block}{',up-first' if up_first else ''})"
            move = lambda n, b=block, u=up_first: interleaved(n, b, u)
            yield moved_row(f"u8[{text(dims)}]@{name}", move, dims)


def value_scales():
    """FlashInfer's index of the scales of values in a page of an NVFP4 KV cache."""
    path = "flashinfer/msa_ops/_nvfp4_prefill_sm100.py"
    for tokens, n_scales in [(4, 4), (16, 8), (128, 8), (64, 12)]:
        given = {**GIVEN, "_PAGE_SIZE": tokens, "_SCALE_DIM": n_scales}
        index = take("flashinfer-python", path, ["_v_scale_unswizzle_index"], **given)
        places = index._v_scale_unswizzle_index("cpu").tolist()
        yield row(f"u8[{tokens},{n_scales}]@sf4x4", tokens * n_scales, places)


def aiter():
    """AITER's shuffles of weights: of bfloat16, of bytes, of nibbles, and of gates and ups."""
    library = take("amd-aiter", "aiter/ops/shuffle.py", ["shuffle_weight", "shuffle_weight_a16w4"], **GIVEN)
    for dims in [(16, 32), (48, 96), (2, 32, 64)]:
        move = lambda n: library.shuffle_weight(torch.tensor(n, dtype=torch.int16))
        yield moved_row(f"bf16[{text(dims)}]@aiter", move, dims)
        move = lambda n: library.shuffle_weight(torch.tensor(n, dtype=torch.uint8))
        yield Pack(move, "U8").row(f"u8[{text(dims)}]@aiter", dims, 8)

    def nibbles(codes):
        packed = torch.tensor(codes[..., ::2] | codes[..., 1::2] << 4, dtype=torch.uint8)
        return packed.view(torch.float4_e2m1fn_x2)

    for dims in [(16, 64), (32, 192)]:
        move = lambda codes: library.shuffle_weight(nibbles(codes)).view(torch.uint8)
        yield packed_row(f"u4[{text(dims)}]@aiter", Pack(move, "U8"), dims, 4)
    for dims in [(1, 32, 128), (2, 96, 256)]:
        move = lambda codes: library.shuffle_weight_a16w4(nibbles(codes), 16, True).view(torch.uint8)
        yield packed_row(f"u4[{text(dims)}]@aiter.gate-up", Pack(move, "U8"), dims, 4)


def tinygemm(capability):
    """aten's int4 weights for the CPU, as this process packs them."""
    convert = torch.ops.aten._convert_weight_to_int4pack_for_cpu
    rows = {"avx2": 32, "avx512": 64}[capability]
    for dims in [(rows, 32), (3 * rows, 16), (2 * rows, 64)]:
        pack = Pack(lambda codes: convert(torch.tensor(codes, dtype=torch.int32), 1), "U8")
        yield pack.row(f"u4[{text(dims)}]@tinygemm({capability})", dims, 4)


def of_capability(capability):
    """`tinygemm` in a process of its own, whose instructions are chosen as it starts."""
    environment = {**os.environ, "ATEN_CPU_CAPABILITY": capability}
    command = [sys.executable, "-B", __file__, f"--{capability}"]
    ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [line.split("\t") for line in ran.stdout.splitlines()]


def main():
    if sys.argv[1:2] in (["--avx2"], ["--avx512"]):
        capability = sys.argv[1].removeprefix("--")
        assert torch.backends.cpu.get_cpu_capability().lower() == capability
        for found in tinygemm(capability):
            print("\t".join(found))
        return
    torch.manual_seed(0)
    rows = []
    families = (gptq, awq, vllm_marlin, compressed_tensors, scales, value_scales, deepgemm, flashinfer_offsets,
                flashinfer, megamoe, aiter)
    for family in families:
        rows += family()
    rows += of_capability("avx2") + of_capability("avx512")
    write(output_path(), header(__file__, PACKAGES, COLUMNS), rows)


if __name__ == "__main__":
    main()
