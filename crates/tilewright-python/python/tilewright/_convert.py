"""Files converted as a whole, on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath

from . import _tilewright
from ._progress import Counter, Progress


@dataclass(frozen=True)
class Conversion:
    """What became of an array of a file.

    Examples
    --------
    >>> import tilewright as tw
    >>> tw.Conversion("w", "f32[3,5]{1,0}", "f32[3,5]{0,1}", 60, 60)
    Conversion(name='w', source='f32[3,5]{1,0}', target='f32[3,5]{0,1}', bytes_in=60, bytes_out=60)
    """

    name: str
    """The array's name in the output."""
    source: str
    """What it was; ``-`` where it was not."""
    target: str
    """What it is."""
    bytes_in: int
    """Its bytes in the input."""
    bytes_out: int
    """Its bytes in the output."""


def convert(
    source: str | PathLike[str],
    output: str | PathLike[str],
    to: str | None = None,
    *,
    tensors: Mapping[str, str] | None = None,
    origins: Mapping[str, str] | str | None = None,
    pad: str | None = None,
    threads: int | None = None,
    max_memory: int | None = None,
    force: bool = False,
    in_place: bool = False,
    progress: Progress | bool | None = None,
) -> list[Conversion]:
    """Converts every array of a file, within bounded memory: what ``tilewright convert`` does.

    Parameters
    ----------
    source : path
        A .npy or .safetensors file, or a folder of a model.
    output : path
        Where to; its name says the format. It is there whole or not at all.
    to : str, optional
        A layout for every array: ``"{1,0:T(8,128)}"``, ``"tpu:v5e"``, ``"row-major"``, ``"@marlin"``; or what the folder
        of a quantised model is to become: ``"gptq"``, ``"gptq-v2"``, ``"awq"``, ``"marlin"``,
        ``"compressed-tensors"``, ``"aiter"``.
    tensors : mapping of str to str
        Layouts by patterns of names; the last that matches holds.
    origins : str or mapping of str to str
        What the arrays are, where the file does not say: a layout for all, or by patterns of names what a library has
        stored, ``{"*.qweight": "u4@gptq"}``.
    pad : str
        What padding holds.
    threads, max_memory : int
        How many threads, and how many bytes, are taken at most.
    force : bool
        Whether an output that is there is replaced.
    in_place : bool
        Whether the output may be the source.
    progress : bool or callable
        As for `load`.

    Returns
    -------
    list of Conversion
        What became of every array.

    Raises
    ------
    FileExistsError
        If there is such an output, without `force`.
    OSError
        If a file cannot be read or written.
    ValueError
        If an array cannot become what it is to be; the message names it.

    Examples
    --------
    >>> import numpy as np, tempfile, tilewright as tw
    >>> folder = tempfile.mkdtemp()
    >>> tw.save(folder + "/x.npy", np.zeros((3, 5), np.float32))
    >>> [row.target for row in tw.convert(folder + "/x.npy", folder + "/y.npy", "{1,0:T(2,2)}")]
    ['f32[3,5]{1,0:T(2,2)}']
    """
    planned = _tilewright.Conversion(
        fspath(source),
        fspath(output),
        to,
        assignments(tensors),
        [origins] if isinstance(origins, str) else assignments(origins),
        pad,
        threads,
        max_memory,
        force,
        in_place,
    )
    rows = [Conversion(*row) for row in planned.rows()]
    counter = Counter(progress, sum(row.bytes_out for row in rows), f"writing {fspath(output)}")
    planned.write(counter.add)
    counter.close()
    return rows


def assignments(by_name: Mapping[str, str] | Sequence[str] | None) -> list[str]:
    """``GLOB=LAYOUT`` for each."""
    if isinstance(by_name, Mapping):
        return [f"{pattern}={layout}" for pattern, layout in by_name.items()]
    return list(by_name or ())


Conversion.__module__ = "tilewright"
