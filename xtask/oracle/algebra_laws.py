"""The defining equation of each operation on layouts, checked by looking at every coordinate.

Nothing here knows how an operation is computed by those who are asked; a law gets the operands and
an answer and says what is wrong with the answer, or nothing. Offsets of an integer coordinate are
CuTe's: the leftmost mode varies fastest and the last one takes what is left, so that a coordinate
beyond the size has an offset too.

  coalesce(L)           depth <= 1; R(i) = L(i) for i < size(L) = size(R)
  coalesce(L, profile)  the same in each mode the profile has, the others kept
  filter(L)             as coalesce of L without its modes of stride 0
  composition(A, B)     B's shape is compatible with R's; R(i) = A(B(i)) for i < size(B)
  complement(L, M)      R(0) = 0, R(i) < R(i + 1); the sums L(j) + R(i) are distinct, the modes
                        of L with stride 0 set aside; some mode s:d of either has s * d >= M
  right_inverse(L)      L(R(k)) = k for k < size(R), and no fewer than following the strides
                        1, s, s * s', ... of L coalesced gives
  left_inverse(L)       L(R(L(i))) = L(i) for i < size(L); R(L(i)) = i if L is injective
  nullspace(L)          L(R(i)) = 0, and size(R) is the product of L's extents of stride 0
  max_common_vector(A, B)  the n given is no more than the numbers i = 0, 1, ... that some
                        coordinate sends to i in both A and B
  logical_divide(A, T)  rank 2; R(i, j) = A(T(i) + T*(j)), T* the complement of T in size(A), and
                        every offset of A is reached; by mode for a list of tilers. Where A of the sum
                        is not the sum (`carry`, at ends that stand out), no layout keeps the law
  zipped, tiled, flat   the same with the tiles gathered: ((tiles),(rests)), ((tiles),rests...),
                        (tiles...,rests...)
  logical_product(A, B) rank 2; R(i, j) = A(i) + A*(B(j)), A* the complement of A in
                        size(A) * cosize(B); by mode for a list
  blocked, raked        logical_product of both at one rank, mode i = (A_i,B_i) or (B_i,A_i)
  slice(L, c)           offset + R(i) = L(c with the i-th coordinate of the free modes put in)
  upcast(L, n)          R(c') = L(c) div n at every coordinate c of L, where c' is c divided, along a
                        mode of stride d, by n / |d| (at least 1), which n and d have to allow
  downcast(L, n)        the offsets of R are n * L(c) + r for r = 0, ..., n - 1, each as often
  cosize(L)             1 + the sum of (s - 1) * |d|
"""

from algebra_layouts import Layout, is_layout, leaves, product


def at(layout, index):
    """The offset of an integer coordinate."""
    shape, stride = layout
    if not isinstance(shape, tuple):
        return index * stride
    total = 0
    for i, (s, d) in enumerate(zip(shape, stride)):
        size = product(s)
        last = i + 1 == len(shape)
        if size == 0 and not last:
            return 0
        total += at((s, d), index if last else index % size)
        index = index if last else index // size
    return total


def offsets(layout):
    return [at(layout, i) for i in range(product(layout[0]))]


def modes(layout):
    shape, stride = layout
    if not isinstance(shape, tuple):
        return [layout]
    return [Layout(s, d) for s, d in zip(shape, stride)]


def of_modes(layouts):
    return Layout(tuple(l[0] for l in layouts), tuple(l[1] for l in layouts))


def flat(layout):
    """`(extent, stride)` of every integer mode."""
    return list(zip(leaves(layout[0]), leaves(layout[1])))


def depth(shape):
    return 1 + max(map(depth, shape), default=0) if isinstance(shape, tuple) else 0


def compatible(coarse, fine):
    """Whether coordinates of the one shape are coordinates of the other, `(4)` being as good as 4."""
    coarse, fine = unwrapped(coarse), unwrapped(fine)
    if not isinstance(coarse, tuple):
        return coarse == product(fine)
    return (isinstance(fine, tuple) and len(coarse) == len(fine)
            and all(compatible(c, f) for c, f in zip(coarse, fine)))


def unwrapped(shape):
    while isinstance(shape, tuple) and len(shape) == 1:
        shape = shape[0]
    return shape


def is_injective(layout):
    found = offsets(layout)
    return len(set(found)) == len(found)


def without_zeros(layout):
    """The modes that go somewhere, flat."""
    kept = [(s, d) for s, d in flat(layout) if d != 0 and s != 1]
    return Layout(tuple(s for s, _ in kept), tuple(d for _, d in kept))


# Laws: `law(operands..., answer)` is what is wrong, or `None`.

def coalesce(layout, answer):
    if depth(answer[0]) > 1 or product(answer[0]) != product(layout[0]):
        return "shape"
    return None if offsets(answer) == offsets(layout) else "value"


def coalesce_by_mode(layout, profile, answer):
    if not isinstance(profile, tuple):
        return coalesce(layout, answer)
    if not isinstance(answer[0], tuple) or len(modes(answer)) != len(modes(layout)):
        return "shape"
    for i, (old, new) in enumerate(zip(modes(layout), modes(answer))):
        wrong = coalesce_by_mode(old, profile[i], new) if i < len(profile) else None
        if wrong or (i >= len(profile) and old != new):
            return wrong or "value"
    return None


def filtered(layout, answer):
    return coalesce(without_zeros(layout), answer)


def composition(a, b, answer):
    if b is None:
        return None if offsets(answer) == offsets(a) else "value"
    if isinstance(b, int):
        b = Layout(b, 1)
    if isinstance(b, list):
        if len(modes(answer)) != len(modes(a)):
            return "shape"
        parts = zip(modes(a), b + [None] * len(modes(a)), modes(answer))
        return next((wrong for wrong in (composition(*part) for part in parts) if wrong), None)
    if not compatible(b[0], answer[0]):
        return "shape"
    wrong = [i for i, place in enumerate(offsets(b)) if at(a, place) != at(answer, i)]
    if not wrong:
        return None
    return "value" if any(at(b, i) < product(a[0]) for i in wrong) else "value-beyond"


def complement(layout, bound, answer):
    if product(answer[0]) < 1:
        return "empty"
    found = offsets(answer)
    if found[0] != 0 or any(a >= b for a, b in zip(found, found[1:])):
        return "order"
    sums = [a + b for a in offsets(without_zeros(layout)) for b in found]
    if len(set(sums)) != len(sums):
        return "overlap"
    spans = [1] + [s * d for s, d in flat(without_zeros(layout)) + flat(answer)]
    return None if max(spans) >= bound else "short"


def complement_of(layout, bound):
    """The complement, where the modes in order of their strides don't reach into one another."""
    gaps, reach = [], 1
    for d, s in sorted((d, s) for s, d in flat(without_zeros(layout))):
        if d < reach:
            return None
        gaps.append((d // reach, reach))
        reach = s * d
    gaps.append((-(-bound // reach), reach))
    return Layout(tuple(s for s, _ in gaps), tuple(d for _, d in gaps))


def right_inverse(layout, answer):
    found = [at(layout, at(answer, k)) for k in range(product(answer[0]))]
    if found != list(range(len(found))):
        return "value"
    joined = [(1, 0)]
    for s, d in flat(layout):
        if d == joined[-1][0] * joined[-1][1]:
            joined[-1] = (joined[-1][0] * s, joined[-1][1])
        elif s != 1:
            joined.append((s, d))
    reach = 1
    for d, s in sorted((d, s) for s, d in joined):
        reach = s * d if d == reach else reach
    return None if len(found) >= reach else "short"


def left_inverse(layout, answer):
    found = offsets(layout)
    if min(found) < 0:
        return "negative"
    back = [at(answer, place) for place in found]
    if any(at(layout, i) != place for i, place in zip(back, found)):
        return "value"
    return "value" if is_injective(layout) and back != list(range(len(found))) else None


def nullspace(layout, answer):
    if any(at(layout, i) != 0 for i in offsets(answer)):
        return "value"
    wanted = product(tuple(s for s, d in flat(layout) if d == 0))
    return None if product(answer[0]) == wanted == len(set(offsets(answer))) else "short"


def max_common_vector(a, b, answer):
    n = min(product(a[0]), product(b[0]))
    fixed = {at(a, i) for i in range(n) if at(a, i) == at(b, i)}
    return None if set(range(answer)) <= fixed else "value"


def cosize(layout, answer):
    return None if answer == 1 + sum((s - 1) * abs(d) for s, d in flat(layout)) else "value"


def matches(answer, wanted):
    """Whether the answer has these modes: a list for a mode of modes, else `(shape, offsets)` where
    the shape (or `None`) has to be compatible."""
    if isinstance(wanted, list):
        if len(wanted) == 1 and not (isinstance(answer[0], tuple) and len(answer[0]) == 1):
            return matches(answer, wanted[0])
        if not isinstance(answer[0], tuple) or len(answer[0]) != len(wanted):
            return "shape"
        parts = [matches(mode, part) for mode, part in zip(modes(answer), wanted)]
        return next((wrong for wrong in parts if wrong), None)
    shape, found = wanted
    if product(answer[0]) != len(found) or (shape is not None and not compatible(shape, answer[0])):
        return "shape"
    return None if offsets(answer) == found else "value"


def as_layout(tiler):
    return Layout(tiler, 1) if isinstance(tiler, int) else tiler


def divided(a, tiler):
    """The tile and the rest wanted; or why there are none."""
    tiler = as_layout(tiler)
    rest = complement_of(tiler, product(a[0]))
    if rest is None:
        return "overlap"
    if any(at(a, i + j) != at(a, i) + at(a, j) for j in offsets(rest) for i in offsets(tiler)):
        return "carry"
    return [(tiler[0], [at(a, i) for i in offsets(tiler)]), (None, [at(a, i) for i in offsets(rest)])]


def multiplied(a, b):
    b = as_layout(b)
    reach = 1 + sum((s - 1) * abs(d) for s, d in flat(b))
    rest = complement_of(a, product(a[0]) * reach)
    if rest is None:
        return "overlap"
    return [(a[0], offsets(a)), (b[0], [at(rest, i) for i in offsets(b)])]


def whole(layout):
    return (None, offsets(layout))


def logical(split, a, tiler):
    """The modes wanted of a logical divide or product, or why there are none."""
    if tiler is None:
        return whole(a)
    if isinstance(tiler, list):
        parts = [logical(split, mode, part) for mode, part in zip(modes(a), tiler)]
        why = next((part for part in parts if isinstance(part, str)), None)
        return why or parts + [whole(mode) for mode in modes(a)[len(tiler):]]
    return split(a, tiler)


def zipped(split, a, tiler):
    if tiler is None:
        return [(None, [0]), whole(a)]
    if isinstance(tiler, list):
        parts = [zipped(split, mode, part) for mode, part in zip(modes(a), tiler)]
        why = next((part for part in parts if isinstance(part, str)), None)
        if why:
            return why
        rests = [rest for _, rest in parts] + [whole(mode) for mode in modes(a)[len(tiler):]]
        return [[tile for tile, _ in parts], rests]
    return split(a, tiler)


def sums(wanted):
    """All offsets of the modes wanted, the first varying fastest."""
    if not isinstance(wanted, list):
        return wanted[1]
    out = [0]
    for part in wanted:
        out = [low + high for high in sums(part) for low in out]
    return out


def split_law(split, form):
    """The law of a divide or a product in one of its forms."""
    def law(a, tiler, answer):
        n_tilers = len(tiler) if isinstance(tiler, list) else 0
        if n_tilers > len(modes(a)):
            return "shape"
        wanted = (logical if form == "logical" else zipped)(split, a, tiler)
        if isinstance(wanted, str):
            return wanted
        if form in ("logical", "zipped"):
            wrong = matches(answer, wanted)
        elif product(answer[0]) != len(sums(wanted)):
            wrong = "shape"
        else:
            wrong = None if offsets(answer) == sums(wanted) else "value"
            if form == "tiled" and not wrong:
                wrong = matches(modes(answer)[0], wanted[0])
        if split is divided:
            if not wrong and not set(offsets(a)) <= set(offsets(answer)):
                return "missing"
            parts = map(without_ones, modes(a))
            other = of_modes(list(parts)) if isinstance(tiler, list) else without_ones(a)
            if wrong == "value" and other != a and not law(other, tiler, answer):
                return "value-beyond"
        return wrong

    return law


def without_ones(layout):
    """The same offsets below the size, others beyond it: flat, and no mode of extent 1."""
    kept = [(s, d) for s, d in flat(layout) if s != 1] or [(1, 0)]
    return Layout(tuple(s for s, _ in kept), tuple(d for _, d in kept))


def to_rank(layout, rank):
    return of_modes(modes(layout) + [Layout(1, 0)] * (rank - len(modes(layout))))


def woven(order):
    """The law of blocked_product (`order` 1) and raked_product (-1)."""
    def law(a, b, answer):
        rank = max(len(modes(a)), len(modes(b)))
        a, b = to_rank(a, rank), to_rank(b, rank)
        reach = 1 + sum((s - 1) * abs(d) for s, d in flat(b))
        rest = complement_of(a, product(a[0]) * reach)
        if rest is None:
            return "overlap"
        copies = [(m[0], [at(rest, i) for i in offsets(m)]) for m in modes(b)]
        tiles = [(m[0], offsets(m)) for m in modes(a)]
        pairs = [(None, sums(list(pair)[::order])) for pair in zip(tiles, copies)]
        return matches(answer, pairs)

    return law


def slice_law(layout, coordinate, answer):
    offset, rest = answer
    free = free_modes(coordinate, layout)
    fixed = at_fixed(coordinate, layout)
    wanted = [fixed + place for place in offsets(of_modes(free))]
    if product(rest[0]) != len(wanted):
        return "shape"
    return None if [offset + place for place in offsets(rest)] == wanted else "value"


def free_modes(coordinate, layout):
    if coordinate is None:
        return [layout]
    if isinstance(coordinate, tuple):
        return [m for c, mode in zip(coordinate, modes(layout)) for m in free_modes(c, mode)]
    return []


def at_fixed(coordinate, layout):
    if coordinate is None:
        return 0
    if isinstance(coordinate, tuple):
        return sum(at_fixed(c, mode) for c, mode in zip(coordinate, modes(layout)))
    return at(layout, coordinate)


def upcast(layout, n, answer):
    if len(flat(answer)) != len(flat(layout)):
        return "shape"
    larger, smaller = [0], [0]
    for (s, d), (new_s, new_d) in zip(flat(layout), flat(answer)):
        step = max(n // abs(d), 1) if d else 1
        if s != 1 and d and d % n != 0 and n % d != 0:
            return "divisibility"
        if new_s != -(-s // step):
            return "shape"
        smaller = [high * d + low for high in range(s) for low in smaller]
        larger = [high // step * new_d + low for high in range(s) for low in larger]
    return None if [offset // n for offset in smaller] == larger else "value"


def downcast(layout, n, answer):
    pieces = sorted(n * offset + r for offset in offsets(layout) for r in range(n))
    return None if sorted(offsets(answer)) == pieces else "elements"


def swizzle(bits, base, shift, value):
    """CuTe's definition: the bits YYY, moved by the shift, exclusive-or the bits ZZZ."""
    yyy = value & ((1 << bits) - 1) << (base + max(0, shift))
    return value ^ (yyy >> shift if shift >= 0 else yyy << -shift)


def is_well_formed(answer):
    """Whether shape and stride are nested alike, of integers."""
    def alike(shape, stride):
        if isinstance(shape, tuple) != isinstance(stride, tuple):
            return False
        if not isinstance(shape, tuple):
            return isinstance(shape, int) and isinstance(stride, int)
        return len(shape) == len(stride) and all(map(alike, shape, stride))

    return is_layout(answer) and alike(*answer)


LAWS = {
    "coalesce": coalesce, "coalesce_by_mode": coalesce_by_mode, "filter": filtered,
    "composition": composition, "complement": complement, "right_inverse": right_inverse,
    "left_inverse": left_inverse, "nullspace": nullspace, "slice": slice_law, "upcast": upcast,
    "downcast": downcast, "cosize": cosize, "max_common_vector": max_common_vector,
    "blocked_product": woven(1), "raked_product": woven(-1),
    **{f"{form}_divide": split_law(divided, form) for form in ["logical", "zipped", "tiled", "flat"]},
    **{f"{form}_product": split_law(multiplied, form) for form in ["logical", "zipped", "tiled", "flat"]},
}
