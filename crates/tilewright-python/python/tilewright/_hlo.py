"""What a program's layouts cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from . import _tilewright

Row = dict[str, Any]
"""One line of a table."""


class Report:
    """What an HLO module, or an out-of-memory report, says about memory and layouts.

    Each list is one of rows as dicts, which ``pandas.DataFrame`` takes as it is. All sizes are in
    bytes: `bytes` is what XLA's allocator counts, `logical_bytes` what the elements alone take.

    Examples
    --------
    >>> import tilewright as tw
    >>> report = tw.hlo('''HloModule m
    ...
    ... ENTRY main {
    ...   p = u32[12582912,1]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = u32[12582912,1]{0,1:T(1,128)} copy(p)
    ... }
    ... ''')
    >>> report
    <Report of m: 2 buffers, 1 relayouts>
    >>> report.relayouts[0]["bytes_written"] >> 20
    48
    """

    def __init__(self, document: dict[str, Any], text: bytes) -> None:
        self._document = document
        self._text = text

    def __repr__(self) -> str:
        counts = f"{len(self.buffers)} buffers, {len(self.relayouts)} relayouts"
        return f"<Report of {self.module or 'an out-of-memory report'}: {counts}>"

    @property
    def module(self) -> str | None:
        """The module's name.

        >>> import tilewright as tw
        >>> tw.hlo("HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[] parameter(0)\\n}\\n").module
        'm'
        """
        return cast("str | None", self._document["module"])

    @property
    def totals(self) -> dict[str, dict[str, int]]:
        """Sums: ``parameters``, ``outputs``, ``buffers``, ``relayouts``, ``copies``, ``bitcasts``.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).totals["parameters"]["bytes"]
        36
        """
        return cast("dict[str, dict[str, int]]", self._document["totals"])

    @property
    def parameters(self) -> list[Row]:
        """The entry's parameters: ``name text bytes logical_bytes``.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).parameters[0]["name"]
        'p'
        """
        return self._rows("parameters")

    @property
    def outputs(self) -> list[Row]:
        """The entry's result, array by array, as `parameters`.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).outputs[0]["bytes"]
        36
        """
        return self._rows("outputs")

    @property
    def buffers(self) -> list[Row]:
        """The arrays that the program writes, those with most padding first.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> [row["op"] for row in tw.hlo(text).buffers]
        ['parameter']
        """
        return self._rows("buffers")

    @property
    def relayouts(self) -> list[Row]:
        """Where the program moves an array from one format to another, most bytes first.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).relayouts
        []
        """
        return self._rows("relayouts")

    @property
    def copies(self) -> list[Row]:
        """Where it moves an array and keeps the format.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).copies
        []
        """
        return self._rows("copies")

    @property
    def bitcasts(self) -> list[Row]:
        """What claims that the bytes of one array are those of another, checked.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).bitcasts
        []
        """
        return self._rows("bitcasts")

    @property
    def out_of_memory(self) -> Row | None:
        """The headline of an out-of-memory report: ``memory used capacity``.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).out_of_memory is None
        True
        """
        return cast("Row | None", self._document["out_of_memory"])

    @property
    def findings(self) -> list[Row]:
        """What was not understood of the text.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).findings
        []
        """
        return self._rows("findings")

    def table(self, name: str = "buffers") -> dict[str, list[Any]]:
        """One of the lists as columns, ready for ``pandas.DataFrame``.

        Parameters
        ----------
        name : {"parameters", "outputs", "buffers", "relayouts", "copies", "bitcasts"}

        Returns
        -------
        dict of str to list
            Every column as long as the list; None where a row has no such entry.

        Raises
        ------
        ValueError
            If there is no such list.

        Examples
        --------
        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).table("parameters")["bytes"]
        [36]
        """
        lists = ("parameters", "outputs", "buffers", "relayouts", "copies", "bitcasts")
        if name not in lists:
            raise ValueError(f"there is no list `{name}`; there are {', '.join(lists)}")
        rows = self._rows(name)
        columns = dict.fromkeys(key for row in rows for key in row)
        return {column: [row.get(column) for row in rows] for column in columns}

    def to_dict(self) -> dict[str, Any]:
        """All of it, as ``tilewright hlo --json`` writes it.

        Examples
        --------
        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).to_dict()["module"]
        'm'
        """
        return self._document

    def to_html(self) -> str:
        """All of it as a page to sort and look through, in one file.

        Examples
        --------
        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> "<html" in tw.hlo(text).to_html()
        True
        """
        return _tilewright.hlo_page(self._text)

    def _repr_html_(self) -> str:
        columns = ("name", "text", "bytes", "padding_bytes", "op")
        head = "".join(f"<th>{column}</th>" for column in columns)
        return f"<table><tr>{head}</tr>{_html_rows(self.buffers[:10], columns)}</table>"

    def _rows(self, name: str) -> list[Row]:
        return cast("list[Row]", self._document[name])


def _html_rows(rows: Sequence[Row], columns: Sequence[str]) -> str:
    from html import escape

    cells = ("".join(f"<td>{escape(str(row.get(c, '')))}</td>" for c in columns) for row in rows)
    return "".join(f"<tr>{row}</tr>" for row in cells)


def hlo(text: str | bytes) -> Report:
    """Reads an HLO text module, or the report that XLA prints when memory runs out.

    Parameters
    ----------
    text : str or bytes
        As XLA, JAX (``compiled.as_text()``) or libtpu print it, at any stage of compilation.

    Returns
    -------
    Report

    Raises
    ------
    ValueError
        If there is neither in it.

    Examples
    --------
    >>> import tilewright as tw
    >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[3,5]{1,0:T(4,128)} parameter(0)\\n}\\n"
    >>> tw.hlo(text).parameters
    [{'name': 'p', 'text': 'f32[3,5]{1,0:T(4,128)}', 'bytes': 2048, 'logical_bytes': 60}]
    """
    data = text.encode() if isinstance(text, str) else bytes(memoryview(text))
    return Report(json.loads(_tilewright.hlo_report(data)), data)


Report.__module__ = "tilewright"
