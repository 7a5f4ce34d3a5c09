"""Packed arrays that know how they are packed."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _tilewright
from ._arrays import UINT8, Array
from ._errors import LayoutError
from ._forms import packed_array, packed_form, whole_shape
from ._layout import Layout
from ._pads import DEFAULT, PadLike, padding
from ._relayout import logical, relaid
from ._tilewright import ElementType, Shape

LayoutLike: TypeAlias = Shape | Layout | str
"""A layout: a `Shape`, a `Layout`, the text of either, or one of the names that `shape_for` reads."""


class Packed:
    """A packed array and the shape that says how it is packed.

    To numpy, and to whatever takes arrays by ``__array__`` or DLPack, it is the logical array:
    ``numpy.asarray`` unpacks it, and so do arithmetic with arrays, ``numpy.copy``, ``jax.numpy.asarray``
    and the like, so that nobody takes it for an array of its physical dims. It is no array itself:
    slices, ``len`` and arithmetic with numbers are errors. Pickling and copying keep the label. Only
    `data` is the packed array, and what is done to that is done without the label.

    Parameters
    ----------
    data : array-like
        As `pack` returns it; the same bytes in other dims or as uint8 are taken too. It is not
        copied where it is C-contiguous.
    shape : Shape or str
        What it was packed to.
    pad : str, optional
        What its padding holds, if that is known.

    Raises
    ------
    ValueError
        If `data` has not the bytes that the shape takes, or is a `Packed` in another layout.
    TypeError
        If `data` is no array, or of another dtype.

    Examples
    --------
    >>> import numpy as np, tilewright as tw
    >>> p = tw.pack(np.array([[1, 2], [3, 4]], np.float32), "{0,1}", labelled=True)
    >>> p
    <Packed f32[2,2]{0,1}, 16 bytes>
    >>> np.asarray(p)
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    >>> p == tw.Packed(p.data, p.shape)
    True
    """

    __slots__ = ("_data", "_pad", "_shape")

    _data: Array
    _shape: Shape
    _pad: str | None

    def __init__(self, data: Any, shape: Shape | str, pad: str | None = None) -> None:
        array, self._shape = unlabelled(data, whole_shape(shape))
        form = packed_form(self._shape)
        array = packed_array(array, self._shape)
        if (array.dtype, array.shape) != (form.dtype, form.dims):
            array = array.reshape(-1).view(UINT8).view(form.dtype).reshape(form.dims)
        self._data = array
        self._pad = data.pad if pad is None and isinstance(data, Packed) else pad

    @property
    def data(self) -> Array:
        """The packed array: of the physical dims, as `pack` returns it.

        >>> import numpy as np, tilewright as tw
        >>> tw.pack(np.ones((3, 5), np.int8), "{1,0:T(2,2)}", labelled=True).data.shape
        (2, 3, 2, 2)
        """
        return self._data

    @property
    def shape(self) -> Shape:
        """The element type, the logical dims and the layout.

        >>> import numpy as np, tilewright as tw
        >>> tw.pack(np.ones((3, 5), np.int8), "{1,0:T(2,2)}", labelled=True).shape
        Shape('s8[3,5]{1,0:T(2,2)}')
        """
        return self._shape

    @property
    def layout(self) -> Any:
        """The layout by itself.

        >>> import numpy as np, tilewright as tw
        >>> tw.pack(np.ones((3, 5), np.int8), "{1,0:T(2,2)}", labelled=True).layout
        Layout('{1,0:T(2,2)}')
        """
        return self._shape.layout

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements: of the logical array.

        >>> import numpy as np, tilewright as tw
        >>> tw.pack(np.ones((3, 5), np.int8), "{1,0:T(2,2)}", labelled=True).dtype
        dtype('int8')
        """
        return self._shape.dtype

    @property
    def nbytes(self) -> int:
        """The bytes that it takes, padding included.

        >>> import numpy as np, tilewright as tw
        >>> tw.pack(np.ones((3, 5), np.int8), "{1,0:T(2,2)}", labelled=True).nbytes
        24
        """
        return self._data.nbytes

    @property
    def pad(self) -> str | None:
        """What its padding holds, as text; None where that is not known.

        >>> import numpy as np, tilewright as tw
        >>> tw.pack(np.ones((3, 5), np.int8), "{1,0:T(2,2)}", pad=-1, labelled=True).pad
        '-1'
        """
        return self._pad

    def unpack(
        self, *, out: Array | None = None, threads: int | None = None, copy: bool | None = True
    ) -> Array:
        """The logical array.

        Parameters
        ----------
        out, threads, copy
            As for `tilewright.unpack`.

        Raises
        ------
        ValueError
            As `tilewright.unpack`.

        Examples
        --------
        >>> import numpy as np, tilewright as tw
        >>> tw.Packed(np.arange(4, dtype=np.uint8), tw.Shape("u8[2,2]{0,1}")).unpack()
        array([[0, 2],
               [1, 3]], dtype=uint8)
        """
        return logical(self._data, self._shape, out, threads, copy)

    def relayout(
        self,
        target: LayoutLike,
        *,
        pad: PadLike = DEFAULT,
        threads: int | None = None,
        copies: bool = False,
    ) -> Packed:
        """The same array in another layout.

        Parameters
        ----------
        target : Shape, Layout or str
            As `tilewright.shape_for` takes it.
        pad, threads, copies
            As for `tilewright.pack`.

        Raises
        ------
        ValueError
            As `tilewright.relayout`.

        Examples
        --------
        >>> import numpy as np, tilewright as tw
        >>> p = tw.pack(np.arange(4, dtype=np.uint8).reshape(2, 2), "{0,1}", labelled=True)
        >>> p.relayout("row-major").data
        array([[0, 1],
               [2, 3]], dtype=uint8)
        """
        shape = shape_in(target, self._shape)
        bits, text = padding(pad, shape)
        data = relaid(self._data, self._shape, shape, bits, None, threads, copies)
        return Packed(data, shape, text)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        array = self.unpack(copy=copy)
        if dtype is None or array.dtype == dtype:
            return array
        if copy is False:
            raise ValueError(f"an array of {dtype} is a copy of one of {array.dtype}")
        return array.astype(dtype)

    def __dlpack__(self, **options: Any) -> Any:
        return self.unpack(copy=None).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # memory of the CPU

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Packed):
            return NotImplemented
        return self._shape == other._shape and self._data.tobytes() == other._data.tobytes()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Packed {self._shape}, {self.nbytes} bytes>"

    def __reduce__(self) -> tuple[type[Packed], tuple[Array, Shape, str | None]]:
        return Packed, (self._data, self._shape, self._pad)


def unlabelled(packed: Any, layout: LayoutLike | None) -> tuple[Any, Shape]:
    """A packed array without its label, and how it is packed: as it says, or as `layout` does.

    A label and a layout that say different things are an error: one of them would be wrong.
    """
    if not isinstance(packed, Packed):
        if layout is None:
            raise TypeError("only a Packed says how it is packed: of another array, give the shape")
        return packed, whole_shape(layout)
    if layout is None:
        return packed.data, packed.shape
    shape = layout if isinstance(layout, Shape) else shape_in(layout, packed.shape)
    if not is_same(packed.shape, shape):
        raise LayoutError(f"the array is packed as {packed.shape}, and not as {shape}")
    return packed.data, shape


def is_same(a: Shape, b: Shape) -> bool:
    """Whether the bytes of an array mean the same in both."""
    if a == b:
        return True
    alike = a.element_type == b.element_type and a.dims == b.dims
    return alike and a.element_bits == b.element_bits and a.same_as(b)


def shape_in(layout: Any, array: Shape) -> Shape:
    """The shape that the array has in a layout."""
    if array.element_type is None:
        raise ValueError(f"{array} is no array")
    return shape_for(layout, array.element_type, array.dims)


def shape_for(layout: LayoutLike, dtype: Any, dims: tuple[int, ...]) -> Shape:
    """The shape that an array of this dtype and these dims has in a layout.

    Parameters
    ----------
    layout : Shape, Layout or str
        A whole shape of that array, in any notation; or a layout: XLA's ``"{1,0:T(8,128)}"``, shape
        and stride ``"(4,8):(8,1)"``, a oneDNN tag ``"aBcd16b"``, ``"strides=(20,4)"`` in bytes,
        ``"row-major"``, ``"column-major"``, ``"tpu:"`` and a generation for the format that its
        compiler chooses, ``"ascend:"`` and a tag, or the name of a format, such as ``"tpu-16bit"``.
    dtype : dtype, ElementType or str
    dims : tuple of int

    Raises
    ------
    ValueError
        If a shape is of other dims or another element type, or the layout does not fit.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.shape_for("{1,0:T(8,128)}", "float32", (30, 300))
    Shape('f32[30,300]{1,0:T(8,128)}')
    >>> tw.shape_for("tpu:v5e", "bfloat16", (17, 1000))
    Shape('bf16[17,1000]{1,0:T(8,128)(2,1)}')
    >>> tw.shape_for("nChw16c", "float32", (2, 35, 7, 7))
    Shape('f32[2,35,7,7] aBcd16b')
    """
    return _tilewright.shape_in(layout, ElementType(dtype), tuple(dims))


Packed.__module__ = "tilewright"
