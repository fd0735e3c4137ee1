"""Pareto sensitivity profile: time against a plain pass, memory, and what shifted dampening makes of it.

    python bench/pareto.py time       # two metrics: pruned profile against the plain pass, both graphs
    python bench/pareto.py memory     # three metrics on GitHub: time and peak memory of the process
    python bench/pareto.py quality    # C-metric of (degree, density), global EM against local SLD
    python bench/pareto.py large      # a local release of 10 million edges, first and with what it kept: minutes, 2 GB
    python bench/pareto.py shift      # which shift serves the lists with EBC or betweenness2

Every part prints a table in Markdown; `bench/results/pareto.md` holds one run of each.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from unittest import mock

import numpy as np
from at_hand import among, here
from ebc_kernel import large_power_law

import edgedp
from edgedp.exact.quality import coverage
from edgedp.graph.engines.native.dominance import count_dominating
from edgedp.mechanisms.metrics import metric
from edgedp.mechanisms.pareto.profile import ParetoProfile, Sensitivity, pareto_profile
from edgedp.mechanisms.pareto.score import pareto_score

K, RUNS, TIE_DRAWS = 10, 40, 20
EPSILONS = (0.01, 0.1, 0.5, 1, 10, 100, 1_000, 10_000)
LISTS_WITH_BETWEENNESS = (
    ("degree", "ebc"),
    ("degree", "betweenness2"),
    ("ebc", "betweenness2"),
    ("density", "ebc"),
    ("density", "betweenness2"),
    ("degree", "density", "ebc"),
    ("degree", "density", "betweenness2"),
    ("density", "ebc", "betweenness2"),
)


def main() -> None:
    {"time": times, "memory": memory, "large": large, "quality": quality, "shift": shifts}[sys.argv[1]]()


# -- one graph, one list of metrics --------------------------------------------------------------


class Case:
    """A graph with the utilities of a list of metrics; the declared bound is its largest degree."""

    def __init__(self, graph: edgedp.Graph, names: tuple[str, ...]) -> None:
        self.names = names
        self.bound = graph.max_degree
        self.utilities = np.column_stack([getattr(edgedp.exact, name)(graph) for name in names])
        self.sensitivities = [self._sensitivity(name, graph.degrees) for name in names]
        self.integral = [metric(name).is_degree for name in names]

    def _sensitivity(self, name: str, degrees: np.ndarray) -> Sensitivity:
        return lambda t: metric(name).sensitivity(metric(name).forms[0], t, degrees, None, self.bound)

    def profile(self) -> ParetoProfile:
        """Return the profile by the package."""
        return pareto_profile(
            self.utilities, self.sensitivities, integral=self.integral, limit=self.bound + 3
        )

    def plain(self, steps: int) -> Iterator[np.ndarray]:
        """Sort and Fenwick tree over all candidates and all points in every step."""
        lower, upper = self.utilities.T.copy(), self.utilities.T.copy()
        for t in range(steps):
            for i, sensitivity in enumerate(self.sensitivities):
                width = sensitivity(t) * (1.0 if self.integral[i] else 1 + 2.0**-24)
                lower[i] -= width
                upper[i] += width
            delta = count_dominating(upper, lower) - count_dominating(lower, upper)
            yield np.minimum(delta, len(self.utilities) - 1)


# -- time and memory -----------------------------------------------------------------------------


def times() -> None:
    head("graph", "steps", "entries kept", "plain pass, s", "pruned, s", "ratio", "equal")
    for name in among("email-Enron", "musae-github"):
        case = Case(edgedp.read_graph(name), ("degree", "density"))
        case.profile()
        fastest, profile = best_of(3, case.profile)
        begin = time.perf_counter()
        steps = int(profile.lengths.max()) + 1
        compared = {t: delta for t, delta in enumerate(case.plain(steps)) if t < 50 or t % 25 == 0}
        plain = time.perf_counter() - begin
        equal = all(np.array_equal(profile.at(t), delta) for t, delta in compared.items())
        row(
            name,
            f"{steps:,}",
            f"{len(profile.deltas):,}",
            f"{plain:.1f}",
            f"{fastest:.2f}",
            f"{plain / fastest:.1f}",
            f"{'yes' if equal else 'NO'}, {len(compared)} steps compared",
        )


def memory() -> None:
    if not here("musae-github"):
        return
    case = Case(edgedp.read_graph("musae-github"), ("degree", "density", "ebc"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds, profile = best_of(1, case.profile)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    head(
        "graph", "metrics", "steps", "entries kept", "s, with compilation", "peak RSS before, MB", "after, MB"
    )
    steps, entries = f"{profile.lengths.max() + 1:,}", f"{len(profile.deltas):,}"
    row("musae-github", *(", ".join(case.names), steps, entries), f"{seconds:.1f}", before >> 10, after >> 10)


def large() -> None:
    """Print processor seconds of (degree, density), sld, k = 10 on a graph that was just read."""
    graph = large_power_law()
    head("nodes", "edges", "first, s", "kept, s")
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"EDGEDP_CACHE": folder}):
        first, kept = (seconds_of_release(graph) for _ in range(2))
        kept = min(kept, *(seconds_of_release(graph) for _ in range(4)))
    row(f"{graph.node_count:,}", f"{graph.edge_count:,}", f"{first:.1f}", f"{kept:.2f}")


def seconds_of_release(graph: edgedp.Graph) -> float:
    """Return the processor time of a release by a process that knows nothing of the graph but its rows."""
    anew = edgedp.Graph(graph.node_ids, graph.indptr, graph.indices, nodes_supplied=True)
    begin = time.process_time()
    edgedp.motkin(anew, ("degree", "density"), k=K, epsilon=1, mechanism="sld", degree_bound=graph.max_degree)
    return time.process_time() - begin


def best_of(runs: int, compute: Callable[[], ParetoProfile]) -> tuple[float, ParetoProfile]:
    seconds = []
    for _ in range(runs):
        begin = time.perf_counter()
        profile = compute()
        seconds.append(time.perf_counter() - begin)
    return min(seconds), profile


# -- quality -------------------------------------------------------------------------------------


def quality() -> None:
    for name in among("email-Enron", "musae-github"):
        title(name, case := Case(edgedp.read_graph(name), ("degree", "density")))
        measure(case)


def shifts() -> None:
    for name in among("email-Enron", "musae-github"):
        graph = edgedp.read_graph(name)
        for names in LISTS_WITH_BETWEENNESS:
            title(name, case := Case(graph, names))
            measure(case)


def measure(case: Case) -> None:
    """Print accuracy, C-metric with random ties and with the whole front; one-shot over round 1's scores."""
    scores = pareto_score(case.utilities)
    cap = len(scores) - 1
    sums = case.profile().shifted_sum(cap)
    variants = {
        "EM, global": scores / cap,  # Pr ~ exp(eps u / (2 GS)): the same factor as for a dampened score
        "SLD down": (scores + sums) / cap,
        "SLD up": (scores - sums) / cap,
    }
    rng = np.random.default_rng(4)
    kth = np.sort(scores)[-K]
    front, above, tied = (np.flatnonzero(which) for which in (scores >= kth, scores > kth, scores == kth))

    def true_top() -> np.ndarray:
        return np.concatenate([above, rng.choice(tied, K - len(above), replace=False, shuffle=False)])

    print(f"{len(front):,} nodes have at least the k-th largest score, {kth}.\n")
    head("measure", "variant", *(f"{epsilon:g}" for epsilon in EPSILONS))
    for variant, dampened in variants.items():
        accuracy, drawn, whole = [], [], []
        for epsilon in EPSILONS:
            for _ in range(RUNS):
                picked = top_k(dampened * (epsilon / K / 2) + rng.gumbel(size=len(scores)))
                accuracy.append(np.mean(scores[picked] >= kth))
                whole.append(coverage(case.utilities, front, picked))
                draws = [coverage(case.utilities, true_top(), picked) for _ in range(TIE_DRAWS)]
                drawn.append(np.mean(draws))
        for label, values in (("accuracy", accuracy), ("C, random ties", drawn), ("C, whole front", whole)):
            row(label, variant, *(f"{value:.2f}" for value in np.reshape(values, (-1, RUNS)).mean(axis=1)))


def head(*names: str) -> None:
    row(*names)
    row(*("---" for _ in names))


def row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def title(graph: str, case: Case) -> None:
    print(f"\n{graph}, ({', '.join(case.names)}), D = {case.bound:,}, k = {K}, mean of {RUNS} runs\n")


def top_k(noisy: np.ndarray) -> np.ndarray:
    return np.argpartition(noisy, -K)[-K:]


if __name__ == "__main__":
    main()
