"""Compiles one program of `hlo_memory_programs.py`, for `hlo_memory.py`: NAME FOLDER.

The dump goes to the folder. The last line printed is JSON: the fields of `memory_analysis()`, or
the error of a program that does not fit.
"""

import json
import os
import sys

from tpu import TOPOLOGIES, device

FIELDS = [
    f"{host}{what}_size_in_bytes" for host in ("", "host_")
    for what in ("argument", "output", "temp", "alias", "generated_code")
] + ["peak_memory_in_bytes"]


def main():
    name, folder = sys.argv[1:]
    os.environ["XLA_FLAGS"] = f"--xla_dump_to={folder}"
    from hlo_memory_programs import PROGRAMS

    chip, lowered = PROGRAMS[name]
    device(chip)  # puts what the compiler needs into the environment
    from jax.experimental.topologies import get_topology_desc

    devices = get_topology_desc(platform="tpu", topology_name=TOPOLOGIES[chip]).devices
    computation = lowered(devices)
    try:
        stats = computation.compile().memory_analysis()
    except Exception as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        print(json.dumps({"error": str(error).splitlines()[0]}))
    else:
        print(json.dumps({field: getattr(stats, field) for field in FIELDS}))


if __name__ == "__main__":
    main()
