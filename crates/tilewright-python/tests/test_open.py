"""Files that are looked into before they are read; metadata; records without arrays."""

from __future__ import annotations

import json
import pickle
import warnings

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from conftest import DTYPES, layout_text, random_array, random_layout

X = np.arange(15, dtype=np.float32).reshape(3, 5)


def save_all(folder, x, layout):
    """The same array in a file of every format that can hold it."""
    tw.save(folder / "x.npy", x, layout)
    tw.save(folder / "x.safetensors", {"x": x}, layout, metadata={"format": "pt"})
    paths = [folder / "x.npy", folder / "x.safetensors"]
    try:
        tw.save(folder / "x.zarr", x, layout)
    except ValueError:  # what Zarr cannot say
        return paths
    return [*paths, folder / "x.zarr"]


def test_what_is_there_is_said_without_reading_it(tmp_path):
    for path in save_all(tmp_path, X, "{1,0:T(2,2)}"):
        with tw.open(path) as file:
            assert file.path == str(path) and file.names == list(file) == ["x"] and len(file) == 1
            assert file.format == path.suffix[1:] and "x" in file and "y" not in file
            assert file.metadata == ({"format": "pt"} if file.format == "safetensors" else {})
            lazy = file["x"]
            assert (lazy.name, lazy.dtype, lazy.nbytes) == ("x", np.float32, 96)
            assert lazy.shape == tw.Shape("f32[3,5]{1,0:T(2,2)}")
            assert lazy.layout == tw.Layout("{1,0:T(2,2)}")
            with pytest.raises(KeyError, match="no array `y`"):
                file["y"]
        assert len(file) == 0


def test_only_headers_are_read(tmp_path):
    """The arrays of a file whose data are gone are known, and cannot be read."""
    tw.save(tmp_path / "x.safetensors", {"x": np.zeros((100, 100)), "y": X})
    file = tw.open(tmp_path / "x.safetensors")
    with open(tmp_path / "x.safetensors", "r+b") as raw:
        raw.truncate(1000)
    assert file["x"].shape == tw.Shape("f64[100,100]{1,0}") and file["y"].nbytes == 60
    with pytest.raises(ValueError, match="shrank"):
        file["y"].unpack()


def test_all_of_one_packed_or_logical(tmp_path):
    for path in save_all(tmp_path, X, "{1,0:T(2,2)}"):
        lazy = tw.open(path)["x"]
        assert lazy.packed() == tw.pack(X, "{1,0:T(2,2)}", labelled=True)
        for found in (lazy.unpack(), np.asarray(lazy), np.array(lazy), lazy[:], lazy[...], lazy[:, :]):
            assert found.dtype == X.dtype
            np.testing.assert_array_equal(found, X)
        assert np.asarray(lazy, np.float64).dtype == np.float64
        with pytest.raises(ValueError):
            np.asarray(lazy, copy=False)
        np.testing.assert_array_equal(tw.pack(lazy, "{0,1}"), np.ascontiguousarray(X.T))


def random_index(rng, dims):
    def one(size):
        kind = rng.randrange(4)
        if kind == 0 and size:
            return rng.randrange(-size, size)
        if kind == 1:
            return slice(None)
        ends = [rng.choice([None, rng.randint(-size - 2, size + 2)]) for _ in range(2)]
        return slice(*ends, rng.choice([None, 1, 2, 3, -1, -2]))

    index = [one(size) for size in dims[: rng.randint(0, len(dims))]]
    if rng.random() < 0.3:
        index.insert(rng.randint(0, len(index)), Ellipsis)
    if rng.random() < 0.2:
        index.insert(rng.randint(0, len(index)), None)
    return tuple(index)


@pytest.mark.parametrize("seed", range(25))
def test_slices_are_numpys(tmp_path, rng, seed):
    rng.seed(seed)
    dtype = rng.choice(DTYPES)
    dims = tuple(rng.randint(0 if seed % 5 == 0 else 1, 30) for _ in range(rng.randint(1, 4)))
    order, tiles = random_layout(rng, len(dims))
    x = random_array(np.random.default_rng(seed), dims, dtype)
    bits = tw.ElementType(dtype).bits
    layout = f"{{{','.join(map(str, order))}:E({bits})}}" if bits < 8 else layout_text(order, tiles)
    for path in save_all(tmp_path, x, layout):
        lazy = tw.open(path, dtype=dtype)["x"]
        for index in [(), *(random_index(rng, dims) for _ in range(40))]:
            try:
                expected = x[index]
            except IndexError:  # an ellipsis has moved an index to a shorter dimension
                with pytest.raises(IndexError):
                    lazy[index]
                continue
            found = lazy[index]
            assert np.shape(found) == np.shape(expected), index
            assert np.asarray(found).tobytes() == np.asarray(expected).tobytes(), (layout, index)


def test_slices_of_arrays_of_many_pieces(tmp_path, monkeypatch):
    """In pieces and chunks that are small, so that parts end within them."""
    from tilewright import _movers, _open

    monkeypatch.setattr(_open, "PIECE", 3000)
    monkeypatch.setattr(_movers, "CHUNK", 1000)
    x = np.arange(40 * 60 * 7, dtype=np.int32).reshape(40, 60, 7)
    for number, layout in enumerate(["{2,1,0:T(8,4)}", "{0,1,2}", "{1,0,2:T(4,8)(2,1)}", None]):
        path = tmp_path / f"{number}.safetensors"
        tw.save(path, {"x": x}, layout)
        _movers.part_mover.cache_clear()
        lazy = tw.open(path)["x"]
        for index in (np.s_[3:37:2, ::-1, 2], np.s_[:, 59], np.s_[17], np.s_[..., 1:3], np.s_[5:6, 3:50]):
            np.testing.assert_array_equal(lazy[index], x[index])
    _movers.part_mover.cache_clear()


@pytest.mark.parametrize(
    "layout,index",
    [
        ("{1,0}", np.s_[70_000:70_003]),
        ("{1,0}", np.s_[:3, 7]),
        ("{0,1}", np.s_[:5, 30_000:30_002]),
        ("{1,0:T(8,128)}", np.s_[70_000, 5:9]),
    ],
)
def test_a_part_is_little_of_a_large_file(tmp_path, layout, index):
    """Of a file of 8 GiB that is all hole but for one element, more than tests may hold in memory."""
    shape = tw.Shape(f"u8[131072,65536]{layout}")
    stored = {"dtype": "U8", "shape": shape._stored()[1], "data_offsets": [0, shape.bytes]}
    record = {"version": 1, "layouts": {"w": {"layout": str(shape), "pad": "0"}}}
    header = {"__metadata__": {"tilewright": json.dumps(record)}, "w": stored}
    text = json.dumps(header).encode()
    rows, columns = index if isinstance(index, tuple) else (index, slice(None))
    first = tuple(at.start or 0 if isinstance(at, slice) else at for at in (rows, columns))
    with open(tmp_path / "w.safetensors", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        start = file.tell()
        file.truncate(start + shape.bytes)
        file.seek(start + shape.offset(first))
        file.write(b"\x07")
    found = tw.open(tmp_path / "w.safetensors")["w"][index]
    assert np.ravel(found)[0] == 7 and np.count_nonzero(found) == 1


def test_wrong_indices(tmp_path):
    tw.save(tmp_path / "x.npy", X)
    lazy = tw.open(tmp_path / "x.npy")["x"]
    for index, error in (
        (3, IndexError), ((0, 5), IndexError), (-4, IndexError), ((0, 0, 0), IndexError),
        ((..., ...), IndexError), ([0, 1], TypeError), (np.array([True, False, True]), TypeError),
        (True, TypeError), ("x", (TypeError, IndexError)), (1.5, (TypeError, IndexError)),
    ):  # fmt: skip
        with pytest.raises(error):
            lazy[index]
    assert lazy[np.int64(2), np.uint8(1)] == X[2, 1]


def test_models_folders(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    one, many = tmp_path / "one", tmp_path / "many"
    one.mkdir(), many.mkdir()
    safetensors.save_file({"a": X}, one / "model.safetensors", metadata={"format": "pt"})
    (one / "config.json").write_text("{}")
    safetensors.save_file({"a": X}, many / "1.safetensors", metadata={"format": "np"})
    safetensors.save_file({"b": X + 1}, many / "2.safetensors")
    index = {"weight_map": {"a": "1.safetensors", "b": "2.safetensors"}}
    (many / "model.safetensors.index.json").write_text(json.dumps(index))
    for path, names, said in ((one, ["a"], "pt"), (many, ["a", "b"], "np")):
        file = tw.open(path)
        assert (file.names, file.metadata, file.format) == (names, {"format": said}, "safetensors")
        np.testing.assert_array_equal(file["a"][1:], X[1:])
        assert tw.load(path).metadata == {"format": said}
        np.testing.assert_array_equal(tw.load(path, names[-1]), X + len(names) - 1)
    with pytest.raises(FileNotFoundError):
        tw.open(tmp_path)


def test_metadata_goes_through_load_and_save(tmp_path):
    safetensors = pytest.importorskip("safetensors")
    arrays = {"a": X, "b": X.astype(ml_dtypes.bfloat16)}
    tw.save(tmp_path / "a.safetensors", arrays, metadata={"format": "pt", "about": "é"})
    loaded = tw.load(tmp_path / "a.safetensors")
    assert isinstance(loaded, dict) and loaded.metadata == {"format": "pt", "about": "é"}
    again = pickle.loads(pickle.dumps(loaded))
    assert type(again) is tw.Arrays and again.metadata == loaded.metadata and list(again) == ["a", "b"]
    tw.save(tmp_path / "b.safetensors", loaded, "tpu:v5e")
    tw.save(tmp_path / "c.safetensors", tw.open(tmp_path / "b.safetensors"), "row-major")
    tw.save(tmp_path / "d.safetensors", loaded, metadata={})
    for name, expected in (("b", loaded.metadata), ("c", loaded.metadata), ("d", {})):
        path = tmp_path / f"{name}.safetensors"
        with safetensors.safe_open(path, "np") as theirs:
            said = {k: v for k, v in (theirs.metadata() or {}).items() if k != "tilewright"}
        assert said == tw.open(path).metadata == tw.load(path).metadata == expected
    np.testing.assert_array_equal(tw.load(tmp_path / "c.safetensors", "a"), X)
    assert tw.load(tmp_path / "a.safetensors", ["b"]).metadata == loaded.metadata


def test_a_file_is_saved_array_by_array(tmp_path):
    """Arrays that are not asked to be otherwise are written as they are stored."""
    arrays = {"a.weight": X, "b.weight": X + 1, "c.bias": X[0]}
    layouts = {"*.weight": "{1,0:T(2,2)}"}
    tw.save(tmp_path / "a.safetensors", arrays, layouts, pad=9)
    file = tw.open(tmp_path / "a.safetensors")
    tw.save(tmp_path / "b.safetensors", file, {"b.*": "{0,1}"})
    found = tw.open(tmp_path / "b.safetensors")
    assert [str(lazy.layout) for lazy in found.values()] == ["{1,0:T(2,2)}", "{0,1}", "{0}"]
    assert (found["a.weight"].packed(), found["a.weight"].pad) == (file["a.weight"].packed(), "9")
    for name, x in arrays.items():
        np.testing.assert_array_equal(found[name], x)
    tw.save(tmp_path / "one.npy", file["b.weight"])
    assert tw.load(tmp_path / "one.npy", packed=True) == file["b.weight"].packed()
    tw.save(tmp_path / "one.zarr", file["b.weight"])
    np.testing.assert_array_equal(tw.load(tmp_path / "one.zarr"), X + 1)


def rename_within(path, old, new):
    """As a tool does that knows of no layouts: the name in the header, and not in the record."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header[new] = header.pop(old)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + size :])


@pytest.mark.parametrize("look", [tw.load, tw.open])
def test_records_without_arrays_are_warned_of(tmp_path, look):
    path = tmp_path / "x.safetensors"
    tw.save(path, {f"w{n}": X for n in range(7)}, "{1,0:T(2,2)}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        look(path)
    rename_within(path, "w3", "renamed")
    with pytest.warns(UserWarning, match="a layout is recorded for `w3`, which is not there") as caught:
        file = look(path)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert "renamed" in file
    for n in (0, 1, 2, 4, 5, 6):
        rename_within(path, f"w{n}", f"other{n}")
    with pytest.warns(UserWarning) as caught:
        look(path)
    assert len(caught) == 6 and "and 2 more layouts" in str(caught[-1].message)
