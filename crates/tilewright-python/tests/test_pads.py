"""What padding holds: the one reader of such values, held to numpy's and ml_dtypes' conversions."""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from conftest import DTYPES

FLOATS = [dtype for dtype in DTYPES if tw.ElementType(dtype).name.startswith(("f", "bf"))]
INTEGERS = [dtype for dtype in DTYPES if tw.ElementType(dtype).name.startswith(("s", "u"))]


def pad_element(value, dtype, **options):
    """The element that padding holds, in one place of padding."""
    packed = tw.pack(np.zeros(3, bool).astype(dtype), "{0:T(4)}", pad=value, **options)
    return packed.reshape(-1)[3]


@lru_cache
def finite_elements(dtype: np.dtype) -> tuple[list[Fraction], list[int]]:
    """The values of a type of up to 16 bits, 0 and above, rising, and their codes: decoded by
    ml_dtypes and numpy."""
    n_codes = 1 << tw.ElementType(dtype).bits
    codes = np.arange(n_codes, dtype=f"u{dtype.itemsize}")
    with np.errstate(all="ignore"):
        values = codes.view(dtype).astype(np.float64)
    found = sorted(
        (Fraction(float(value)), int(code))
        for code, value in zip(codes, values)
        if math.isfinite(value) and not np.signbit(value)
    )
    return [value for value, _ in found], [code for _, code in found]


def nearest(value: float, dtype: np.dtype) -> int | None:
    """The code of the element that is nearest to a value, of two the even one; None for what is
    nearer to a number beyond the largest, the next one of the same step."""
    values, codes = finite_elements(dtype)
    magnitude = Fraction(abs(value))
    above = bisect_left(values, magnitude)
    if above == len(values):
        past = (magnitude - values[-1]) * 2 - (values[-1] - values[-2])
        code = codes[-1] if past < 0 or (past == 0 and codes[-1] % 2 == 0) else None
    elif values[above] == magnitude or above == 0:
        code = codes[above]
    else:
        low, high = magnitude - values[above - 1], values[above] - magnitude
        is_low = low < high or (low == high and codes[above - 1] % 2 == 0)
        code = codes[above - 1] if is_low else codes[above]
    if code is None or not math.copysign(1, value) < 0:
        return code
    has_negative_zero = "fnuz" not in dtype.name
    return code | 1 << (tw.ElementType(dtype).bits - 1) if code or has_negative_zero else code


def random_values(rng: random.Random, dtype: np.dtype) -> list[float]:
    """Elements of the type, values between two of them, ties and what is beside a tie; and numbers
    of every size."""
    values, _ = finite_elements(dtype)
    exact = [float(rng.choice(values)) for _ in range(200)]
    between = []
    for _ in range(200):
        place = rng.randrange(len(values) - 1)
        low, high = float(values[place]), float(values[place + 1])
        tie = low / 2 + high / 2
        between += [tie, math.nextafter(tie, -math.inf), math.nextafter(tie, math.inf)]
        between.append(low + (high - low) * rng.random())
    largest, smallest = float(values[-1]), float(values[1])
    sizes = [2.0 ** rng.uniform(-160, 130) for _ in range(200)]
    past = [largest * rng.uniform(1, 1.2) for _ in range(50)]
    ends = [0.0, largest, smallest, smallest / 2, math.nextafter(smallest / 2, 0), 1e-320, 1e300]
    step = largest - float(values[-2])
    ends += [largest + step / 2, math.nextafter(largest + step / 2, 0)]
    return [sign * value for value in exact + between + sizes + past + ends for sign in (1, -1)]


NARROW = [dtype for dtype in FLOATS if dtype.itemsize <= 2 and dtype.name != "float8_e8m0fnu"]


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_floats_are_rounded_to_the_nearest(dtype, rng):
    kind, n_refused = tw.ElementType(dtype).name, 0
    for value in random_values(rng, dtype):
        code = nearest(value, dtype)
        if code is None:
            n_refused += 1
            with pytest.raises(tw.LayoutError, match=f"is no {kind}: it holds numbers from -"):
                pad_element(value, dtype)
            continue
        found = pad_element(value, dtype)
        assert int(found.view(f"u{dtype.itemsize}")) == code, (value, found)
        # Their own conversion goes by way of f32, so that it rounds twice what is none.
        if float(np.float32(value)) == value:
            with np.errstate(all="ignore"):
                theirs = np.array(value, np.float32).astype(dtype)
            assert theirs.tobytes() == found.tobytes(), value
    assert n_refused > 20


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_wide_floats_are_rounded_as_numpy_rounds_them(dtype, rng):
    bits = 8 * np.dtype(dtype).itemsize
    for _ in range(3000):
        code = rng.getrandbits(64).to_bytes(8, "little")
        value = float(np.frombuffer(code, np.float64)[0])
        if rng.random() < 0.5:  # in the range of f32, ties among them
            value = rng.uniform(-2, 2) * 2.0 ** rng.randint(-150, 127)
            value = float(np.float32(value)) + rng.choice((0, 0.5)) * float(np.spacing(np.float32(value)))
        if not math.isfinite(value):
            continue
        with np.errstate(all="ignore"):
            expected = np.array(value, np.float64).astype(dtype)
        if np.isinf(expected):
            with pytest.raises(tw.LayoutError, match=f"is no f{bits}"):
                pad_element(value, np.dtype(dtype))
        else:
            assert pad_element(value, np.dtype(dtype)).tobytes() == expected.tobytes(), value


def test_powers_of_two():
    dtype = np.dtype(ml_dtypes.float8_e8m0fnu)
    for exponent in range(-127, 128):
        value = 2.0**exponent
        found = pad_element(value, dtype)
        assert float(found) == value and found == np.array(value).astype(dtype)
        for beside in (value * 1.5, math.nextafter(value, 0), -value):
            with pytest.raises(tw.LayoutError, match="powers of two from 2.-127 to 2.127, nan and no zero"):
                pad_element(beside, dtype)
    for beyond in (2.0**-128, 2.0**128, math.inf):
        with pytest.raises(tw.LayoutError):
            pad_element(beyond, dtype)
    assert np.isnan(pad_element(math.nan, dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_what_is_no_number(dtype):
    """Infinities and NaN where the type has them, by ml_dtypes; elsewhere an error."""
    with np.errstate(all="ignore"):
        theirs = np.array([math.inf, -math.inf, math.nan], np.float32).astype(dtype)
    for value, expected in zip((math.inf, -math.inf, math.nan), theirs):
        has = bool(np.isnan(expected)) if math.isnan(value) else float(expected) == value
        if not has:
            with pytest.raises(tw.LayoutError):
                pad_element(value, dtype)
            continue
        found = pad_element(value, dtype)
        assert np.isnan(found) if math.isnan(value) else found == expected


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_are_whole_and_in_range(dtype, rng):
    info = ml_dtypes.iinfo(dtype)
    for value in [int(info.min), int(info.max), 0, *(rng.randint(info.min, info.max) for _ in range(50))]:
        for said in (value, str(value), np.array(value).astype(dtype)[()], np.array(value)):
            assert pad_element(said, dtype).tobytes() == np.array(value).astype(dtype).tobytes()
    for value in (int(info.min) - 1, int(info.max) + 1, 10**40, -(10**5000), 1 << 5000):
        with pytest.raises(tw.LayoutError, match=f"whole numbers from {info.min} to {info.max}"):
            pad_element(value, dtype)
    for value in (0.5, 1.0, math.nan, math.inf, 1j, "1.5"):
        with pytest.raises(tw.LayoutError, match="whole numbers"):
            pad_element(value, dtype)


def test_numbers_of_every_library():
    f16 = np.dtype(np.float16)
    for value in (1.5, np.float16(1.5), np.float32(1.5), np.float64(1.5), ml_dtypes.bfloat16(1.5),
                  ml_dtypes.float4_e2m1fn(1.5), "1.5", np.str_("1.5"), np.array(1.5), "0x3e00"):  # fmt: skip
        assert pad_element(value, f16) == 1.5, value
    for value in (2, True + 1, np.int8(2), np.uint64(2), ml_dtypes.int4(2), ml_dtypes.uint2(2)):
        assert pad_element(value, f16) == 2
        assert pad_element(value, np.dtype(np.uint8)) == 2
    assert pad_element(True, np.dtype(bool)) and pad_element(np.True_, np.dtype(bool))
    assert pad_element("lowest", f16) == -math.inf and pad_element("highest", f16) == math.inf
    assert pad_element("highest", np.dtype(ml_dtypes.float4_e2m1fn)) == 6
    for value in (1 + 2j, np.complex64(1 + 2j), "1+2j", "(1+2j)"):
        assert pad_element(value, np.dtype(np.complex64)) == 1 + 2j
    nan = np.array([0xFF812345], np.uint32).view(np.float32)[0]  # its sign and payload
    assert pad_element(nan, np.dtype(np.float32)).tobytes() == nan.tobytes()
    assert math.isnan(pad_element(nan, f16))
    assert pad_element(ml_dtypes.int4(-1), np.dtype(ml_dtypes.int4)) == -1


WRONG = [
    ("uint8", 300, "`300` is no u8: it holds whole numbers from 0 to 255"),
    ("uint8", [1, 2], r"is no u8: it holds whole numbers from 0 to 255"),
    ("uint8", None, "`None` is no u8: it holds whole numbers from 0 to 255"),
    ("uint8", -1, "`-1` is no u8"),
    ("uint8", b"7", "is no u8"),
    ("uint8", np.array([7, 7]), "is no u8"),
    ("uint8", np.datetime64("2020-01-01"), "is no u8"),
    ("float16", 1e300, r"`1e\+300` is no f16: it holds numbers from -65504 to 65504, infinities, nan"),
    ("float8_e8m0fnu", 0, "`0` is no f8e8m0fnu: it holds powers of two .* and no zero"),
    ("float8_e8m0fnu", 0.0, "no zero"),
    ("float32", "white", "`white` is no f32"),
    ("bool", 2, "is no pred"),
]


@pytest.mark.parametrize("dtype,pad,message", WRONG)
def test_what_the_type_does_not_have_is_said_everywhere(tmp_path, dtype, pad, message):
    da = pytest.importorskip("dask.array")
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    x = np.ones((3, 5), bool).astype(dtype)
    rows, tiles = tw.Shape.of(dtype, (3, 5)), tw.Shape.of(dtype, (3, 5), "{1,0:T(2,2)}")
    lazy = da.from_array(x.view(np.uint8).view(dtype), chunks=(2, 2)) if dtype.kind != "V" else None
    calls = [
        lambda: tw.pack(x, tiles, pad=pad),
        lambda: tw.relayout(x, rows, tiles, pad=pad),
        lambda: tw.Packed(x, rows).relayout(tiles, pad=pad),
        lambda: tw.Plan(rows, tiles).run(x, pad=pad),
        lambda: tw.save(tmp_path / "x.npy", x, tiles, pad=pad),
        lambda: tw.save(tmp_path / "x.safetensors", {"w": x}, tiles, pad=pad),
        lambda: tw.save(tmp_path / "x.zarr", x, tiles, pad=pad),
        lambda: tw.zarr.save(tmp_path / "x.zarr", x, tiles, pad=pad),
    ]
    if lazy is not None:
        calls.append(lambda: tw.dask.pack(lazy, tiles, pad=pad))
        calls.append(lambda: tw.dask.to_zarr(lazy, tmp_path / "x.zarr", tiles, pad=pad))
    for call in calls:
        with pytest.raises(tw.LayoutError, match=message):
            call()
    assert list(tmp_path.iterdir()) == []


def test_padding_packed_below_a_byte_is_of_the_elements_type():
    """A plan's source that is packed is an array of bytes, and its padding none."""
    source, target = "f4e2m1fn[3,3]{1,0:E(4)}", "f4e2m1fn[3,3]{1,0:T(2,2)}"
    ones = np.ones((3, 3), ml_dtypes.float4_e2m1fn)
    packed = tw.pack(ones, source)
    expected = np.full(16, 3, np.uint8)  # 1.5 is 0 01 1
    expected[tw.Shape(target).offsets()] = 2  # 1.0 is 0 01 0
    found = [tw.Plan(source, target).run(packed, pad=pad) for pad in (1.5, "1.5", "0x3")]
    found += [tw.relayout(packed, source, target, pad=1.5), tw.pack(ones, target, pad=1.5)]
    for array in found:
        assert array.tobytes() == expected.tobytes()
    bits = tw.Plan("pred[3,3]{1,0:E(1)}", "pred[3,3]{1,0:T(2,2)E(1)}")
    assert bits.run(np.zeros(2, np.uint8), pad=True).tolist() == [0b10100000, 0b11101100]


def test_the_default_is_bits_of_zero_or_what_the_layout_says(tmp_path):
    e8m0 = np.ones(3, ml_dtypes.float8_e8m0fnu)
    assert tw.pack(e8m0, "{0:T(4)}").view(np.uint8).tolist() == [[127, 127, 127, 0]]
    plan = tw.Plan("f8e8m0fnu[3]", "f8e8m0fnu[3]{0:T(4)}")
    assert plan.run(e8m0).view(np.uint8).tolist() == [[127, 127, 127, 0]]
    tw.save(tmp_path / "w.safetensors", {"w": e8m0}, "{0:T(4)}")
    assert tw.open(tmp_path / "w.safetensors")["w"].pad == "lowest"
    # An explicit 0 is what it is.
    for call in (lambda: tw.pack(e8m0, "{0:T(4)}", pad=0), lambda: plan.run(e8m0, pad=0)):
        with pytest.raises(tw.LayoutError, match="no zero"):
            call()
    # A layout that says what its padding holds.
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for text, value in (("1", 1), ("lowest", -math.inf), ("unknown", 0), ("0", 0)):
        shape = tw.Shape(f"f32[2,3]{{1,0:PAD(3,4;{text})}}")
        packed = [tw.pack(x, shape), tw.Plan("f32[2,3]", shape).run(x), tw.relayout(x, "f32[2,3]", shape)]
        for array in packed:
            assert array[2].tolist() == [value] * 4 and array[:2, 3].tolist() == [value] * 2
        assert tw.pack(x, shape, pad=7)[2, 0] == tw.Plan("f32[2,3]", shape).run(x, pad=7)[2, 0] == 7
        assert tw.Plan("f32[2,3]", shape).run(x, pad=0)[2, 0] == 0


def test_what_is_recorded_of_padding(tmp_path):
    x = np.ones((3, 5), np.float32)
    for pad, text in ((1.5, "1.5"), ("lowest", "lowest"), (np.float32(-2), "-2.0"), ("0x7f800000", "0x7f800000")):
        path = tmp_path / f"{text}.npy"
        tw.save(path, x, "{1,0:T(2,2)}", pad=pad)
        opened = tw.open(path)
        assert opened[opened.names[0]].pad == text
        again = tw.load(path, packed=True)
        assert again.pad == text and again == tw.pack(x, "{1,0:T(2,2)}", pad=pad, labelled=True)
        tw.save(tmp_path / "again.npy", again, force=True)  # what it was stays said
        assert tw.load(tmp_path / "again.npy", packed=True).pad == text
    unknown = tw.Packed(tw.pack(x, "{1,0:T(2,2)}", pad=3), "f32[3,5]{1,0:T(2,2)}")
    tw.save(tmp_path / "unknown.npy", unknown)
    assert tw.load(tmp_path / "unknown.npy", packed=True).pad == "unknown"


def test_zarrs_edge_is_padding_too(tmp_path):
    zarr = pytest.importorskip("zarr")
    x = np.ones((3, 5), np.float32)
    tw.zarr.save(tmp_path / "w.zarr", x, "{1,0:T(2,2)}", chunks=(2, 4), pad="highest")
    chunk = np.fromfile(tmp_path / "w.zarr" / "c" / "1" / "1", np.float32, 8)
    assert sorted(chunk.tolist()) == [1] + [math.inf] * 7
    assert (zarr.open_array(tmp_path / "w.zarr")[:] == x).all()
