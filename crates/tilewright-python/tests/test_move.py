"""Moving arrays, against numpy's own pad, reshape and transpose."""

from __future__ import annotations

import array
import signal

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from conftest import (
    DTYPES, layout_text, numpy_pack, random_array, random_layout, run_python, seen_midway
)  # fmt: skip


def same(a: np.ndarray, b: np.ndarray) -> None:
    """Bit for bit, dtype and dims included."""
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    assert np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_packs_as_numpy_does_it(rng, dtype):
    generator = np.random.default_rng(rng.randrange(1 << 30))
    for _ in range(25):
        dims = tuple(rng.choice((1, 2, 3, 5, 8, 17, 40)) for _ in range(rng.randint(1, 4)))
        order, tiles = random_layout(rng, len(dims))
        x = random_array(generator, dims, dtype)
        shape = tw.Shape.of(dtype, dims, layout_text(order, tiles))
        packed = tw.pack(x, shape)
        same(packed, numpy_pack(x, order, tiles))
        same(tw.unpack(packed, shape), x)
        other = tw.Shape.of(dtype, dims, layout_text(*random_layout(rng, len(dims))))
        same(tw.relayout(packed, shape, other), tw.pack(x, other))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_whatever_strides_come_in(rng, dtype):
    generator = np.random.default_rng(3)
    base = random_array(generator, (6, 10, 14), dtype)
    shape_text = "{2,0,1:T(4,8)}"
    for x in (
        base.T,
        base.transpose(1, 2, 0),
        np.asfortranarray(base),
        base[::2, 1:, ::-1],
        base[:, :1, 3:4],
        np.broadcast_to(base[:, :, :1], base.shape),
        base[:0],
    ):
        dense = np.ascontiguousarray(x)
        same(tw.pack(x, shape_text), tw.pack(dense, shape_text))
        out = np.empty_like(base.transpose(2, 1, 0))[tuple(slice(0, n) for n in x.shape)]
        if out.shape == x.shape:
            shape = tw.shape_for(shape_text, dtype, x.shape)
            same(tw.unpack(tw.pack(x, shape), shape, out=out), dense)


def test_misaligned_and_big_endian():
    raw = np.arange(61, dtype=np.uint8)
    odd = raw[1:].view(np.float32).reshape(3, 5)
    assert not odd.flags.aligned
    same(tw.pack(odd, "{0,1}"), np.ascontiguousarray(odd.T))
    big = np.arange(15, dtype=">i4").reshape(3, 5)
    same(tw.pack(big, "{0,1}"), big.T.astype("<i4", order="C"))


def test_scalars_and_nothing():
    for dims in ((), (0,), (0, 3), (3, 0, 5), (1, 1)):
        x = np.ones(dims, np.float32)
        shape = tw.shape_for("tpu:v5e", x.dtype, dims)
        p = tw.pack(x, shape)
        assert p.nbytes == shape.bytes
        same(tw.unpack(p, shape), x)


def test_four_bits_are_packed_the_first_in_the_low_ones():
    x = np.array([[1, -2, 7], [-8, 5, 0]], ml_dtypes.int4)
    nibbles = (x.astype(np.int8).reshape(-1) & 15).astype(np.uint8)
    packed = tw.pack(x, "{1,0:E(4)}")
    assert packed.tolist() == (nibbles[::2] | nibbles[1::2] << 4).tolist()
    same(tw.unpack(packed, "s4[2,3]{1,0:E(4)}"), x)
    stray = np.array([0xF1, 0xFE, 0x07], np.uint8).view(ml_dtypes.int4)  # 1, -2, 7 with high bits
    assert tw.pack(stray, "{0:E(4)}").tolist() == packed[:1].tolist() + [7]


@pytest.mark.parametrize("name", ["int4", "uint4", "int2", "uint2", "float4_e2m1fn", "bool"])
def test_bits_survive_packing_below_a_byte(rng, name):
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    bits = tw.ElementType(dtype).bits
    x = random_array(np.random.default_rng(4), (33, 130), dtype)
    shape = tw.shape_for(f"{{1,0:T(8,128)({32 // bits},1)E({bits})}}", dtype, x.shape)
    packed = tw.pack(x, shape)
    assert packed.nbytes == shape.bytes == shape.allocation * bits // 8
    values = np.zeros(shape.allocation, np.uint8)
    values[shape.offsets()] = x.view(np.uint8)
    weights = np.unpackbits(values[:, None], axis=1, bitorder="little")[:, :bits]
    same(packed, np.packbits(weights.reshape(-1), bitorder="little"))
    same(tw.unpack(packed, shape), x)


def test_what_padding_holds():
    x = np.zeros((3, 5), np.float32)
    for pad in (1.5, -0.0, np.nan, np.float32(2)):
        packed = tw.pack(x, "{1,0:T(2,2)}", pad=pad)
        expected = numpy_pack(x, (1, 0), [(2, 2)])
        padding = numpy_pack(np.ones((3, 5), np.float32), (1, 0), [(2, 2)]) == 0
        expected[padding] = pad
        same(packed, expected)
    bf16 = tw.pack(np.zeros(3, ml_dtypes.bfloat16), "{0:T(4)}", pad=1)
    assert bf16.reshape(-1)[3] == ml_dtypes.bfloat16(1)
    assert tw.pack(np.zeros(3, bool), "{0:T(4)}", pad=True).reshape(-1)[3]


def test_other_libraries_arrays():
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    expected = tw.pack(x, "{0,1}")

    class OnlyDlpack:
        def __dlpack__(self, **options):
            return x.__dlpack__(**options)

        def __dlpack_device__(self):
            return x.__dlpack_device__()

    class OnlyInterface:
        __array_interface__ = x.__array_interface__

    for other in (OnlyDlpack(), OnlyInterface(), memoryview(x), x.tolist() and x):
        same(tw.pack(other, "{0,1}"), expected)
    same(tw.pack(array.array("i", range(4)), "{0:T(2)}"), np.arange(4, dtype=np.int32).reshape(2, 2))
    same(tw.pack(b"abc", "{0:T(2)}", pad=7), np.array([[97, 98], [99, 7]], np.uint8))
    for wrong in (None, object(), 1.5, np.ma.masked_array(np.arange(3), [0, 1, 0])):
        with pytest.raises(TypeError):
            tw.pack(wrong, "{0}")


def test_kinds_of_numpy_arrays(tmp_path):
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    np.save(tmp_path / "x.npy", x)
    for other in (x.view(np.recarray), np.load(tmp_path / "x.npy", mmap_mode="r")):
        packed = tw.pack(other, "{0,1}")
        assert type(packed) is np.ndarray
        same(packed, np.ascontiguousarray(x.T))


def test_jax_arrays():
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.arange(15, dtype=jnp.bfloat16).reshape(3, 5)
    same(tw.pack(x, "{0,1}"), np.ascontiguousarray(np.asarray(x).T))


def test_shape_and_stride_layouts():
    x = np.arange(28 * 40, dtype=np.float16).reshape(28, 40)
    fractal = tw.Layout("((16,2),(16,3)):((16,256),(1,512)):(28,40)")
    tiles = tw.Shape("f16[28,40]{0,1:T(16,16)(16,1)}")
    assert tw.pack(x, fractal).tobytes() == tw.pack(x, tiles).tobytes()
    swizzled = tw.Layout("Sw<3,0,3> o 0 o (8,8):(8,1)")
    y = np.arange(64, dtype=np.uint8).reshape(8, 8)
    packed = tw.pack(y, swizzled).reshape(-1)
    assert all(packed[swizzled.offset((i, j))] == y[i, j] for i in range(8) for j in range(8))


def test_views():
    x = np.arange(24 * 128, dtype=np.float32).reshape(24, 128)
    for text in ("f32[24,128]", "f32[24,128]{0,1}", "f32[24,128]{1,0:T(8,128)}"):
        packed = tw.pack(x, text)
        found = tw.view(packed, text)
        same(found, x)
        assert np.shares_memory(found, packed)
        assert np.shares_memory(tw.unpack(packed, text, copy=None), packed)
        assert not np.shares_memory(tw.unpack(packed, text), packed)
        found[3, 4] = -1
        assert tw.unpack(packed, text)[3, 4] == -1
        found[3, 4] = x[3, 4]
        packed.flags.writeable = False
        assert not tw.view(packed, text).flags.writeable
    tiled = tw.pack(x, "{1,0:T(8,64)}")
    with pytest.raises(ValueError, match="no view"):
        tw.view(tiled, "f32[24,128]{1,0:T(8,64)}")
    with pytest.raises(ValueError, match="no view"):
        tw.unpack(tiled, "f32[24,128]{1,0:T(8,64)}", copy=False)
    same(tw.unpack(tiled, "f32[24,128]{1,0:T(8,64)}", copy=None), x)
    padded = tw.pack(x[:, :100], "{1,0:T(8,128)}")
    same(tw.view(padded, "f32[24,100]{1,0:T(8,128)}"), x[:, :100])


def test_out_and_what_does_not_fit():
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    tiles = tw.Shape("f32[3,5]{1,0:T(2,2)}")
    out = np.empty((2, 3, 2, 2), np.float32)
    assert tw.pack(x, tiles, out=out) is out
    as_bytes = np.empty(96, np.uint8)
    tw.pack(x, tiles, out=as_bytes)
    assert as_bytes.tobytes() == out.tobytes()
    same(tw.unpack(as_bytes, tiles), x)
    locked = out.copy()
    locked.flags.writeable = False
    shared = np.zeros(48, np.float32)
    for call, error in [
        (lambda: tw.pack(x, tiles, out=np.empty(24, np.int32)), TypeError),
        (lambda: tw.pack(x, tiles, out=np.empty(23, np.float32)), ValueError),
        (lambda: tw.pack(x, tiles, out=np.empty((2, 2, 3, 2), np.float32).T), ValueError),
        (lambda: tw.pack(x, tiles, out=locked), ValueError),
        (lambda: tw.pack(shared[:15].reshape(3, 5), tiles, out=shared[:24]), ValueError),
        (lambda: tw.unpack(shared[:24], tiles, out=shared[20:35].reshape(3, 5)), ValueError),
        (lambda: tw.unpack(out, tiles, out=np.empty((5, 3), np.float32)), ValueError),
        (lambda: tw.unpack(out, tiles, out=np.empty((3, 5), np.int32)), ValueError),
        (lambda: tw.unpack(out[:1], tiles), ValueError),
        (lambda: tw.unpack(out.view(np.int32), tiles), TypeError),
        (lambda: tw.pack(x.astype(np.float64), tiles), ValueError),
        (lambda: tw.pack(x.T, tiles), ValueError),
        (lambda: tw.pack(x, tiles, threads=0), ValueError),
        (lambda: tw.pack(np.zeros(3, "M8[s]"), "{0}"), TypeError),
        (lambda: tw.pack(np.zeros(3, object), "{0}"), TypeError),
        (lambda: tw.pack(np.zeros(3, [("a", "i4")]), "{0}"), TypeError),
        (lambda: tw.pack(x, 7), TypeError),
        (lambda: tw.relayout(out, tiles, "f32[5,3]"), ValueError),
        (lambda: tw.Plan("f32[3,5]", "bf16[3,5]"), ValueError),
        (lambda: tw.Plan("f32[3,5]", "f32[5,3]"), ValueError),
    ]:
        with pytest.raises(error):
            pytest.fail(f"gave {call()!r}")


def test_a_plan_runs_many_times_and_checks_what_it_is_given():
    plan = tw.Plan("f32[3,5]", "f32[3,5]{1,0:T(2,2)}")
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    out = np.empty((2, 3, 2, 2), np.float32)
    for _ in range(3):
        out[:] = np.nan
        assert plan.run(x, out, pad=1.0) is out
        same(out, tw.pack(x, plan.target, pad=1.0))
    shared = np.zeros(30, np.float32)
    for source, target, error in [
        (x[:, :4], None, ValueError),
        (x.T, None, ValueError),
        (x.astype(np.int32), None, TypeError),
        (x[:2], None, ValueError),
        (x, np.empty(24, np.int32), TypeError),
        (x, np.empty(25, np.float32), ValueError),
        (shared[:15], shared[5:29], ValueError),
    ]:
        with pytest.raises(error):
            plan.run(source, target)


def test_threads_make_no_difference():
    x = np.random.default_rng(5).integers(0, 255, (1200, 2000), np.uint8)
    packed = [tw.pack(x, "{0,1:T(32,128)(4,1)}", threads=n).tobytes() for n in (1, 2, 3, None)]
    assert len(set(packed)) == 1


def test_a_forked_child_can_move_too():
    code = (
        "import os, numpy as np, tilewright as tw\n"
        "x = np.ones((4096, 4096), np.float32)\n"
        "tw.pack(x, '{0,1:T(8,128)}')\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    tw.pack(x, '{0,1:T(8,128)}')\n"
        "    os._exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
    )
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr


def test_the_gil_is_released():
    """Another thread sees a move begun and not ended. It may come too late for one, and then looks at
    the next: on a machine with other things to do, the last of them is far away."""
    x = np.ones((8192, 8192), np.uint8)
    plan = tw.Plan("u8[8192,8192]", "u8[8192,8192]{0,1:T(8,128)}")
    out = np.zeros(plan.target_bytes, np.uint8)
    for _ in range(1000):
        out[:] = 0
        if seen_midway(out, lambda: plan.run(x, out, threads=1)):
            return
    pytest.fail("no other thread ran in the middle of a move")


def test_a_move_is_stopped_and_its_plan_is_as_good_as_before():
    def alarm(number, frame):
        raise KeyboardInterrupt

    x = np.ones((16384, 8192), np.uint16)
    plan = tw.Plan("u16[16384,8192]", "u16[16384,8192]{0,1:T(8,128)(2,1)}")
    out = np.zeros(plan.target_bytes, np.uint8)
    before = signal.signal(signal.SIGALRM, alarm)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.005)
            while True:
                plan.run(x, out, threads=1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    plan.run(x, out)
    same(out.view(np.uint16).reshape(tw.pack(x, plan.target).shape), tw.pack(x, plan.target))
