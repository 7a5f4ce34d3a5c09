"""catalogue-llamacpp.tsv: where llama.cpp puts the codes of the types that it repacks as it loads a model,
and the rows of Q and K as it converts one.

Oracle: llama.cpp's own `repack_…` functions, of the sources that the sdist of `llama-cpp-python` comes
with: `pip download` gets it, nothing of it is built. The functions and the structs of their blocks are
taken from `ggml-cpu/repack.cpp` and `repack.h` as they stand and compiled by g++ with a program that gives
them a tensor. The rows are permuted by `LlamaModel.permute` of `conversion/llama.py`. Rows are those of `positions.py`.
"""

import ast
import glob
import os
import re
import subprocess
import sys
import tarfile
import tempfile

import numpy as np

from positions import COLUMNS, moved_row, packed_row
from tables import output_path, write

PACKAGE = "llama-cpp-python==0.3.36"
FOLDER = "ggml/src/ggml-cpu"
# The type, the bytes of a block's scale, the bits of a code, rows of a group, bytes in turn, function.
REPACKED = [
    ("Q4_0", 2, 4, 4, 4, "repack_q4_0_to_q4_0_4_bl"),
    ("Q4_0", 2, 4, 4, 8, "repack_q4_0_to_q4_0_4_bl"),
    ("Q4_0", 2, 4, 8, 8, "repack_q4_0_to_q4_0_8_bl"),
    ("Q8_0", 2, 8, 4, 4, "repack_q8_0_to_q8_0_4_bl"),
    ("Q8_0", 2, 8, 4, 8, "repack_q8_0_to_q8_0_4_bl"),
    ("IQ4_NL", 2, 4, 4, 4, "repack_iq4_nl_to_iq4_nl_4_bl"),
    ("IQ4_NL", 2, 4, 8, 8, "repack_iq4_nl_to_iq4_nl_8_bl"),
    ("MXFP4", 1, 4, 4, 4, "repack_mxfp4_to_mxfp4_4_bl"),
    ("MXFP4", 1, 4, 8, 8, "repack_mxfp4_to_mxfp4_8_bl"),
]
BEFORE = """
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define GGML_COMMON_DECL_CPP
#include "ggml-common.h"
#define GGML_RESTRICT
#define GGML_ASSERT(x) do { if (!(x)) { fprintf(stderr, "%s\\n", #x); exit(1); } } while (0)
#define GGML_UNUSED(x) (void)(x)
enum { GGML_TYPE_Q4_0, GGML_TYPE_Q8_0, GGML_TYPE_IQ4_NL, GGML_TYPE_MXFP4 };
struct ggml_tensor { int type; int64_t ne[2]; void *data; };
static int64_t ggml_nrows(const ggml_tensor *t) { return t->ne[1]; }
"""
AFTER = """
int main(int, char **arguments) {
    ggml_tensor t = {0, {atoll(arguments[2]), atoll(arguments[3])}, nullptr};
    int chunk = atoi(arguments[4]), failed = 1;
    std::vector<char> blocks, out;
    for (int c; (c = getchar()) != EOF;) blocks.push_back(char(c));
    out.resize(blocks.size());
    t.data = out.data();
CASES
    if (failed == 0) fwrite(out.data(), 1, out.size(), stdout);
    return failed;
}
"""


def sources(folder):
    """The sources of llama.cpp."""
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
    subprocess.run([*download, "--no-binary", PACKAGE.split("==")[0], PACKAGE], check=True)
    [archive] = glob.glob(os.path.join(folder, "llama*.tar.gz"))
    with tarfile.open(archive) as file:
        parts = ("/vendor/llama.cpp/ggml/src/ggml", "/vendor/llama.cpp/conversion/")
        wanted = [each for each in file.getmembers() if any(part in each.name for part in parts)]
        file.extractall(folder, members=wanted, filter="data")
    [found] = glob.glob(os.path.join(folder, "*/vendor/llama.cpp"))
    return found


def function(text, name):
    found = re.search(rf"^static [\w ]+ {name}\(.*?^}}", text, re.M | re.S)
    return found.group()


def compiled(folder, root):
    with open(os.path.join(root, FOLDER, "repack.h")) as file:
        header = file.read()
    with open(os.path.join(root, FOLDER, "repack.cpp")) as file:
        text = file.read()
    structs = header[header.index("template <int K> constexpr int QK_0()") : header.index("#if defined(__cplusplus)")]
    names = list(dict.fromkeys(name for *_, name in REPACKED))
    parts = [BEFORE, structs]
    for name in names:
        body = function(text, name)
        made = re.search(r"= (make_block_\w+)\(", body).group(1)
        parts += [function(text, made), body]
    cases = "".join(
        f'    if (!strcmp(arguments[1], "{name}")) t.type = GGML_TYPE_{kind},\n'
        f"        failed = {name}(&t, chunk, blocks.data(), blocks.size());\n"
        for name, kind in {name: kind for kind, *_, name in REPACKED}.items()
    )
    program = os.path.join(folder, "repack")
    source = "\n".join(parts) + AFTER.replace("CASES", cases)
    command = ["g++", "-std=c++17", "-O1", "-w", "-x", "c++", "-", "-o", program]
    command += ["-I", os.path.join(root, "ggml/src")]
    subprocess.run(command, input=source, text=True, check=True)
    return program


def blocks(codes, scale_bytes, bits):
    """Blocks of 32 codes behind a scale of zeros, as the type has them before it is repacked."""
    codes = codes.reshape(-1, 32)
    if bits == 4:
        codes = codes[:, :16] | codes[:, 16:] << 4
    scales = np.zeros((len(codes), scale_bytes), np.uint8)
    return np.concatenate([scales, codes.astype(np.uint8)], axis=1).tobytes()


def rope(root):
    """The rows of Q and K, permuted head by head."""
    with open(os.path.join(root, "conversion/llama.py")) as file:
        tree = ast.parse(file.read())
    [found] = [node for node in ast.walk(tree) if getattr(node, "name", "") == "permute"]
    found.decorator_list, found.returns = [], None
    for argument in found.args.args:
        argument.annotation = None
    namespace = {}
    exec(compile(ast.Module([found], []), "llama.py", "exec"), namespace)
    for heads, dims in [(1, (4, 3)), (4, (64, 5)), (3, (24, 8))]:
        array = f"f16[{dims[0]},{dims[1]}]@llama.rope({heads})"
        yield moved_row(array, lambda numbers: namespace["permute"](numbers, heads, heads), dims)


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        root = sources(folder)
        rows += rope(root)
        program = compiled(folder, root)
        for kind, scale_bytes, bits, group, chunk, name in REPACKED:
            for dims in [(group, 32), (2 * group, 96)]:
                command = [program, name, str(dims[1]), str(dims[0]), str(chunk)]

                def pack(codes):
                    given = blocks(codes, scale_bytes, bits)
                    return subprocess.run(command, input=given, capture_output=True, check=True).stdout

                record = group * (scale_bytes + 4 * bits)
                carrier = f"U8[{dims[0] // group},{dims[1] // 32 * record}]"
                element = {"Q8_0": "s8", "MXFP4": "f4e2m1fn"}.get(kind, "u4")
                layout = f"llamacpp.{kind.lower()}({group},{chunk})"
                array = f"{element}[{dims[0]},{dims[1]}]@{layout}"
                rows.append(packed_row(array, pack, dims, bits, carrier))
    head = f"# made by xtask/oracle/catalogue_llamacpp.py from {PACKAGE.replace('==', ' ')}; {COLUMNS}"
    write(output_path(), head, rows)


main()
