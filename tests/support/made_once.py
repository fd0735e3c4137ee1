"""A store that many tests begin with: made once a process, and for each test a copy of its folder."""

from __future__ import annotations

import atexit
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from edgedp import Store, open_store

__all__ = ["copied"]


def copied(make: Callable[[Store], object], path: Path) -> Store:
    """Open a copy, at a path where nothing is, of the store that a function fills: a load is ten times as dear.

    The function stands in a module and reads nothing that a test may change: no clock, no environment, no fixture.
    """
    shutil.copytree(_made(make), path)
    return open_store(path)


@cache
def _made(make: Callable[[Store], object]) -> Path:
    folder = Path(mkdtemp(prefix="edgedp-made-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with open_store(folder / "store") as store:
        make(store)
    return folder / "store"
