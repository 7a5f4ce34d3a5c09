"""checkpoint-packers.tsv: what libraries store of a quantised layer, part by part.

Oracle: the layers of AutoGPTQ and AutoAWQ and the compressor of compressed-tensors, of the packages that
`requirements-packers.txt` pins, run by torch on the CPU. Each is given the same layer: floats that are
`scale * (code - zero point)` of numbers drawn here. A row is a case, a library, a part by its name,
its type and dims, and a checksum (FNV-1a, 64 bits) over its bytes.
"""

import types

import numpy as np
import torch

from catalogue_packers import GIVEN, NO_MODEL_LIBRARY, Ignored, linear, text
from tables import header, output_path, write
from upstream import take

CASES = [(256, 64, 128, 4), (128, 64, 128, 4), (192, 256, 32, 4), (128, 64, 64, 8)]
"""Inputs, outputs, rows that share a scale, bits."""

TYPES = {torch.int32: "I32", torch.int64: "I64", torch.float16: "F16"}


class Layer:
    """Codes, zero points and scales, drawn by a generator that is easily written again."""

    def __init__(self, seed, case, is_symmetric):
        k, n, self.group, self.bits = case
        state = (seed * 2_654_435_761 + 12345) % 2**32
        most = 2**self.bits - 1

        def draw():
            nonlocal state
            state = (state * 1_664_525 + 1_013_904_223) % 2**32
            return state >> 12

        def many(count, number):
            return np.array([number(draw()) for _ in range(count)])

        groups = k // self.group
        self.codes = many(k * n, lambda drawn: drawn & most).reshape(k, n)
        middle = 2 ** (self.bits - 1)
        zero = (lambda drawn: middle) if is_symmetric else (lambda drawn: 1 + drawn % most)
        self.zeros = many(groups * n, zero).reshape(groups, n)
        bits = many(groups * n, lambda drawn: 0x3800 | drawn & 0x3FF)
        self.scales = bits.astype(np.uint16).view(np.float16).reshape(groups, n)

    def weights(self):
        """The floats, [N,K], in doubles: nothing is rounded."""
        rows = lambda array: np.repeat(array.astype(np.float64), self.group, axis=0)
        return ((self.codes - rows(self.zeros)) * rows(self.scales)).T


def gptq(layer):
    path = "auto_gptq/nn_modules/qlinear/qlinear_cuda.py"
    none = {"_autogptq_cuda_available": False, "autogptq_cuda_256": None, "autogptq_cuda_64": None}
    given = {**GIVEN, **none, "transformers": NO_MODEL_LIBRARY}
    kind = take("auto-gptq", path, ["QuantLinear"], **given).QuantLinear
    k, n = layer.codes.shape
    made = kind(layer.bits, layer.group, k, n, False, weight_dtype=torch.float32)
    made.pack(linear(layer.weights()), torch.tensor(layer.scales.T).float(), torch.tensor(layer.zeros.T).float())
    made.scales = made.scales.half()
    yield from ((part, getattr(made, part)) for part in ("qweight", "qzeros", "scales", "g_idx"))


def awq(layer):
    given = {**GIVEN, "get_best_device": lambda: "cpu"}
    gemm = take("autoawq", "awq/modules/linear/gemm.py", ["WQLinear_GEMM"], **given).WQLinear_GEMM
    scales, zeros = torch.tensor(layer.scales).float(), torch.tensor(layer.zeros).float()
    made = gemm.from_linear(linear(layer.weights()), 4, layer.group, scales=scales, zeros=zeros)
    yield from ((part, getattr(made, part)) for part in ("qweight", "qzeros", "scales"))


def marlin(layer):
    names = ["_get_perms", "_perm", "_scale_perm", "_scale_perm_single", "WQLinear_Marlin"]
    kind = take("autoawq", "awq/modules/linear/marlin.py", names, **GIVEN).WQLinear_Marlin
    scales = torch.tensor(layer.scales.T).float()
    made = kind.from_linear(linear(layer.weights()), 4, layer.group, scales=scales)
    # AutoAWQ has the same parts under names of its own.
    yield "B", made.qweight
    yield "s", made.scales


def compressed_tensors(layer, is_symmetric):
    path = "compressed_tensors/compressors/pack_quantized/{}.py"
    helpers = take("compressed-tensors", path.format("helpers"), ["pack_to_int32"], **GIVEN, Literal=Ignored())
    names = types.SimpleNamespace(pack_quantized=types.SimpleNamespace(value="pack-quantized"))
    strategies = types.SimpleNamespace(GROUP=types.SimpleNamespace(value="group"), CHANNEL=types.SimpleNamespace(value="channel"))
    given = {
        **GIVEN,
        "BaseCompressor": Registered,
        "CompressionFormat": names,
        "QuantizationStrategy": strategies,
        "QuantizationScheme": object,
        "TensorStateDict": dict,
        "pack_to_int32": helpers.pack_to_int32,
        # The codes are known: they need not be found again.
        "quantize": lambda **_: torch.tensor(layer.codes.T - middle).to(torch.int8),
    }
    wanted = ["PACK_ZP_STRATS", "PackedQuantizationCompressor"]
    kind = take("compressed-tensors", path.format("base"), wanted, **given).PackedQuantizationCompressor
    middle = 2 ** (layer.bits - 1)
    strategy = "channel" if len(layer.zeros) == 1 else "group"
    args = types.SimpleNamespace(num_bits=layer.bits, symmetric=is_symmetric, strategy=strategy)
    state = {
        "weight": torch.tensor(layer.weights()),
        "weight_scale": torch.tensor(layer.scales.T.copy()),
        "weight_zero_point": torch.tensor(layer.zeros.T - middle).to(torch.int8),
    }
    yield from kind.compress(state, types.SimpleNamespace(weights=args)).items()


class Registered:
    """What a compressor is derived from, as far as it is asked."""

    @classmethod
    def register(cls, name):
        return lambda kind: kind

    @staticmethod
    def _remove_symmetric_zp(state, scheme):
        return {name: part for name, part in state.items() if name != "weight_zero_point" or not scheme.weights.symmetric}


def checksum(data):
    found = 0xCBF29CE484222325
    for byte in data:
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return found


def rows():
    for seed, case in enumerate(CASES):
        for is_symmetric in (False, True):
            layer = Layer(seed, case, is_symmetric)
            kind = "symmetric" if is_symmetric else "asymmetric"
            libraries = {"gptq": gptq(layer), "compressed-tensors": compressed_tensors(layer, is_symmetric)}
            if layer.bits == 4:
                libraries["awq"] = awq(layer)
                if is_symmetric and layer.group == 128:
                    libraries["marlin"] = marlin(layer)
            for library, parts in libraries.items():
                for part, tensor in sorted(parts):
                    tensor = tensor.detach().clone(memory_format=torch.contiguous_format).cpu()
                    data = tensor.numpy().tobytes()
                    dtype = f"{TYPES[tensor.dtype]}[{text(tensor.shape)}]"
                    yield [str(seed), text(case), kind, library, part, dtype, f"{checksum(data):016x}"]


if __name__ == "__main__":
    packages = ["auto-gptq", "autoawq", "compressed-tensors", "torch"]
    rest = "seed, inputs outputs group bits, zero points, library, part, type and dims, checksum"
    write(output_path(), header(__file__, packages, rest), list(rows()))
