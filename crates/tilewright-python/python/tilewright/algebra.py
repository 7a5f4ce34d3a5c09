"""The layout algebra as functions.

Of layouts in any notation: an operand is a `Layout`, a `Shape`, an `IndexMap`, a `Swizzle`, or the
text of one; where an operation wants a tiler, a tuple of integers or of layouts does too, as in
``(2, 4)`` and ``"(2:1,4:2)"``. Integers, nested, are tuples of int. What an operation gives
satisfies its equation at every coordinate; where nothing does, it raises a `LayoutError` with the
reason. Most operations are methods of `Layout` as well.

Integers of the notation that are static (``_4``) stay so in layouts, and are ints in Python.

The operations are those of ``tilewright calc``; each is one line of the same table.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from ._tilewright import ElementType, Placement, Swizzle, evaluate
from ._tilewright import explain as _explain
from ._tilewright import operations as _operations

if TYPE_CHECKING:
    from ._layout import Layout

Ints: TypeAlias = Union[int, tuple["Ints", ...]]
"""Integers, nested: a shape, strides or a coordinate."""

Operand: TypeAlias = Union[Placement, Swizzle, str, int, tuple[Any, ...]]
"""What an operation is about."""

__all__ = [
    "aliases",
    "append",
    "append_to_rank",
    "at",
    "bank_conflicts",
    "bijective",
    "blocked_product",
    "calc",
    "ceil_div",
    "coalesce",
    "colex_less",
    "common_coarsening",
    "common_refinement",
    "compact_col_major",
    "compact_order",
    "compact_row_major",
    "compatible",
    "complement",
    "compose",
    "composition",
    "congruent",
    "contiguity",
    "cosize",
    "crd2crd",
    "crd2idx",
    "crd2int",
    "crd2offset",
    "cycles",
    "depth",
    "dice",
    "dims_by_stride",
    "domain_distribute",
    "domain_offset",
    "downcast",
    "elem_less",
    "evenly_divides",
    "explain",
    "filter",
    "filter_zeros",
    "flat_divide",
    "flat_product",
    "flatten",
    "gaps",
    "get",
    "greatest_common_domain",
    "group",
    "idx2crd",
    "image",
    "injective",
    "inner",
    "layout_add",
    "left_inverse",
    "lex_less",
    "logical_divide",
    "logical_product",
    "make_batched_layout",
    "make_fragment_like",
    "make_identity_layout",
    "make_layout",
    "make_layout_like",
    "make_ordered_layout",
    "max",
    "max_alignment",
    "max_common_layout",
    "max_common_vector",
    "min",
    "nullspace",
    "offset",
    "operations",
    "org_shape",
    "outer",
    "prepend",
    "prepend_dim",
    "product",
    "product_each",
    "product_like",
    "raked_product",
    "rank",
    "recast",
    "replace",
    "right_inverse",
    "round_up",
    "scale",
    "select",
    "shape",
    "shape_div",
    "sharing",
    "size",
    "slice",
    "slice_and_offset",
    "stride",
    "surjective",
    "swizzle",
    "tag",
    "take",
    "tile",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "unflatten",
    "upcast",
    "vector_width",
    "weakly_congruent",
    "zip",
    "zipped_divide",
    "zipped_product",
]


def calc(expression: str) -> Any:
    """What an expression of the algebra comes to: a Layout, a Swizzle, an int, a tuple, a bool or a
    str, as the operation has it.

    Raises
    ------
    LayoutError
        If a text in it means nothing, which is pointed at in the whole expression; if there is no
        such operation; or if it has no outcome.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.calc("coalesce(composition((10,2):(16,4),(3,4):(1,5)))")
    Layout('(3,2,2):(16,80,4)')
    >>> tw.calc("zN(f16,28,40)")
    Layout('((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)')
    """
    return evaluate(expression)


def explain(expression: str) -> str:
    """An operation told step by step.

    Of coalesce, composition, complement, right_inverse, left_inverse, logical_divide and
    logical_product.

    Raises
    ------
    LayoutError
        As `calc`, and of other operations.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> print(ta.explain("composition((6,2):(8,2),(4,3):(3,1))").splitlines()[-1])
    = ((2,2),3):((24,2),8)
    """
    return _explain(expression)


def operations() -> list[str]:
    """How every operation is written in an expression; what is in brackets can be left out.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.operations()[0]
    'composition(A, B)'
    """
    return _operations()


def _call(name: str, *arguments: Any) -> Any:
    texts = [_text(argument) for argument in arguments if argument is not None]
    return evaluate(f"{name}({','.join(texts)})")


def _text(argument: Any) -> str:
    """An argument as an expression has it."""
    if isinstance(argument, tuple | list):
        return f"({','.join(map(_text, argument))})"
    if isinstance(argument, str | Placement | Swizzle | ElementType):
        return str(argument)
    return str(index(argument))


# Layouts.

def composition(a: Operand, b: Operand) -> Layout:
    """The layout that takes a coordinate of `b` where `a` takes the offset that `b` gives it. A
    swizzle as `a` goes over the layout `b`.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.composition("(10,2):(16,4)", "(3,4):(1,5)")
    Layout('(3,(2,2)):(16,(80,4))')
    """
    result: Layout = _call("composition", a, b)
    return result

def compose(a: Operand, b: Operand) -> Layout:
    """As `composition`, and where no one shape and stride says it, the two layouts composed.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.compose("(4,6,8):(2,3,5)", "6:3")
    Layout('(4,6,8):(2,3,5) o 0 o 6:3')
    """
    result: Layout = _call("compose", a, b)
    return result

def complement(a: Operand, n: int | None = None) -> Layout:
    """The layout of what `a` leaves out: side by side, copies of `a` at its offsets fill 0 to `n`.
    Without `n`, within a's own cosize.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.complement("4:1", 24)
    Layout('6:4')
    """
    result: Layout = _call("complement", a, n)
    return result

def right_inverse(a: Operand) -> Layout:
    """The layout that `a` undoes: a(r(i)) = i for as long as that can be.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.right_inverse("(4,8):(8,1)")
    Layout('(8,4):(4,1)')
    """
    result: Layout = _call("right_inverse", a)
    return result

def left_inverse(a: Operand) -> Layout:
    """The layout that undoes `a`: l(a(i)) = i for every i.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.left_inverse("(4,8):(1,5)")
    Layout('(5,8):(1,4)')
    """
    result: Layout = _call("left_inverse", a)
    return result

def nullspace(a: Operand) -> Layout:
    """The layout of the coordinates that `a` takes to 0.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.nullspace("(4,8):(1,0)")
    Layout('8:4')
    """
    result: Layout = _call("nullspace", a)
    return result

def coalesce(a: Operand, profile: Operand | None = None) -> Layout:
    """The layout in as few modes as can be; with a profile, mode by mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.coalesce("(2,(1,6)):(1,(6,2))")
    Layout('12:1')
    """
    result: Layout = _call("coalesce", a, profile)
    return result

def filter(a: Operand) -> Layout:
    """The layout without modes of stride 0 or size 1, coalesced.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.filter("(2,4,3):(1,0,2)")
    Layout('6:1')
    """
    result: Layout = _call("filter", a)
    return result

def filter_zeros(a: Operand) -> Layout:
    """The layout with size 1 in place of every size whose stride is 0.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.filter_zeros("(2,4):(1,0)")
    Layout('(2,1):(1,0)')
    """
    result: Layout = _call("filter_zeros", a)
    return result

def layout_add(a: Operand, b: Operand) -> Layout:
    """The layout whose offsets are the sums of those of the two.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.layout_add("(2,3):(1,2)", "(2,3):(5,20)")
    Layout('(2,3):(6,22)')
    """
    result: Layout = _call("layout_add", a, b)
    return result

def max_common_layout(a: Operand, b: Operand) -> Layout:
    """The longest layout of consecutive elements that the two agree on.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.max_common_layout("(4,2):(1,4)", "(4,2):(1,8)")
    Layout('4:1')
    """
    result: Layout = _call("max_common_layout", a, b)
    return result

def upcast(a: Operand, n: int) -> Layout:
    """The layout of elements `n` times as wide.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.upcast("(8,4):(1,8)", 4)
    Layout('(2,4):(1,2)')
    """
    result: Layout = _call("upcast", a, n)
    return result

def downcast(a: Operand, n: int) -> Layout:
    """The layout of elements `n` times as narrow.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.downcast("(2,4):(1,2)", 4)
    Layout('(8,4):(1,8)')
    """
    result: Layout = _call("downcast", a, n)
    return result

def recast(a: Operand, old_bits: int, new_bits: int) -> Layout:
    """The layout of the same memory in elements of another width.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.recast("(8,4):(1,8)", 8, 32)
    Layout('(2,4):(1,2)')
    """
    result: Layout = _call("recast", a, old_bits, new_bits)
    return result

def scale(a: Operand, n: int) -> Layout:
    """The layout with every stride `n` times as long.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.scale("(2,3):(1,2)", 5)
    Layout('(2,3):(5,10)')
    """
    result: Layout = _call("scale", a, n)
    return result

def make_layout(shape: Ints, stride: Ints | None = None, org_shape: Ints | None = None) -> Layout:
    """The layout of this shape and these strides, leftmost fastest where none are given; perhaps
    with the original shape of an array that is padded.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_layout((2, 3), (3, 1))
    Layout('(2,3):(3,1)')
    """
    result: Layout = _call("make_layout", shape, stride, org_shape)
    return result

def make_layout_like(a: Operand) -> Layout:
    """A compact layout of a's shape, its modes in the order of a's strides.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_layout_like("(2,3):(30,1)")
    Layout('(2,3):(3,1)')
    """
    result: Layout = _call("make_layout_like", a)
    return result

def make_fragment_like(a: Operand) -> Layout:
    """As `make_layout_like`, with the first mode compact and fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_fragment_like("(2,3):(30,1)")
    Layout('(2,3):(1,2)')
    """
    result: Layout = _call("make_fragment_like", a)
    return result

def make_identity_layout(shape: Ints) -> Layout:
    """The layout that takes a coordinate to itself.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_identity_layout((2, 3))
    Layout('(2,3):(1@0,1@1)')
    """
    result: Layout = _call("make_identity_layout", shape)
    return result

def make_ordered_layout(shape: Ints, order: Ints) -> Layout:
    """A compact layout whose modes are fast in this order, 0 the fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_ordered_layout((2, 3), (1, 0))
    Layout('(2,3):(3,1)')
    """
    result: Layout = _call("make_ordered_layout", shape, order)
    return result

# Tiles and copies.

def logical_divide(a: Operand, tiler: Operand) -> Layout:
    """The layout cut into tiles: each mode becomes (within a tile, which tile).

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.logical_divide("16:3", "4:1")
    Layout('(4,4):(3,12)')
    """
    result: Layout = _call("logical_divide", a, tiler)
    return result

def zipped_divide(a: Operand, tiler: Operand) -> Layout:
    """As `logical_divide`, the tile as one mode and the rest as another.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.zipped_divide("(4,8):(1,4)", "(2,4)")
    Layout('((2,4),(2,2)):((1,4),(2,16))')
    """
    result: Layout = _call("zipped_divide", a, tiler)
    return result

def tiled_divide(a: Operand, tiler: Operand) -> Layout:
    """As `zipped_divide`, the rest in a mode for each dimension.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.tiled_divide("(4,8):(1,4)", "(2,4)")
    Layout('((2,4),2,2):((1,4),2,16)')
    """
    result: Layout = _call("tiled_divide", a, tiler)
    return result

def flat_divide(a: Operand, tiler: Operand) -> Layout:
    """As `zipped_divide`, with every part a mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.flat_divide("(4,8):(1,4)", "(2,4)")
    Layout('(2,4,2,2):(1,4,2,16)')
    """
    result: Layout = _call("flat_divide", a, tiler)
    return result

def logical_product(a: Operand, tiler: Operand) -> Layout:
    """Copies of `a` where `tiler` puts them: (within a copy, which copy).

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.logical_product("4:1", "3:1")
    Layout('(4,3):(1,4)')
    """
    result: Layout = _call("logical_product", a, tiler)
    return result

def zipped_product(a: Operand, tiler: Operand) -> Layout:
    """As `logical_product`, the copy as one mode and the copies as another.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.zipped_product("4:1", "3:1")
    Layout('(4,3):(1,4)')
    """
    result: Layout = _call("zipped_product", a, tiler)
    return result

def tiled_product(a: Operand, tiler: Operand) -> Layout:
    """As `zipped_product`, the copies in a mode for each dimension.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.tiled_product("4:1", "3:1")
    Layout('(4,3):(1,4)')
    """
    result: Layout = _call("tiled_product", a, tiler)
    return result

def flat_product(a: Operand, tiler: Operand) -> Layout:
    """As `zipped_product`, with every part a mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.flat_product("4:1", "3:1")
    Layout('(4,3):(1,4)')
    """
    result: Layout = _call("flat_product", a, tiler)
    return result

def blocked_product(a: Operand, b: Operand) -> Layout:
    """Blocks `a` on a grid `b`, dimension by dimension: a block is together.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.blocked_product("(2,2):(1,2)", "(2,3):(1,2)")
    Layout('((2,2),(2,3)):((1,4),(2,8))')
    """
    result: Layout = _call("blocked_product", a, b)
    return result

def raked_product(a: Operand, b: Operand) -> Layout:
    """Blocks `a` on a grid `b`, dimension by dimension: the grid varies faster.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.raked_product("4:1", "3:1")
    Layout('((3,4)):((4,1))')
    """
    result: Layout = _call("raked_product", a, b)
    return result

def tile_to_shape(a: Operand, shape: Ints, order: Ints | None = None) -> Layout:
    """Copies of `a` that fill a shape.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.tile_to_shape("(2,2):(1,2)", (4, 6))
    Layout('((2,2),(2,3)):((1,4),(2,8))')
    """
    result: Layout = _call("tile_to_shape", a, shape, order)
    return result

def tile(a: Operand, shape: Ints, coordinate: Ints | None = None) -> Layout:
    """The layout of one tile of this shape; at a coordinate, of the tile that is there, smaller at
    an edge.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.tile("(8,8):(8,1)", (2, 4))
    Layout('(2,4):(8,1):(2,4)')
    """
    result: Layout = _call("tile", a, shape, coordinate)
    return result

def make_batched_layout(a: Operand, batch: int) -> Layout:
    """So many of `a` behind each other, in a new first mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.make_batched_layout("(2,3):(3,1)", 4)
    Layout('(4,2,3):(6,3,1)')
    """
    result: Layout = _call("make_batched_layout", a, batch)
    return result

def prepend_dim(a: Operand, extent: int, stride: int) -> Layout:
    """The layout with a new first dimension.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.prepend_dim("(2,3):(3,1)", 4, 6)
    Layout('(4,2,3):(6,3,1)')
    """
    result: Layout = _call("prepend_dim", a, extent, stride)
    return result

# Shapes and modes.

def shape(a: Operand) -> Ints:
    """The shape, nested as it is.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.shape("((2,4),3):((1,2),8)")
    ((2, 4), 3)
    """
    result: Ints = _call("shape", a)
    return result

def stride(a: Operand) -> Ints:
    """The strides, nested as they are.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.stride("((2,4),3):((1,2),8)")
    ((1, 2), 8)
    """
    result: Ints = _call("stride", a)
    return result

def org_shape(a: Operand) -> Ints:
    """The shape of the array itself, without padding.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.org_shape("((2,2),(2,3)):((2,12),(1,4)):(3,5)")
    (3, 5)
    """
    result: Ints = _call("org_shape", a)
    return result

def inner(a: Operand) -> Layout:
    """Of a composed layout, the layout within; else the layout.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.inner("Sw<3,0,3> o 0 o (8,8):(8,1)")
    Layout('(8,8):(8,1)')
    """
    result: Layout = _call("inner", a)
    return result

def outer(a: Operand) -> Layout | Swizzle:
    """Of a composed layout, what goes over the layout within.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.outer("Sw<3,0,3> o 0 o (8,8):(8,1)")
    Swizzle('Sw<3,0,3>')
    """
    result: Layout | Swizzle = _call("outer", a)
    return result

def offset(a: Operand) -> int:
    """Of a composed layout, the offset in between; else 0.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.offset("Sw<3,0,3> o 24 o (8):(1)")
    24
    """
    result: int = _call("offset", a)
    return result

def get(a: Operand, *position: int) -> Layout:
    """The mode at a path of positions.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.get("(2,(3,4)):(1,(2,6))", 1, 0)
    Layout('3:2')
    """
    result: Layout = _call("get", a, *position)
    return result

def flatten(a: Operand) -> Layout:
    """The layout with no nesting.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.flatten("((2,4),3):((1,2),8)")
    Layout('(2,4,3):(1,2,8)')
    """
    result: Layout = _call("flatten", a)
    return result

def unflatten(a: Operand, profile: Operand) -> Layout:
    """A flat layout nested as the profile is.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.unflatten("(2,4,3):(1,2,8)", "((1,1),1)")
    Layout('((2,4),3):((1,2),8)')
    """
    result: Layout = _call("unflatten", a, profile)
    return result

def group(a: Operand, begin: int, end: int) -> Layout:
    """The modes from `begin` to before `end` as one.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.group("(2,3,4,5):(1,2,6,24)", 1, 3)
    Layout('(2,(3,4),5):(1,(2,6),24)')
    """
    result: Layout = _call("group", a, begin, end)
    return result

def take(a: Operand, begin: int, end: int) -> Layout:
    """The modes from `begin` to before `end`.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.take("(2,3,4,5):(1,2,6,24)", 1, 3)
    Layout('(3,4):(2,6)')
    """
    result: Layout = _call("take", a, begin, end)
    return result

def select(a: Operand, *position: int) -> Layout:
    """The modes at these positions, in this order.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.select("(2,3,(4,5)):(1,2,(6,24))", 2, 0)
    Layout('((4,5),2):((6,24),1)')
    """
    result: Layout = _call("select", a, *position)
    return result

def append(a: Operand, b: Operand) -> Layout:
    """The layout with `b` as a last mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.append("(2,3):(1,2)", "4:6")
    Layout('(2,3,4):(1,2,6)')
    """
    result: Layout = _call("append", a, b)
    return result

def append_to_rank(a: Operand, rank: int) -> Layout:
    """The layout with modes of size 1 behind it, up to this rank.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.append_to_rank("(2,3):(1,2)", 3)
    Layout('(2,3,1):(1,2,0)')
    """
    result: Layout = _call("append_to_rank", a, rank)
    return result

def prepend(a: Operand, b: Operand) -> Layout:
    """The layout with `b` as a first mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.prepend("(2,3):(1,2)", "4:6")
    Layout('(4,2,3):(6,1,2)')
    """
    result: Layout = _call("prepend", a, b)
    return result

def replace(a: Operand, position: int, b: Operand) -> Layout:
    """The layout with `b` in place of a mode.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.replace("(2,3):(1,2)", 1, "4:6")
    Layout('(2,4):(1,6)')
    """
    result: Layout = _call("replace", a, position, b)
    return result

def zip(a: Operand, b: Operand) -> Layout:
    """The modes of the two in pairs.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.zip("(2,3):(1,2)", "(4,5):(6,24)")
    Layout('((2,4),(3,5)):((1,6),(2,24))')
    """
    result: Layout = _call("zip", a, b)
    return result

def slice(coordinate: Operand, a: Operand) -> Layout:
    """The modes that a coordinate leaves open, as ``"(_,3)"`` does the first.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.slice("(_,3)", "(4,8):(8,1)")
    Layout('(4):(8)')
    """
    result: Layout = _call("slice", coordinate, a)
    return result

def dice(coordinate: Operand, a: Operand) -> Layout:
    """The modes that a coordinate does not leave open.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.dice("(_,3)", "(4,8):(8,1)")
    Layout('(8):(1)')
    """
    result: Layout = _call("dice", coordinate, a)
    return result

def slice_and_offset(coordinate: Operand, a: Operand) -> str:
    """As `slice`, and where it begins.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.slice_and_offset("(_,3)", "(4,8):(8,1)")
    '(4):(8) at 3'
    """
    result: str = _call("slice_and_offset", coordinate, a)
    return result

def domain_offset(coordinate: Operand, a: Operand) -> int:
    """How far on the layout begins when coordinates are counted from this one; an error where it is
    then another layout.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.domain_offset((1, 2), "(4,8):(8,1)")
    10
    """
    result: int = _call("domain_offset", coordinate, a)
    return result

# Coordinates and integers.

def at(a: Operand, coordinate: Ints) -> int:
    """The offset at a coordinate, nested or not; an integer for a nested mode runs leftmost fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.at("((4,2),(4,3)):((4,16),(1,32))", (1, 5))
    37
    """
    result: int = _call("at", a, coordinate)
    return result

def crd2idx(a: Operand, coordinate: Ints) -> int:
    """As `at`, by CuTe's name.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.crd2idx("(4,8):(8,1)", (2, 3))
    19
    """
    result: int = _call("crd2idx", a, coordinate)
    return result

def crd2offset(a: Operand, coordinate: Ints) -> int:
    """As `at`, by TLA's name.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.crd2offset("(4,8):(8,1)", (2, 3))
    19
    """
    result: int = _call("crd2offset", a, coordinate)
    return result

def idx2crd(index: int, shape: Ints) -> Ints:
    """The coordinate of an integer, leftmost fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.idx2crd(16, (3, (2, 3)))
    (1, (1, 2))
    """
    result: Ints = _call("idx2crd", index, shape)
    return result

def crd2crd(coordinate: Ints, from_shape: Ints, to_shape: Ints) -> Ints:
    """The coordinate of the same element in another shape.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.crd2crd((1, 1), (2, 3), (3, 2))
    (0, 1)
    """
    result: Ints = _call("crd2crd", coordinate, from_shape, to_shape)
    return result

def crd2int(coordinate: Ints, shape: Ints) -> int:
    """The integer of a coordinate, leftmost fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.crd2int((1, 2), (4, 8))
    9
    """
    result: int = _call("crd2int", coordinate, shape)
    return result

def compact_col_major(shape: Ints) -> Ints:
    """Strides without gaps, leftmost fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.compact_col_major((2, 3, 4))
    (1, 2, 6)
    """
    result: Ints = _call("compact_col_major", shape)
    return result

def compact_row_major(shape: Ints) -> Ints:
    """Strides without gaps, rightmost fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.compact_row_major((2, 3, 4))
    (12, 4, 1)
    """
    result: Ints = _call("compact_row_major", shape)
    return result

def compact_order(shape: Ints, order: Ints) -> Ints:
    """Strides without gaps, 0 in `order` the fastest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.compact_order((2, 3, 4), (2, 0, 1))
    (12, 1, 3)
    """
    result: Ints = _call("compact_order", shape, order)
    return result

def common_refinement(a: Ints, b: Ints) -> Ints:
    """The coarsest shape that both shapes are coarsenings of.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.common_refinement((4, 6), (2, 12))
    (2, 2, 6)
    """
    result: Ints = _call("common_refinement", a, b)
    return result

def common_coarsening(a: Ints, b: Ints) -> Ints:
    """The finest shape that is a coarsening of both shapes.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.common_coarsening((2, 2, 6), (4, 2, 3))
    (4, 6)
    """
    result: Ints = _call("common_coarsening", a, b)
    return result

def greatest_common_domain(a: Ints, b: Ints) -> Layout:
    """The elements that two shapes have in common, as a layout that selects them from either.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.greatest_common_domain((5, 3, 4), (10, 6))
    Layout('(5,2):(1,30)')
    """
    result: Layout = _call("greatest_common_domain", a, b)
    return result

def domain_distribute(shape: Ints, n: int) -> Layout:
    """The layout of `n` parts of a shape.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.domain_distribute(((15, 14), 6), 6)
    Layout('(3,2):(1,15)')
    """
    result: Layout = _call("domain_distribute", shape, n)
    return result

def shape_div(a: Ints, b: Ints) -> Ints:
    """The shape divided from the left.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.shape_div((6, 4), 3)
    (2, 4)
    """
    result: Ints = _call("shape_div", a, b)
    return result

def ceil_div(a: Ints, b: Ints) -> Ints:
    """Quotients rounded up, part by part.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.ceil_div(7, 2)
    4
    """
    result: Ints = _call("ceil_div", a, b)
    return result

def round_up(a: Ints, b: Ints) -> Ints:
    """Rounded up to multiples, part by part.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.round_up(7, 4)
    8
    """
    result: Ints = _call("round_up", a, b)
    return result

def product(shape: Ints) -> int:
    """The product of all sizes.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.product((2, (3, 4)))
    24
    """
    result: int = _call("product", shape)
    return result

def product_each(shape: Ints) -> Ints:
    """The product of each mode's sizes.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.product_each((2, (3, 4)))
    (2, 12)
    """
    result: Ints = _call("product_each", shape)
    return result

def product_like(shape: Ints, profile: Ints) -> Ints:
    """Products, nested as the profile is.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.product_like((2, (3, 4)), (1, 1))
    (2, 12)
    """
    result: Ints = _call("product_like", shape, profile)
    return result

def max(*a: Ints) -> int:
    """The largest integer in any of them.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.max(3, (4, 2), 9)
    9
    """
    result: int = _call("max", *a)
    return result

def min(*a: Ints) -> int:
    """The smallest integer in any of them.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.min(3, (4, 2), 9)
    2
    """
    result: int = _call("min", *a)
    return result

def swizzle(swizzle: Operand, offset: int) -> int:
    """Where a swizzle takes an offset.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.swizzle("Sw<3,4,3>", 128)
    144
    """
    result: int = _call("swizzle", swizzle, offset)
    return result

# Questions.

def size(a: Operand) -> int:
    """How many coordinates there are.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.size("(4,8):(8,1)")
    32
    """
    result: int = _call("size", a)
    return result

def cosize(a: Operand) -> int:
    """One more than the largest offset.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.cosize("(4,8):(1,5)")
    39
    """
    result: int = _call("cosize", a)
    return result

def rank(a: Operand) -> int:
    """How many modes there are.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.rank("((2,4),3):((1,2),8)")
    2
    """
    result: int = _call("rank", a)
    return result

def depth(a: Operand) -> int:
    """How deep the modes nest.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.depth("((2,4),3):((1,2),8)")
    2
    """
    result: int = _call("depth", a)
    return result

def tag(a: Operand, element_type: ElementType | str) -> str:
    """The fractal tag that a layout is of, on Ascend.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.tag("((16,2),(16,3)):((16,256),(1,512)):(28,40)", "f16")
    'zN 28 x 40'
    """
    result: str = _call("tag", a, element_type)
    return result

def max_common_vector(a: Operand, b: Operand) -> int:
    """The longest run of elements that is consecutive in both.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.max_common_vector("(4,2):(1,4)", "(4,2):(1,8)")
    4
    """
    result: int = _call("max_common_vector", a, b)
    return result

def max_alignment(a: Operand) -> int:
    """How many elements at a time the layout's memory can be taken: the largest `n` for which
    `upcast` by it makes one element of each `n`.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.max_alignment("(8,4):(1,12)")
    4
    """
    result: int = _call("max_alignment", a)
    return result

def congruent(a: Ints, b: Ints) -> bool:
    """Whether the two are nested alike.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.congruent((1, (2, 3)), (4, (5, 6)))
    True
    """
    result: bool = _call("congruent", a, b)
    return result

def weakly_congruent(a: Ints, b: Ints) -> bool:
    """Whether `b` is nested like `a`, and perhaps deeper.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.weakly_congruent((1, 2), (4, (5, 6)))
    True
    """
    result: bool = _call("weakly_congruent", a, b)
    return result

def compatible(a: Ints, b: Ints) -> bool:
    """Whether `b` is a refinement of the shape `a`: coordinates of a are coordinates of b.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.compatible((6, 4), ((2, 3), 4))
    True
    """
    result: bool = _call("compatible", a, b)
    return result

def evenly_divides(a: Ints, b: Ints) -> bool:
    """Whether `b` divides `a` with nothing left.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.evenly_divides((4, 6), (2, 3))
    True
    """
    result: bool = _call("evenly_divides", a, b)
    return result

def lex_less(a: Ints, b: Ints) -> bool:
    """Whether `a` comes first when the leftmost decides.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.lex_less((1, 2), (2, 1))
    True
    """
    result: bool = _call("lex_less", a, b)
    return result

def colex_less(a: Ints, b: Ints) -> bool:
    """Whether `a` comes first when the rightmost decides.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.colex_less((1, 2), (2, 1))
    False
    """
    result: bool = _call("colex_less", a, b)
    return result

def elem_less(a: Ints, b: Ints) -> bool:
    """Whether each part of `a` is less than b's.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.elem_less((1, 2), (2, 3))
    True
    """
    result: bool = _call("elem_less", a, b)
    return result

# Analysis.

def injective(a: Operand) -> bool:
    """Whether no two elements share an offset.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.injective("(4,8):(1,3)")
    False
    """
    result: bool = _call("injective", a)
    return result

def surjective(a: Operand) -> bool:
    """Whether every offset of the allocation has an element.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.surjective("(4,8):(1,3)")
    True
    """
    result: bool = _call("surjective", a)
    return result

def bijective(a: Operand) -> bool:
    """Whether both.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.bijective("(4,8):(8,1)")
    True
    """
    result: bool = _call("bijective", a)
    return result

def image(a: Operand) -> int:
    """How many offsets have an element.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.image("(4,8):(1,3)")
    25
    """
    return int(_call("image", a))

def gaps(a: Operand) -> str:
    """The offsets that no element has, in words.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> "9" in ta.gaps("f32[3,5]{1,0:T(2,2)}")
    True
    """
    result: str = _call("gaps", a)
    return result

def aliases(a: Operand) -> str:
    """The offsets that several elements share, in words.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.aliases("(4,2):(1,2)").splitlines()[0]
    '4 offsets with 1 element, 2 with 2'
    """
    result: str = _call("aliases", a)
    return result

def sharing(a: Operand) -> str:
    """How many offsets have how many elements, in words.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.sharing("(4,2):(1,2)")
    '4 offsets with 1 element, 2 with 2'
    """
    result: str = _call("sharing", a)
    return result

def contiguity(a: Operand, dim: int) -> int:
    """The longest aligned run of neighbours along a dimension, in elements.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.contiguity("bf16[30,300]{1,0:T(8,128)}", 1)
    128
    """
    return int(_call("contiguity", a, dim))

def vector_width(
    a: Operand, dim: int, element_bits: int | None = None, max_bits: int | None = None
) -> int:
    """The most elements along a dimension that one aligned access moves.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.vector_width("bf16[64,64]", 1, 16)
    8
    """
    return int(_call("vector_width", a, dim, element_bits, max_bits))

def bank_conflicts(a: Operand, element_bits: int) -> str:
    """What the worst access of a (thread) or (thread, value) layout costs in 32 banks of 4 bytes.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> "32" in ta.bank_conflicts("(32):(32)", 32)
    True
    """
    result: str = _call("bank_conflicts", a, element_bits)
    return result

def dims_by_stride(a: Operand) -> tuple[int, ...]:
    """The dimensions, that of the smallest stride first.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.dims_by_stride("f32[3,5]{0,1}")
    (0, 1)
    """
    return tuple(int(dim) for dim in _call("dims_by_stride", a)[1:-1].split(",") if dim)

def cycles(a: Operand) -> str:
    """The cycles of the layout as a permutation of its elements, in words.

    Examples
    --------
    >>> import tilewright.algebra as ta
    >>> ta.cycles("f32[2,3]{0,1}").split(";")[0]
    '3 cycles, the longest of 4'
    """
    result: str = _call("cycles", a)
    return result
