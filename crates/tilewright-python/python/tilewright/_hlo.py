"""What a program's layouts cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike, sep
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from . import _tilewright

Row = dict[str, Any]
"""One line of a table."""

HloLike: TypeAlias = Any
"""A file, the text of a dump, or a compiled program of JAX."""


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
    def donations(self) -> list[Row]:
        """Parameters that could be donated to a result: ``parameter output text bytes``.

        >>> import tilewright as tw
        >>> report = tw.hlo('''HloModule m
        ...
        ... ENTRY e {
        ...   p = f32[9] parameter(0)
        ...   ROOT n = f32[9] negate(p)
        ... }
        ... ''')
        >>> [(row["parameter"], row["output"]) for row in report.donations]
        [('p', 'n')]
        """
        return self._rows("donations")

    @property
    def peak(self) -> list[Row]:
        """What the temporaries take at most in each memory space, of a scheduled module.

        ``space bytes bytes_shared at alive``: `alive` is a table of its own, the largest first, of
        ``name text bytes padding_bytes op computation source op_name line until``.

        >>> import tilewright as tw
        >>> report = tw.hlo('''HloModule m, is_scheduled=true
        ...
        ... ENTRY e {
        ...   p = f32[8,128]{1,0:T(8,128)} parameter(0)
        ...   a = f32[8,128]{1,0:T(8,128)} negate(p)
        ...   ROOT b = f32[8,128]{1,0:T(8,128)} add(a, p)
        ... }
        ... ''')
        >>> report.peak[0]["space"], report.peak[0]["bytes"], report.peak[0]["alive"][0]["name"]
        ('hbm', 4096, 'a')
        """
        return cast("list[Row]", self._document.get("peak", []))

    @property
    def timeline(self) -> list[Row]:
        """What the temporaries of each memory space take over the schedule: ``space time bytes``.

        A row for each instruction at which that changes; it stays so until the next.

        >>> import tilewright as tw
        >>> report = tw.hlo('''HloModule m, is_scheduled=true
        ...
        ... ENTRY e {
        ...   p = f32[8,128]{1,0:T(8,128)} parameter(0)
        ...   a = f32[8,128]{1,0:T(8,128)} negate(p)
        ...   ROOT b = f32[8,128]{1,0:T(8,128)} add(a, p)
        ... }
        ... ''')
        >>> [(row["time"], row["bytes"]) for row in report.timeline]
        [(1, 4096)]
        """
        return [
            {"space": timeline["space"], "time": time, "bytes": size}
            for timeline in self._document.get("timeline", [])
            for time, size in timeline["steps"]
        ]

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

    @property
    def counted(self) -> list[Row]:
        """Of a folder that the compiler filled, what it counted for each memory space beside what
        the text says: ``space bytes compiler parts``.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).counted
        []
        """
        return cast("list[Row]", self._document.get("counted", []))

    def what_if(
        self,
        formats: Mapping[str, str] | Literal["assigned"] | None = None,
        donate: Iterable[str] | Literal["all"] = (),
    ) -> dict[str, Any]:
        """What the program would need with parameters in other formats, or donated.

        Parameters
        ----------
        formats : mapping of str to str, or "assigned"
            A parameter each, by its name or number, and its format: ``{"p": "{1,0:T(8,128)}"}``. Or
            those that `assign` finds.
        donate : iterable of str, or "all"
            Parameters to donate.

        Returns
        -------
        dict
            ``formats``, ``donations``, ``spaces``, a row of ``space before after`` for each memory
            space, and ``relayouts``. What an instruction could do in another format than it has is not
            in the text, so a copy stands for that: the compiler needs at most as much, but for how
            tightly it packs.

        Raises
        ------
        ValueError
            If there is no such parameter, it cannot have the format, or cannot be donated.

        Examples
        --------
        >>> import tilewright as tw
        >>> report = tw.hlo('''HloModule m, is_scheduled=true
        ...
        ... ENTRY e {
        ...   p = f32[64,256]{0,1:T(8,128)} parameter(0)
        ...   c = f32[64,256]{1,0:T(8,128)} copy(p)
        ...   ROOT n = f32[64,256]{1,0:T(8,128)} negate(c)
        ... }
        ... ''')
        >>> hbm = report.what_if({"p": "{1,0:T(8,128)}"})["spaces"][0]
        >>> hbm["before"]["bytes"] >> 10, hbm["after"]["bytes"] >> 10
        (256, 128)
        """
        is_assigned, is_all = formats == "assigned", donate == "all"
        given = formats.items() if isinstance(formats, Mapping) else ()
        donations = [] if isinstance(donate, str) else list(donate)
        if isinstance(donate, str) and not is_all:
            donations = [donate]
        tried = _tilewright.hlo_what_if(self._text, list(given), is_assigned, donations, is_all)
        return cast("dict[str, Any]", json.loads(tried))

    def diff(self, after: Report | HloLike) -> Change:
        """What another program does differently.

        Parameters
        ----------
        after : Report, or as `hlo` takes it

        Raises
        ------
        ValueError
            As `hlo`.

        Examples
        --------
        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).diff(text.replace("f32[9]", "f32[9]{0:T(128)}")).parameters
        [{'name': 'p', 'before': 'f32[9]', 'after': 'f32[9]{0:T(128)}', 'bytes_change': 476}]
        """
        other = after._text if isinstance(after, Report) else read(after)
        return Change(json.loads(_tilewright.hlo_change(self._text, other)))

    def _repr_html_(self) -> str:
        """What a notebook shows: the timelines and who is alive at the peaks, or else the buffers."""
        return _tilewright.hlo_fragment(self._text)

    def _rows(self, name: str) -> list[Row]:
        return cast("list[Row]", self._document[name])


class Change:
    """What the second of two programs does differently, as `Report.diff` says it.

    Examples
    --------
    >>> import tilewright as tw
    >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
    >>> tw.hlo(text).diff(text)
    <Change: 0 parameters, 0 outputs, 0 buffers, 0 relayouts gone and 0 new>
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def __repr__(self) -> str:
        lists = ("parameters", "outputs", "buffers")
        counts = ", ".join(f"{len(self._document[name])} {name}" for name in lists)
        gone, new = len(self.relayouts["gone"]), len(self.relayouts["new"])
        return f"<Change: {counts}, {gone} relayouts gone and {new} new>"

    @property
    def totals(self) -> dict[str, Any]:
        """The sums of both, ``before`` and ``after``, as `Report.totals`.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> totals = tw.hlo(text).diff(text.replace("f32[9]", "f32[8]")).totals
        >>> [totals[which]["parameters"]["bytes"] for which in ("before", "after")]
        [36, 32]
        """
        return {which: self._document[which] for which in ("before", "after")}

    @property
    def parameters(self) -> list[Row]:
        """The parameters that are other arrays: ``name before after bytes_change``.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).diff(text).parameters
        []
        """
        return cast("list[Row]", self._document["parameters"])

    @property
    def outputs(self) -> list[Row]:
        """The outputs that are other arrays, as `parameters`.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).diff(text).outputs
        []
        """
        return cast("list[Row]", self._document["outputs"])

    @property
    def buffers(self) -> list[Row]:
        """The buffers that take other bytes, those with most change first.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).diff(text).buffers
        []
        """
        return cast("list[Row]", self._document["buffers"])

    @property
    def relayouts(self) -> dict[str, list[Row]]:
        """The relayouts that are ``gone``, and those that are ``new``.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> tw.hlo(text).diff(text).relayouts
        {'gone': [], 'new': []}
        """
        return cast("dict[str, list[Row]]", self._document["relayouts"])

    def to_dict(self) -> dict[str, Any]:
        """All of it, as ``tilewright hlo --diff --json`` writes it.

        >>> import tilewright as tw
        >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n"
        >>> sorted(tw.hlo(text).diff(text).to_dict())
        ['after', 'before', 'buffers', 'needs', 'outputs', 'parameters', 'peaks', 'relayouts']
        """
        return self._document


class Assignment:
    """In which formats a program's parameters would pad and move least, as `assign` finds them.

    Examples
    --------
    >>> import tilewright as tw
    >>> found = tw.assign('''ENTRY e {
    ...   p = f32[64,256]{0,1:T(8,128)} parameter(0)
    ...   c = f32[64,256]{1,0:T(8,128)} copy(p)
    ...   ROOT n = f32[64,256]{1,0:T(8,128)} negate(c)
    ... }
    ... ''')
    >>> found
    <Assignment: 1 of 1 parameters would do better in another format>
    >>> found.parameters[0]["best"]["text"]
    'f32[64,256]{1,0:T(8,128)}'
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def __repr__(self) -> str:
        better = sum(row["best"] != row["module"] for row in self.parameters)
        count = len(self.parameters)
        return f"<Assignment: {better} of {count} parameters would do better in another format>"

    @property
    def parameters(self) -> list[Row]:
        """Every array of the parameters: its name, what the ``module`` has it in, and the ``best``,
        each with its ``text bytes padding_bytes moved_bytes``.

        >>> import tilewright as tw
        >>> tw.assign("ENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n").parameters[0]["name"]
        'p'
        """
        return cast("list[Row]", self._document["parameters"])

    @property
    def totals(self) -> dict[str, dict[str, int]]:
        """The sums, of the ``module`` and of the ``best``.

        >>> import tilewright as tw
        >>> sorted(tw.assign("ENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n").totals)
        ['best', 'module']
        """
        return cast("dict[str, dict[str, int]]", self._document["totals"])

    def to_dict(self) -> dict[str, Any]:
        """All of it, as ``tilewright assign --json`` writes it.

        >>> import tilewright as tw
        >>> sorted(tw.assign("ENTRY e {\\n  ROOT p = f32[9] parameter(0)\\n}\\n").to_dict())
        ['parameters', 'totals']
        """
        return self._document


def hlo(source: HloLike) -> Report:
    """Reads an HLO text module, or the report that XLA prints when memory runs out.

    Parameters
    ----------
    source : path, str, bytes, or a compiled program of JAX
        A file, or the text itself: as XLA, JAX or libtpu print it, at any stage of compilation. A
        str of one line is a file's name. Of a folder, as ``--xla_dump_to`` fills it, the optimised
        module that says most. Of a program, ``compiled.as_text()``.

    Returns
    -------
    Report

    Raises
    ------
    ValueError
        If there is neither in it.
    FileNotFoundError, OSError
        If there is no such file.

    Examples
    --------
    >>> import tilewright as tw
    >>> text = "HloModule m\\n\\nENTRY e {\\n  ROOT p = f32[3,5]{1,0:T(4,128)} parameter(0)\\n}\\n"
    >>> tw.hlo(text).parameters
    [{'name': 'p', 'text': 'f32[3,5]{1,0:T(4,128)}', 'bytes': 2048, 'logical_bytes': 60}]
    """
    dump = _dump(source)
    document = _tilewright.hlo_report(dump.module, dump.before, dump.reports)
    return Report(json.loads(document), dump.module)


def assign(source: HloLike) -> Assignment:
    """Finds the formats in which a program's parameters would pad and move least.

    Parameters
    ----------
    source : as `hlo` takes it
        A module, before or after optimisation.

    Raises
    ------
    ValueError
        If there is no module in it, or it has no entry computation.
    FileNotFoundError, OSError
        If there is no such file.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.assign("ENTRY e {\\n  ROOT p = f32[9,9] parameter(0)\\n}\\n").totals["best"]["moved_bytes"]
    0
    """
    return Assignment(json.loads(_tilewright.hlo_assignment(read(source))))


@dataclass(frozen=True)
class _Dump:
    """What was read."""

    module: bytes
    before: bytes | None = None
    """The module before it was optimised."""
    reports: tuple[str | None, str | None, str | None] = (None, None, None)
    """The compiler's own, on its use of memory, its buffers and their lives."""


def read(source: HloLike) -> bytes:
    """The bytes of a dump."""
    return _dump(source).module


def _dump(source: HloLike) -> _Dump:
    if hasattr(source, "as_text"):
        text = source.as_text()
        if not isinstance(text, str):
            raise ValueError(f"{type(source).__name__}.as_text() has no text")
        return _Dump(text.encode())
    if isinstance(source, PathLike):
        return _of_path(Path(source))
    if not isinstance(source, str):
        return _Dump(bytes(memoryview(source)))
    if "\n" in source or not source.strip():
        return _Dump(source.encode())
    try:
        return _of_path(Path(source))
    except FileNotFoundError:
        is_name = " " not in source and bool(Path(source).suffix or sep in source)
        kind = FileNotFoundError if is_name else ValueError
        said = f"`{source[:200]}` is no file that is there"
        raise kind(f"{said}, and no HLO module, which has more lines than one") from None


def _of_path(path: Path) -> _Dump:
    """A file, or the module of a dump's folder that says most, with what lies beside it."""
    try:
        is_folder = path.is_dir()
    except ValueError:  # A name with a NUL, which Python 3.11 says so.
        raise FileNotFoundError(str(path)) from None
    if not is_folder:
        try:
            return _Dump(path.read_bytes())
        except ValueError:
            raise FileNotFoundError(str(path)) from None
    files = [(entry.name, entry.stat().st_size) for entry in path.iterdir() if entry.is_file()]
    found = _tilewright.hlo_files_of(sorted(files))
    if found is None:
        expected = "*after_optimizations.txt or *oom_intermediate_module.txt"
        said = f"{path}: a folder without an optimised module: expected {expected}"
        raise IsADirectoryError(said)
    module, before, reports = found
    usage, assignment, live_ranges = (
        (path / name).read_text("utf-8", "replace") if name else None for name in reports
    )
    return _Dump(
        (path / module).read_bytes(),
        (path / before).read_bytes() if before else None,
        (usage, assignment, live_ranges),
    )


for _public in (Report, Change, Assignment):
    _public.__module__ = "tilewright"
