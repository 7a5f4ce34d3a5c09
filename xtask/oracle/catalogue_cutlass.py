"""catalogue-cutlass.tsv: where CUTLASS puts scales of blocks and operands of MMA instructions.

Oracle: the headers of CUTLASS (`nvidia-cutlass`) with those of CUDA (`nvidia-cuda-runtime-cu12`,
`-nvcc-`, `-cccl-`), compiled for the host: `cutlass.cpp` evaluates CuTe's layouts at every element.
Needs g++ besides. Rows are those of `positions.py`.
"""

import os
import random
import subprocess
import sys
import tempfile

from cutlass_headers import include_options
from positions import COLUMNS, row
from tables import header, output_path, write

HERE = os.path.dirname(os.path.abspath(__file__))
MISSING = "catalogue-cutlass: cannot compile against CUTLASS; it needs g++ with C++17"
N_RANDOM = 40


def compiled(folder):
    program = os.path.join(folder, "cutlass")
    command = ["g++", "-std=c++17", "-O1", "-w", os.path.join(HERE, "cutlass.cpp"), "-o", program]
    command += include_options()
    try:
        if subprocess.run(command).returncode == 0:
            return program
    except FileNotFoundError:
        pass
    sys.exit(MISSING)


def cases():
    """Vector, rows, scales of a row, batch: whole blocks, a little more or less, and any."""
    yield from [(16, 128, 4, 1), (32, 128, 4, 1), (16, 1, 1, 1), (32, 129, 5, 1), (16, 300, 13, 1)]
    yield from [(32, 127, 3, 3), (16, 640, 64, 1), (16, 256, 8, 2)]
    rng = random.Random("cutlass")
    for _ in range(N_RANDOM):
        batch = rng.choice([1, 1, 2, 3])
        yield rng.choice([16, 32]), rng.randint(1, 400), rng.randint(1, 20), batch


def main():
    with tempfile.TemporaryDirectory() as folder:
        asked = "".join(" ".join(map(str, case)) + "\n" for case in dict.fromkeys(cases()))
        run = [compiled(folder)]
        answer = subprocess.run(run, input=asked, capture_output=True, text=True, check=True)
    rows = {}
    for line in answer.stdout.splitlines():
        array, n_places, places = line.split("\t")
        found = row(array, int(n_places), places.split())
        # Instructions of several types share a layout, and vectors of 16 and 32 do.
        assert rows.setdefault(array, found) == found, array
    write(output_path(), header(__file__, ["nvidia-cutlass"], COLUMNS), list(rows.values()))


main()
