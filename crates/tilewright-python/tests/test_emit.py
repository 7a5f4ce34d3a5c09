"""Source code of layouts, and layouts compiled from it."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from conftest import run_python

LAYOUTS = [
    "f32[3,5]{1,0:T(2,2)}",
    "bf16[30,300]{1,0:T(8,128)(2,1)}",
    "s4[9,31]{0,1:T(5,7)E(4)}",
    "f32[7,9]{1,0:T(*,6)}",
    "u8[4,6] strides=(-6,1)",
    "f16 ((4,2),(2,3)):((2,24),(1,8)):(7,5)",
    "f32[2,35,3] aBc16b",
    "u4[64,64]@marlin",
    "f32[]",
    "f32[0,3]",
]
BARE = ["(4,8):(8,1)", "Sw<3,0,3> o 0 o (8,8):(8,1)", "(3,2):(2,3)", "5:-2"]


def placement(text):
    return tw.Layout(text) if text in BARE else tw.Shape(text)


@pytest.mark.parametrize("text", LAYOUTS + BARE)
def test_compiled_offsets_and_indexes_are_the_maps(text):
    layout = placement(text)
    compiled = tw.jit(text)
    assert compiled.layout == layout and text in repr(compiled)
    offsets = layout.offsets()
    found = compiled.offset(*np.indices(layout.dims)) if layout.rank else compiled.offset()
    assert np.array_equal(found, offsets)
    lowest = min(0, int(offsets.min())) if offsets.size else 0
    slots = np.arange(lowest, lowest + layout.allocation)
    found = compiled.index(slots)
    assert found.shape == (len(slots), layout.rank)
    assert np.array_equal(found, layout.index(slots))
    for outside in (lowest - 1, lowest + layout.allocation):
        with pytest.raises(tw.OutOfRangeError, match="outside the allocation"):
            compiled.index([outside])


def test_single_indexes_and_wrong_ones():
    tiles = tw.jit("f32[3,5]{1,0:T(2,2)}")
    assert tiles.offset(2, 3) == 17 and isinstance(tiles.offset(2, 3), int)
    assert (tiles.index(17), tiles.index(9)) == ((2, 3), None)
    assert tiles.offset(np.zeros((0, 2), int), 1).shape == (0, 2)
    for wrong in ((3, 0), (0, -1), ([0, 1, 5], 5)):
        with pytest.raises(tw.OutOfRangeError, match="out of bounds"):
            tiles.offset(*wrong)
    for wrong in ((), (1,), (1, 2, 3)):
        with pytest.raises(tw.LayoutError, match="2 dimensions"):
            tiles.offset(*wrong)
    with pytest.raises(TypeError):
        tiles.offset(0.5, 1)


PAIRS = [
    ("f32[3,5]{1,0:T(2,2)}", "{0,1}"),
    ("bf16[37,67]", "{0,1}"),
    ("bf16[30,300]", "{1,0:T(8,128)(2,1)}"),
    ("s4[9,31]{1,0:E(4)}", "{0,1:T(5,7)E(4)}"),
    ("s4[9,31]", "{0,1:T(5,7)E(4)}"),
    ("u8[90,100]{1,0:T(5,7)}", "{1,0:T(7,3)}"),
    ("u4[64,64]", "u4[64,64]@marlin"),
    ("u4[64,64]@marlin", "row-major"),
]


@pytest.mark.parametrize("source, target", PAIRS)
def test_compiled_relayouts_move_what_the_engine_moves(source, target):
    compiled = tw.jit(source, target)
    shape = tw.Shape(source)
    packed = np.random.default_rng(7).integers(0, 256, shape.bytes, np.uint8)
    logical = tw.unpack(packed, shape)
    becomes = tw.shape_for(target, shape.element_type, shape.dims)
    expected = tw.pack(logical, becomes)
    made = compiled(packed)
    assert made.dtype == expected.dtype and made.shape == expected.shape
    assert made.tobytes() == expected.tobytes()
    out = np.empty_like(made)
    assert compiled(tw.pack(logical, shape, labelled=True), out=out) is out
    assert out.tobytes() == expected.tobytes()
    assert np.array_equal(compiled.source.offset(*np.indices(shape.dims)), shape.offsets())
    assert np.array_equal(compiled.target.offset(*np.indices(shape.dims)), becomes.offsets())
    with pytest.raises(ValueError):
        compiled(packed[:-1])
    with pytest.raises(ValueError):
        compiled(packed, out=np.empty(becomes.bytes + 1, np.uint8))


def test_what_is_packed_otherwise_is_refused():
    compiled = tw.jit("u8[2,2]", "{0,1}")
    other = tw.pack(np.zeros((2, 2), np.uint8), "{0,1}", labelled=True)
    with pytest.raises(tw.LayoutError, match="is compiled"):
        compiled(other)
    with pytest.raises(ValueError):
        tw.jit("u8[2,2]", "u8[3,2]")
    with pytest.raises(TypeError):
        tw.jit(5)


@pytest.mark.parametrize("compiler, says", [("no-such-compiler", "needs a C compiler"), ("false", "cannot compile")])
def test_without_a_compiler_it_says_so(compiler, says, monkeypatch):
    monkeypatch.setenv("CC", compiler)
    with pytest.raises(RuntimeError, match=says):
        tw.jit("f32[3,5]")


def test_no_file_is_left(tmp_path, monkeypatch):
    code = "import tilewright as tw; print(tw.jit('f32[3,5]').offset(2, 3))"
    script = tmp_path / "script.py"
    script.write_text(code)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    done = run_python(script, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "13\n"), done.stderr
    assert list(scratch.iterdir()) == []


def test_the_methods_and_the_function_agree():
    shape, layout = tw.Shape("f32[4,8]{1,0:T(2,4)}"), tw.Layout("(4,8):(8,1)")
    for lang in ("c", "cuda", "opencl", "rust", "python", "triton", "wgsl", "mlir", "cute"):
        assert shape.emit(lang) == tw.emit(lang, shape) == tw.emit(lang, str(shape.text))
        assert "tile" in layout.emit(lang, name="tile")
    assert shape.emit("c", "{0,1}") == tw.emit("c", shape.text, "f32[4,8]{0,1}")
    assert shape.emit("c", tw.Layout("{0,1}")) == shape.emit("c", tw.Shape("f32[4,8]{0,1}"))
    assert "int64_t n0" in tw.emit("c", "f32[4,8]", dynamic=0)


@pytest.mark.parametrize("text", LAYOUTS)
def test_pythons_code_is_the_map(text):
    shape, names = tw.Shape(text), {}
    exec(shape.emit("python", name="tile"), names)
    if shape.rank and shape.elements:
        assert np.array_equal(names["tile_offset"](*np.indices(shape.dims)), shape.offsets())


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("basic", "f32[3]"), "no language"),
        (("c", "f32[3]", None, "a b"), "cannot begin"),
        (("c", "f32[3", None, "tw"), "expected"),
        (("c", "f32[3]", "f32[4]", "tw"), "dim"),
        (("cute", "f32[3,5]{1,0:T(2,2)}"), "no padding"),
        (("c", "(4,8):(8,1)", "{0,1}"), "says no element type"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, says):
    lang, layout, to, name = (*arguments, None, "tw")[:4] if len(arguments) < 4 else arguments
    with pytest.raises(tw.LayoutError, match=says):
        tw.emit(lang, layout, to, name=name or "tw")
