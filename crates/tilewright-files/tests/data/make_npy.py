"""Makes npy.txt: .npy files as NumPy itself writes them, in hexadecimal.

    python make_npy.py > npy.txt        # needs numpy and ml_dtypes

Each line is: case, element type in XLA's spelling, order (C or F), dims joined by `x` (`-` for
none), whether np.save of the current version writes exactly these bytes (`saved`) or it is an older
form of the format (`old`), the data's bytes in file order, the whole file.
"""

import io
import warnings

import ml_dtypes
import numpy as np
from numpy.lib import format as npy_format

XLA_NAMES = {
    "bool": "pred",
    "int1": "s1", "uint1": "u1", "int2": "s2", "uint2": "u2", "int4": "s4", "uint4": "u4",
    "float4_e2m1fn": "f4e2m1fn", "float6_e3m2fn": "f6e3m2fn", "float6_e2m3fn": "f6e2m3fn",
    "int8": "s8", "uint8": "u8",
    "float8_e5m2": "f8e5m2", "float8_e4m3": "f8e4m3", "float8_e4m3fn": "f8e4m3fn",
    "float8_e4m3b11fnuz": "f8e4m3b11fnuz", "float8_e5m2fnuz": "f8e5m2fnuz",
    "float8_e4m3fnuz": "f8e4m3fnuz", "float8_e3m4": "f8e3m4", "float8_e8m0fnu": "f8e8m0fnu",
    "int16": "s16", "uint16": "u16", "float16": "f16", "bfloat16": "bf16",
    "int32": "s32", "uint32": "u32", "float32": "f32",
    "int64": "s64", "uint64": "u64", "float64": "f64",
    "complex64": "c64", "complex128": "c128",
}


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def values(name, count):
    """-count/2, ..., as far as the type has them; what it has not becomes what NumPy makes of it."""
    numbers = np.arange(count) - (count // 2 if name not in ("bool",) and not name.startswith("u") else 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return numbers.astype(np.float32 if name.startswith(("float", "bfloat")) else np.int64).astype(dtype(name))


def saved(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def old(array, version):
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        npy_format.write_array(out, array, version=version)
    return out.getvalue()


def line(case, name, array, file, how):
    order = "F" if array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    dims = "x".join(map(str, array.shape)) or "-"
    data = array.tobytes(order).hex() or "-"
    print(case, XLA_NAMES[name], order, dims, how, data, file.hex())


for name in XLA_NAMES:
    array = values(name, 6).reshape(2, 3)
    line(name, name, array, saved(array), "saved")

floats = values("float32", 6)
fortran = np.asfortranarray(floats.reshape(2, 3))
line("fortran", "float32", fortran, saved(fortran), "saved")
for case, array in [
    ("scalar", np.float32(1.5).reshape(())),
    ("vector", floats),
    ("empty", np.zeros((0, 5), np.float32)),
    ("five-dims", floats.reshape(1, 2, 1, 3, 1)),
]:
    line(case, "float32", array, saved(array), "saved")
for version in [(2, 0), (3, 0)]:
    line(f"version-{version[0]}", "float32", floats, old(floats, version), "old")
    line(f"version-{version[0]}-fortran", "float32", fortran, old(fortran, version), "old")
