"""One table of rules for the command and for Python: layouts for arrays, and which array gets which."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw

X = np.arange(4 * 8, dtype=np.float32).reshape(4, 8)

# Each way to say a layout for f32[4,8], and what XLA's notation has for it: by the definitions of
# the notations, by hand.
SAID = [
    ("{0,1:T(2,2)}", "f32[4,8]{0,1:T(2,2)}"),
    ("f32[4,8]{0,1:T(2,2)}", "f32[4,8]{0,1:T(2,2)}"),
    ("row-major", "f32[4,8]{1,0}"),
    ("column-major", "f32[4,8]{0,1}"),
    ("(4,8):(1,4)", "f32[4,8]{0,1}"),
    ("f32 (4,8):(1,4)", "f32[4,8]{0,1}"),
    ("((2,2),(4,2)):((4,16),(1,8))", "f32[4,8]{1,0:T(2,4)}"),
    ("AB2a4b", "f32[4,8]{1,0:T(2,4)}"),
    ("f32[4,8] ba", "f32[4,8]{0,1}"),
    ("strides=(4,16)", "f32[4,8]{0,1}"),
    ("tpu:v5e", "f32[4,8]{1,0:T(4,128)}"),
    ("ascend:zZ", "f32[4,8]{1,0:T(16,8)}"),
    ("tpu-small-2", "f32[4,8]{1,0:T(2,128)}"),
    ("untiled", "f32[4,8]{1,0}"),
]


@pytest.mark.parametrize("said,xla", SAID)
def test_a_layout_is_said_in_every_way_everywhere(tmp_path, said, xla):
    da = pytest.importorskip("dask.array")
    meant = tw.Shape(xla)
    packed = tw.pack(X, meant)
    shape = tw.shape_for(said, "f32", (4, 8))
    for found in (shape, tw.Shape.of("f32", (4, 8), said), tw.Shape("f32[4,8]{0,1}").with_layout(said)):
        assert found == shape and found.same_as(meant) and found.nbytes == meant.nbytes
    # As a value instead of a text.
    assert tw.shape_for(shape, "f32", (4, 8)) == shape
    assert tw.shape_for(shape.layout, "f32", (4, 8)).same_as(meant)
    lazy = tw.dask.pack(da.from_array(X, chunks=(2, 8)), said)
    for found in (
        tw.pack(X, said),
        tw.relayout(X, "f32[4,8]", said),
        tw.Packed(X, "f32[4,8]").relayout(said).data,
        tw.Plan("f32[4,8]", said).run(X),
        lazy.compute(),
    ):
        assert found.tobytes() == packed.tobytes()
    for name in ("w.npy", "w.safetensors", "w.zarr"):
        tw.save(tmp_path / name, {"w": X} if name == "w.safetensors" else X, said)
        lazy = next(iter(tw.open(tmp_path / name).values()))
        assert lazy.shape.same_as(meant) and lazy.packed().data.tobytes() == packed.tobytes()
    assert [row.shape.dims for row in tw.tpu.candidates((4, 8), "f32", chip="v5e", layout=said)]


@pytest.mark.parametrize(
    "said,message",
    [
        ("T(8,128)", r"(?s)is a part of a layout.*write `\{1,0:T\(8,128\)\}`"),
        ("1,0:T(8,128)", r"(?s)is a part of a layout.*write `\{1,0:T\(8,128\)\}`"),
        ("sideways", "(?s)`sideways` is no layout.*row-major, column-major, tpu:CHIP, ascend:TAG"),
        ("v5e", "`tpu:v5e`"),
        ("zN", "`ascend:zN`"),
        ("tpu:v1", "v7x"),
        ("{0}", r"the layout \{0\} orders 1 dimensions, and f32\[4,8\] has 2"),
        ("(8,4):(1,8)", r"it is f32\[4,8\], not f32\[8,4\]"),
        ("s32[4,8]", r"it is f32\[4,8\], not s32\[4,8\]"),
        ("abc", "dimension"),
    ],
)
def test_what_is_no_layout_is_told_what_would_be(said, message):
    for call in (
        lambda: tw.pack(X, said),
        lambda: tw.shape_for(said, "f32", (4, 8)),
        lambda: tw.Shape.of("f32", (4, 8), said),
        lambda: tw.Shape("f32[4,8]").with_layout(said),
        lambda: tw.Plan("f32[4,8]", said),
    ):
        with pytest.raises(tw.LayoutError, match=message):
            call()
    for text in ("T(8,128)", "1,0:T(8,128)"):
        for read in (tw.Shape, tw.Layout, tw.IndexMap):
            with pytest.raises(tw.LayoutError, match="is a part of a layout"):
                read(text)
    with pytest.raises(tw.LayoutError, match="no dims and no type"):
        tw.unpack(X, "{1,0}")


def layouts_of(path):
    return {name: str(array.layout) for name, array in tw.open(path).items()}


def test_the_last_pattern_that_matches_holds(tmp_path):
    arrays = {"a.weight": X, "head.weight": X, "head.bias": X, "other": X}
    rules = {"*": "{1,0}", "*.weight": "{1,0:T(2,2)}", "head.*": "{0,1}"}
    tw.save(tmp_path / "w.safetensors", arrays, rules)
    expected = {"a.weight": "{1,0:T(2,2)}", "head.weight": "{0,1}", "head.bias": "{0,1}", "other": "{1,0}"}
    assert layouts_of(tmp_path / "w.safetensors") == expected
    tw.save(tmp_path / "w.safetensors", arrays, dict(reversed(rules.items())), force=True)
    assert set(layouts_of(tmp_path / "w.safetensors").values()) == {"{1,0}"}
    # What no pattern matches stays row-major; a file of one array goes by its name.
    tw.save(tmp_path / "w.safetensors", arrays, {"?.weight": tw.Layout("{0,1}")}, force=True)
    found = layouts_of(tmp_path / "w.safetensors")
    assert found["a.weight"] == "{0,1}" and found["other"] == "{1,0}"
    tw.save(tmp_path / "one.npy", X, {"o*": "{1,0:T(2,2)}"})
    assert layouts_of(tmp_path / "one.npy") == {"one": "{1,0:T(2,2)}"}


def test_a_pattern_that_matches_nothing_is_an_error(tmp_path):
    for arrays, rules in (({"a": X}, {"b*": "{0,1}"}), ({"a": X}, {"a": "{0,1}", "A": "{0,1}"}), ({}, {"*": "{0}"})):
        with pytest.raises(tw.LayoutError, match="no array has a name like"):
            tw.save(tmp_path / "w.safetensors", arrays, rules)
    with pytest.raises(tw.LayoutError, match="the pattern `.a`"):
        tw.save(tmp_path / "w.safetensors", {"a": X}, {"[a": "{0,1}"})
    with pytest.raises(tw.LayoutError, match="no array has a name like `x`"):
        tw.save(tmp_path / "w.npy", X, {"x": "{0,1}"})
    assert list(tmp_path.iterdir()) == []


def test_errors_name_the_array(tmp_path):
    for arrays, layout, error, message in (
        ({"a": X, "b": X[0]}, "{1,0:T(2,2)}", tw.LayoutError, r"tensor `b`: the layout .* orders 2 dimensions"),
        ({"a": X, "b": X}, {"b": "f32[8,4]"}, tw.LayoutError, "tensor `b`: it is"),
        ({"a": X, "b": X}, "(5,8):(8,1)", tw.LayoutError, "tensor `a`: "),
        ({"a": X, "b": np.zeros(2, "M8[s]")}, None, TypeError, "tensor `b`: "),
        ({"a": X, "b": None}, None, TypeError, "tensor `b`: "),
        ({"a": X, "b": tw.Packed(X, "f32[4,8]")}, {"b": "{0}"}, tw.LayoutError, "tensor `b`: "),
    ):
        with pytest.raises(error, match=message):
            tw.save(tmp_path / "w.safetensors", arrays, layout)
    with pytest.raises(tw.LayoutError, match="tensor `b`: `300` is no u8"):
        tw.save(tmp_path / "w.safetensors", {"a": X, "b": np.zeros((4, 8), np.uint8)}, "tpu:v5e", pad=300)
    assert list(tmp_path.iterdir()) == []


def test_dense_is_as_the_format_has_it(tmp_path):
    """safetensors packs floats below a byte, and any reader of it knows how."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(8).astype(ml_dtypes.float4_e2m1fn).reshape(2, 4)
    tw.save(tmp_path / "w.safetensors", {"w": x})
    assert str(tw.open(tmp_path / "w.safetensors")["w"].shape) == "f4e2m1fn[2,4]{1,0:E(4)}"
    assert b'"dtype":"F4"' in (tmp_path / "w.safetensors").read_bytes()
    assert tw.load(tmp_path / "w.safetensors", "w").tobytes() == x.tobytes()
