"""The exhaustive audit of strengths: every pair, and every source, of all graphs of a few nodes with small weights.

As in `edgedp.exact.audit.arcs`, the exact law of the whole ordered answer comes from the code that draws it, and of a
joint list the noisy vector is audited. What lies between two nodes is nothing, one relationship, one beyond the cap,
or several: so caps and aggregations are those of `edgedp.graph.weights`, and are audited, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.exact.audit.arcs import renaming, units
from edgedp.exact.audit.exhaustive import UnitCase, UnitFinding
from edgedp.exact.audit.ordered import answers, ordered_answer_law
from edgedp.graph.graph import Graph
from edgedp.graph.weights import Weighting, weighting_of
from edgedp.mechanisms.adaptive.arcs import arc_moves
from edgedp.mechanisms.projection import GraphProjection
from edgedp.release.options import TopKOptions
from edgedp.release.plan import PublicFacts
from edgedp.release.plan.arcs import ArcsPlan, plan_arcs
from edgedp.words.vocabulary import AGGREGATIONS, StrengthName, Unit

_PLAIN: tuple[tuple[float, ...], ...] = ((), (1.9,), (9.0, 2.0, -1.0))
_SIGNED: tuple[tuple[float, ...], ...] = ((), (-9.0, -0.3), (1.0, 2.0))
"""What may lie between two nodes, or go from one to the other: the weights of its relationships."""


@dataclass(frozen=True)
class StrengthCase(UnitCase):
    """A release of strengths and whom it protects.

    Attributes
    ----------
    weight : mapping
        What is declared of the weights.
    """

    metric: StrengthName
    weight: Mapping[str, Any] = field(default_factory=lambda: {"cap": 2}, hash=False)

    @property
    def weighting(self) -> Weighting:
        """What is declared."""
        return weighting_of(self.weight)

    @property
    def directed(self) -> bool:
        """Whether arcs are weighed, and not pairs."""
        return self.metric != "strength"

    def plan(self, node_count: int, k: int, epsilon: Any) -> ArcsPlan:
        """Return the plan of this case."""
        asked = {"metric": self.metric, "k": k, "epsilon": epsilon, "mechanism": self.mechanism}
        facts = PublicFacts(node_count, nodes_supplied=True, directed=self.directed, weighting=self.weighting)
        return plan_arcs(self.metric, TopKOptions.given(asked), facts)

    @property
    def details(self) -> str:
        """Whom it protects, and how weights are added up, as words."""
        signs = ", signed" if self.weighting.signed else ""
        return f"{self.taken}, {self.weighting.aggregation}{signs}"

    def claimed(self, k: int) -> int:
        """Return what a release costs, in epsilons.

        Unsigned, noise on the vector of all covers what is replaced; a pick does where both ends of a pair move alike.
        """
        if not self.replaced:
            return 1
        one_way = self.metric == "strength"
        covered = one_way or (self.mechanism == "joint" and k > 1)
        return 1 if covered and self.unit == "pair" and not self.weighting.signed else 2


@dataclass(frozen=True)
class StrengthFinding(UnitFinding):
    """The largest loss found for one case."""

    case: StrengthCase


def strength_cases() -> Iterator[StrengthCase]:
    """Yield every case that is promised: no pick of arcs is where weights have signs."""
    sums = {"cap": 2, "pair_cap": 2}
    units: tuple[tuple[StrengthName, Unit], ...] = (("in_strength", "source"), ("out_strength", "target"))
    for replaced in (False, True):
        for mechanism in ("em", "pf", "joint"):
            for aggregation in AGGREGATIONS:
                weight = {"cap": 2, "aggregation": aggregation}
                yield StrengthCase("strength", "pair", mechanism, replaced, weight)
            yield StrengthCase("strength", "pair", mechanism, replaced, sums | {"signed": True})
            for metric, unit in units:
                yield StrengthCase(metric, "pair", mechanism, replaced, sums)
                if mechanism == "joint":
                    yield StrengthCase(metric, "pair", mechanism, replaced, sums | {"signed": True})
                else:
                    yield StrengthCase(metric, unit, mechanism, replaced, sums)


def audit_strengths(
    cases: Iterable[StrengthCase],
    *,
    node_count: int = 4,
    picks: Sequence[int] = (1, 2),
    epsilons: Sequence[Any] = ("0.1", "1", "5"),
) -> Iterator[StrengthFinding]:
    """Yield the worst finding of every case, in the order of the cases.

    Parameters
    ----------
    cases : iterable of StrengthCase
    node_count : int
        Of undirected graphs at most 4, and 3 of directed ones, of which there are ``3**(n (n - 1))``.
    picks, epsilons
        All combinations are tried.

    Examples
    --------
    >>> [finding] = audit_strengths([StrengthCase("strength", "pair", "em")], node_count=3, epsilons=[1])
    >>> finding.met
    True
    """
    for case in cases:
        n = min(node_count, 3) if case.directed else node_count
        found = [_worst(case, n, k, epsilon) for k in picks if k <= n for epsilon in epsilons]
        yield max(found, key=lambda each: each.ratio)


def _worst(case: StrengthCase, n: int, k: int, epsilon: Any) -> StrengthFinding:
    """Return the largest loss of a case over all neighbouring graphs."""
    asked = case.plan(n, k, epsilon)
    sums = _sums(case.metric, case.weighting, n)
    one, other = _changes(case.unit, n, directed=case.directed, replaced=case.replaced).T
    if case.mechanism == "joint" and k > 1:
        losses = np.abs(sums[one] - sums[other]).sum(axis=1) * float(asked.epsilon / arc_moves(asked))
    else:
        distinct, of_graph = np.unique(sums, axis=0, return_inverse=True)
        laws = np.log([_law(asked, each) for each in distinct])[of_graph.reshape(-1)]
        losses = np.abs(laws[one] - laws[other]).max(axis=1)
    return StrengthFinding(case, n, k, float(asked.epsilon) * case.claimed(k), float(losses.max()))


def _law(asked: ArcsPlan, sums: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the law of every ordered answer of strengths: that of the ascending ones, its nodes renamed."""
    ascending, renamed = renaming(sums, asked.k)
    law = _law_of_ascending(asked, ascending)
    return np.array([law[answer] for answer in renamed])


@cache
def _law_of_ascending(asked: ArcsPlan, sums: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    law = ordered_answer_law(asked, _Strengths(np.array(sums, dtype=np.int64)))
    return dict(zip(answers(len(sums), asked.k), law.tolist(), strict=True))


class _Strengths(GraphProjection):
    """Strengths that were added up before, by the graph's own code."""

    def __init__(self, sums: NDArray[np.int64]) -> None:
        super().__init__(Graph.from_edges([], nodes=range(len(sums))))
        self._sums = sums

    def strengths(self, name: StrengthName) -> NDArray[np.int64]:
        """Return them."""
        return self._sums


def weighted_graph(number: int, n: int, weighting: Weighting, *, directed: bool) -> Graph:
    """Return the graph of a number in base 3, whose digits say what lies between two nodes, or in each arc."""
    states = _SIGNED if weighting.signed else _PLAIN
    edges, weights = [], []
    for place, ends in enumerate(_places(n, directed=directed)):
        for weight in states[number // 3**place % 3]:
            edges.append(ends)
            weights.append(weight)
    ends_of = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(
        ends_of, nodes=range(n), directed=directed, weights=np.array(weights), weight=weighting
    )


def _places(n: int, *, directed: bool) -> list[tuple[int, int]]:
    return list(permutations(range(n), 2) if directed else combinations(range(n), 2))


@cache
def _sums(metric: StrengthName, weighting: Weighting, n: int) -> NDArray[np.int64]:
    """Return the strengths of every graph, (graphs, n)."""
    directed = metric != "strength"
    count = 3 ** len(_places(n, directed=directed))
    graphs = (weighted_graph(number, n, weighting, directed=directed) for number in range(count))
    return np.array([GraphProjection(each).strengths(metric) for each in graphs])


@cache
def _changes(unit: Unit, n: int, *, directed: bool, replaced: bool) -> NDArray[np.int64]:
    """Return the numbers of all neighbours, (c, 2): the second without the unit's relationships, or with others."""
    places = _places(n, directed=directed)
    numbers = np.arange(3 ** len(places), dtype=np.int64)
    found = []
    for own in units(unit, places):
        bare = numbers - sum(numbers // 3**place % 3 * 3**place for place in own)
        others = product(range(3), repeat=len(own)) if replaced else [(0,) * len(own)]
        for states in others:
            put = sum(state * 3**place for state, place in zip(states, own, strict=True))
            found.append(np.column_stack([numbers, bare + put]))
    return np.unique(np.concatenate(found), axis=0)
