"""The book's chapter on the package: signatures and docstrings as Markdown."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import tilewright
from tilewright import _tilewright

HEAD = """\
# The Python package

Every public name, with its signature and what its docstring says; `help(tilewright)` says the same. Every example below is
run by the tests.

This chapter is written from the package's stubs and docstrings.
"""


def chapter(names: dict[str, object]) -> str:
    """The chapter of these names, modules among them."""
    parts = [HEAD]
    for name in ordered(names):
        value = names[name]
        parts.append(f"{'#' * level(name, names)} {name}")
        if signatures := signatures_of(name, value):
            parts.append("```py\n" + "\n".join(signatures) + "\n```")
        parts.append(markdown(inspect.cleandoc(value.__doc__ or "")))
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def ordered(names: dict[str, object]) -> list[str]:
    """The names as they come, but what is in a class by the alphabet: a class of Rust has no order of its own."""
    order = []
    for name in names:
        if level(name, names) < 4:
            order.append(name)
            order += sorted(n for n in names if n.rpartition(".")[0] == name and level(n, names) == 4)
    return order


def level(name: str, names: dict[str, object]) -> int:
    """How deep the heading of a name is: modules, what is in them, what is in that."""
    if inspect.ismodule(names[name]):
        return 2
    return 3 if inspect.ismodule(names[name.rpartition(".")[0]]) else 4


class Written(str):
    """A type as it is written in the source, without the quotes of a string."""

    __repr__ = str.__str__


def signatures_of(name: str, value: object) -> list[str]:
    """The parameters with their types, each way in which a function is overloaded; none of what is no function."""
    if isinstance(value, property) or not callable(value):
        return []
    path = name.removeprefix("tilewright.")
    top = path.split(".")[0]
    is_native = getattr(_tilewright, top, None) is getattr(tilewright, top, tilewright)
    if is_native and (in_stub := STUB.get(path, STUB.get(f"{path}.__new__", STUB.get(f"{path}.__init__", [])))):
        return [f"{path.split('.')[-1]}{signature}" for signature in in_stub]
    try:
        signature = inspect.signature(value)
    except ValueError:
        return []
    parameters = [p.replace(annotation=written(p.annotation)) for p in signature.parameters.values()]
    returned = inspect.Signature.empty if inspect.isclass(value) else written(signature.return_annotation)
    return [f"{path.split('.')[-1]}{signature.replace(parameters=parameters, return_annotation=returned)}"]


def written(said: object) -> object:
    """An annotation, if it is a string or holds one, as that is written."""
    said = getattr(said, "__forward_arg__", said)
    return Written(said) if isinstance(said, str) else said


def functions(body: list[ast.stmt], owner: str = "") -> dict[str, list[str]]:
    """The signatures of the functions in a stub, by their names."""
    found: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found |= functions(node.body, f"{owner}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            arguments = ast.unparse(node.args)
            if node.name in ("__new__", "__init__"):
                arguments, returned = re.sub(r"^(self|cls)(, )?", "", arguments), ""
            else:
                returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            found.setdefault(f"{owner}{node.name}", []).append(f"({arguments}){returned}")
    return found


STUB = functions(ast.parse((Path(tilewright.__file__).parent / "_tilewright.pyi").read_text()).body)


def markdown(doc: str) -> str:
    """A docstring in numpy's style: sections become bold lines, terms a list, examples blocks."""
    lines = doc.splitlines()
    out: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and re.fullmatch("-{3,}", lines[at + 1]):
            section, at = line, at + 2
            out += ["", f"**{section}**", ""]
            if section in ("Parameters", "Returns", "Raises", "Yields", "Attributes"):
                at = terms(lines, at, out)
            continue
        if line.startswith(">>>"):
            out += ["", "```pycon"]
            while at < len(lines) and lines[at]:
                out.append(lines[at])
                at += 1
            out += ["```", ""]
            continue
        out.append(prose(line))
        at += 1
    return re.sub("\n{3,}", "\n\n", "\n".join(out)).strip()


def terms(lines: list[str], at: int, out: list[str]) -> int:
    """Terms and what is indented below them. Where the section ends."""
    while at < len(lines) and lines[at]:
        if at + 1 < len(lines) and re.fullmatch("-{3,}", lines[at + 1]):
            break
        term, at, said = lines[at], at + 1, []
        while at < len(lines) and (lines[at].startswith("    ") or not lines[at]):
            if not lines[at] and not (at + 1 < len(lines) and lines[at + 1].startswith("    ")):
                break
            said.append(lines[at].strip())
            at += 1
        out.append(f"* `{term}`" + ("  \n  " + prose(" ".join(said)) if said else ""))
    return at


def prose(text: str) -> str:
    """reStructuredText's code as Markdown's, and no HTML."""
    text = text.replace("``", "`")
    parts = text.split("`")
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)
