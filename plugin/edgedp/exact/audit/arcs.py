"""The exhaustive audit of in- and out-degrees: every pair, and every source, of all digraphs of a few nodes.

As in `edgedp.exact.audit.exhaustive`, the exact law of the whole ordered answer comes from the code that draws it,
and of a joint list the noisy vector is audited. The law follows from the counts alone, and a renamed digraph has
the renamed law: so it is computed once for all digraphs whose counts are the same up to their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.exact.audit.exhaustive import TOLERANCE, UnitCase, UnitFinding
from edgedp.exact.audit.ordered import answers, ordered_answer_law
from edgedp.graph.graph import Graph
from edgedp.mechanisms.adaptive import arcs
from edgedp.mechanisms.projection import GraphProjection
from edgedp.release.options import TopKOptions
from edgedp.release.plan import PublicFacts
from edgedp.release.plan.arcs import ArcsPlan, plan_arcs
from edgedp.words.vocabulary import ArcMetricName, Unit


@dataclass(frozen=True)
class ArcCase(UnitCase):
    """A release of in- or out-degrees and whom it protects.

    Attributes
    ----------
    cap : int, optional
        Of joint through cuts: the most arcs of each other end that count. The account then protects the unit.
    """

    metric: ArcMetricName
    cap: int | None = None

    def plan(self, node_count: int, k: int, epsilon: Any) -> ArcsPlan:
        """Return the plan of this case."""
        asked = {"metric": self.metric, "k": k, "epsilon": epsilon, "mechanism": self.mechanism} | {
            "cap": self.cap
        }
        protect: Unit = "pair" if self.cap is None else self.unit
        facts = PublicFacts(node_count, nodes_supplied=True, directed=True, protect=protect)
        return plan_arcs(self.metric, TopKOptions.given(asked), facts)

    @property
    def details(self) -> str:
        """Whom it protects, and through which cuts, as words."""
        return self.taken if self.cap is None else f"{self.taken}, cuts of {self.cap}"

    @property
    def claimed(self) -> int:
        """What a release costs, in epsilons.

        The noise on a whole vector covers an arc that is turned, or pushed out of a cut; every pick is of scores that
        move in one direction, and other arcs of one node may push out as many as they bring.
        """
        if not self.replaced or (self.unit == "pair" and self.mechanism == "joint"):
            return 1
        return 2


@dataclass(frozen=True)
class ArcFinding(UnitFinding):
    """The largest loss found for one case."""

    case: ArcCase


def arc_cases() -> Iterator[ArcCase]:
    """Yield every case that is promised.

    A unit of many arcs is protected by picks, which move one step in one direction, and by cuts.
    """
    units: tuple[tuple[ArcMetricName, Unit], ...] = (
        ("in_degree", "source"),
        ("out_degree", "target"),
    )
    for metric, unit in units:
        for mechanism in ("em", "pf", "joint"):
            for replaced in (False, True):
                yield ArcCase(metric, "pair", mechanism, replaced)
                if mechanism != "joint":
                    yield ArcCase(metric, unit, mechanism, replaced)
                    continue
                for cap in (1, 2):
                    yield ArcCase(metric, "pair", mechanism, replaced, cap)
                    yield ArcCase(metric, unit, mechanism, replaced, cap)


def audit_arcs(
    cases: Iterable[ArcCase],
    *,
    node_count: int = 4,
    picks: Sequence[int] = (1, 2),
    epsilons: Sequence[Any] = ("0.1", "1", "5"),
) -> Iterator[ArcFinding]:
    """Yield the worst finding of every case, in the order of the cases.

    Parameters
    ----------
    cases : iterable of ArcCase
    node_count : int
        At most 4: there are ``2**(n (n - 1))`` digraphs.
    picks, epsilons
        All combinations are tried.

    Examples
    --------
    >>> [finding] = audit_arcs([ArcCase("in_degree", "source", "pf")], node_count=3, epsilons=[1])
    >>> finding.met, round(finding.ratio, 2)
    (True, 1.0)
    """
    known: _Laws = {}
    for case in cases:
        found = [_largest_loss(case, node_count, k, epsilon, known) for k in picks for epsilon in epsilons]
        yield max(found, key=lambda finding: (not finding.ratio <= 1 + TOLERANCE, finding.ratio))


_Laws = dict[tuple[str, tuple[int, ...]], dict[tuple[int, ...], float]]
"""Laws of ordered answers by plan and ascending counts; kept while one audit goes on."""


def _largest_loss(case: ArcCase, node_count: int, k: int, epsilon: Any, known: _Laws) -> ArcFinding:
    """Return the largest loss of a case over all neighbouring digraphs."""
    asked = case.plan(node_count, k, epsilon)
    counts, _, masks = _counts(case.metric, node_count, case.cap)
    one, other = _between(case, node_count)
    if (
        case.mechanism == "joint" and k > 1
    ):  # the list says how sure it is from the whole noisy vector, so that is what is protected
        moved = np.abs(counts[one] - counts[other]).sum(axis=1)
        losses = moved * float(asked.epsilon / arcs.arc_moves(asked))
    else:
        laws = np.log([_law(asked, counts[each], masks[each], known) for each in range(len(counts))])
        losses = np.abs(laws[one] - laws[other]).max(axis=1)
    # Of one node by noise on the vector of all, the largest entry alone is a pick.
    costs = 2 if case.replaced and k == 1 and case.cap is None else case.claimed
    return ArcFinding(case, node_count, k, float(asked.epsilon) * costs, float(losses.max()))


@cache
def _between(case: ArcCase, node_count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which distinct vectors of counts are those of neighbours, each pair once."""
    counts, of_mask, _ = _counts(case.metric, node_count, case.cap)
    one, other = of_mask[_changes(case.unit, node_count, replaced=case.replaced)].T
    return np.divmod(np.unique(one * len(counts) + other), len(counts))


def _law(asked: ArcsPlan, counts: NDArray[np.int64], mask: int, known: _Laws) -> NDArray[np.float64]:
    """Return the law of every ordered answer: that of the ascending counts, its nodes renamed."""
    key, renamed = renaming(counts, asked.k)
    if (repr(asked), key) not in known:
        law = ordered_answer_law(asked, GraphProjection(digraph_of_mask(mask, len(counts))))
        known[repr(asked), key] = dict(zip(renamed, law.tolist(), strict=True))
    return np.array([known[repr(asked), key][answer] for answer in renamed])


def renaming(values: NDArray[np.int64], k: int) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Return ascending values, and every ordered answer with its nodes renamed to their places among these."""
    order = np.argsort(values, kind="stable")
    rank = np.argsort(order)
    return tuple(values[order].tolist()), [
        tuple(rank[list(each)].tolist()) for each in answers(len(values), k)
    ]


@lru_cache(maxsize=1 << 13)
def digraph_of_mask(mask: int, node_count: int) -> Graph:
    """Return the directed graph of a bitmask over the arcs in the order of ``permutations(range(n), 2)``."""
    there = [arc for bit, arc in enumerate(permutations(range(node_count), 2)) if mask >> bit & 1]
    ends = np.array(there, dtype=np.int64).reshape(-1, 2)
    ids = np.arange(node_count, dtype=np.int64)
    return Graph.from_positions(ids, ends, nodes_supplied=True, directed=True)


@cache
def _counts(
    metric: ArcMetricName, node_count: int, cap: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[int, ...]]:
    """Return the distinct vectors of counts, which of them each digraph has, and one digraph for each."""
    masks = range(1 << node_count * (node_count - 1))
    projections = (GraphProjection(digraph_of_mask(mask, node_count)) for mask in masks)
    of_all = np.array(
        [each.values(metric) if cap is None else each.arc_votes(metric, cap) for each in projections],
        dtype=np.int64,
    )
    counts, first, of_mask = np.unique(of_all, axis=0, return_index=True, return_inverse=True)
    return counts, of_mask.reshape(-1), tuple(first.tolist())


@cache
def _changes(unit: Unit, node_count: int, *, replaced: bool) -> NDArray[np.int64]:
    """Return the masks of all neighbours, (c, 2): the second without the unit's arcs, or with others of them."""
    pairs = list(permutations(range(node_count), 2))
    masks = np.arange(1 << len(pairs), dtype=np.int64)
    found = []
    for bits in units(unit, pairs):
        own = sum(1 << bit for bit in bits)
        if not replaced:
            found.append(np.column_stack([masks, masks & ~own]))
            continue
        for others in range(1 << len(bits)):
            put = sum(1 << bit for place, bit in enumerate(bits) if others >> place & 1)
            found.append(np.column_stack([masks, masks & ~own | put]))
    return np.concatenate(found)


def units(unit: Unit, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the pairs of nodes of each unit, by their places."""
    match unit:
        case "pair":
            keys: list[Any] = [frozenset(arc) for arc in pairs]
        case "source":
            keys = [arc[0] for arc in pairs]
        case "target":
            keys = [arc[1] for arc in pairs]
        case _:
            assert_never(unit)
    return [[bit for bit, key in enumerate(keys) if key == each] for each in dict.fromkeys(keys)]
