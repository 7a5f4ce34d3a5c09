"""emit-triton: the Triton of `tilewright emit`, run by Triton's interpreter and compiled for a GPU.

Oracle: `triton`. In the interpreter each offset, each index and each byte of a relayout is compared with tables of
the map; its tensors need no torch but a class with the same few methods. The compiler, which needs no GPU, makes PTX
of every kernel.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

from emit_cases import cases, same

BLOCK = 64
GUARD = 16  # bytes behind the destination that nothing may write
TARGET = ("cuda", 80, 32)


class Memory:
    """A buffer, with the methods of a tensor and of its storage that the interpreter calls."""

    def __init__(self, data, dtype):
        self.data, self.dtype = data, dtype

    def data_ptr(self):
        return self.data.ctypes.data

    def untyped_storage(self):
        return self

    def cpu(self):
        return self

    def new_empty(self, size, device):
        return Memory(self.data, self.dtype)

    def set_(self, storage, offset, size, stride):
        self.data = storage.data

    def storage_offset(self):
        return 0

    def size(self):
        return self.data.shape

    def stride(self):
        return (1,)

    def copy_(self, other):
        pass  # the interpreter writes into the buffer itself


def driver(case):
    """Kernels that call the functions of a layout for each index and each offset."""
    rank = len(case.dims)
    loads = "".join(f"tl.load(index + e * {rank} + {dim}, mask=inside, other=0), " for dim in range(rank))
    text = f"""

@triton.jit
def {case.name}_offsets(index, found, n, BLOCK: tl.constexpr):
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = e < n
    tl.store(found + e, {case.name}_offset({loads}) + tl.zeros([BLOCK], tl.int64), mask=inside)
"""
    if f"def {case.name}_index(" in case.code:
        names = "".join(f", i{dim}" for dim in range(rank))
        stores = "".join(
            f"    tl.store(found + e * {rank + 1} + {dim + 1}, i{dim} + tl.zeros([BLOCK], tl.int64), mask=inside)\n"
            for dim in range(rank)
        )
        text += f"""

@triton.jit
def {case.name}_indexes(offsets, found, n, BLOCK: tl.constexpr):
    e = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = e < n
    valid{names} = {case.name}_index(tl.load(offsets + e, mask=inside, other=0))
    tl.store(found + e * {rank + 1}, tl.cast(valid, tl.int64) + tl.zeros([BLOCK], tl.int64), mask=inside)
{stores}"""
    return text


def module_of(every, folder, what):
    """A module of the cases' code: Triton reads the text of functions from their file."""
    name = f"emitted_{what}"
    with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as file:
        file.write("".join(case.code + driver(case) for case in every))
    sys.path.insert(0, folder)
    return __import__(name)


def launch(kernel, n, src, dst, *rest):
    kernel[(-(-n // BLOCK),)](src, dst, *rest, BLOCK=BLOCK)


def check_layout(case, module):
    rank = len(case.dims)
    if case.offsets:
        index = np.array(case.indexes(), np.int64).reshape(-1)
        index = index if rank else np.zeros(1, np.int64)
        found = np.zeros(len(case.offsets), np.int64)
        kernel = getattr(module, f"{case.name}_offsets")
        launch(kernel, len(found), Memory(index, "i64"), Memory(found, "i64"), len(found))
        same(case, "offsets", found.tolist(), case.offsets)
    kernel = getattr(module, f"{case.name}_indexes", None)
    if kernel is None:
        return
    offsets = np.array([at for at, _ in case.places()], np.int64)
    found = np.zeros((len(offsets), rank + 1), np.int64)
    launch(kernel, len(offsets), Memory(offsets, "i64"), Memory(found, "i64"), len(offsets))
    places = [tuple(row[1:]) if row[0] else None for row in found.tolist()]
    if case.is_injective():
        same(case, "indexes", places, [place for _, place in case.places()])


def word_bits(kernel):
    """The bits of the words that its arguments point to, as its text says."""
    words = kernel.fn.__doc__.split("tl.uint")[1:3]
    return [int(part.split(",")[0].split(".")[0]) for part in words]


def check_relayout(case, module):
    kernel = getattr(module, f"{case.name}_relayout")
    src, dst = case.bytes_before_and_after()
    src_bits, dst_bits = word_bits(kernel)
    before = np.frombuffer(src + bytes(-len(src) % 16), np.uint8).copy()
    n_bytes = -(-len(dst) * 8 // dst_bits) * dst_bits // 8
    after = np.full(n_bytes + GUARD, 0xA5, np.uint8)
    grid = getattr(module, f"{case.name}_grid")(BLOCK)
    kernel[grid](Memory(before, f"u{src_bits}"), Memory(after, f"u{dst_bits}"), BLOCK=BLOCK)
    same(case, "bytes", after[: len(dst)].tolist(), list(dst))
    same(case, "bytes behind the array", after[n_bytes:].tolist(), [0xA5] * GUARD)


def interpreted(every, folder):
    module = module_of(every, folder, "interpreted")
    for case in every:
        check_layout(case, module)
        if case.is_relayout:
            check_relayout(case, module)
    n_relayouts = sum(case.is_relayout for case in every)
    print(f"emit-triton: {len(every)} texts, {n_relayouts} of them relayouts, agree in the interpreter")


def compiled(every, folder):
    """Makes PTX of every relayout."""
    from triton import compile
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    module = module_of(every, folder, "compiled")
    n_staged = 0
    for case in every:
        kernel = getattr(module, f"{case.name}_relayout")
        src_bits, dst_bits = word_bits(kernel)
        signature = {"src": f"*u{src_bits}", "dst": f"*u{dst_bits}", "BLOCK": "constexpr"}
        source = ASTSource(fn=kernel, signature=signature, constexprs={"BLOCK": 256})
        ptx = compile(source, target=GPUTarget(*TARGET)).asm["ptx"]
        if f".entry {case.name}_relayout" not in ptx:
            raise SystemExit(f"{case}: no PTX")
        # The compiler takes large tiles through shared memory; those of a few words, threads exchange otherwise.
        if "of 32 by 32, of" in case.code:
            n_staged += 1
            if "st.shared" not in ptx:
                raise SystemExit(f"{case}: tiles do not go through shared memory")
    print(f"emit-triton: {len(every)} kernels compile to PTX, {n_staged} take large tiles through shared memory")


def main():
    """The interpreter in a process of its own: whether it is meant is read where Triton is loaded."""
    every, is_interpreted = cases("triton"), "TRITON_INTERPRET" in os.environ
    if not is_interpreted:
        environment = {**os.environ, "TRITON_INTERPRET": "1"}
        subprocess.run([sys.executable, *sys.argv], env=environment, check=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")
        if is_interpreted:
            interpreted(every, folder)
        else:
            compiled([case for case in every if case.is_relayout], folder)


if __name__ == "__main__":
    main()
