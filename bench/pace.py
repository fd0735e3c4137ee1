"""Expected errors of private numbers by the pace of the calibrated ladder, before 0.2.0 and now: exact, no draws.

    python bench/pace.py [GRAPH ...]

Prints both tables of `bench/results/numbers.md`: relative errors of numbers of the whole graph, no bound, answers below
0 taken as 0; absolute ones of metrics of one node, under a declared bound, answers cut to what is possible. *before* is
the pace of 0.1.0: ``B = 20 / epsilon``, half of it below .1.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
from at_hand import among

import edgedp
from edgedp.mechanisms.counts import Bounds, Profile, count_class
from edgedp.mechanisms.counts.base import profile_of
from edgedp.mechanisms.numbers.calibrated import MECHANISM
from edgedp.mechanisms.numbers.rungs import Pace, pace, pace_on
from edgedp.mechanisms.numbers.stairs import Stairs
from edgedp.mechanisms.projection import GraphProjection

OF_GRAPHS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("triangles", {}),
    ("wedges", {}),
    ("stars", {"star_size": 3}),
    ("two_triangles", {}),
)
OF_NODES = ("ebc", "density", "betweenness2")
EPSILONS = tuple(map(Fraction, ("0.01", "0.03", "0.1", "0.3", "1", "3")))
OF_NODE_EPSILONS = tuple(map(Fraction, ("0.03", "0.0999", "0.1", "0.3", "1", "3")))
BOUNDS = {"email-Enron": 2_000, "musae-github": 10_000}
NAMED = {"email-Enron": (213, 5038)}
DEGREES = (5, 50, 150)


def error(profile: Profile, epsilon: Fraction, paced: Pace, most: float) -> float:
    """Return the expected distance of the answer, in units: cut at 0, and at `most` above the exact number."""
    law = MECHANISM.law_at(profile, epsilon, paced)
    assert isinstance(law, Stairs)
    # The mean of both sides, of which one is cut: twice what is asked for, less the mean that is not cut.
    return law.mean_distance(profile.value) + law.mean_distance(most) - law.mean_distance()


def paces(profile: Profile, epsilon: Fraction) -> dict[str, Pace]:
    return {"before": pace(epsilon), "after": pace_on(profile.curve, epsilon)}


def of_graph(name: str) -> None:
    graph = edgedp.read_graph(name)
    projection, bounds = GraphProjection(graph), Bounds(graph.node_count, graph.node_count - 1)
    for of, options in OF_GRAPHS:
        profile = profile_of(count_class(of)(**options), projection, bounds)
        for label in ("before", "after"):
            found = (
                error(profile, each, paces(profile, each)[label], inf) / profile.value for each in EPSILONS
            )
            row(f"{name} {of}", label, *(f"{value:.3g}" for value in found))


def of_nodes(name: str) -> None:
    graph = edgedp.read_graph(name)
    projection, bounds = GraphProjection(graph), Bounds(graph.node_count, BOUNDS[name])
    named = [(str(node), int(np.flatnonzero(graph.node_ids == node)[0])) for node in NAMED.get(name, ())]
    nodes = named or [("largest", int(np.argmax(graph.degrees)))]
    nodes += [(f"degree {degree}", int(np.argmin(np.abs(graph.degrees - degree)))) for degree in DEGREES]
    for of in OF_NODES:
        for told, node in nodes:
            count: Any = count_class(of)
            profile = profile_of(count(node=node), projection, bounds)
            unit = 1 << profile.bits
            what = f"{name} {of} {told} d {graph.degrees[node]} exact {profile.value / unit:.4g}"
            for label in ("before", "after"):
                most = profile.maximum - profile.value
                found = (
                    error(profile, each, paces(profile, each)[label], most) / unit
                    for each in OF_NODE_EPSILONS
                )
                row(
                    what if label == "before" else f"{name} {of} {told}",
                    label,
                    *(f"{value:.3g}" for value in found),
                )


def row(*cells: object) -> None:
    print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)


def head(*cells: object) -> None:
    row(*cells)
    row(*["---"] * len(cells))


def main() -> None:
    names = sys.argv[1:] or among(*BOUNDS)
    head("graph, number", "pace", *(f"{float(each):g}" for each in EPSILONS))
    for name in names:
        of_graph(name)
    print()
    head("graph, metric, node", "pace", *(f"{float(each):g}" for each in OF_NODE_EPSILONS))
    for name in names:
        of_nodes(name)


if __name__ == "__main__":
    main()
