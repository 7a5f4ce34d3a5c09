"""The programs whose compiled modules are kept: small, but of the kinds that people run on TPUs.

Each is a function and the arrays it takes, at sizes that pad: heads of 64, vocabularies and batches
that are no multiple of a tile, so that the modules hold relayouts and not only arithmetic.
"""

import jax
import jax.numpy as jnp
from jax import ShapeDtypeStruct as Array
from jax import lax

BF16, F32, S32 = jnp.bfloat16, jnp.float32, jnp.int32


def normalised(x, scale):
    x32 = x.astype(F32)
    return (x32 * lax.rsqrt(jnp.mean(x32 * x32, -1, keepdims=True) + 1e-6)).astype(x.dtype) * scale


def attention(x, w):
    q, k, v = (jnp.einsum("btd,dhk->bthk", x, w[name]) for name in ("q", "k", "v"))
    scores = jnp.einsum("bthk,bshk->bhts", q, k).astype(F32) / 8
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), -1).astype(x.dtype)
    return jnp.einsum("bhts,bshk,hkd->btd", weights, v, w["o"])


def feed_forward(x, w):
    return jax.nn.silu(x @ w["gate"]) * (x @ w["up"]) @ w["down"]


def transformer(weights, tokens):
    x = weights["embedding"][tokens]

    def block(x, w):
        x = x + attention(normalised(x, w["norm1"]), w)
        return x + feed_forward(normalised(x, w["norm2"]), w), None

    x, _ = lax.scan(block, x, weights["blocks"])
    return normalised(x, weights["norm"]) @ weights["embedding"].T


def transformer_loss(weights, tokens):
    logits = transformer(weights, tokens[:, :-1]).astype(F32)
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], -1)
    return -picked.mean()


def transformer_weights(layers=2, d=256, heads=4, k=64, ff=640, vocab=1000):
    block = {
        "norm1": (d,), "norm2": (d,), "q": (d, heads, k), "k": (d, heads, k), "v": (d, heads, k),
        "o": (heads, k, d), "gate": (d, ff), "up": (d, ff), "down": (ff, d),
    }
    stacked = {name: Array((layers, *dims), BF16) for name, dims in block.items()}
    return {"embedding": Array((vocab, d), BF16), "norm": Array((d,), BF16), "blocks": stacked}


def convolution(image, kernels, bias):
    for kernel in kernels:
        image = lax.conv_general_dilated(
            image, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        image = jax.nn.relu(image)
    return image.mean((1, 2)) + bias


def convolution_channels_first(image, kernel):
    out = lax.conv_general_dilated(image, kernel, (1, 1), "SAME")
    return out.reshape(out.shape[0], out.shape[1], -1).swapaxes(1, 2)


def embedding(table, tokens, gradient):
    """The rows of some tokens, and the table after a gradient was added to them."""
    rows = table[tokens]
    return rows, table.at[tokens].add(-0.1 * gradient)


def cache_update(keys, values, new_keys, new_values, query, position):
    """One step of decoding: what is new goes into the cache, then the query looks at all of it."""
    keys = lax.dynamic_update_slice(keys, new_keys[:, None], (0, position, 0, 0))
    values = lax.dynamic_update_slice(values, new_values[:, None], (0, position, 0, 0))
    scores = jnp.einsum("bhk,bthk->bht", query, keys).astype(F32)
    seen = jnp.arange(keys.shape[1]) <= position
    weights = jax.nn.softmax(jnp.where(seen, scores, -1e9), -1).astype(values.dtype)
    return keys, values, jnp.einsum("bht,bthk->bhk", weights, values)


def int4_matmul(x, packed, scales):
    """Weights of 4 bits with a scale for each group of 64 rows."""
    groups, columns = scales.shape
    weights = packed.astype(BF16).reshape(groups, -1, columns) * scales[:, None]
    return x @ weights.reshape(-1, columns)


def mixture_of_experts(x, router, up, down):
    """Each token to its two best experts, by one-hot dispatch."""
    scores, chosen = lax.top_k(jax.nn.softmax((x @ router).astype(F32)), 2)
    gates = jnp.einsum("tk,tke->te", scores, jax.nn.one_hot(chosen, router.shape[1]))
    inside = jax.nn.gelu(jnp.einsum("td,edf->etf", x, up))
    out = jnp.einsum("etf,efd->etd", inside, down)
    return jnp.einsum("te,etd->td", gates.astype(x.dtype), out)


def rearrangements(a, b, c):
    """Nothing but arrays in other orders and dimensions."""
    return (
        a.transpose(2, 0, 1).reshape(-1, a.shape[1]),
        b.reshape(b.shape[0], 12, -1).swapaxes(0, 2) + 1,
        jnp.concatenate([c.T, c.T * 2], 1).reshape(-1),
        lax.sort(c, dimension=0),
    )


def collectives(x, w):
    """Over four chips: the rows of one, the columns of the other."""
    return jnp.tanh(x @ w).sum(0), (x.T @ x)


# What `tilewright assign` says of some of them: for a program, the number of an argument and its
# format, as dimensions from major to minor and tiles. Compiled so, the compiler is to move less.
ASSIGNED = {
    "convolution": (0, (0, 3, 2, 1), ((8, 128), (2, 1))),
    "embedding": (0, (0, 1), ((8, 128),)),
    "rearrangements": (0, (2, 0, 1), ((8, 128),)),
}


def programs():
    """(name, function, arguments, partition of each argument over 2 x 2 chips or None)."""
    weights = transformer_weights()
    tokens = Array((3, 77), S32)
    cache = Array((5, 200, 6, 64), BF16)
    return [
        ("transformer-forward", transformer, (weights, tokens), None),
        ("transformer-gradient", jax.value_and_grad(transformer_loss), (weights, tokens), None),
        ("convolution", convolution, (
            Array((6, 32, 32, 3), BF16),
            [Array((3, 3, 3, 20), BF16), Array((3, 3, 20, 48), BF16)],
            Array((48,), BF16)), None),
        ("convolution-nchw", convolution_channels_first,
         (Array((4, 24, 28, 28), F32), Array((40, 24, 3, 3), F32)), None),
        ("embedding", embedding,
         (Array((5003, 96), F32), Array((7, 33), S32), Array((7, 33, 96), F32)), None),
        ("kv-cache-update", cache_update, (
            cache, cache, Array((5, 6, 64), BF16), Array((5, 6, 64), BF16), Array((5, 6, 64), BF16),
            Array((), S32)), None),
        ("int4-matmul", int4_matmul,
         (Array((24, 512), BF16), Array((512, 384), jnp.int4), Array((8, 384), BF16)), None),
        ("mixture-of-experts", mixture_of_experts, (
            Array((100, 128), BF16), Array((128, 6), BF16), Array((6, 128, 200), BF16),
            Array((6, 200, 128), BF16)), None),
        ("rearrangements", rearrangements, (
            Array((9, 130, 40), F32), Array((30, 60), BF16), Array((50, 70), S32)), None),
        ("collectives", collectives, (Array((300, 512), BF16), Array((512, 260), BF16)),
         (("x", "y"), ("y", None))),
    ]
