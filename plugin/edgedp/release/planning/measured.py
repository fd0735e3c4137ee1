"""What was measured of releases: recall of the EBC top k, and of the top k by in-degree that protects a source.

The rows stand in ``recall.csv`` and ``arcs.csv`` beside this module, which ``make docs`` writes from the pages of the
benchmarks; a test compares them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = [
    "SOURCE",
    "SOURCE_OF_ARCS",
    "Measured",
    "arcs_of_page",
    "measured",
    "measured_arcs",
    "rows_of_page",
]

SOURCE = "bench/results/joint.md"
"""Where the figures of the EBC top k come from."""

SOURCE_OF_ARCS = "bench/results/persons.md"
"""Where those of in-degrees come from, which hold for out-degrees of the same graphs turned round."""

_METHODS = {"both, no bound": "joint", "SLD, largest degree declared": "sld"}
"""The rows of the page that are told, by the mechanism that they are of."""


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


def rows_of_page(page: str) -> Iterator[Measured]:
    """Read the figures off the page: what ``recall.csv`` must hold.

    Parameters
    ----------
    page : str
        The text of `SOURCE`.
    """
    graph, nodes, degree = "", 0, 0
    epsilons: list[float] = []
    for line in page.partition("## Several metrics")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("**"):
            name, _, figures = line.partition(":")
            words = figures.replace(",", "").split()
            graph = name.strip("*")
            nodes, degree = int(words[0]), int(words[words.index("largest") + 2])
        elif cells[0] == "k" and len(cells) > 4:
            epsilons = [float(cell) for cell in cells[3:]]
        elif len(cells) > 4 and cells[2] in _METHODS:
            for epsilon, recall in zip(epsilons, cells[3:], strict=True):
                yield Measured(
                    graph, nodes, degree, int(cells[0]), _METHODS[cells[2]], epsilon, float(recall)
                )


def arcs_of_page(page: str) -> Iterator[Measured]:
    """Read the figures of in-degrees off the page: what ``arcs.csv`` must hold.

    Parameters
    ----------
    page : str
        The text of `SOURCE_OF_ARCS`.
    """
    about: dict[str, tuple[int, int]] = {}
    head: list[str] = []
    for line in page.partition("## What directions cost")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        match cells:
            case [name, nodes, most] if nodes[:1].isdigit():
                about[name] = int(nodes.replace(",", "")), int(most.replace(",", ""))
            case ["graph", "k", "epsilon", *ways]:
                head = ways
            case [name, k, epsilon, *found] if name in about:
                for way, recall in zip(head, found, strict=True):
                    if not way.startswith("joint"):  # which protects a pair
                        yield Measured(name, *about[name], int(k), way, float(epsilon), float(recall))
