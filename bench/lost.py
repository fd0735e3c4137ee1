"""Whom noise and proxies lose: shares of the true top nodes that are not found, by degree and by community.

    python bench/lost.py members     # by degree class and size of community, on three graphs
    python bench/lost.py clamping    # how far the mean of a number is from the truth where it is cut at 0

`results/lost.md` has one run of each. All noise is that of the product; nothing is seeded but the generated graphs.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
from at_hand import among
from numpy.typing import NDArray

import edgedp
from edgedp.exact import ebc
from edgedp.exact.experiments.generators import affiliation
from edgedp.exact.quality import true_top

PICKS, RUNS = 100, 20
EPSILONS = ("0.03", "0.1", "1")
DRAWS = 1000


def members() -> None:
    """Print which of the true top nodes are lost: those of few edges, and those in small communities."""
    print(
        "| graph | epsilon | lost of all | of the half with fewer edges | with more | in small communities | in large |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    stored = [(name, edgedp.read_graph(name)) for name in among("email-Enron", "musae-github")]
    for name, graph in [*stored, ("co-authorship, generated", affiliation())]:
        exact = ebc(graph)
        top = np.flatnonzero(true_top(exact, PICKS))
        degrees = graph.degrees[top]
        few = degrees <= np.median(degrees)
        size = _community_sizes(graph)[top]
        small = size <= np.median(size)
        ids = list(graph.node_ids)
        for epsilon in EPSILONS:
            missed = np.zeros(len(top))
            for _ in range(RUNS):
                found = set(edgedp.priv_top_k(graph, "ebc", PICKS, epsilon).nodes)
                missed += [ids[node] not in found for node in top]
            lost = missed / RUNS
            shown = [
                lost.mean(),
                lost[few].mean(),
                lost[~few].mean(),
                lost[small].mean(),
                lost[~small].mean(),
            ]
            print(f"| {name} | {epsilon} | {' | '.join(f'{each:.2f}' for each in shown)} |", flush=True)


def clamping() -> None:
    """Print the mean of the released degree of one node, which is never below 0, against the true one."""
    print("| true degree | epsilon | mean released | bias |")
    print("| --- | --- | --- | --- |")
    for degree in (0, 1, 5, 20):
        edges = [(0, other) for other in range(1, degree + 1)] + [(50, 51)]
        graph = edgedp.Graph.from_edges(edges, nodes=range(100))
        for epsilon in ("0.1", "0.5", "1"):
            drawn = [edgedp.count(graph, "degree", epsilon, node=0).value for _ in range(DRAWS)]
            mean = float(np.mean(drawn))
            print(f"| {degree} | {epsilon} | {mean:.2f} | {mean - degree:+.2f} |", flush=True)


def _community_sizes(graph: edgedp.Graph) -> NDArray[np.int64]:
    """Return the size of each node's community, found by Leiden's method for modularity."""
    found = graph.to_igraph().community_leiden(objective_function="modularity", n_iterations=2).membership
    sizes = Counter(found)
    return np.array([sizes[each] for each in found], dtype=np.int64)


if __name__ == "__main__":
    {"members": members, "clamping": clamping}[sys.argv[1]]()
