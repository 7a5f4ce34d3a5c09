"""Whole files and models converted, on one machine and on a cluster: the same bytes."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import tilewright as tw

K, N, GROUP = 256, 128, 64
SHARDS = [f"model-{number:05}-of-00003.safetensors" for number in (1, 2, 3)]
LAYERS = [f"model.layers.{number}.mlp.up_proj" for number in range(4)]


def words(codes: np.ndarray, order=range(8)) -> np.ndarray:
    """Eight columns in a word, in an order from the low nibble up."""
    groups = codes.reshape(*codes.shape[:-1], -1, 8).astype(np.uint32)
    return sum(groups[..., code] << np.uint32(4 * place) for place, code in enumerate(order)).astype(np.uint32).view(np.int32)


class Layer:
    def __init__(self, rng: np.random.Generator, is_symmetric: bool):
        self.codes = rng.integers(0, 16, (K, N), dtype=np.uint8)
        zeros = np.full((K // GROUP, N), 8, np.uint8)
        self.zeros = zeros if is_symmetric else rng.integers(1, 16, zeros.shape, dtype=np.uint8)
        self.scales = rng.standard_normal((K // GROUP, N)).astype(np.float16)

    def gptq(self) -> dict[str, np.ndarray]:
        return {
            "qweight": np.ascontiguousarray(words(np.ascontiguousarray(self.codes.T)).T),
            "qzeros": words(self.zeros - 1),
            "scales": self.scales,
            "g_idx": (np.arange(K) // GROUP).astype(np.int32),
        }

    def awq(self) -> dict[str, np.ndarray]:
        order = [0, 2, 4, 6, 1, 3, 5, 7]
        return {"qweight": words(self.codes, order), "qzeros": words(self.zeros, order), "scales": self.scales}


def write_model(folder: Path, is_symmetric: bool = False) -> list[Layer]:
    """A model of GPTQ's in three shards, between which layers are torn."""
    folder.mkdir()
    rng = np.random.default_rng(5)
    layers = [Layer(rng, is_symmetric or number == 0) for number in range(len(LAYERS))]
    tensors = {f"{name}.{part}": array for name, layer in zip(LAYERS, layers) for part, array in layer.gptq().items()}
    tensors["model.embed_tokens.weight"] = rng.standard_normal((50, 16)).astype(np.float32)
    tensors["model.norm.weight"] = np.ones(16, ml_dtypes.bfloat16)
    where = {name: SHARDS[number * 3 // len(tensors)] for number, name in enumerate(tensors)}
    assert len({where[f"{LAYERS[1]}.{part}"] for part in ("qweight", "qzeros", "scales", "g_idx")}) == 2
    for shard in SHARDS:
        members = {name: array for name, array in tensors.items() if where[name] == shard}
        save_file(members, folder / shard, metadata={"format": "pt", "from": shard})
    index = {"metadata": {"total_size": 1}, "weight_map": where}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    said = {"quant_method": "gptq", "bits": 4, "group_size": GROUP, "desc_act": False}
    (folder / "config.json").write_text(json.dumps({"eps": 1e-5, "quantization_config": said}))
    (folder / "quantize_config.json").write_text(json.dumps(said))
    (folder / "tokenizer.json").write_text('{"a": 1}')
    (folder / "pytorch_model.bin").write_text("other weights")
    return layers


def contents(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in sorted(folder.iterdir())}


def test_convert_is_what_the_command_does(tmp_path):
    layers = write_model(tmp_path / "gptq")
    done = []
    rows = tw.convert(tmp_path / "gptq", tmp_path / "awq", "awq", threads=2, progress=lambda *state: done.append(state))
    found = {name: array for shard in SHARDS for name, array in load_file(tmp_path / "awq" / shard).items()}
    for name, layer in zip(LAYERS, layers):
        for part, array in layer.awq().items():
            assert np.array_equal(found.pop(f"{name}.{part}"), array), name
    assert set(found) == {"model.embed_tokens.weight", "model.norm.weight"}
    assert {row.name for row in rows} >= set(found) and done
    assert rows[0].name == f"{LAYERS[0]}.qweight" or any(row.target == f"u4[{K},{N}]@awq" for row in rows)
    with pytest.raises(FileExistsError):
        tw.convert(tmp_path / "gptq", tmp_path / "awq", "awq")
    with pytest.raises(ValueError, match="zero points, which marlin has not"):
        tw.convert(tmp_path / "gptq", tmp_path / "marlin", "marlin")
    assert not (tmp_path / "marlin").exists()
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    tw.save(tmp_path / "x.npy", x)
    tw.convert(tmp_path / "x.npy", tmp_path / "y.npy", "{1,0:T(2,2)}", pad="7")
    assert np.array_equal(tw.load(tmp_path / "y.npy"), x)
    tw.convert(tmp_path / "y.npy", tmp_path / "z.npy", "row-major")
    assert (tmp_path / "z.npy").read_bytes() == (tmp_path / "x.npy").read_bytes()


def test_verify_compares_layers(tmp_path):
    layers = write_model(tmp_path / "gptq")
    for to in ("awq", "compressed-tensors"):
        tw.convert(tmp_path / "gptq", tmp_path / to, to)
    told = []
    found = tw.verify(tmp_path / "awq", tmp_path / "compressed-tensors", progress=lambda *state: told.append(state))
    assert found and found.arrays == len(layers) + 2 and told[-1][0] > 0
    shard = next(s for s in SHARDS if f"{LAYERS[2]}.qweight" in load_file(tmp_path / "awq" / s))
    tensors = load_file(tmp_path / "awq" / shard)
    tensors[f"{LAYERS[2]}.qweight"][7, 3] ^= 1 << 8  # nibble 2 of eight is column 4
    save_file(tensors, tmp_path / "awq" / shard)
    (difference,) = tw.verify(tmp_path / "gptq", tmp_path / "awq").differences
    assert (difference.name, difference.index) == (LAYERS[2], (7, 28))
    assert str(difference) == f"`{LAYERS[2]}` codes differ at index [7, 28]"


CASES = [
    ("awq", {}, False),
    ("gptq-v2", {}, False),
    ("compressed-tensors", {}, False),
    ("compressed-tensors", {}, True),
    (None, {"*.weight": "{0}", "*embed*": "{1,0:T(8,128)}"}, False),
]


@pytest.mark.parametrize(("to", "tensors", "is_symmetric"), CASES)
def test_a_cluster_writes_what_one_machine_does(tmp_path, to, tensors, is_symmetric):
    pytest.importorskip("fsspec")
    write_model(tmp_path / "gptq", is_symmetric)
    tw.convert(tmp_path / "gptq", tmp_path / "one", to, tensors=tensors)
    done = tw.dask.convert(tmp_path / "gptq", tmp_path / "many", to, tensors=tensors)
    assert done.written == tuple(SHARDS) and done.kept == ()
    assert contents(tmp_path / "many") == contents(tmp_path / "one")
    # All back, where all of it can be.
    if to is not None and to != "gptq-v2":
        tw.dask.convert(tmp_path / "many", tmp_path / "back", "gptq")
        for shard in SHARDS:
            before, after = (load_file(tmp_path / folder / shard) for folder in ("gptq", "back"))
            for name in before.keys() & after.keys():
                assert np.array_equal(before[name], after[name]), name


def test_only_what_is_missing_is_done(tmp_path):
    pytest.importorskip("fsspec")
    source, out = tmp_path / "gptq", tmp_path / "awq"
    write_model(source)
    run = lambda **more: tw.dask.convert(source, out, "awq", **more)
    run()
    whole = contents(out)
    times = {name: (out / name).stat().st_mtime_ns for name in whole}
    assert run() == tw.dask.Converted(written=(), kept=tuple(SHARDS))
    assert {name: (out / name).stat().st_mtime_ns for name in whole} == times
    # As a run leaves it that was cut short.
    (out / SHARDS[1]).unlink()
    (out / "model.safetensors.index.json").unlink()
    assert run() == tw.dask.Converted(written=(SHARDS[1],), kept=(SHARDS[0], SHARDS[2]))
    assert contents(out) == whole
    assert (out / SHARDS[0]).stat().st_mtime_ns == times[SHARDS[0]]
    # What is another is not taken for done, and not replaced unasked.
    (out / SHARDS[2]).write_bytes(whole[SHARDS[2]][:-1])
    with pytest.raises(FileExistsError, match="force=True"):
        run()
    assert run(force=True).written == (SHARDS[2],)
    assert contents(out) == whole
    with pytest.raises(FileExistsError):
        tw.dask.convert(source, out, "gptq-v2")
    # A source that has changed since is done again.
    later = (out / SHARDS[0]).stat().st_mtime + 10
    os.utime(source / SHARDS[0], (later, later))
    assert run(force=True).written == (SHARDS[0],)


def test_a_folder_of_one_file(tmp_path):
    pytest.importorskip("fsspec")
    (tmp_path / "m").mkdir()
    tw.save(tmp_path / "m" / "model.safetensors", {"w": np.arange(15, dtype=np.float32).reshape(3, 5)})
    tw.convert(tmp_path / "m", tmp_path / "one", "{1,0:T(2,2)}")
    tw.dask.convert(tmp_path / "m", tmp_path / "many", "{1,0:T(2,2)}")
    assert contents(tmp_path / "one") == contents(tmp_path / "many")


def test_wrong_folders_are_told_before_anything_is_written(tmp_path):
    pytest.importorskip("fsspec")
    write_model(tmp_path / "gptq")

    def refused(error, match, to="awq"):
        with pytest.raises(error, match=match):
            tw.dask.convert(tmp_path / "bad", tmp_path / "out", to)
        assert not (tmp_path / "out").exists()
        shutil.rmtree(tmp_path / "bad")

    def bad():
        shutil.copytree(tmp_path / "gptq", tmp_path / "bad")
        return tmp_path / "bad"

    refused(ValueError, "is no layout", to=bad() and "awk")
    bad().joinpath("model.safetensors.index.json").write_text("[]")
    refused(ValueError, "no index of shards")
    bad().joinpath("model.safetensors.index.json").write_text('{"weight_map": {"a": "../x"}}')
    refused(ValueError, "not the bare name of a file")
    (bad() / SHARDS[0]).write_bytes(b"\xff" * 100)
    refused(ValueError, "a header of 18446744073709551615 bytes in a file of 100")
    (bad() / SHARDS[0]).unlink()
    refused(FileNotFoundError, SHARDS[0])
    (bad() / "config.json").write_text("{}")
    (tmp_path / "bad" / "quantize_config.json").unlink()
    refused(ValueError, "says of no quantization_config")
    tensors = load_file(bad() / SHARDS[0])
    tensors[f"{LAYERS[0]}.qzeros"] |= 0xF
    save_file(tensors, tmp_path / "bad" / SHARDS[0])
    refused(ValueError, "16 or 0")


@pytest.fixture
def s3():
    """A server that speaks S3's protocol, on this machine."""
    server_of = pytest.importorskip("moto.server")
    pytest.importorskip("s3fs")
    server = server_of.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield {"key": "a", "secret": "b", "client_kwargs": {"endpoint_url": f"http://{host}:{port}", "region_name": "eu-west-1"}}
    server.stop()


def test_from_and_to_an_object_store(tmp_path, s3):
    import fsspec

    write_model(tmp_path / "gptq")
    tw.convert(tmp_path / "gptq", tmp_path / "one", "awq")
    fs = fsspec.filesystem("s3", **s3)
    fs.mkdir("models")
    fs.put(str(tmp_path / "gptq"), "models/gptq", recursive=True)
    run = lambda: tw.dask.convert("s3://models/gptq", "s3://models/awq", "awq", storage_options=s3)
    assert run().written == tuple(SHARDS)
    stored = lambda: {name.rsplit("/", 1)[1]: fs.cat_file(name) for name in fs.ls("models/awq", detail=False)}
    assert stored() == contents(tmp_path / "one")
    fs.rm_file(f"models/awq/{SHARDS[2]}")
    fs.invalidate_cache()
    assert run().written == (SHARDS[2],)
    assert stored() == contents(tmp_path / "one")
    # From there to here.
    tw.dask.convert("s3://models/awq", tmp_path / "back", "gptq", storage_options=s3, out_options={})
    all_of = lambda folder: {k: v for shard in SHARDS for k, v in load_file(tmp_path / folder / shard).items()}
    before, after = all_of("gptq"), all_of("back")
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def dying_system():
    """A local file system on which the first worker that puts a shard dies in the middle of it."""
    from fsspec.implementations.local import LocalFileSystem

    class DyingFileSystem(LocalFileSystem):
        protocol = "dying"

        @classmethod
        def _strip_protocol(cls, path):
            return LocalFileSystem._strip_protocol(str(path).removeprefix("dying://"))

        def put_file(self, path1, path2, callback=None, **kwargs):
            mark = Path(path2).parent.parent / "dead"
            if path2.endswith(".new") and SHARDS[1] in path2 and not mark.exists():
                mark.touch()
                Path(path2).write_bytes(Path(path1).read_bytes()[:1000])
                os.kill(os.getpid(), signal.SIGKILL)
            super().put_file(path1, path2, **kwargs)

    return DyingFileSystem


def test_a_worker_that_dies_midway(tmp_path):
    distributed = pytest.importorskip("distributed")
    import fsspec

    class Registers(distributed.WorkerPlugin):
        def setup(self, worker):
            fsspec.register_implementation("dying", dying_system(), clobber=True)

    fsspec.register_implementation("dying", dying_system(), clobber=True)
    write_model(tmp_path / "gptq")
    tw.convert(tmp_path / "gptq", tmp_path / "one", "awq")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with distributed.LocalCluster(**options, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            client.register_plugin(Registers())
            before = set(client.run(os.getpid).values())
            done = tw.dask.convert(tmp_path / "gptq", f"dying://{tmp_path}/many", "awq")
    assert done.written == tuple(SHARDS) and (tmp_path / "dead").exists() and len(before) == 2
    assert contents(tmp_path / "many") == contents(tmp_path / "one")
