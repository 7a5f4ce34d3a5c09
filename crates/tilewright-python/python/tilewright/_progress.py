"""How far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Progress = Callable[[int, int], object]
"""Told how many bytes are done, and of how many."""


class Counter:
    """Says how far it is to whoever wants to know: to tqdm for ``progress=True``."""

    def __init__(self, progress: Progress | bool | None, total: int, what: str) -> None:
        self._done, self._total = 0, total
        self._tell = progress if callable(progress) else None
        self._bar = _bar(total, what) if progress is True else None

    def add(self, count: int) -> None:
        self._done += count
        if self._tell is not None:
            self._tell(self._done, self._total)
        if self._bar is not None:
            self._bar.update(count)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _bar(total: int, what: str) -> Any:
    """A tqdm bar, or none where tqdm is not installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=what, unit="B", unit_scale=True)
