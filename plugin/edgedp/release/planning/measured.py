"""What was measured of releases: recall of the EBC top k, and of the top k by in-degree that protects a source.

The rows stand in ``recall.csv`` and ``arcs.csv`` beside this module, which ``make docs`` writes from the pages of the
benchmarks; a test compares them.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

SOURCE = "bench/results/joint.md"
"""Where the figures of the EBC top k come from."""

SOURCE_OF_ARCS = "bench/results/persons.md"
"""Where those of in-degrees come from, which hold for out-degrees of the same graphs turned round."""


@dataclass(frozen=True)
class Measured:
    """A mean of releases on a graph that could be looked at.

    Attributes
    ----------
    graph : str
    nodes, max_degree : int
        Of the graph.
    k : int
    mechanism : str
        ``joint``, or ``sld`` with the largest degree declared as bound, which is the best that a curator could know.
        Of in-degrees ``em``, ``pf``, ``cuts of 10`` or ``cuts of 20``.
    epsilon : float
    recall : float
        Share of the true top k that was found.
    """

    graph: str
    nodes: int
    max_degree: int
    k: int
    mechanism: str
    epsilon: float
    recall: float


@cache
def measured() -> tuple[Measured, ...]:
    """Return all that was measured.

    Examples
    --------
    >>> next(row for row in measured() if (row.graph, row.k, row.mechanism, row.epsilon) == ("Enron", 10, "joint", 0.3))
    Measured(graph='Enron', nodes=36692, max_degree=1383, k=10, mechanism='joint', epsilon=0.3, recall=0.96)
    """
    return _kept("recall.csv")


@cache
def measured_arcs() -> tuple[Measured, ...]:
    """Return what was measured of lists that protect all that one node does.

    Examples
    --------
    >>> {row.mechanism for row in measured_arcs()} == {"em", "pf", "cuts of 10", "cuts of 20"}
    True
    """
    return _kept("arcs.csv")


def _kept(name: str) -> tuple[Measured, ...]:
    text = files("edgedp.release.planning").joinpath(name).read_text(encoding="utf-8")
    return tuple(
        Measured(
            row["graph"], int(row["nodes"]), int(row["max_degree"]), int(row["k"]), row["mechanism"],
            float(row["epsilon"]), float(row["recall"]),
        )
        for row in csv.DictReader(text.splitlines())
    )  # fmt: skip
