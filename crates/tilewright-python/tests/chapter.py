"""The book's chapter on the package: signatures and docstrings as Markdown."""

from __future__ import annotations

import inspect
import re

HEAD = """\
# The Python package

Every public name, with its signature and what its docstring says. `help(tilewright)` says the same, and the types are in
the package's stubs. Every example below is run by the tests.

This chapter is written from the docstrings.
"""


def chapter(names: dict[str, object]) -> str:
    """The chapter of these names, modules among them."""
    parts = [HEAD]
    for name, value in names.items():
        title = f"## {name}" if inspect.ismodule(value) else f"### {name}"
        parts.append(title)
        signature = None if inspect.ismodule(value) else signature_of(value)
        if signature is not None:
            parts.append(f"```text\n{name.split('.')[-1]}{signature}\n```")
        parts.append(markdown(inspect.cleandoc(value.__doc__ or "")))
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def signature_of(value: object) -> str | None:
    """The parameters without their types, which the stubs have; none of what is no function."""
    if isinstance(value, property) or not callable(value):
        return None
    try:
        signature = inspect.signature(value)
    except ValueError:
        return None
    empty = inspect.Parameter.empty
    bare = [p.replace(annotation=empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


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
