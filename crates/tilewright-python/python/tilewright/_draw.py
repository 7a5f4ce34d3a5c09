"""Pictures of layouts, as notebooks show them."""

from __future__ import annotations

from html import escape
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ._tilewright import Placement, Shape

Ints = npt.NDArray[np.int64]

MAX_SHOWN = 24
"""Of an axis that is longer than this, the ends are drawn, where the first tile meets the next, and
where the data ends and padding begins."""

MAX_PROBED = 4096
"""So far along an axis the end of the first tile is looked for."""

GAP = -1
"""Stands in an axis for indices that are not drawn."""

PADDING = np.iinfo(np.int64).min
"""Stands for the offset where there is no element."""

ROW_HEIGHT = 22
DIGIT_WIDTH = 7
GAP_SIZE = 18

COLORS = ("#cfe3f7", "#f9dcc4", "#d4edda", "#eadcf5", "#fdf3c8", "#f6d5dc", "#d3f0ee", "#e6e6d8")


class _Grid(NamedTuple):
    """What is drawn: offsets in rows and columns, `PADDING` where there is no element."""

    rows: list[int]
    columns: list[int]
    row_labels: list[str]
    offsets: Ints
    colors: Ints


def svg(placement: Placement) -> str:
    """The offset of every element at its place in the array, coloured by the tile that it is in.

    Dimensions before the last are rows, the first of them slowest. Places that only padding has are
    crossed out. The picture is on white, whatever is around it.
    """
    grid = _grid(placement)
    title = f"<title>{escape(str(placement))}</title>"
    if not (grid.rows and grid.columns):
        return _document(150, ROW_HEIGHT, title + '<text x="75" y="15">no elements</text>')
    widest = (*grid.offsets[grid.offsets != PADDING].tolist(), *grid.columns)
    n_digits = max(len(str(number)) for number in widest)
    n_label = max(len(label) for label in grid.row_labels)
    x = _edges(grid.columns, DIGIT_WIDTH * n_label + 12, max(26, DIGIT_WIDTH * n_digits + 10))
    y = _edges(grid.rows, ROW_HEIGHT, ROW_HEIGHT)
    boxes, texts = _cells(grid, x, y)
    body = (
        f'{title}<g stroke="#777">{"".join(boxes)}</g>{"".join(texts)}'
        f'<g fill="#666" font-size="10">{"".join(_axes(grid, x, y))}</g>'
    )
    return _document(x[-1] + 2, y[-1] + 2, body)


def html(placement: Placement) -> str:
    """The picture, and below it the sizes."""
    try:
        picture = svg(placement)
        sizes = f"{placement.elements} elements in an allocation of {placement.allocation}"
    except ValueError:  # a tuple, or a layout that says no dimensions
        return f"<code>{escape(str(placement))}</code>"
    if isinstance(placement, Shape):
        sizes += f"; {placement.bytes} bytes, {placement.padding_bytes} of them padding"
    picture = f'<div style="overflow-x:auto">{picture}</div>'
    return f"<div><code>{escape(str(placement))}</code>{picture}{sizes}</div>"


def _document(width: int, height: int, body: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" '
        'font-family="monospace" font-size="11" text-anchor="middle">'
        f'<rect width="{width}" height="{height}" rx="3" fill="#fff"/>{body}</svg>'
    )


def _edges(axis: list[int], start: int, size: int) -> list[int]:
    """Where each place of an axis begins, and where the last one ends."""
    edges = [start]
    for index in axis:
        edges.append(edges[-1] + (GAP_SIZE if index == GAP else size))
    return edges


def _cells(grid: _Grid, x: list[int], y: list[int]) -> tuple[list[str], list[str]]:
    boxes, texts = [], []
    for i, row in enumerate(grid.rows):
        for j, column in enumerate(grid.columns):
            if GAP in (row, column):
                continue
            left, top, width = x[j], y[i], x[j + 1] - x[j]
            offset = grid.offsets[i, j]
            fill = "#f4f4f4" if offset == PADDING else COLORS[grid.colors[i, j]]
            at = f'x="{left}" y="{top}" width="{width}" height="{ROW_HEIGHT}"'
            boxes.append(f'<rect {at} fill="{fill}"/>')
            if offset == PADDING:
                stroke = f"M{left} {top + ROW_HEIGHT}L{left + width} {top}"
                boxes.append(f'<path class="padding" stroke="#ccc" d="{stroke}"/>')
            else:
                texts.append(f'<text x="{left + width / 2:g}" y="{top + 15}">{offset}</text>')
    return boxes, texts


def _axes(grid: _Grid, x: list[int], y: list[int]) -> list[str]:
    """The index of every column above it, and of every row before it."""
    texts = []
    for j, column in enumerate(grid.columns):
        label = "⋯" if column == GAP else column
        texts.append(f'<text x="{(x[j] + x[j + 1]) / 2:g}" y="{y[0] - 7}">{label}</text>')
    for i, label in enumerate(grid.row_labels):
        if label:  # of rank 1 there is none
            texts.append(f'<text x="{x[0] / 2:g}" y="{(y[i] + y[i + 1]) / 2 + 4:g}">{label}</text>')
    return texts


def _grid(placement: Placement) -> _Grid:
    # Elements that share a place, along a stride of 0, are all drawn.
    padded = map(max, placement.padded_dims or placement.dims, placement.dims)
    *leading, n_columns = (1, *padded) if placement.rank else (1, 1)
    n_rows = prod(leading)
    if not n_rows * n_columns * placement.elements:
        return _Grid([], [], [], np.zeros((0, 0), np.int64), np.zeros((0, 0), np.int64))
    tile = max(1, prod(placement.physical_dims[placement.rank :]))
    probe = np.arange(MAX_PROBED)
    down = _offsets(placement, leading, probe[:n_rows], probe[:1])[:, 0]
    along = _offsets(placement, leading, probe[:1], probe[:n_columns])[0]
    *_, data_rows, data_columns = (1, 1, *placement.dims)
    rows = _shown(n_rows, down, tile, data_rows)
    columns = _shown(n_columns, along, tile, data_columns)
    offsets = _offsets(placement, leading, np.array(rows), np.array(columns))
    return _Grid(rows, columns, _row_labels(rows, leading), offsets, _colors(offsets, tile))


def _offsets(placement: Placement, leading: list[int], rows: Ints, columns: Ints) -> Ints:
    """The offsets of rows and columns, `PADDING` where there is no element."""
    if placement.rank == 0:
        return np.full((1, 1), placement.offset(()), np.int64)
    places = [part[:, None] for part in np.unravel_index(np.maximum(rows, 0), leading)[1:]]
    places.append(np.maximum(columns, 0)[None, :])
    inside = np.ones((len(rows), len(columns)), bool)
    for place, size in zip(places, placement.dims):
        inside &= place < size
    found = placement.offset(tuple(np.where(inside, place, 0) for place in places))
    return np.where(inside, found, PADDING)


def _shown(length: int, offsets: Ints, tile: int, data: int) -> list[int]:
    """The indices of an axis that are drawn, and `GAP` between those that are apart; elements end
    before the index `data`."""
    if length <= MAX_SHOWN:
        return list(range(length))
    tiles = offsets // tile
    changes = np.flatnonzero((tiles[1:] != tiles[:-1]) & (tiles[1:] != PADDING // tile))
    first = int(changes[0]) + 1 if len(changes) else length
    end = {*range(max(0, data - 2), data + 1)} if data < length else {length - 2}
    last = {length - 1}
    if first < 8 or first > length - 8:  # small tiles, or one
        indices = {*range(MAX_SHOWN - len(end | last) - 2), *end, *last}
    else:
        indices = {*range(3), *range(first - 2, first + 2), *end, *last}
    shown: list[int] = []
    for index in sorted(index for index in indices if index < length):
        if shown and index != shown[-1] + 1:
            shown.append(GAP)
        shown.append(index)
    return shown


def _row_labels(rows: list[int], leading: list[int]) -> list[str]:
    labels = []
    for row in rows:
        index = np.unravel_index(max(row, 0), leading)[1:]
        labels.append("⋮" if row == GAP else ",".join(str(part) for part in index))
    return labels


def _colors(offsets: Ints, tile: int) -> Ints:
    """The number of every element's colour, so that neighbours in different tiles differ."""
    if tile == 1:
        return np.zeros_like(offsets)
    tiles = offsets // tile
    down = np.cumsum(np.diff(tiles[:, 0], prepend=tiles[0, 0]) != 0)
    along = np.cumsum(np.diff(tiles[0], prepend=tiles[0, 0]) != 0)
    colors: Ints = (3 * down[:, None] + along) % len(COLORS)
    return colors
