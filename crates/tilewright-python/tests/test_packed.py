"""Packed arrays that know how they are packed, and what people do with them."""

from __future__ import annotations

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw

X = np.arange(15, dtype=np.float32).reshape(3, 5)
S = tw.Shape("f32[3,5]{1,0:T(2,2)}")
SQUARE = np.arange(16, dtype=np.float32).reshape(4, 4)
COLUMNS = tw.Shape("f32[4,4]{0,1}")


def packed():
    return tw.pack(X, S, labelled=True)


def test_a_label_is_heard():
    """As unlabelled arrays are: of square dims nothing but the label could tell."""
    label = tw.Packed(tw.pack(SQUARE, COLUMNS), COLUMNS)
    for found in (
        tw.unpack(label, COLUMNS),
        tw.unpack(label),
        label.unpack(),
        tw.unpack(label, "f32[4,4]{0,1}"),
        tw.unpack(label, "{0,1}"),
        tw.view(label, COLUMNS),
        tw.view(label),
        np.asarray(label),
        tw.relayout(label, COLUMNS, "row-major").data,
        tw.relayout(label, "row-major").data,
        tw.relayout(label, target="row-major").data,
        label.relayout("row-major").data,
        tw.pack(label, "row-major"),
        tw.Plan(COLUMNS, "row-major").run(label).data,
        tw.Packed(label, COLUMNS).unpack(),
    ):
        np.testing.assert_array_equal(found, SQUARE)
    assert np.shares_memory(tw.view(label), label.data)


def test_a_label_and_a_layout_that_say_different_things():
    label = tw.Packed(tw.pack(SQUARE, COLUMNS), COLUMNS)
    plan = tw.Plan("f32[4,4]", COLUMNS)
    for call in (
        lambda: tw.unpack(label, "f32[4,4]"),
        lambda: tw.unpack(label, "s32[4,4]{0,1}"),
        lambda: tw.unpack(label, "f32[16]"),
        lambda: tw.view(label, "row-major"),
        lambda: tw.relayout(label, "f32[4,4]", "{0,1}"),
        lambda: tw.Packed(label, "f32[4,4]"),
        lambda: plan.run(label),
        lambda: plan.run(SQUARE, out=tw.Packed(np.empty(16, np.float32), "f32[4,4]")),
        lambda: tw.pack(SQUARE, "row-major", out=label),
        lambda: tw.relayout(SQUARE, "f32[4,4]", "f32[4,4]", out=label),
    ):
        with pytest.raises(tw.LayoutError, match="packed as|it is"):
            call()
    with pytest.raises(TypeError, match="give the shape"):
        tw.unpack(label.data)
    with pytest.raises(TypeError, match="target"):
        tw.relayout(label)
    # The same places in another notation are the same label.
    np.testing.assert_array_equal(tw.unpack(label, "f32 (4,4):(1,4)"), SQUARE)


def test_what_it_says_of_itself():
    p = packed()
    assert (p.dtype, p.nbytes, p.shape, p.layout) == (np.float32, 96, S, tw.Layout("{1,0:T(2,2)}"))
    assert repr(p) == "<Packed f32[3,5]{1,0:T(2,2)}, 96 bytes>"
    assert p.data.shape == (2, 3, 2, 2) and p.pad == "0"
    assert tw.pack(X, S, pad=-1, labelled=True).pad == "-1"
    assert tw.Packed(p.data, S).pad is None
    four = tw.pack(X.astype(ml_dtypes.int4), "{1,0:E(4)}", labelled=True)
    assert (four.dtype, four.nbytes) == (np.dtype(ml_dtypes.int4), 8)


def test_it_is_checked_when_it_is_made():
    data = packed().data
    as_bytes = tw.Packed(data.reshape(-1).view(np.uint8), S)
    assert as_bytes == packed() and as_bytes.data.shape == (2, 3, 2, 2)
    assert np.shares_memory(as_bytes.data, data)
    assert tw.Packed(data, str(S)) == packed()
    for wrong, error in (
        (lambda: tw.Packed(data[:1], S), ValueError),
        (lambda: tw.Packed(data.astype(np.float64), S), TypeError),
        (lambda: tw.Packed(data.view(np.int32), S), TypeError),
        (lambda: tw.Packed(None, S), TypeError),
        (lambda: tw.Packed(data, "{1,0:T(2,2)}"), ValueError),
        (lambda: tw.Packed(data, 7), TypeError),
        (lambda: tw.Packed(data, "token[]"), ValueError),
        (lambda: tw.Packed(data), TypeError),
    ):
        with pytest.raises(error):
            wrong()
    for name in ("data", "shape", "dtype", "nbytes", "layout", "other"):
        with pytest.raises(AttributeError):
            setattr(packed(), name, None)


def test_equality_is_of_bytes_and_layout():
    p = packed()
    assert p == packed() and not p != packed()
    assert p != tw.pack(X, S, pad=1, labelled=True)  # the padding is memory too
    assert p != tw.pack(X + 1, S, labelled=True)
    assert p != p.relayout("row-major")
    assert p != "something else" and p != None  # noqa: E711
    with pytest.raises(TypeError, match="unhashable"):
        hash(p)
    # Of an array it is asked as the logical array that it is to numpy.
    assert (p == X).all() and (X == p).all()


def test_copies_and_pickles_keep_the_label():
    p = tw.pack(X, S, pad=3, labelled=True)
    for again in (copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert type(again) is tw.Packed and again == p and again.pad == "3"
    assert not np.shares_memory(copy.deepcopy(p).data, p.data)
    four = tw.pack(X.astype(ml_dtypes.int4), "{1,0:E(4)}", labelled=True)
    assert pickle.loads(pickle.dumps(four)) == four


def test_to_numpy_it_is_the_logical_array(tmp_path):
    p = packed()
    np.save(tmp_path / "x.npy", p)
    for found, expected in (
        (np.asarray(p), X),
        (np.array(p), X),
        (np.asarray(p, np.float64), X.astype(np.float64)),
        (np.copy(p), X),
        (np.concatenate([p, p]), np.concatenate([X, X])),
        (np.stack([p, p]), np.stack([X, X])),
        (np.asarray([p, p]), np.stack([X, X])),
        (np.from_dlpack(p), X),
        (np.load(tmp_path / "x.npy"), X),
        (p + X, X + X),
        (X * p, X * X),
        (np.add(p, 1), X + 1),
        (np.exp(p), np.exp(X)),
        (p @ X.T, X @ X.T),
        (np.sum(p, axis=0), X.sum(axis=0)),
        (np.transpose(p), X.T),
        (np.reshape(p, -1), X.reshape(-1)),
        (np.where(np.asarray(p) > 3, p, 0), np.where(X > 3, X, 0)),
    ):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError):
        np.asarray(p, copy=False)  # tiles have no view
    with pytest.raises(ValueError):
        np.asarray(tw.Packed(X, "f32[3,5]"), np.float64, copy=False)
    assert np.shares_memory(np.asarray(tw.Packed(X, "f32[3,5]"), copy=False), X)
    assert not np.shares_memory(np.array(tw.Packed(X, "f32[3,5]")), X)


def test_what_it_is_not_is_an_error():
    p = packed()
    for wrong in (
        lambda: p[0],
        lambda: p[:, 1],
        lambda: len(p),
        lambda: iter(p),
        lambda: p + 1,
        lambda: 2 * p,
        lambda: -p,
        lambda: p < 3,
        lambda: memoryview(p),
        lambda: bytes(p),
        lambda: float(p),
        lambda: np.add(X, X, out=p),
        lambda: p.shape[0],
    ):
        with pytest.raises(TypeError):
            wrong()
    for name in ("T", "ravel", "reshape", "astype", "tobytes", "sum", "copy", "itemsize"):
        with pytest.raises(AttributeError):
            getattr(p, name)
    with pytest.raises(TypeError):
        p[0] = 1
    in_place = p
    in_place += X  # a new name for a logical array, and p is as it was
    assert isinstance(in_place, np.ndarray) and p == packed()


def test_to_jax_it_is_the_logical_array():
    jnp = pytest.importorskip("jax.numpy")
    p = packed()
    for found in (jnp.asarray(p), jnp.array(p), jnp.from_dlpack(p), jnp.asarray(X) * 0 + jnp.asarray(p)):
        np.testing.assert_array_equal(np.asarray(found), X)
    with pytest.raises(TypeError):
        jnp.add(p, 1)


def test_to_torch_it_is_the_logical_tensor_or_an_error():
    torch = pytest.importorskip("torch")
    np.testing.assert_array_equal(torch.from_dlpack(packed()).numpy(), X)
    for call in (torch.as_tensor, torch.tensor):
        try:
            found = call(packed())
        except (TypeError, RuntimeError, ValueError):
            continue
        np.testing.assert_array_equal(found.numpy(), X)


def test_to_dask_it_is_the_logical_array_or_an_error():
    da = pytest.importorskip("dask.array")
    try:
        found = da.asarray(packed()).compute()
    except (TypeError, ValueError, AttributeError):
        return
    np.testing.assert_array_equal(found, X)


def test_outcomes_are_labelled_where_what_came_in_is():
    p = packed()
    target = tw.Shape("f32[3,5]{0,1}")
    plan = tw.Plan(S, target)
    for found in (tw.relayout(p, target), tw.relayout(p, S, target), plan.run(p), p.relayout(target)):
        assert type(found) is tw.Packed and found.shape == target
        np.testing.assert_array_equal(found.unpack(), X)
    for found in (tw.relayout(p.data, S, target), plan.run(p.data), tw.pack(p, target)):
        assert type(found) is np.ndarray
    assert tw.pack(p, target, labelled=True) == p.relayout(target)
    out = tw.Packed(np.zeros(15, np.float32), target)
    for call in (
        lambda: tw.pack(X, target, out=out),
        lambda: tw.relayout(p, target, out=out),
        lambda: plan.run(p, out),
        lambda: plan.run(p.data, out),
    ):
        out.data[...] = -1
        assert call() is out
        np.testing.assert_array_equal(out.unpack(), X)
    plain = np.zeros(15, np.float32)
    assert plan.run(p, plain) is plain and tw.relayout(p, target, out=plain.copy()) == out
    labelled = tw.pack(X, S, out=np.empty((2, 3, 2, 2), np.float32), labelled=True)
    assert labelled == p


def test_files_keep_the_label(tmp_path):
    p = tw.pack(X, S, pad=7, labelled=True)
    for name in ("w.npy", "w.safetensors"):
        tw.save(tmp_path / name, p if name == "w.npy" else {"w": p})
        again = tw.load(tmp_path / name, packed=True)
        again = again["w"] if isinstance(again, dict) else again
        assert again == p and again.pad == "7"
    # A layout that is asked for is what it gets.
    tw.save(tmp_path / "w.npy", p, "{0,1}", force=True)
    assert tw.load(tmp_path / "w.npy", packed=True) == p.relayout("{0,1}")
    tw.save(tmp_path / "two.safetensors", {"a": p, "b": p}, {"b": "row-major"})
    two = tw.load(tmp_path / "two.safetensors", packed=True)
    assert (two["a"], two["b"]) == (p, p.relayout("row-major"))
    tw.zarr.save(tmp_path / "w.zarr", p)
    assert tw.load(tmp_path / "w.zarr", packed=True).shape == S
    tw.zarr.save(tmp_path / "w.zarr", p, "row-major", force=True)
    assert tw.load(tmp_path / "w.zarr", packed=True).shape == tw.Shape("f32[3,5]{1,0}")
