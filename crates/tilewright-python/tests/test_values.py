"""Values: equality, hashing, pickling, what they print, and their errors."""

from __future__ import annotations

import pickle
import re

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from conftest import DATA, DTYPES, layout_text, random_layout

VALUES = [
    tw.Shape("bf16[30,300]{1,0:T(8,128)(2,1)}"),
    tw.Shape("(f32[3]{0}, token[])"),
    tw.Shape("f16 ((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)"),
    tw.Shape("f32[2,35,7,7] aBcd16b"),
    tw.Shape("f32[3,5] strides=(20,4)"),
    tw.Layout("{1,0:T(8,128)}"),
    tw.Layout("((16,2),(16,3)):((16,256),(1,512)):(28,40)"),
    tw.Layout("Sw<3,0,3> o 0 o (8,8):(8,1)"),
    tw.IndexMap("f32[3,5]{1,0:T(2,2)}"),
    tw.IndexMap("((2,2),(2,3)):((2,12),(1,4)):(3,5)"),
    tw.ElementType("bf16"),
    tw.Swizzle("Sw<3,4,3>"),
    tw.Plan("f32[3,5]", "f32[3,5]{1,0:T(2,2)}"),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_reprs_and_pickles_make_the_value_again(value):
    again = eval(repr(value), vars(tw))
    pickled = pickle.loads(pickle.dumps(value))
    assert repr(again) == repr(value) == repr(pickled)
    assert type(again) is type(value) is type(pickled)
    if not isinstance(value, tw.Plan):
        assert again == value == pickled
        assert hash(again) == hash(value) == hash(pickled)
    assert value != "another kind of thing"


def test_different_values_differ():
    plain = [value for value in VALUES if not isinstance(value, tw.Plan | tw.IndexMap)]
    assert len(set(plain)) == len(plain)
    # Two notations, one map.
    assert len({value for value in VALUES if isinstance(value, tw.IndexMap)}) == 1
    assert tw.Shape("f32[3,5]{1,0}") != tw.Shape("f32[3,5]{0,1}")


def test_a_diagnostic_points_at_the_place():
    with pytest.raises(tw.LayoutError) as caught:
        tw.Shape("f32[3,5]{1,0:T(2,2}")
    found = caught.value.diagnostic
    assert isinstance(caught.value, ValueError)
    assert found.source == "f32[3,5]{1,0:T(2,2}"
    assert found.span == (18, 19)
    carets = str(caught.value).splitlines()[3]
    assert carets.index("^") - len("  | ") == found.span[0]
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.diagnostic) == (str(caught.value), found)


def test_a_diagnostic_in_an_expression_counts_from_its_start():
    with pytest.raises(tw.LayoutError) as caught:
        tw.calc("coalesce((4,2):(1,x))")
    assert caught.value.diagnostic.span[0] == "coalesce((4,2):(1,x))".index("x")


@pytest.mark.parametrize(
    "ask",
    [
        lambda: tw.Shape("f32[3,5]").offset((3, 0)),
        lambda: tw.Shape("f32[3,5]").offset((1,)),
        lambda: tw.Shape("f32[3,5]").index(15),
        lambda: tw.Shape("f32[3,5]").to("esperanto"),
        lambda: tw.Shape("f32[30,300]{1,0:T(8,128)}").to("numpy"),
        lambda: tw.Layout("{1,0}").dims,
        lambda: tw.Layout("f32[3]"),
        lambda: tw.Shape("(2,3):(3,1)"),
        lambda: tw.Shape("token[]").elements,
        lambda: tw.Shape("(f32[2], f32[3])").bytes,
        lambda: tw.ElementType("f33"),
        lambda: tw.Shape.of("f32", (3, -5)),
        lambda: tw.Shape.of("f32", (3, 5), "{0}"),
        lambda: tw.Shape.of("f32", (1 << 40, 1 << 40)),
        lambda: tw.IndexMap.dense((2, 3), (0, 0)),
        lambda: tw.Layout("(2,3):(3,1)").of("f32", (3, 2)),
        lambda: tw.calc("frobnicate(4:1)"),
        lambda: tw.Swizzle(3, 0),
        lambda: tw.fit([0, 1, 3, 5]),
        lambda: tw.Swizzle("Sw<3>"),
        lambda: tw.Shape("f32[3,5]").same_as("f32[3"),
    ],
)
def test_what_makes_no_sense_is_a_layout_error(ask):
    with pytest.raises(tw.LayoutError) as caught:
        ask()
    assert not re.search(r"panick|unwrap", str(caught.value))


def unescaped(text: str) -> str:
    escapes = {"\\t": "\t", "\\n": "\n", "\\\\": "\\"}
    return re.sub(r"\\[tn\\]", lambda found: escapes[found[0]], text)


def test_texts_are_printed_as_xla_prints_them():
    rows = (DATA / "xla-text.tsv").read_text().splitlines()[1:]
    for row in rows:
        text, printed = map(unescaped, row.split("\t"))
        assert str(tw.Shape(text, strict=True)) == printed
    assert len(rows) > 1000


def test_against_jaxlib_on_text(rng):
    hlo = pytest.importorskip("jaxlib._hlo")
    for text in (
        "f32[3,5]{1,0:T(2,2)}",
        "bf16[30,300]{1,0:T(8,128)(2,1)S(1)}",
        "pred[33,130]{0,1:T(32,128)(32,1)E(1)}",
        "s4[64,128]{1,0:T(64,128)(8,1)E(4)}",
    ):
        assert str(hlo.Shape(text)) == str(tw.Shape(text))
    for row in (DATA / "xla-text.tsv").read_text().splitlines()[1::5]:
        text = unescaped(row.split("\t")[0])
        assert str(hlo.Shape(text)) == str(tw.Shape(text, strict=True)), text
    for _ in range(300):
        dims = tuple(rng.randint(0, 300) for _ in range(rng.randint(1, 5)))
        layout = layout_text(*random_layout(rng, len(dims)))
        text = f"{rng.choice(('bf16', 'f32', 's4', 'f8e4m3fn', 'c64'))}[{','.join(map(str, dims))}]"
        assert str(hlo.Shape(text + layout)) == str(tw.Shape(text + layout))
        assert str(hlo.Shape(text)) == str(tw.Shape(text))


def test_element_types_and_dtypes_lead_to_each_other():
    for dtype in DTYPES:
        element_type = tw.ElementType(dtype)
        assert element_type.dtype == dtype
        assert tw.ElementType(element_type.name) == tw.ElementType(element_type.numpy_name)
    assert tw.ElementType(ml_dtypes.bfloat16) == tw.ElementType("BF16")
    assert tw.ElementType(np.float32).name == "f32"
    for wrong in ("datetime64[s]", "O", "S3"):
        with pytest.raises(ValueError):
            tw.ElementType(np.dtype(wrong))


def test_sizes():
    s = tw.Shape("bf16[30,300]{1,0:T(8,128)(2,1)}")
    assert (s.bytes, s.logical_bytes, s.padding_bytes) == (24576, 18000, 6576)
    assert (s.elements, s.padded_elements, s.allocation) == (9000, 12288, 12288)
    assert s.layout == tw.Layout("{1,0:T(8,128)(2,1)}")
    assert s.row_major() == tw.Shape("bf16[30,300]")
    packed = tw.Shape("s4[3,5]{1,0:T(2,2)E(4)}")
    assert (packed.element_bits, packed.bytes) == (4, 12)


def test_questions_of_two():
    tiles = tw.Shape("f16[28,40]{0,1:T(16,16)(16,1)}")
    fractal = tw.Shape("f16 ((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)")
    assert tiles.same_as(fractal) and tiles.index_map.same_as(fractal.index_map)
    assert not tiles.same_as("f32[28,40]{0,1:T(16,16)(16,1)}")
    assert tiles.first_difference(fractal) is None
    no = tw.Shape("f32[12,128]{1,0:T(8,128)}").bitcast("f32[2,6,128]{2,1,0:T(8,128)}")
    assert not no and no.kind is None and no.reason


def test_a_missing_operation_is_told_in_pythons_words():
    with pytest.raises(tw.LayoutError) as caught:
        tw.calc("coalesce(frobnicate(4:1))")
    assert "no operation `frobnicate`" in str(caught.value)
    assert "tilewright.algebra.operations()" in str(caught.value) and "--list" not in str(caught.value)
