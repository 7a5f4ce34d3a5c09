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


def q6_k(codes):
    """GGUF's blocks of 256 six-bit codes: low nibbles, then high pairs, then scales."""
    blocks = codes.reshape(-1, 2, 4, 32)
    low, high = blocks & 15, blocks >> 4
    out = np.zeros((len(blocks), 210), np.uint8)
    out[:, :128] = (low[:, :, :2] | low[:, :, 2:] << 4).reshape(-1, 128)
    pairs = high[:, :, 0] | high[:, :, 1] << 2 | high[:, :, 2] << 4 | high[:, :, 3] << 6
    out[:, 128:192] = pairs.reshape(-1, 64)
    return out


def test_codes_in_parts_are_fields():
    found = tw.discover(q6_k, (2, 512), bits=6)
    assert found.text == (
        "records of 256 in 210 bytes: bits 0-3 (64,2,2):(8,4,512) from bit 0; "
        "bits 4-5 (32,4,2):(8,2,256) from bit 1024"
    )
    assert found.layout is None and found.counts_bits and found.offsets().shape == (2, 512, 6)
    assert found.record == tw.Record(
        256,
        210,
        (
            tw.RecordField(0, 4, 0, ((64, 8), (2, 4), (2, 512))),
            tw.RecordField(4, 2, 1024, ((32, 8), (4, 2), (2, 256))),
        ),
    )
    assert tw.discover(blocked_scales, (300, 13), bits=8).record is None


def test_a_formula():
    over = tw.discover_over(blocked_scales, [(300, 13), (200, 30), (129, 5)], bits=8)
    assert str(over) == over.formula
    assert over.formula == "((32,4,ceil(d0/128)),(4,ceil(d1/4))):((16,4,512*ceil(d1/4)),(1,512))"
    at_another = tw.discover(blocked_scales, (400, 21), bits=8)
    assert over.at((400, 21)) == at_another.layout
    assert over.allocation((400, 21)) == at_another.nbytes == 512 * 24
    assert [found.carrier for found in over.found][1] == ("float8_e8m0fnu", (256, 32))
    assert over.found[2] == tw.discover(blocked_scales, (129, 5), bits=8)


def test_a_formula_with_a_base():
    def behind_a_header(codes):
        return b"\x3c" * 16 + codes.T.tobytes()

    over = tw.discover_over(behind_a_header, [(4, 6), (5, 9), (7, 8)], bits=8)
    assert over.formula == "16 + (d0,d1):(1,d0)"
    assert over.at((3, 2)) == tw.discover(behind_a_header, (3, 2), bits=8).layout
    assert over.allocation((3, 2)) == 22


def test_where_there_is_no_formula():
    over = tw.discover_over(lambda codes: codes.T.copy(), [(4, 6), (5, 6)], bits=8)
    assert over.formula is None and over.reason == "dimension 1 has the same size in all shapes"
    assert str(over) == f"no formula: {over.reason}"
    for ask in (over.at, over.allocation):
        with pytest.raises(tw.LayoutError, match="dimension 1 has the same size"):
            ask((4, 6))
    good = tw.discover_over(lambda codes: codes.T.copy(), [(4, 6), (5, 9)], bits=8)
    for shape in [(1 << 62, 1 << 62)]:
        with pytest.raises(tw.LayoutError):
            good.allocation(shape)
    for shapes in ([], [(4, 6)], [(4, 6), (4,)]):
        with pytest.raises(tw.LayoutError, match="two shapes or more"):
            tw.discover_over(lambda codes: codes, shapes)
    with pytest.raises(KeyError):
        tw.discover_over(lambda codes: {}[1], [(4, 6), (5, 9)])


NAMED = ["u4@awq", "u4@marlin", "u4@gptq", "s4@trtllm(w4a16,sm80)", "u8@gptq", "s8@cublaslt.col32", "u8@vnni"]


@pytest.mark.parametrize("named", NAMED)
@pytest.mark.parametrize("dtype", [np.uint8, np.int32])
def test_a_name_is_identified(named, dtype):
    element, name = named.split("@")
    shape = f"{element}[128,64]@{name}"
    lowest, highest = {"u4": (0, 15), "s4": (-8, 7), "u8": (0, 255), "s8": (-128, 127)}[element]
    codes = np.random.default_rng(1).integers(lowest, highest + 1, (128, 64))
    own = {"u4": ml_dtypes.uint4, "s4": ml_dtypes.int4, "u8": np.uint8, "s8": np.int8}[element]
    packed = tw.pack(codes.astype(own), shape)
    given = codes.astype(own) if lowest < 0 or dtype is np.uint8 else codes.astype(dtype)
    found = tw.identify(given, packed)
    assert shape in [one.text for one in found]
    assert all(one.open is None for one in found)


def test_what_is_between_arrays_without_a_name():
    codes = np.random.default_rng(2).integers(0, 256, (4, 6, 8), np.uint8)
    [found] = tw.identify(codes, codes.transpose(2, 0, 1))
    assert (found.name, found.text, found.xor_mask) == (None, "(4,6,8):(6,1,24)", 0)
    [flipped] = tw.identify(codes, codes.transpose(2, 0, 1) ^ 0x80)
    assert (flipped.text, flipped.xor_mask) == ("(4,6,8):(6,1,24)", 0x80)
    assert tw.identify(codes, np.zeros_like(codes)) == []
    assert tw.identify(codes, b"too short") == []
    alike = tw.identify(np.zeros((128, 64), np.uint8), np.zeros((128, 8), np.int32), bits=4)
    assert len(alike) > 1 and "settles it" in alike[0].open


def test_what_cannot_be_identified():
    codes = np.zeros((4, 6), np.uint8)
    for wrong in (np.zeros((4, 6)), np.zeros((4, 6), np.int64), np.zeros((4, 6), bool)):
        with pytest.raises(TypeError, match="is no type of codes"):
            tw.identify(wrong, codes)
    for bits in (0, 33, -1):
        with pytest.raises(tw.LayoutError, match="1 to 32 bits"):
            tw.identify(codes, codes, bits=bits)
    with pytest.raises(tw.LayoutError):
        tw.identify(np.zeros((0, 4), np.uint8), codes)
    with pytest.raises(TypeError):
        tw.identify(codes, None)
