"""The package is typed, and a type checker agrees."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tilewright as tw

pytest.importorskip("mypy")

CONFIG = str(Path(__file__).parents[1] / "pyproject.toml")


def run(tmp_path: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_accepts_the_package(tmp_path):
    assert (Path(tw.__file__).parent / "py.typed").exists()
    run(tmp_path, "mypy", "--config-file", CONFIG, "--cache-dir", str(tmp_path / "cache"))


def test_the_stubs_are_of_what_is_there(tmp_path):
    run(tmp_path, "mypy.stubtest", "tilewright._tilewright", "--mypy-config-file", CONFIG)


def test_mypy_accepts_a_program_and_refuses_a_wrong_one(tmp_path):
    right = tmp_path / "right.py"
    right.write_text(
        "import numpy as np\n"
        "import tilewright as tw\n"
        "s = tw.Shape('f32[3,5]{1,0:T(2,2)}')\n"
        "n: int = s.offset((2, 3))\n"
        "i: tuple[int, ...] | None = s.index(17)\n"
        "p = tw.pack(np.zeros((3, 5), np.float32), s)\n"
        "layout: tw.Layout = tw.Layout('4:1').composition('2:1')\n"
    )
    run(tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(right))
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import tilewright as tw\nx: str = tw.Shape('f32[3]').offset((1,))\n")
    with pytest.raises(AssertionError, match="Incompatible types"):
        run(tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(wrong))
