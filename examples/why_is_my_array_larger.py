# %% [markdown]
# # Why is my array 128 times larger on the TPU?
#
# A column of words, `u32[12582912,1]`, is 48 MiB of data. In one program it took 6 GiB. This page
# finds out why, what it could be instead, and packs weights for the device. It is a script that
# notebooks open as cells (`# %%`), and it runs with no TPU.

# %%
import ml_dtypes
import numpy as np

import tilewright as tw

column = tw.Shape("u32[12582912,1]{1,0:T(8,128)}")
factor = column.bytes // column.logical_bytes
print(f"{column}: {column.bytes >> 20} MiB, {factor} times its data")

# %% [markdown]
# The last dimension is minor, and a tile has 128 of it; the column has one. So every word is alone in
# a row of 128.

# %%
print(tw.tpu.padding_in_words(column))
small = tw.Shape("u32[3,1]{1,0:T(2,4)}")  # the same in little; a notebook draws it
print(small.offsets().ravel(), "of", small.allocation)

# %% [markdown]
# What else could it be? The formats of that array on a generation of TPUs, the smallest first, with
# what a relayout to each would move.

# %%
for row in tw.tpu.candidates(column, chip="v4")[:3]:
    print(f"{row.shape}  {row.bytes >> 20} MiB  moves {row.moves_bytes >> 20} MiB")

# %% [markdown]
# Or the column could be a row of the other orientation to begin with, which the compiler's own choice
# would be.

# %%
print(tw.tpu.default((12582912, 1), "uint32", chip="v4"))

# %% [markdown]
# Where do such arrays stand in a program? `tw.hlo` reads what `compiled.as_text()` prints.

# %%
report = tw.hlo(
    """HloModule column

ENTRY main {
  p = u32[12582912,1]{1,0:T(8,128)} parameter(0)
  ROOT c = u32[12582912,1]{0,1:T(1,128)} copy(p)
}
"""
)
for name, text, size in zip(*(report.table("parameters")[key] for key in ("name", "text", "bytes"))):
    print(name, text, size)

# %% [markdown]
# Now the weights. Packed beforehand into the format that the device wants, they need no relayout when
# they are loaded; back on the host they are what they were.

# %%
rng = np.random.default_rng(0)
weights = {
    "embedding": rng.standard_normal((1000, 300)).astype(ml_dtypes.bfloat16),
    "bias": rng.standard_normal(300).astype(np.float32),
}
tw.save("packed.safetensors", weights, "tpu:v5e", force=True)
for name, stored in tw.load("packed.safetensors", packed=True).items():
    print(name, stored.shape, stored.data.shape)
again = tw.load("packed.safetensors")
assert all(again[name].tobytes() == weights[name].tobytes() for name in weights)
print("the weights came back bit for bit")
