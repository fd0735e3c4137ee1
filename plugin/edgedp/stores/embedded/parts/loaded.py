"""The graph database with its library loaded, imported when it is first used.

Two threads that use it first at once would both load it, and the second would find nothing. Python lets one thread
run a module and the others wait for it.
"""

from __future__ import annotations

from contextlib import suppress

import ladybug

__all__ = ["ladybug"]

with suppress(ImportError):  # of a version that loads it otherwise
    from ladybug._backend import get_pybind_module

    get_pybind_module()
