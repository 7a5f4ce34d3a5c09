"""hlo-memory: what the TPU compiler says of the memory of real programs, beside their modules.

Oracle: libtpu, compiling the programs of `hlo_memory_programs.py` ahead of time for the generations
they name (no TPU is needed) with `--xla_dump_to`. Each compiles in a process of its own. Of a program
there are two files, `NAME.hlo` and `NAME.live.tsv`. A program's own file and line numbers are in its
module: who changes `hlo_memory_programs.py` or `hlo_memory_compile.py` makes all of them again.

`NAME.hlo` is the dump's `after_codegen.txt`, which `compiled.as_text()` prints too: the scheduled
module that the live ranges speak of, with an estimate of cycles. It is checked to be that of
`after_optimizations.txt` but for backend configs. Of a program that does not fit there is only
`oom_intermediate_module.txt`, which is scheduled too but has no estimates. Of a `backend_config`
only what KEPT_CONFIG names is left, and the encoded bodies of kernels are cut; source files lose
their folders. The rest is as it was printed.

`NAME.live.tsv` has one record a line, its kind in the first column. `#` begins a comment. Sizes are
bytes. A space is the number in a layout's `S(n)`: 0 (not printed) is HBM, 1 VMEM, 3 the v4's CMEM,
5 host memory; the others hold scalars, flags and the like. Positions count the instructions in the
order of execution, those of called computations too, which come right before the `while` (condition,
then body), `conditional`, `call` or `async-start` that calls them; of an `async-start` without
operands, right before the `async-update` that brings them. Those in fusions have no positions.

program, name, topology
sequence, instruction…      in order: the first has position 0
analysis, field, bytes      a field of `compiled.memory_analysis()`
report, space, bytes        the memory usage report's total of the space (its names of the spaces are
                            not kept: it calls host memory `cmem`)
allocation, number, bytes, space, attributes
    from the buffer assignment, without those of code in fusions. The attributes are among
    `parameter N`, `constant`, `maybe-live-out`, `preallocated-temp`, `thread-local`, by commas.
value, name{index}, first, last, bytes, space, allocation, offset
    a live range, both ends included, with the value's place in its allocation. A buffer that passes
    from value to value (through a loop, or updated in place) has a row for each, at one offset.
peak, space, bytes, position
    the most bytes of the space that temporaries occupy at one position, and the first such
    position. Occupied are the bytes `offset..offset + bytes` of the values that are alive: bytes of
    two values at one place count once. Left out are the values in allocations with the attribute
    `parameter`, `constant` or `thread-local`: arguments, what is donated. In those with
    `maybe-live-out` are the results, and before them, as long as they are not begun, temporaries.
printed-peak, position, bytes
    the peak that XLA prints with the live ranges. It adds all spaces and counts elements without
    the padding of tiles; a value that another one takes over counts twice where they meet.
printed, name{index}, bytes
    the values of that list, largest first
error, message
    why it does not compile, where it does not; then there is no `analysis`, but the rest is there.
    What the message calls the HLO temporaries is the report's total of the space: with arguments
    and results.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from tables import header
from tpu import TOPOLOGIES

KEPT_CONFIG = {
    "estimated_cycles", "aliasing_operands", "used_scoped_memory_configs", "known_trip_count",
    "custom_call_config",
}
LONGEST_STRING = 80

# Programs of which the compiler's own reports are kept too, as it names them, and the module before it is split
# over devices, where it is.
REPORTED = ("mesh-2x2", "decoder-scan")
REPORTS = (
    "before_optimizations", "after_optimizations-buffer-assignment",
    "after_optimizations-live-range", "after_optimizations-memory-usage-report",
)
NOT_TEMPORARY = ("parameter", "constant", "thread-local")
RECORDS = (
    "program NAME TOPOLOGY; sequence INSTRUCTION...; analysis FIELD BYTES; report SPACE BYTES; "
    "allocation NUMBER BYTES SPACE ATTRIBUTES; "
    "value NAME FIRST LAST BYTES SPACE ALLOCATION OFFSET; peak SPACE BYTES POSITION, of temporaries; "
    "printed-peak POSITION BYTES; printed VALUE BYTES; error MESSAGE"
)
ALLOCATION = re.compile(r"^allocation (\d+): size (\d+), (.*):\n((?: value: .*\n?)*)", re.MULTILINE)
ASSIGNED = re.compile(r"value: <\d+ (\S+?)(\{[\d,]*\})?(?: \(phi\))? @-?\d+> \(size=(\d+),offset=(\d+)\)")


def compiled(name, folder):
    """What `hlo_memory_compile.py` says: {field: bytes} or {"error": message}."""
    script = os.path.join(os.path.dirname(__file__), "hlo_memory_compile.py")
    command = [sys.executable, "-B", script, name, folder]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def dumped(folder, suffix):
    """The text of the program's file with this suffix; code for other cores has later numbers."""
    paths = glob.glob(os.path.join(folder, f"module_0000.*.{suffix}.txt"))
    if len(paths) != 1:
        sys.exit(f"{folder}: {len(paths)} files end in {suffix}")
    with open(paths[0]) as file:
        return file.read()


def shortened(text, kept_config=KEPT_CONFIG):
    """The module without what no reader of it needs, and without the paths of this machine."""
    decoder, parts, at = json.JSONDecoder(), [], 0
    for found in re.finditer(r", backend_config=(?=\{)", text):
        if found.start() < at:
            continue
        config, end = decoder.raw_decode(text, found.end())
        parts.append(text[at:found.start()])
        kept = {key: cut(config[key]) for key in config if key in kept_config and says(config[key])}
        if "estimated_cycles" in kept_config and (cycles := nested(config, "estimated_cycles")):
            kept["estimated_cycles"] = cycles
        if kept:
            parts.append(f", backend_config={json.dumps(kept, separators=(',', ':'))}")
        at = end
    text = "".join(parts) + text[at:]
    text = re.sub(r'"(?:/[^"/\s]+)+/([^"/\s]+\.py)"', r'"\1"', text)
    return re.sub(r'"([A-Za-z0-9+/=\\]{%d})[A-Za-z0-9+/=\\]{200,}"' % LONGEST_STRING, r'"\1..."', text)


def says(value):
    """Whether anything is in nested lists and objects."""
    if isinstance(value, dict):
        return any(says(inner) for inner in value.values())
    return any(says(inner) for inner in value) if isinstance(value, list) else True


def nested(value, name):
    """What is called so in nested lists and objects, the first of them."""
    if isinstance(value, dict) and name in value:
        return value[name]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for each in inner if (found := nested(each, name))), None)


def cut(value):
    """The value, its long strings shortened."""
    if isinstance(value, dict):
        return {key: cut(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [cut(inner) for inner in value]
    if isinstance(value, str) and len(value) > LONGEST_STRING:
        return value[:LONGEST_STRING] + "..."
    return value


def allocations(text):
    """[(number, bytes, space, attributes, [(value, bytes, offset)])] of a buffer assignment."""
    found = []
    for number, size, rest, values in ALLOCATION.findall(text):
        color = re.search(r"\bcolor (\d+)", rest)
        attributes = re.findall(
            r"\b(parameter \d+|constant|maybe-live-out|preallocated-temp|thread-local)\b", rest)
        values = [(name + (index or "{}"), int(size), int(offset))
                  for name, index, size, offset in ASSIGNED.findall(values)]
        found.append((int(number), int(size), int(color[1]) if color else 0, attributes, values))
    return found


def live_ranges(text):
    """(instructions in order, {value: (first, last)}, (peak's position, [(value, bytes)]))."""
    head, rest = text.split("BufferLiveRange:\n")
    sequence = re.findall(r"^    \d+:(\S+)$", head, re.MULTILINE)
    rest, peak = rest.split("  Live ranges at ", 1)
    ranges = re.findall(r"^    (\S+\{[\d,]*\}):(\d+)-(\d+)$", rest, re.MULTILINE)
    printed = re.findall(r"^    (\S+\{[\d,]*\}): (\d+) bytes \(cumulative", peak, re.MULTILINE)
    ranges = {value: (int(first), int(last)) for value, first, last in ranges}
    return sequence, ranges, (int(peak.split()[0]), [(value, int(size)) for value, size in printed])


def occupied(places):
    """How many bytes the (allocation, offset, bytes) cover."""
    total, end = 0, (None, 0)
    for allocation, offset, size in sorted(places):
        begin = max(offset, end[1]) if allocation == end[0] else offset
        stop = max(offset + size, begin)
        total += stop - begin
        end = (allocation, stop)
    return total


def peaks(values):
    """{space: (bytes, position)} of the (first, last, bytes, space, allocation, offset)."""
    best = {}
    for space in sorted({value[3] for value in values}):
        here = [value for value in values if value[3] == space]
        for position in sorted({value[0] for value in here}):  # only a beginning can raise it
            alive = [(allocation, offset, size) for first, last, size, _, allocation, offset in here
                     if first <= position <= last]
            bytes_now = occupied(alive)
            if space not in best or bytes_now > best[space][0]:
                best[space] = (bytes_now, position)
    return best


def before_result(values, end):
    """Those of the (first, last, …) in a result's allocation that are over before the result begins.

    The result is what is there at the end, and what came before it without a gap: it took that over.
    """
    for value in sorted(values, key=lambda value: value[1], reverse=True):
        if value[1] < end - 1:
            yield value
        else:
            end = min(end, value[0])


def check(name, folder, module, sequence, ranges, assigned):
    """The module, the live ranges and the assignment are of one schedule."""
    if shortened(module, ()) != shortened(dumped(folder, "after_optimizations"), ()):
        sys.exit(f"{name}: the module changed after its buffers were assigned")
    printed = re.findall(r"^\s+(?:ROOT )?%?(\S+) = ", module, re.MULTILINE)
    missing = set(sequence) - set(printed)
    if "is_scheduled=true" not in module.partition("\n")[0] or missing:
        sys.exit(f"{name}: not the module of the live ranges; it lacks {sorted(missing)[:5]}")
    if set(ranges) - set(assigned):
        sys.exit(f"{name}: values without a place: {sorted(set(ranges) - set(assigned))[:5]}")


def records(name, folder, answer, module):
    """The lines of the table, as lists of fields."""
    sequence, ranges, (position, printed) = live_ranges(
        dumped(folder, "after_optimizations-live-range"))
    found = allocations(dumped(folder, "after_optimizations-buffer-assignment"))
    assigned = {value: (size, space, number, offset, attributes)
                for number, _, space, attributes, values in found for value, size, offset in values}
    check(name, folder, module, sequence, ranges, assigned)
    report = dumped(folder, "after_optimizations-memory-usage-report")
    yield ["sequence", *sequence]
    yield from (["analysis", field, size] for field, size in answer.items())
    for space, size in re.findall(r"\(color=(\d+)\)\nTotal bytes: (\d+)", report):
        yield ["report", space, size]
    for number, size, space, attributes, _ in found:
        if "thread-local" not in attributes:
            yield ["allocation", number, size, space, ",".join(attributes)]
    temporaries, of_results = [], {}
    for value, (first, last) in sorted(ranges.items(), key=lambda item: (item[1], item[0])):
        size, space, number, offset, attributes = assigned[value]
        yield ["value", value, first, last, size, space, number, offset]
        if any(word.startswith(NOT_TEMPORARY) for word in attributes):
            continue
        kind = of_results.setdefault(number, []) if "maybe-live-out" in attributes else temporaries
        kind.append((first, last, size, space, number, offset))
    for values in of_results.values():
        temporaries.extend(before_result(values, len(sequence)))
    for space, (size, at) in peaks(temporaries).items():
        yield ["peak", space, size, at]
    yield ["printed-peak", position, sum(size for _, size in printed)]
    yield from (["printed", value, size] for value, size in printed)


def make(name, topology, folder, dump):
    """Writes the files of a program. Gives their bytes and a line that says what they hold."""
    answer = compiled(name, dump)
    error = answer.pop("error", None)
    module = shortened(dumped(dump, "oom_intermediate_module" if error else "after_codegen"))
    rows = [["error", error]] if error else []
    rows += records(name, dump, answer, module)
    said = ", ".join(f"{row[2]} in space {row[1]}" for row in rows if row[0] == "peak")
    first = header(__file__, ["libtpu", "jax"], f"records: {RECORDS}")
    lines = [first, f"program\t{name}\t{topology}", *("\t".join(map(str, row)) for row in rows)]
    total = 0
    for suffix, text in (("hlo", module), ("live.tsv", "\n".join(lines) + "\n")):
        data = text.encode()
        total += len(data)
        with open(os.path.join(folder, f"{name}.{suffix}"), "wb") as file:
            file.write(data)
    if name in REPORTED:
        beside = os.path.join(folder, name)
        os.makedirs(beside, exist_ok=True)
        for report in REPORTS:
            data = shortened(dumped(dump, report)).encode()
            if report == "before_optimizations" and b"num_partitions=" not in data:
                continue
            total += len(data)
            with open(os.path.join(beside, f"{report}.txt"), "wb") as file:
                file.write(data)
    print(f"{name}, {topology}: {len(module)} bytes of text; peak {said}", flush=True)
    return total


def main():
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER [PROGRAM…]")
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    from hlo_memory_programs import PROGRAMS

    total = 0
    for name in sys.argv[2:] or PROGRAMS:
        with tempfile.TemporaryDirectory() as dump:
            total += make(name, TOPOLOGIES[PROGRAMS[name][0]], folder, dump)
    print(f"{total} bytes")


if __name__ == "__main__":
    main()
