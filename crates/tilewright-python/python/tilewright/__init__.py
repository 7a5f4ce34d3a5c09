"""Tiled array layouts: say, ask, see and move them.

>>> import numpy as np, tilewright as tw
>>> tiles = tw.Shape("bf16[32,256]{1,0:T(8,128)(2,1)}")
>>> tiles.offset((6, 5)), tiles.index(51)
(778, (1, 25))
>>> x = np.arange(15, dtype=np.float32).reshape(3, 5)
>>> p = tw.pack(x, "{1,0:T(2,2)}")
>>> p.shape
(2, 3, 2, 2)
>>> np.array_equal(tw.unpack(p, "f32[3,5]{1,0:T(2,2)}"), x)
True

`Shape` and `Layout` read the notations of XLA, TLA, CuTe, oneDNN and numpy, and answer where every
element lies; `draw` draws it, and `discover` finds the layout of a packing
function, `discover_over` as a formula, `identify` that between an array and packed bytes. `pack`, `unpack`, `relayout` and `Plan` move arrays, and a `Packed`
array knows how it is packed. `emit` writes a layout as source code, and `jit` compiles it. `algebra` has the layout algebra, `tpu` the formats that TPU compilers
choose, `hlo` and `assign` what a program's layouts cost, `open`, `load`, `save` and `verify` files,
`jax` JAX's formats, `zarr` and `dask` arrays that are larger than a machine.
"""

from __future__ import annotations

from . import algebra, dask, gguf, jax, tpu, zarr
from ._answers import Bitcast, Fit
from ._convert import Conversion, convert
from ._discover import (
    Discovery,
    DiscoveryOver,
    Identification,
    Record,
    RecordField,
    discover,
    discover_over,
    identify,
)
from ._errors import Diagnostic, LayoutError, OutOfRangeError
from ._files import Arrays, load, save
from ._hlo import Assignment, Change, Report, assign, hlo
from ._jit import CompiledLayout, CompiledRelayout, jit
from ._layout import Layout, fit
from ._layouts import Carrier, NamedLayout, layouts
from ._move import pack, relayout, unpack, view
from ._open import File, LazyArray, open
from ._packed import Packed, shape_for
from ._plan import Plan
from ._tilewright import ElementType, IndexMap, Picture, Placement, Shape, Swizzle, draw, emit
from ._tilewright import __version__ as __version__
from ._verify import Difference, Verification, verify
from .algebra import calc

__all__ = [
    "Arrays",
    "Assignment",
    "Bitcast",
    "Carrier",
    "CompiledLayout",
    "CompiledRelayout",
    "Change",
    "Conversion",
    "Diagnostic",
    "Difference",
    "Discovery",
    "DiscoveryOver",
    "ElementType",
    "File",
    "Fit",
    "Identification",
    "IndexMap",
    "Layout",
    "LayoutError",
    "LazyArray",
    "NamedLayout",
    "OutOfRangeError",
    "Packed",
    "Picture",
    "Placement",
    "Plan",
    "Record",
    "RecordField",
    "Report",
    "Shape",
    "Swizzle",
    "Verification",
    "algebra",
    "assign",
    "calc",
    "convert",
    "dask",
    "discover",
    "discover_over",
    "draw",
    "emit",
    "fit",
    "gguf",
    "hlo",
    "identify",
    "jax",
    "jit",
    "layouts",
    "load",
    "open",
    "pack",
    "relayout",
    "save",
    "shape_for",
    "tpu",
    "unpack",
    "verify",
    "view",
    "zarr",
]
