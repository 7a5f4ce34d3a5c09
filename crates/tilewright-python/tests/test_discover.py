"""Layouts found by calling a function that packs."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw


def awq(codes):
    """Nibbles of eight columns in a word, in the order 0,2,4,6,1,3,5,7."""
    words = np.zeros((codes.shape[0], codes.shape[1] // 8), np.int32)
    for place, column in enumerate((0, 2, 4, 6, 1, 3, 5, 7)):
        words |= codes[:, column::8].astype(np.int32) << np.int32(4 * place)
    return words


def blocked_scales(scales):
    """Tiles of 128 x 4, padded with 0x7F, four bands of 32 rows side by side."""
    rows, columns = (-(-size // tile) for size, tile in zip(scales.shape, (128, 4), strict=True))
    padded = np.full((rows * 128, columns * 4), 0x7F, np.uint8)
    padded[: scales.shape[0], : scales.shape[1]] = scales
    tiles = padded.reshape(rows, 4, 32, columns, 4).transpose(0, 3, 2, 1, 4)
    return np.ascontiguousarray(tiles).reshape(padded.shape).view(ml_dtypes.float8_e8m0fnu)


def three_bits_along_k(codes):
    """32 codes of 3 bits run on through three words, as GPTQ packs them."""
    k, n = codes.shape
    bits = np.unpackbits(codes[..., None], axis=2, count=3, bitorder="little")
    words = bits.transpose(1, 0, 2).reshape(n, 3 * k // 32, 32)
    packed = np.packbits(words, axis=2, bitorder="little").view(np.uint32)[..., 0]
    return np.ascontiguousarray(packed.T)


def test_a_format_is_found():
    found = tw.discover(awq, (12, 24), bits=4)
    assert found.layout == tw.Layout("(12,(2,4,3)):(24,(4,1,8))")
    assert (found.xor_mask, found.pad_value, found.pad_bits, found.copies) == (0, None, 0, 0)
    assert (found.carrier, found.nbytes) == (("int32", (12, 3)), 144)
    assert found.calls == 4 * (1 + 9) + 1
    assert (found.offsets() == found.layout.offsets()).all() and not found.counts_bits
    codes = np.random.default_rng(0).integers(0, 16, (12, 24), np.uint8)
    packed = tw.pack(codes.astype(ml_dtypes.uint4), found.layout)
    assert packed.tobytes() == awq(codes).tobytes()


def test_padding_and_what_carries_it():
    found = tw.discover(blocked_scales, (300, 13), bits=8)
    assert found.layout == tw.Layout("((32,4,3),(4,4)):((16,4,2048),(1,512)):(300,13)")
    assert found.carrier == ("float8_e8m0fnu", (384, 16))
    assert (found.pad_value, found.pad_bits) == (0x7F, (384 * 16 - 300 * 13) * 8)


def test_bits_that_are_not_side_by_side():
    found = tw.discover(three_bits_along_k, (64, 8), bits=3)
    assert found.counts_bits and found.offsets().shape == (64, 8, 3)
    assert found.text == "((32,6),8):((1,256),32) of (d0*bit,d1)"
    assert found.xla == "{1,2,0:T(*,32,1)E(1)}" and found.layout == tw.Layout(found.xla)
    of_bits = found.layout.of("pred", (64, 8, 3))
    assert (of_bits.offsets() == found.offsets()).all()


@pytest.mark.parametrize("bits", [1, 4, 8, 9, 16, 17, 32])
def test_codes_come_in_the_least_that_holds_them(bits):
    seen = set()

    def pack(codes):
        seen.add((codes.dtype.name, codes.shape, int(codes.max()) < 2**bits))
        return codes

    assert str(tw.discover(pack, (3, 5), bits).layout)
    assert seen == {(f"uint{8 if bits <= 8 else 16 if bits <= 16 else 32}", (3, 5), True)}


def test_whatever_has_bytes_may_be_returned():
    forms = [
        lambda codes: codes.tobytes(),
        lambda codes: bytearray(codes.tobytes()),
        lambda codes: memoryview(codes),
        lambda codes: codes.astype(">u2"),
        lambda codes: codes[::-1],
        lambda codes: np.asfortranarray(codes),
    ]
    texts = [tw.discover(form, (4, 6), bits=8).text for form in forms]
    assert texts[:3] == ["(4,6):(6,1)"] * 3 and texts[5] == texts[0]
    # Elements of 8 bits in two bytes each, the second of them.
    assert texts[3] == "48:1 o 1 o (4,6):(12,2)"
    assert texts[4] == "24:1 o 18 o (4,6):(-6,1)"


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    found = tw.discover(lambda codes: torch.from_numpy(codes).t().contiguous(), (4, 6), bits=8)
    assert (found.text, found.carrier) == ("(4,6):(1,4)", ("uint8", (6, 4)))


def test_what_is_no_layout_is_told():
    book = np.array([0, 1, 2, 3, 4, 6, 8, 12], np.uint8)
    for function, reason in [
        (lambda codes: book[codes], "a codebook"),
        (lambda codes: codes.sum(1), "computed"),
        (lambda codes: np.sort(codes, 0), "depends on the data|computed|in no packed bit"),
        (lambda codes: codes[codes > 0], "the size depends on the codes"),
        (lambda codes: codes & 3, "bit 2 of element 0 is in no packed bit"),
    ]:
        with pytest.raises(tw.LayoutError, match=reason):
            tw.discover(function, (4, 8), bits=3)


def test_an_order_by_a_list_is_a_table():
    order = [3, 0, 7, 1, 6, 2, 4, 5]
    found = tw.discover(lambda codes: codes[order], 8, bits=8)
    assert found.layout is None and found.xla is None and found.text.startswith("a table: ")
    assert (found.offsets() == np.argsort(order)).all()


def test_what_the_function_raises_is_passed_on():
    def failing(codes):
        raise KeyError("K must be a multiple of 16")

    with pytest.raises(KeyError, match="multiple of 16"):
        tw.discover(failing, (4, 8))
    with pytest.raises(TypeError, match="is no array"):
        tw.discover(lambda codes: None, (4, 8))


def test_questions_that_make_no_sense():
    for shape, bits in [((4, 0), 4), ((-1,), 4), ((4,), 0), ((4,), 33), ((4,), -1), ((1 << 40,), 4)]:
        with pytest.raises(ValueError):
            tw.discover(lambda codes: codes, shape, bits)
    for shape, bits in [(1.5, 4), ("ab", 4), ((4,), 4.0)]:
        with pytest.raises(TypeError):
            tw.discover(lambda codes: codes, shape, bits)
