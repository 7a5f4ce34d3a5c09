"""Layouts with names: what they pack to, and back."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw

EXAMPLES = [row.example for row in tw.layouts()]


def test_what_there_is():
    names = [row.name for row in tw.layouts()]
    assert len(names) == len(set(names)) and len(names) > 40
    assert [row.name for row in tw.layouts("cublaslt.col3*")] == ["cublaslt.col32", "cublaslt.col32_2r_4r4"]
    with pytest.raises(ValueError, match="no layout has a name like `merlin`"):
        tw.layouts("merlin")


def random_codes(shape: tw.Shape) -> np.ndarray:
    rng = np.random.default_rng(7)
    if shape.dtype == np.bool_:
        return rng.integers(0, 2, shape.dims).astype(bool)
    if shape.element_type.name[0] in "su":
        info = ml_dtypes.iinfo(shape.dtype)
        return rng.integers(int(info.min), int(info.max) + 1, shape.dims).astype(shape.dtype)
    return rng.integers(0, 100, shape.dims).astype(np.uint8).astype(np.float32).astype(shape.dtype)


@pytest.mark.parametrize("text", EXAMPLES)
def test_arrays_go_in_and_come_out(text):
    shape = tw.Shape(text)
    x = random_codes(shape)
    packed = tw.pack(x, shape)
    assert packed.nbytes == shape.bytes
    back = tw.unpack(packed, shape)
    assert back.dtype == x.dtype and back.tobytes() == x.tobytes()
    labelled = tw.pack(x, text, labelled=True)
    assert str(labelled.shape) == text and np.asarray(labelled).tobytes() == x.tobytes()


def words(codes: np.ndarray, order: list[int]) -> np.ndarray:
    """Eight codes of each row in a word, in this order from the low nibble up."""
    groups = codes.reshape(*codes.shape[:-1], -1, 8).astype(np.uint32)
    return sum(groups[..., code] << np.uint32(4 * place) for place, code in enumerate(order)).astype(np.uint32)


def test_a_carrier_is_what_the_library_packs():
    codes = random_codes(tw.Shape("u4[64,128]"))
    awq = tw.pack(codes, "u4[64,128]@awq")
    assert awq.dtype == np.int32 and awq.shape == (64, 16)
    assert np.array_equal(awq.view(np.uint32), words(codes, [0, 2, 4, 6, 1, 3, 5, 7]))
    gptq = tw.pack(codes, "u4[64,128]@gptq")
    assert gptq.dtype == np.int32 and gptq.shape == (8, 128)
    assert np.array_equal(gptq.view(np.uint32), words(codes.T, list(range(8))).T)


def test_signed_codes_are_flipped_and_padding_is_not():
    codes = np.arange(-8, 4).astype(ml_dtypes.int4).reshape(1, 12)
    packed = tw.pack(codes, "s4[1,12]@compressed-tensors")
    assert packed.dtype == np.int32 and packed.shape == (1, 2)
    expected = words(np.arange(16).reshape(1, 16) * (np.arange(16) < 12), list(range(8)))
    assert np.array_equal(packed.view(np.uint32), expected)
    back = tw.unpack(packed, "s4[1,12]@compressed-tensors")
    assert np.array_equal(back.astype(np.int8), codes.astype(np.int8))
    bytes_ = np.arange(-64, 64, dtype=np.int8).reshape(64, 2)
    moved = tw.relayout(tw.pack(bytes_, "s8[64,2]"), "s8[64,2]", "s8[64,2]@trtllm(w8a16,sm80)")
    again = tw.relayout(moved, "s8[64,2]@trtllm(w8a16,sm80)", "s8[64,2]@trtllm(w8a16,sm90)")
    assert np.array_equal(tw.unpack(again, "s8[64,2]@trtllm(w8a16,sm90)"), bytes_)
    plain = tw.pack(bytes_.view(np.uint8) ^ 0x80, "u8[64,2]@trtllm(w8a16,sm80)")
    assert moved.tobytes() == plain.tobytes()


def test_padding_is_the_librarys():
    scales = np.full((30, 5), 0x40, np.uint8).view(ml_dtypes.float8_e8m0fnu)
    packed = tw.pack(scales, "f8e8m0fnu[30,5]@aiter.scales").view(np.uint8)
    assert packed.shape == (256, 8)
    assert (np.bincount(packed.reshape(-1), minlength=256)[[0x40, 0x7F]] == [150, 2048 - 150]).all()
    zeros = tw.pack(scales, "f8e8m0fnu[30,5]@aiter.scales", pad="0x00").view(np.uint8)
    assert (zeros == 0).sum() == 2048 - 150


def test_what_is_flipped_is_said_by_its_name(tmp_path):
    codes = random_codes(tw.Shape("s8[64,2]"))
    path = tmp_path / "w.safetensors"
    packed = tw.pack(codes, "s8[64,2]@trtllm(w8a16,sm80)", labelled=True)
    tw.save(path, {"w": packed})
    with tw.open(path) as file:
        assert str(file["w"].packed().shape) == "s8[64,2]@trtllm(w8a16,sm80)"
    assert np.array_equal(tw.load(path)["w"], codes)
    assert packed.data.tobytes() != codes.tobytes()


@pytest.mark.parametrize("name", ["marlin", "awq", "trtllm(w4a16,sm80)"])
def test_files_hold_what_the_library_expects(tmp_path, name):
    path = tmp_path / "w.safetensors"
    for element_type in ("u4", "s4"):
        codes = random_codes(tw.Shape(f"{element_type}[128,64]"))
        tw.save(path, {"w": codes}, f"@{name}", force=True)
        shape = tw.Shape(f"{element_type}[128,64]@{name}")
        with tw.open(path) as file:
            assert np.array_equal(file["w"][3:70, 5], codes[3:70, 5])
            packed = file["w"].packed()
            assert packed.shape == shape
            assert packed.data.dtype == tw.pack(codes, shape).dtype
        assert np.array_equal(tw.load(path)["w"], codes)


def test_a_plan_flips_codes():
    signed = random_codes(tw.Shape("s4[128,64]"))
    shape = tw.Shape("s4[128,64]@trtllm(w4a16,sm80)")
    plan = tw.Plan("s4[128,64]", shape)
    assert not tw.Plan(shape, "s4[128,64]").is_copy
    assert np.array_equal(plan.run(signed), tw.pack(signed, shape))
    plus_8 = (signed.astype(np.int32) + 8).astype(ml_dtypes.uint4)
    unsigned = tw.pack(plus_8, "u4[128,64]@trtllm(w4a16,sm80)")
    assert np.array_equal(plan.run(signed), unsigned)
