"""EBC of one node: whether a noisy degree that is bought first makes the number better. A trial, not in the product.

    nice python bench/one_node.py [classes [GRAPH ...]]

Prints the table "EBC of one node behind its noisy degree" of `bench/results/numbers.md`, or with `classes` the one of
ratios by class of degree, on four graphs: the median over nodes of the
expected relative error, exact by the laws (the noisy degree at quantiles of its own); nothing is drawn but which
nodes. What is tried, and why it is private, stands beside the table.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import count
from math import exp
from typing import Any

import numpy as np
from at_hand import among
from numpy.typing import NDArray
from votes_graphs import clustered, preferential

import edgedp
from edgedp.mechanisms.counts import Bounds, Count, Profile
from edgedp.mechanisms.counts.base import STEEPER, below, profile_of
from edgedp.mechanisms.counts.betweenness2 import LengthTwoBetweenness
from edgedp.mechanisms.counts.ebc import Ebc
from edgedp.mechanisms.numbers.base import Amounts, NumberMechanism
from edgedp.mechanisms.numbers.calibrated import MECHANISM as CALIBRATED
from edgedp.mechanisms.numbers.nls import NoisyBound
from edgedp.mechanisms.numbers.staircase import MECHANISM as STAIRCASE
from edgedp.mechanisms.numbers.stairs import Stairs
from edgedp.mechanisms.projection import GraphProjection

GRAPH, BOUND = "email-Enron", 2_000
EPSILONS = tuple(map(Fraction, ("0.1", "0.3", "1")))
HIGHEST, RANDOM, SEED = 20, 40, 38
QUARTER, TENTH, HALF = Fraction(1, 4), Fraction(1, 10), Fraction(1, 2)
SELDOM = Fraction(1, 100)
"""Probability that a cap is below the degree."""
CAPS, CUTS = 9, 45
"""At how many quantiles of the noisy degree an error is taken."""
GUESS = 0.5
"""Of the pairs of neighbours, where nothing but the degree is bought; chosen before the run."""
UNIT = 1 << 20


@dataclass(frozen=True)
class Ego:
    """What the trial knows of a node: its number, its degree, and the same behind a cap."""

    graph: edgedp.Graph
    node: int

    @property
    def degree(self) -> int:
        """The degree of the node."""
        return int(self.graph.degrees[self.node])

    def row(self, node: int) -> NDArray[Any]:
        """Return the neighbours of a node, ascending."""
        return self.graph.indices[self.graph.indptr[node] : self.graph.indptr[node + 1]]

    def kept(self, cap: int) -> NDArray[Any]:
        """Return the first `cap` neighbours by position, which is the order of the ids: public."""
        return self.row(self.node)[:cap]

    def value(self, cap: int) -> float:
        """Return the EBC of the node where it has no neighbours but the kept ones."""
        kept = self.kept(cap)
        edges = [(self.node, each) for each in kept.tolist()]
        for each in kept.tolist():
            edges += [
                (each, other) for other in np.intersect1d(self.row(each), kept).tolist() if other > each
            ]
        if not edges:
            return 0.0
        ego = edgedp.Graph.from_edges(edges)
        return float(edgedp.exact.values(ego, "ebc")[int(np.flatnonzero(ego.node_ids == self.node)[0])])

    def shared(self, cap: int) -> int:
        """Return the most kept neighbours that another node has."""
        rows = [self.row(each) for each in self.kept(cap).tolist()]
        found = np.bincount(np.concatenate(rows), minlength=self.graph.node_count)
        found[self.node] = 0
        return int(found.max())


def moved(degree: int, shared: int) -> int:
    """Return how far one edge, or one neighbour for another, moves the number at most, in units."""
    return -(-(4 * degree + shared * max(shared - 1, 0)) * UNIT // 4) + 1


def capped(cap: int, degree: int, shared: int, value: float) -> Profile:
    """Return the profile of the number behind a public cap."""
    ceiling = moved(cap, cap)
    steps = below(ceiling, (moved(min(degree + t, cap), min(shared + t, cap)) for t in count()))
    maximum = cap * (cap - 1) // 2 * UNIT
    return Profile(round(value * UNIT), steps, ceiling, maximum, 20, curve=STEEPER)


def error(law: Stairs, center: float, exact: float, most: float) -> float:
    """Return the expected distance from `exact` of an answer about `center` that is cut to 0 .. `most`, in units.

    Where the center is not the exact number, at most: the distance between the two is added.
    """
    if center <= most:
        return side(law, center) + side(law, most - center) + abs(exact - center)
    return center - most + side(law, center) - side(law, center - most) + abs(exact - center)


@cache
def side(law: Stairs, limit: float) -> float:
    """Return what one side adds to the mean distance where it counts as `limit` at most."""
    return law.mean_distance(limit) - whole_side(law)


@cache
def whole_side(law: Stairs) -> float:
    """Return what one side adds to the mean distance."""
    return law.mean_distance() / 2


def stairs(profile: Profile, epsilon: Fraction, mechanism: NumberMechanism = CALIBRATED) -> Stairs:
    law = mechanism.law(profile, Amounts(epsilon))
    assert isinstance(law, Stairs)
    return law


def noisy(degree: int, epsilon: Fraction, exceeds: Fraction, places: int, most: int = BOUND) -> list[int]:
    """Return a noisy degree that is below the degree with probability `exceeds`, at its quantiles."""
    values, masses = NoisyBound(degree, 1 / epsilon, exceeds, most).law()
    quantiles = (np.arange(places) + 0.5) / places
    found = np.searchsorted(np.cumsum(masses) / np.sum(masses), quantiles)
    return [max(int(values[place]), 2) for place in found.tolist()]


def by_degree(degree: int, exact: float, epsilon: Fraction) -> float:
    """Return the expected error of half the pairs of the noisy degree, all of epsilon spent on it."""
    fall = exp(-float(epsilon))
    reach = int(40 / float(epsilon))
    noise = np.arange(-reach, reach + 1)
    mass = (1 - fall) / (1 + fall) * fall ** np.abs(noise)
    noisy = np.clip(degree + noise, 0, BOUND)
    return float(np.dot(mass, np.abs(GUESS * noisy * (noisy - 1) / 2 - exact)))


def errors(ego: Ego, epsilon: Fraction) -> dict[str, float]:
    """Return the expected relative error of each way."""
    whole = profile_of(Ebc(node=ego.node), GraphProjection(ego.graph), Bounds(ego.graph.node_count, BOUND))
    exact, degree = float(whole.value), ego.degree

    @cache
    def value(cap: int) -> float:
        return ego.value(cap) if cap < degree else exact / UNIT

    def cut(share: Fraction, exceeds: Fraction) -> float:
        law = stairs(whole, epsilon * (1 - share))
        tops = (cap * (cap - 1) // 2 * UNIT for cap in noisy(degree, epsilon * share, exceeds, CUTS))
        return float(np.mean([error(law, exact, exact, top) for top in tops]))

    def behind(mechanism: NumberMechanism) -> float:
        found = []
        for cap in noisy(degree, epsilon * QUARTER, SELDOM, CAPS):
            profile = capped(cap, min(degree, cap), ego.shared(cap), value(cap))
            law = stairs(profile, epsilon * (1 - QUARTER), mechanism)
            found.append(error(law, profile.value, exact, profile.maximum))
        return float(np.mean(found))

    ways = {
        "A": error(stairs(whole, epsilon), exact, exact, whole.maximum),
        "B": behind(CALIBRATED),
        "C": behind(STAIRCASE),
        "D": cut(QUARTER, SELDOM),
        "E": cut(QUARTER, HALF),
        "F": cut(TENTH, HALF),
        "G": by_degree(degree, exact / UNIT, epsilon) * UNIT,
    }
    return {way: found / exact for way, found in ways.items()}


SHARES = tuple(map(Fraction, ("0.02", "0.05", "0.1", "0.2")))
CLASSES = (0.0002, 0.001, 0.01, 0.1, 0.5)
"""Places of the nodes, by falling degree, that end a class: shares of all nodes."""
EACH = 5
FINELY = tuple(map(Fraction, ("0.03", "0.1", "0.3", "1", "3")))


def whole_against_cut(count_: Count, ego: Ego, bound: int, epsilon: Fraction) -> list[float]:
    """Return the expected relative error of the default, and of the cut at each share."""
    whole = profile_of(count_, GraphProjection(ego.graph), Bounds(ego.graph.node_count, bound))
    exact, unit = float(whole.value), 1 << whole.bits
    found = [error(stairs(whole, epsilon), exact, exact, whole.maximum)]
    for share in SHARES:
        law = stairs(whole, epsilon * (1 - share))
        caps = noisy(ego.degree, epsilon * share, HALF, CUTS, bound)
        found.append(float(np.mean([error(law, exact, exact, cap * (cap - 1) // 2 * unit) for cap in caps])))
    return [each / exact for each in found]


def classes(only: list[str]) -> None:
    """Print the default's error, and the ratio of the cut's to it, the median and the largest of a class of degree."""
    graphs = {name: edgedp.read_graph(name) for name in among("email-Enron", "musae-github")}
    graphs |= {
        "preferential attachment": preferential(20_000, 5, SEED),
        "clustered": clustered(20_000, 5, 0.6, SEED),
    }
    print(
        "| graph | number | degrees | epsilon | default |", " | ".join(f"{float(s):g}" for s in SHARES), "|"
    )
    for name, graph in graphs.items():
        if only and name not in only:
            continue
        bound = 1 << int(graph.degrees.max()).bit_length()
        by_degree = np.argsort(-graph.degrees, kind="stable")
        for of, count_ in (("ebc", Ebc), ("betweenness2", LengthTwoBetweenness)):
            values = edgedp.exact.values(graph, of)
            start = 0
            for end in CLASSES:
                places = by_degree[start : max(int(end * graph.node_count), start + 1)]
                start += len(places)
                places = places[values[places] > 0]
                if not len(places):
                    continue
                chosen = np.random.default_rng(SEED).choice(places, min(EACH, len(places)), replace=False)
                degrees = graph.degrees[chosen]
                for epsilon in FINELY:
                    rows = np.array(
                        [
                            whole_against_cut(count_(node=v), Ego(graph, v), bound, epsilon)
                            for v in chosen.tolist()
                        ]
                    )
                    ratios = rows[:, 1:] / rows[:, :1]
                    cells = (f"{np.median(each):.2f} ({each.max():.2f})" for each in ratios.T)
                    told = f"{degrees.min()} to {degrees.max()}"
                    print(
                        f"| {name} | {of} | {told} | {float(epsilon):g} | {np.median(rows[:, 0]):.3g} |",
                        " | ".join(cells),
                        "|",
                        flush=True,
                    )


WAYS = {
    "A": "calibrated, all of epsilon (the default)",
    "B": "capped at d+, calibrated for the swap",
    "C": "capped at d+, staircase for the swap",
    "D": "the default, cut to the pairs of d+",
    "E": "the default, cut to the pairs of d~",
    "F": "the same, a tenth for d~",
    "G": "half the pairs of d~, all of epsilon",
}
"""d~ is the noisy degree, d+ what exceeds the degree in 99 of 100 draws; a quarter of epsilon where nothing is said."""


def main() -> None:
    if not among(GRAPH):
        sys.exit(1)
    graph = edgedp.read_graph(GRAPH)
    values = edgedp.exact.values(graph, "ebc")
    highest = np.argsort(-values, kind="stable")[:HIGHEST]
    random = np.random.default_rng(SEED).choice(np.flatnonzero(values > 0), RANDOM, replace=False)
    print("| nodes | way |", " | ".join(f"{float(each):g}" for each in EPSILONS), "|")
    print("|---|---|" + "---|" * len(EPSILONS))
    for told, nodes in ((f"{HIGHEST} highest", highest), (f"{RANDOM} random", random)):
        rows = [[errors(Ego(graph, node), each) for node in nodes.tolist()] for each in EPSILONS]
        for way in rows[0][0]:
            cells = (f"{np.median([node[way] for node in row]):.3g}" for row in rows)
            print(f"| {told} | {way}: {WAYS[way]} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    classes(sys.argv[2:]) if sys.argv[1:2] == ["classes"] else main()
