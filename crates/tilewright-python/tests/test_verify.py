"""Whether two files hold the same arrays."""

from __future__ import annotations

import random

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from conftest import DTYPES, layout_text, random_array, random_layout

X = np.arange(15, dtype=np.float32).reshape(3, 5)


def test_layouts_and_formats_make_no_difference(tmp_path):
    rng = random.Random(7)
    for number, dtype in enumerate(DTYPES):
        x = random_array(np.random.default_rng(number), (5, 6), dtype)
        layouts = [layout_text(*random_layout(rng, 2)) for _ in range(2)]
        a, b = tmp_path / f"{number}.safetensors", tmp_path / f"{number}.npy"
        tw.save(a, {"x": x}, layouts[0])
        tw.save(b, x, layouts[1])
        found = tw.verify(a, b, dtype=dtype)
        assert found and found.arrays == 1 and found.different_names == ("x", str(number))
        changed = x.copy()
        changed.view(np.uint8).reshape(-1)[-1] ^= 1
        tw.save(b, changed, layouts[1], force=True)
        (difference,) = tw.verify(a, b, dtype=dtype).differences
        assert difference.index == (4, 5) and str(difference) == "`x` differs at index [4, 5]"


def test_what_is_not_alike_is_said_of_each(tmp_path):
    a, b = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    nan = np.full(3, np.nan)
    tw.save(a, {"w": X, "u": X, "v": X, "n": nan, "z": np.zeros((0, 2))}, "row-major")
    tw.save(b, {"t": X, "u": X[:, :4], "v": X.astype(np.int32), "n": nan, "z": np.zeros((0, 2))})
    found = tw.verify(a, b)
    assert not found and found.arrays == 6 and found.different_names is None
    assert [str(difference) for difference in found.differences] == [
        "`t` is only in the second file",
        "`u` is f32[3,5] in one and f32[3,4] in the other",
        "`v` is f32[3,5] in one and s32[3,5] in the other",
        "`w` is only in the first file",
    ]
    assert all(difference.index is None for difference in found.differences)


def test_padding_and_stray_bits_are_not_compared(tmp_path):
    x = np.arange(-7, 8).astype(ml_dtypes.int4).reshape(3, 5)
    tw.save(tmp_path / "a.npy", x, "{1,0:T(2,2)}", pad=3)
    tw.save(tmp_path / "b.npy", x, "{1,0:T(2,2)}", pad=-1)
    tw.save(tmp_path / "c.npy", x, "{1,0:T(2,2)E(4)}")
    stray = (x.view(np.uint8) & 15).view(ml_dtypes.int4)
    tw.save(tmp_path / "d.npy", stray, "{0,1}")
    a, b, c, d = (tmp_path / f"{name}.npy" for name in "abcd")
    assert tw.verify(a, b) and tw.verify(a, c) and tw.verify(c, d, dtype="s4")


def test_progress_and_errors(tmp_path):
    a, b = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    tw.save(a, {"x": X, "y": X})
    tw.save(b, {"x": X})
    told = []
    assert not tw.verify(a, b, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2 * X.nbytes, 2 * X.nbytes)
    with pytest.raises(FileNotFoundError):
        tw.verify(a, tmp_path / "none.npy")
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(ValueError):
        tw.verify(tmp_path / "bad.npy", a)
