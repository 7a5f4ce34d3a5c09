"""Operands for each operation on layouts, the question put to an oracle, and the row it becomes.

Columns: operation; operands, two at most, the second empty for one; what the law says (`holds`,
`breaks REASON` or `refuses`); the oracle's answer in Tilewright's text, or the class of exception.
"""

import random

from algebra_laws import LAWS, at, is_well_formed, modes, offsets, swizzle
from algebra_layouts import (KNOWN, Layout, any_layout, backwards, coordinate_of, is_layout, product,
                             random_layout, text, tiler_of, walk_of)

COLUMNS = ("columns: operation; left operand; right operand or nothing; holds, breaks (why) or refuses: "
           "the law in algebra_laws.py; the answer, or the class of the exception")


def signed(rng):
    return random_layout(rng, strides=backwards) if rng.random() < 0.12 else any_layout(rng)


def one(rng):
    return (signed(rng),)


def profiled(rng):
    layout = any_layout(rng)
    rank = len(modes(layout))
    return layout, tuple(1 for _ in range(rng.randint(1, rank)))


def composed(rng):
    a = signed(rng)
    roll = rng.random()
    if roll < 0.6:
        return a, walk_of(rng, product(a[0]))
    if roll < 0.8:
        return a, tiler_of(rng, a)
    if roll < 0.85:  # modes whose sum carries where neither does alone
        n = max(product(a[0]), 4)
        return a, Layout((rng.randint(2, n // 2), rng.randint(2, 4)), (1, rng.randint(1, n // 2)))
    return a, any_layout(rng, largest=64)


def bounded(rng):
    layout = any_layout(rng)
    reach = max(offsets(layout)) + 1
    bound = rng.choice([1, reach, product(layout[0]), 2 * reach, 3 * reach, rng.randint(1, 2 * reach + 8)])
    return layout, bound


def divided(rng):
    a = any_layout(rng)
    if rng.random() < 0.08:
        return a, rng.randint(1, 8)
    return a, tiler_of(rng, a)


def multiplied(rng):
    a = any_layout(rng, largest=36)
    roll = rng.random()
    if roll < 0.06:
        return a, rng.randint(2, 6)
    if roll < 0.25 and isinstance(a[0], tuple):
        return a, [rng.choice([2, 3, None, any_layout(rng, largest=6)]) for _ in modes(a)]
    return a, any_layout(rng, largest=16)


def two(rng):
    return any_layout(rng, largest=24), any_layout(rng, largest=12)


def pair(rng):
    """Two layouts that have something in common now and then."""
    a = any_layout(rng, largest=48)
    return a, rng.choice([a, Layout(product(a[0]), 1), walk_of(rng, product(a[0])),
                          any_layout(rng, largest=48)])


def sliced(rng):
    layout = any_layout(rng)
    return layout, coordinate_of(rng, layout[0])


def scaled(rng):
    layout = signed(rng)
    return layout, rng.choice([2, 2, 3, 4, 4, 8, 16])


def for_swizzle(rng):
    bits, base = rng.randint(0, 4), rng.randint(0, 5)
    shift = rng.choice([-1, 1]) * (bits + rng.randint(0, 3))
    name = f"Sw<{bits},{base},{shift}>"
    if rng.random() < 0.5:
        return name, tuple(rng.randrange(1 << rng.randint(1, 16)) for _ in range(12))
    return name, Layout(*rng.choice(
        [known for known in KNOWN if product(known[0]) <= 64] + [Layout((8, 8), (8, 1))]))


OPERANDS = {
    "coalesce": one, "coalesce_by_mode": profiled, "filter": one, "composition": composed,
    "complement": bounded, "right_inverse": one, "left_inverse": one, "nullspace": one,
    "slice": sliced, "upcast": scaled, "downcast": scaled, "cosize": one,
    "max_common_vector": pair, "blocked_product": two, "raked_product": two, "swizzle": for_swizzle,
    **{f"{form}_divide": divided for form in ["logical", "zipped", "tiled", "flat"]},
    **{f"{form}_product": multiplied for form in ["logical", "zipped", "tiled", "flat"]},
}


def swizzle_inputs(right):
    return [at(right, i) for i in range(product(right[0]))] if is_layout(right) else list(right)


def verdict(operation, operands, answer):
    if operation == "swizzle":
        name, right = operands
        parts = [int(part) for part in name[3:-1].split(",")]
        wanted = [swizzle(*parts, value) for value in swizzle_inputs(right)]
        return "holds" if list(answer) == wanted else "breaks value"
    layout = answer[1] if operation == "slice" else answer
    if not isinstance(layout, int) and not is_well_formed(layout):
        return "breaks form"
    wrong = LAWS[operation](*operands, answer)
    return f"breaks {wrong}" if wrong else "holds"


def shown(operation, answer):
    if operation == "slice":
        return f"{answer[0]} {text(answer[1])}"
    return text(answer)


def row(operation, operands, ask):
    left = operands[0] if isinstance(operands[0], str) else text(operands[0])
    right = text(operands[1]) if len(operands) > 1 else ""
    try:
        answer = ask(operation, *operands)
    except Exception as error:  # whatever the oracle does to say no
        return operation, left, right, "refuses", type(error).__name__
    return operation, left, right, verdict(operation, operands, answer), shown(operation, answer)


def rows(seed, counts, ask, firsts, fits=lambda operation, operands: True):
    """`counts[operation]` distinct rows each, of which a quarter at most refuse and a quarter at most
    break their law. The operands `firsts` come first whatever they do; the others have to fit."""
    rng = random.Random(seed)
    for operation, count in counts.items():
        found, kinds = {}, {"holds": count, "refuses": count // 4, "breaks": count // 4}
        wanted = [operands for name, operands in firsts if name == operation]
        misses = 0
        while sum(len(kept) for kept in found.values()) < count and misses < 60 * count:
            given = bool(wanted)
            operands = wanted.pop(0) if given else OPERANDS[operation](rng)
            if not given and not fits(operation, operands):
                continue
            made = row(operation, operands, ask)
            kept = found.setdefault(made[3].split()[0], {})
            if made[:3] in kept or (not given and len(kept) >= kinds[made[3].split()[0]]):
                misses += 1
                continue
            kept[made[:3]] = made
        yield from sorted(made for kept in found.values() for made in kept.values())
