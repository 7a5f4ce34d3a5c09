"""Random shapes in XLA's text form, shared by every script here.

A shape is a small tree of the classes below; `tokens` spells it as a list of lexer tokens, so that
a script can join them plainly (`text`), put blanks and comments between them (`noisy`), or break
them. The spelling follows XLA's own printer (`Layout::Print` in `xla/layout.cc`,
`PrintHumanStringWithLayout` in `xla/shape_util.cc`), but no script trusts it: what XLA prints is
asked of XLA.

Everything is a function of the `random.Random` passed in: the same seed, the same shapes.
"""

import math
from dataclasses import dataclass, field

# Bits a value means, by name (`xla_data.proto`, `PrimitiveType`; `primitive_util::BitWidth`).
BITS = {
    "pred": 1, "s1": 1, "u1": 1, "s2": 2, "u2": 2, "s4": 4, "u4": 4, "f4e2m1fn": 4,
    "f6e3m2fn": 6, "f6e2m3fn": 6, "s8": 8, "u8": 8, "f8e5m2": 8, "f8e4m3": 8, "f8e4m3fn": 8,
    "f8e4m3b11fnuz": 8, "f8e5m2fnuz": 8, "f8e4m3fnuz": 8, "f8e3m4": 8, "f8e8m0fnu": 8,
    "s16": 16, "u16": 16, "f16": 16, "bf16": 16, "s32": 32, "u32": 32, "f32": 32,
    "s64": 64, "u64": 64, "f64": 64, "c64": 64, "c128": 128,
}
TYPES = list(BITS)
COMMON_TYPES = ["f32", "bf16", "s8", "s4", "s32", "pred", "u8", "f8e4m3fn"]
INDEX_TYPES = ["u8", "u16", "u32", "u64", "s16", "s32", "s64"]


@dataclass
class Layout:
    """The attributes between `{` and `}`. A tile is a tuple of numbers and "*".

    `padded` and `padding` are not XLA's text: they say, in Tilewright's, what `padded_dimensions`
    and `padding_value` of older layout protos said. No script that asks XLA sets them.
    """

    minor_to_major: list
    tiles: list = field(default_factory=list)
    tail: int | None = None  # L(n): the allocation is a multiple of n elements
    index_type: str | None = None  # #(type)
    pointer_type: str | None = None  # *(type)
    element_bits: int | None = None  # E(n)
    space: int | None = None  # S(n)
    splits: list = field(default_factory=list)  # SC(d:i,j): (physical dim, [indices])
    metadata: int | None = None  # M(n): bytes before the array for its dynamic sizes
    padded: list | None = None  # PAD(a,b), an extension: the logical dims grown before all else
    padding: int | None = None  # PAD(a,b;0): the value the padding holds


@dataclass
class Array:
    """A dim is a number, `("<=", n)` (bounded) or `"?"` (unbounded)."""

    type: str
    dims: list
    layout: Layout | None = None


@dataclass
class Tuple:
    elements: list


@dataclass
class Buffer:
    array: Array


@dataclass
class Bare:
    """`token[]` or `opaque[]`."""

    name: str


def listed(items):
    """Tokens of items separated by commas; an item is a token or a list of tokens."""
    out = []
    for i, item in enumerate(items):
        out += [","] * (i > 0) + (item if isinstance(item, list) else [str(item)])
    return out


def layout_tokens(layout):
    attrs = []
    if layout.tiles:
        attrs.append("T")
        for tile in layout.tiles:
            attrs += ["(", *listed(tile), ")"]
    for name, value in [
        ("L", layout.tail), ("#", layout.index_type), ("*", layout.pointer_type),
        ("E", layout.element_bits), ("S", layout.space),
    ]:
        if value is not None:
            attrs += [name, "(", str(value), ")"]
    if layout.splits:
        attrs.append("SC")
        for dim, indices in layout.splits:
            attrs += ["(", str(dim), ":", *listed(indices), ")"]
    if layout.metadata is not None:
        attrs += ["M", "(", str(layout.metadata), ")"]
    if layout.padded is not None:
        value = [] if layout.padding is None else [";", str(layout.padding)]
        attrs += ["PAD", "(", *listed(layout.padded), *value, ")"]
    return ["{", *listed(layout.minor_to_major), *([":", *attrs] if attrs else []), "}"]


def tokens(shape):
    """The tokens of a shape. A trivial scalar layout is left out: XLA refuses `f32[]{}`."""
    match shape:
        case Tuple(elements):
            return ["(", *listed([tokens(e) for e in elements]), ")"]
        case Buffer(array):
            return ["b", "(", *tokens(array), ")"]
        case Bare(name):
            return [name, "[", "]"]
    dims = [["<=", str(d[1])] if isinstance(d, tuple) else str(d) for d in shape.dims]
    layout = [] if shape.layout is None else layout_tokens(shape.layout)
    return [shape.type, "[", *listed(dims), "]", *([] if layout == ["{", "}"] else layout)]


def text(shape):
    return "".join(tokens(shape))


def noisy(rng, shape, zeros=True):
    """The same shape as XLA also reads it: blanks, comments and leading zeros."""
    out = []
    for token in tokens(shape):
        if zeros and token.isdigit() and rng.random() < 0.1:
            token = "0" * rng.randint(1, 3) + token
        out += [blank(rng), token]
    return "".join(out) + blank(rng)


def blank(rng):
    if rng.random() < 0.6:
        return ""
    return rng.choice([" ", "  ", "\t", "\n", " ", "/* c */", "/*index=5*/", " // to the end\n"])


def random_dims(rng, rank, small=False):
    pool = [1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16]
    if not small:
        pool += [24, 32, 100, 127, 128, 129, 200, 256, 640, 1000, 1024, 4096, 8192, 30522]
    return [0 if rng.random() < 0.03 else rng.choice(pool) for _ in range(rank)]


def dynamic_dims(rng, dims, unbounded=True):
    """Some dims made `<=n` or `?`."""
    out = list(dims)
    for i, d in enumerate(dims):
        roll = rng.random()
        if roll < 0.3:
            out[i] = ("<=", d)
        elif roll < 0.5 and unbounded:
            out[i] = "?"
    return out


def permutation(rng, rank):
    """Descending (the default) half of the time."""
    order = list(range(rank))[::-1]
    if rng.random() < 0.5:
        rng.shuffle(order)
    return order


def random_tile(rng, rank, stars=False, small=False):
    """One tile, longer than the rank now and then (legal: it pads leading 1s)."""
    length = rng.randint(1, max(rank, 1) + (rng.random() < 0.2))
    pool = [1, 2, 2, 3, 4, 5, 8]
    if not small:
        pool += [16, 32, 64, 128, 128, 128, 256, 512, 1024]
    tile = [rng.choice(pool) for _ in range(length)]
    if stars:
        for i in range(length - 1):  # a last `*` has nothing to merge into
            if rng.random() < 0.4:
                tile[i] = "*"
    return tuple(tile)


# What TPU compilers print most.
KNOWN_TILES = [
    [(128,)], [(256,)], [(1024,)], [(8, 128)], [(8, 128), (2, 1)], [(16, 128), (2, 1)],
    [(8, 128), (4, 1)], [(32, 128), (4, 1)], [(64, 128), (8, 1)], [(1024,), (128,), (2, 1)],
    [(2, 128)], [(1, 128)], [(4, 128), (2, 1)], [(8, 128), (2, 1, 1, 1)], [(2, 4), (2, 1)],
]


def random_tiles(rng, rank, stars=False, small=False):
    """One to three tiles. A later tile acts on all the dims the earlier one left."""
    if not small and not stars and rng.random() < 0.4:
        return rng.choice(KNOWN_TILES)
    tiles = [random_tile(rng, rank, stars, small)]
    while len(tiles) < 3 and rng.random() < 0.4:
        tiles.append(random_tile(rng, rank + len(tiles[-1]), stars and rng.random() < 0.3, small))
    return tiles


def random_splits(rng, physical_dims):
    """Split configs as ValidateLayoutForShape wants them: each dim once, indices inside it."""
    splittable = [i for i, d in enumerate(physical_dims) if isinstance(d, int) and d >= 2]
    chosen = rng.sample(splittable, min(len(splittable), rng.choice([1, 1, 2, 3])))
    return [
        (i, sorted(rng.sample(range(1, physical_dims[i]), min(physical_dims[i] - 1, rng.randint(1, 3)))))
        for i in chosen
    ]


def random_layout(rng, type_name, dims, stars=True, sparse_types=True):
    """A layout with each attribute present now and then."""
    rank = len(dims)
    layout = Layout(permutation(rng, rank))
    if rng.random() < 0.6:
        layout.tiles = random_tiles(rng, rank, stars and rng.random() < 0.3)
    if rng.random() < 0.12:
        layout.tail = rng.choice([1, 2, 100, 128, 1000, 1024, 2048])
    if sparse_types and rng.random() < 0.08:
        layout.index_type = rng.choice(INDEX_TYPES)
    if sparse_types and rng.random() < 0.08:
        layout.pointer_type = rng.choice(INDEX_TYPES)
    if rng.random() < (0.7 if BITS[type_name] < 8 else 0.12):
        layout.element_bits = rng.choice([BITS[type_name], BITS[type_name], 0, 1, 2, 4, 8, 16, 32])
    if rng.random() < 0.2:
        layout.space = rng.choice([0, 1, 1, 2, 3, 5, 6, 8, 127])
    if rng.random() < 0.15:
        layout.splits = random_splits(rng, [dims[i] for i in reversed(layout.minor_to_major)])
    if rng.random() < 0.1:
        layout.metadata = rng.choice([0, 4, 123, 1024])
    return layout


def random_array(rng, type_name=None, rank=None, **layout_options):
    type_name = type_name or rng.choice(TYPES if rng.random() < 0.5 else COMMON_TYPES)
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7]) if rank is None else rank
    dims = random_dims(rng, rank)
    while math.prod(dims) > 2**58:  # a tuple of it would be refused: its bytes overflow an int64
        dims = random_dims(rng, rank)
    if rng.random() < 0.12:
        dims = dynamic_dims(rng, dims)
    if rng.random() < 0.12:
        return Array(type_name, dims)
    return Array(type_name, dims, random_layout(rng, type_name, dims, **layout_options))


def random_shape(rng, depth=0, **layout_options):
    """Mostly an array; else a tuple (at most three deep), a buffer, a token or an opaque.

    XLA's parser builds a tuple with `MakeValidatedTupleShape`, which refuses elements that have
    an index or pointer type (their arrays would have to be sparse); outside a tuple they pass.
    """
    roll = rng.random()
    if roll < 0.86:
        return random_array(rng, **layout_options)
    if roll < 0.93 and depth < 3:
        # Past index 5 and index 10 the printer writes /*index=5*/ and /*index=10*/.
        count = rng.choice([0, 1, 2, 2, 3, 4]) if depth or rng.random() < 0.7 else rng.randint(5, 13)
        inside = {**layout_options, "sparse_types": False}
        return Tuple([random_shape(rng, depth + 1, **inside) for _ in range(count)])
    if roll < 0.96:
        return Buffer(random_array(rng, **layout_options))
    return Bare(rng.choice(["token", "opaque"]))


# Shapes that XLA's tests, its documents and public TPU dumps contain.
REAL = """
bf16[4096]{0:T(1024)(128)(2,1)}
bf16[2,8192]{1,0:T(4,128)(2,1)S(1)}
bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}
bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}
pred[1]{0:T(512)(128)(4,1)S(3)}
pred[1,1]{1,0:T(4,128)(4,1)}
f8e4m3fn[1,1,6144,768]{3,2,1,0:T(32,128)(4,1)}
bf16[128]{0:T(256)(128)(2,1)}
f8e4m3fn[16,4,256]{2,1,0:T(4,128)(4,1)}
f8e4m3fn[16,1,512]{2,0,1:T(8,128)(4,1)}
u8[267,512,4,128]{3,2,1,0:T(4,128)(4,1)}
u8[267,512,4,128]{3,2,1,0:T(8,128)(4,1)}
s32[8388608,8,4]{2,1,0:T(8,128)}
s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}
u32[12582912,1]{1,0:T(8,128)}
bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}
f32[29184,1,2560]{2,1,0:T(2,128)}
bf16[2048]{0:T(1024)(128)(2,1)}
bf16[2,8,128]{2,1,0:T(8,128)(2,1)}
f32[8,4]{1,0:T(2,2)}
f32[8]{0:T(2,2)}
f32[3]{0:T(8,128)}
u32[]{:T(128)}
f32[8,8]{1,0:T(2,2)(2,2,2,2,2)}
f32[3,5]{1,0:T(2,2)}
f32[1000,3]{0,1:T(4,128)}
f32[7,2,3,5]{0,1,3,2:T(2,128)}
bf16[4,1,128]{2,0,1:T(4,128)(2,1)}
f32[4,6,128]{2,0,1:T(4,128)}
s4[7,2,3,5]{3,0,2,1:T(8,128)(8,1)E(4)}
s4[9216,6144]{1,0:T(64,128)(8,1)E(4)}
s4[64,128]{1,0:T(64,128)(8,1)E(4)S(1)}
s4[1000]{0:T(1024)(128)(8,1)E(4)}
s8[33,200]{1,0:T(8,128)(4,1)}
s8[1024,1024]{1,0:T(32,128)(4,1)}
s32[<=300]{0:T(8)M(1024)}
f32[300]{0:T(8)L(1024)}
s32[300]{0:T(128)S(1)SC(0:3)}
u32[8]{0:T(8)S(8)}
f32[300]{0:T(128)(2)}
pred[]{:T(512)S(6)}
bf16[]{:T(512)}
bf16[]{:T(256)}
u32[]{:S(2)}
f32[10,20,30,40]{3,2,1,0:T(42,123)(4,5)L(100)E(42)}
f32[10,20]{0,1:SC(0:3)(1:1,4)}
s32[10,20]{0,1:M(123)}
s32[4,3,2,7]{3,2,1,0:#(u32)}
s32[4,3,2,7]{3,2,1,0:*(u16)}
bf16[2,3,4]{1,2,0:T(16,256)(2,1)}
pred[8,8,8]{0,2,1:T(8,128)E(32)}
bf16[8,2,3,1004]{3,2,1,0:T(2,*,*,128)}
pred[123,456]{1,0:S(3)SC(0:10)(1:4,5)}
f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}
f32[150,200,100]{0,1,2:SC(0:30)(1:40,130)}
b(f32[8,16]{1,0:T(8,128)})
(f32[64,1024]{1,0:T(8,128)}, u32[]{:S(2)}, /*second*/ token[])
((s32[], bf16[16,128]{1,0:T(8,128)(2,1)}), pred[]{:T(512)}, opaque[])
""".strip().splitlines()


def escaped(string):
    """For a field of a tab-separated file."""
    return string.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def distinct(texts, count, longest):
    """The first `count` different texts that are no longer than `longest` characters."""
    wanted = {}
    for candidate in texts:
        if len(candidate) <= longest:
            wanted[candidate] = None
        if len(wanted) == count:
            return list(wanted)
    raise SystemExit(f"only {len(wanted)} of {count} texts")
