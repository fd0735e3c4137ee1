"""The numbers that may be asked of a graph: one module each, found by the name of its file.

A count says what it computes, in integers (of a public unit), how far one edge can move it under the public degree
bound (global sensitivity), how large it can be, and how far one edge can move it near this graph: its
*sensitivity profile* ``I_0, I_1, ...`` (`edgedp.mechanisms.counts.base.Profile`).

To add a count, add ``counts/<name>.py`` with a ``COUNT`` and a test.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from edgedp.mechanisms.counts.base import Bounds, Count, Profile

__all__ = ["Bounds", "Count", "Profile", "count_class", "count_names"]


@cache
def count_names() -> tuple[str, ...]:
    """Return the names of all counts, sorted.

    Examples
    --------
    >>> "triangles" in count_names()
    True
    """
    return tuple(sorted(found.name for found in pkgutil.iter_modules(__path__) if found.name != "base"))


@cache
def count_class(name: str) -> type[Count]:
    """Return the class of a count by its name (one of `count_names`); its fields are the options it takes.

    Examples
    --------
    >>> count_class("stars")(star_size=3).global_sensitivity(Bounds(10, 5))
    12
    """
    found: type[Count] = import_module(f"{__name__}.{name}").COUNT
    return found
