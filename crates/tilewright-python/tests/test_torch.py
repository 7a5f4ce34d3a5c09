"""torch's tensors, those of dtypes that numpy has not among them. Runs where there is torch.

torch is not among the pinned packages: what the package index has of it for Linux is built for CUDA,
5 GB with what it needs.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw

torch = pytest.importorskip("torch")

NUMPY_HAS = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
NUMPY_HAS += ["complex64", "complex128"]
NUMPY_HAS_NOT = ["bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]
NUMPY_HAS_NOT += ["float8_e8m0fnu"]


def tensor_and_array(name):
    """The same bits in both libraries, NaNs with payloads among them."""
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    most = 2 if name == "bool" else 256
    bits = np.random.default_rng(9).integers(0, most, (12, 20, dtype.itemsize), np.uint8)
    tensor = torch.from_numpy(bits).view(getattr(torch, name))[..., 0]
    return tensor, bits.view(dtype)[..., 0]


@pytest.mark.parametrize("name", NUMPY_HAS + NUMPY_HAS_NOT)
def test_every_dtype_of_any_strides(name):
    tensor, array = tensor_and_array(name)
    for part in (np.s_[:, :], np.s_[::2, 1:], np.s_[3:4, :], np.s_[:0, :]):
        for t, x in ((tensor[part], array[part]), (tensor[part].T, array[part].T)):
            packed = tw.pack(t, "{1,0:T(8,128)}")
            assert packed.dtype == x.dtype
            assert packed.tobytes() == tw.pack(np.ascontiguousarray(x), "{1,0:T(8,128)}").tobytes()
            shape = tw.shape_for("{1,0:T(8,128)}", x.dtype, x.shape)
            assert tw.unpack(packed, shape).tobytes() == np.ascontiguousarray(x).tobytes()
    assert tw.pack(tensor[0, 0], "row-major").tobytes() == array[0, 0].tobytes()


@pytest.mark.parametrize("name", ["float32", *NUMPY_HAS_NOT])
def test_what_is_in_place_is_not_copied(name):
    tensor = torch.zeros((4, 6), dtype=torch.uint8).to(getattr(torch, name))
    shape = tw.Shape.of(getattr(ml_dtypes, name, name), (4, 6), "{0,1}")
    packed = tw.pack(tensor, shape)
    view = tw.unpack(tensor, tw.Shape.of(packed.dtype, (4, 6)), copy=False)
    integers = {1: torch.uint8, 2: torch.int16, 4: torch.int32}[tensor.element_size()]
    tensor.view(integers)[1, 2] = 3
    assert view.view(f"u{tensor.element_size()}")[1, 2] == 3


def test_gradients_and_lazy_bits():
    x = np.arange(6, dtype=np.complex64).reshape(2, 3) * 1j
    assert tw.pack(torch.from_numpy(x).conj(), "{0,1}").tobytes() == x.conj().T.tobytes()
    lazy = torch.from_numpy(x).conj().imag  # a view that is negated when it is read
    assert lazy.is_neg() and tw.pack(lazy, "row-major").tolist() == x.conj().imag.tolist()
    weights = torch.nn.Parameter(torch.ones((2, 3), dtype=torch.bfloat16))
    assert tw.pack(weights, "{0,1}").tolist() == [[1, 1]] * 3


def test_what_is_no_array():
    for wrong in (
        torch.zeros((2, 3), device="meta"),
        torch.zeros((2, 3)).to_sparse(),
        torch.zeros((2, 3), dtype=torch.float4_e2m1fn_x2),
    ):
        with pytest.raises((TypeError, NotImplementedError)):
            tw.pack(wrong, "row-major")


@pytest.mark.parametrize("name", NUMPY_HAS_NOT)
def test_dlpack_alone_of_what_numpy_has_not(name):
    class OnlyDlpack:
        def __dlpack__(self, **options):
            return torch.zeros(3, dtype=getattr(torch, name)).__dlpack__(**options)

        def __dlpack_device__(self):
            return torch.zeros(3).__dlpack_device__()

    with pytest.raises(TypeError, match="view of it as integers"):
        tw.pack(OnlyDlpack(), "row-major")


def test_files_of_tensors(tmp_path):
    tensor, array = tensor_and_array("bfloat16")
    tw.save(tmp_path / "w.safetensors", {"w": tensor}, "{1,0:T(8,128)(2,1)}")
    assert tw.load(tmp_path / "w.safetensors", "w").tobytes() == array.tobytes()
