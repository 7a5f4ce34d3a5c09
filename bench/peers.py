"""The Python peers: numpy, JAX and, where it is installed, torch; and Tilewright's own package.

`cargo xtask bench` starts one of these processes for each number of threads and speaks with it
over its pipes, one JSON object a line, so that its turns lie between the turns of the others.

    python peers.py THREADS FD

FD is a file descriptor of memory that both processes see: the source comes through it, and the
output, which the other process checks, goes back through it. What is timed works on arrays of
this process's own.

The requests are `hello`, `case`, `produce`, `time` and `end`; see the functions of these names.
"""

import functools
import json
import mmap
import os
import sys
import time

THREADS = int(sys.argv[1])
FD = int(sys.argv[2])

# Before anything is imported that counts processors: JAX makes as many threads as it may use.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(THREADS)
os.environ["JAX_PLATFORMS"] = "cpu"
if THREADS == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None
try:
    import tilewright
except ImportError:
    tilewright = None
try:
    import torch

    torch.set_num_threads(THREADS)
except ImportError:
    torch = None

UNITS = {8: np.uint8, 16: np.uint16, 32: np.uint32}
# torch does less with unsigned numbers; a copy does not care.
SIGNED = {8: np.int8, 16: np.int16, 32: np.int32}


def numpy_clock():
    """numpy works on the calling thread."""
    return time.thread_time() if THREADS == 1 else time.perf_counter()


def process_clock():
    """JAX and torch may work on a thread of their own."""
    return time.process_time() if THREADS == 1 else time.perf_counter()


# --- layouts -------------------------------------------------------------------------------------


def steps_with_sizes(program):
    """A layout's pad, reshape and transpose steps, each with the sizes before it."""
    sizes = program["dims"]
    for kind, numbers in program["steps"]:
        yield kind, numbers, sizes
        sizes = [sizes[n] for n in numbers] if kind == "transpose" else numbers


def physical_dims(program):
    sizes = program["dims"]
    for kind, numbers in program["steps"]:
        sizes = [sizes[n] for n in numbers] if kind == "transpose" else numbers
    return sizes


def lay_out(xp, array, program, pad):
    """From the logical array to the physical one."""
    for kind, numbers, sizes in steps_with_sizes(program):
        if kind == "pad":
            array = pad(array, [(0, to - size) for size, to in zip(sizes, numbers)])
        elif kind == "reshape":
            array = xp.reshape(array, numbers)
        else:
            array = xp.transpose(array, numbers)
    return array


def read_out(xp, array, program):
    """From the physical array to the logical one."""
    for kind, numbers, sizes in reversed(list(steps_with_sizes(program))):
        if kind == "pad":
            array = array[tuple(slice(size) for size in sizes)]
        elif kind == "reshape":
            array = xp.reshape(array, sizes)
        else:
            array = xp.transpose(array, [numbers.index(n) for n in range(len(numbers))])
    return array


# --- what a case is ------------------------------------------------------------------------------


class Case:
    """Arrays of this process's own, and every way to get from the one to the other.

    A way is a function; what it returns, if anything, is the physical array, otherwise that is
    `self.dst`.
    """

    def __init__(self, request):
        self.request = request
        self.bits = (request["src_bits"], request["dst_bits"])
        self.src = self.array(request["src_bytes"], max(self.bits[0], 8))
        self.dst = self.array(request["dst_bytes"], max(self.bits[1], 8))
        self.src.view(np.uint8)[:] = shared(request["src_bytes"])
        self.dst[:] = 0
        self.clocks = {}
        self.ways = {}
        wanted = request["peers"]
        for peer, ways in (
            ("tilewright-py", self.tilewright_ways),
            ("numpy", self.numpy_ways),
            ("jax", self.jax_ways),
            ("torch", self.torch_ways),
        ):
            if any(name.startswith(peer) for name in wanted):
                for name, way in ways():
                    if name.split("/")[0] in wanted:
                        self.ways[name] = way
                        is_jax = peer in ("jax", "torch")
                        self.clocks[name] = process_clock if is_jax else numpy_clock

    @staticmethod
    def array(n_bytes, bits):
        # On a line, as the other process has them; malloc's large blocks begin 16 bytes behind one.
        block = np.empty(n_bytes + 64, np.uint8)
        start = -block.ctypes.data % 64
        return block[start : start + n_bytes].view(UNITS[bits])

    def is_of_bytes(self):
        return self.bits[0] == self.bits[1] >= 8

    def loops(self):
        """Extents, strides of the source and of the destination, in elements of each side."""
        return [list(numbers) for numbers in zip(*self.request["loops"])]

    # Tilewright: what the Rust engine does, asked for from here.

    def tilewright_ways(self):
        if tilewright is None:
            return
        plan = tilewright.Plan(*self.request["shapes"])
        source, target = self.src.view(np.uint8), self.dst.view(np.uint8)

        def run():
            plan.run(source, target, threads=THREADS)

        yield "tilewright-py/Plan.run", run

    # numpy: one thread, into an array that is there.

    def numpy_ways(self):
        if THREADS > 1:
            return
        if not self.is_of_bytes():
            yield from self.packing_ways()
        elif self.request["loops"]:
            to, source = self.views()
            yield "numpy/copyto", lambda: np.copyto(to, source)
        else:
            copies = self.staged()

            def copy():
                for to, source in copies:
                    np.copyto(to, source)

            yield "numpy/staged", copy

    def views(self):
        extents, src_strides, _ = self.loops()
        size = self.src.itemsize
        source = np.lib.stride_tricks.as_strided(
            self.src, extents, [stride * size for stride in src_strides]
        )
        return self.dst.reshape(extents), source

    def staged(self):
        """The copies of the pad-reshape-transpose program, through arrays that are there.

        A pad is a copy into the middle of an array of zeros, and so is a reshape that numpy
        cannot do in place.
        """
        copies = []

        def through(shape, array, into):
            stage = np.zeros(shape, self.src.dtype)
            copies.append((into(stage), array))
            return stage

        def pad(array, widths):
            inside = tuple(slice(size) for size in array.shape)
            shape = [size + after for size, (_, after) in zip(array.shape, widths)]
            return through(shape, array, lambda stage: stage[inside])

        class Lazy:
            @staticmethod
            def reshape(array, sizes):
                try:
                    return np.reshape(array, sizes, copy=False)
                except ValueError:
                    return through(array.shape, array, lambda stage: stage).reshape(sizes)

            transpose = staticmethod(np.transpose)

        source, target = self.request["from"], self.request["to"]
        array = read_out(Lazy, self.src.reshape(physical_dims(source)), source)
        array = lay_out(Lazy, array, target, pad)
        copies.append((self.dst.reshape(array.shape), array))
        return copies

    def packing_ways(self):
        """Elements below a byte: shifts and ors, and numpy's own packing of single bits."""
        packs = self.bits[1] < 8
        bits = min(self.bits)
        per_byte = 8 // bits
        extents, src_strides, dst_strides = self.loops()
        # The innermost loop of the packed side, cut into bytes and places in a byte.
        wide_strides = src_strides if packs else dst_strides
        packed_strides = dst_strides if packs else src_strides
        axis = packed_strides.index(1)
        outer = [*extents[:axis], extents[axis] // per_byte, *extents[axis + 1 :]]
        wide_outer = [*wide_strides[:axis], wide_strides[axis] * per_byte, *wide_strides[axis + 1 :]]
        packed_outer = [stride if at == axis else stride // per_byte for at, stride in enumerate(packed_strides)]
        wide, packed = (self.src, self.dst) if packs else (self.dst, self.src)
        places = [
            np.lib.stride_tricks.as_strided(wide[place * wide_strides[axis] :], outer, wide_outer)
            for place in range(per_byte)
        ]
        packed = np.lib.stride_tricks.as_strided(packed, outer, packed_outer)
        scratch = np.empty(outer, np.uint8)

        def pack():
            np.copyto(packed, places[0])
            for place in range(1, per_byte):
                np.left_shift(places[place], bits * place, out=scratch)
                np.bitwise_or(packed, scratch, out=packed)

        def unpack():
            for place in range(per_byte):
                np.right_shift(packed, bits * place, out=scratch)
                np.bitwise_and(scratch, (1 << bits) - 1, out=places[place])

        yield "numpy/shifts", pack if packs else unpack
        if bits == 1:
            yield from self.bit_ways(packs, axis, extents, wide_strides, packed_outer)

    def bit_ways(self, packs, axis, extents, wide_strides, packed_outer):
        wide, packed = (self.src, self.dst) if packs else (self.dst, self.src)
        wide = np.lib.stride_tricks.as_strided(wide, extents, wide_strides)
        outer = [*extents[:axis], extents[axis] // 8, *extents[axis + 1 :]]
        packed = np.lib.stride_tricks.as_strided(packed, outer, packed_outer)
        if packs:
            yield "numpy/packbits", lambda: np.copyto(packed, np.packbits(wide, axis=axis, bitorder="little"))
        else:
            yield "numpy/unpackbits", lambda: np.copyto(wide, np.unpackbits(packed, axis=axis, bitorder="little"))

    # JAX: every call allocates its output.

    def jax_ways(self):
        if jax is None:
            return
        device = jax.devices("cpu")[0]
        if self.is_of_bytes() and self.request["loops"]:
            _, source = self.views()
            # A strided array goes through the host transpose, XLA's TransposePlan.
            yield "jax-put/device_put", lambda: jax.device_put(source, device).block_until_ready()
        on_device = jax.device_put(self.src.copy(), device).block_until_ready()
        program = jax.jit(functools.partial(jax_program, self.request))
        yield "jax-jit/jit", lambda: program(on_device).block_until_ready()

    # torch: into a tensor that is there.

    def torch_ways(self):
        if torch is None or not self.is_of_bytes():
            return

        def tensor(array):
            return torch.from_numpy(array.view(SIGNED[self.bits[0]]))

        pairs = [self.views()] if self.request["loops"] else self.staged()
        pairs = [(tensor(to), tensor(source)) for to, source in pairs]

        def copy():
            for to, source in pairs:
                to.copy_(source)

        yield "torch/copy_", copy


def jax_program(request, array):
    """The relayout as XLA is told it: unpack, undo the one layout, do the other, pack."""
    if request["src_bits"] < 8:
        array = unpacked(array, request["src_bits"])
    array = read_out(jnp, array.reshape(physical_dims(request["from"])), request["from"])
    array = lay_out(jnp, array, request["to"], jnp.pad)
    if request["dst_bits"] < 8:
        array = packed(array.reshape(-1), request["dst_bits"])
    return array


def unpacked(array, bits):
    places = jnp.arange(8 // bits, dtype=jnp.uint8) * jnp.uint8(bits)
    return ((array[:, None] >> places) & jnp.uint8((1 << bits) - 1)).reshape(-1)


def packed(array, bits):
    places = jnp.arange(8 // bits, dtype=jnp.uint8) * jnp.uint8(bits)
    return jnp.sum(array.reshape(-1, 8 // bits) << places, axis=-1, dtype=jnp.uint8)


# --- the conversation ----------------------------------------------------------------------------

case_now = None


def shared(n_bytes):
    return np.frombuffer(mmap.mmap(FD, n_bytes), np.uint8)


def hello(_):
    versions = {"numpy": np.__version__}
    if jax is not None:
        versions["jax"] = jax.__version__
        versions["jaxlib"] = jax.lib.__version__
    if torch is not None:
        versions["torch"] = torch.__version__
    return {"versions": versions}


def case(request):
    """Takes the source and says in which ways it can be moved."""
    global case_now
    case_now = None
    case_now = Case(request)
    return {"ways": list(case_now.ways)}


def produce(request):
    """Moves once and shows the output."""
    way = case_now.ways[request["way"]]
    case_now.dst.view(np.uint8)[:] = 0xA5
    outcome = way()
    outcome = case_now.dst if outcome is None else np.asarray(outcome)
    shared(case_now.request["dst_bytes"])[:] = outcome.reshape(-1).view(np.uint8)
    return {}


def time_way(request):
    """Seconds for so many moves, one more before them where there are several."""
    way, clock = case_now.ways[request["way"]], case_now.clocks[request["way"]]
    if request["repeats"] > 1:
        way()
    start = clock()
    for _ in range(request["repeats"]):
        way()
    return {"seconds": clock() - start}


def end(_):
    global case_now
    case_now = None
    if jax is not None:
        jax.clear_caches()
    return {}


def main():
    answers = {"hello": hello, "case": case, "produce": produce, "time": time_way, "end": end}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = answers[request["do"]](request)
        except Exception as error:  # to be told, not to end the conversation
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


main()
