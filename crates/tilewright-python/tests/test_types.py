"""The package is typed, and a type checker agrees."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilewright as tw
from conftest import run_python

pytest.importorskip("mypy")

CONFIG = str(Path(__file__).parents[1] / "pyproject.toml")


RIGHT = """
from typing_extensions import assert_type

import numpy as np
import tilewright as tw
import tilewright.algebra as ta

s = tw.Shape("f32[3,5]{1,0:T(2,2)}")
assert_type(s.offset((2, 3)), int)
assert_type(s.index(17), tuple[int, ...] | None)
assert_type(tw.Layout("4:1"), tw.Layout)
assert_type(tw.Layout("4:1").composition("2:1"), tw.Layout)
assert_type(ta.composition("4:1", tw.Layout("2:1")).size, int)
s.layout.composition  # as an editor would complete it
many = s.offset(np.zeros((4, 2), int))
p = tw.pack(np.zeros((3, 5), np.float32), "{1,0:T(2,2)}", pad=-1, threads=2)
u = tw.unpack(p, s, out=np.empty((3, 5), np.float32), copy=None)
plan = tw.Plan("f32[3,5]", s)
plan.run(np.zeros((3, 5), np.float32), pad=1.0)
base: int = tw.fit([[0, 1], [2, 3]]).base
try:
    tw.Shape("f32[")
except tw.LayoutError as error:
    if error.diagnostic is not None:
        assert_type(error.diagnostic.span, tuple[int, int])
tw.save("x.npy", p, "{1,0}", progress=lambda done, total: None)
assert_type(tw.tpu.default((3, 5), "float32", chip="v5e"), tw.Shape)
labelled = tw.pack([[1.0]], s, pad="lowest", labelled=True, copies=True)
assert_type(labelled, tw.Packed)
assert_type(tw.pack(labelled, s, out=labelled), tw.Packed)
assert_type(labelled.relayout("{1,0}"), tw.Packed)
assert_type(tw.relayout(labelled, "tpu:v5e"), tw.Packed)
assert_type(labelled == p, bool)
y = tw.unpack(labelled)
over = tw.discover_over(lambda codes: codes.T, [(4, 6), 5], bits=8)
assert_type(over.at((4, 6)), tw.Layout)
assert_type(over.found[0], tw.Discovery)
assert_type(tw.identify(y, p, bits=None)[0].name, str | None)
moved = tw.relayout(p, s, "row-major", pad=np.float32(1))
out = tw.Plan("f32[3,5]", "(3,5):(1,3)", copies=True).run(np.zeros((3, 5), np.float32))
with tw.open("x.safetensors") as file:
    for name, lazy in file.items():
        assert_type(name, str)
        assert_type(lazy.packed(), tw.Packed)
        tw.save("y.npy", lazy)
        part = lazy[1:, 2]
    assert_type(file.metadata, dict[str, str])
assert_type(tw.Layout((4, (2, 3)), (1, (4, 8)))[0], tw.Layout)
assert_type(tw.Layout([4, 8])(1, 2) + len(tw.Layout(4)), int)
assert_type(tw.Swizzle(3, 0, 3)(8), int)
assert_type(tw.Shape.of("f32", (3, 5), s).ndim, int)
assert_type(tw.hlo("HloModule m").diff(b"HloModule n"), tw.Change)
assert_type(tw.assign("e.hlo"), tw.Assignment)
assert_type(tw.__version__, str)
assert_type(tw.Arrays().metadata, dict[str, str])
assert_type(tw.draw(labelled, s, path="x.svg", at=(2, 3), unit="bytes"), tw.Picture)
assert_type(tw.draw("(2,3):(3,1)").to_png(), bytes)
"""


def run(tmp_path: Path, *arguments: str) -> None:
    done = run_python("-m", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_accepts_the_package(tmp_path):
    assert (Path(tw.__file__).parent / "py.typed").exists()
    run(tmp_path, "mypy", "--config-file", CONFIG, "--cache-dir", str(tmp_path / "cache"))


def test_the_stubs_are_of_what_is_there(tmp_path):
    run(tmp_path, "mypy.stubtest", "tilewright._tilewright", "--mypy-config-file", CONFIG)


def test_mypy_accepts_a_program_and_refuses_a_wrong_one(tmp_path):
    right = tmp_path / "right.py"
    right.write_text(RIGHT)
    run(tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(right))
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import tilewright as tw\nx: str = tw.Shape('f32[3]').offset((1,))\n")
    with pytest.raises(AssertionError, match="Incompatible types"):
        run(tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(wrong))
