"""Pictures: `draw`, its files, and what notebooks show."""

from __future__ import annotations

import inspect
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import tilewright as tw

TILES = "f32[3,5]{1,0:T(2,2)}"
PAIRS = "bf16[30,300]{1,0:T(8,128)(2,1)}"
SWIZZLE = "f16 Sw<3,0,3> o 0 o (8,8):(8,1)"
SVG = "{http://www.w3.org/2000/svg}"

LAYOUTS = [
    "f32[]", "f32[7]{0:T(4)}", "f32[0,3]", "f32[3,0]{1,0:T(2,2)}", "f32[2,0,3]", "(0,3):(1,2)",
    "f32[100,1000]", "f32[2,3,5,7]{3,2,1,0:T(2,2)}", "f32[8192,8192]{1,0:T(8,128)}",
    "bf16[100000000,300]{1,0:T(8,128)(2,1)}", "f32[5000000000,1]", "u8[9223372036854775807]",
    "f32[1,5000000000]{0,1:T(8,128)}", "f32[3,300] strides=(-1200,4)", "f32[7,9]{1,0:T(*,8)(2,1)}",
    SWIZZLE, "Sw<3,0,3> o 5 o (8,8):(8,1)", "f32[300,300,300,300]{3,2,1,0:T(8,128)}",
    "u8[2,2,2,2,2,2,2,2]", "(4,2):(1,2)", "(2,3):(0,0)", "((2,4),3):((1,2),8)",
    "s4[6,10]{1,0:T(2,4)E(4)}", "f32[2,35,7,7] aBcd16b", "f32[3,5]{1,0:T(2,2)L(100)}",
    "f32[2,3]{0,1:PAD(3,5)}", "f32[3,4,5]{2,1,0:T(*,7)}", "f32[<=10,3]",
    "(3000000000,3000000000):(0,0)",
]  # fmt: skip

OPTIONS = [
    {},
    {"direction": "memory"},
    {"direction": "memory", "columns": 1, "rows": 1},
    {"unit": "bytes", "padding_numbers": True, "theme": "dark"},
    {"color": "dim:1", "columns": 1, "rows": 1},
    {"color": "offset:9223372036854775807"},
    {"color": "line"},
    {"color": "bank"},
    {"color": "bank:8x9223372036854775807"},
    {"color": "thread"},
    {"color": "thread", "tile": (4, 2)},
    {"at": (1, 1)},
    {"at": (), "unit": "bytes"},
    {"unit": "bytes:16"},
    {"steps": True},
]


def texts(svg):
    """What is written in a picture, its title left out; it is well-formed."""
    return [text.text for text in ElementTree.fromstring(svg).iter(SVG + "text")]


def grid(picture):
    """The cells of the grid of offsets as rows of words, of a picture in letters."""
    lines = str(picture).splitlines()
    rows = [line.rpartition("   ")[2] for line in lines if re.match(r" *\d+ [│].*[│]$", line)]
    return [re.findall(r"=?\d+|░+|⋯", row.partition("│")[2]) for row in rows]


def test_the_options_are_those_of_the_command():
    names = list(inspect.signature(tw.draw).parameters)
    assert names[:3] == ["layout", "other", "path"]
    assert names[3:] == (
        "color direction unit at tile steps moves theme columns rows padding_numbers force".split()
    )


def test_every_offset_is_at_its_element():
    rows = grid(tw.draw(TILES))
    found = [[int(word) for word in row if word.isdigit()] for row in rows]
    assert found[:3] == tw.Shape(TILES).offsets().tolist()
    # A column of padding, and a row of it.
    assert [sum("░" in word for word in row) for row in rows] == [1, 1, 1, 6]


def test_the_svg_says_what_the_text_says():
    words = texts(tw.draw(TILES).to_svg())
    assert words[0] == TILES and "36 of them padding" in words[1]
    offsets = tw.Shape(TILES).offsets().reshape(-1)
    for offset in offsets:
        assert str(offset) in words
    # Padding has its numbers where they are asked for.
    numbered = texts(tw.draw(TILES, padding_numbers=True).to_svg())
    assert numbered.count("23") == words.count("23") + 1


@pytest.mark.parametrize(
    "text,n_rows", [("f32[4,6] strides=(0,4)", 4), ("f32[4,6] strides=(4,0)", 4), ("(4,6):(0,1)", 4)]
)
def test_elements_that_share_a_place_are_all_drawn(text, n_rows):
    rows = grid(tw.draw(text))
    placement = tw.Shape(text) if text.startswith("f32") else tw.Layout(text)
    assert len(rows) == n_rows
    assert [[int(word.strip("=")) for word in row] for row in rows] == placement.offsets().tolist()
    n_repeats = sum(word.startswith("=") for row in rows for word in row)
    assert n_repeats == placement.elements - placement.allocation
    words = texts(tw.draw(text).to_svg())
    assert sum(word.startswith("=") for word in words) == n_repeats


@pytest.mark.parametrize(
    "text,rows,columns",
    [
        (PAIRS, (30, 32), (300, 384)),
        ("f32[3,1000]{1,0:T(4,2048)}", (3, 4), (1000, 2048)),
        ("f32[1000,3]{1,0:T(512,4)}", (1000, 1024), (3, 4)),
        ("f32[100]{0:T(64)}", None, (100, 128)),
    ],
)
def test_a_picture_shows_where_the_data_ends(text, rows, columns):
    """The last index with an element, and the first without."""
    words = texts(tw.Shape(text)._repr_svg_())
    for data, padded in filter(None, (rows, columns)):
        assert {str(data - 1), str(data), str(padded - 1)} <= set(words)
    if columns[1] > 100:
        assert f"data ends at {columns[0]}" in words


def test_a_large_picture_has_the_place_where_tiles_meet():
    words = texts(tw.Shape("f32[8192,8192]{1,0:T(8,128)}")._repr_svg_())
    assert {"0", "127", "128", "8191", "7", "8"} <= set(words)


@pytest.mark.parametrize("text", LAYOUTS)
def test_pictures_are_well_formed_and_small(text):
    """Whatever the layout and the options, there is a picture or a reason."""
    for options in OPTIONS:
        try:
            picture = tw.draw(text, **options)
        except tw.LayoutError as error:
            assert options and str(error)
            continue
        svg = picture.to_svg()
        drawing = ElementTree.fromstring(svg)
        width, height = (float(drawing.get(side)) for side in ("width", "height"))
        assert width > 0 and height > 0
        assert texts(svg)[0] == str(picture).splitlines()[0]
        assert r"\end{tikzpicture}" in picture.to_tikz() and "</html>" in picture.to_html()
        if "steps" in options:  # small arrays only, but of any number of grids side by side
            continue
        assert width < 4000 and height < 4000 and len(svg) < 1_000_000
        assert picture.to_png().startswith(b"\x89PNG")


def test_the_background_is_opaque():
    """A picture can be read whatever is around it."""
    for theme, color in {"light": "#ffffff", "dark": "#15191e"}.items():
        drawing = ElementTree.fromstring(tw.draw(TILES, theme=theme).to_svg())
        background = drawing.find(SVG + "rect")
        for side in ("width", "height"):
            assert background.get(side) == drawing.get(side)
        assert background.get("fill") == color
    first = ElementTree.fromstring(tw.Shape(TILES)._repr_svg_()).find(SVG + "rect")
    assert first.get("fill") == "#ffffff"


def test_whatever_has_a_layout_is_drawn(tmp_path):
    packed = tw.pack(np.zeros((3, 5), np.float32), "{1,0:T(2,2)}", labelled=True)
    tw.save(tmp_path / "x.npy", packed)
    lazy = tw.open(tmp_path / "x.npy")["x"]
    svg = tw.draw(TILES).to_svg()
    for layout in (tw.Shape(TILES), tw.IndexMap(TILES), packed, lazy):
        assert tw.draw(layout).to_svg() == svg
        assert tw.draw(TILES, layout).to_svg() == tw.draw(TILES, TILES).to_svg()
    assert tw.Shape(TILES)._repr_svg_() == svg == tw.draw(TILES)._repr_svg_()
    layout = tw.Layout("((2,4),3):((1,2),8)")
    assert tw.draw(layout).to_svg() == tw.draw(str(layout)).to_svg() == layout._repr_svg_()


def test_moves_are_runs_of_neighbours():
    """As many as there are places in which a copy, element by element, jumps."""
    source, target = tw.Shape("f32[6,9]{1,0:T(2,4)}"), tw.Shape("f32[6,9]{0,1:T(4,2)}")
    pairs = sorted(
        (target.offset(index), source.offset(index)) for index in np.ndindex(*source.dims)
    )
    n_runs = 1 + sum((b - a, d - c) != (1, 1) for (a, c), (b, d) in zip(pairs, pairs[1:]))
    said = str(tw.draw(source, target, moves=True)).splitlines()[1]
    assert said.startswith(f"54 elements move in {n_runs} runs of")


@pytest.mark.parametrize("wrong", [None, 3, (3, 5), np.zeros((3, 5)), object(), b"f32[3]"])
def test_what_has_no_layout_is_a_type_error(wrong):
    with pytest.raises(TypeError, match="expected a Shape, a Layout, a Packed or a str, found"):
        tw.draw(wrong)


@pytest.mark.parametrize(
    "options,said",
    [
        ({"color": "red"}, "`red` is no way to colour: expected one of tile, dim"),
        ({"color": "bank:0x4"}, "`bank:0x4` is no way to colour"),
        ({"color": "dim:2"}, "there is no dimension 2"),
        ({"direction": "up"}, "no direction is called `up`: expected offsets or memory"),
        ({"unit": "bits"}, "no unit is called `bits`: expected elements, bytes, or bytes:N"),
        ({"theme": "blue"}, "no theme is called `blue`: expected light or dark"),
        ({"at": (3, 0)}, "out of bounds"),
        ({"at": (1,)}, "index"),
        ({"color": "thread", "tile": (7, 3)}, "a tile of 7 × 3"),
        ({"color": "thread", "tile": (-4, -6)}, r"rows and columns, 1 or more; found \[-4, -6\]"),
        ({"tile": (4,)}, r"found \[4\]"),
        ({"columns": 0}, "0 columns of cells: expected 1 to 1000"),
        ({"rows": -1}, "-1 rows of cells"),
        ({"rows": 1 << 40}, "expected 1 to 1000"),
        ({"other": "f32[3,5]", "steps": True}, "steps are of one layout"),
        ({"direction": "memory", "steps": True}, "steps are of one layout"),
        ({"moves": True}, "moves are from one layout to another"),
        ({"other": "f32[3,5]", "moves": True, "direction": "memory"}, "both in memory"),
        ({"other": "f32[5,3]"}, "the dimensions differ"),
        ({"other": "f32[3"}, "f32\\[3"),
        ({"path": "picture"}, r"the name says no picture: expected \.svg"),
        ({"path": "picture.gif"}, r"the name says no picture"),
    ],
)
def test_a_wrong_option_is_told(options, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tw.LayoutError, match=said):
        tw.draw(TILES, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "layout,said",
    [
        (tw.Layout("{1,0}"), "says no dimensions"),
        (tw.Shape("token[]"), "token"),
        (tw.Shape("(f32[2], f32[3])"), "tuple"),
        ("f32[3,5", "expected"),
        ("(2,3):(3,1)", "only layouts in XLA's notation"),
        ("f32[300,300]{1,0:T(8,128)}", "too many to be followed"),
    ],
)
def test_what_cannot_be_drawn_is_told(layout, said):
    with pytest.raises(tw.LayoutError, match=said):
        tw.draw(layout, steps=True)


def test_steps_lead_to_memory():
    words = texts(tw.draw(TILES, steps=True).to_svg())
    assert {"the array [3,5]", "pad to [4,6]", "reshape to [2,2,3,2]"} <= set(words)


def test_banks_are_counted():
    words = texts(tw.draw("Sw<3,0,3> o 0 o (8,8):(8,1)", color="bank:8x1").to_svg())
    assert "column 2: 8 reads of 1 bank, 8 turns" in words
    assert "column 2: 8 reads of 8 banks, 1 turn" in words


def test_two_layouts_and_where_they_part():
    picture = tw.draw(TILES, "f32[3,5]")
    index, (one, other) = tw.Shape(TILES).first_difference("f32[3,5]")
    said = f"first difference: ({index[0]},{index[1]}) lies at {one} in one and at {other} in the other"
    assert said in texts(picture.to_svg()) and said in str(picture)
    assert repr(picture) == f"<Picture {TILES} and f32[3,5]{{1,0}}>"
    assert repr(tw.draw(TILES)) == f"<Picture {TILES}>"


BEGINS = {
    ".svg": b"<svg",
    ".html": b"<!doctype html>",
    ".htm": b"<!doctype html>",
    ".png": b"\x89PNG",
    ".tex": b"% f32[3,5]",
    ".txt": TILES.encode(),
    ".SVG": b"<svg",
}


@pytest.mark.parametrize("suffix", BEGINS)
def test_the_files_name_says_the_form(suffix, tmp_path):
    path = tmp_path / f"tiles{suffix}"
    picture = tw.draw(TILES, path=path)
    assert path.read_bytes().startswith(BEGINS[suffix])
    forms = [picture.to_svg(), picture.to_html(), picture.to_text(), picture.to_tikz()]
    assert path.read_bytes() in [picture.to_png(), *(form.encode() for form in forms)]
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_file_that_is_there_stays(tmp_path):
    path = tmp_path / "tiles.svg"
    path.write_text("mine")
    for write in (lambda: tw.draw(TILES, path=path), lambda: tw.draw(TILES).save(str(path))):
        with pytest.raises(FileExistsError, match="force=True replaces it"):
            write()
        assert path.read_text() == "mine"
    tw.draw(TILES, path=path, force=True)
    assert path.read_text() == tw.draw(TILES).to_svg()
    tw.draw(PAIRS).save(path, force=True)
    assert path.read_text() == tw.draw(PAIRS).to_svg()
    with pytest.raises(FileNotFoundError):
        tw.draw(TILES, path=tmp_path / "nowhere" / "tiles.svg")
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_picture_is_made_by_draw_alone():
    with pytest.raises(TypeError):
        tw.Picture()
    with pytest.raises(AttributeError):
        tw.draw(TILES).theme = "dark"


def test_a_notebook_shows_the_picture_and_the_sizes():
    page = ElementTree.fromstring(tw.Shape(TILES)._repr_html_())
    assert page.find("code").text == TILES
    assert len(list(page.iter(SVG + "svg"))) == 1
    assert page.find("div").tail == (
        "15 elements in an allocation of 24; 96 bytes, 36 of them padding"
    )
    shared = tw.Shape("f32[4,6] strides=(0,4)")._repr_html_()
    assert shared.endswith("24 elements in an allocation of 6; 24 bytes</div>")
    # No renderer needs a style sheet for it.
    assert "style" not in tw.Shape(TILES)._repr_svg_()
    assert tw.draw(TILES)._repr_html_().count("<svg") == 1


def test_a_notebook_shows_the_text_of_what_has_no_picture():
    for placement in (tw.Shape("(f32[2], token[])"), tw.Layout("{1,0:T(8,128)}")):
        assert placement._repr_html_() == f"<code>{placement}</code>"
        assert placement._repr_svg_() is None
    assert "Sw&lt;3,0,3&gt;" in tw.Layout("Sw<3,0,3> o 0 o (8,8):(8,1)")._repr_html_()
