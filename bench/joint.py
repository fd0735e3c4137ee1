"""Recall of the EBC top-k: joint release by its three proxies beside SLD PrivTopk, on five kinds of graph.

    python bench/joint.py recall [GRAPH ...]   # recall against epsilon and k, the largest degree declared
    python bench/joint.py bound  [GRAPH ...]   # recall against a bound that is declared too large
    python bench/joint.py spec                 # Enron and GitHub beside the figures that the method was designed with
    python bench/joint.py time                 # a release of 300,000 nodes, step by step

Every part prints tables in Markdown; `bench/results/joint.md` holds one run of each. A returned node whose
EBC equals the k-th largest counts as found. The draws are those of the product, from seeded words; only the
exact values are kept from run to run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from functools import cache

import generators
import numpy as np
from numpy.typing import NDArray

import edgedp
from edgedp.draw import draw
from edgedp.joint import noisy
from edgedp.joint_both import rank, split_epsilon
from edgedp.plan import PublicFacts, plan_priv_top_k
from edgedp.projection import GraphProjection
from edgedp.sampling.select import top_k_with_random_ties
from edgedp.sampling.words import GeneratorWords, SecureWords

RUNS = 40
EPSILONS = ("0.01", "0.03", "0.1", "0.3", "1", "3", "10")
GRAPHS: dict[str, Callable[[], edgedp.Graph]] = {
    "Enron": lambda: edgedp.read_graph("email-Enron"),
    "GitHub": lambda: edgedp.read_graph("musae-github"),
    "clusters": generators.overlapping_clusters,
    "power law": generators.power_law,
    "co-authorship": generators.affiliation,
}
METHODS: dict[str, dict[str, str]] = {
    "SLD": {"mechanism": "sld"},
    "degree": {"mechanism": "joint", "proxy": "degree"},
    "betweenness2": {"mechanism": "joint", "proxy": "betweenness2"},
    "both": {"mechanism": "joint", "proxy": "both"},
}


class Remembered(GraphProjection):
    """A projection that computes every exact value once."""

    def __init__(self, graph: edgedp.Graph) -> None:
        super().__init__(graph)
        self.values = cache_by_name(super().values)
        self.betweenness2_shares = cache(super().betweenness2_shares)


def cache_by_name(
    compute: Callable[[str], NDArray[np.float64]],
) -> Callable[[str, NDArray[np.int64] | None], NDArray[np.float64]]:
    """Return `compute` for all nodes, once for each name, and the positions asked for."""
    everything = cache(compute)

    def values(name: str, positions: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        return everything(name) if positions is None else everything(name)[positions]

    return values


class Case:
    """A graph with its exact EBC."""

    def __init__(self, name: str) -> None:
        self.graph = GRAPHS[name]()
        self.projection = Remembered(self.graph)
        self.ebc = self.projection.values("ebc")

    def ceiling(self, values: NDArray[np.float64], k: int) -> float:
        """Return the recall of a ranking without noise, ties to the lower position."""
        return self.found(np.argsort(-values, kind="stable")[:k], k)

    def found(self, picked: NDArray[np.int64], k: int) -> float:
        """Return the share of the picked nodes that belong to the top k."""
        return float(np.mean(self.ebc[picked] >= np.sort(self.ebc)[::-1][k - 1]))

    def recall(self, method: str, k: int, epsilon: str, bound: int | None = None) -> float:
        """Return the mean recall of `RUNS` releases under a declared bound, by default the largest degree."""
        facts = PublicFacts(self.graph.node_count, bound or self.graph.max_degree)
        plan = plan_priv_top_k(facts, metric="ebc", k=k, epsilon=epsilon, **METHODS[method])
        sources = (GeneratorWords(np.random.default_rng([seed, k])) for seed in range(RUNS))
        return float(np.mean([self.found(draw(plan, self.projection, words), k) for words in sources]))


@cache
def case(name: str) -> Case:
    return Case(name)


def recall(names: Iterable[str]) -> None:
    for name in names or GRAPHS:
        about(name)
        row("k", "no noise: degree / betweenness2", "method", *EPSILONS)
        row(*["---"] * (3 + len(EPSILONS)))
        for k in (1, 10, 20, 100):
            noiseless = (case(name).projection.values(metric) for metric in ("degree", "betweenness2"))
            best = " / ".join(f"{case(name).ceiling(values, k):.2f}" for values in noiseless)
            for method in METHODS:
                row(
                    k, best, method, *(f"{case(name).recall(method, k, epsilon):.2f}" for epsilon in EPSILONS)
                )


def bound(names: Iterable[str]) -> None:
    for name in names or GRAPHS:
        about(name)
        largest, n = case(name).graph.max_degree, case(name).graph.node_count
        declared = sorted({min(round(largest * factor), n - 1) for factor in (1, 1.5, 2, 4, 8, n)})
        row("epsilon", "method", *(f"{bound:,}" for bound in declared))
        row(*["---"] * (2 + len(declared)))
        for epsilon in ("0.1", "0.3", "1", "3"):
            for method in METHODS:
                row(
                    epsilon,
                    method,
                    *(f"{case(name).recall(method, 10, epsilon, bound):.2f}" for bound in declared),
                )


DESIGNED = {
    ("Enron", 10): (0.82, 0.90, 0.98, 1, 1),
    ("Enron", 20): (0.70, 0.94, 0.96, 0.98, 1),
    ("GitHub", 10): (0.90, 0.92, 0.93, 0.98, 1),
    ("GitHub", 20): (0.92, 0.95, 0.96, 0.96, 0.95),
}
"""Recall of the fit with float noise and ``e1 = min(0.7 eps, max(0.1 eps, 0.06))``."""


def spec(_: Iterable[str]) -> None:
    epsilons = ("0.03", "0.1", "0.3", "1", "3")
    row("graph, k, D", "", *epsilons)
    row(*["---"] * (2 + len(epsilons)))
    for (name, k), designed in DESIGNED.items():
        for declared in (None, 2_000) if name == "Enron" else (None,):
            found = [case(name).recall("both", k, epsilon, declared) for epsilon in epsilons]
            label = f"{name}, {k}, {declared or case(name).graph.max_degree}"
            row(label, "designed", *(f"{value:.2f}" for value in designed))
            row(label, "here", *(f"{value:.2f}" for value in found))
            row(
                label,
                "worse by more than 0.05",
                *("yes" if b < a - 0.05 else "no" for a, b in zip(designed, found, strict=True)),
            )


def time_release(_: Iterable[str]) -> None:
    graph = generators.affiliation(300_000, 300_000)
    projection, bound = GraphProjection(graph), graph.max_degree
    degrees, shares = projection.degrees(), projection.betweenness2_shares(20)
    e1, e2 = split_epsilon(plan_priv_top_k(PublicFacts(2), metric="degree", k=1, epsilon=1).epsilon)
    words, moves = SecureWords(), 2 * (bound - 1) << 20
    noisy_degrees, noisy_shares = noisy(degrees, 2, e1, words), noisy(shares, moves, e2, words)
    betweenness, scale = noisy_shares / 2**20, float(moves / e2) / 2**20
    print(f"{graph!r}; best of 5, ms\n")
    row("step", "ms")
    row("---", "---")
    row("exact degrees and shares", best_of_5(lambda: projection.betweenness2_shares(20)))
    row("noise on the degrees", best_of_5(lambda: noisy(degrees, 2, e1, words)))
    row("noise on the shares", best_of_5(lambda: noisy(shares, moves, e2, words)))
    for k in (10, 100, 1_000):
        row(f"fit and scores, k = {k:,}", best_of_5(lambda k=k: rank(noisy_degrees, betweenness, scale, k)))
    scores = np.unique(rank(noisy_degrees, betweenness, scale, 10), return_inverse=True)[1]
    row("selection, k = 10", best_of_5(lambda: top_k_with_random_ties(scores, 10, words)))


def best_of_5(work: Callable[[], object]) -> str:
    def once() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return f"{1_000 * min(once() for _ in range(5)):.0f}"


def about(name: str) -> None:
    graph = case(name).graph
    degrees = np.sort(graph.degrees)[::-1]
    hubs = np.argsort(-graph.degrees)[:200]
    values = np.maximum(case(name).projection.values("betweenness2")[hubs], 1)
    spread = np.log(values / (graph.degrees[hubs] * (graph.degrees[hubs] - 1) / 2)).std()
    print(
        f"\n**{name}**: {graph.node_count:,} nodes, {graph.edge_count:,} edges, largest degree {degrees[0]:,}, "
        f"10th {degrees[9]:,}, 100th {degrees[99]:,}; spread of `ln rho` of the 200 largest {spread:.2f}\n"
    )


def row(*cells: object) -> None:
    print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)


if __name__ == "__main__":
    {"recall": recall, "bound": bound, "spec": spec, "time": time_release}[sys.argv[1]](sys.argv[2:])
