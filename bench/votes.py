"""Whether votes of plain nodes on their hubs raise recall of the EBC top k above the default's.

    python bench/votes.py halves [GRAPH ...]    # the graphs that constants were chosen on, and those kept apart
    python bench/votes.py fresh  [FAMILY ...]   # many random graphs of each family, with random parameters
    python bench/votes.py moves                 # what one edge moves each method's exact values by, on small graphs

A study: nothing of it is in the package (docs/decisions, "Votes stay out of the default"). `votes_methods.py` has the
methods, `votes_graphs.py` the graphs, `results/votes.md` one run of each part. The error of `halves` is that of the
noise, on one graph; the error of `fresh` is that of the graphs as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from votes_graphs import CHOSEN_ON, FAMILIES, REPORTED_ON
from votes_methods import Case, Look, Method, Pairs, Run, Votes

import edgedp

EPSILONS = (1.0, 3.0, 10.0)
PICKS = (10, 20, 100)
RUNS = 16
FRESH = range(201, 213)
VOTES_FROM = 1_000
"""Of ``t``: below it today's choice stands."""
METHODS: dict[str, Method] = {"votes": Votes(), "one look": Look(), "pairs": Pairs()}
SMALL = ("one look", "pairs")
"""Methods for k up to 20 only."""

Floats = NDArray[np.float64]


def compared(case: Case, k: int, epsilon: float, rng: np.random.Generator) -> dict[str, float] | None:
    """Return recall by method, or None where today's choice stands."""
    run = Run(case, k, epsilon, rng)
    if epsilon * run.seen < VOTES_FROM:
        return None
    found = {"degree": case.found(case.graph.degrees + rng.laplace(0, 2 / epsilon, case.n), k)}
    found["today"] = case.found(run.by_cuts(0.75), k)
    for name, method in METHODS.items():
        if k <= 20 or name not in SMALL:
            found[name] = case.found(method.scores(run, rng.spawn(1)[0]), k)
    return found


def halves(asked: list[str]) -> None:
    """Print recall on each graph; *below* is by more than three standard errors of the noise."""
    for title, graphs in (("Constants chosen on", CHOSEN_ON), ("Kept apart", REPORTED_ON)):
        print(f"\n**{title}**\n")
        head("graph", "k", "epsilon", "degree", "today", *METHODS)
        for name, make in graphs.items():
            if asked and name not in asked:
                continue
            case = Case(make())
            for k in PICKS:
                for epsilon in EPSILONS:
                    rng = np.random.default_rng(k)
                    runs = [found for _ in range(RUNS) if (found := compared(case, k, epsilon, rng))]
                    if len(runs) >= RUNS / 2:
                        row(name, k, f"{epsilon:g}", *cells(runs, k))


def cells(runs: list[dict[str, float]], k: int) -> list[str]:
    """Return the mean recall of the two that are there, and of each method its gain with its error."""
    shown = [f"{np.mean([run[name] for run in runs]):.3f}" for name in ("degree", "today")]
    for name in METHODS:
        if name not in runs[0]:
            shown.append("")
            continue
        gain = np.array([run[name] - run["today"] for run in runs])
        error = max(float(gain.std(ddof=1)), 1 / k / len(runs) ** 0.5) / len(runs) ** 0.5
        below = ", **below**" if gain.mean() < -3 * error else ""
        shown.append(f"{gain.mean():+.3f} ({error:.3f}{below})")
    return shown


def fresh(asked: list[str]) -> None:
    """Print, for each family, the gain over random graphs, its error, and the worst and best graph."""
    head("family", "k", "epsilon", "graphs", "degree", "today", *METHODS)
    for name, make in FAMILIES.items():
        if asked and name not in asked:
            continue
        cases = [Case(make(seed, np.random.default_rng(seed))) for seed in FRESH]
        for k in (10, 20):
            for epsilon in EPSILONS:
                found = [
                    once
                    for seed, case in zip(FRESH, cases, strict=True)
                    if (once := twice(case, k, epsilon, seed))
                ]
                if len(found) >= 4:
                    row(name, k, f"{epsilon:g}", len(found), *over_graphs(found))


def twice(case: Case, k: int, epsilon: float, seed: int) -> dict[str, float] | None:
    """Return the mean of two runs on one graph, or None where neither gets as far."""
    runs = [compared(case, k, epsilon, np.random.default_rng([seed, k, turn])) for turn in range(2)]
    there = [run for run in runs if run is not None]
    return {name: float(np.mean([run[name] for run in there])) for name in there[0]} if there else None


def over_graphs(found: list[dict[str, float]]) -> list[str]:
    """Return means over graphs, and of each method the gain, its error, the worst and the best graph."""
    shown = [f"{np.mean([each[name] for each in found]):.3f}" for name in ("degree", "today")]
    for name in METHODS:
        gain = np.array([each[name] - each["today"] for each in found])
        error = float(gain.std(ddof=1)) / len(gain) ** 0.5
        shown.append(f"{gain.mean():+.3f} ({error:.3f}; {gain.min():+.2f} to {gain.max():+.2f})")
    return shown


def moves(_: list[str]) -> None:
    """Print the most that one edge moved exact values by, over all graphs of 5 nodes and random larger ones."""
    rng = np.random.default_rng(1)
    look, most = Look(), {"one look": 0, "pairs": 0}
    tried = 0
    for graph, edge in neighbours(rng):
        n = graph.node_count
        hubs = rng.permutation(n)[: rng.integers(0, n + 1)]
        one, other = Case(graph), Case(flipped(graph, edge))
        sums = np.abs(look.sums(one, hubs) - look.sums(other, hubs)).sum()
        (lists, joined), (lists_after, joined_after) = (case.together(hubs, 3) for case in (one, other))
        by_pairs = np.abs(lists - lists_after).sum() / 2, np.abs(joined - joined_after).sum() / 2
        assert min(by_pairs) == 0, "one edge moves both"
        assert sums <= look.moves
        assert by_pairs[0] <= 4
        assert by_pairs[1] <= 1
        most["one look"] = max(most["one look"], int(sums))
        most["pairs"] = max(most["pairs"], int(by_pairs[0]))
        tried += 1
    head("method", "cases", "most that one edge moved", "bound")
    row("one look", f"{tried:,}", most["one look"], look.moves)
    row("pairs, lists of three", f"{tried:,}", most["pairs"], 4)


def neighbours(rng: np.random.Generator) -> list[tuple[edgedp.Graph, tuple[int, int]]]:
    """Return graphs, each with the edge by which its neighbour differs; ids are random, so orders are."""
    found = []
    for n in (3, 4, 5):
        pairs = list(combinations(range(n), 2))
        for mask in range(1 << len(pairs)):
            edges = [pair for bit, pair in enumerate(pairs) if mask >> bit & 1]
            found += [(named(edges, n, rng), edge) for edge in pairs if edge not in edges]
    for _ in range(3_000):
        n = int(rng.integers(6, 15))
        share = rng.choice([0.3, 0.6, 0.9])
        edges = [pair for pair in combinations(range(n), 2) if rng.random() < share]
        one, other = sorted(rng.permutation(n)[:2].tolist())
        found.append((named(edges, n, rng), (one, other)))
    return found


def named(edges: list[tuple[int, int]], n: int, rng: np.random.Generator) -> edgedp.Graph:
    """Return a graph whose nodes have random ids."""
    ids = np.sort(rng.choice(10**6, n, replace=False))
    return edgedp.Graph.from_edges([(int(ids[a]), int(ids[b])) for a, b in edges], nodes=ids.tolist())


def flipped(graph: edgedp.Graph, edge: tuple[int, int]) -> edgedp.Graph:
    """Return the graph with the edge between two positions where it is missing, without it where it is there."""
    tails = np.repeat(np.arange(graph.node_count), graph.degrees).tolist()
    there = {(a, b) for a, b in zip(tails, graph.indices.tolist(), strict=True) if a < b} ^ {edge}
    ids = graph.node_ids.tolist()
    return edgedp.Graph.from_edges([(ids[a], ids[b]) for a, b in there], nodes=ids)


def head(*cells: object) -> None:
    row(*cells)
    row(*["---"] * len(cells))


def row(*cells: object) -> None:
    print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)


PARTS: dict[str, Callable[[list[str]], None]] = {"halves": halves, "fresh": fresh, "moves": moves}

if __name__ == "__main__":
    PARTS[sys.argv[1]](sys.argv[2:])
