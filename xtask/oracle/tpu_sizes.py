"""tpu-sizes.tsv: the bytes that TPU compilers give entry parameters in their default layout.

Oracle: libtpu, compiling the identity for every generation. The parameter is as the compiled module
prints it, the bytes are the `memory_analysis`'s `argument_size_in_bytes`. Some arrays have dimensions
with a bound. The compiler dies of many 2-bit arrays and refuses some of 8-bit floats; those make
no row. 1-bit integers are not asked: MLIR's `i1` is `pred`, and `ui1` does not get to the compiler.
"""

import random
import re

from isolate import answers
from tables import header, output_path, write
from tpu import TOPOLOGIES, device, random_array, text

N_ARRAYS = 300
MOST_ELEMENTS = 2**28

MLIR_NAMES = {
    "pred": "i1", "c64": "complex<f32>", "c128": "complex<f64>", "f4e2m1fn": "f4E2M1FN",
    "f8e5m2": "f8E5M2", "f8e4m3": "f8E4M3", "f8e4m3fn": "f8E4M3FN", "f8e4m3b11fnuz": "f8E4M3B11FNUZ",
    "f8e5m2fnuz": "f8E5M2FNUZ", "f8e4m3fnuz": "f8E4M3FNUZ", "f8e3m4": "f8E3M4", "f8e8m0fnu": "f8E8M0FNU",
}


def mlir_type(name, dims, bounded):
    if name[0] in "su":
        element = {"s": "i", "u": "ui"}[name[0]] + name[1:]
    else:
        element = MLIR_NAMES.get(name, name)
    sizes = ["?" if is_bounded else str(size) for size, is_bounded in zip(dims, bounded)]
    bounds = [str(size) if is_bounded else "?" for size, is_bounded in zip(dims, bounded)]
    suffix = f", #stablehlo.bounds<{', '.join(bounds)}>" if any(bounded) else ""
    return f"tensor<{'x'.join([*sizes, element])}{suffix}>"


def compiled(question):
    """(parameter as the compiled module prints it, bytes) of an identity."""
    chip, (name, dims), bounded = question
    target = device(chip)
    from jax._src import compiler
    from jax._src.interpreters import mlir
    from jax._src.lib import _jax
    from jax._src.lib.mlir import ir

    of = mlir_type(name, dims, bounded)
    module = f"func.func public @main(%x: {of}) -> {of} {{ return %x : {of} }}"
    with mlir.make_ir_context():
        parsed = ir.Module.parse(f"module @identity {{ {module} }}")
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        executable = target.client.compile(parsed, _jax.DeviceList((target,)), options)
    printed = executable.hlo_modules()[0].to_string()
    parameter = re.search(r"entry_computation_layout=\{\((.*?)\)->", printed).group(1)
    return parameter, executable.get_compiled_memory_stats().argument_size_in_bytes


def main():
    rng = random.Random(12)
    arrays = []
    for _ in range(N_ARRAYS):
        array = random_array(rng, MOST_ELEMENTS)
        if array[0] in ("s1", "u1"):
            continue
        arrays.append((array, [rng.random() < 0.15 for _ in array[1]]))
    asked = [(chip, array, bounded) for chip in TOPOLOGIES for array, bounded in arrays]
    rows = {}
    for (chip, array, _), answer in zip(asked, answers(compiled, asked)):
        if "lockfile" in str(answer):
            raise SystemExit(f"another process has libtpu: {answer}")
        if isinstance(answer, Exception):
            print(f"  none for {text(array)} on {chip}: {str(answer).splitlines()[0][:100]}")
        else:
            rows.setdefault(answer, []).append(chip)
    lines = [[parameter, str(size), " ".join(chips)] for (parameter, size), chips in rows.items()]
    columns = "columns: entry parameter, argument_size_in_bytes, generations"
    write(output_path(), header(__file__, ["libtpu", "jax"], columns), lines)


if __name__ == "__main__":
    main()
