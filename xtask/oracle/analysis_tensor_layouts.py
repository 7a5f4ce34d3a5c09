"""analysis-tensor-layouts.tsv: what the analysis module of Meta's `tensor-layouts` says of layouts.

Rows by question:

  image: size, number of distinct offsets, holes between the least and the largest, number of runs,
    `ways x offsets` of the reuse histogram, and i, s, b where the layout is injective, surjective or
    bijective
  runs: how many elements from the first on lie one after the other, of the layout taken as one mode
    and then of each mode
  cycles: `length x cycles`, order, parity and number of fixed points of the permutation; or the
    class of the exception where it is none
  banks: the ways of the conflicts of each group of 32 threads, 32 banks of 4 bytes, and the bytes of
    an element; the first mode is the thread, the second the values that it takes
  segments: how many segments of 32 bytes and lines of 128 the first 32 threads touch, and how many
    bytes they use, each counted once

An integer coordinate runs through a layout with its leftmost extent fastest.
"""

import random
from collections import Counter

import tensor_layouts as tl
from tensor_layouts import analysis

from algebra_layouts import STRIDES, Layout, any_layout, backwards, factors, nested, random_layout, text
from tables import header, output_path, write

COUNTS = {"image": 700, "runs": 350, "cycles": 400, "banks": 550, "segments": 300}
ELEMENT_BYTES = [1, 2, 2, 4, 4, 4, 8, 16]


class Swizzled(tuple):
    """A swizzle's bits, base and shift, and the layout under it."""


def shown(layout):
    if isinstance(layout, Swizzled):
        bits, base, shift, inner = layout
        return f"Sw<{bits},{base},{shift}> o 0 o {text(inner)}"
    return text(layout)


def theirs(layout):
    if isinstance(layout, Swizzled):
        bits, base, shift, inner = layout
        return tl.compose(tl.Swizzle(bits, base, shift), tl.Layout(*inner))
    return tl.Layout(*layout)


def swizzled(rng, inner):
    bits = rng.randint(1, 3)
    return Swizzled((bits, rng.randint(0, 3), rng.choice([-1, 1, 1, 1]) * (bits + rng.randint(0, 2)), inner))


def layouts(rng, may_swizzle=True):
    roll = rng.random()
    if roll < 0.15:
        return random_layout(rng, strides=backwards)
    layout = any_layout(rng)
    return swizzled(rng, layout) if may_swizzle and roll > 0.85 else layout


def dense(rng):
    """Mostly permutations."""
    roll = rng.random()
    if roll < 0.1:
        return layouts(rng)
    if roll < 0.25:
        return random_layout(rng, strides=backwards)
    layout = random_layout(rng, strides=STRIDES[0])
    return swizzled(rng, layout) if roll > 0.85 else layout


def threads(rng):
    """A mode of threads, and mostly one of values."""
    of_threads = factors(rng, rng.choice([8, 16, 32, 32, 32, 64, 96]))
    of_values = factors(rng, rng.choice([1, 1, 2, 4, 8, 3])) if rng.random() < 0.7 else []
    strides = rng.choice(STRIDES)(rng, of_threads + of_values)
    factor = rng.choice([1, 1, 1, 2, 4, 8, 16, 32, 33, 36])
    strides = [stride * factor for stride in strides]
    modes = [nested(rng, of_threads, strides[:len(of_threads)])]
    if of_values:
        modes.append(nested(rng, of_values, strides[len(of_threads):]))
    layout = Layout(tuple(mode[0] for mode in modes), tuple(mode[1] for mode in modes))
    return swizzled(rng, layout) if rng.random() < 0.15 else layout


def times(histogram):
    return ",".join(f"{what}x{count}" for what, count in sorted(histogram.items()))


def image(layout, _):
    footprint, gaps = analysis.footprint(layout), analysis.gap_profile(layout)
    aliases = analysis.aliasing_profile(layout) if isinstance(layout, tl.Layout) else None
    ways = aliases["reuse_histogram"] if aliases else Counter(map(len, analysis.offset_table(layout).values()))
    flags = [analysis.is_injective(layout), analysis.is_surjective(layout), analysis.is_bijective(layout)]
    return [footprint["total_elements"], footprint["unique_offsets"], footprint["holes"], gaps["run_count"],
            times(ways), "".join(letter for letter, flag in zip("isb", flags) if flag) or "-"]


def runs(layout, _):
    return [analysis.contiguity(layout), ",".join(map(str, analysis.mode_contiguity(layout)))]


def cycles(layout, _):
    lengths = Counter(map(len, analysis.cycles(layout)))
    return [times(lengths), analysis.order(layout), analysis.permutation_parity(layout),
            len(analysis.fixed_points(layout))]


def banks(layout, element_bytes):
    groups = analysis.per_group_bank_conflicts(layout, element_bytes=element_bytes)["groups"]
    return [",".join(str(group["max_ways"]) for group in groups)]


def segments(layout, element_bytes):
    found = analysis.segment_analysis(layout, element_bytes=element_bytes)
    return [found["segments"], found["cache_lines"], found["unique_bytes"]]


ASK = {"image": image, "runs": runs, "cycles": cycles, "banks": banks, "segments": segments}


def drawn(rng, question):
    if question in ("banks", "segments"):
        return threads(rng), str(rng.choice(ELEMENT_BYTES))
    if question == "cycles":
        return dense(rng), ""
    return layouts(rng, may_swizzle=question != "runs"), ""


def row(question, layout, element_bytes):
    try:
        answer = ASK[question](theirs(layout), int(element_bytes or 0))
    except ValueError as error:
        answer = [type(error).__name__]
    return question, shown(layout), element_bytes, *map(str, answer)


def rows(seed):
    rng = random.Random(seed)
    for question, count in COUNTS.items():
        found = {}
        while len(found) < count:
            made = row(question, *drawn(rng, question))
            found[made[:3]] = made
        yield from sorted(found.values())


def main():
    columns = "columns: question; layout; bytes of an element or nothing; the answer, as the script says"
    write(output_path(), header(__file__, ["tensor-layouts"], columns), list(rows(28)))


if __name__ == "__main__":
    main()
