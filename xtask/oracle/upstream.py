"""Functions of installed packages, without importing the packages.

Packing code stands in modules that import GPU kernels, whole model libraries or each other. What is
asked for here is a few functions or classes of a module's source text: they are compiled as they stand,
but for their decorators, and see only what they are given.
"""

import ast
import os
from importlib.metadata import distribution
from types import SimpleNamespace


def source(package, path):
    """The text of a file of a package, and its name."""
    found = [file for file in distribution(package).files if str(file) == path]
    if not found:
        raise SystemExit(f"{package} has no {path}")
    name = os.fspath(found[0].locate())
    with open(name, encoding="utf-8") as file:
        return file.read(), name


def defined(node):
    """The names that a statement of a module defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, ast.Assign):
        targets = [t for target in node.targets for t in getattr(target, "elts", [target])]
        return {target.id for target in targets if isinstance(target, ast.Name)}
    return set()


def take(package, path, names, **given):
    """The functions, classes and variables of these names, which see each other and what is given."""
    text, name = source(package, path)
    chosen = [node for node in ast.parse(text).body if defined(node) & set(names)]
    missing = set(names) - {each for node in chosen for each in defined(node)}
    if missing:
        raise SystemExit(f"{name} defines no {', '.join(sorted(missing))}")
    for node in chosen:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
    namespace = dict(given)
    exec(compile(ast.Module(chosen, []), name, "exec"), namespace)
    return SimpleNamespace(**{each: namespace[each] for each in names})
