"""Between JAX's layouts and ours.

JAX says of an array its dims and dtype, and in its `Format` the order of the dimensions and the
tiles. This module reads and makes such formats; it imports JAX when it is used.
"""

from __future__ import annotations

from typing import Any

from ._tilewright import ElementType, Layout, Shape

__all__ = ["from_format", "shape_of", "to_format", "to_layout"]


def from_format(format: Any, dims: Any = None, dtype: Any = None) -> Any:
    """What a JAX format says, in our terms.

    Parameters
    ----------
    format : jax.experimental.layout.Format or Layout
        As ``x.format`` has it.
    dims : sequence of int, optional
    dtype : dtype, ElementType or str, optional
        The array's, where a whole shape is wanted.

    Returns
    -------
    Layout, or Shape
        A shape where dims and dtype are given.

    Raises
    ------
    ValueError
        If the format leaves the layout to the compiler.

    Examples
    --------
    >>> import jax.numpy as jnp, tilewright as tw
    >>> x = jnp.zeros((3, 5), jnp.bfloat16)
    >>> tw.jax.from_format(x.format)
    Layout('{1,0}')
    >>> tw.jax.from_format(x.format, x.shape, x.dtype)
    Shape('bf16[3,5]{1,0}')
    """
    said = getattr(format, "layout", format)
    major_to_minor = getattr(said, "major_to_minor", None)
    if major_to_minor is None:
        raise ValueError(f"{format} leaves the layout to the compiler")
    layout = _layout(_text(major_to_minor, said))
    if dims is None or dtype is None:
        return layout
    return _with_implied_width(layout, ElementType(dtype)).of(dtype, tuple(dims))


def _with_implied_width(layout: Layout, element_type: ElementType) -> Layout:
    """JAX packs tiled integers below a byte whether or not the format says so."""
    is_integer = element_type.name.startswith(("s", "u"))
    if not layout.tiles or "E(" in layout.text or element_type.bits >= 8 or not is_integer:
        return layout
    return _layout(f"{layout.text.removesuffix('}')}E({element_type.bits})}}")


def _layout(text: str) -> Layout:
    from ._layout import Layout

    return Layout(text)


def _text(major_to_minor: Any, said: Any) -> str:
    """The layout in XLA's notation."""
    order = ",".join(str(dim) for dim in reversed(tuple(major_to_minor)))
    tiling = getattr(said, "tiling", None) or getattr(said, "_tiling", None) or ()
    tiles = "".join(f"({','.join('*' if n is None else str(n) for n in tile)})" for tile in tiling)
    bits = getattr(said, "sub_byte_element_size_in_bits", 0) or 0
    attributes = (f"T{tiles}" if tiles else "") + (f"E({bits})" if bits else "")
    return f"{{{order}:{attributes}}}" if attributes else f"{{{order}}}"


def to_layout(shape: Any) -> Any:
    """JAX's Layout for a shape or a layout of ours.

    Parameters
    ----------
    shape : Shape, Layout or str
        In XLA's notation, or what can be translated to it.

    Returns
    -------
    jax.experimental.layout.Layout

    Raises
    ------
    ValueError
        If it has what JAX's Layout cannot say: ``*`` in a tile, or attributes besides tiles and
        ``E(n)``.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.jax.to_layout("f32[30,300]{1,0:T(8,128)}")
    Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)
    """
    from jax.experimental.layout import Layout as JaxLayout

    layout = _our_layout(shape)
    order, tiles = layout.minor_to_major, layout.tiles
    if any(size is None for tile in tiles for size in tile):
        raise ValueError(f"{layout} merges dimensions, which JAX's Layout cannot say")
    bits = _element_bits(layout)
    says = {"major_to_minor": order[::-1], "tiling": tiles or None}
    made = JaxLayout(**says, sub_byte_element_size_in_bits=bits)
    if from_format(made) != layout:
        raise ValueError(f"{layout} has attributes that JAX's Layout cannot say")
    return made


def _our_layout(shape: Any) -> Layout:
    if isinstance(shape, str):
        shape = _layout(shape) if shape.lstrip().startswith("{") else Shape(shape)
    if isinstance(shape, Shape):
        return _layout(Shape(shape.to("xla")).layout.text) if shape.layout else _dense(shape.rank)
    if isinstance(shape, Layout):
        return shape if shape.notation == "xla" else _layout(shape.to("xla"))
    raise TypeError(f"expected a Shape, a Layout or a str, found {type(shape).__name__}")


def _dense(rank: int) -> Layout:
    return _layout(f"{{{','.join(str(dim) for dim in reversed(range(rank)))}}}")


def _element_bits(layout: Layout) -> int:
    """The n of ``E(n)``."""
    _, found, rest = layout.text.partition("E(")
    return int(rest.partition(")")[0]) if found else 0


def to_format(shape: Any, sharding: Any = None) -> Any:
    """JAX's Format for a shape or a layout of ours.

    Parameters
    ----------
    shape : Shape, Layout or str
        As for `to_layout`.
    sharding : jax.sharding.Sharding, optional
        Where the array is to be; on the first device where it is not said.

    Raises
    ------
    ValueError
        As `to_layout`.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.jax.from_format(tw.jax.to_format("{0,1:T(8,128)(2,1)}"))
    Layout('{0,1:T(8,128)(2,1)}')
    """
    import jax
    from jax.experimental.layout import Format

    if sharding is None:
        sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    return Format(to_layout(shape), sharding)


def shape_of(x: Any) -> Shape:
    """The shape of a JAX array, with the layout that its device has it in.

    Parameters
    ----------
    x : jax.Array or jax.ShapeDtypeStruct
        A struct whose format says no layout is row-major, as XLA has it where nobody says otherwise.

    Raises
    ------
    ValueError
        If an array does not say its layout, or a format leaves it to the compiler.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, tilewright as tw
    >>> tw.jax.shape_of(jnp.zeros((3, 5)))
    Shape('f32[3,5]{1,0}')
    >>> tw.jax.shape_of(jax.ShapeDtypeStruct((3, 5), jnp.bfloat16))
    Shape('bf16[3,5]{1,0}')
    """
    format = getattr(x, "format", None)
    is_struct = not hasattr(x, "addressable_shards")
    if is_struct and getattr(format, "layout", None) is None:
        return Shape.of(ElementType(x.dtype), tuple(x.shape))
    shape = from_format(format, x.shape, x.dtype)
    assert isinstance(shape, Shape)
    return shape
