"""GGUF files: what the package `gguf` wrote, read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tilewright as tw

MIXED = Path(__file__).parents[2] / "tilewright/tests/data/gguf-mixed.gguf"


@pytest.fixture
def file():
    return tw.gguf.open(MIXED)


def test_what_is_in_it(file):
    assert file.version == 3 and file.alignment in (32, 64)
    assert isinstance(file.metadata["general.architecture"], str)
    assert all(file[tensor.name] == tensor for tensor in file.tensors)
    assert sum(tensor.nbytes for tensor in file.tensors) < MIXED.stat().st_size
    with pytest.raises(KeyError):
        file["none"]
    with pytest.raises((ValueError, OSError), match="none"):
        file.codes("none")


def nibbles(blocks: np.ndarray, skip: int) -> np.ndarray:
    """16 bytes of codes behind `skip` others: the low nibbles are the first 16, the high ones the others."""
    bytes_ = blocks[..., skip:]
    return np.concatenate([bytes_ & 15, bytes_ >> 4], axis=-1)


@pytest.mark.parametrize(("kind", "size", "skip"), [("Q4_0", 18, 2), ("Q4_1", 20, 4), ("IQ4_NL", 18, 2)])
def test_codes_and_scales_of_blocks(file, kind, size, skip):
    of_kind = [tensor for tensor in file.tensors if tensor.type == kind]
    assert of_kind
    for tensor in of_kind:
        blocks = file.blocks(tensor.name).reshape(-1, size)
        codes = file.codes(tensor.name)
        assert codes.shape == tensor.dims and codes.dtype == np.uint8
        assert np.array_equal(codes.reshape(-1, 32), nibbles(blocks, skip))
        scales = blocks[:, :2].copy().view(np.uint16).reshape(-1)
        assert np.array_equal(file.values(tensor.name, "d").reshape(-1), scales)
        fields = {field.name: field for field in file.fields(tensor.name)}
        assert fields["codes"].base == 8 * skip and fields["codes"].bits == 4


def test_codes_by_name_are_those_of_the_catalogue(file):
    """The layout `@gguf.q4_k` of the bytes of a tensor leads to the codes that the reader gives."""
    tensors = [tensor for tensor in file.tensors if tensor.type == "Q4_K"]
    assert tensors
    for tensor in tensors:
        dims = ",".join(map(str, tensor.dims))
        packed = file.blocks(tensor.name)
        codes = tw.unpack(packed, f"u4[{dims}]@gguf.q4_k")
        assert np.array_equal(codes.astype(np.uint8), file.codes(tensor.name))


def test_what_is_no_file(tmp_path):
    path = tmp_path / "x.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0" + b"\xff" * 16)
    with pytest.raises((ValueError, OSError)):
        tw.gguf.open(path)
