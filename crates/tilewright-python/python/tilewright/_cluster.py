"""A model's folder converted on a cluster, a task a shard.

A plan needs the headers of all shards, and of a quantised model what its zero points say. So every worker has the
folder in outline: a file for each shard, with its header and else without bytes, in which only those are that it needs.
First each shard is looked at by itself; then the plan is the same wherever it is made, and a shard of the output is
written by whoever has it to do, beside its place or in one piece.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import _tilewright
from ._convert import assignments

INDEX = "model.safetensors.index.json"
ONLY = "model.safetensors"

CONFIGS = ("config.json", "quantize_config.json", "quant_config.json")
"""What a plan looks at beside the shards."""

PIECE = 64 << 20
"""So many bytes are asked for at once."""

MOST_HEADER = 100 << 20
"""A longer header is none, as `tilewright` reads them."""

WHOLE = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "memory"})
"""The protocols that put objects in one piece: there is no half of one to be seen."""


@dataclass(frozen=True)
class Converted:
    """What a conversion on a cluster has done.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.dask.Converted(written=("model-00002-of-00002.safetensors",), kept=())
    Converted(written=('model-00002-of-00002.safetensors',), kept=())
    """

    written: tuple[str, ...]
    """The names of the shards that were written."""
    kept: tuple[str, ...]
    """The names of those that were there."""


class Place(NamedTuple):
    """A folder of a file system."""

    url: str
    options: tuple[tuple[str, Any], ...]

    def open(self) -> tuple[Any, str]:
        """The file system, and the folder's path there."""
        import fsspec

        return fsspec.core.url_to_fs(self.url, **dict(self.options))  # type: ignore[no-any-return]


class Outline(NamedTuple):
    """A folder of shards without their arrays."""

    files: tuple[tuple[str, bytes], ...]
    """The index and the configuration."""
    shards: tuple[tuple[str, int, bytes], ...]
    """Of each shard the name, the length in bytes and the header."""
    others: tuple[str, ...]
    """The names of the other files."""


class Task(NamedTuple):
    """What every task has to know."""

    source: Place
    output: Place
    to: str | None
    tensors: tuple[str, ...]
    threads: int
    max_memory: int | None
    token: str


def convert(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str],
    to: str | None = None,
    *,
    tensors: Mapping[str, str] | None = None,
    force: bool = False,
    threads: int = 1,
    max_memory: int | None = None,
    storage_options: Mapping[str, Any] | None = None,
    out_options: Mapping[str, Any] | None = None,
) -> Converted:
    """Converts the folder of a model on whatever cluster dask runs, a task a shard, from and to any file system of fsspec.

    The shards of the output are byte for byte what `tilewright.convert` writes. Each is there whole or not at all; that of a
    worker that dies is written by another; the index comes last, so that a folder with an index is complete. A
    conversion that is repeated writes only what is missing: a shard is taken for done if it has the length and the
    header that it is to have and is not older than the one that it is made of.

    A worker needs room for one shard and what becomes of it in its temporary folder.

    Parameters
    ----------
    folder : path or URL
        A model's folder: ``s3://bucket/model``, ``/models/m``. Of a single ``model.safetensors`` too.
    out : path or URL
        The folder to write.
    to, tensors
        As for `tilewright.convert`.
    force : bool
        Whether shards that are there and are others are replaced.
    threads, max_memory : int
        How many threads, and how many bytes, a task takes at most.
    storage_options, out_options : mapping
        What the file systems of `folder` and `out` are told; `out_options` are `storage_options` where nothing is said.

    Returns
    -------
    Converted

    Raises
    ------
    FileExistsError
        If there are other shards in `out`, without `force`.
    OSError
        If a file cannot be read or written.
    ValueError
        If an array cannot become what it is to be; the message names it.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> folder = tempfile.mkdtemp()
    >>> tw.save(folder + "/model.safetensors", {"w": np.zeros((3, 5), np.float32)})
    >>> tw.dask.convert(folder, folder + "-tiled", "{1,0:T(2,2)}").written
    ('model.safetensors',)
    >>> tw.dask.convert(folder, folder + "-tiled", "{1,0:T(2,2)}").kept
    ('model.safetensors',)
    >>> tw.load(folder + "-tiled/model.safetensors")["w"].shape
    (3, 5)
    """
    import dask

    options = tuple((storage_options or {}).items())
    source = Place(os.fspath(folder), options)
    output = Place(
        os.fspath(out), options if out_options is None else tuple(out_options.items())
    )
    token = secrets.token_hex(4)
    task = Task(source, output, to, tuple(assignments(tensors)), threads, max_memory, token)
    outline = _outline(source)
    shared = dask.delayed(outline)
    count = len(outline.shards)
    surveys = [dask.delayed(_survey)(task, shared, shard) for shard in range(count)]
    facts = _merged(dask.compute(*surveys))
    with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
        planned = _planned(_laid_out(outline, temporary), task, facts)
        shards, index = planned.outline()
        carried, written = planned.carried(), planned.written()
    missing = _missing(task, outline, shards, force)
    dask.compute(*(dask.delayed(_write_shard)(task, shared, facts, shard) for shard in missing))
    _write_beside(task, carried, [*written, *([index] if index else [])])
    names = [name for name, _, _ in shards]
    return Converted(
        written=tuple(names[shard] for shard in missing),
        kept=tuple(name for shard, name in enumerate(names) if shard not in missing),
    )


def _outline(source: Place) -> Outline:
    """The headers of all shards, and the files that say something of the model."""
    import json

    fs, path = source.open()
    files = []
    if fs.exists(f"{path}/{INDEX}"):
        text = fs.cat_file(f"{path}/{INDEX}")
        files.append((INDEX, text))
        try:
            names = sorted(set(json.loads(text)["weight_map"].values()))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}/{INDEX}: no index of shards: {error}") from None
        for name in names:
            if not isinstance(name, str) or "/" in name or "\\" in name or name in ("", ".", ".."):
                raise ValueError(f"{path}/{INDEX}: {name!r} is not the bare name of a file")
    elif fs.exists(f"{path}/{ONLY}"):
        names = [ONLY]
    else:
        raise FileNotFoundError(f"{path}: neither {INDEX} nor {ONLY} is there")
    for name in CONFIGS:
        with suppress(FileNotFoundError):
            files.append((name, fs.cat_file(f"{path}/{name}")))
    known = {INDEX, *CONFIGS, *names}
    listed = (entry for entry in fs.ls(path, detail=True) if entry["type"] == "file")
    others = {entry["name"].rstrip("/").rsplit("/", 1)[-1] for entry in listed} - known
    shards = tuple(_header(fs, path, name) for name in names)
    return Outline(tuple(files), shards, tuple(sorted(others)))


def _header(fs: Any, path: str, name: str) -> tuple[str, int, bytes]:
    place = f"{path}/{name}"
    size = fs.info(place)["size"]
    length = int.from_bytes(fs.cat_file(place, start=0, end=8), "little")
    if not 8 + length <= size or length > MOST_HEADER:
        raise ValueError(f"{place}: a header of {length} bytes in a file of {size}")
    return name, size, fs.cat_file(place, start=0, end=8 + length)


def _laid_out(outline: Outline, folder: str) -> str:
    """The folder on this machine, its arrays without bytes, which take no room."""
    for name, text in (*outline.files, *((name, b"") for name in outline.others)):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
    for name, size, header in outline.shards:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(header)
            file.truncate(size)
    return folder


def _fetch(source: Place, folder: str, name: str, ranges: Iterable[tuple[int, int]]) -> None:
    """Gets bytes of a file of the source to their places: of each range the start and the length."""
    fs, path = source.open()
    with open(os.path.join(folder, name), "r+b") as file:
        for start, length in _joined(ranges):
            for at in range(start, start + length, PIECE):
                end = min(at + PIECE, start + length)
                piece = fs.cat_file(f"{path}/{name}", start=at, end=end)
                if len(piece) != end - at:
                    raise OSError(f"{path}/{name}: {len(piece)} bytes of {end - at} at {at}")
                file.seek(at)
                file.write(piece)


def _joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges that follow each other as one."""
    joined: list[tuple[int, int]] = []
    for start, length in sorted(ranges):
        if joined and joined[-1][0] + joined[-1][1] == start:
            joined[-1] = (joined[-1][0], joined[-1][1] + length)
        else:
            joined.append((start, length))
    return joined


def _planned(folder: str, task: Task, facts: str | None) -> _tilewright.Conversion:
    """The output's place is only a name here: nothing is written there."""
    output = os.path.join(folder, "output")
    return _tilewright.Conversion(
        folder,
        output,
        task.to,
        list(task.tensors),
        [],
        threads=task.threads,
        max_memory=task.max_memory,
        facts=facts,
    )


def _survey(task: Task, outline: Outline, shard: int) -> str | None:
    """What the small arrays of a quantised model's shard say."""
    with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
        folder = _laid_out(outline, temporary)
        name = outline.shards[shard][0]
        ranges = _tilewright.surveyed_ranges(folder, task.to, shard)
        if ranges is None:
            return None
        _fetch(task.source, folder, name, ranges)
        return _tilewright.survey(folder, task.to, shard)


def _merged(surveys: Iterable[str | None]) -> str | None:
    found = [survey for survey in surveys if survey is not None]
    return _tilewright.merged_facts(found) if found else None


def _missing(
    task: Task, outline: Outline, shards: list[tuple[str, bytes, int]], force: bool
) -> list[int]:
    """The numbers of the shards that are not there as they are to be."""
    fs, path = task.output.open()
    sources, folder = task.source.open()
    missing = []
    for shard, (name, header, size) in enumerate(shards):
        place = f"{path}/{name}"
        try:
            info = fs.info(place)
        except FileNotFoundError:
            missing.append(shard)
            continue
        same = info["size"] == size and fs.cat_file(place, start=0, end=len(header)) == header
        if same and not _is_older(fs, place, sources, f"{folder}/{outline.shards[shard][0]}"):
            continue
        if not force:
            raise FileExistsError(f"{place} is there and is another: force=True replaces it")
        missing.append(shard)
    if missing:
        # A folder with an index is complete.
        with suppress(FileNotFoundError):
            fs.rm_file(f"{path}/{INDEX}")
    return missing


def _is_older(fs: Any, place: str, sources: Any, source: str) -> bool:
    try:
        return bool(fs.modified(place) < sources.modified(source))
    except (NotImplementedError, TypeError):
        return False


def _write_shard(task: Task, outline: Outline, facts: str | None, shard: int) -> int:
    """Writes one shard of the output, and gives back its length."""
    with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
        folder = _laid_out(outline, temporary)
        name, size, header = outline.shards[shard]
        _fetch(task.source, folder, name, [(len(header), size - len(header))])
        planned = _planned(folder, task, facts)
        others: dict[int, list[tuple[int, int]]] = {}
        for other, start, length in planned.needs(shard):
            others.setdefault(other, []).append((start, length))
        for other, ranges in others.items():
            _fetch(task.source, folder, outline.shards[other][0], ranges)
        made = os.path.join(temporary, ".made.safetensors")
        planned.write_shard(shard, made)
        length = os.path.getsize(made)
        _put(task, made, name)
        return length


def _put(task: Task, made: str, name: str) -> None:
    """Puts a file in its place, whole or not at all."""
    fs, path = task.output.open()
    fs.makedirs(path, exist_ok=True)
    protocols = {fs.protocol} if isinstance(fs.protocol, str) else set(fs.protocol)
    if protocols & WHOLE:
        fs.put_file(made, f"{path}/{name}")
    else:
        beside = f"{path}/.tilewright-{task.token}-{name}.new"
        try:
            fs.put_file(made, beside)
            fs.mv(beside, f"{path}/{name}")
        except BaseException:
            with suppress(OSError):
                fs.rm_file(beside)
            raise
    fs.invalidate_cache()
    there, length = fs.info(f"{path}/{name}")["size"], os.path.getsize(made)
    if there != length:
        raise OSError(f"{path}/{name}: {there} bytes are there, of {length}")


def _write_beside(task: Task, carried: list[str], texts: list[tuple[str, str]]) -> None:
    """The files beside the shards, and at last the index; those that are there stay."""
    sources, folder = task.source.open()
    fs, path = task.output.open()
    with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
        made = os.path.join(temporary, "made")
        for name in carried:
            source = f"{folder}/{name}"
            if _size(fs, f"{path}/{name}") != _size(sources, source) or _is_older(
                fs, f"{path}/{name}", sources, source
            ):
                sources.get_file(source, made)
                _put(task, made, name)
        for name, text in texts:
            place = f"{path}/{name}"
            if _size(fs, place) is None or fs.cat_file(place) != text.encode():
                with open(made, "wb") as file:
                    file.write(text.encode())
                _put(task, made, name)


def _size(fs: Any, place: str) -> int | None:
    try:
        return int(fs.info(place)["size"])
    except FileNotFoundError:
        return None


Converted.__module__ = "tilewright.dask"
