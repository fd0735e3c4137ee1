"""How far a release, a load, a look at the budget and the reading of a file run: files passed, changes of file.

Usage: ``python tests/support/ways.py [--arrows]``. Each way is run once before it is traced, so that
imports and caches are not counted. A change is a call from one file of the package to another; a file is passed where
any of its functions runs. `LIMITS` holds what `test_structure.py` allows.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import edgedp

PACKAGE = str(Path(edgedp.__file__).parent) + "/"
EDGES = [(a, (a * 7 + b) % 400) for a in range(400) for b in (1, 5, 9) if (a * 7 + b) % 400 != a]

LIMITS = {
    "top k": (63, 190),
    "triangles": (57, 178),
    "load": (42, 180),
    "budget": (13, 29),
    "read": (31, 82),
}
"""Of each way: files and changes at most; a twelfth or so above what was counted when they were written."""


@dataclass
class Way:
    """What one run went through."""

    files: set[str] = field(default_factory=set)
    changes: int = 0
    arrows: dict[tuple[str, str], int] = field(default_factory=dict)

    def trace(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; a profile function."""
        if event != "call":
            return
        name = frame.f_code.co_filename
        if not name.startswith(PACKAGE):
            return
        here = name.removeprefix(PACKAGE)
        self.files.add(here)
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(PACKAGE):
            caller = caller.f_back
        there = here if caller is None else caller.f_code.co_filename.removeprefix(PACKAGE)
        if there != here:
            self.changes += 1
            self.arrows[there, here] = self.arrows.get((there, here), 0) + 1


def traced(work: Callable[[], object]) -> Way:
    """Run something and return its way."""
    way = Way()
    sys.setprofile(way.trace)
    try:
        work()
    finally:
        sys.setprofile(None)
    return way


def ways(folder: Path) -> dict[str, Way]:
    """Return the way of each thing that is asked of an embedded store, and of the reading of a file."""
    graph = edgedp.Graph.from_edges(EDGES)
    listed = folder / "edges.csv"
    listed.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in EDGES))
    edgedp.read_graph(listed)
    with edgedp.open_store(str(folder / "store")) as store:

        def load(name: str) -> None:
            store.load(graph, name=name, epsilon_budget=50)

        def top_k() -> None:
            store.priv_top_k("kite", metric="ebc", k=5, epsilon=1)

        def triangles() -> None:
            store.count("kite", of="triangles", epsilon=1)

        def budget() -> None:
            store.budget("kite")

        load("kite")
        for work in (top_k, triangles, budget):
            work()
        return {
            "top k": traced(top_k),
            "triangles": traced(triangles),
            "load": traced(lambda: load("second")),
            "budget": traced(budget),
            "read": traced(lambda: edgedp.read_graph(listed)),
        }


def main() -> None:
    """Print a table of the ways."""
    with tempfile.TemporaryDirectory() as folder:
        found = ways(Path(folder))
    for name, way in found.items():
        print(f"{name:10} {len(way.files):4} files {way.changes:6} changes of file")
        if "--arrows" in sys.argv:
            for (there, here), times in sorted(way.arrows.items(), key=lambda each: -each[1])[:25]:
                print(f"{times:8}  {there} -> {here}")


if __name__ == "__main__":
    main()
