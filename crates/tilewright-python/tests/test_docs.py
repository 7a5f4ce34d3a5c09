"""Every public name has a docstring, and the example in it runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import tilewright as tw
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


@pytest.mark.parametrize("readme", ["README.md", "crates/tilewright-python/README.md"])
def test_the_readmes_python_says_what_comes_out(readme, tmp_path, monkeypatch):
    """Each line with a comment is an expression, and the comment what it comes to."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / readme).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks, "no Python in it"
    for _ in range(2):  # as somebody runs it who has run it before
        names: dict = {}
        for line in "".join(blocks).splitlines():
            code, _, comment = line.partition("  # ")
            if comment:
                assert repr(eval(code, names)) == comment, line
            else:
                exec(line, names)


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
