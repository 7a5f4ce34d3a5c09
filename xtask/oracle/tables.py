"""Writes the data files: tab-separated UTF-8 under one `#` line, escaped by `shapes.escaped`."""

import os
import sys
from importlib.metadata import version

LIMIT = 1_000_000  # bytes a data file may have


def header(script, packages, rest):
    """`made by` line: which script, from which oracle at which version, and the columns."""
    oracle = ", ".join(f"{package} {version(package)}" for package in packages)
    return f"# made by xtask/oracle/{os.path.basename(script)} from {oracle}; {rest}"


def write(path, head, rows):
    """Writes the rows (lists of already escaped fields, or whole lines) and says how many."""
    lines = [head] if head else []
    lines += ["\t".join(row) if isinstance(row, (list, tuple)) else row for row in rows]
    data = ("\n".join(lines) + "\n").encode()
    if len(data) > LIMIT:
        sys.exit(f"{path}: {len(data)} bytes is over the limit of {LIMIT}")
    with open(path, "wb") as file:
        file.write(data)
    print(f"{os.path.basename(path)}: {len(rows)} rows, {len(data)} bytes")


def output_path():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} OUTPUT")
    return sys.argv[1]
