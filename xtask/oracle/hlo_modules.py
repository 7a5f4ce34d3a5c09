"""hlo: the modules that the TPU compiler makes of real programs, and the bytes of their arguments.

Oracle: libtpu, compiling ahead of time for a v5e (no TPU is needed). For each program of
`hlo_programs.py` there is the module after optimisation, as `compiled.as_text()` prints it, and for
some the module before it. Some are compiled again with an argument in the
format that `tilewright assign` found. `argument-bytes.tsv` has `memory_analysis().argument_size_in_bytes`.
Of the text only the encoded bodies of the compiler's own kernels are shortened, and the paths of
source files: the rest is as it was printed.
"""

import os
import re
import sys

from isolate import certain
from tables import header, write

CHIP = "v5e:2x2"
BEFORE_OPTIMISATION = ["transformer-forward", "kv-cache-update", "collectives"]
LONGEST_BACKEND_CONFIG = 400


def compiled(name):
    """(optimised text, text before, argument bytes) of the program of this name."""
    os.environ.update(TPU_SKIP_MDS_QUERY="1", TPU_ACCELERATOR_TYPE="v5litepod-4", JAX_PLATFORMS="cpu")
    import jax
    import numpy as np
    from jax.experimental.topologies import get_topology_desc
    from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

    from jax.experimental.layout import Format, Layout

    from hlo_programs import ASSIGNED, programs

    name, _, assigned = name.partition(".")
    devices = get_topology_desc(platform="tpu", topology_name=CHIP).devices
    _, function, arguments, partition = next(p for p in programs() if p[0] == name)
    if partition is None:
        place = lambda *_: SingleDeviceSharding(devices[0])
        shardings = jax.tree.map(place, arguments)
        if assigned:
            number, order, tiles = ASSIGNED[name]
            shardings = list(shardings)
            shardings[number] = Format(Layout(order, tiles), shardings[number])
            shardings = tuple(shardings)
    else:
        mesh = Mesh(np.array(devices).reshape(2, 2), ("x", "y"))
        shardings = tuple(NamedSharding(mesh, PartitionSpec(*axes)) for axes in partition)
    lowered = jax.jit(function, in_shardings=shardings).lower(*arguments)
    executable = lowered.compile()
    wants_before = name in BEFORE_OPTIMISATION and not assigned
    before = lowered.as_text(dialect="hlo") if wants_before else None
    return executable.as_text(), before, executable.memory_analysis().argument_size_in_bytes


def shortened(text):
    """The text with long strings in backend_config cut, and file names without their folders."""
    text = re.sub(r'"([A-Za-z0-9+/=\\n]{%d})[A-Za-z0-9+/=\\n]+"' % LONGEST_BACKEND_CONFIG,
                  r'"\1..."', text)
    return re.sub(r'"(?:/[^"/\s]+)+/([^"/\s]+\.py)"', r'"\1"', text)


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    from hlo_programs import ASSIGNED, programs

    names = [program[0] for program in programs()] + [f"{name}.assigned" for name in ASSIGNED]
    rows, total = [], 0
    for name, (text, before, size) in zip(names, certain(compiled, names)):
        rows.append([name, str(size)])
        for suffix, module in (("", text), (".before", before)):
            if module is None:
                continue
            data = shortened(module).encode()
            total += len(data)
            with open(os.path.join(folder, f"{name}{suffix}.hlo"), "wb") as file:
                file.write(data)
    write(os.path.join(folder, "argument-bytes.tsv"), header(__file__, ["libtpu", "jax"],
          f"columns: module, argument_size_in_bytes for {CHIP}"), rows)
    print(f"{len(rows)} programs, {total} bytes of modules")


if __name__ == "__main__":
    main()
