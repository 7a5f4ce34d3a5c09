"""onednn.tsv: oneDNN's format tags, and where it puts the elements of arrays in them.

Oracle: oneDNN itself. `onednn.c`, compiled here, asks the library for the memory descriptor of a tag
and dims, and has its reorder fill such memory with numbered elements; every offset found there is
checked against the descriptor's strides and inner blocks. The names come from the library's header,
their numbers from the compiler. Needs gcc and oneDNN 2.x with headers (`apt-get install
libdnnl-dev` on Debian 12); other versions know other tags.

Rows, the first column says which:
  tag <tab> abstract tag
  alias <tab> name <tab> the abstract tag of the same number
  memory <tab> abstract tag <tab> dims <tab> padded dims <tab> elements in memory <tab> checksum
    <tab> element:offset of some elements, numbered in row-major order of their index
The checksum goes over the offsets of all elements in that order: it starts at 0, and each offset
makes of `c` `c * 6364136223846793005 + offset + 1`, all modulo 2**64, printed in hex.
"""

import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from tables import output_path, write

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = "oneapi/dnnl/dnnl_types.h"
N_DIMS_PER_TAG = 3
MOST_ELEMENTS = 60_000
MISSING = (
    "onednn: cannot compile against oneDNN 2.x; it needs gcc and libdnnl with its headers "
    "(Debian 12: apt-get install gcc libdnnl-dev)"
)


def compiled(folder, names):
    """The program, made of `onednn.c` and these names."""
    with open(os.path.join(folder, "tags.inc"), "w") as file:
        file.writelines(f"TAG({name})\n" for name in names)
    program = os.path.join(folder, "onednn")
    source = os.path.join(HERE, "onednn.c")
    command = ["gcc", "-O1", "-Wall", "-I", folder, source, "-o", program, "-ldnnl"]
    if subprocess.run(command).returncode != 0:
        sys.exit(MISSING)
    return program


def preprocessed():
    """The header, comments gone, as the compiler finds it."""
    if shutil.which("gcc") is None:
        sys.exit(MISSING)
    asked = subprocess.run(
        ["gcc", "-E", "-P", "-"], input=f"#include <{HEADER}>\n", capture_output=True, text=True
    )
    if asked.returncode != 0:
        sys.exit(MISSING)
    return asked.stdout


def header_names():
    """The tags' names, those defined by themselves and those defined as another's."""
    text = preprocessed().replace("\n", " ")
    end = text.index("} dnnl_format_tag_t;")
    start = text.rindex("enum", 0, end)
    entries = [entry.strip() for entry in text[text.index("{", start) + 1 : end].split(",")]
    own, aliases = [], []
    for entry in filter(None, entries):
        name, _, value = entry.partition("=")
        name = name.strip().removeprefix("dnnl_")
        if not re.fullmatch(r"format_tag_\w+", name):
            (aliases if value else own).append(name)
    return own, aliases


def ask(program, what, lines=()):
    text = "".join(line + "\n" for line in lines)
    asked = subprocess.run([program, what], input=text, capture_output=True, text=True)
    if asked.returncode != 0:
        sys.exit(asked.stderr)
    return asked.stdout.splitlines()


def blocks(tag):
    """What the blocks of each dimension of an abstract tag come to."""
    outer = re.match("[A-Za-z]+", tag).group()
    sizes = [1] * len(outer)
    for size, letter in re.findall(r"(\d+)([a-z])", tag[len(outer) :]):
        sizes[ord(letter) - ord("a")] *= int(size)
    return sizes


def random_dims(rng, tag):
    """Dims for a tag: whole blocks, a little more or less, and much less."""
    sizes = blocks(tag)
    while True:
        dims = [
            rng.choice([1, block - 1, block, block + 1, 2 * block + 3, rng.randint(1, 3 * block)])
            if block > 1
            else rng.choice([1, 1, 2, 3] if len(sizes) > 6 else [1, 2, 3, 5, 7])
            for block in sizes
        ]
        padded = math.prod(-(-dim // block) * block for dim, block in zip(dims, sizes))
        if padded <= MOST_ELEMENTS or math.prod(sizes) > MOST_ELEMENTS:
            return dims


def cases(tags):
    rng = random.Random("onednn")
    for tag in tags:
        for _ in range(N_DIMS_PER_TAG):
            yield tag, random_dims(rng, tag)
        if rng.random() < 0.04:
            dims = random_dims(rng, tag)
            dims[rng.randrange(len(dims))] = 0
            yield tag, dims


def weights():
    """Weights for VNNI and AMX: more dims of the tags that the catalogue speaks of. Rows of K that are
    interleaved without blocks of columns are those of one block that has all columns."""
    rng = random.Random("weights")
    for width in (2, 4):
        for _ in range(12):
            yield f"BA16a64b{width}a", [rng.randint(1, 300), rng.randint(1, 200)]
        for rows in (1, width, width + 1, 63, 64, rng.randint(65, 300)):
            yield f"BA16b{width}a", [rows, 16]
            for columns in (16, 32, 48, 64):
                yield f"aBdC{columns}b{width}c", [1, columns, rows, 1]


def main():
    path = output_path()
    own, aliases = header_names()
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder, own + aliases)
        version, *numbered = ask(program, "names")
        number = dict(line.split() for line in numbered)
        abstract = {number[name]: name for name in own}
        rows = [["tag", name] for name in own]
        rows += [["alias", name, abstract[number[name]]] for name in aliases]
        asked = [*cases(own), *weights()]
        lines = [f"{tag} {' '.join(map(str, dims))}" for tag, dims in asked]
        for (tag, dims), answer in zip(asked, ask(program, "memory", lines), strict=True):
            rows.append(["memory", tag, ",".join(map(str, dims)), *answer.split("\t")])
    columns = "tag | alias: name, tag | memory: tag, dims, padded dims, elements, checksum, probes"
    head = f"# made by xtask/oracle/onednn.py from oneDNN {version}; {columns}"
    write(path, head, rows)


main()
