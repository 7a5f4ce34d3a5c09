"""Every public name has a docstring, and the example in it runs."""

from __future__ import annotations

import doctest
import importlib
import inspect

import pytest

import tilewright as tw

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


def test_there_are_many():
    assert len(NAMES) > 200
    assert set(tw.__all__) <= set(dir(tw))
