"""The programs whose memory is kept: of the kinds that people run on TPUs, with peaks worth naming.

Each takes the devices of a topology and gives what `lower()` gives. The sizes are modest: the texts
stay small, the temporaries take tens of megabytes or more, as peaks of less say little. The last
ones need more memory than the chip has; then come the same, mended.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import ShapeDtypeStruct as Array
from jax import lax
from jax.experimental.layout import Format, Layout
from jax.sharding import Mesh, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

BF16, F32, S32, S8 = jnp.bfloat16, jnp.float32, jnp.int32, jnp.int8
FP8, INT4 = jnp.float8_e4m3fn, jnp.int4

# name: (generation, function of the devices), in the order they are compiled.
PROGRAMS = {}


def program(chip):
    """Adds a program to PROGRAMS, under its function's name with hyphens."""
    def add(function):
        PROGRAMS[function.__name__.replace("_", "-")] = (chip, function)
        return function
    return add


def on_one(devices, function, *arguments, **options):
    """Lowered for the first device, every array in its default format and memory."""
    place = SingleDeviceSharding(devices[0])
    return jax.jit(function, in_shardings=place, **options).lower(*arguments)


# Decoder layers.


def normalised(x, scale):
    x32 = x.astype(F32)
    return (x32 * lax.rsqrt(jnp.mean(x32 * x32, -1, keepdims=True) + 1e-6)).astype(x.dtype) * scale


def attention(x, w):
    q, k, v = (jnp.einsum("btd,dhk->bthk", x, w[name]) for name in ("q", "k", "v"))
    scores = jnp.einsum("bthk,bshk->bhts", q, k).astype(F32) / 8
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), -1).astype(x.dtype)
    return jnp.einsum("bhts,bshk,hkd->btd", weights, v, w["o"])


def block(x, w):
    x = x + attention(normalised(x, w["norm1"]), w)
    h = normalised(x, w["norm2"])
    return x + jax.nn.silu(h @ w["gate"]) * (h @ w["up"]) @ w["down"], None


def block_weights(layers, d=512, heads=4, k=128, ff=1536):
    shapes = {
        "norm1": (d,), "norm2": (d,), "q": (d, heads, k), "k": (d, heads, k), "v": (d, heads, k),
        "o": (heads, k, d), "gate": (d, ff), "up": (d, ff), "down": (ff, d),
    }
    return {name: Array((layers, *dims), BF16) for name, dims in shapes.items()}


def decoder_loss(weights, x, body=block):
    x, _ = lax.scan(body, x, weights)
    return jnp.mean(x.astype(F32) ** 2)


@program("v5e")
def decoder_scan(devices):
    return on_one(devices, jax.grad(decoder_loss), block_weights(4), Array((8, 1024, 512), BF16))


@program("v5e")
def decoder_remat(devices):
    loss = functools.partial(decoder_loss, body=jax.checkpoint(block))
    return on_one(devices, jax.grad(loss), block_weights(4), Array((8, 1024, 512), BF16))


@program("v4")
def decoder_remat_products(devices):
    """Recomputes all but the products of matrices."""
    kept = jax.checkpoint_policies.dots_with_no_batch_dims_saveable
    loss = functools.partial(decoder_loss, body=jax.checkpoint(block, policy=kept))
    return on_one(devices, jax.grad(loss), block_weights(3), Array((8, 896, 512), BF16))


@program("v6e")
def decoder_unrolled(devices):
    """Two layers without a loop, forward only."""
    def forward(weights, x):
        for layer in range(2):
            x, _ = block(x, jax.tree.map(lambda w: w[layer], weights))
        return x
    return on_one(devices, forward, block_weights(2), Array((8, 1777, 512), BF16))


# Over four chips.


@program("v5e")
def mesh_2x2(devices):
    """A feed-forward step whose weights and batch are split over two axes, with its gradient."""
    mesh = Mesh(np.array(devices).reshape(2, 2), ("data", "model"))
    place = lambda *axes: NamedSharding(mesh, P(*axes))

    def loss(w, x):
        h = jax.nn.gelu(x @ w["up"])
        return jnp.mean((h @ w["down"]).astype(F32) ** 2)

    weights = {"up": Array((1024, 8192), BF16), "down": Array((8192, 1024), BF16)}
    placed = {"up": place("data", "model"), "down": place("model", "data")}
    step = jax.jit(jax.grad(loss), in_shardings=(placed, place("data", None)), out_shardings=placed)
    return step.lower(weights, Array((32768, 1024), BF16))


@program("v5p")
def ring(devices):
    """A product of matrices whose second one goes round the chips, a quarter at a time."""
    mesh = Mesh(np.array(devices), ("ring",))
    n = len(devices)

    def local(x, w):
        index = lax.axis_index("ring")

        def step(i, carry):
            out, w = carry
            part = x @ w
            column = (index - i) % n * w.shape[1]
            out = lax.dynamic_update_slice(out, part, (0, column))
            return out, lax.ppermute(w, "ring", [(j, (j + 1) % n) for j in range(n)])

        out = lax.pcast(jnp.zeros((x.shape[0], w.shape[1] * n), x.dtype), "ring", to="varying")
        return lax.fori_loop(0, n, step, (out, w))[0]

    f = jax.shard_map(local, mesh=mesh, in_specs=(P("ring", None), P(None, "ring")),
                      out_specs=P("ring", None))
    at = (NamedSharding(mesh, P("ring", None)), NamedSharding(mesh, P(None, "ring")))
    return jax.jit(lambda x, w: jnp.tanh(f(x, w)).sum(0), in_shardings=at).lower(
        Array((8192, 2048), BF16), Array((2048, 8192), BF16))


@program("v7x")
def expert_exchange(devices):
    """Tokens go to the chips of their experts and back."""
    mesh = Mesh(np.array(devices), ("expert",))
    n = len(devices)

    def local(x, w):
        sent = lax.all_to_all(x.reshape(n, -1, x.shape[-1]), "expert", 0, 0)
        done = jax.nn.relu(sent.reshape(-1, x.shape[-1]) @ w[0]) @ w[1]
        return lax.all_to_all(done.reshape(n, -1, x.shape[-1]), "expert", 0, 0).reshape(x.shape)

    f = jax.shard_map(local, mesh=mesh, in_specs=(P("expert", None), P("expert", None, None)),
                      out_specs=P("expert", None))
    at = (NamedSharding(mesh, P("expert", None)), NamedSharding(mesh, P("expert", None, None)))
    return jax.jit(f, in_shardings=at).lower(
        Array((n * 16384, 1024), BF16), Array((n * 2, 1024, 1024), BF16))


# Training steps.


@program("v6e")
def adam_donated(devices):
    """Weights and both moments are given away, and come back in the same memory."""
    def loss(w, x):
        return jnp.mean((jnp.tanh(x @ w["a"]) @ w["b"]).astype(F32) ** 2)

    def step(w, m, v, x):
        g = jax.grad(loss)(w, x)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, g)
        w = jax.tree.map(lambda w, m, v: w - 1e-3 * m / (jnp.sqrt(v) + 1e-8), w, m, v)
        return w, m, v

    w = {"a": Array((1024, 4096), F32), "b": Array((4096, 1000), F32)}
    return on_one(devices, step, w, w, w, Array((8192, 1024), F32), donate_argnums=(0, 1, 2))


@program("v5e")
def unet_gradient(devices):
    def convolve(x, w, stride=1):
        return lax.conv_general_dilated(
            x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def forward(w, x):
        a = jax.nn.silu(convolve(x, w["in"]))
        b = jax.nn.silu(convolve(a, w["down"], 2))
        b = jax.nn.silu(convolve(b, w["middle"]))
        up = jnp.repeat(jnp.repeat(b, 2, 1), 2, 2)
        return convolve(jnp.concatenate([a, up], -1), w["out"])

    w = {"in": Array((3, 3, 4, 48), BF16), "down": Array((3, 3, 48, 96), BF16),
         "middle": Array((3, 3, 96, 96), BF16), "out": Array((3, 3, 144, 4), BF16)}
    loss = lambda w, x: jnp.mean(forward(w, x).astype(F32) ** 2)
    return on_one(devices, jax.grad(loss), w, Array((64, 128, 128, 4), BF16))


@program("v5p")
def vision_transformer(devices):
    def forward(w, images):
        n, size = images.shape[0], 16
        side = images.shape[1] // size
        x = images.reshape(n, side, size, side, size, 3).transpose(0, 1, 3, 2, 4, 5)
        x = x.reshape(n, side * side, -1) @ w["patch"] + w["position"]
        x, _ = lax.scan(block, x, w["blocks"])
        return normalised(x, w["norm"]).mean(1) @ w["head"]

    w = {"patch": Array((768, 384), BF16), "position": Array((196, 384), BF16),
         "norm": Array((384,), BF16), "head": Array((384, 1000), BF16),
         "blocks": block_weights(3, d=384, heads=6, k=64, ff=1536)}
    return on_one(devices, forward, w, Array((128, 224, 224, 3), BF16))


@program("v7x")
def recurrent_gradient(devices):
    """A gated recurrent network; its states are kept for the way back."""
    def loss(w, x):
        def cell(h, x):
            z = jax.nn.sigmoid(x @ w["zx"] + h @ w["zh"])
            return (1 - z) * h + z * jnp.tanh(x @ w["x"] + h @ w["h"]), None
        h, _ = lax.scan(cell, jnp.zeros((x.shape[1], 512), x.dtype), x)
        return jnp.sum(h.astype(F32) ** 2)

    w = {name: Array((512, 512), BF16) for name in ("x", "h", "zx", "zh")}
    return on_one(devices, jax.grad(loss), w, Array((128, 256, 512), BF16))


# Experts, caches and kernels.


@program("v6e")
def experts_ragged(devices):
    """Each token to its best expert, sorted, and a product of ragged groups."""
    def forward(x, router, up, down):
        chosen = jnp.argmax(x @ router, -1)
        order = jnp.argsort(chosen)
        sizes = jnp.bincount(chosen, length=up.shape[0]).astype(S32)
        h = jax.nn.gelu(lax.ragged_dot(x[order], up, sizes))
        return jnp.zeros_like(x).at[order].set(lax.ragged_dot(h, down, sizes))
    return on_one(devices, forward, Array((50000, 512), BF16), Array((512, 8), BF16),
                  Array((8, 512, 2048), BF16), Array((8, 2048, 512), BF16))


@program("v5p")
def experts_one_hot(devices):
    def forward(x, router, up, down):
        scores, chosen = lax.top_k(jax.nn.softmax((x @ router).astype(F32)), 2)
        gates = jnp.einsum("tk,tke->te", scores, jax.nn.one_hot(chosen, router.shape[1]))
        inside = jax.nn.gelu(jnp.einsum("td,edf->etf", x, up))
        return jnp.einsum("te,etd->td", gates.astype(x.dtype), jnp.einsum("etf,efd->etd", inside, down))
    return on_one(devices, forward, Array((4000, 512), BF16), Array((512, 6), BF16),
                  Array((6, 512, 2048), BF16), Array((6, 2048, 512), BF16))


@program("v5e")
def decode_with_cache(devices):
    """Decodes tokens in a while loop, each seeing the caches of those before."""
    def decode(keys, values, w, start):
        def step(carry):
            i, x, keys, values = carry
            q, k, v = (jnp.einsum("bd,dhk->bhk", x, w[name]) for name in ("q", "k", "v"))
            keys = lax.dynamic_update_slice(keys, k[:, :, None], (0, 0, i, 0))
            values = lax.dynamic_update_slice(values, v[:, :, None], (0, 0, i, 0))
            scores = jnp.einsum("bhk,bhtk->bht", q, keys).astype(F32)
            seen = jnp.arange(keys.shape[2]) <= i
            weights = jax.nn.softmax(jnp.where(seen, scores, -1e9), -1).astype(x.dtype)
            x = x + jnp.einsum("bht,bhtk,hkd->bd", weights, values, w["o"])
            return i + 1, x, keys, values

        stop = keys.shape[2]
        carry = lax.while_loop(lambda c: c[0] < stop, step, (jnp.int32(7), start, keys, values))
        return carry[1]

    cache = Array((32, 8, 2048, 128), BF16)
    w = {name: Array((1024, 8, 128), BF16) for name in ("q", "k", "v")}
    w["o"] = Array((8, 128, 1024), BF16)
    return on_one(devices, decode, cache, cache, w, Array((32, 1024), BF16))


def decode_in_place(devices, cache, projection):
    """Decoding with caches that are given away and come back, these and the projections in some formats."""
    def decode(keys, values, w, start):
        def step(carry):
            i, x, keys, values = carry
            q, k, v = (jnp.einsum("bd,dhk->bhk", x, w[name]) for name in ("q", "k", "v"))
            keys = lax.dynamic_update_slice(keys, k[:, :, None], (0, 0, i, 0))
            values = lax.dynamic_update_slice(values, v[:, :, None], (0, 0, i, 0))
            scores = jnp.einsum("bhk,bhtk->bht", q, keys).astype(F32)
            weights = jax.nn.softmax(jnp.where(jnp.arange(keys.shape[2]) <= i, scores, -1e9), -1)
            return i + 1, x + jnp.einsum("bht,bhtk,hkd->bd", weights.astype(BF16), values, w["o"]), keys, values

        carry = (jnp.int32(7), start, keys, values)
        return lax.while_loop(lambda c: c[0] < keys.shape[2], step, carry)[1:]

    here = SingleDeviceSharding(devices[0])
    form = lambda order: Format(Layout(order, ((8, 128), (2, 1))), here) if order else here
    cache, projections = form(cache), {"q": form(projection), "k": form(projection), "v": here}
    f = jax.jit(decode, donate_argnums=(0, 1), out_shardings=(here, cache, cache),
                in_shardings=(cache, cache, {**projections, "o": here}, here))
    given = Array((32, 8, 2048, 128), BF16)
    w = {name: Array((1024, 8, 128), BF16) for name in ("q", "k", "v")}
    return f.lower(given, given, {**w, "o": Array((8, 128, 1024), BF16)}, Array((32, 1024), BF16))


@program("v5e")
def cache_in_place(devices):
    return decode_in_place(devices, None, None)


@program("v5e")
def cache_assigned(devices):
    """The same in the formats that `tilewright assign` finds."""
    return decode_in_place(devices, (2, 1, 0, 3), (1, 0, 2))


@program("v6e")
def flash_attention(devices):
    from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention as kernel

    def forward(x, w):
        q, k, v = jnp.einsum("btd,sdhk->sbhtk", x, w)
        return kernel(q, k, v, causal=True).transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[1], -1)
    return on_one(devices, forward, Array((16, 2048, 1024), BF16), Array((3, 1024, 8, 128), BF16))


@program("v5p")
def kernel_matmul(devices):
    from jax.experimental.pallas.ops.tpu.matmul import matmul
    forward = lambda x, a, b: matmul(jax.nn.relu(matmul(x, a, block_shape=(512, 512))), b,
                                     block_shape=(512, 512))
    return on_one(devices, forward, Array((4096, 1024), BF16), Array((1024, 4096), BF16),
                  Array((4096, 1024), BF16))


@program("v5e")
def paged_attention(devices):
    from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention as kernel

    def forward(x, w, keys, values, lengths, pages):
        q = jnp.einsum("bd,dhk->bhk", x, w)
        keys, values = (0.5 * pool for pool in (keys, values))
        return kernel(q, keys, values, lengths, pages, pages_per_compute_block=4)
    pool = Array((4, 4096, 16, 128), BF16)
    return on_one(devices, forward, Array((32, 1024), BF16), Array((1024, 8, 128), BF16), pool, pool,
                  Array((32,), S32), Array((32, 16), S32))


# Narrow types.


@program("v5e")
def int4_matmul(devices):
    def forward(x, packed, scales):
        groups, columns = scales.shape
        weights = packed.astype(BF16).reshape(groups, -1, columns) * scales[:, None]
        return jax.nn.relu(x @ weights.reshape(-1, columns)) @ weights.reshape(-1, columns).T
    return on_one(devices, forward, Array((16384, 4096), BF16), Array((4096, 4096), INT4),
                  Array((64, 4096), BF16))


@program("v6e")
def int8_matmul(devices):
    def forward(x, a, b, scale):
        h = lax.dot(x, a, preferred_element_type=S32).astype(F32) * scale
        h = jnp.round(h * (127 / jnp.max(jnp.abs(h), 0))).astype(S8)
        return lax.dot(h, b, preferred_element_type=S32).astype(F32) * 0.01
    return on_one(devices, forward, Array((40000, 1024), S8), Array((1024, 4096), S8),
                  Array((4096, 512), S8), Array((4096,), F32))


@program("v7x")
def fp8_matmul(devices):
    def forward(x, a, b):
        h = lax.dot(x.astype(FP8), a, preferred_element_type=F32)
        h = (h / jnp.max(jnp.abs(h))).astype(FP8)
        return lax.dot(h, b, preferred_element_type=F32).astype(BF16)
    return on_one(devices, forward, Array((20000, 1024), BF16), Array((1024, 4096), FP8),
                  Array((4096, 1024), FP8))


# Sequences, indices and transforms.


@program("v4")
def selective_scan(devices):
    def forward(x, decay, b, c):
        gate = jnp.exp(-jax.nn.softplus(decay)[..., None] * jnp.arange(1.0, 17))
        inside = x[..., None] * b[:, :, None]
        join = lambda left, right: (left[0] * right[0], left[1] * right[0] + right[1])
        _, states = lax.associative_scan(join, (gate, inside), axis=1)
        return jnp.einsum("btdn,btn->btd", states, c)
    x = Array((1, 1024, 512), F32)
    return on_one(devices, forward, x, x, Array((1, 1024, 16), F32), Array((1, 1024, 16), F32))


@program("v5e")
def gather_scatter(devices):
    """Sizes that no tile divides: rows picked, changed, and added back."""
    def step(table, at, gradient):
        rows = table[at] * 2 - gradient
        picked = jnp.take_along_axis(table[: 3 * 1111], at.reshape(-1, 1)[:3333] % 97, 1)
        return table.at[at].add(rows), picked.sum() + rows[:, ::3].max()
    return on_one(devices, step, Array((200007, 97), F32), Array((120011,), S32),
                  Array((120011, 97), F32))


@program("v4")
def fft(devices):
    def filtered(signal, kernel):
        return jnp.fft.irfft2(jnp.fft.rfft2(signal) * jnp.fft.rfft2(kernel), s=signal.shape[1:])
    return on_one(devices, filtered, Array((64, 512, 500), F32), Array((1, 512, 500), F32))


@program("v6e")
def sort(devices):
    def sorted_pairs(keys, values):
        keys, values = lax.sort((keys, values), dimension=1, num_keys=1)
        return jnp.cumsum(keys, 1)[:, ::2], lax.top_k(values, 50)
    return on_one(devices, sorted_pairs, Array((1000, 5000), F32), Array((1000, 5000), S32))


@program("v5e")
def elementwise(devices):
    """Arrays of one size that come and go, in three formats."""
    def chain(a, b):
        c = jnp.sin(a) + b
        d = jnp.cumsum(c, 0)
        e = jnp.cumsum(c.T, 0).T
        return jnp.tanh(d * e).sum(1), lax.reduce_window(
            d - e, -jnp.inf, lax.max, (3, 3), (2, 2), "SAME").astype(BF16)
    return on_one(devices, chain, Array((3000, 3000), F32), Array((3000, 3000), F32))


# Branches, memories and formats.


@program("v7x")
def switch(devices):
    """One of three branches that need different amounts of memory, inside a loop."""
    def step(x, which):
        wide = lambda x: jnp.tanh(jnp.concatenate([x, x * 2], 1) @ jnp.concatenate([x, x]))
        return lax.switch(which, [lambda x: x + 1, wide, lambda x: jnp.cumsum(x, 0) @ x.T], x), None
    run = lambda x, which: lax.scan(step, x, which)[0].sum(0)
    return on_one(devices, run, Array((4096, 4096), F32), Array((9,), S32))


@program("v5e")
def host_offload(devices):
    """Moments that rest in the host's memory and come to the chip for one step."""
    here = SingleDeviceSharding(devices[0])
    host = SingleDeviceSharding(devices[0], memory_kind="pinned_host")

    def step(w, m, x):
        g = jax.grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)
        m = 0.9 * jax.device_put(m, here) + 0.1 * g
        return w - 1e-3 * m, jax.device_put(m, host)
    f = jax.jit(step, in_shardings=(here, host, here), out_shardings=(here, host), donate_argnums=(0, 1))
    w = Array((2048, 4096), F32)
    return f.lower(w, w, Array((2048, 2048), F32))


@program("v6e")
def custom_layouts(devices):
    """Arguments and a result in column-major orders that the caller chose."""
    here = SingleDeviceSharding(devices[0])
    columns = Format(Layout((1, 0), ((8, 128), (2, 1))), here)
    blocks = Format(Layout((0, 2, 1), ((8, 128), (2, 1))), here)
    forward = lambda x, w: (jnp.einsum("bij,jk->bik", x, w), jnp.cumsum(w, 0) * 2)
    f = jax.jit(forward, in_shardings=(blocks, columns), out_shardings=(None, columns))
    return f.lower(Array((24, 500, 1100), BF16), Array((1100, 3000), BF16))


@program("v4")
def nested_loops(devices):
    """A loop within a loop, and a branch in the inner one: blocks of a product kept in place."""
    def product(a, b):
        def row(i, out):
            def column(j, out):
                part = lax.dynamic_slice(a, (i * 1536, 0), (1536, 6144)) @ \
                    lax.dynamic_slice(b, (0, j * 1536), (6144, 1536))
                part = lax.cond(i < j, lambda p: jnp.exp(-p), lambda p: jnp.sin(p), part)
                return lax.dynamic_update_slice(out, part, (i * 1536, j * 1536))
            return lax.fori_loop(0, 4, column, out)
        return lax.fori_loop(0, 4, row, jnp.zeros((6144, 6144), F32)).sum(0)
    return on_one(devices, product, Array((6144, 6144), F32), Array((6144, 6144), F32))


# More than the chip has.


@program("v5e")
def oom_softmax(devices):
    """The weights of attention, saved by the scan for every layer."""
    return on_one(devices, jax.grad(decoder_loss), block_weights(24), Array((16, 2048, 512), BF16))


@program("v6e")
def oom_padded_column(devices):
    """A column for a kernel: in the format that kernels take, each number has 128 lanes."""
    from jax.experimental import pallas as pl

    def scaled(x, out):
        out[...] = x[...] * 2

    def forward(x):
        rows, block = x.shape[0], pl.BlockSpec((1024, 1), lambda i: (i, 0))
        call = pl.pallas_call(scaled, grid=(rows // 1024,), in_specs=[block], out_specs=block,
                              out_shape=Array((rows, 1), F32))
        return jnp.cumsum(call(x.max(-1, keepdims=True))[:, 0])
    return on_one(devices, forward, Array((80 * 2**20, 3), F32))


@program("v5p")
def oom_cache(devices):
    """Caches in f32 that are not given away, so that old and new are there at once."""
    def step(keys, values, new, at):
        grow = lambda cache: lax.dynamic_update_slice(cache, new[:, :, :, None], (0, 0, 0, at, 0))
        return grow(keys), grow(values)
    cache = Array((32, 16, 16, 8192, 128), F32)
    return on_one(devices, step, cache, cache, Array((32, 16, 16, 128), F32), Array((), S32))


# What does not fit, changed as the report of its memory says.


@jax.custom_vjp
def narrow_softmax(scores):
    return jax.nn.softmax(scores, -1).astype(BF16)


def narrow_softmax_forward(scores):
    weights = narrow_softmax(scores)
    return weights, weights


def narrow_softmax_backward(weights, gradient):
    weights, gradient = weights.astype(F32), gradient.astype(F32)
    return (weights * (gradient - (weights * gradient).sum(-1, keepdims=True)),)


narrow_softmax.defvjp(narrow_softmax_forward, narrow_softmax_backward)


@program("v5e")
def mended_softmax(devices):
    """The f32 weights of attention are not saved: the gradient takes the bf16 ones, which are."""
    def attention(x, w):
        q, k, v = (jnp.einsum("btd,dhk->bthk", x, w[name]) for name in ("q", "k", "v"))
        scores = jnp.einsum("bthk,bshk->bhts", q, k).astype(F32) / 8
        causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        weights = narrow_softmax(jnp.where(causal, scores, -1e9))
        return jnp.einsum("bhts,bshk,hkd->btd", weights, v, w["o"])

    def body(x, w):
        x = x + attention(normalised(x, w["norm1"]), w)
        h = normalised(x, w["norm2"])
        return x + jax.nn.silu(h @ w["gate"]) * (h @ w["up"]) @ w["down"], None

    loss = functools.partial(decoder_loss, body=body)
    return on_one(devices, jax.grad(loss), block_weights(24), Array((16, 2048, 512), BF16))


@program("v5e")
def mended_layers(devices):
    """Of a layer only what goes into it is saved: then it fits."""
    loss = functools.partial(decoder_loss, body=jax.checkpoint(block))
    return on_one(devices, jax.grad(loss), block_weights(24), Array((16, 2048, 512), BF16))


@program("v6e")
def mended_padded_column(devices):
    """The column without its dimension of one, which the kernel does not need."""
    from jax.experimental import pallas as pl

    def scaled(x, out):
        out[...] = x[...] * 2

    def forward(x):
        rows, block = x.shape[0], pl.BlockSpec((1024,), lambda i: (i,))
        call = pl.pallas_call(scaled, grid=(rows // 1024,), in_specs=[block], out_specs=block,
                              out_shape=Array((rows,), F32))
        return jnp.cumsum(call(x.max(-1)))

    # For a block of one dimension Pallas asks which chip it is, and takes it from the mesh.
    with jax.set_mesh(Mesh(np.array(devices[:1]), ("one",))):
        return on_one(devices, forward, Array((80 * 2**20, 3), F32))


@program("v5p")
def mended_cache(devices):
    """The caches are given away."""
    def step(keys, values, new, at):
        grow = lambda cache: lax.dynamic_update_slice(cache, new[:, :, :, None], (0, 0, 0, at, 0))
        return grow(keys), grow(values)
    cache, new = Array((32, 16, 16, 8192, 128), F32), Array((32, 16, 16, 128), F32)
    return on_one(devices, step, cache, cache, new, Array((), S32), donate_argnums=(0, 1))
