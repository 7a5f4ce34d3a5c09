"""emit-opencl: the OpenCL C of `tilewright emit`, compiled and run.

Oracle: POCL (Debian's `pocl-opencl-icd`, `ocl-icd-libopencl1`), an OpenCL that runs on the CPU, through `pyopencl`.
Each offset, each index, and each byte of a relayout is compared with tables of the map.
"""

import numpy as np
import pyopencl as cl

from emit_cases import cases, same

N_ITEMS = 48  # work items of a launch; fewer than most relayouts have words
GUARD = 16  # bytes behind the destination that nothing may write
BATCH = 40  # cases compiled in one program


def driver(case):
    """Kernels that call the functions of a layout for each index and each offset."""
    rank = len(case.dims)
    index = ", ".join(f"index[i * {rank} + {dim}]" for dim in range(rank))
    pointers = "".join(f", &i{dim}" for dim in range(rank))
    names = "".join(f"long i{dim} = -1; " for dim in range(rank))
    stores = " ".join(f"found[i * {rank + 1} + {dim + 1}] = i{dim};" for dim in range(rank))
    return f"""
__kernel void {case.name}_offsets(__global const long *index, __global long *found) {{
    const long i = get_global_id(0);
    found[i] = {case.name}_offset({index}{case.last});
}}
__kernel void {case.name}_indexes(__global const long *offsets, __global long *found) {{
    const long i = get_global_id(0);
    {names}
    found[i * {rank + 1}] = {case.name}_index(offsets[i]{case.last}{pointers});
    {stores}
}}
"""


class Device:
    def __init__(self):
        self.context = cl.create_some_context(interactive=False)
        self.queue = cl.CommandQueue(self.context)

    def buffer(self, data):
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=data)

    def launch(self, kernel, n, src, dst, *rest):
        """Runs a kernel of two buffers; returns what the second then holds."""
        buffers = [self.buffer(src), self.buffer(dst)]
        kernel(self.queue, (n,), None, *buffers, *rest)
        cl.enqueue_copy(self.queue, dst, buffers[1])
        self.queue.finish()
        return dst


def check_layout(case, program, device):
    rank = len(case.dims)
    if case.offsets:
        index = np.array(case.indexes() or [()], np.int64).reshape(len(case.offsets), rank)
        index = index if rank else np.zeros(1, np.int64)
        found = np.zeros(len(case.offsets), np.int64)
        device.launch(getattr(program, f"{case.name}_offsets"), len(found), index.copy(), found)
        same(case, "offsets", found.tolist(), case.offsets)
    offsets = np.array([at for at, _ in case.places()], np.int64)
    found = np.zeros((len(offsets), rank + 1), np.int64)
    device.launch(getattr(program, f"{case.name}_indexes"), len(offsets), offsets, found)
    places = [tuple(row[1:]) if row[0] else None for row in found.tolist()]
    if case.is_injective():
        same(case, "indexes", places, [place for _, place in case.places()])


def check_relayout(case, program, device):
    src, dst = case.bytes_before_and_after()
    before = np.frombuffer(src + bytes(-len(src) % 16), np.uint8).copy()
    after = np.full(len(dst) + GUARD, 0xA5, np.uint8)
    rest = [np.int64(case.argument)] if case.last else []
    device.launch(getattr(program, f"{case.name}_relayout"), N_ITEMS, before, after, *rest)
    same(case, "bytes", after[: len(dst)].tolist(), list(dst))
    same(case, "bytes behind the array", after[len(dst) :].tolist(), [0xA5] * GUARD)


def main():
    device = Device()
    every = cases("opencl")
    for start in range(0, len(every), BATCH):
        some = every[start : start + BATCH]
        text = "".join(case.code + driver(case) for case in some)
        program = cl.Program(device.context, text).build()
        for case in some:
            check_layout(case, program, device)
            if case.is_relayout:
                check_relayout(case, program, device)
    n_relayouts = sum(case.is_relayout for case in every)
    name = device.context.devices[0].platform.name
    print(f"emit-opencl: {len(every)} programs, {n_relayouts} of them relayouts, agree on {name}")


if __name__ == "__main__":
    main()
