"""cute-tensor-layouts.tsv: what Meta's `tensor-layouts` answers to operations on layouts.

Each answer is held against the operation's defining equation (`algebra_laws.py`), by brute force,
so that what `tensor-layouts` 0.3.2 gets wrong is marked:

  composition: takes modes apart whose sum carries (`value`: (6,7):(2,13) o (3,3):(1,2) is
    (3,3):(2,4), though A(2 + 4) is 13); continues past the size along the mode before a 1
    (`value-beyond`: (4,1):(1,0) o 8:1 is 8:1)
  complement: reaches into the layout where strides reach into one another (`overlap`: of (3,3):(1,2))
  left_inverse: strides that are no chain (`value`: of (2,2):(2,3) is (2,2):(0,2))
  max_common_vector: longer than the first operand (`value`: of 3:1 and 5:1 is 5)
  divides: by an integer, of the first mode alone (`shape`: (6,3):(1,6) by 2); by a list, a nested mode
    is cut elsewhere if its tile has extent 1 (`value`: (5,(2,8)):(1,(5,10)) by (1,1)); the errors of
    composition; tilers with no complement (`overlap`), or with holes that none fills (`missing`); a
    last tile that stands out past the first mode (`carry`: (3,6):(1,6) by 4)
  products: the errors of composition and complement
  blocked_product: copies lie a cosize apart and not in the complement (`value`: 2:2 by 2:1 is
    (2,2):(2,3)), other than raked_product of the same operands
  upcast: rounds strides up that n does not divide (`divisibility`: (4,2):(1,3) by 2); lets elements
    that become one overlap, and counts down within one (`value`: 4:-1 by 4)
  downcast: cuts along every stride of 1 and -1 (`elements`: of (2,2):(1,1)), or none at all
"""

import tensor_layouts as tl

from algebra_layouts import Layout, is_layout
from algebra_rows import COLUMNS, rows, swizzle_inputs
from tables import header, output_path, write

COUNTS = {
    "coalesce": 250, "composition": 800, "complement": 450, "right_inverse": 300, "left_inverse": 400,
    "nullspace": 150, "max_common_vector": 150, "logical_divide": 400, "zipped_divide": 200,
    "tiled_divide": 150, "flat_divide": 150, "logical_product": 300, "zipped_product": 150,
    "tiled_product": 100, "flat_product": 100, "blocked_product": 250, "raked_product": 250,
    "slice": 200, "upcast": 250, "downcast": 150, "cosize": 80, "swizzle": 100,
}
NAMES = {"composition": "compose"}


def theirs(value):
    if is_layout(value):
        return tl.Layout(*value)
    return tuple(map(theirs, value)) if isinstance(value, list) else value


def ours(layout):
    return Layout(layout.shape, layout.stride)


def ask(operation, left, right=None):
    match operation:
        case "slice":
            rest, offset = tl.slice_and_offset(right, theirs(left))
            return offset, ours(rest)
        case "cosize":
            return tl.cosize(theirs(left))
        case "max_common_vector":
            return tl.max_common_vector(theirs(left), theirs(right))
        case "swizzle":
            function = tl.Swizzle(*map(int, left[3:-1].split(",")))
            if is_layout(right):
                function = tl.compose(function, theirs(right))
                return tuple(function(i) for i in range(tl.size(function)))
            return tuple(function(value) for value in swizzle_inputs(right))
        case "coalesce" | "right_inverse" | "left_inverse" | "nullspace":
            return ours(getattr(tl, operation)(theirs(left)))
    return ours(getattr(tl, NAMES.get(operation, operation))(theirs(left), theirs(right)))


def fits(operation, operands):
    """Not `None`, which only a product takes; and of the integers for which it divides the first mode
    instead of the whole a few are enough (`FIRST`)."""
    def keeps(tiler):
        return tiler is None or isinstance(tiler, list) and any(map(keeps, tiler))

    if operation == "composition" or operation.endswith("_divide"):
        return not isinstance(operands[1], int) and not keeps(operands[1])
    return True


FIRST = [
    ("composition", (Layout((4, 6, 8), (2, 3, 5)), Layout(6, 3))),
    ("composition", (Layout((4, 2, 8), (3, 12, 97)), Layout(3, 3))),
    ("composition", (Layout((10, 2), (16, 4)), Layout((3, 4), (1, 5)))),
    ("composition", (Layout((32, 128), (128, 1)), Layout((30, 128), (1, 32)))),
    ("composition", (Layout((4, 1), (1, 0)), Layout(8, 1))),
    ("composition", (Layout((3, 4), (4, 13)), Layout(10, 1))),
    ("composition", (Layout((6, 7), (2, 13)), Layout((3, 3), (1, 2)))),
    ("complement", (Layout((3, 3), (1, 2)), 24)),
    ("complement", (Layout((2, 2), (2, 3)), 12)),
    ("left_inverse", (Layout((4, 8), (1, 5)),)),
    ("left_inverse", (Layout((2, 2), (2, 3)),)),
    ("right_inverse", (Layout((2, 4), (0, 1)),)),
    ("logical_divide", (Layout(6, 1), Layout(4, 1))),
    ("logical_divide", (Layout((6, 3), (1, 6)), 2)),
    ("zipped_divide", (Layout((2, 4), (1, 2)), 6)),
    ("tiled_divide", (Layout((1, 7), (1, 1)), 2)),
    ("flat_divide", (Layout((3, 6), (1, 6)), 4)),
    ("tiled_divide", (Layout((5, (2, 8)), (1, (5, 10))), [1, 1])),
    ("flat_divide", (Layout((5, (2, 8)), (1, (5, 10))), [1, 1])),
    ("max_common_vector", (Layout(3, 1), Layout(5, 1))),
    ("blocked_product", (Layout(2, 2), Layout(2, 1))),
    ("upcast", (Layout(6, 1), 4)),
    ("upcast", (Layout((4, 2), (1, 3)), 2)),
    ("upcast", (Layout(4, -1), 4)),
    ("downcast", (Layout((2, 2), (1, 1)), 2)),
]


def main():
    found = list(rows(12, COUNTS, ask, FIRST, fits))
    write(output_path(), header(__file__, ["tensor-layouts"], COLUMNS), found)


if __name__ == "__main__":
    main()
