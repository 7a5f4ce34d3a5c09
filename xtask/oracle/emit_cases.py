"""The cases of `tilewright-emit`: code in every language, and the tables that it must agree with.

`cargo run -p tilewright-emit --example cases` writes them and says what a case has.
"""

import ctypes
import itertools
import json
import shutil
import subprocess
import sys

OUTSIDE = 2  # so many offsets below and above the allocation are asked for too


class Case:
    """A layout, or a relayout, with its code in one language."""

    def __init__(self, fields, language):
        self.__dict__.update(fields)
        self.code = fields["code"][language]
        self.is_relayout = "to" in fields
        # Behind the other arguments, where an extent is one.
        self.last = f", {fields['argument']}" if "argument" in fields else ""

    def __str__(self):
        return f"{self.name}: {self.layout}" + (f" to {self.to}" if self.is_relayout else "")

    def indexes(self):
        """The indexes of all elements, in row-major order."""
        return list(itertools.product(*map(range, self.dims)))

    def places(self):
        """The index at each offset of the allocation and a little outside; None is padding."""
        index_of = dict(zip(self.offsets, self.indexes()))
        end = self.lowest + self.allocation
        return [(at, index_of.get(at)) for at in range(self.lowest - OUTSIDE, end + OUTSIDE)]

    def is_injective(self):
        """Whether no two elements share an offset."""
        return len(set(self.offsets)) == len(self.offsets)

    def bytes_before_and_after(self):
        return bytes.fromhex(self.src), bytes.fromhex(self.dst)


def cases(language):
    """The cases that have code in a language, from the file that is this program's argument."""
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} CASES")
    with open(sys.argv[1], encoding="utf-8") as file:
        every = [json.loads(line) for line in file]
    return [Case(fields, language) for fields in every if language in fields["code"]]


def same(case, what, found, expected):
    """Stops where a table differs from what is found."""
    if found == expected:
        return
    at = next((at for at, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]), None)
    place = "lengths differ" if at is None else f"entry {at} is {found[at]}, not {expected[at]}"
    raise SystemExit(f"{case}: {what}: {place}")


def need(*programs):
    """Stops where a program is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            raise SystemExit(f"{sys.argv[0]}: there is no {program}")


def run(command, what, **options):
    """Runs a command; stops with what it says where it fails. Returns its output."""
    done = subprocess.run(command, capture_output=True, **options)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace")[:4000]
        raise SystemExit(f"{what}: {command[0]}: {said}")
    return done.stdout


def slots(data, n, bits):
    """The slots of packed elements as numbers; the first is in the lowest bits."""
    number = int.from_bytes(data, "little")
    mask = (1 << bits) - 1
    if bits % 8 == 0:
        step = bits // 8
        return [int.from_bytes(data[at * step : (at + 1) * step], "little") for at in range(n)]
    return [number >> (at * bits) & mask for at in range(n)]


def aligned(n_bytes, fill=0xA5, alignment=64):
    """A buffer at a multiple of the alignment, and where it begins."""
    memory = ctypes.create_string_buffer(bytes([fill]) * (n_bytes + alignment))
    start = -ctypes.addressof(memory) % alignment
    return memory, start
