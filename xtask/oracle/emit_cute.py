"""emit-cute: the CuTe types of `tilewright emit`, asked for every offset while they are compiled.

Oracle: the headers of CUTLASS (`nvidia-cutlass`) with those of CUDA, compiled for the host by g++. The offsets of
all elements are compared by `static_assert`, and sizes with CuTe's own.
"""

import os
import subprocess
import tempfile

from cutlass_headers import include_options
from emit_cases import cases, need

MODEL = """
template <class L, class Index, std::size_t... d>
constexpr bool agrees_at(L layout, Index const &index, long offset, std::index_sequence<d...>) {
    return long(layout(int(index[d])...)) == offset;
}
template <class L, std::size_t N, std::size_t R>
constexpr bool agrees(L layout, long const (&indexes)[N][R], long const (&offsets)[N]) {
    for (std::size_t e = 0; e < N; e++)
        if (!agrees_at(layout, indexes[e], offsets[e], std::make_index_sequence<R>{})) return false;
    return true;
}
"""


def checked(case):
    """The types of a case, and that they give its offsets."""
    code = case.code.replace("#pragma once\n", "")
    layout = f"{case.name}_layout"
    if not case.dims:
        return code
    indexes = ",".join("{" + ",".join(map(str, index)) + "}" for index in case.indexes())
    offsets = ",".join(map(str, case.offsets))
    return f"""{code}
constexpr long {case.name}_indexes[][{len(case.dims)}] = {{{indexes}}};
constexpr long {case.name}_offsets[] = {{{offsets}}};
static_assert(cute::size({layout}{{}}) == {len(case.offsets)}, "{case.name}: size");
static_assert(agrees({layout}{{}}, {case.name}_indexes, {case.name}_offsets), "{case.name}");
"""


def main():
    need("g++")
    every = [case for case in cases("cute") if len(case.offsets) < 2000 and case.offsets]
    parts = ["#include <utility>\n#include <cute/layout.hpp>\n", MODEL, *map(checked, every)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "all.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(parts))
        command = ["g++", "-std=c++17", "-fsyntax-only", "-w", "-fconstexpr-ops-limit=2000000000"]
        command += ["-fconstexpr-loop-limit=1000000", *include_options(), path]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"emit-cute: {done.stderr[:4000]}")
    swizzled = sum("Swizzle" in case.code for case in every)
    print(f"emit-cute: {len(every)} texts agree with CuTe, {swizzled} of them with swizzles")


if __name__ == "__main__":
    main()
