"""How good lists are that spend until they are sure enough, and whether what lists say of themselves is right.

    python bench/sure.py stops [GRAPH ...]         # what was spent for a target of .9, and the recall there
    python bench/sure.py calibration [GRAPH ...]   # said against was, of lists that are drawn at once
    python bench/sure.py limits [GRAPH ...]        # the limit of any private list, by epsilon
    python bench/sure.py seconds                   # what saying it costs, on Enron and at a million nodes

`votes_graphs.py` has the generated graphs, `results/sure.md` one run of each part. All noise is that of the product.
"was" of `stops` counts every node that ties for the last place as found, as `edgedp.quality.recall` does; "was" of
`calibration` lets such nodes share the places that are left, as what a list says of itself does.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
from votes_graphs import CHOSEN_ON, REPORTED_ON

import edgedp
from edgedp.exact import degree, ebc
from edgedp.exact.experiments import generators
from edgedp.exact.quality import limit, true_top
from edgedp.mechanisms.sure.lists import how_sure

TARGET, MOST, RUNS = 0.9, 2.0, 8
PICKS = (10, 100)
EPSILONS = (0.1, 0.3, 1.0, 3.0)
LIMIT_EPSILONS = (0.03, 0.1, 0.3, 1.0)
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01)
GRAPHS = CHOSEN_ON | REPORTED_ON


def graphs(asked: list[str]) -> Iterator[tuple[str, edgedp.Graph]]:
    """Yield the graphs by name: those at hand, then generated ones."""
    for name, make in GRAPHS.items():
        if not asked or name in asked:
            yield name, make()


def check_names(asked: list[str]) -> None:
    """End with a sentence where a word names no graph: an empty table would look like a result."""
    unknown = [name for name in asked if name not in GRAPHS]
    if unknown:
        sys.exit(f"{unknown[0]!r} is not one of the graphs; give some of: {', '.join(GRAPHS)}")


def stops(asked: list[str]) -> None:
    """Print what a target costs, what the list says, what is right, and what releases at once find for the same.

    Each sequence stands beside a release at once for what that sequence spent; "less by" has its standard error.
    """
    head(
        "graph",
        "metric",
        "k",
        "spent: median (range)",
        "steps",
        "said",
        "was",
        "at once",
        "less by",
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
                once = [edgedp.priv_top_k(graph, metric, k, f"{each.epsilon_spent:.9f}") for each in found]
                was, at_once = (np.array([right(each, top) for each in lists]) for lists in (found, once))
                error = np.hypot(was.std(ddof=1), at_once.std(ddof=1)) / RUNS**0.5
                row(
                    name, metric, k,
                    f"{median:.3f} ({spent[0]:.3f} to {spent[-1]:.3f})",
                    f"{np.mean([each.steps for each in found]):.1f}",
                    f"{np.mean([each.expected_recall for each in found]):.2f}",
                    f"{was.mean():.3f}",
                    f"{at_once.mean():.3f}",
                    f"{at_once.mean() - was.mean():+.3f} ({error:.3f})",
                    f"{limit(graph, metric=metric, k=k, epsilon=median):.2f}",
                    ", ".join(sorted({each.to_dict()["ended"] for each in found})),
                )  # fmt: skip


def truth(graph: edgedp.Graph, metric: str, k: int) -> set[object]:
    """Return the ids of the exact top k, ties included."""
    values = degree(graph) if metric == "degree" else ebc(graph)
    return set(graph.node_ids[true_top(values, k)].tolist())


def shares(graph: edgedp.Graph, metric: str, k: int) -> dict[object, float]:
    """Return of each node of the exact top k its chance, where those that tie for the last place share it."""
    values = degree(graph) if metric == "degree" else ebc(graph)
    top = true_top(values, k)
    above = values > values[top].min()
    share = (k - above.sum()) / (top.sum() - above.sum())
    return {graph.node_ids[at].item(): 1.0 if above[at] else share for at in np.flatnonzero(top)}


def right(release: edgedp.Release, top: set[object]) -> float:
    """Return the recall of a list."""
    return len(top.intersection(release.nodes)) / len(release)


def calibration(asked: list[str]) -> None:
    """Print said against was: by graph and cell, then in bins over all listed nodes."""
    said: list[float] = []
    was: list[float] = []
    cells: list[tuple[float, float]] = []
    head("graph", "metric", "k", "epsilon", "said", "was")
    for name, graph in graphs(asked):
        for metric in ("degree", "ebc"):
            for k in PICKS:
                chances = shares(graph, metric, k)
                for epsilon in EPSILONS:
                    found = [edgedp.priv_top_k(graph, metric, k, epsilon) for _ in range(4)]
                    there = [[chances.get(node, 0.0) for node in each.nodes] for each in found]
                    for each, true in zip(found, there, strict=True):
                        said += each.membership
                        was += true
                    mean = float(np.mean([each.expected_recall for each in found]))
                    cells.append((mean, float(np.mean(there))))
                    row(name, metric, k, f"{epsilon:g}", f"{mean:.2f}", f"{np.mean(there):.3f}")
    print()
    head("said between", "nodes", "said", "was")
    each_said, each_was = np.array(said), np.array(was)
    for low, high in pairwise(BINS):
        inside = (each_said >= low) & (each_said < high)
        if inside.any():
            means = f"{each_said[inside].mean():.2f}", f"{each_was[inside].mean():.2f}"
            row(f"{low:g} and {min(high, 1):g}", int(inside.sum()), *means)
    off = np.array([mean - share for mean, share in cells])
    print(
        f"\n{len(off)} cells: said less was is {off.mean():+.3f} on average, from {off.min():+.3f} to {off.max():+.3f}"
    )


def limits(asked: list[str]) -> None:
    """Print the limit beside the graphs, and what it took."""
    head("graph", "metric", "k", *(f"{epsilon:g}" for epsilon in LIMIT_EPSILONS))
    for name, graph in graphs(asked):
        for metric in ("degree", "ebc"):
            for k in PICKS:
                found = [limit(graph, metric=metric, k=k, epsilon=epsilon) for epsilon in LIMIT_EPSILONS]
                row(name, metric, k, *(f"{each:.3f}" for each in found))


def seconds(_: list[str]) -> None:
    """Print the processor time of what a list says of itself, beside that of all else in a release and of the limit."""
    head("graph", "metric", "k", "epsilon", "release without it, s", "what it says, s", "limit, s")
    for name, make, rounds in (
        ("Enron", GRAPHS["Enron"], 3),
        ("power law, a million", lambda: generators.power_law(1_000_000, 2.2, 3.0, 11), 1),
    ):
        graph = make()
        for metric, k, epsilon in (
            ("degree", 10, 1.0),
            ("ebc", 10, 0.1),
            ("ebc", 10, 1.0),
            ("ebc", 100, 1.0),
        ):
            parts = [said_and_rest(graph, metric, k, epsilon) for _ in range(rounds)]
            said, rest = (min(part) for part in zip(*parts, strict=True))
            before = time.process_time()
            limit(graph, metric=metric, k=k, epsilon=epsilon)
            beyond = time.process_time() - before
            row(name, metric, k, f"{epsilon:g}", f"{rest:.3f}", f"{said:.3f}", f"{beyond:.2f}")


def said_and_rest(graph: edgedp.Graph, metric: str, k: int, epsilon: float) -> tuple[float, float]:
    """Return the processor time of what a release says of itself, and of all else in it."""
    said: list[float] = []

    def timed(*given: Any) -> Any:
        before = time.process_time()
        found = how_sure(*given)
        said.append(time.process_time() - before)
        return found

    with patch("edgedp.mechanisms.sure.lists.how_sure", timed):
        before = time.process_time()
        edgedp.priv_top_k(graph, metric, k, epsilon)
        whole = time.process_time() - before
    if len(said) != 1:
        raise AssertionError("a release says once how sure it is")
    return said[0], whole - said[0]


def head(*names: str) -> None:
    """Print the head of a table."""
    row(*names)
    print("|" + "---|" * len(names), flush=True)


def row(*cells: object) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


PARTS = {"stops": stops, "calibration": calibration, "limits": limits, "seconds": seconds}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in PARTS:
        sys.exit(f"give one of the parts: {', '.join(PARTS)}")
    check_names(sys.argv[2:])
    PARTS[sys.argv[1]](sys.argv[2:])
