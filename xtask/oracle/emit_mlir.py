"""emit-mlir: the MLIR of `tilewright emit`, lowered to machine code and run.

Oracle: MLIR and LLVM 16 of Debian (`mlir-16-tools`, `llvm-16`): mlir-opt lowers the functions and the `scf`
loops, mlir-translate and llc make an object of them, and the C compiler a library of all objects. Each offset, each
index, and each slot of a relayout is compared with tables of the map.
"""

import ctypes
import os
import tempfile

from emit_cases import aligned, cases, need, run, same, slots

OPT = [
    "mlir-opt-16",
    "--convert-scf-to-cf",
    "--llvm-request-c-wrappers",
    "--convert-arith-to-llvm",
    "--convert-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
]


def compiled(case, folder):
    """An object of a case's functions."""
    lowered = run(OPT, case, input=case.code.encode())
    text = run(["mlir-translate-16", "--mlir-to-llvmir"], case, input=lowered)
    path = os.path.join(folder, case.name + ".o")
    run(["llc-16", "-filetype=obj", "-relocation-model=pic", "-o", path], case, input=text)
    return path


def check_layout(case, library):
    offset = library[f"{case.name}_offset"]
    offset.restype, offset.argtypes = ctypes.c_int64, [ctypes.c_int64] * len(case.dims)
    same(case, "offsets", [offset(*index) for index in case.indexes()], case.offsets)
    if not hasattr(library, f"_mlir_ciface_{case.name}_index"):
        return 0

    class Place(ctypes.Structure):
        fields = [(f"i{dim}", ctypes.c_int64) for dim in range(len(case.dims))]
        _fields_ = [("valid", ctypes.c_bool), *fields]

    inside = case.places()[2:-2]  # the function is for offsets of the allocation
    found = []
    if case.dims:
        index = library[f"_mlir_ciface_{case.name}_index"]
        index.restype, index.argtypes = None, [ctypes.POINTER(Place), ctypes.c_int64]
        for at, _ in inside:
            place = Place()
            index(place, at)
            found.append(tuple(getattr(place, name) for name, _ in Place._fields_[1:]) if place.valid else None)
    else:
        index = library[f"{case.name}_index"]
        index.restype, index.argtypes = ctypes.c_bool, [ctypes.c_int64]
        found = [() if index(at) else None for at, _ in inside]
    if case.is_injective():
        same(case, "indexes", found, [place for _, place in inside])
    return 1


def stored_bytes(bits):
    """What LLVM stores an integer in: the next power of two of bytes."""
    n = 1
    while n * 8 < bits:
        n *= 2
    return n


def check_relayout(case, library):
    """A memref is two pointers, an offset, a size and a stride."""
    src, dst = case.bytes_before_and_after()
    sides = [(src, case.allocation, case.bits), (dst, case.to_allocation, case.to_bits)]
    wanted, width = slots(*sides[1]), stored_bytes(case.to_bits)
    given = b"".join(slot.to_bytes(stored_bytes(case.bits), "little") for slot in slots(*sides[0]))
    buffers = [aligned(len(given)), aligned(case.to_allocation * width)]
    ctypes.memmove(ctypes.addressof(buffers[0][0]) + buffers[0][1], given, len(given))
    arguments = []
    for (memory, start), (_, n, _) in zip(buffers, sides):
        pointer = ctypes.c_void_p(ctypes.addressof(memory) + start)
        arguments += [pointer, pointer, *map(ctypes.c_int64, (0, n, 1))]
    relayout = library[f"{case.name}_relayout"]
    relayout.restype = None
    relayout(*arguments)
    memory, start = buffers[1]
    after = memory.raw[start : start + case.to_allocation * width]
    # Of the memory of an `i20` a store writes three bytes of four.
    mask = (1 << case.to_bits) - 1
    found = [slot & mask for slot in slots(after, case.to_allocation, width * 8)]
    same(case, "slots", found, wanted)


def main():
    need("mlir-opt-16", "mlir-translate-16", "llc-16", "cc")
    every = cases("mlir")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "all.so")
        objects = [compiled(case, folder) for case in every]
        run(["cc", "-shared", "-o", path, *objects], "all")
        library = ctypes.CDLL(path)
        n_indexes = sum(check_layout(case, library) for case in every)
        relayouts = [case for case in every if case.is_relayout]
        for case in relayouts:
            check_relayout(case, library)
    print(f"emit-mlir: {len(every)} modules, {n_indexes} with an index, and {len(relayouts)} relayouts agree")


if __name__ == "__main__":
    main()
