"""Every public name has a docstring, and the example in it runs."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
import re
from pathlib import Path

import pytest

import tilewright as tw
from chapter import chapter
from conftest import run_python

MODULES = ["tilewright", "tilewright.algebra", "tilewright.tpu", "tilewright.jax"]
MODULES += ["tilewright.zarr", "tilewright.dask"]

NEEDS = {"tilewright.jax": "jax", "tilewright.zarr": "zarr", "tilewright.dask": "dask"}


def public(owner, prefix):
    """The names in a class that it does not just inherit."""
    for name, value in vars(owner).items():
        if name.startswith("_") or isinstance(value, str | int | float | None | tuple):
            continue
        if type(value).__name__ in ("member_descriptor", "_tuplegetter"):
            continue  # a field, which is said in its class
        yield f"{prefix}.{name}", value if isinstance(value, property) else getattr(owner, name)


def everything():
    for module in MODULES:
        loaded = importlib.import_module(module)
        yield module, loaded
        for name in loaded.__all__:
            value = getattr(loaded, name)
            if inspect.ismodule(value) or isinstance(value, tuple):
                continue
            yield f"{module}.{name}", value
            if inspect.isclass(value):
                yield from public(value, f"{module}.{name}")


NAMES = dict(everything())


@pytest.mark.parametrize("name", NAMES)
def test_the_example_runs(name):
    for module, needed in NEEDS.items():
        if name.startswith(module):
            pytest.importorskip(needed)
    text = inspect.cleandoc(NAMES[name].__doc__ or "")
    assert text, "no docstring"
    if inspect.ismodule(NAMES[name]) and ">>>" not in text:
        return
    assert ">>>" in text, "no example"
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    told = []
    outcome = doctest.DocTestRunner(verbose=False).run(example, out=told.append)
    assert outcome.failed == 0, "".join(told)


ROOT = Path(__file__).parents[3]


CHAPTERS = ["start", "concepts/tiles", "guides/memory", "guides/kernel", "guides/weights"]
DOCUMENTS = ["README.md", "crates/tilewright-python/README.md"]
DOCUMENTS += [f"book/src/{chapter}.md" for chapter in CHAPTERS]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_python_in_documents_says_what_comes_out(document, tmp_path, monkeypatch):
    """Each statement with a comment behind it is an expression, and the comment what it comes to."""
    for part in ("crates", "examples"):  # as in a clone
        (tmp_path / part).symlink_to(ROOT / part)
    monkeypatch.chdir(tmp_path)
    text = (ROOT / document).read_text()
    blocks = re.findall(r"^```python\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    assert blocks, "no Python in it"
    source = "".join(blocks)
    lines = source.splitlines()
    for _ in range(2):  # as somebody runs it who has run it before
        names: dict = {}
        for statement in ast.parse(source).body:
            code = ast.get_source_segment(source, statement)
            _, _, comment = lines[statement.end_lineno - 1].partition("  # ")
            if comment:
                assert repr(eval(code, names)) == comment, code
            else:
                exec(code, names)


def test_every_chapter_with_python_is_run():
    chapters = [path for path in (ROOT / "book/src").rglob("*.md") if "```python\n" in path.read_text()]
    assert {str(path.relative_to(ROOT)) for path in chapters} == set(DOCUMENTS[2:])


def test_the_chapter_on_the_package_is_what_it_says():
    path = ROOT / "book/src/reference/python.md"
    written = chapter(NAMES)
    if os.environ.get("TILEWRIGHT_SNAPSHOTS") == "write":
        path.write_text(written)
    assert path.read_text() == written, "TILEWRIGHT_SNAPSHOTS=write writes it anew"


def test_the_tutorial_runs(tmp_path):
    pytest.importorskip("ml_dtypes")
    script = ROOT / "examples" / "why_is_my_array_larger.py"
    for _ in range(2):  # as somebody runs it who has run it before
        done = run_python(script, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "128 times" in done.stdout and "bit for bit" in done.stdout


def test_there_are_many():
    assert len(NAMES) > 200
    assert set(tw.__all__) <= set(dir(tw))
