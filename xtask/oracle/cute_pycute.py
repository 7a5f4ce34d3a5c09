"""cute-pycute.tsv: what NVIDIA's `pycute` answers to operations on layouts, right and wrong.

Oracle: the module `pycute` in the wheel `nvidia-cutlass` (the project `pycute` on PyPI is another
one). Each answer is held against the operation's defining equation (`algebra_laws.py`), by brute
force, so that what `pycute` 4.2 gets wrong is marked:

  composition: loses or adds elements where the walk divides no mode (`shape`: (3,4):(4,13) o 10:1 is
    (3,3):(4,13)); takes modes apart whose sum carries (`value`: (6,7):(2,13) o (3,3):(1,2) is
    (3,3):(2,4), though A(2 + 4) is 13); continues past the size along the mode before a 1
    (`value-beyond`: (4,1):(1,0) o 8:1 is 8:1)
  complement: extent 0 for strides that reach into one another (`empty`: of (3,3):(1,2))
  right_inverse: stops at the first stride that is 0 or negative (`short`: of (2,4):(0,1) is 1:0)
  left_inverse: pays no heed to gaps, ragged rows and strides of 0 (`value`: of (4,8):(1,5) is 4:1)
  divides: the same errors of composition and complement; tilers with no complement (`overlap`), or
    with holes that no complement fills (`missing`: 4:1 by (2,2):(1,3)); a last tile that stands out
    past a mode of extent 1 (`carry`: (2,5,1):(3,6,60) by 3:1)
  products: by an integer, they divide (`shape`: 4:1 by 3); the errors of composition and complement
  cosize: the last offset and one, wrong for negative strides (`value`: of 4:-1 is -2)
  swizzle: Sw<0,M,0> calls itself without end (`refuses`)
"""

import pycute

from algebra_layouts import Layout, is_layout
from algebra_rows import COLUMNS, rows, swizzle_inputs
from tables import header, output_path, write

COUNTS = {
    "coalesce": 300, "coalesce_by_mode": 150, "filter": 200, "composition": 900, "complement": 600,
    "right_inverse": 350, "left_inverse": 400, "logical_divide": 500, "zipped_divide": 300,
    "tiled_divide": 250, "logical_product": 400, "zipped_product": 200, "tiled_product": 200,
    "slice": 250, "cosize": 100, "swizzle": 100,
}


def theirs(value):
    if is_layout(value):
        return pycute.Layout(*value)
    return tuple(map(theirs, value)) if isinstance(value, list) else value


def ours(layout):
    return Layout(layout.shape, layout.stride)


def ask(operation, left, right=None):
    match operation:
        case "coalesce_by_mode":
            return ours(pycute.coalesce(theirs(left), right))
        case "slice":
            rest, offset = pycute.slice_and_offset(right, theirs(left))
            return offset, ours(rest)
        case "cosize":
            return pycute.cosize(theirs(left))
        case "swizzle":
            bits, base, shift = map(int, left[3:-1].split(","))
            function = pycute.Swizzle(bits, base, shift)
            if is_layout(right):
                function = pycute.ComposedLayout(function, 0, theirs(right))
                return tuple(function(i) for i in range(function.size()))
            return tuple(function(value) for value in swizzle_inputs(right))
        case "coalesce" | "filter" | "right_inverse" | "left_inverse":
            return ours(getattr(pycute, operation)(theirs(left)))
    return ours(getattr(pycute, operation)(theirs(left), theirs(right)))


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
    ("logical_divide", (Layout(4, 1), Layout((2, 2), (1, 3)))),
    ("zipped_divide", (Layout((2, 5, 1), (3, 6, 60)), Layout(3, 1))),
    ("logical_product", (Layout(4, 1), 3)),
    ("cosize", (Layout(4, -1),)),
]


def main():
    found = list(rows(11, COUNTS, ask, FIRST))
    write(output_path(), header(__file__, ["nvidia-cutlass"], COLUMNS), found)


if __name__ == "__main__":
    main()
