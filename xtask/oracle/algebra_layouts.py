"""Layouts of CuTe as plain tuples, their text, and random ones, shared by the algebra's scripts.

A layout is a pair `(shape, stride)` of integers or tuples nested alike; a tiler a layout, an
integer, `None` (keep the mode) or a list of tilers, one a mode. The text is `(4,(2,3)):(1,(4,8))`,
without blanks and without Python's comma in `(4,)`; a list of tilers is `(4:1,8,_)`.

Everything is a function of the `random.Random` passed in.
"""

import math


def text(value):
    """A layout, a tiler, a tuple of integers (`None` is `_`), or an integer."""
    if is_layout(value):
        return f"{text(value[0])}:{text(value[1])}"
    if isinstance(value, (list, tuple)):
        return "(" + ",".join(map(text, value)) + ")"
    return "_" if value is None else str(value)


class Layout(tuple):
    """`(shape, stride)`, so that it is not taken for a shape of two modes."""

    def __new__(cls, shape, stride):
        return super().__new__(cls, (shape, stride))


def is_layout(value):
    return isinstance(value, Layout)


def leaves(nested):
    if isinstance(nested, tuple):
        return [leaf for part in nested for leaf in leaves(part)]
    return [nested]


def product(shape):
    return math.prod(leaves(shape))


def prefix_products(numbers):
    return [math.prod(numbers[:i]) for i in range(len(numbers))]


# Random ones.

EXTENTS = [1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 6, 7, 8, 8]
LARGEST = 192  # elements a random layout has at most: every one is looked at


def random_layout(rng, largest=LARGEST, strides=None):
    """One to three modes, some nested."""
    while True:
        extents = [rng.choice(EXTENTS) for _ in range(rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 5]))]
        if math.prod(extents) <= largest:
            break
    strides = (strides or rng.choice(STRIDES))(rng, extents)
    return nested(rng, extents, strides)


def nested(rng, extents, strides):
    """The modes grouped at random, both tuples alike."""
    def group(numbers, depth):
        if len(numbers) == 1 and rng.random() < 0.98:
            return numbers[0]
        if depth == 0 or len(numbers) == 1:
            return tuple(numbers)
        n_parts = rng.randint(2, min(3, len(numbers)))
        cuts = sorted(rng.sample(range(1, len(numbers)), n_parts - 1))
        parts = [numbers[a:b] for a, b in zip([0, *cuts], [*cuts, len(numbers)])]
        return tuple(group(part, depth - 1) for part in parts)

    places = group(list(range(len(extents))), rng.randint(0, 2))

    def pick(place, numbers):
        if isinstance(place, tuple):
            return tuple(pick(part, numbers) for part in place)
        return numbers[place]

    return Layout(pick(places, extents), pick(places, strides))


def compact(rng, extents):
    """No gap, in any order of the modes."""
    return chained(rng, extents, gaps=[1])


def padded(rng, extents):
    """Gaps, each stride still a multiple of what lies below."""
    return chained(rng, extents, gaps=[1, 1, 2, 3])


def chained(rng, extents, gaps):
    strides, reach = [0] * len(extents), 1
    order = list(range(len(extents)))
    if rng.random() < 0.6:
        rng.shuffle(order)
    for i in order:
        strides[i] = reach * rng.choice(gaps)
        reach = strides[i] * extents[i]
    return strides


def ragged(rng, extents):
    """Rows of a pitch that is no multiple of their length, as `(4,8):(1,5)`."""
    strides, reach = [0] * len(extents), 1
    for i in rng.sample(range(len(extents)), len(extents)):
        strides[i] = reach + rng.choice([0, 0, 1, 1, 2, 3])
        reach = strides[i] * extents[i]
    return strides


def broadcast(rng, extents):
    """Some modes go nowhere."""
    return [0 if rng.random() < 0.4 else stride for stride in padded(rng, extents)]


def wild(rng, extents):
    """Whatever: elements may share an offset."""
    return [rng.choice([0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 16]) for _ in extents]


def backwards(rng, extents):
    """Some modes run down."""
    return [-stride if rng.random() < 0.4 else stride for stride in padded(rng, extents)]


STRIDES = [compact, compact, compact, padded, padded, ragged, broadcast, wild]

# What machines use: tiles of TPUs, fractals of NPUs, fragments of tensor cores, shared memory.
KNOWN = [
    Layout((4, 8), (1, 4)), Layout((8, 8), (8, 1)), Layout(32, 1), Layout((4, 8), (1, 5)),
    Layout(((4, 2), (4, 3)), ((4, 16), (1, 32))),  # a small zN
    Layout(((16, 2), (16, 3)), ((16, 256), (1, 512))),  # zN of 16 x 16 fractals
    Layout(((16, 2), (16, 3)), ((1, 256), (16, 512))),  # nZ
    Layout(((8, 2), (128, 2)), ((128, 2048), (1, 1024))),  # T(8,128)
    Layout(((2, 4, 2), (128, 2)), ((1, 256, 2048), (2, 1024))),  # T(8,128)(2,1)
    Layout(((4, 8), (2, 2)), ((32, 1), (16, 8))),  # an SM80 accumulator, 16 x 8
    Layout(((4, 8), (2, 2, 2)), ((32, 1), (16, 8, 128))),  # SM80 A, 16 x 16
    Layout(((4, 8), (2, 2)), ((16, 1), (8, 64))),  # SM80 B, 8 x 16
    Layout(((2, 2, 2), (2, 2, 2)), ((1, 16, 4), (8, 2, 32))),  # SM70 quads
    Layout(((4, 8, 4), (2, 2, 8)), ((128, 1, 16), (64, 8, 512))),  # SM90, 64 x 64
    Layout((128, 8), (1, 128)), Layout((64, 8), (8, 1)), Layout((8, 64), (64, 1)),
    Layout((12, (4, 8)), (59, (13, 1))), Layout((9, (4, 8)), (59, (13, 1))),
    Layout((10, 2), (16, 4)), Layout((4, 6, 8), (2, 3, 5)), Layout((4, 2, 8), (3, 12, 97)),
    Layout((32, 128), (128, 1)), Layout((6, 2), (8, 2)), Layout((2, (1, 6)), (1, (6, 2))),
    Layout((3, 3), (1, 2)), Layout((2, 2), (2, 3)), Layout((4, 1), (1, 0)), Layout(1, 0), Layout(1, 7),
    Layout((2, 4, 6), (1, 2, 0)), Layout((4, 2), (1, 16)), Layout((2, 1, 6, 1), (1, 7, 8, 0)),
]


def any_layout(rng, largest=LARGEST):
    if rng.random() < 0.12:
        return rng.choice([known for known in KNOWN if product(known[0]) <= max(largest, 64)])
    return random_layout(rng, largest)


def factors(rng, n):
    """`n` as an ordered product of one to four numbers."""
    out = []
    while n > 1 and len(out) < 3 and rng.random() < 0.75:
        out.append(rng.choice([d for d in range(1, n + 1) if n % d == 0]))
        n //= out[-1]
    return [*out, n]


def walk_of(rng, n):
    """A layout whose offsets lie in `0..n` mostly: some of the digits of a number below `n`."""
    extents = factors(rng, n)
    digits = list(zip(extents, prefix_products(extents)))
    kept = rng.sample(digits, rng.randint(1, len(digits)))
    if rng.random() < 0.5:
        kept.sort(key=lambda digit: digit[1])
    if rng.random() < 0.25:  # cut one short
        i = rng.randrange(len(kept))
        kept[i] = (rng.randint(1, kept[i][0]), kept[i][1])
    if rng.random() < 0.12:
        kept[rng.randrange(len(kept))] = (rng.choice([2, 3, 4]), 0)
    if rng.random() < 0.12:  # off the digits
        i = rng.randrange(len(kept))
        kept[i] = (kept[i][0], kept[i][1] + rng.choice([1, 2]))
    return nested(rng, [extent for extent, _ in kept], [stride for _, stride in kept])


def tiler_of(rng, layout, keeps=True):
    """A tiler for the layout: whole, or one a mode (`None` too, if `keeps`)."""
    shape = layout[0]
    if not isinstance(shape, tuple) or not shape or rng.random() < 0.5:
        return walk_of(rng, product(shape))
    n_modes = len(shape) - (rng.random() < 0.2)
    return [part_of(rng, mode, keeps) for mode in shape[:max(n_modes, 1)]]


def part_of(rng, mode, keeps):
    n, roll = product(mode), rng.random()
    if roll < 0.45:
        return rng.choice([d for d in range(1, n + 1) if n % d == 0])
    if roll < 0.55:
        return rng.randint(1, max(n, 2))
    if roll < 0.65 and keeps:
        return None
    if roll < 0.75 and isinstance(mode, tuple) and mode:
        return [part_of(rng, part, keeps) for part in mode]
    return walk_of(rng, n)


def coordinate_of(rng, shape):
    """A coordinate with at least one `None`, mostly nested like the shape."""
    def some(shape):
        if isinstance(shape, tuple) and rng.random() < 0.5:
            return tuple(some(part) for part in shape)
        return None if rng.random() < 0.5 else rng.randrange(max(product(shape), 1))

    if not isinstance(shape, tuple):
        return None
    while True:
        coordinate = tuple(some(part) for part in shape)
        if None in leaves(coordinate):
            return coordinate
