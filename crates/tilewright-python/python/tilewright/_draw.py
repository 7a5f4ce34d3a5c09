"""Pictures of small layouts, as notebooks show them."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from ._tilewright import Placement, Shape

MAX_ROWS = 32
"""So many rows of a picture are drawn, and as many columns; what is beyond is said in words."""

CELL = (34, 22)
"""The width and height of an element, in pixels."""

COLORS = ("#cfe3f7", "#f9dcc4", "#d4edda", "#eadcf5", "#fdf3c8", "#f6d5dc", "#d3f0ee", "#e6e6d8")


def svg(placement: Placement) -> str:
    """The offset of every element at its place in the array, coloured by the tile that it is in.

    Dimensions before the last are rows, the first of them slowest. Places that only padding has are
    hatched. An array of more than 32 rows or columns is cut there.
    """
    grid, tiles, padded = _grid(placement)
    rows, columns = (min(count, MAX_ROWS) for count in padded)
    width, height = columns * CELL[0] + 2, rows * CELL[1] + 2
    cut = rows < padded[0] or columns < padded[1]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 18 * cut}" '
        'font-family="monospace" font-size="11" text-anchor="middle">',
        f"<title>{escape(str(placement))}</title>",
        '<defs><pattern id="tw-padding" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="6" height="6" fill="#fff"/>'
        '<line y2="6" stroke="#bbb" stroke-width="2"/></pattern></defs>',
    ]
    for row in range(rows):
        for column in range(columns):
            parts.append(_cell(row, column, grid, tiles))
    if cut:
        words = f"{rows} of {padded[0]} rows, {columns} of {padded[1]} columns"
        parts.append(f'<text x="4" y="{height + 13}" text-anchor="start">{words}</text>')
    return "".join(parts) + "</svg>"


def html(placement: Placement) -> str:
    """The picture, and below it the sizes."""
    try:
        picture = svg(placement)
        sizes = f"{placement.elements} elements in an allocation of {placement.allocation}"
    except ValueError:  # a tuple, or a layout that says no dimensions
        return f"<code>{escape(str(placement))}</code>"
    if isinstance(placement, Shape):
        sizes += f"; {placement.bytes} bytes, {placement.padding_bytes} of them padding"
    return f"<div><code>{escape(str(placement))}</code><br>{picture}<br>{sizes}</div>"


def _cell(row: int, column: int, grid: npt.NDArray[Any], tiles: npt.NDArray[Any]) -> str:
    inside = row < grid.shape[0] and column < grid.shape[1]
    fill = COLORS[tiles[row, column] % len(COLORS)] if inside else "url(#tw-padding)"
    x, y = 1 + column * CELL[0], 1 + row * CELL[1]
    box = f'<rect x="{x}" y="{y}" width="{CELL[0]}" height="{CELL[1]}" fill="{fill}" stroke="#666"/>'
    if not inside:
        return box
    middle = f'x="{x + CELL[0] / 2:g}" y="{y + 15}"'
    return f"{box}<text {middle}>{grid[row, column]}</text>"


def _grid(placement: Placement) -> tuple[npt.NDArray[Any], npt.NDArray[Any], tuple[int, int]]:
    """The offsets in rows and columns, the tile that each is in, and the size with padding."""
    dims = (1, 1, *placement.dims)
    n_columns = dims[-1]
    n_rows = int(np.prod(dims[:-1], dtype=np.int64))
    rows, columns = np.arange(min(n_rows, MAX_ROWS)), np.arange(min(n_columns, MAX_ROWS))
    leading = np.unravel_index(rows, dims[:-1]) if n_rows else tuple([rows] * (len(dims) - 1))
    index = [part[:, None] for part in leading[2:]] + [columns]
    if placement.rank == 0:
        grid = np.full((1, 1), placement.offset(()), dtype=np.int64)
    else:
        index = index[-placement.rank :] if placement.rank > 1 else [columns[None, :]]
        grid = np.asarray(placement.offset(tuple(index))).reshape(len(rows), len(columns))
    return grid, grid // _tile_elements(placement), _padded(placement, n_rows, n_columns)


def _padded(placement: Placement, n_rows: int, n_columns: int) -> tuple[int, int]:
    """Rows and columns with padding. Rows of more than one dimension are not padded in between."""
    padded = placement.padded_dims
    if padded is None or placement.rank == 0:
        return n_rows, n_columns
    return (padded[0] if placement.rank == 2 else n_rows), max(padded[-1], n_columns)


def _tile_elements(placement: Placement) -> int:
    """How many elements a tile has: what is left of the physical dims after the grid of tiles."""
    return max(1, int(np.prod(placement.physical_dims[placement.rank :], dtype=np.int64)))
