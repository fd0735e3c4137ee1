"""How good lists are that spend until they are sure enough, and whether what lists say of themselves is right.

    python bench/sure.py stops [GRAPH ...]         # what was spent for a target of .9, and the recall there
    python bench/sure.py calibration [GRAPH ...]   # said against was, of lists that are drawn at once

`votes_graphs.py` has the generated graphs, `results/sure.md` one run of each part. All noise is that of the product.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from votes_graphs import CHOSEN_ON, REPORTED_ON

import edgedp
from edgedp.exact import degree, ebc
from edgedp.exact.quality import limit, true_top

TARGET, MOST, RUNS = 0.9, 2.0, 8
PICKS = (10, 100)
EPSILONS = (0.1, 0.3, 1.0)
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01)


def graphs(asked: list[str]) -> Iterator[tuple[str, edgedp.Graph]]:
    """Yield the graphs by name: those at hand, then generated ones."""
    for name, make in (CHOSEN_ON | REPORTED_ON).items():
        if not asked or name in asked:
            yield name, make()


def stops(asked: list[str]) -> None:
    """Print what a target costs, what the list says, what is right, and what a release at once finds for the same."""
    head(
        "graph",
        "metric",
        "k",
        "spent: median (range)",
        "steps",
        "said",
        "was",
        "at once",
        "limit there",
        "ended",
    )
    for name, graph in graphs(asked):
        for metric in ("degree", "ebc"):
            for k in PICKS:
                top = truth(graph, metric, k)
                found = [edgedp.priv_top_k(graph, metric, k, MOST, target_recall=TARGET) for _ in range(RUNS)]
                spent = sorted(each.epsilon_spent for each in found)
                median = spent[len(spent) // 2]
                once = [edgedp.priv_top_k(graph, metric, k, f"{median:.9f}") for _ in range(RUNS)]
                row(
                    name, metric, k,
                    f"{median:.3f} ({spent[0]:.3f} to {spent[-1]:.3f})",
                    f"{np.mean([each.steps for each in found]):.1f}",
                    f"{np.mean([each.expected_recall for each in found]):.2f}",
                    f"{np.mean([right(each, top) for each in found]):.3f}",
                    f"{np.mean([right(each, top) for each in once]):.3f}",
                    f"{limit(graph, metric=metric, k=k, epsilon=median):.2f}",
                    ", ".join(sorted({each.to_dict()["ended"] for each in found})),
                )  # fmt: skip


def truth(graph: edgedp.Graph, metric: str, k: int) -> set[object]:
    """Return the ids of the exact top k, ties included."""
    values = degree(graph) if metric == "degree" else ebc(graph)
    return set(graph.node_ids[true_top(values, k)].tolist())


def right(release: edgedp.Release, top: set[object]) -> float:
    """Return the recall of a list."""
    return len(top.intersection(release.nodes)) / len(release)


def calibration(asked: list[str]) -> None:
    """Print said against was: by graph and cell, then in bins over all listed nodes."""
    said: list[float] = []
    was: list[bool] = []
    head("graph", "metric", "k", "epsilon", "said", "was")
    for name, graph in graphs(asked):
        for metric in ("degree", "ebc"):
            for k in PICKS:
                top = truth(graph, metric, k)
                for epsilon in EPSILONS:
                    found = [edgedp.priv_top_k(graph, metric, k, epsilon) for _ in range(4)]
                    for each in found:
                        said += each.membership
                        was += [node in top for node in each.nodes]
                    mean = np.mean([each.expected_recall for each in found])
                    share = np.mean([right(each, top) for each in found])
                    row(name, metric, k, f"{epsilon:g}", f"{mean:.2f}", f"{share:.3f}")
    print()
    head("said between", "nodes", "said", "was")
    chances, there = np.array(said), np.array(was)
    for low, high in pairwise(BINS):
        inside = (chances >= low) & (chances < high)
        if inside.any():
            means = f"{chances[inside].mean():.2f}", f"{there[inside].mean():.2f}"
            row(f"{low:g} and {min(high, 1):g}", int(inside.sum()), *means)


def head(*names: str) -> None:
    """Print the head of a table."""
    row(*names)
    print("|" + "---|" * len(names), flush=True)


def row(*cells: object) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    {"stops": stops, "calibration": calibration}[sys.argv[1]](sys.argv[2:])
