"""What was measured of releases: recall of the EBC top k, out of ``bench/results/joint.md``.

The rows stand in ``recall.csv`` beside this module, which ``make docs`` writes from the page; a test compares the two.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["SOURCE", "Measured", "measured", "rows_of_page"]

SOURCE = "bench/results/joint.md"
"""Where the figures come from."""

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
    mechanism : {"joint", "sld"}
        ``sld`` with the largest degree declared as bound, which is the best that a curator could know.
    epsilon : float
    recall : float
        Share of the true top k by EBC that was found.
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
    text = files("edgedp.release.planning").joinpath("recall.csv").read_text(encoding="utf-8")
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
