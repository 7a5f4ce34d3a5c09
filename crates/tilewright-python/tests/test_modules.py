"""The package's modules import each other one way only."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import tilewright as tw

ROOT = Path(tw.__file__).parent


def modules():
    """Each module's name, from the package on, and its file."""
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), path


NAMES = dict(modules())

EXTENSION = "_tilewright"
"""All of it stands on that, which imports Python only when it is called."""


def imported(name, path):
    """The modules of the package that a module imports, at its top or within a function; not what
    a type checker alone sees."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in running(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names if alias.name.split(".")[0] == "tilewright"]
            assert not wanted, f"{name} imports {wanted} by its whole name"
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        above = package[: len(package) - node.level + 1]
        module = ".".join(filter(None, [*above, node.module]))
        inside = [".".join(filter(None, [module, alias.name])) for alias in node.names]
        yield from (found if found in NAMES else module for found in inside if found != EXTENSION)


def running(tree):
    """Every node but those in `if TYPE_CHECKING`."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def circle(graph):
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        return error.args[1]
    return None


def test_one_way_only():
    graph = {name: {other for other in imported(name, path) if other in NAMES} for name, path in NAMES.items()}
    assert len(graph) > 20 and graph["_files"] > {"_open", "zarr"}
    found = circle(graph)
    assert not found, " imports ".join(reversed(found))
    # The test would find one.
    assert circle({**graph, "_arrays": graph["_arrays"] | {"_files"}})
