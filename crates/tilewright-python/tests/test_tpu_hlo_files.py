"""TPU formats, HLO reports and array files."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from conftest import DATA, DTYPES, random_array

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_defaults_are_what_the_compiler_says():
    rows = (DATA / "tpu-layouts.tsv").read_text().splitlines()[1:]
    for row in rows[::7]:
        text, old, new = row.split("\t")
        bare = tw.Shape(text)
        for chip, said in (("v2", old), ("v3", old), ("v4", new), ("v5e", new), ("v7x", new)):
            layout = tw.tpu.default(bare.dims, bare.element_type, chip=chip).layout
            assert str(layout) == (old if said == "=" else said), (text, chip)
    assert tw.tpu.default((3,), "f32", chip="TPU v5 lite") == tw.tpu.default((3,), "f32", chip="v5e")


def test_candidates_of_a_column():
    found = tw.tpu.candidates("u32[12582912,1]{1,0:T(8,128)}", chip="v4")
    assert [row.bytes for row in found] == sorted(row.bytes for row in found)
    assert (found[0].bytes, found[0].padding_bytes) == (48 << 20, 0)
    assert found[0].moves_bytes == (6 << 30) + (48 << 20)
    with pytest.raises(ValueError, match="v99"):
        tw.tpu.default((3,), "f32", chip="v99")
    with pytest.raises(TypeError):
        tw.tpu.default((3,), chip="v4")
    assert all(tw.tpu.default((3, 5), "f32", chip=chip).tiles if False else True for chip in tw.tpu.CHIPS)


def test_a_report_and_its_tables():
    report = tw.hlo((EXAMPLES / "embedding.hlo").read_bytes())
    parameters = report.table("parameters")
    assert sum(parameters["bytes"]) == report.totals["parameters"]["bytes"]
    for text, size in zip(parameters["text"], parameters["bytes"]):
        assert tw.Shape(text).xla_bytes == size
    for name in ("buffers", "relayouts", "copies", "bitcasts", "outputs"):
        assert len({len(column) for column in report.table(name).values()}) <= 1
    assert report.to_html().startswith("<!")
    oom = tw.hlo((EXAMPLES / "out-of-memory.txt").read_text())
    assert oom.out_of_memory is not None
    with pytest.raises(ValueError, match="no HLO module"):
        tw.hlo("nothing of the kind")
    with pytest.raises(ValueError, match="no list"):
        report.table("chairs")


MEMORY = Path(__file__).parents[2] / "tilewright-hlo/tests/data/memory"


class Elements(HTMLParser):
    """The elements of a document, and the texts of those that a browser shows."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.shown = ""
        self.hidden = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data):
        self.shown += "" if self.hidden else data


def test_a_notebook_shows_the_timeline_and_the_peak():
    report = tw.hlo(MEMORY / "unet-gradient.hlo")
    piece = Elements(report._repr_html_())
    # Without scripts: a picture for each memory space, and its largest buffers.
    assert piece.names[0] == "div"
    assert "svg" in piece.names
    assert not {"html", "body", "link", "iframe", "img"} & set(piece.names)
    for peak in report.peak:
        if peak["space"] in ("hbm", "vmem"):
            assert f"{peak['space']}: " in piece.shown
            assert all(row["name"] in piece.shown for row in peak["alive"])
    # Of a module that is not scheduled, its buffers.
    embedding = tw.hlo(EXAMPLES / "embedding.hlo")
    plain = Elements(embedding._repr_html_())
    assert "Buffers" in plain.shown or embedding.peak


def test_what_a_notebook_shows_is_never_markup_of_the_module():
    name = "</script><img/onerror>"
    array = "f32[8,128]{1,0:T(8,128)}"
    lines = (
        f"HloModule {name}, is_scheduled=true",
        "",
        "ENTRY e {",
        f"  p = {array} parameter(0)",
        f"  %{name} = {array} negate(p)",
        f"  ROOT b = {array} add(%{name}, p)",
        "}",
    )
    piece = Elements(tw.hlo("\n".join(lines))._repr_html_())
    assert "img" not in piece.names
    assert name in piece.shown


def test_a_report_in_pandas():
    pandas = pytest.importorskip("pandas")
    report = tw.hlo((EXAMPLES / "embedding.hlo").read_text())
    frame = pandas.DataFrame(report.table())
    assert frame["bytes"].sum() == report.totals["buffers"]["bytes"]
    assert len(pandas.DataFrame(report.buffers)) == len(frame)


def test_what_jax_compiles_can_be_read():
    jax = pytest.importorskip("jax")
    compiled = jax.jit(lambda x: x @ x.T).lower(np.ones((8, 16), np.float32)).compile()
    report = tw.hlo(compiled.as_text())
    assert report.totals["parameters"]["bytes"] == 8 * 16 * 4


def test_dumps_are_read_from_files(tmp_path):
    path = EXAMPLES / "embedding.hlo"
    text = path.read_text()
    expected = tw.hlo(text).to_dict()
    for source in (path, str(path), text, text.encode(), memoryview(text.encode())):
        assert tw.hlo(source).to_dict() == expected
        assert tw.assign(source).to_dict() == tw.assign(text).to_dict()
    for name in ("nowhere.hlo", str(tmp_path / "dump"), tmp_path / "none"):
        with pytest.raises(FileNotFoundError, match="none" if name == tmp_path / "none" else "no file that is there"):
            tw.hlo(name)
    with pytest.raises(OSError):
        tw.hlo(tmp_path)
    for nothing in ("", "nothing of the kind", "a\nb\n", b""):
        for read in (tw.hlo, tw.assign):
            with pytest.raises(ValueError, match="no HLO module"):
                read(nothing)
    with pytest.raises(TypeError):
        tw.hlo(7)


def test_reports_of_two_programs():
    """The second moves into tiles what the first has in rows."""
    before = tw.hlo(
        "HloModule m\n\nENTRY e {\n  p = f32[64,256]{1,0:T(8,128)} parameter(0)\n"
        "  ROOT n = f32[64,256]{1,0:T(8,128)} negate(p)\n}\n"
    )
    after = (
        "HloModule m\n\nENTRY e {\n  p = f32[64,250]{0,1:T(8,128)} parameter(0)\n"
        "  c = f32[64,250]{1,0:T(8,128)} copy(p)\n  ROOT n = f32[64,250]{1,0:T(8,128)} negate(c)\n}\n"
    )
    change = before.diff(after)
    moved = 64 * 256 * 4
    wide = 256 * 128 * 4  # 250 rows of tiles of 8, 64 columns of 128
    assert change.parameters == [
        {"name": "p", "before": "f32[64,256]{1,0:T(8,128)}", "after": "f32[64,250]{0,1:T(8,128)}",
         "bytes_change": wide - moved}
    ]  # fmt: skip
    assert [row["name"] for row in change.relayouts["new"]] == ["c"] and change.relayouts["gone"] == []
    assert change.totals["before"]["parameters"]["bytes"] == moved
    assert change.totals["after"]["relayouts"]["bytes_written"] == moved
    assert repr(change).endswith("0 relayouts gone and 1 new>")
    assert "1 new" in repr(before.diff(tw.hlo(after)))
    same = before.diff(before)
    assert not same.parameters and not same.buffers and same.relayouts == {"gone": [], "new": []}


def test_assigned_formats():
    found = tw.assign(
        "HloModule m\n\nENTRY e {\n  p = f32[64,256]{0,1:T(8,128)} parameter(0)\n"
        "  c = f32[64,256]{1,0:T(8,128)} copy(p)\n  ROOT n = f32[64,256]{1,0:T(8,128)} negate(c)\n}\n"
    )
    (row,) = found.parameters
    assert (row["name"], row["best"]["text"]) == ("p", "f32[64,256]{1,0:T(8,128)}")
    assert row["best"]["moved_bytes"] == 0 < row["module"]["moved_bytes"]
    assert found.totals["module"]["moved_bytes"] == row["module"]["moved_bytes"]
    assert repr(found) == "<Assignment: 1 of 1 parameters would do better in another format>"
    with pytest.raises(ValueError, match="no entry computation"):
        tw.assign("HloModule m\n\n%f {\n  ROOT p = f32[9] parameter(0)\n}\n")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("ending", ["npy", "safetensors"])
def test_files_come_back(tmp_path, dtype, ending):
    x = random_array(np.random.default_rng(6), (30, 70), dtype)
    layouts = [None, "{0,1}", "{1,0:T(8,16)(2,1)}", "column-major"]
    if tw.ElementType(dtype).bits < 8:
        layouts.append(f"{{1,0:T(8,128)E({tw.ElementType(dtype).bits})}}")
    for number, layout in enumerate(layouts):
        path = tmp_path / f"x{number}.{ending}"
        tw.save(path, x if ending == "npy" else {"x": x}, layout)
        found = tw.load(path, dtype=dtype) if ending == "npy" else tw.load(path)["x"]
        assert (found.dtype, found.shape, found.tobytes()) == (x.dtype, x.shape, x.tobytes())


def test_other_readers_see_the_physical_dims(tmp_path):
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    tw.save(tmp_path / "x.npy", x, "{1,0:T(2,2)}")
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), tw.pack(x, "{1,0:T(2,2)}"))
    safetensors = pytest.importorskip("safetensors.numpy")
    arrays = {"a.weight": x, "b": x.astype(np.int32)}
    tw.save(tmp_path / "x.safetensors", arrays, {"*.weight": "{1,0:T(2,2)}"}, metadata={"k": "v"})
    theirs = safetensors.load_file(tmp_path / "x.safetensors")
    np.testing.assert_array_equal(theirs["a.weight"], tw.pack(x, "{1,0:T(2,2)}"))
    np.testing.assert_array_equal(theirs["b"], arrays["b"])
    safetensors.save_file(arrays, tmp_path / "theirs.safetensors")
    np.testing.assert_array_equal(tw.load(tmp_path / "theirs.safetensors", "b"), arrays["b"])


def test_packed_arrays_go_in_and_out_as_they_are(tmp_path):
    x = np.arange(15).astype(ml_dtypes.bfloat16).reshape(3, 5)
    shape = tw.Shape("bf16[3,5]{1,0:T(8,128)(2,1)}")
    packed = tw.Packed(tw.pack(x, shape), shape)
    np.testing.assert_array_equal(np.asarray(packed), x)
    tw.save(tmp_path / "w.safetensors", {"w": packed})
    again = tw.load(tmp_path / "w.safetensors", "w", packed=True)
    assert again.shape == shape and again.data.tobytes() == packed.data.tobytes()
    assert again.data.shape == shape.physical_dims
    example = tw.load(EXAMPLES / "weights.safetensors", packed=True)
    assert all(isinstance(array, tw.Packed) for array in example.values())


def test_progress_and_errors(tmp_path):
    told = []
    x = {"a": np.zeros(1000, np.uint8), "b": np.zeros(500, np.uint8)}
    tw.save(tmp_path / "x.safetensors", x, progress=lambda *done: told.append(done))
    assert told[-1] == (1500, 1500)
    told.clear()
    tw.load(tmp_path / "x.safetensors", ["b"], progress=lambda *done: told.append(done))
    assert told == [(500, 500)]
    tw.load(tmp_path / "x.safetensors", progress=True)
    with pytest.raises(FileExistsError):
        tw.save(tmp_path / "x.safetensors", x)
    tw.save(tmp_path / "x.safetensors", x, force=True)
    with pytest.raises(FileNotFoundError):
        tw.load(tmp_path / "none.npy")
    with pytest.raises(KeyError):
        tw.load(tmp_path / "x.safetensors", "c")
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00nonsense")
    with pytest.raises(ValueError):
        tw.load(tmp_path / "bad.npy")
    with pytest.raises(ValueError, match="format"):
        tw.save(tmp_path / "x.dat", x["a"])
    with pytest.raises(TypeError, match="names"):
        tw.save(tmp_path / "y.safetensors", x["a"])
    with pytest.raises(OSError):
        tw.save(tmp_path / "no" / "such" / "folder.npy", x["a"])


DUMP = """HloModule m, is_scheduled=true, num_partitions=4

ENTRY e_spmd {
  p = f32[64,256]{1,0:T(8,128)} parameter(0)
  n = f32[64,256]{0,1:T(8,128)} copy(p)
  ROOT o = f32[64,256]{1,0:T(8,128)} copy(n)
}
"""


def test_a_folder_says_what_the_module_does_not(tmp_path):
    name = tmp_path / "module_0000.jit_f"
    whole = DUMP.replace("[64,256]", "[128,256]").replace("e_spmd", "e").replace(
        "parameter(0)", "parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}"
    )
    whole = whole.replace(", is_scheduled=true", "")
    usage = "Memory Space: default (color=0)\nTotal bytes: 262656 (256.5KiB)\n"
    (tmp_path / f"{name}.after_optimizations.txt").write_text(DUMP)
    (tmp_path / f"{name}.before_optimizations.txt").write_text(whole)
    (tmp_path / f"{name}.after_optimizations-memory-usage-report.txt").write_text(usage)
    report = tw.hlo(tmp_path)
    sharding = report.parameters[0]["sharding"]
    assert (sharding["global"], sharding["devices"], sharding["replicated"]) == ("f32[128,256]", 4, 2)
    [hbm] = report.counted
    assert (hbm["space"], hbm["bytes"], hbm["compiler"]) == ("hbm", 262144, 262656)


def test_what_if():
    report = tw.hlo(DUMP)
    after = [report.what_if(formats, donate)["spaces"][0]["after"]["bytes"] >> 10 for formats, donate in [
        (None, ()),
        ({"p": "{0,1:T(8,128)}"}, ()),
        (None, ["p"]),
        ("assigned", "all"),
    ]]
    # Parameter, result and copy; the copy a bitcast of the parameter; parameter and result as one.
    assert after == [256, 192, 192, 192]
    with pytest.raises(ValueError, match="no parameter `q`"):
        report.what_if({"q": "{1,0}"})
    with pytest.raises(ValueError, match="no format of `p`"):
        report.what_if({"0": "{1,1}"})


def test_a_dumps_folder_is_its_module(tmp_path):
    module = "HloModule {}, is_scheduled=true\n\nENTRY e {{\n  ROOT p = f32[9] parameter(0)\n}}\n"
    small = tmp_path / "module_0001.jit_a.cl_1.after_optimizations.txt"
    small.write_text(module.format("small"))
    large = tmp_path / "module_0002.jit_b.cl_1.after_optimizations.txt"
    large.write_text(module.format("large") + "\n" * 99)
    (tmp_path / "module_0002.jit_b.cl_1.after_optimizations-live-range.txt").write_text("x" * 999)
    assert tw.hlo(tmp_path).module == "large"
    assert tw.hlo(str(tmp_path)).module == "large"
    assert (tw.hlo(tmp_path).peak, tw.hlo(tmp_path).timeline) == ([], [])
    short = tmp_path / "module_0003.jit_c.cl_1.oom_intermediate_module.txt"
    short.write_text(module.format("short"))
    assert tw.hlo(tmp_path).module == "short"
    (tmp_path / "empty").mkdir()
    with pytest.raises(IsADirectoryError, match="oom_intermediate_module"):
        tw.hlo(tmp_path / "empty")
